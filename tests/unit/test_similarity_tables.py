"""The tables of semantic similarity and geometry, and the check of similarity."""

import dataclasses
import math
import re
from pathlib import Path

import fake_similarity
import numpy as np
import pytest
import yaml
from filled import filled
from made_graphs import unshared
from made_products import TABLES_OF_PAIRS

from sentflow.graph import products
from sentflow.graph.family import TABLE
from sentflow.report.checks import Selection
from sentflow.report.families.geometry.summary import (
    alignment_row,
    geometry_rows,
    spectrum_rows,
    truncation_rows,
)
from sentflow.report.families.similarity.checks import check_similarity
from sentflow.report.families.similarity.data import SimilarityData
from sentflow.report.families.similarity.rows import SimilarityRow
from sentflow.report.families.similarity.subsets_table import subsets_table
from sentflow.report.families.similarity.summary import histogram_rows, similarity_rows
from sentflow.report.inputs import Inputs
from sentflow.report.table.formats import csv_text
from sentflow.report.table.latex import latex_text
from sentflow.similarity.storage import SimilarityRows

WORKFLOW = Path(__file__).parents[2] / "workflow"
PAIRS = ["STS12", "STSB-test"]
SELECTION = Selection([], [], ["random"], PAIRS, [*fake_similarity.LEVELS], [fake_similarity.BASELINE])


