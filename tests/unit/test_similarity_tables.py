"""The tables of semantic similarity and geometry, and the check of similarity."""

import dataclasses
import math
import re
from pathlib import Path

import fake_similarity
import pytest
import yaml
from filled import filled
from made_products import TABLES_OF_PAIRS

from sentflow.flow import products
from sentflow.flow.products import TABLE
from sentflow.report.checks import Selection
from sentflow.report.families.similarity.checks import check_similarity
from sentflow.report.families.similarity.rows import SimilarityRow
from sentflow.report.families.training.rows import SPEARMAN, TEST, TrainingRow
from sentflow.report.inputs import Inputs
from sentflow.report.table.formats import csv_text
from sentflow.report.table.latex import latex_text
from sentflow.report.table.table import made
from sentflow.similarity.measures import SEVEN_TASKS

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
    return made(products.find(TABLE, name), inputs, "Trial", entries)


def lines_of(found):
    return {row[0].text: row for row in found.lines}


def test_the_average_is_that_of_seven_rounded_values_and_published_lines_have_their_footnote(inputs):
    found = table(inputs, "sts", published()["sts"])
    seven = ("STS12", "STS13", "STS14", "STS15", "STS16", "STS-B", "SICK-R")
    assert found.headings[1:9] == [*seven, "KorSTS-test"]
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
    assert [row[0].text for row in found.blocks[0].lines if row[1].mark == "best"] == ["all-MiniLM-L6-v2"]
    others = [table(inputs, name, published().get(name, ())) for name in TABLES_OF_PAIRS if name != "sts"]
    groups = [*found.blocks[1:], *(block for other in others for block in other.blocks)]
    assert not any(cell.mark for block in groups for line in block.lines for cell in line)
    for other in others:
        assert {len(line) for line in other.lines} == {len(other.columns)}
        assert r"a \& b" in latex_text(other)  # the title of an encoder is escaped
        assert csv_text(other).count("\n") == len(other.records) + 1


def test_below_published_lines_stands_our_mean_over_the_seeds_of_the_same_training():
    def row(column, seed):
        known = {"pairs": f"{column}-test", "column": column, "seed": seed, "value": 0.5 + 0.1 * seed}
        same = {"group": "simcse-unsup", "split": TEST, "measure": SPEARMAN, "selected": True}
        return filled(TrainingRow, **known, **same, data_version="raw")

    trained = [row(column, seed) for column in SEVEN_TASKS for seed in (1, 2)]
    data = fake_similarity.summarised(fake_similarity.SEVEN)
    held = data.by_kind()
    found = table(Inputs.holding(held | {TrainingRow: trained}), "sts", published()["sts"])
    titles = [line[0].text for line in found.lines]
    ours = found.lines[titles.index("simcse-unsup, 2 seeds")]
    assert [cell.text for cell in ours[1:9]] == ["65.00"] * 8
    fewer = table(Inputs.holding(held | {TrainingRow: trained[1:]}), "sts", published()["sts"])
    ours = lines_of(fewer)["simcse-unsup, 2 seeds"]
    assert (ours[1].text, ours[8].text) == ("70.00", "—")  # an incomplete average is no number


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
    held = Inputs.holding({SimilarityRow: rows})
    return check_similarity(held, selection).problems


def test_the_check_counts_what_holds_and_names_what_does_not(data):
    result = check_similarity(fake_similarity.inputs(data), SELECTION)
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
