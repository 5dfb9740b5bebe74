"""The tasks and encoders that there are."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import typer

from sentflow.cli.configuration import AsJson, ConfigFiles, read_catalog
from sentflow.cli.terminal import listing, show_blocks
from sentflow.config.entries import Entries
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


def tasks(
    variant: Annotated[
        Literal["sample", "open", "official"] | None,
        typer.Option(help="Only tasks on invented texts, public data, or the benchmark's files."),
    ] = None,
    family: Annotated[str | None, typer.Option(help="Only tasks of one family, e.g. trust.")] = None,
    kind: Annotated[
        str | None, typer.Option(help="Only tasks of one layout (single, pair …) or probe (logistic, mlp).")
    ] = None,
    configfile: ConfigFiles = None,
    as_json: AsJson = False,
) -> None:
    """List the tasks of the catalog."""
    entries = read_catalog(configfile)
    rows = {name: _task(entry, entries["datasets"]) for name, entry in entries["tasks"].items()}
    _refuse_unknown("--family", family, [row["family"] for row in rows.values()])
    _refuse_unknown("--kind", kind, [row[key] for row in rows.values() for key in ("layout", "classifier")])
    kept = {
        name: row
        for name, row in rows.items()
        if variant in (None, row["variant"])
        and family in (None, row["family"])
        and kind in (None, row["layout"], row["classifier"])
    }
    keys = ("title", "family", "metric", "classifier", "layout", "data_version", "licence")
    cells = [(name, *(_METRICS.get(row[key], row[key]) for key in keys)) for name, row in kept.items()]
    header = ("Task", "Title", "Family", "Metric", "Probe", "Input", "Data", "Licence")
    _print(kept, header, cells, f"{len(kept)} of {len(rows)} tasks.", as_json=as_json)


def models(
    kind: Annotated[
        str | None, typer.Option(help="Only encoders of one kind, e.g. sentence-transformers.")
    ] = None,
    configfile: ConfigFiles = None,
    as_json: AsJson = False,
) -> None:
    """List the encoders of the catalog."""
    rows = {name: _model(name, entry) for name, entry in read_catalog(configfile)["models"].items()}
    _refuse_unknown("--kind", kind, [row["kind"] for row in rows.values()])
    kept = {name: row for name, row in rows.items() if kind in (None, row["kind"])}
    cells = [
        (
            name,
            *(row[key] for key in ("title", "kind", "source", "licence")),
            "fitted in each fold" if row["lazy"] else "control" if row["control"] else "",
        )
        for name, row in kept.items()
    ]
    header = ("Model", "Title", "Kind", "From", "Licence", "")
    _print(kept, header, cells, f"{len(kept)} of {len(rows)} models.", as_json=as_json)


def catalog(
    section: Annotated[
        str | None, typer.Argument(help="E.g. question_sets, corpora, retrievers, analysers, pair_sets.")
    ] = None,
    configfile: ConfigFiles = None,
    as_json: AsJson = False,
) -> None:
    """List the entries of a section of the catalog, or its sections."""
    sections = read_catalog(configfile)
    if section is None:
        numbers = {name: len(entries) for name, entries in sections.items()}
        cells = [(name, f"{n:,}") for name, n in numbers.items()]
        _print(numbers, ("Section", "Entries"), cells, "", alignment="lr", as_json=as_json)
        return
    name = section.replace("-", "_")
    if name not in sections:
        raise ConfigError(f"the catalog has no section {section!r}. {instead(name, sections)}")
    entries = sections[name]
    keys = [key for key in _COLUMNS if any(key in entry for entry in entries.values())]
    rows = [
        (one, *(_cell(entry[key]) if key in entry else "" for key in keys)) for one, entry in entries.items()
    ]
    header = ("Name", *(key.replace("_", " ").capitalize() for key in keys))
    _print(entries, header, rows, f"{len(rows)} entries.", as_json=as_json)


def _cell(value: Any) -> str:
    if isinstance(value, Mapping):  # of a user's file, or of each language
        return str(value.get("file", ", ".join(f"{key}: {one}" for key, one in value.items())))
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _task(entry: Mapping[str, Any], datasets: Entries) -> dict[str, Any]:
    dataset = datasets.get(entry["dataset"], {})
    others = "official" if entry["data_version"] == "official" else "open"
    variant = "sample" if "seed" in dataset else others  # with a seed the project writes the texts
    return {**entry, "variant": variant, "licence": dataset.get("licence", "")}


def _model(name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    source = entry.get("source")
    origin = source_kind(source) if isinstance(source, Mapping) else ""
    return {
        **entry,
        "title": entry.get("title", name),
        "source": f"{origin} {source['hub']}" if origin == "hub" and source else entry.get("custom", origin),
        "licence": entry.get("licence", ""),
        "control": entry.get("control", False),
        # the file of an encoder that is not selected need not be here
        "lazy": not custom_problems(name, entry) and is_lazy(entry),
    }


def _refuse_unknown(option: str, value: str | None, known: Sequence[str]) -> None:
    if value is not None and value not in known:
        raise ConfigError(f"{option} {value}: no such value. Write one of: {', '.join(sorted(set(known)))}.")


def _print(
    entries: Mapping[str, Any],
    header: Sequence[str],
    cells: Sequence[Sequence[str]],
    note: str,
    *,
    alignment: str = "",
    as_json: bool,
) -> None:
    if as_json:
        show_blocks(json.dumps(entries, indent=1, ensure_ascii=False))
    else:
        show_blocks(listing(header, cells, alignment, notes=(note,)))
