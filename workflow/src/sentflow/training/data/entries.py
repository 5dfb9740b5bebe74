"""Which files and names an entry of training data needs. Read by the Snakefile: nothing heavy here."""

from collections.abc import Iterable, Mapping
from typing import Any

from sentflow.config.pairs import Reader as PairReader
from sentflow.config.trainings import Reader
from sentflow.files.archives.limits import is_archive_name
from sentflow.texts.raw_files import raw_files_of
from sentflow.training.data.forms import READ_BY_ROW
from sentflow.training.data.settings import Source, are_taken_by_row

Entry = Mapping[str, Any]
SEARCHING = NEGATIVES, PSEUDO_LABELS = ("negatives", "pseudo_labels")
"""Keys of an entry that name a retriever."""
SECTIONS = ("tasks", "pair_sets", "question_sets")
"""What may be held out."""
NEAR = 0.8
"""Similarity from which rows are near copies where an entry does not say it; that of the audits."""
UNKNOWN_LANGUAGE = "und"
"""Language of texts that no language is told of."""


def is_collected(entry: Entry) -> bool:
    """Whether the rows are texts of corpora and question sets."""
    return "collections" in entry


def is_asked(entry: Entry) -> bool:
    """Whether the rows are questions with documents that were judged or found."""
    return "questions" in entry


def corpora_of(entry: Entry) -> list[str]:
    """The corpora whose documents are rows."""
    return _names(_map(entry.get("collections")).get("corpora"))


def question_sets_of(entry: Entry) -> list[str]:
    """The question sets whose questions are rows, or are the texts of rows."""
    return _names(entry.get("questions", _map(entry.get("collections")).get("question_sets")))


def held_out_sets(entry: Entry) -> list[str]:
    """The question sets whose judged documents are in no row."""
    return _names(entry.get("without_documents_of"))


def retriever_of(entry: Entry) -> str | None:
    """What finds the negatives; None where there are none, whatever else is wrong with the entry."""
    return _retriever(entry, NEGATIVES)


def labeller_of(entry: Entry) -> str | None:
    """The retriever whose first documents count as relevant; None where judgements say it."""
    return _retriever(entry, PSEUDO_LABELS)


def searchers_of(entry: Entry) -> list[str]:
    """Every retriever that searches the questions so that there are rows, each once."""
    return list(dict.fromkeys(name for key in SEARCHING if (name := _retriever(entry, key))))


def _retriever(entry: Entry, key: str) -> str | None:
    name = _map(entry.get(key)).get("retriever")
    return name if isinstance(name, str) else None


def _map(found: Any) -> Mapping[str, Any]:
    """What is a map; the schema says what is wrong with anything else, here and below."""
    return found if isinstance(found, Mapping) else {}


def _names(found: Any) -> list[str]:
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []


def is_combined(entry: Entry) -> bool:
    """Whether the rows are those of other training data."""
    return "combined" in entry


def relations_of(entry: Entry) -> list[str]:
    """The training data whose rows are taken, in order."""
    return _names(_map(entry.get("combined")).get("data"))


def held_out_of(entry: Entry) -> list[tuple[str, str]]:
    """Section and name of everything whose texts are in no row."""
    found = _map(_map(entry.get("combined")).get("without_texts_of"))
    return [(section, name) for section in SECTIONS for name in _names(found.get(section))]


def with_relations(names: Iterable[str], known: Mapping[str, Any]) -> list[str]:
    """Training data, and after them those that they are put together of; each once, as far as they exist."""
    named = list(names)
    parts = [part for name in named for part in relations_of(_map(known.get(name))) if part in known]
    return list(dict.fromkeys([*named, *parts]))


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


def raw_files_of_data(entry: Entry, pair_sets: Mapping[str, Entry]) -> list[tuple[str, str]]:
    """(dataset, file) of the raw files of an entry, each once, in the order in which they are read."""
    found = [
        (source.dataset, file)
        for source in sources_of("", entry, pair_sets)
        if (reader := source.pairs or source.rows)
        for file in raw_files_of({"reader": reader.as_dict()})
    ]
    return list(dict.fromkeys(found))


def are_read_by_row(entry: Entry) -> bool:
    """Whether the raw files of an entry are never in memory as a whole; of an archive, its file is."""
    reader = entry.get("reader", {})
    return (
        are_taken_by_row(entry["form"], entry.get("nli"), entry.get("shuffled_positives"))
        and reader.get("format") in READ_BY_ROW
        and not any(map(is_archive_name, reader["files"]))
    )
