import inspect
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from api_stubs import COLUMNS, QUICK, WordEncoder, sample_table
from small_tasks import task_features, text_vectors

import sentflow
from sentflow.api.tasks import OFFICIAL
from sentflow.files.io import read_json
from sentflow.probing.cross_validation import cross_validate


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def evaluator(data):
    return sentflow.UlyssesSentEval(WordEncoder(), tasks=["T1B-sample", "G3-sample"], data_dir_path=data)


@pytest.fixture(scope="module")
def evaluated(evaluator):
    return evaluator.evaluate(kwargs_train=QUICK, return_all_results=True)


def test_arguments_have_the_published_names_and_defaults():
    def defaults(function):
        return {
            name: parameter.default
            for name, parameter in inspect.signature(function).parameters.items()
            if name != "self"
        }

    none = inspect.Parameter.empty
    ours = defaults(sentflow.UlyssesSentEval.__init__)
    published = {
        "sentence_model": none,
        "tasks": "all",
        "data_dir_path": "./ulysses_senteval_datasets",
        "cache_embed_key": None,
        "cache_dir": "./cache",
        "disable_multiprocessing": False,
        "lazy_embedding": False,
    }
    assert {name: ours[name] for name in published} == published
    evaluation = {
        "kwargs_embed": None,
        "kwargs_train": None,
        "return_all_results": False,
        "ignore_cached": False,
    }
    assert defaults(sentflow.UlyssesSentEval.evaluate) == evaluation
    assert defaults(sentflow.UlyssesSentEval.evaluate_in_task) == {"task": none, **evaluation}
    for cls in (sentflow.UlyssesSentEval, sentflow.UlyssesSentEvalLazy):
        assert list(inspect.signature(cls.embed).parameters)[1:] == [
            "X_a",
            "X_b",
            "task",
            "data_split",
            "kwargs",
        ]


def test_the_package_shows_what_a_notebook_needs_and_nothing_else():
    assert dir(sentflow) == sentflow.__all__
    assert all(getattr(sentflow, name) for name in dir(sentflow))


def test_too_few_rows_are_warned_of_once(data, caplog):
    sentflow.UlyssesSentEval(WordEncoder(), tasks=["T1B-sample"], data_dir_path=data).evaluate(
        kwargs_train=QUICK
    )
    assert caplog.text.count("the learning rate of protocol published never leaves its start") == 1


def test_importing_the_package_imports_nothing_heavy():
    look = "import sys, sentflow; print({'numpy', 'torch', 'pandas', 'joblib', 'yaml'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
    with pytest.raises(AttributeError, match="UlyssesEval"):
        sentflow.UlyssesEval  # noqa: B018


def test_all_tasks_are_the_18_official_ones_in_the_published_order():
    assert sentflow.UlyssesSentEval(WordEncoder()).tasks == OFFICIAL
    assert len(OFFICIAL) == 18
    assert sentflow.UlyssesSentEval(WordEncoder(), tasks="T2A-open").tasks == ("T2A-open",)


def test_results_have_the_published_keys_and_types(evaluated):
    aggregated, rows = evaluated
    assert list(aggregated) == ["T1B-sample", "G3-sample"]
    quantities = {"loss_test", "metric_test"}
    curves = {"loss_per_epoch_train", "loss_per_epoch_eval", "metric_per_epoch_eval"}
    result = aggregated["G3-sample"]
    assert set(result) == {
        f"{statistic}_{name}"
        for statistic in ("avg", "std", "ci99_low", "ci99_high")
        for name in quantities | curves
    }
    for name in curves:
        assert isinstance(result[f"avg_{name}"], np.ndarray)
        assert result[f"avg_{name}"].dtype == np.float64
    assert all(isinstance(result[f"std_{name}"], float) for name in quantities)
    assert list(rows.columns) == ["task", *COLUMNS]
    tests = rows[(rows["task"] == "G3-sample") & (rows["metric"] == "metric_test")]
    assert tests["train_epoch"].tolist() == [-1, -1]
    assert tests["value"].mean() == pytest.approx(result["avg_metric_test"])


def test_rows_come_quantity_by_quantity_as_published(evaluated):
    _, rows = evaluated
    of_task = rows[rows["task"] == "T1B-sample"]
    assert list(dict.fromkeys(of_task["metric"])) == [
        "loss_per_epoch_train",
        "loss_per_epoch_eval",
        "metric_per_epoch_eval",
        "loss_test",
        "metric_test",
    ]
    for _, group in of_task.groupby("metric"):
        keys = list(zip(group["kfold_partition"], group["train_epoch"], strict=True))
        assert keys == sorted(keys)


def test_numbers_are_those_of_the_engine(data, evaluated):
    table = sample_table(data, "G3-sample")
    expected = cross_validate(
        task_features(table), table.labels, metric="mcc", repetitions=1, folds=2
    ).scores.sort_values(COLUMNS[:4], ignore_index=True)
    _, rows = evaluated
    ours = rows[rows["task"] == "G3-sample"][COLUMNS].sort_values(COLUMNS[:4], ignore_index=True)
    pd.testing.assert_frame_equal(ours, expected)


def test_one_task_gives_one_result_without_the_column_task(evaluator, evaluated):
    result = evaluator.evaluate_in_task("G3-sample", kwargs_train=QUICK)
    assert isinstance(result, dict)
    assert result["avg_metric_test"] == evaluated[0]["G3-sample"]["avg_metric_test"]
    again, rows = evaluator.evaluate_in_task("G3-sample", kwargs_train=QUICK, return_all_results=True)
    assert list(rows.columns) == COLUMNS
    assert again["avg_loss_test"] == result["avg_loss_test"]


def test_a_task_keeps_its_classifier_after_an_mlp_task_and_arguments_stay_as_they_are(data, tmp_path):
    given = {**QUICK, "n_epochs": 1}
    before = dict(given)
    evaluator = sentflow.UlyssesSentEval(
        WordEncoder(4),
        tasks=["F3-sample", "T1B-sample"],
        data_dir_path=data,
        results_dir=tmp_path,
        model_name="words",
    )
    evaluator.evaluate(kwargs_train=given)
    assert given == before
    scores = {task: read_json(tmp_path / f"scores/{task}/words.json") for task in evaluator.tasks}
    assert scores["F3-sample"]["classifier"] == "mlp"
    assert scores["T1B-sample"]["classifier"] == "logistic"
    assert scores["F3-sample"]["dimension"] == 4 * 5  # a question and four alternatives
    changed = scores["T1B-sample"]["not_comparable"]
    assert changed["folds"] == {"here": 2, "published": 5}
    assert list(changed) == ["folds", "max_epochs", "repetitions"]


def test_embedding_arguments_reach_the_model(data):
    model = WordEncoder()
    evaluator = sentflow.UlyssesSentEval(model, tasks="T1B-sample", data_dir_path=data)
    vectors = evaluator.embed(["uma lei"], None, "T1B-sample", "all", scale=3.0)
    np.testing.assert_allclose(vectors.numpy(), 3 * text_vectors(["uma lei"]))
    with pytest.raises(TypeError, match="stretch"):
        evaluator.evaluate(kwargs_embed={"stretch": 2}, kwargs_train=QUICK)
