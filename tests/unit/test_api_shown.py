"""What results of the Python API look like: a few lines, data frames, pictures; and a finished run read again."""

import copy
import dataclasses
import pickle

import fake_comparisons
import fake_retrieval
import fake_summary
import matplotlib.figure
import numpy as np
import pytest
from api_stubs import QUICK, WordEncoder

import sentflow
from sentflow.compare.score_rows import ScoreRow
from sentflow.errors import DataError
from sentflow.files.rows import write_rows
from sentflow.probing import cross_validate
from sentflow.report.families.retrieval.rows import RetrievalRow

MOST_LINES = 8


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory):
    data = tmp_path_factory.mktemp("data")
    evaluator = sentflow.UlyssesSentEval(
        WordEncoder(), tasks=["T1B-sample", "G3-sample"], data_dir_path=data, model_name="words"
    )
    return evaluator.evaluate(kwargs_train=QUICK)


@pytest.fixture(scope="module")
def validated():
    labels = np.arange(400) % 2
    features = np.random.default_rng(0).normal(size=(400, 4)) + labels[:, None]
    protocol = sentflow.probe_protocol("corrected")
    return cross_validate(features, labels, metric="mcc", protocol=protocol, repetitions=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    results = tmp_path_factory.mktemp("run") / "results"
    scores = fake_summary.score_rows(tasks=["T1A", "F3"])
    write_rows(results / "summary/scores.parquet", ScoreRow, scores)
    write_rows(results / "summary/retrieval.parquet", RetrievalRow, fake_retrieval.results().rows)
    (results / "comparisons").mkdir()
    fake_comparisons.write_comparisons(results / "comparisons", scores)
    return results


def test_scores_of_tasks_are_a_line_each_with_interval(evaluated):
    text = repr(evaluated)
    mean = evaluated["T1B-sample"]["avg_metric_test"]
    assert f"T1B-sample: mcc {mean:.3f} [" in text
    assert "95 % interval" in text
    assert text.count("\n") < MOST_LINES
    assert "array(" not in text


def test_scores_of_a_task_are_still_the_published_dictionary(evaluated):
    one = evaluated["T1B-sample"]
    assert isinstance(one, dict)
    assert one == dict(one)
    assert {"avg_loss_per_epoch_train", "ci99_low_metric_test"} <= set(one)
    assert repr(one).startswith("T1B-sample: mcc ")


@pytest.mark.parametrize("again", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_scores_can_be_copied_and_sent(evaluated, again):
    assert repr(again(evaluated)) == repr(evaluated)


def test_the_data_frame_has_a_row_per_task_with_the_numbers_of_the_dictionary(evaluated):
    frame = evaluated.frame()
    assert frame["task"].tolist() == ["T1B-sample", "G3-sample"]
    assert frame["model"].tolist() == ["words"] * 2
    assert frame["mean"].tolist() == [one["avg_metric_test"] for one in evaluated.values()]
    assert (frame["low"] <= frame["mean"]).all()
    assert (frame["mean"] <= frame["high"]).all()
    assert evaluated["G3-sample"].frame().iloc[0].to_dict() == frame.iloc[1].to_dict()


def test_scores_are_drawn_and_shown_in_a_notebook(evaluated):
    figure = evaluated.plot()
    assert isinstance(figure, matplotlib.figure.Figure)
    assert len([axes for axes in figure.axes if axes.get_visible()]) == 2
    assert figure._repr_png_().startswith(b"\x89PNG")
    assert "<table" in evaluated._repr_html_()


def test_a_cross_validation_prints_its_score_with_the_interval_for_new_texts(validated):
    text = repr(validated)
    assert text.startswith(f"CrossValidation: test score {validated.frame()['score'].mean():.3f} [")
    assert "5 folds (95% generalisation interval)" in text
    assert len(validated.frame()) == 5


def test_a_cross_validation_of_equal_scores_prints_no_interval(validated):
    first = validated.folds[0]
    same = dataclasses.replace(first, fold=2)
    assert repr(type(validated)([first, same])).endswith("over 2 folds, no interval")


@pytest.fixture
def aligned(tmp_path):
    """Four pairs, two of them positive; nothing is measured yet."""
    lines = "".join(
        f"a\tb\tc\t{place}\t{score}\tsome words {place}\tother words {place}\n"
        for place, score in enumerate([5.0, 4.5, 1.0, 2.0])
    )
    (tmp_path / "pairs.tsv").write_text(lines, encoding="utf-8")
    return sentflow.STSBEval(WordEncoder().encode, tmp_path / "pairs.tsv", variant="definition")


def test_alignment_prints_what_was_measured(aligned):
    assert "not measured yet" in repr(aligned)
    frame = aligned.frame()
    assert f"alignment {frame['alignment'][0]:.4f}" in repr(aligned)
    assert frame["n_positive"][0] == 2


def test_alignment_is_drawn_as_a_point_of_the_plane(aligned):
    figure = aligned.plot()
    (point,) = figure.axes[0].lines
    assert (point.get_xdata()[0], point.get_ydata()[0]) == (aligned.eval_uniform(), aligned.eval_alignment())
    assert "Colour" not in words_of(figure)
    assert any("WordEncoder" in text.get_text() for text in figure.legends[0].get_texts())
    assert figure._repr_png_().startswith(b"\x89PNG")


def words_of(figure):
    return " ".join(text.get_text() for text in figure.texts)


@pytest.fixture(scope="module")
def searched():
    documents = {"d1": "law of the land", "d2": "decree on water", "d3": "land and water", "d4": "tax"}
    questions = {"q1": "law", "q2": "water", "q3": "tax law"}
    relevant = {"q1": ["d1"], "q2": ["d3"], "q3": ["d4"]}
    return [
        sentflow.evaluate_run(
            sentflow.retrieve(questions, documents, name, k=4), relevant, ["nDCG@10", "R@10"], n_resamples=200
        )
        for name in ("bm25", "random-order")
    ]


def test_recall_of_a_run_is_drawn_as_deep_as_the_run(searched):
    first = searched[0]
    figure = first.plot()
    curve = max((line for line in figure.axes[0].lines), key=lambda line: len(line.get_xdata()))
    assert max(curve.get_xdata()) == first.depth
    assert curve.get_ydata()[-1] == first["R@10"]  # no run is deeper than 10
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_differences_of_runs_are_drawn_from_the_run_that_is_named(searched):
    compared = sentflow.compare_runs(searched)
    (row,) = compared.rows
    for reference, sign in ((None, -1), ("random-order", 1)):
        figure = compared.plot(reference) if reference else compared.plot()
        title = figure.axes[0].get_title(loc="left").replace("−", "-")
        assert title.startswith(f"{sign * row.difference:+.3f}")
    with pytest.raises(ValueError, match="there is no run 'bm52'.*bm25"):
        compared.plot("bm52")


def test_what_was_found_is_a_data_frame_under_one_name(evaluated):
    found = sentflow.retrieve({"q1": "law"}, {"d1": "law", "d2": "decree"})
    values = sentflow.evaluate_run(found, {"q1": ["d1"]}, ["RR@10"])
    for result in (found, values, evaluated):
        assert len(result.frame())
        assert repr(result).count("\n") < MOST_LINES


# --- a finished run -----------------------------------------------------------------------------------------


def test_a_results_folder_is_read_as_data_frames(folder):
    results = sentflow.read_results(folder)
    assert len(results.scores) == 2 * len(fake_summary.MODELS)
    assert {"difference", "p_holm"} <= set(results.pairs.columns)
    assert {"retriever", "measure", "value"} <= set(results.retrieval.columns)
    assert {"scores", "pairs", "ranks", "retrieval"} <= set(results.names)
    assert results.frame("ranks").equals(sentflow.read_results(folder.parent).frame("ranks"))


def test_a_results_folder_says_why_a_score_is_too_low(tmp_path):
    rows = [
        fake_summary.one_row(task="A", n_train=300),
        fake_summary.one_row(task="B", n_train=512),
        fake_summary.one_row(task="C", n_train=512, layout="pair", is_fitted=True, dimension=12_000),
    ]
    write_rows(tmp_path / "summary/scores.parquet", ScoreRow, rows)
    undertrained, fine, held_back = sentflow.read_results(tmp_path).frame()["remark"]
    assert undertrained == "Undertrained, so that scores on them are too low: A."
    assert fine == ""
    assert held_back.startswith("Held back by the probe")


def test_a_results_folder_prints_encoders_from_the_best(folder):
    text = repr(sentflow.read_results(folder))
    assert "2 tasks × 4 encoders" in text
    assert text.index("all-MiniLM-L6-v2: ") < text.index("Random vectors (control): ")


def test_figures_of_the_report_are_drawn_from_a_results_folder(folder):
    results = sentflow.read_results(folder)
    for name in ("heatmap", "ranks"):
        assert results.plot(name)._repr_png_().startswith(b"\x89PNG")
    with pytest.raises(DataError, match="costs|encoders"):
        results.plot("score-and-cost")


def test_what_a_run_did_not_make_is_named_with_what_it_made(folder):
    with pytest.raises(ValueError, match="has no 'sts'.*retrieval"):
        sentflow.read_results(folder).frame("sts")


def test_a_folder_without_results_says_what_to_give(tmp_path):
    with pytest.raises(DataError, match="Give the results folder"):
        sentflow.read_results(tmp_path)
