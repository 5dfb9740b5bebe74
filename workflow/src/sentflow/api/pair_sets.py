"""Pair sets for notebooks: of the catalog, brought once and verified on every use, or of the caller's own file."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from sentflow.api.arguments import ArgumentError
from sentflow.api.tasks import WORKFLOW
from sentflow.config.datasets import File
from sentflow.config.entries import merge
from sentflow.downloads.download import download
from sentflow.downloads.mirrors import mirrors_in_use
from sentflow.texts.pairs import PairTable
from sentflow.texts.prepare_pairs import PairSettings, prepare_pairs


def catalog_pairs(name: str, *, folder: Path, mirrors: Sequence[str]) -> PairTable:
    """A pair set of the catalog."""
    entry = _entry(name)
    files = catalog("datasets")[entry["dataset"]]["files"]
    settings = PairSettings.from_settings(entry, pairs=name)
    raw = []
    for file in settings.reader.file_names():
        raw.append(folder / entry["dataset"] / file)
        source = File.model_validate(files[file])
        download(source, raw[-1], mirrors=mirrors_in_use(mirrors, os.environ))
    return prepare_pairs(name, raw, settings)


def own_pairs(path: str | Path, *, like: str) -> PairTable:
    """The pairs of a file of the caller's, in the form of a pair set of the catalog."""
    file = Path(os.path.expandvars(path)).expanduser()
    if not file.is_file():
        raise ArgumentError(f"path: there is no file {str(path)!r}. Leave it out to download the data.")
    entry = {**_entry(like), "data_version": f"{file.name}, not verified"}
    settings = PairSettings.from_settings(
        {key: value for key, value in entry.items() if key not in ("rows", "subset_rows")}, pairs=like
    )
    reader = replace(settings.reader, files=(file.name,))
    if not reader.header and _names_columns(file):
        reader = replace(reader, header=True, text_a="sentence1", text_b="sentence2", score="score")
    return prepare_pairs(like, [file], replace(settings, reader=reader))


def _names_columns(file: Path) -> bool:
    with file.open(encoding="utf-8-sig", errors="replace") as stream:
        return {"score", "sentence1", "sentence2"} <= set(stream.readline().rstrip("\r\n").split("\t"))


def _entry(name: str) -> dict[str, Any]:
    """An entry of the catalog with what it takes over from others (``like``)."""
    entry = dict(catalog("pair_sets")[name])
    if (base := entry.pop("like", None)) is None:
        return entry
    found: dict[str, Any] = merge(_entry(base), entry)
    return found


def catalog(section: str) -> Mapping[str, Any]:
    """A section of the catalog."""
    file = WORKFLOW / "catalog" / f"{section}.yaml"
    found: Mapping[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return found
