"""What a random order reaches on average: the closed forms against every order of a small corpus."""

from itertools import permutations

import ir_measures
import numpy as np
import pytest

from sentflow.retrieval.measures import chance, per_question

MEASURES = ["nDCG@3", "nDCG@10", "R@2", "R@10", "P@2", "P@10", "RR@3", "RR", "AP@3", "AP", "Success@2"]
DOCUMENTS = "abcdef"
GRADES = {"one": {"a": 1}, "two": {"a": 2, "b": 1, "c": 0}, "all": dict.fromkeys(DOCUMENTS, 3)}


def by_every_order(depth: int, least: int, grades: dict) -> dict[str, float]:
    orders = [order[:depth] for order in permutations(DOCUMENTS)]
    means = {}
    for name, own in grades.items():
        ranking = {str(number): order for number, order in enumerate(orders)}
        found = per_question(ranking, dict.fromkeys(ranking, own), MEASURES, relevant_grade=least)
        means[name] = {measure: values.mean() for measure, values in found.items()}
    return {measure: np.mean([own[measure] for own in means.values()]) for measure in MEASURES}


@pytest.mark.parametrize("depth", [6, 2])
@pytest.mark.parametrize("least", [1, 2])
def test_chance_is_the_mean_over_every_order(depth, least):
    grades = GRADES if least == 1 else {name: GRADES[name] for name in ("two", "all")}
    found = chance(grades, MEASURES, relevant_grade=least, n_documents=len(DOCUMENTS), depth=depth)
    assert found == pytest.approx(by_every_order(depth, least, grades), abs=1e-9)


def test_measures_without_a_closed_form_have_none():
    found = chance({"q": {"a": 1}}, ["Bpref", "R@1"], relevant_grade=1, n_documents=4, depth=4)
    assert np.isnan(found["Bpref"])
    assert found["R@1"] == 0.25
    assert str(ir_measures.parse_measure("Bpref")) == "Bpref"
