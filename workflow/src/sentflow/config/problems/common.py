"""How mistakes of a configuration are reported: all at once, each with its place and what to write instead."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sentflow.config.configuration import Configuration
from sentflow.config.entries import Entries, Entry, as_map
from sentflow.config.short_forms import OWN, raw_name
from sentflow.errors import ConfigError, instead
from sentflow.flow import paths
from sentflow.jobs.secrecy import without_secrets
from sentflow.texts.raw_files import raw_files_of

_LONGEST, _KEPT_AT_END = 1500, 400  # characters of a problem


def refuse(problems: Sequence[str]) -> None:
    if problems:
        raise mistakes(problems)


def mistakes(problems: Sequence[str]) -> ConfigError:
    problems = list(dict.fromkeys(problems))
    count = "1 mistake" if len(problems) == 1 else f"{len(problems)} mistakes"
    # a schema repeats the value that it refuses
    listed = "\n".join(f"  - {_shortened(problem)}" for problem in problems)
    return ConfigError(without_secrets(f"the configuration has {count}:\n{listed}"))


def _shortened(problem: str) -> str:
    left_out = len(problem) - _LONGEST
    if left_out <= 0:
        return problem
    start, end = problem[: _LONGEST - _KEPT_AT_END], problem[-_KEPT_AT_END:]
    return f"{start} … ({left_out:,} characters) … {end}"


def made_of_seeds(name: str, known: Mapping[str, Any]) -> list[str]:
    """The entries that an entry with several seeds was written out as."""
    return [
        key
        for key, entry in known.items()
        if as_map(entry).get("seed_of") == name or key.startswith(f"{name}-seed-")
    ]


def unknown(place: str, noun: str, name: str, known: Iterable[str]) -> str:
    """A message that a name does not exist, with the names that do; or that it stands for several."""
    if isinstance(known, Mapping) and (made := made_of_seeds(name, known)):
        return f"{place}: {name} stands for one {noun} per seed. Write one of: {', '.join(made)}."
    return f"{place}: there is no {noun} {name!r}. {instead(name, sorted(known))}"


def dataset_problems(where: str, entry: Entry, datasets: Entries, *, key: str) -> list[str]:
    """Whether the dataset of an entry exists and has the files that `key` of the entry names."""
    dataset = entry["dataset"]
    if dataset not in datasets:
        return [unknown(f"{where}.dataset", "dataset", dataset, datasets)]
    known = datasets[dataset].get("files", {})
    return [
        f"{where}.{key}: the dataset {dataset} has no file {file!r}. {instead(file, sorted(known))}"
        for file in raw_files_of(entry)
        if known and file not in known
    ]


def missing_files(where: str, dataset: str, datasets: Entries) -> list[str]:
    """Problems if files of an entry that had the short form are neither there nor copied already."""
    files = datasets.get(dataset, {}).get("files", {}) if dataset.startswith(OWN) else {}
    addresses = [file["urls"][0] for file in files.values() if "urls" in file]
    return [problem for address in addresses for problem in _missing_file(where, address, dataset)]


def _missing_file(where: str, file: str, dataset: str) -> list[str]:
    path = Path(file.removeprefix("file://")).expanduser()
    copy = Path(paths.RAW_FILE.format(dataset=dataset, file=raw_name(file)))
    if ("://" in file and not file.startswith("file://")) or path.is_file() or copy.is_file():
        return []
    return [
        f"{where}: there is no file {file} (searched for beside the configuration file and in {Path.cwd()}). Write "
        "its path from one of these, or the whole path."
    ]


def needed(config: Configuration, what: str, selected: Sequence[str]) -> Iterator[str]:
    """That something is selected of which encoders alone are measured, and no encoder."""
    if selected and not config.select.models and not config.select.sweeps:
        yield f"config.select.models: {what} are measured of encoders, and none is selected. Write one, e.g. random."
