"""The job `compare`: which encoders differ, from score files, score tables and predictions."""

import itertools
import math

import fake_summary
import made_scores
import numpy as np
import pyarrow.parquet as pq
import pytest

from sentflow.compare.rows import CALIBRATED_REPETITIONS, AcrossRow, PairRow, RankRow, StandingRow
from sentflow.compare.tasks import FoldScores
from sentflow.config.configuration import ComparisonStatistics
from sentflow.errors import DataError
from sentflow.files.io import read_json, read_sealed, write_sealed
from sentflow.files.rows import read_rows
from sentflow.probing.jobs import compare
from sentflow.stats.across import omnibus
from sentflow.stats.items import OutOfFold
from sentflow.stats.out_of_fold import OutOfFoldT, by_repetition, row_scores
from sentflow.stats.paired import CorrectedT

SKILLS = {
    "T1A-sample": {"good": 0.95, "fair": 0.90, "weak": 0.55},
    "T1B-sample": {"good": 0.85, "fair": 0.98, "weak": 0.45},
    "F1A-sample": {"good": 0.98, "fair": 0.85, "weak": 0.50},
}
KINDS = {"pairs": PairRow, "standings": StandingRow, "ranks": RankRow, "across": AcrossRow}


def run(folder, rows, **changes):
    compare(**made_scores.arguments(folder, rows, **changes), **made_scores.outputs(folder))


def read(folder, name):
    return read_rows(folder / f"out/{name}.parquet", KINDS[name], may_be_empty=True)


def fold_scores(folder, task, model):
    table = pq.ParquetFile(folder / f"scores/{task}/{model}.parquet").read()
    return table.column("value").to_numpy()


