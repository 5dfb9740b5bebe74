"""Training data whose rows are those of corpora and question sets: what an entry names, and what it may not say.

Standard library only: the Snakefile reads it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from sentflow.errors import no_pattern
from sentflow.training.data.forms import LABELLED, PAIRS, RANKS, SCORED, SPANS, TEXTS, TRIPLETS

Entry = Mapping[str, Any]
SEARCHING = NEGATIVES, PSEUDO_LABELS = ("negatives", "pseudo_labels")
"""Keys of an entry that name a retriever."""
_OF_FILES = ("dataset", "reader", "pair_sets", "nli", "unscored")


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


def collected_problems(entry: Entry) -> Iterator[tuple[str, str]]:
    """Place in an entry, and what is wrong there beyond its schema; nothing for rows of files."""
    if not is_collected(entry) and not is_asked(entry):
        for key in ("split", "neighbours", *SEARCHING, "without_documents_of"):
            if key in entry:
                yield key, "rows of files have none. Delete it, or write collections or questions."
        return
    own = "collections" if is_collected(entry) else "questions"
    others = [key for key in (*_OF_FILES, *({"collections", "questions"} - {own})) if key in entry]
    if others:
        yield own, f"rows come from here or from elsewhere. Delete {', '.join(others)}, or this."
    yield from _text_problems(entry) if is_collected(entry) else _question_problems(entry)


def _text_problems(entry: Entry) -> Iterator[tuple[str, str]]:
    form = entry["form"]
    if form not in (TEXTS, PAIRS, SPANS):
        yield (
            "form",
            f"collections give texts, pairs or spans, not {form}. Write one of these, or questions instead.",
        )
    for key in SEARCHING:
        if key in entry:
            yield key, "collections have no relevant documents. Write questions instead of collections."
    if form != TEXTS and question_sets_of(entry):
        yield "collections.question_sets", f"a question is no {form[:-1]}. Delete them, or write form: texts."
    if "without_documents_of" in entry:
        yield "without_documents_of", "only rows of questions have this. Delete it, or write questions."
    if entry.get("neighbours") and form != PAIRS:
        yield "neighbours", f"{form} are not of two texts. Delete it, or write form: pairs."
    if "split" not in entry:
        return
    if form != SPANS:
        yield "split", f"{form} are not cut. Delete it, or write form: spans."
    if not isinstance(entry["split"], str):
        return
    if wrong := no_pattern(entry["split"]):
        yield "split", wrong


def _question_problems(entry: Entry) -> Iterator[tuple[str, str]]:
    form, negatives = entry["form"], entry.get("negatives")
    if form not in (PAIRS, TRIPLETS, LABELLED, SCORED):
        yield (
            "form",
            f"questions give pairs, triplets, labelled or scored rows, not {form}. Write one of these.",
        )
    elif negatives is None and form != PAIRS:
        yield (
            "negatives",
            f"{form} need documents that are not relevant. Write negatives: {{retriever: bm25}}.",
        )
    elif negatives is not None and form == PAIRS:
        yield "negatives", "pairs have none. Delete it, or write form: triplets."
    if "split" in entry:
        yield "split", "documents are not cut here. Delete it."
    if "neighbours" in entry:
        yield "neighbours", "a question has none. Delete it, or write collections."
    ranks = _map(negatives).get("ranks", RANKS)
    first, last = ranks if isinstance(ranks, list | tuple) and len(ranks) == len(RANKS) else RANKS
    if isinstance(first, int) and isinstance(last, int) and first > last:
        yield "negatives.ranks", f"from {first} to {last} is nothing. Write the smaller number first."
