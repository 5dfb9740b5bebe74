"""A model that a command loads: from its folder or package, or as the pipeline fetched it."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sentflow.encoders.entries import fetch_settings
from sentflow.encoders.manifest import source_kind
from sentflow.errors import ConfigError
from sentflow.graph import paths

if TYPE_CHECKING:
    from sentflow.encoders.manifest import Manifest


def fetched_manifest(
    model: str, entry: Mapping[str, Any], folder: Path, *, before: str, results: Path = Path(paths.RESULTS)
) -> tuple["Manifest", Path]:
    """The manifest of a model and the folder it lies in; what has to be downloaded is left to the pipeline.

    Parameters
    ----------
    model, entry
        Name, and entry without problems.
    folder
        For the manifest of a model that lies in a folder or package.
    before
        What it has to be there for, for messages.
    results
        The results folder.

    Raises
    ------
    ConfigError
        The pipeline has not made it.
    DataError
        Its files are damaged.
    """
    if source_kind(entry["source"]) in ("folder", "package"):
        from sentflow.encoders.fetch.model import fetch_model

        return fetch_model(model, fetch_settings(entry), folder), folder
    from sentflow.encoders.manifest import read_manifest

    made = paths.MANIFEST.format(model=model)
    path = results.joinpath(*Path(made).parts[1:])
    if not path.is_file() or (manifest := read_manifest(path)).source != entry["source"]:
        raise ConfigError(
            f"{model} has to be downloaded before {before}, and {path} does not say that it was (searched for "
            f"in {Path.cwd()}). Select the model and run: snakemake --cores 1 {made}"
        )
    return manifest, path.parent
