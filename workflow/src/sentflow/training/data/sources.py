"""Which raw files training data need, and what an entry may not say. Read by the Snakefile: nothing heavy here."""

from collections.abc import Iterator, Mapping
from typing import Any

from sentflow.files.archives.limits import is_archive_name
from sentflow.texts.pair_files import raw_files_of as raw_files_of_pairs
from sentflow.training.data.collected import collected_problems, is_asked, is_collected
from sentflow.training.data.forms import (
    BY_PREMISE,
    COLUMNS,
    FORMS,
    LABELLED,
    PAIRS,
    READ_BY_ROW,
    SCORED,
    SCORES,
    SPANS,
    STUDY_LABEL_WORD,
    TEXTS,
    TRIPLETS,
)

Entry = Mapping[str, Any]
# Column of files that a form has not → the form that has it
_BETTER = {"negative": TRIPLETS, "label": LABELLED} | dict.fromkeys(SCORES, SCORED)
_NLI_FORMS = {BY_PREMISE: (PAIRS, TRIPLETS), STUDY_LABEL_WORD: (TRIPLETS,)}
_NLI_COLUMNS = ("text", "other", "label")


def sources_of(entry: Entry, pair_sets: Mapping[str, Entry]) -> list[dict[str, Any]]:
    """The dataset and reader of each source of an entry, in their order; `where` is its place, for messages.

    None of an entry whose rows are those of corpora and question sets.
    """
    if "dataset" not in entry and "pair_sets" not in entry:
        return []
    if "pair_sets" in entry:
        return [
            {
                "where": f"pair_sets.{name}",
                "dataset": pair_sets[name]["dataset"],
                "pairs": pair_sets[name]["reader"],
            }
            for name in entry["pair_sets"]
        ]
    return [{"where": "", "dataset": entry["dataset"], "rows": entry["reader"]}]


def raw_files_of(entry: Entry, pair_sets: Mapping[str, Entry]) -> list[tuple[str, str]]:
    """(dataset, file) of the raw files of an entry, each once, in the order in which they are read."""
    found = [
        (source["dataset"], file)
        for source in sources_of(entry, pair_sets)
        for file in (
            raw_files_of_pairs({"reader": source["pairs"]}) if "pairs" in source else source["rows"]["files"]
        )
    ]
    return list(dict.fromkeys(found))


def are_taken_by_row(entry: Entry) -> bool:
    """Whether rows are taken as they stand, so that a part of them can be prepared without the others."""
    return (
        entry["form"] in (TEXTS, PAIRS, TRIPLETS, SPANS)
        and entry.get("nli") is None
        and entry.get("shuffled_positives") is None
    )


def are_read_by_row(entry: Entry) -> bool:
    """Whether the raw files of such an entry are never in memory as a whole; of an archive, its file is."""
    reader = entry.get("reader", {})
    return (
        are_taken_by_row(entry)
        and reader.get("format") in READ_BY_ROW
        and not any(map(is_archive_name, reader["files"]))
    )


def source_problems(entry: Entry) -> Iterator[tuple[str, str]]:
    """Place in an entry, and what is wrong there: what its schema cannot see, or not say in these words."""
    form = entry["form"]
    yield from collected_problems(entry)
    if entry.get("shuffled_positives") is not None and form not in (PAIRS, TRIPLETS):
        yield (
            "shuffled_positives",
            f"data of the form {form} have no positives, so that it has no effect. Delete it, or write form: pairs.",
        )
    if is_collected(entry) or is_asked(entry):
        return
    if "pair_sets" in entry:
        if form not in (TEXTS, PAIRS):
            yield "form", f"pair sets give texts or pairs, not {form}. Write form: texts, or form: pairs."
        if "reader" in entry or "dataset" in entry:
            yield (
                "pair_sets",
                "rows come from pair sets or from a dataset. Delete dataset and reader, or this.",
            )
        if "nli" in entry:
            yield "nli", "pair sets have scores and no labels. Delete it."
        return
    if "unscored" in entry:
        yield "unscored", "only pair sets have scores. Delete it."
    named = {"text", *(key for key in COLUMNS[1:] if key in entry["reader"])}
    yield from _column_problems(form, entry.get("nli"), named)


def _column_problems(form: str, nli: str | None, named: set[str]) -> Iterator[tuple[str, str]]:
    if nli is not None and form not in _NLI_FORMS[nli]:
        yield "nli", f"{nli} makes {' or '.join(_NLI_FORMS[nli])}, not {form}. Write form: {TRIPLETS}."
        return
    needed = FORMS[form] if nli is None else _NLI_COLUMNS
    for column in needed:
        if column not in named:
            yield f"reader.{column}", f"{form} have {_listed(needed)}. Write {column}: <column>."
    if form == TEXTS and "label" in named:
        yield "reader.label", "texts have no label. Delete it."
    for column in sorted(named.difference(needed)) if form != TEXTS else ():
        better = _BETTER.get(column, PAIRS)
        yield f"reader.{column}", f"{form} have {_listed(needed)} only. Delete it, or write form: {better}."


def _listed(columns: Any) -> str:
    *first, last = columns
    return f"{', '.join(first)} and {last}" if first else last
