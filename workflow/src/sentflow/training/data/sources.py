"""Which raw files training data need, and what an entry may not say. Read by the Snakefile: nothing heavy here."""

from collections.abc import Mapping
from typing import Any

from sentflow.files.archives.limits import is_archive_name
from sentflow.texts.pair_files import raw_files_of as raw_files_of_pairs
from sentflow.training.data.forms import (
    PAIRS,
    READ_BY_ROW,
    SPANS,
    TEXTS,
    TRIPLETS,
)

Entry = Mapping[str, Any]


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
