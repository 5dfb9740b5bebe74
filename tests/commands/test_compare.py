"""The command `compare`: which encoders differ, from score files, score tables and predictions."""

import itertools
import json
import math

import made_scores
import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy.stats import false_discovery_control

from sentflow.commands.compare import main
from sentflow.compare.rows import AcrossRow, PairRow, PowerRow, RankRow, StandingRow
from sentflow.errors import DataError
from sentflow.files.arrow import table_of
from sentflow.files.io import read_json
from sentflow.files.rows import read_rows
from sentflow.files.sealed import read_sealed, write_sealed
from sentflow.stats.across import omnibus
from sentflow.stats.items import OutOfFold, item_interval, resampling_units
from sentflow.stats.multiplicity import holm
from sentflow.stats.out_of_fold import OutOfFoldT, by_repetition, row_scores
from sentflow.stats.paired import CorrectedT
from sentflow.stats.seeds import derive_seed

SKILLS = {
    "T1A-sample": {"good": 0.95, "fair": 0.90, "weak": 0.55},
    "T1B-sample": {"good": 0.85, "fair": 0.98, "weak": 0.45},
    "F1A-sample": {"good": 0.98, "fair": 0.85, "weak": 0.50},
}
KINDS = {
    "pairs": PairRow,
    "standings": StandingRow,
    "ranks": RankRow,
    "across": AcrossRow,
    "power": PowerRow,
}


def read(folder, name):
    return read_rows(folder / f"out/{name}.parquet", KINDS[name], may_be_empty=True)


def fold_scores(folder, task, model):
    table = pq.ParquetFile(folder / f"scores/{task}/{model}.parquet").read()
    return table.column("value").to_numpy()


