"""Which raw files training data need, and what an entry may not say. Read by the Snakefile: nothing heavy here."""

from collections.abc import Mapping
from typing import Any

from sentflow.config.pairs import Reader as PairReader
from sentflow.config.training_data import Reader
from sentflow.files.archives.limits import is_archive_name
from sentflow.texts.raw_files import pair_files_of
from sentflow.training.data.forms import (
    PAIRS,
    READ_BY_ROW,
    SPANS,
    TEXTS,
    TRIPLETS,
)
from sentflow.training.data.settings import Source

Entry = Mapping[str, Any]


def sources_of(data: str, entry: Entry, pair_sets: Mapping[str, Entry]) -> list[Source]:
    """The sources of training data in their order; none where rows are those of corpora and question sets."""
    if "pair_sets" in entry:
        return [
            Source(
                where=f"pair_sets.{name}",
                dataset=pair_sets[name]["dataset"],
                pairs=PairReader.model_validate(pair_sets[name]["reader"]),
            )
            for name in entry["pair_sets"]
        ]
    if "dataset" not in entry:
        return []
    rows = Reader.model_validate(entry["reader"])
    return [Source(where=f"training_data.{data}", dataset=entry["dataset"], rows=rows)]


def raw_files_of(entry: Entry, pair_sets: Mapping[str, Entry]) -> list[tuple[str, str]]:
    """(dataset, file) of the raw files of an entry, each once, in the order in which they are read."""
    found = [
        (source.dataset, file)
        for source in sources_of("", entry, pair_sets)
        for file in (
            pair_files_of(source.pairs.as_dict())
            if source.pairs
            else source.rows.files
            if source.rows
            else ()
        )
    ]
    return list(dict.fromkeys(found))


def are_taken_by_row(form: str, nli: str | None, shuffled_positives: int | None) -> bool:
    """Whether rows are taken as they stand, so that a part of them can be prepared without the others."""
    return form in (TEXTS, PAIRS, TRIPLETS, SPANS) and nli is None and shuffled_positives is None


def are_read_by_row(entry: Entry) -> bool:
    """Whether the raw files of an entry are never in memory as a whole; of an archive, its file is."""
    reader = entry.get("reader", {})
    return (
        are_taken_by_row(entry["form"], entry.get("nli"), entry.get("shuffled_positives"))
        and reader.get("format") in READ_BY_ROW
        and not any(map(is_archive_name, reader["files"]))
    )
