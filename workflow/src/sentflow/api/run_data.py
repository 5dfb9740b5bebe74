"""Runs and judgements as notebooks, files and frameworks for RAG have them: question → document → score or grade."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sentflow.api.arguments import ArgumentError
from sentflow.errors import DataError
from sentflow.files.io import parse_json
from sentflow.retrieval.trec import lines_of, read_judgements, read_scores

Pairs = dict[str, list[tuple[str, Any]]]
"""Question → documents, or passages, in their order, each with its score or grade."""
RUN, JUDGEMENTS = "run", "judgements"
_NUMBER = {RUN: "score", JUDGEMENTS: "grade"}
# What JSON objects call them, of which the first that is there counts: we, then LlamaIndex, Ragas and Haystack
_QUESTION = ("question_id", "query_id", "id", "_id", "question", "query", "user_input")
_DOCUMENTS = {
    RUN: ("retrieved", "retrieved_ids", "retrieved_context_ids", "retrieved_documents"),
    JUDGEMENTS: ("expected", "expected_ids", "reference_context_ids", "ground_truth_documents"),
}
_DOCUMENT = ("document", "doc_id", "id")
_OBJECT = '{"question": …, "expected": [document, …], "retrieved": [document, or [document, score], …]}'


def called(given: Any, what: str) -> str:
    """The path of a file; `what` for anything else."""
    return str(given) if isinstance(given, str | Path) else what


def has_objects(given: Any) -> bool:
    """Whether something is a list of JSON objects, or the path of JSON lines."""
    if isinstance(given, str | Path):
        return str(given).removesuffix(".gz").endswith((".jsonl", ".ndjson"))
    return isinstance(given, list) and len(given) > 0 and isinstance(given[0], Mapping)


def pairs_of(given: Any, what: str) -> Pairs:
    """The documents of each question in what is given as `what`, ``run`` or ``judgements``.

    Raises ArgumentError: `given` is of another form. DataError: a file or an object is.
    """
    if has_objects(given):
        return _of_objects(given, what)
    if isinstance(given, str | Path):
        read = read_scores if what == RUN else read_judgements
        return {question: [*own.items()] for question, own in read(Path(given)).items()}
    row_of = f"(question, document, {_NUMBER[what]})"
    if not isinstance(given, Iterable):
        raise ArgumentError(
            f"{what} is a {type(given).__name__}. Give a dictionary, rows of {row_of}, or the path of a file in TREC's "
            "form."
        )
    found: Pairs = {}
    if isinstance(given, Mapping):
        for question, own in given.items():
            if not isinstance(own, Mapping):
                if what == RUN or isinstance(own, str) or not isinstance(own, Iterable):
                    lists = "" if what == RUN else ", or a list of the relevant documents"
                    raise ArgumentError(
                        f"{what}[{question!r}] is a {type(own).__name__}. Give document → {_NUMBER[what]}{lists}."
                    )
                own = dict.fromkeys(own, 1)
            found[str(question)] = [(str(document), value) for document, value in own.items()]
        return found
    for number, row in enumerate(given):
        least = 3 if what == RUN else 2
        if isinstance(row, str) or not isinstance(row, Sequence) or not least <= len(row) <= 3:
            raise ArgumentError(f"{what}[{number}] is {row!r}. Give {row_of}.")
        question, document, value, *_ = *row, 1
        found.setdefault(str(question), []).append((str(document), value))
    return found


def _of_objects(given: Any, what: str) -> Pairs:
    """Documents are identifiers, pairs of one and a number, or objects; without numbers their order counts in a run."""
    found: Pairs = {}
    for place, one in enumerate(given, 1) if isinstance(given, list) else lines_of(Path(given)):
        try:
            one = parse_json(one) if isinstance(one, str) else one
            question, own = str(_first(one, _QUESTION)), _first(one, _DOCUMENTS[what])
            if question in found or not isinstance(own, list | tuple):
                raise ValueError(f"{question!r} is there twice, or has no list of documents: {own!r:.40}")
            pairs = [_pair(item, what) for item in own]
            if all(value is None for _, value in pairs):
                pairs = [(name, -rank if what == RUN else 1) for rank, (name, _) in enumerate(pairs)]
            found[question] = pairs
        except ValueError as error:
            raise DataError(f"{called(given, what)}, object {place}: {error}. Write {_OBJECT}.") from error
    if not found:
        raise DataError(f"{called(given, what)} is empty. Write {_OBJECT}.")
    return found


def _first(one: Any, keys: Sequence[str]) -> Any:
    values = [one[key] for key in keys if one.get(key) is not None] if isinstance(one, Mapping) else []
    if not values:
        raise ValueError(f"{one!r:.80} has none of the keys {', '.join(keys)}")
    return values[0]


def _pair(item: Any, what: str) -> tuple[str, Any]:
    if isinstance(item, Mapping):
        item = (_first(item, _DOCUMENT), item.get(_NUMBER[what]))
    name, number = item if isinstance(item, list | tuple) and len(item) == 2 else (item, None)
    if not isinstance(name, str | int):
        raise ValueError(f"{name!r:.40} is no identifier of a document")
    return str(name), number


def documents_of(
    pairs: Pairs, what: str, document_of: Mapping[str, str], *, where: str, repeats: bool
) -> tuple[dict[str, dict[str, Any]], int]:
    """Question → document → the highest number of its passages; and how many further passages documents have.

    Raises ArgumentError: a score is no finite number, a grade no whole one; or a document of a run is there twice,
    unless `repeats` allows that.
    """
    found: dict[str, dict[str, Any]] = {}
    n_further = 0
    for question, own in pairs.items():
        of_question = found.setdefault(question, {})
        for name, value in own:
            if not _is_number(value) or (what == JUDGEMENTS and int(value) != value):
                kind = "finite" if what == RUN else "whole"
                raise ArgumentError(
                    f"{where}: the {_NUMBER[what]} of {name!r} for {question!r} is {value!r}. Give a {kind} number."
                )
            document, number = document_of.get(name, name), float(value) if what == RUN else int(value)
            if document in of_question:
                if not repeats:
                    raise ArgumentError(
                        f"{where}: {name!r} occurs twice for {question!r}. Name each document once."
                    )
                n_further += 1
                number = max(number, of_question[document])
            of_question[document] = number
    return found, n_further


def _is_number(value: Any) -> bool:
    try:
        return math.isfinite(float(value)) and not isinstance(value, bool | str)
    except (TypeError, ValueError):
        return False


def passages_of(given: Any, found: Pairs, expected: Pairs) -> dict[str, str]:
    """Passage → document, of a run and judgements: see `sentflow.evaluate_run`.

    Raises ArgumentError: `given` is no regular expression or map, or would rename documents of the run where they are
    judged.
    """
    ranked, judged = ({name for own in pairs.values() for name, _ in own} for pairs in (found, expected))
    advice = (
        "Write an expression that matches passages alone, e.g. '^(.+)#', or a map from passages to documents."
    )
    if isinstance(given, Mapping):
        document_of = {str(passage): str(document) for passage, document in given.items()}
    else:
        try:
            pattern = re.compile(given)
        except (re.error, TypeError) as error:
            raise ArgumentError(
                f"passages: {given!r} is no regular expression ({error}). {advice}"
            ) from error
        matches = {name: pattern.search(name) for name in ranked | judged}
        document_of = {
            name: found[min(1, pattern.groups)] or name for name, found in matches.items() if found
        }
    documents = {document_of.get(name, name) for name in ranked}
    if twice := sorted(name for name in judged & documents if document_of.get(name, name) != name):
        raise ArgumentError(
            f"passages: {twice[0]!r} is a document of the run, but would be {document_of[twice[0]]!r} where it is "
            f"judged. {advice}"
        )
    return document_of