@pytest.fixture(scope="module", autouse=True)
def two_repetitions_are_enough():
    """For the test of out-of-fold predictions; ten would take longer and say no more here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sentflow.compare.tasks.LEAST_REPETITIONS", made_scores.REPETITIONS)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("compare")
    rows = made_scores.write_scores(place, SKILLS)
    assert main(made_scores.arguments(place, rows)) == 0
    return place


def test_pairs_are_in_the_order_of_selection(folder):
    expected = [(task, *pair) for task in SKILLS for pair in itertools.combinations(SKILLS[task], 2)]
    assert [(row.task, row.model_a, row.model_b) for row in read(folder, "pairs")] == expected


def out_of_fold_t(folder, first, second, task="T1A-sample"):
    """The test by the predictions of two encoders."""
    both = []
    for model in (first, second):
        table = pq.ParquetFile(folder / f"scores/{task}/{model}.predictions.parquet").read()
        names = ("repetition", "fold", "row", "truth", "predicted")
        one = OutOfFold(**{name: table.column(name).to_numpy() for name in names})
        both.append(row_scores("mcc", 2, *by_repetition(one)))
    differences = fold_scores(folder, task, first) - fold_scores(folder, task, second)
    return OutOfFoldT.of(*both, differences)


def corrected_t(folder, first, second, task="T1A-sample"):
    """The test by the spread of the folds."""
    return CorrectedT(fold_scores(folder, task, first) - fold_scores(folder, task, second), folds=5)


def test_pair_holds_the_test_of_the_out_of_fold_predictions(folder):
    holds_test(read(folder, "pairs")[0], out_of_fold_t(folder, "good", "fair"), folder)
    assert read(folder, "pairs")[0].test == "out-of-fold"


def test_pair_holds_the_corrected_test_of_the_paired_folds_where_it_is_asked_for(tmp_path):
    rows = made_scores.write_scores(tmp_path, SKILLS)
    main(made_scores.arguments(tmp_path, rows, statistics={**made_scores.STATISTICS, "test": "corrected-t"}))
    row = read(tmp_path, "pairs")[0]
    holds_test(row, corrected_t(tmp_path, "good", "fair"), tmp_path)
    assert (row.test, row.p) == ("corrected-t", row.p_corrected)


def test_few_repetitions_are_compared_by_the_corrected_test(tmp_path, monkeypatch):
    monkeypatch.setattr("sentflow.compare.tasks.LEAST_REPETITIONS", made_scores.REPETITIONS + 1)
    main(made_scores.arguments(tmp_path, made_scores.write_scores(tmp_path, SKILLS)))
    assert {row.test for row in read(tmp_path, "pairs")} == {"corrected-t"}


def holds_test(row, test, folder):
    """Whether the numbers of a row are those of a test."""
    good, fair = (fold_scores(folder, "T1A-sample", model) for model in ("good", "fair"))
    assert (row.n_folds, row.difference) == (10, pytest.approx(good.mean() - fair.mean()))
    assert row.error == pytest.approx(test.error)
    assert row.p_corrected == pytest.approx(corrected_t(folder, "good", "fair").p())
    assert (row.p, row.low, row.high) == pytest.approx((test.p(), *test.interval(0.95)))
    assert (row.bayes_a, row.bayes_equal, row.bayes_b) == pytest.approx(test.probabilities(0.01))
    alone = 0.05 / 3  # what Holm asks of the smallest p of three pairs
    assert (row.mdd, row.mdd_power) == pytest.approx((test.significant_from(alone), test.detectable(alone)))
    assert (row.level, row.alpha, row.rope) == (0.95, 0.05, 0.01)
    assert row.task_title == "Title of T1A-sample" and row.model_b_title == "Title of fair"


def test_families_of_adjusted_tests_are_tasks(folder):
    pairs = read(folder, "pairs")
    for task in SKILLS:
        own = [row for row in pairs if row.task == task]
        assert [row.p_holm for row in own] == pytest.approx(holm([row.p for row in own]))


def test_over_tasks_all_pairs_are_one_family(folder):
    pairs = read(folder, "pairs")
    assert [row.p_over_tasks for row in pairs] == pytest.approx(holm([row.p for row in pairs]))
    assert {row.adjustment for row in pairs} == {"holm"}


def test_counts_over_tasks_may_control_the_share_of_wrong_ones(tmp_path):
    rows = made_scores.write_scores(tmp_path, SKILLS)
    statistics = {**made_scores.STATISTICS, "adjustment": "benjamini-hochberg"}
    main(made_scores.arguments(tmp_path, rows, statistics=statistics))
    pairs = read(tmp_path, "pairs")
    expected = false_discovery_control([row.p for row in pairs])
    assert [row.p_over_tasks for row in pairs] == pytest.approx(list(expected))
    assert [row.p_holm for row in pairs[:3]] == pytest.approx(holm([row.p for row in pairs[:3]]))


def test_item_limits_come_from_the_resamples_of_the_score(folder):
    """A difference from an encoder that is always right is 1 minus the score, resample by resample."""
    row = read(folder, "pairs")[0]
    assert row.item_low < row.difference + 0.05 and row.item_high > row.difference - 0.05
    assert not row.item_grouped
    place, rows = (
        folder,
        made_scores.write_scores(folder / "perfect", {"T1A-sample": {"fair": 0.9, "right": 1.0}}),
    )
    main(made_scores.arguments(place / "perfect", rows))
    (pair,) = read(place / "perfect", "pairs")
    table = pq.ParquetFile(place / "perfect/scores/T1A-sample/fair.predictions.parquet").read()
    names = ("repetition", "fold", "row", "truth", "predicted")
    labels = made_scores.task_table("T1A-sample").labels
    interval = item_interval(
        OutOfFold(**{name: table.column(name).to_numpy() for name in names}),
        resampling_units(labels, [None] * len(labels)),
        metric="mcc",
        n_classes=2,
        level=0.95,
        n_resamples=200,
        seed=derive_seed(9847706, "items", "T1A-sample"),
    )
    assert (pair.item_low, pair.item_high) == pytest.approx((interval.low - 1, interval.high - 1))


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


def test_ranks_are_of_complete_encoders(folder):
    ranks = read(folder, "ranks")
    assert [row.model for row in ranks] == ["good", "fair", "weak"]
    assert [row.average_rank for row in ranks] == pytest.approx([4 / 3, 5 / 3, 3])
    means = [np.mean([fold_scores(folder, task, row.model).mean() for task in SKILLS]) for row in ranks]
    assert [row.mean for row in ranks] == pytest.approx(means)
    for row in ranks:
        assert row.complete and row.n_tasks == 3
        assert row.mean_low < row.mean < row.mean_high
        assert 1 <= row.repeat_low <= row.average_rank <= row.repeat_high <= 3
        assert 1 <= row.true_low <= row.average_rank <= row.true_high <= 3
        assert row.place_low <= row.place <= row.place_high


def test_across_counts_wins_by_adjusted_tests(folder):
    across = {(row.model_a, row.model_b): row for row in read(folder, "across")}
    pairs = read(folder, "pairs")
    for (a, b), row in across.items():
        own = [pair for pair in pairs if (pair.model_a, pair.model_b) == (a, b) and pair.p_over_tasks <= 0.05]
        assert row.wins == sum(pair.difference > 0 for pair in own)
        assert row.losses == sum(pair.difference < 0 for pair in own)
        assert row.wins + row.ties + row.losses == row.n_tasks == 3
        assert row.likeliest_a + row.likeliest_equal + row.likeliest_b == pytest.approx(1)
        assert row.new_a + row.new_equal + row.new_b == pytest.approx(1)
        assert row.low < row.difference < row.high and row.n_sources == 3
        assert (row.units, row.n_units) == ("tasks", 3)
    assert across["good", "weak"].wins == 3
    assert across["good", "weak"].p_wilcoxon == pytest.approx(
        2 / 2**3
    )  # the smallest that three tasks can give
    assert not across["good", "weak"].separated


def test_omnibus_says_what_it_was_made_of(folder):
    found = read_json(folder / "out/omnibus.json")["published"]
    assert (found["n_tasks"], found["n_models"], found["incomplete"]) == (3, 3, [])
    assert found["tasks"] == list(SKILLS)
    # ranks (1, 2, 3), (2, 1, 3), (1, 2, 3): averages 4/3, 5/3, 3; chi2 = 3 · (16/9 + 25/9 + 9 − 12)
    assert found["friedman_chi2"] == pytest.approx(14 / 3)
    assert found["iman_davenport_f"] == pytest.approx(7.0)
    assert found["nemenyi_cd"] == pytest.approx(2.344 * math.sqrt(12 / 18), abs=1e-3)


def test_tasks_of_one_source_are_averaged_for_tests_over_tasks(folder, tmp_path):
    rows = made_scores.write_scores(tmp_path, SKILLS)
    sources = dict(zip(SKILLS, ["hatebr", "offcombr", "hatebr"], strict=True))
    main(made_scores.arguments(tmp_path, rows, sources=sources))
    for row in read(tmp_path, "across"):
        assert (row.n_tasks, row.units, row.n_units, row.n_sources) == (3, "sources", 2, 2)
        assert row.p_wilcoxon >= 0.5  # 2 / 2² with two units
        assert row.wins + row.ties + row.losses == 3
    found = read_json(tmp_path / "out/omnibus.json")["published"]
    assert (found["n_tasks"], found["units"], found["n_units"]) == (3, "sources", 2)
    means = np.array([[fold_scores(tmp_path, t, m).mean() for m in ("good", "fair", "weak")] for t in SKILLS])
    expected = omnibus(np.stack([means[[0, 2]].mean(axis=0), means[1]]))
    assert found["friedman_chi2"] == pytest.approx(expected.chi2)
    assert found["nemenyi_cd"] is None
    assert [row.average_rank for row in read(tmp_path, "ranks")] == [
        row.average_rank for row in read(folder, "ranks")
    ]


def test_power_is_that_of_the_named_differences(folder):
    rows = read(folder, "power")
    assert [(row.task, row.difference) for row in rows] == [
        (task, difference) for task in SKILLS for difference in (0.05, 0.2)
    ]
    pairs = itertools.combinations(SKILLS["T1A-sample"], 2)
    powers = sorted(out_of_fold_t(folder, a, b).power(0.2, 0.05 / 3) for a, b in pairs)
    assert (rows[1].power_low, rows[1].power, rows[1].power_high) == pytest.approx(powers)
    assert rows[0].power < rows[1].power and rows[1].n_pairs == 3


def test_same_files_give_the_same_bytes(folder):
    before = {file.name: file.read_bytes() for file in (folder / "out").iterdir()}
    assert len(before) == 6
    rows = made_scores.write_scores(folder, SKILLS)
    main(made_scores.arguments(folder, rows))
    assert {file.name: file.read_bytes() for file in (folder / "out").iterdir()} == before


def test_order_of_the_files_does_not_matter(folder, tmp_path):
    rows = made_scores.write_scores(tmp_path, SKILLS)
    words = made_scores.arguments(tmp_path, rows)
    end = words.index("--rows")
    main([words[0], *words[1:end][::-1], *words[end:]])
    for file in (folder / "out").iterdir():
        assert (tmp_path / "out" / file.name).read_bytes() == file.read_bytes()


def test_rope_and_alpha_change_what_they_decide_alone(tmp_path):
    rows = made_scores.write_scores(tmp_path, {"T1A-sample": SKILLS["T1A-sample"]})
    statistics = {**made_scores.STATISTICS, "rope": 0.2, "alpha": 0.01}
    main(made_scores.arguments(tmp_path, rows))
    before = read(tmp_path, "pairs")
    main(made_scores.arguments(tmp_path, rows, statistics=statistics))
    for old, new in zip(before, read(tmp_path, "pairs"), strict=True):
        assert (new.p, new.low, new.high, new.item_low) == (old.p, old.low, old.high, old.item_low)
        assert new.bayes_equal > old.bayes_equal
        assert new.mdd > old.mdd


def test_three_classes(tmp_path):
    rows = made_scores.write_scores(tmp_path, {"F2-sample": {"good": 0.95, "weak": 0.5}}, n_classes=3)
    main(made_scores.arguments(tmp_path, rows))
    (pair,) = read(tmp_path, "pairs")
    assert pair.metric == "adjusted_macro_f1"
    assert 0 < pair.item_low < pair.difference < pair.item_high


# --- missing and odd cells


def test_incomplete_encoder_is_compared_but_not_averaged(tmp_path):
    skills = {**SKILLS, "F1A-sample": {"good": 0.98, "fair": 0.85}}
    rows = made_scores.write_scores(tmp_path, skills)
    main(made_scores.arguments(tmp_path, rows))
    ranks = {row.model: row for row in read(tmp_path, "ranks")}
    weak = ranks["weak"]
    assert (weak.n_tasks, weak.complete) == (2, False)
    assert all(map(math.isnan, (weak.mean, weak.average_rank, weak.repeat_low, weak.true_high, weak.place)))
    assert ranks["good"].average_rank == pytest.approx(4 / 3)
    assert [(row.model_a, row.model_b) for row in read(tmp_path, "across")] == [("good", "fair")]
    assert read_json(tmp_path / "out/omnibus.json")["published"]["incomplete"] == ["weak"]
    assert len(read(tmp_path, "pairs")) == 3 + 3 + 1


def test_undefined_score_is_a_missing_one(tmp_path):
    rows = made_scores.write_scores(tmp_path, SKILLS)
    file = tmp_path / "scores/T1A-sample/fair.json"
    write_sealed(file, {**read_sealed(file), "mean": math.nan})
    main(made_scores.arguments(tmp_path, rows))
    assert [(row.model_a, row.model_b) for row in read(tmp_path, "pairs")][:1] == [("good", "weak")]
    assert [row.model for row in read(tmp_path, "standings") if row.task == "T1A-sample"] == ["good", "weak"]
    assert [row.complete for row in read(tmp_path, "ranks")] == [True, False, True]


def test_one_encoder_has_no_pairs(tmp_path):
    rows = made_scores.write_scores(tmp_path, {task: {"alone": 0.9} for task in SKILLS})
    main(made_scores.arguments(tmp_path, rows))
    assert [read(tmp_path, name) for name in ("pairs", "across", "power")] == [[], [], []]
    assert [row.not_worse for row in read(tmp_path, "standings")] == [True] * 3
    (row,) = read(tmp_path, "ranks")
    assert (row.average_rank, row.repeat_low, row.repeat_high, row.true_high) == (1, 1, 1, 1)
    assert read_json(tmp_path / "out/omnibus.json")["published"]["friedman_p"] is None


def test_equal_encoders_are_neither_better_nor_worse(tmp_path):
    rows = made_scores.write_scores(tmp_path, {"T1A-sample": {"one": 1.0, "two": 1.0}})
    main(made_scores.arguments(tmp_path, rows))
    (pair,) = read(tmp_path, "pairs")
    assert pair.degenerate and (pair.p, pair.p_holm, pair.bayes_equal, pair.p_mcnemar) == (1, 1, 1, 1)
    assert math.isnan(pair.mdd)
    assert [(row.rank, row.is_best, row.not_worse) for row in read(tmp_path, "standings")] == [
        (1.5, True, True)
    ] * 2
    assert all(math.isnan(row.power) for row in read(tmp_path, "power"))


def test_documents_leave_no_independent_texts_to_mcnemar(tmp_path):
    from dataclasses import replace

    from sentflow.texts.table import write_task

    rows = made_scores.write_scores(tmp_path, {"T1A-sample": {"one": 0.9, "two": 0.6}})
    table = made_scores.task_table("T1A-sample")
    groups = [f"document {row // 3}" for row in range(len(table))]
    write_task(tmp_path / "tasks/T1A-sample.parquet", replace(table, groups=groups))
    main(made_scores.arguments(tmp_path, rows))
    (pair,) = read(tmp_path, "pairs")
    assert pair.item_grouped and math.isnan(pair.p_mcnemar)


# --- what cannot be compared


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("repetitions", 1),
        ("folds", 2),
        ("seed", 1),
        ("protocol", "corrected"),
        ("n_rows", 99),
        ("metric", "x"),
    ],
)
def test_runs_that_differ_are_refused(tmp_path, key, value):
    rows = made_scores.write_scores(tmp_path, SKILLS)
    file = tmp_path / "scores/T1A-sample/fair.json"
    write_sealed(file, {**read_sealed(file), key: value})
    with pytest.raises(DataError, match=f"{key} differs"):
        main(made_scores.arguments(tmp_path, rows))
    assert not (tmp_path / "out").exists()


def test_other_texts_in_the_folds_are_refused(tmp_path):
    rows = made_scores.write_scores(tmp_path, SKILLS)
    file = tmp_path / "scores/T1A-sample/fair.predictions.parquet"
    columns = {name: np.array(values) for name, values in pq.ParquetFile(file).read().to_pydict().items()}
    columns["fold"] = columns["fold"][::-1].copy()
    pq.write_table(table_of(columns), file)
    with pytest.raises(DataError, match="T1A-sample: fair was tested on other texts or folds than good"):
        main(made_scores.arguments(tmp_path, rows))
    assert not (tmp_path / "out").exists()


def test_missing_folds_are_refused(tmp_path):
    rows = made_scores.write_scores(tmp_path, SKILLS)
    made_scores.write_table(tmp_path / "scores/T1A-sample/fair.parquet", [(1, 1), (1, 2)], [0.5, 0.6])
    with pytest.raises(DataError, match="T1A-sample × fair: the score table has 2 folds, not 2 × 5"):
        main(made_scores.arguments(tmp_path, rows))


def test_missing_predictions_are_named(tmp_path):
    rows = made_scores.write_scores(tmp_path, SKILLS)
    (tmp_path / "scores/T1A-sample/fair.predictions.parquet").unlink()
    with pytest.raises(DataError, match=r"fair\.predictions\.parquet is not a readable file of predictions"):
        main(made_scores.arguments(tmp_path, rows))


def test_task_without_a_table_is_named(tmp_path):
    rows = made_scores.write_scores(tmp_path, SKILLS)
    words = made_scores.arguments(tmp_path, rows)
    words.remove(str(tmp_path / "tasks/T1A-sample.parquet"))
    with pytest.raises(DataError, match=r"scores of T1A-sample, but --rows has no table T1A-sample\.parquet"):
        main(words)


def test_settings_are_those_of_the_statistics(tmp_path):
    """The command takes exactly what the workflow gives it."""
    rows = made_scores.write_scores(tmp_path, SKILLS)
    words = made_scores.arguments(tmp_path, rows)
    settings = json.loads(words[words.index("--settings") + 1])
    assert set(settings["statistics"]) == set(made_scores.STATISTICS)


# --- several protocols


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
        assert main(made_scores.arguments(places[name], rows)) == 0
    return places


@pytest.mark.parametrize("name", list(KINDS))
def test_every_protocol_is_compared_as_if_it_were_alone(two_protocols, name):
    """No mean, rank, test or adjustment knows of the tasks of another protocol."""
    together = read(two_protocols["together"], name)
    alone = [read(two_protocols[protocol], name) for protocol in ("published", "corrected")]
    by_task = [row for rows in alone for row in rows]
    assert len(together) == len(by_task) > 0
    assert sorted(map(repr, together)) == sorted(map(repr, by_task))


def test_omnibus_is_of_each_protocol(two_protocols):
    together = read_json(two_protocols["together"] / "out/omnibus.json")
    assert list(together) == ["corrected", "published"]
    for protocol, facts in together.items():
        assert {protocol: facts} == read_json(two_protocols[protocol] / "out/omnibus.json")
    assert together["corrected"]["tasks"] == ["T1B-sample", "Own"]
