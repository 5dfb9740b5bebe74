"""The tasks and encoders that there are."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sentflow.cli.configuration import read_configuration, workflow_folder
from sentflow.cli.terminal import Listing, show_blocks
from sentflow.config.entries import Entries
from sentflow.config.load import load_catalog
from sentflow.config.problems.encoders import custom_problems
from sentflow.encoders.entries import is_lazy
from sentflow.encoders.manifest import source_kind
from sentflow.errors import ConfigError, instead

# Of any section, as far as its entries have them
_COLUMNS = (
    *("title", "kind", "form", "corpus", "dataset", "language", "rows", "judged", "relevant_grade"),
    *("analyser", "model", "passages", "of", "rule", "units", "stop_words", "stemmer", "words", "overlap"),
    *("tokens", "family", "metric", "licence"),
)
_METRICS = {"mcc": "MCC", "adjusted_macro_f1": "adj. F1"}


def list_tasks(
    files: Sequence[Path], *, variant: str | None, family: str | None, kind: str | None, as_json: bool
) -> None:
    """Print the tasks of the catalog and of configuration files.

    Parameters
    ----------
    files
        Laid over the catalog.
    variant, family, kind
        Only tasks of that variant, of that family, with that layout or classifier; None is all.
    as_json
        Print the entries instead of a table.

    Raises
    ------
    ConfigError
        The files have mistakes, or no task has that family or kind.
    """
    entries = load_catalog(read_configuration(files), workflow_folder())
    rows = {name: _task(entry, entries["datasets"]) for name, entry in entries["tasks"].items()}
    _refuse_unknown("--family", family, [row["family"] for row in rows.values()])
    _refuse_unknown("--kind", kind, [row[key] for row in rows.values() for key in ("layout", "classifier")])
    kept = {
        name: row
        for name, row in rows.items()
        if variant in (None, row["variant"])
        and family in (None, row["family"])
        and (kind is None or kind in (row["layout"], row["classifier"]))
    }
    header = ("Task", "Title", "Family", "Metric", "Probe", "Input", "Data", "Licence")
    cells = [
        (
            name, row["title"], row["family"], _METRICS.get(row["metric"], row["metric"]), row["classifier"],
            row["layout"], row["data_version"], row["licence"],
        )
        for name, row in kept.items()
    ]  # fmt: skip
    notes = (f"{len(kept)} of {len(rows)} tasks.",)
    _print(kept, Listing(header, cells, notes=notes), as_json=as_json)


def list_models(files: Sequence[Path], *, kind: str | None, as_json: bool) -> None:
    """Print the encoders of the catalog and of configuration files; see `list_tasks`."""
    entries = load_catalog(read_configuration(files), workflow_folder())
    rows = {name: _model(name, entry) for name, entry in entries["models"].items()}
    _refuse_unknown("--kind", kind, [row["kind"] for row in rows.values()])
    kept = {name: row for name, row in rows.items() if kind in (None, row["kind"])}
    header = ("Model", "Title", "Kind", "From", "Licence", "")
    cells = [
        (name, row["title"], row["kind"], row["source"], row["licence"], _remark(row))
        for name, row in kept.items()
    ]
    notes = (f"{len(kept)} of {len(rows)} models.",)
    _print(kept, Listing(header, cells, notes=notes), as_json=as_json)


def list_section(files: Sequence[Path], section: str | None, *, as_json: bool) -> None:
    """Print the entries of any section of the catalog, or what sections there are.

    Parameters
    ----------
    files
        Laid over the catalog.
    section
        E.g. ``question_sets``; None for all sections with the numbers of their entries.
    as_json
        Print the entries instead of a table.

    Raises
    ------
    ConfigError
        The files have mistakes, or there is no such section.
    """
    entries = load_catalog(read_configuration(files), workflow_folder())
    if section is None:
        counts = [(name, f"{len(found):,}") for name, found in entries.items()]
        numbers = {name: len(found) for name, found in entries.items()}
        _print(numbers, Listing(("Section", "Entries"), counts, "lr"), as_json=as_json)
        return
    name = section.replace("-", "_")
    if name not in entries:
        raise ConfigError(f"the catalog has no section {section!r}. {instead(name, entries)}")
    shown = {one: _simple(entry) for one, entry in entries[name].items()}
    keys = [key for key in _COLUMNS if any(key in row for row in shown.values())]
    cells = [(one, *(row.get(key, "") for key in keys)) for one, row in shown.items()]
    header = ("Name", *(key.replace("_", " ").capitalize() for key in keys))
    _print(entries[name], Listing(header, cells, notes=(f"{len(cells)} entries.",)), as_json=as_json)


def _simple(entry: Mapping[str, Any]) -> dict[str, str]:
    """The values of an entry that a cell can hold."""
    found = {key: value for key, value in entry.items() if key in _COLUMNS}
    return {key: _cell(value) for key, value in found.items()}


def _cell(value: Any) -> str:
    if isinstance(value, Mapping):  # of a user's file, or of each language
        return str(value.get("file", ", ".join(f"{key}: {one}" for key, one in value.items())))
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def variant_of(task: Mapping[str, Any], datasets: Entries) -> str:
    """``sample`` (texts that the project writes), ``official`` (the benchmark's files) or ``open`` (others)."""
    if "seed" in datasets.get(task["dataset"], {}):
        return "sample"
    return "official" if task["data_version"] == "official" else "open"


def _task(entry: Mapping[str, Any], datasets: Entries) -> dict[str, Any]:
    licence = datasets.get(entry["dataset"], {}).get("licence", "")
    return {**entry, "variant": variant_of(entry, datasets), "licence": licence}


def _model(name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    source = entry.get("source")
    origin = source_kind(source) if isinstance(source, Mapping) else ""
    shown = {
        "title": entry.get("title", name),
        "kind": entry["kind"],
        "source": f"{origin} {source['hub']}" if origin == "hub" and source else entry.get("custom", origin),
        "licence": entry.get("licence", ""),
        "control": entry.get("control", False),
        # the file of an encoder that is not selected need not be here
        "lazy": not custom_problems(name, entry) and is_lazy(entry),
    }
    return {**{key: value for key, value in entry.items() if key != "source"}, **shown}


def _remark(row: Mapping[str, Any]) -> str:
    return "fitted in each fold" if row["lazy"] else "control" if row["control"] else ""


def _refuse_unknown(option: str, value: str | None, known: Sequence[str]) -> None:
    if value is not None and value not in known:
        raise ConfigError(f"{option} {value}: no such value. Write one of: {', '.join(sorted(set(known)))}.")


def _print(entries: Mapping[str, Any], listing: Listing, *, as_json: bool) -> None:
    if as_json:
        show_blocks([json.dumps(entries, indent=1, ensure_ascii=False)])
    else:
        show_blocks([listing])
