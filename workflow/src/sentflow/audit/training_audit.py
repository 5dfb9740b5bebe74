"""How much of what is tested an encoder has seen in training: copies and near copies of texts, test by test."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any
from unicodedata import is_normalized

import numpy as np

from sentflow.audit.ngrams import NEAR, ngram_sets, similar_pairs
from sentflow.texts.collection import TextTable, distinct_texts
from sentflow.texts.plain import plain
from sentflow.training.data.table import TrainingData

_PART_CHARACTERS = 4_000_000  # of training texts that are compared at a time: bounds the memory
_EXAMPLES = 20


@dataclass(frozen=True)
class _Seen:
    """What training has shown of the distinct texts of all tests."""

    # row: (n,) int64: the first row of training that holds a copy of the text, or one nearly so; -1 for none
    row: np.ndarray
    copied: np.ndarray  # (n,) bool: it is a copy
    # similarity: (n,) float64: 1 for copies, else that of the most similar training text if at least `NEAR`; 0 for
    # none
    similarity: np.ndarray


def audit_training(
    data: TrainingData, tests: Mapping[tuple[str, str], TextTable], *, declared: bool
) -> dict[str, Any]:
    """Texts of tests, by their kind and name, that are copies of training texts, or nearly so."""
    texts = distinct_texts(tests.values())
    place_of = {text: place for place, text in enumerate(texts)}
    known, first_row = _distinct_training_texts(data)
    seen = _seen(texts, known, first_row)
    copied = {plain(texts[place]) for place in np.flatnonzero(seen.copied).tolist()}
    in_rows = [copied.intersection(map(plain, row)) for row in data.row_texts()] if copied else []
    copied_in = [found for found in in_rows if found]
    found = [_of_test(kind, name, table, place_of, seen, copied_in) for (kind, name), table in tests.items()]
    facts = {
        "data": data.name,
        "n_rows": len(data),
        "n_texts": len(known),
        "not_nfc": sum(not is_normalized("NFC", text) for text in known),
        "threshold": NEAR,
        "declared": declared,
        "tests": found,
    }
    return {**facts, "warnings": list(_warnings(facts))}


def _distinct_training_texts(data: TrainingData) -> tuple[list[str], list[int]]:
    """Every text of training once, but for what `plain` drops, in order; and the first row that holds it."""
    first: dict[str, tuple[str, int]] = {}
    for row, text in ((row, text) for row, texts in enumerate(data.row_texts()) for text in texts):
        first.setdefault(plain(text), (text, row))
    return [text for text, _ in first.values()], [row for _, row in first.values()]


def _seen(texts: Sequence[str], known: Sequence[str], first_row: Sequence[int]) -> _Seen:
    similarity = np.zeros(len(texts))
    row = np.full(len(texts), -1)
    row_of = {plain(text): place for text, place in zip(known, first_row, strict=True)}
    for place, text in enumerate(texts):
        if (copy := row_of.get(plain(text))) is not None:
            row[place], similarity[place] = copy, 1.0
    copied = row >= 0
    others = np.flatnonzero(~copied)
    tested = [texts[place] for place in others.tolist()]
    rows = np.array(first_row)
    for start, end in _parts(known) if tested else ():
        pairs = similar_pairs(
            ngram_sets([[*tested, *known[start:end]]]), threshold=NEAR, first_below=len(tested)
        )
        across = pairs.second >= len(tested)
        places = others[pairs.first[across]]
        training = rows[pairs.second[across] - len(tested) + start]
        for place, first, value in zip(places, training, pairs.similarity[across], strict=True):
            if value > similarity[place] or (value == similarity[place] and first < row[place]):
                row[place], similarity[place] = first, value
    return _Seen(row, copied, similarity)


def _parts(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Borders of parts of about equally many characters."""
    ends = np.cumsum([len(text) for text in texts])
    numbers = ends // _PART_CHARACTERS
    borders = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(texts)]
    yield from zip(borders, borders[1:], strict=False)


def _of_test(
    kind: str,
    name: str,
    table: TextTable,
    place_of: Mapping[str, int],
    seen: _Seen,
    copied_in: Sequence[set[str]],
) -> dict[str, Any]:
    rows = [[place_of[text] for text in texts] for texts in table.row_texts()]
    places = np.array(sorted(set(chain.from_iterable(rows))), dtype=np.int64)
    texts = list(place_of)
    copies = {plain(texts[place]) for place in places[seen.copied[places]].tolist()}
    n_copies = int(seen.copied[places].sum())
    n_near = int((seen.similarity[places] > 0).sum()) - n_copies
    some = sum(any(seen.similarity[place] > 0 for place in row) for row in rows)
    every = sum(all(seen.similarity[place] > 0 for place in row) for row in rows)
    return {
        "kind": kind,
        "name": name,
        "texts": {
            "n": len(places),
            "copies": n_copies,
            "near": n_near,
            "share": _share(n_copies + n_near, len(places)),
        },
        "rows": {"n": len(rows), "some": some, "all": every, "share": _share(every, len(rows))},
        "training_rows": sum(not copies.isdisjoint(texts) for texts in copied_in),
        "examples": _examples(rows, seen),
    }


def _examples(rows: Sequence[Sequence[int]], seen: _Seen) -> list[list[float]]:
    found: dict[int, int] = {}
    for row, places in enumerate(rows):
        for place in places:
            if seen.similarity[place] > 0:
                found.setdefault(place, row)
    best = sorted(found, key=lambda place: (-seen.similarity[place], found[place]))[:_EXAMPLES]
    return [[found[place], int(seen.row[place]), round(float(seen.similarity[place]), 4)] for place in best]


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _warnings(facts: Mapping[str, Any]) -> Iterator[str]:
    for test in facts["tests"]:
        texts = test["texts"]
        if texts["copies"] + texts["near"]:
            found = texts["copies"] + texts["near"]
            note = "" if facts["declared"] else ", which the catalog does not say"
            yield (
                f"{found:,} of the {texts['n']:,} texts of {test['kind']} {test['name']} occur in training, "
                f"{texts['copies']:,} as copies and {texts['near']:,} nearly so{note}: its scores are not those of "
                "texts that an encoder has never seen."
            )
