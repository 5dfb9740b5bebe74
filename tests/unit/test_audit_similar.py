"""Near duplicates, texts within others, and what training has shown of tests: what comparing every pair finds."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentflow.audit import training_audit
from sentflow.audit.contained import LEAST_CHARACTERS, KnownTexts
from sentflow.audit.ngrams import LENGTH, ngram_sets, similar_pairs
from sentflow.audit.training_audit import NEAR, audit_training
from sentflow.texts.pairs import PairInfo, PairTable
from sentflow.texts.plain import plain
from sentflow.training.data.table import TrainingData

words = st.sampled_from(["lei", "ação", "câmara", "voto", "São", "é", "projeto", "n", "🙂", "!!"])
texts = st.lists(st.lists(words, min_size=1, max_size=8).map(" ".join), min_size=1, max_size=12)


def grams(text: str) -> set[str]:
    padded = f" {plain(text)} ".ljust(LENGTH)
    return {padded[start : start + LENGTH] for start in range(len(padded) - LENGTH + 1)}


def jaccard(one: str, two: str) -> float:
    a, b = grams(one), grams(two)
    return len(a & b) / len(a | b)


def by_force(sides: list[list[str]], threshold: float) -> dict[tuple[int, int], float]:
    found = {}
    for i in range(len(sides[0])):
        for j in range(i + 1, len(sides[0])):
            least = min(jaccard(side[i], side[j]) for side in sides)
            if least >= threshold:
                found[i, j] = least
    return found


def found_by(sides: list[list[str]], threshold: float) -> dict[tuple[int, int], float]:
    pairs = similar_pairs(ngram_sets(sides), threshold=threshold)
    rows = zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)
    return dict(zip(rows, pairs.similarity.tolist(), strict=True))


@given(texts, texts, st.sampled_from([0.5, 0.8]))
def test_of_two_texts_both_must_be_similar(side_a, side_b, threshold):
    n = min(len(side_a), len(side_b))
    sides = [side_a[:n], side_b[:n]]
    assert found_by(sides, threshold) == pytest.approx(by_force(sides, threshold))


def test_many_rows_in_chunks_are_paired_as_in_one(monkeypatch):
    generator = np.random.default_rng(0)
    vocabulary = [f"palavra{k}" for k in range(30)]
    side = [" ".join(generator.choice(vocabulary, size=12)) for _ in range(60)]
    side += [text.replace("palavra1 ", "palavra2 ") for text in side]
    whole = found_by([side], 0.8)
    assert len(whole) >= 10
    monkeypatch.setattr("sentflow.audit.ngrams._CHUNK", 7)
    assert found_by([side], 0.8) == whole == pytest.approx(by_force([side], 0.8))


def compared_one_by_one(known: list[str], text: str, share: float) -> int:
    """The first known text that is equal; nearly equal, if one is short; contains the text, or is contained in it."""
    for place, one in enumerate(known):
        if plain(one) == plain(text):
            return place
    for place, one in enumerate(known):
        is_short = min(len(plain(text)), len(plain(one))) < LEAST_CHARACTERS
        if is_short and jaccard(text, one) >= share - 1e-9:
            return place
    for place, one in enumerate(known):
        smaller, larger = sorted((text, one), key=lambda side: len(grams(side)))
        shared = len(grams(smaller) & grams(larger))
        if len(plain(smaller)) >= LEAST_CHARACTERS and shared >= share * len(grams(smaller)) - 1e-9:
            return place
    return -1


def test_known_texts_are_found_as_by_comparing_every_pair():
    known = KnownTexts(["Inexigibilidade.", "EXAGERADO."], share=0.8)
    asked = ["exagerado", "Isso é exagerado.", "e inexigibilidade", "a inexigibilidade da multa de trânsito"]
    assert known.found_in(asked).tolist() == [1, -1, 0, -1]
    draws = np.random.default_rng(7)
    vocabulary = [f"palavra{number}" for number in range(60)] + ["de", "da", "Lei", "ção"]

    def drawn(n: int) -> list[str]:
        return [" ".join(draws.choice(vocabulary, draws.integers(1, 14))) for _ in range(n)]

    told = drawn(60)
    parts = [
        " ".join([*draws.choice(vocabulary, 3), *text.split()[: draws.integers(1, 12)]]) for text in told[:30]
    ]
    asked = [*drawn(30), *parts, *(text.upper() for text in told[:5])]
    for share in (0.5, 0.8, 1.0):
        found = KnownTexts(told, share=share).found_in(asked).tolist()
        assert found == [compared_one_by_one(told, text, share) for text in asked]
        assert max(found) >= 0 > min(found)


LONG = "o projeto de lei que trata da saúde pública foi aprovado ontem pela câmara dos deputados"
NEARLY = LONG.replace("ontem", "hoje")


def pairs(*rows: tuple[str, str]) -> PairTable:
    text_a, text_b = ([row[side] for row in rows] for side in (0, 1))
    return PairTable(
        PairInfo("X", "test", "pt", (0.0, 5.0), [""]), [""] * len(rows), text_a, text_b, np.zeros(len(rows))
    )


def audited(table: PairTable, *known: str, **tests: PairTable) -> list[dict[str, Any]]:
    data = TrainingData("mine", "texts", {"text": [*known]})
    every = {("pair set", "X"): table, **{("task", name): one for name, one in tests.items()}}
    return audit_training(data, every, declared=False)["tests"]


def test_copies_and_near_copies_are_counted_by_text_and_by_row():
    [found] = audited(pairs(("não concordo senhor", "Santos")), "Não  concordo, senhor!", "São Paulo", "!!!")
    assert found["texts"] == {"n": 2, "copies": 1, "near": 0, "share": 0.5}
    assert found["rows"] == {"n": 1, "some": 1, "all": 0, "share": 0.0}
    assert found["examples"] == [[0, 0, 1.0]]
    [found] = audited(pairs((LONG, NEARLY.upper()), ("nothing of this", "nor that")), "x", NEARLY, LONG)
    assert found["texts"] == {"n": 4, "copies": 2, "near": 0, "share": 0.5}
    [found] = audited(pairs(("a", "b"), (LONG, LONG)), "x", NEARLY)
    assert found["texts"] == {"n": 3, "copies": 0, "near": 1, "share": 1 / 3}
    assert found["rows"] == {"n": 2, "some": 1, "all": 1, "share": 0.5}
    one, other = audited(pairs(("c d", "e f"), ("c d", "g h")), "c d", "c d", A=pairs(("a b", "c d")))
    assert (one["texts"]["n"], one["texts"]["copies"], one["training_rows"]) == (3, 1, 2)
    assert (other["kind"], other["texts"]["n"], other["texts"]["copies"]) == ("task", 2, 1)


@given(texts, texts, st.integers(1, 40))
def test_copies_and_near_copies_are_those_of_brute_force_however_training_is_cut(asked, known, characters):
    def closest(text: str, among: list[str]) -> float:
        return max(1.0 if plain(text) == plain(other) else jaccard(text, other) for other in among)

    table = pairs(*((text, text) for text in asked))
    copies = {text for text in asked if plain(text) in set(map(plain, known))}
    near = {text for text in asked if text not in copies and closest(text, known) >= NEAR}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training_audit, "_PART_CHARACTERS", characters)
        [found] = audited(table, *known)
    assert (found["texts"]["copies"], found["texts"]["near"]) == (len(copies), len(near))
    assert [found] == audited(table, *known)
    for row, of_training, similarity in found["examples"]:
        assert similarity == pytest.approx(closest(asked[row], known), abs=1e-4)
        assert closest(asked[row], [known[of_training]]) == pytest.approx(similarity, abs=1e-4)
