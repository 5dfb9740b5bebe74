"""Names that are part of paths: two entries must not write the same file, on any file system.

Standard library only: the Snakefile imports this module in every job.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

# A file system takes 255 bytes, of which endings and the name of a temporary file need some
MAX_LENGTH = 100
# Of the files that lie beside `{model}.parquet` (`sentflow.graph.paths`)
_ENDINGS_OF_FILES = (".predictions",)


def name_problems(entries: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """One sentence for each name of an entry whose files would be those of another, or could not be written.

    Parameters
    ----------
    entries
        Section → name → entry; of the catalog and of a configuration.
    """
    for section, found in entries.items():
        yield from _problems_of(found, section)
    for dataset, entry in entries.get("datasets", {}).items():
        files = entry.get("files") if isinstance(entry, dict) else None
        if isinstance(files, dict):
            yield from _problems_of(files, f"datasets.{dataset}.files")
    for model in entries.get("models", {}):
        if model.endswith(_ENDINGS_OF_FILES):
            yield (
                f"models.{model}: the files of this model would be taken for the predictions of "
                f"{model.removesuffix(_ENDINGS_OF_FILES[0])}. Write a name that does not end in "
                f"{_ENDINGS_OF_FILES[0]}."
            )


def _problems_of(names: Iterable[str], where: str) -> Iterator[str]:
    first: dict[str, str] = {}
    for name in names:
        other = first.setdefault(name.casefold(), name)
        if other != name:
            yield (
                f"{where}.{name}: it differs from {other} in capital letters only, and many file systems would treat "
                "their files as the same. Write another name."
            )
        if len(name) > MAX_LENGTH:
            yield (
                f"{where}.{name[:20]}…: a name is part of the names of files and has at most {MAX_LENGTH} characters, "
                f"not {len(name)}. Write a shorter one."
            )