@pytest.fixture(scope="module", autouse=True)
def two_repetitions_are_enough():
    """For the test of out-of-fold predictions; ten would take longer and say no more here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sentflow.compare.tasks.CALIBRATED_REPETITIONS", made_scores.REPETITIONS)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("compare")
    rows = made_scores.write_scores(place, SKILLS)
    run(place, rows)
    return place


def out_of_fold_t(folder, first, second, task="T1A-sample"):
    """The test by the predictions of two encoders."""
    both = []
    for model in (first, second):
        table = pq.ParquetFile(folder / f"scores/{task}/{model}.predictions.parquet").read()
        names = ("repetition", "fold", "row", "truth", "predicted")
        one = OutOfFold(**{name: table.column(name).to_numpy() for name in names})
        both.append(row_scores("mcc", 2, *by_repetition(one)))
    differences = fold_scores(folder, task, first) - fold_scores(folder, task, second)
    return OutOfFoldT(differences, *both)


def test_pair_holds_the_test_of_the_out_of_fold_predictions(folder):
    row, test = read(folder, "pairs")[0], out_of_fold_t(folder, "good", "fair")
    assert row.test == "out-of-fold"
    good, fair = (fold_scores(folder, "T1A-sample", model) for model in ("good", "fair"))
    assert (row.n_folds, row.difference) == (10, pytest.approx(good.mean() - fair.mean()))
    assert row.error == pytest.approx(test.error)
    assert row.p_corrected == pytest.approx(CorrectedT(good - fair, folds=5).p())
    assert (row.p, row.low, row.high) == pytest.approx((test.p(), *test.interval(0.95)))
    assert row.p_equivalence == pytest.approx(test.p_equivalence(0.01))
    alone = 0.05 / 3  # what Holm asks of the smallest p of three pairs
    assert row.mdd_power == pytest.approx(test.detectable(alone))
    assert (row.level, row.alpha, row.rope) == (0.95, 0.05, 0.01)
    assert row.task_title == "Title of T1A-sample" and row.model_b_title == "Title of fair"


@pytest.mark.parametrize(
    ("changed", "test"),
    [
        ({}, "out-of-fold"),
        ({"repetitions": 9}, "corrected-t"),
        ({"folds": 10}, "corrected-t"),
        ({"classifier": "regularised"}, "corrected-t"),
        ({"n_train": 384}, "corrected-t"),
        ({"n_documents": 12}, "corrected-t"),
    ],
)
def test_out_of_fold_predictions_are_tested_only_where_the_level_was_calibrated(monkeypatch, changed, test):
    monkeypatch.setattr("sentflow.compare.tasks.CALIBRATED_REPETITIONS", CALIBRATED_REPETITIONS)
    about = fake_summary.one_row(**{"repetitions": 10, **changed})
    settings = ComparisonStatistics(**made_scores.STATISTICS)
    scores = FoldScores([about, about], np.zeros((50, 2)), [], units=None, item_seed=0, settings=settings)
    assert scores.kind_of_test == test


def test_standings_follow_the_adjusted_tests(folder):
    standings = {(row.task, row.model): row for row in read(folder, "standings")}
    pairs = {(row.task, row.model_a, row.model_b): row for row in read(folder, "pairs")}
    assert len(standings) == 9
    for task in SKILLS:
        own = [standings[task, model] for model in SKILLS[task]]
        assert [row.letter for row in own] == ["a", "b", "c"]
        assert sorted(row.rank for row in own) == [1, 2, 3]
        (best,) = [row for row in own if row.is_best]
        assert best.rank == 1 and best.not_worse and best.worse_than == ""
        for first, second in itertools.combinations(own, 2):
            pair = pairs[task, first.model, second.model]
            better, worse = (first, second) if pair.difference > 0 else (second, first)
            found = pair.p_holm <= 0.05
            assert (worse.letter in better.better_than) == (better.letter in worse.worse_than) == found
            assert worse.letter not in better.worse_than
            if better is best:
                assert worse.not_worse != found
    assert standings["T1A-sample", "weak"].worse_than == "ab"  # else this test shows nothing


def test_omnibus_says_what_it_was_made_of(folder):
    found = read_json(folder / "out/omnibus.json")["published"]
    assert (found["n_tasks"], found["n_models"], found["incomplete"]) == (3, 3, [])
    assert found["tasks"] == list(SKILLS)
    # ranks (1, 2, 3), (2, 1, 3), (1, 2, 3): averages 4/3, 5/3, 3; chi2 = 3 · (16/9 + 25/9 + 9 − 12)
    assert found["friedman_chi2"] == pytest.approx(14 / 3)
    assert found["iman_davenport_f"] == pytest.approx(7.0)


def test_tasks_of_one_source_are_averaged_for_tests_over_tasks(folder, tmp_path):
    rows = made_scores.write_scores(tmp_path, SKILLS)
    sources = dict(zip(SKILLS, ["hatebr", "offcombr", "hatebr"], strict=True))
    run(tmp_path, rows, sources=sources)
    for row in read(tmp_path, "across"):
        assert (row.n_tasks, row.units, row.n_units, row.n_sources) == (3, "sources", 2, 2)
        assert row.p_adjusted >= 0.5 and math.isinf(row.least_separable)  # 2 / 2² with two units
        assert row.wins + row.ties + row.losses == 3
    found = read_json(tmp_path / "out/omnibus.json")["published"]
    assert (found["n_tasks"], found["units"], found["n_units"]) == (3, "sources", 2)
    means = np.array([[fold_scores(tmp_path, t, m).mean() for m in ("good", "fair", "weak")] for t in SKILLS])
    expected = omnibus(np.stack([means[[0, 2]].mean(axis=0), means[1]]))
    assert found["friedman_chi2"] == pytest.approx(expected.friedman_chi2)
    assert [row.average_rank for row in read(tmp_path, "ranks")] == [
        row.average_rank for row in read(folder, "ranks")
    ]


def test_incomplete_encoder_is_compared_but_not_averaged(tmp_path):
    skills = {**SKILLS, "F1A-sample": {"good": 0.98, "fair": 0.85}}
    rows = made_scores.write_scores(tmp_path, skills)
    run(tmp_path, rows)
    ranks = {row.model: row for row in read(tmp_path, "ranks")}
    weak = ranks["weak"]
    assert (weak.n_tasks, weak.complete) == (2, False)
    assert all(map(math.isnan, (weak.mean, weak.average_rank, weak.repeat_low, weak.rank_low)))
    assert ranks["good"].average_rank == pytest.approx(4 / 3)
    assert [(row.model_a, row.model_b) for row in read(tmp_path, "across")] == [("good", "fair")]
    assert read_json(tmp_path / "out/omnibus.json")["published"]["incomplete"] == ["weak"]
    assert len(read(tmp_path, "pairs")) == 3 + 3 + 1


def test_equal_encoders_are_neither_better_nor_worse(tmp_path):
    rows = made_scores.write_scores(tmp_path, {"T1A-sample": {"one": 1.0, "two": 1.0}})
    run(tmp_path, rows)
    (pair,) = read(tmp_path, "pairs")
    assert pair.degenerate and (pair.p, pair.p_holm, pair.p_equivalence, pair.p_mcnemar) == (1, 1, 0, 1)
    assert math.isnan(pair.mdd_power)
    assert [(row.rank, row.is_best, row.not_worse) for row in read(tmp_path, "standings")] == [
        (1.5, True, True)
    ] * 2


@pytest.mark.parametrize(("key", "value"), [("seed", 1), ("protocol", "corrected"), ("metric", "x")])
def test_runs_that_differ_are_refused(tmp_path, key, value):
    rows = made_scores.write_scores(tmp_path, SKILLS)
    file = tmp_path / "scores/T1A-sample/fair.json"
    write_sealed(file, {**read_sealed(file), key: value})
    with pytest.raises(DataError, match=f"{key} differs"):
        run(tmp_path, rows)
    assert not (tmp_path / "out").exists()


@pytest.fixture(scope="module")
def two_protocols(tmp_path_factory):
    """Two tasks by each of two protocols, all together and each protocol alone."""
    skills = {**SKILLS, "Own": {"good": 0.80, "fair": 0.75, "weak": 0.70}}
    protocols = {"Own": "corrected", "T1B-sample": "corrected"}
    places = {}
    for name in ("together", "published", "corrected"):
        places[name] = tmp_path_factory.mktemp(name)
        kept = {
            task: own
            for task, own in skills.items()
            if name in ("together", protocols.get(task, "published"))
        }
        rows = made_scores.write_scores(places[name], kept, protocols=protocols)
        run(places[name], rows)
    return places


def test_every_protocol_is_compared_as_if_it_were_alone(two_protocols):
    """No mean, rank, test or adjustment knows of the tasks of another protocol."""
    for name in KINDS:
        together = read(two_protocols["together"], name)
        alone = [read(two_protocols[protocol], name) for protocol in ("published", "corrected")]
        by_task = [row for rows in alone for row in rows]
        assert len(together) == len(by_task) > 0
        assert sorted(map(repr, together)) == sorted(map(repr, by_task))
