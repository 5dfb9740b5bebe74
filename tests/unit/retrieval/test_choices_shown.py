"""How decisions and weights that were chosen on training questions are shown: order, parameters, names."""

from dataclasses import replace

import numpy as np
import pytest

from sentflow.report.families.retrieval import weights_figure
from sentflow.report.families.retrieval.decision_rows import WeightRow
from sentflow.report.families.retrieval.decision_summary import decision_rows
from sentflow.report.families.retrieval.decisions_table import decisions_table
from sentflow.report.families.retrieval.weight_summary import weight_rows
from sentflow.report.figure import canvas
from sentflow.report.table.latex import latex_text
from sentflow.report.table.tex_layout import PAGE
from sentflow.report.table.tex_parts import parts_of
from sentflow.retrieval.tuned_fusion import Weighed

# in the order of the alphabet, as settings reach a job; selected in another
SETS = {
    name: {"title": name.upper(), "data_version": "raw", "language": "vi"}
    for name in ("alqac", "test", "train")
}
SELECTED = ["train", "test", "alqac"]


def decided(questions, *, within=None):
    measures = {
        name: {"mean": 0.5, "low": 0.4, "high": 0.6} for name in ("F2", "SetP", "SetR", "F2-published")
    }
    result = {
        "questions": questions, "retriever": "bm25", "decision": "window", "measures": measures, "level": 0.99,
        "F2-of-means": 0.5, "documents_per_question": 1.5, "n_questions": 20, "n_left_out": 0, "n_empty": 0,
        "parameters": {"least": 20.0, "most": 5.0, "window": 1.5},
    }  # fmt: skip
    if within is None:
        return result
    tuning = {"tuned_on": ["train"], "in_sample": 0.6, "nested": 0.5, "optimism": 0.1, "margin": 0.01}
    return {**result, "tuning": {**tuning, "grid": [{}] * 9, "within_margin": within}}


def summary(**changes):
    settings = {
        "question_sets": SETS,
        "retrievers": {"bm25": "BM25"},
        "decisions": {"window": "tuned window"},
        "controls": [],
        "order": [SELECTED, [["bm25", "window"]]],
    }
    return decision_rows([decided(name, **changes) for name in SETS], settings)


def test_question_sets_of_decisions_stand_as_they_were_selected():
    headings = [group.title for group in decisions_table(summary(), "Title", []).groups]
    assert [heading.partition(":")[0] for heading in headings] == SELECTED


def test_as_latex_the_table_fits_a_page_and_has_the_parameters_in_one_piece():
    table = decisions_table(summary(within=[{"window": 0.4}, {"window": 3.0}]), "Title", [])
    assert all(part.layout.width <= PAGE for part in parts_of(table))
    assert "most 5, window 1.5, least 20}" in latex_text(table)
    assert "2 of 9: window 0.4 to 3" in latex_text(table)


def test_parameters_stand_in_the_order_in_which_they_limit():
    assert {row.parameters for row in summary()} == {"most 5, window 1.5, least 20"}


@pytest.mark.parametrize(
    ("within", "written"),
    [
        ([{"most": 5, "window": value} for value in (0.4, 0.5, 3.0)], "window 0.4 to 3"),
        ([{"most": 5, "window": 0.4}], "most 5, window 0.4"),
        (
            [{"share": 0.9, "window": 1.0}, {"share": 0.7, "window": 2.0}, {"share": 0.8, "window": 1.5}],
            "window 1 to 2, share 0.7 to 0.9",
        ),
    ],
)
def test_of_choices_that_are_as_good_the_values_are_told_in_which_they_differ(within, written):
    assert {row.within for row in summary(within=within)} == {written}


@pytest.fixture(scope="module")
def weights():
    found = [
        Weighed(
            name, "fusion", "laws", "RR@10", [(1.0, 0.0), (0.5, 0.5), (0.0, 1.0)], ["q1", "q2"], [["a"], ["b"]],
            np.full((3, 2), 0.5),
        )
        for name in SETS
    ]  # fmt: skip
    choice = {
        "weights": [0.5, 0.5], "weights_of_folds": [[0.5, 0.5]], "tuned_on": ["train"], "in_sample": 0.6,
        "nested": 0.5, "optimism": 0.1,
    }  # fmt: skip
    settings = {
        "question_sets": SETS,
        "retrievers": {"fusion": {"title": "Both", "position": 0, "of": ["BM25", "MiniLM"]}},
        "order": [SELECTED, ["fusion"]],
        **{"level": 0.95, "n_resamples": 100, "seed": 1},
    }
    return weight_rows(found, {"fusion": choice}, settings)


def test_question_sets_of_weights_stand_as_they_were_selected(weights):
    assert list(dict.fromkeys(row.questions for row in weights)) == SELECTED


def ends(rows: list[WeightRow]) -> list[str]:
    with canvas.style():
        [first, *_] = weights_figure.draw(rows).axes
        return [label.get_text() for label in first.get_xticklabels()]


def test_retrievers_are_named_below_the_ends_where_they_have_room_and_always_in_the_caption(weights):
    assert ends(weights) == ["0\nBM25", "½", "1\nMiniLM"]
    long = [replace(row, of="BM25, k1 1.2, Vietnamese words; BM25, k1 1.2, syllables") for row in weights]
    assert ends(long) == ["0", "½", "1"]
    said = weights_figure.texts_of(long).reading
    assert (
        "Both: BM25, k1 1.2, Vietnamese words (at 0) and BM25, k1 1.2, syllables (at 1), 0.600 on the" in said
    )
