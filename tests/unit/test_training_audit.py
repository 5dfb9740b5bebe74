"""What training has shown of tests: copies, near copies, and how they are counted."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentflow.audit import training_audit
from sentflow.audit.ngrams import LENGTH, plain
from sentflow.audit.training_audit import NEAR, audit_training
from sentflow.texts.pairs import PairInfo, PairTable
from sentflow.training.data.table import TrainingData

LONG = "o projeto de lei que trata da saúde pública foi aprovado ontem pela câmara dos deputados"
NEARLY = LONG.replace("ontem", "hoje")


def pairs(*rows: tuple[str, str]) -> PairTable:
    text_a, text_b = ([row[side] for row in rows] for side in (0, 1))
    info = PairInfo("X", "test", "pt", (0.0, 5.0), [""])
    return PairTable(info, [""] * len(rows), text_a, text_b, np.zeros(len(rows)))


def data(*texts: str, **columns: list[str]) -> TrainingData:
    return TrainingData("mine", "texts", {"text": [*texts], **columns})


def of(training: TrainingData, table: PairTable, *, declared: bool = False) -> dict[str, Any]:
    facts = audit_training(training, {("pair set", "X"): table}, declared=declared)
    [found] = facts["tests"]
    return {**found, "warnings": facts["warnings"]}


def test_copies_differ_in_case_punctuation_and_spaces_only():
    found = of(data("Não  concordo, senhor!", "São Paulo", "!!!"), pairs(("não concordo senhor", "Santos")))
    assert found["texts"] == {"n": 2, "copies": 1, "near": 0, "share": 0.5}
    assert found["rows"] == {"n": 1, "some": 1, "all": 0, "share": 0.0}
    assert found["examples"] == [[0, 0, 1.0]]


def test_near_copies_are_counted_apart_from_copies():
    found = of(data("x", NEARLY, LONG), pairs((LONG, NEARLY.upper()), ("nothing of this", "nor that")))
    assert found["texts"] == {"n": 4, "copies": 2, "near": 0, "share": 0.5}
    found = of(data("x", NEARLY), pairs(("a", "b"), (LONG, LONG)))
    assert found["texts"] == {"n": 3, "copies": 0, "near": 1, "share": 1 / 3}
    assert found["rows"] == {"n": 2, "some": 1, "all": 1, "share": 0.5}
    [[row, of_training, similarity]] = found["examples"]
    assert (row, of_training) == (1, 1)
    assert NEAR <= similarity < 1


def test_texts_of_every_column_of_a_training_row_count_and_the_row_once():
    training = data("a b", "c d", "e f", other=["x y", "a b", "g h"], negative=["z", "a b", "w"])
    found = of(training, pairs(("A b", "x-y")))
    assert found["texts"]["copies"] == 2
    assert found["training_rows"] == 2


def test_tests_are_counted_each_for_itself():
    tests = {("task", "A"): pairs(("a b", "c d")), ("pair set", "A"): pairs(("c d", "e f"), ("c d", "g h"))}
    facts = audit_training(data("c d", "c d"), tests, declared=False)
    one, other = facts["tests"]
    assert (one["kind"], one["texts"]["n"], one["texts"]["copies"]) == ("task", 2, 1)
    assert (other["kind"], other["texts"]["n"], other["texts"]["copies"]) == ("pair set", 3, 1)
    assert other["rows"] == {"n": 2, "some": 2, "all": 0, "share": 0.0}
    assert [test["training_rows"] for test in facts["tests"]] == [2, 2]


def test_clean_data_have_no_warning_and_others_say_whether_it_was_declared():
    assert of(data("x y"), pairs(("a b", "c d")))["warnings"] == []
    [told] = of(data("a b"), pairs(("a b", "c d")))["warnings"]
    assert told == (
        "1 of the 2 texts of pair set X occur in training, 1 as copies and 0 nearly so, which the catalog does not "
        "say: its scores are not those of texts that an encoder has never seen."
    )
    [told] = of(data("a b"), pairs(("a b", "c d")), declared=True)["warnings"]
    assert "the catalog" not in told


words = st.sampled_from(["lei", "ação", "câmara", "voto", "São", "é", "projeto", "n", "🙂", "!!"])
texts = st.lists(st.lists(words, min_size=1, max_size=8).map(" ".join), min_size=1, max_size=8)


def jaccard(one: str, two: str) -> float:
    a, b = (
        {padded[start : start + LENGTH] for start in range(len(padded) - LENGTH + 1)}
        for padded in (f" {plain(text)} ".ljust(LENGTH) for text in (one, two))
    )
    return len(a & b) / len(a | b)


@given(texts, texts, st.integers(1, 40))
def test_copies_and_near_copies_are_those_of_brute_force_however_training_is_cut(asked, known, characters):
    def closest(text: str, among: Sequence[str]) -> float:
        return max(1.0 if plain(text) == plain(other) else jaccard(text, other) for other in among)

    table = pairs(*((text, text) for text in asked))
    copies = {text for text in asked if plain(text) in set(map(plain, known))}
    near = {text for text in asked if text not in copies and closest(text, known) >= NEAR}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training_audit, "_PART_CHARACTERS", characters)
        found = of(data(*known), table)
    assert (found["texts"]["copies"], found["texts"]["near"]) == (len(copies), len(near))
    whole = of(data(*known), table)
    assert found == whole
    for row, of_training, similarity in found["examples"]:
        assert similarity == pytest.approx(closest(asked[row], known), abs=1e-4)
        assert closest(asked[row], [known[of_training]]) == pytest.approx(similarity, abs=1e-4)