def published():
    return yaml.safe_load((WORKFLOW / "catalog/published_similarity.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def inputs():
    pairs = [*fake_similarity.SEVEN, "KorSTS-test"]
    data = fake_similarity.summarised(pairs, undefined=("STS14", "random"))
    return fake_similarity.inputs(data)


def table(inputs, name, entries=()):
    make = products.find(TABLE, name).load()
    return make(inputs, {"caption": "Trial", "published": entries})


def lines_of(found):
    return {row[0].text: row for group in found.groups for row in group.rows}


# --- tables -------------------------------------------------------------------------------------------------


def test_the_average_is_that_of_seven_rounded_values_and_published_lines_have_their_footnote(inputs):
    found = table(inputs, "sts", published()["sts"])
    seven = ("STS12", "STS13", "STS14", "STS15", "STS16", "STS-B", "SICK-R")
    assert found.header[1:9] == (*seven, "KorSTS-test")
    lines = lines_of(found)
    ours = lines["all-MiniLM-L6-v2"]
    assert ours[1].text == "85.06"
    assert float(ours[9].text) == round(sum(float(cell.text) for cell in ours[1:8]) / 7 + 1e-12, 2)
    random = lines["Random vectors (control)"]
    assert (random[3].text, random[9].text) == ("—", "—")  # one set is undefined, so there is no average
    name = next(name for name in lines if re.fullmatch(r"SBERT-base-NLI \(\d\)", name))
    assert lines[name][9].text == "74.89"
    assert any(note.startswith(name[-3:]) and "74.86" in note for note in found.notes)


def test_only_tested_scores_of_our_own_are_marked(inputs):
    found = table(inputs, "sts", published()["sts"])
    assert [row[0].text for row in found.groups[0].rows if row[1].mark == "best"] == ["all-MiniLM-L6-v2"]
    others = [table(inputs, name, published().get(name, ())) for name in TABLES_OF_PAIRS if name != "sts"]
    groups = [*found.groups[1:], *(group for other in others for group in other.groups)]
    assert not any(cell.mark for group in groups for row in group.rows for cell in row)
    for other in others:
        assert {len(row) for group in other.groups for row in group.rows} == {len(other.header)}
        assert r"a \& b" in latex_text(other)  # the title of an encoder is escaped
        assert csv_text(other).count("\n") == len(other.tidy_rows) + 1


# --- summaries of result files --------------------------------------------------------------------------------

SETTINGS = {
    "pairs": {
        "A": {"title": "Set A", "family": "sts-english", "scale": [0, 5], "data_version": "raw"},
        "B": {"title": "Set B", "family": "sts-english", "scale": [0, 5], "data_version": "sample data"},
    },
    "models": {"m": {"title": "M", "control": True, "position": 2}},
    "baselines": [],
    "alignments": {"a": {"title": "Of A", "pairs": ["A"]}},
    "level": 0.95,
    "measure": "cosine",
    "correlation": "spearman",
    "order": [["B", "A"], ["m"]],
}


def test_every_number_of_a_result_file_of_similarity_has_its_row():
    pairs = SimilarityRows(
        *("A", "m", ["x", "y"] * 3),
        gold=np.array([0, 1, 2, 3, 4, 5.0]),
        graph=unshared(6),
        columns={"cosine": np.array([0.0, 0.2, 0.1, 0.6, 0.9, 1.0])},
    )
    both = {"spearman": 0.5, "pearson": None}
    subsets = {"x": {"n": 3, **both}, "y": {"n": 3, "spearman": 0.7, "pearson": 0.6}}
    drawn = {"kind": "pairs", "n_units": 6, "effective_pairs": 5.5}
    result = {
        **{"pairs": "A", "model": "m", "language": "en", "data_version": "raw", "n_pairs": 6, "level": 0.95},
        "scores": {"cosine": {"all": both, "mean": both, "wmean": both, "subsets": subsets}},
        "intervals": {"cosine": {"all": {"spearman": [0.4, 0.6]}}},
        "drawn": {**dict.fromkeys(("all", "mean", "wmean"), drawn), "subsets": dict.fromkeys("xy", drawn)},
        **{"n_resamples": 9, "warnings": ["One.", "Two."]},
    }
    rows = similarity_rows(result, pairs, SETTINGS)
    assert [(row.aggregation, row.subset, row.n) for row in rows[::2]] == [
        *(("all", "", 6), ("mean", "", 6), ("wmean", "", 6)),
        *(("subset", "x", 3), ("subset", "y", 3)),
    ]
    first, second = rows[:2]
    assert (first.coefficient, first.value, first.low, first.high) == ("spearman", 0.5, 0.4, 0.6)
    assert (first.is_main, second.is_main, first.n_equal, first.effective_pairs) == (True, False, 1, 5.5)
    assert math.isnan(second.value) and math.isnan(second.low)
    assert (first.pairs_title, first.is_control, first.warnings) == ("Set A", True, "One. Two.")
    assert (rows[-2].value, rows[-1].value) == (0.7, 0.6)
    bars = histogram_rows(result, pairs, SETTINGS)
    # the last range of gold scores holds its upper end, too
    n_gold = {row.gold_low: row.n_gold for row in bars}
    assert n_gold == {0: 1, 1: 1, 2: 1, 3: 1, 4: 2}
    of_last = [row for row in bars if row.gold_low == 4]
    assert (sum(row.count for row in of_last), of_last[-1].count, len(of_last)) == (2, 1, 30)
    assert of_last[0].median == pytest.approx(0.95)


def test_every_number_of_a_result_file_of_geometry_has_its_row():
    measures = {
        "other": {"value": 1.0, "range": "real"},
        "hubness_skewness": {"value": None, "low": 0.1, "high": 0.3, "range": "real"},
    }
    result = {
        **{"family": "sts-english", "model": "m", "n_texts": 9, "dimension": 4, "measures": measures},
        "whitened": {name: {"spearman": 0.5, "pearson": 0.4} for name in "AB"},
        "spectrum": [0.75, 0.25],
        "truncation": [{"dimensions": 2, "pairs": "A", "spearman": 0.3}],
        "warnings": [],
    }
    rows = geometry_rows(result, SETTINGS)
    assert [(row.measure, row.pairs) for row in rows] == [
        *(("hubness_skewness", ""), ("other", "")),
        *((f"whitened-{name}", pairs) for pairs in "BA" for name in ("spearman", "pearson")),
    ]
    assert (rows[0].low, rows[0].high, rows[0].data_version) == (0.1, 0.3, "raw; sample data")
    assert math.isnan(rows[0].value) and math.isnan(rows[1].low) and rows[3].value == 0.4
    shares = [(row.component, row.cumulative, row.position) for row in spectrum_rows(result, SETTINGS)]
    assert shares == [(1, 0.75, 2), (2, 1.0, 2)]
    [point] = truncation_rows(result, SETTINGS)
    assert (point.pairs_title, point.full_dimensions, point.spearman) == ("Set A", 4, 0.3)
    config = {"variant": "definition", "threshold": 4.0, "comparison": "above", "positives": ["B"]}
    counts = dict.fromkeys(("n_positive", "n_sentences", "n_pairs", "n_zero"), 3)
    measured = {
        "set": "a",
        "model": "m",
        "alignment": 0.2,
        "uniformity": -2.0,
        "interval": {"alignment": [0.1, 0.3]},
    }
    row = alignment_row({**measured, **counts, "config": config, "warnings": []}, SETTINGS)
    assert (row.alignment_title, row.family, row.sentences, row.batch) == ("Of A", "sts-english", "all", 0)
    assert (row.alignment_low, row.alignment_high, row.positives, row.drawn) == (0.1, 0.3, "B", "")


# --- the check ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def data():
    return fake_similarity.summarised(PAIRS)


def problems(data, where=None, selection=SELECTION, **changes):
    """What the check finds after the main score of these was changed."""
    rows = [
        dataclasses.replace(row, **changes)
        if (row.pairs, row.model, row.aggregation) == ("STS12", where, "all") and row.is_main
        else row
        for row in data.scores
    ]
    held = Inputs.holding({SimilarityData: dataclasses.replace(data, scores=rows)}, ())
    return check_similarity(held, selection).problems


def test_the_check_counts_what_holds_and_names_what_does_not(data):
    result = check_similarity(Inputs.holding({SimilarityData: data}, ()), SELECTION)
    assert result.passed and (result.counts["scores"], result.counts["random_scores"]) == (12, 2)
    rows = [row for row in data.scores if (row.pairs, row.model) != ("STS12", "second")]
    assert problems(dataclasses.replace(data, scores=rows)) == ["STS12 × second: no score"]
    smaller = dataclasses.replace(SELECTION, pairs=["STS12"])
    assert "STSB-test × minilm-l6: not selected" in problems(data, selection=smaller)
    assert "undefined, and no warning" in problems(data, "minilm-l6", value=math.nan)[0]
    assert problems(data, "minilm-l6", value=math.nan, warnings="All are the same.") == []
    (problem,) = problems(data, "minilm-l6", low=0.9, high=0.95)
    assert problem.startswith("STS12 × minilm-l6") and "[90.0, 95.0]" in problem


def test_random_vectors_score_near_zero(data):
    good = {"value": 0.3, "low": 0.25, "high": 0.35}
    assert "between −5.00 and 5.00" in problems(data, "random", **good)[0]
    # a tenth of all pairs are equal texts: these alone may lift it so far
    assert problems(data, "random", **good, n_equal=12) == []
    assert problems(data, "random", value=-0.3, low=-0.35, high=-0.25)


def test_sub_sources_of_one_name_are_told_apart_in_the_caption():
    of = {
        "aggregation": "subset",
        "subset": "headlines",
        "measure": "cosine",
        "coefficient": "spearman",
        "is_main": True,
    }
    rows = [
        filled(SimilarityRow, pairs=pairs, drawn=drawn, **of)
        for pairs, drawn in (("STS13", "components"), ("STS14", "sentences"), ("STS15", "pairs"))
    ]
    notes = " ".join(subsets_table(rows, "Trial").notes)
    assert "(STS13: headlines)" in notes and "(STS14: headlines;" in notes and "STS15" not in notes
