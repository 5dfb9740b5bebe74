import inspect
import json
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
import yaml
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfVectorizer
from small_tasks import make_task, task_features, text_vectors

import sentflow
from sentflow.api.arguments import ArgumentError
from sentflow.api.data import load_task
from sentflow.api.folds import Probe, trained_folds
from sentflow.api.tasks import OFFICIAL, WORKFLOW, known_tasks
from sentflow.config import load_experiment
from sentflow.data.sample.rows import to_csv
from sentflow.data.sample.tasks import generate
from sentflow.data.table import TaskTable
from sentflow.errors import ConfigError, DataError, SentflowError
from sentflow.io import read_json
from sentflow.probing.cross_validation import CrossValidation, FixedFeatures, cross_validate, train_folds
from sentflow.probing.features import LazyFeatures, row_features
from sentflow.probing.protocol import PUBLISHED
from sentflow.probing.storage import read_folds

QUICK = {"n_repeats": 1, "k_fold": 2, "n_processes": 1, "show_progress_bar": False, "device": "cpu"}
COLUMNS = ["kfold_repetition", "kfold_partition", "train_epoch", "metric", "value"]


class WordEncoder:
    """Anything with encode: vectors made of words."""

    def __init__(self, dimension: int = 8) -> None:
        self.dimension = dimension
        self.asked: list[str] = []

    def encode(self, texts, scale=1.0):
        self.asked += texts
        return text_vectors(texts, dimension=self.dimension) * scale


class Fixed(sentflow.UlyssesSentEval):
    """Returns what it was made with, as the model."""

    def embed(self, X_a, X_b, task, data_split, **kwargs):
        return self.sentence_model(len(X_a))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def evaluator(data):
    return sentflow.UlyssesSentEval(WordEncoder(), tasks=["T1B-sample", "G3-sample"], data_dir_path=data)


@pytest.fixture(scope="module")
def evaluated(evaluator):
    return evaluator.evaluate(kwargs_train=QUICK, return_all_results=True)


def sample_table(data, task: str, folds: int = 2) -> TaskTable:
    return load_task(task, known_tasks(None), folder=data, folds=folds, mirrors=[])


def quick_folds(source, table, **settings):
    protocol = replace(PUBLISHED, repetitions=1, folds=2)
    return list(
        train_folds(
            source, table.labels, metric="mcc", n_classes=2, hidden=None, protocol=protocol, **settings
        )
    )


# --- interface ------------------------------------------------------------------------------------------------


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
    assert scores["T1B-sample"]["changed"] == {"n_repeats": 1, "k_fold": 2, "n_epochs": 1}


def test_embedding_arguments_reach_the_model(data):
    model = WordEncoder()
    evaluator = sentflow.UlyssesSentEval(model, tasks="T1B-sample", data_dir_path=data)
    vectors = evaluator.embed(["uma lei"], None, "T1B-sample", "all", scale=3.0)
    np.testing.assert_allclose(vectors.numpy(), 3 * text_vectors(["uma lei"]))
    with pytest.raises(TypeError, match="stretch"):
        evaluator.evaluate(kwargs_embed={"stretch": 2}, kwargs_train=QUICK)


# --- embed ----------------------------------------------------------------------------------------------------


def test_default_features_are_the_published_layouts():
    evaluator = sentflow.UlyssesSentEval(WordEncoder())
    a, b, c = text_vectors(["lei", "ação", "vetó"])
    single = evaluator.embed(["lei"], None, "T1A", "all")
    assert isinstance(single, torch.Tensor)
    assert single.dtype == torch.float32
    np.testing.assert_array_equal(single[0], a)
    pair = evaluator.embed(["lei"], ["ação"], "G3", "all")
    np.testing.assert_array_equal(pair[0], np.concatenate([a, b, np.abs(a - b), a * b]))
    question = evaluator.embed(["lei"], ["ação [SEP] vetó"], "F3", "all")
    np.testing.assert_array_equal(question[0], np.concatenate([a, b, c]))
    assert evaluator.embed(["lei"], ["ação [SEP] vetó"], "G3", "all").shape == (1, 32)


@pytest.mark.parametrize("layout", ["single", "pair", "alternatives"])
def test_default_features_are_those_of_the_pipeline(layout):
    table = make_task(30, layout=layout, name="F3")
    evaluator = sentflow.UlyssesSentEval(WordEncoder())
    task = "F3" if layout == "alternatives" else "G3"
    ours = evaluator.embed(table.text_a, table.text_b or None, task, "all")
    np.testing.assert_array_equal(ours, task_features(table))


def test_each_distinct_text_is_encoded_once():
    model = WordEncoder()
    sentflow.UlyssesSentEval(model).embed(["lei", "lei", "ação"], ["ação", "ação", "ação"], "G3", "all")
    assert model.asked == ["lei", "ação"]


def test_models_of_sentence_transformers_are_asked_for_tensors():
    class Half:
        def encode(self, texts, convert_to_tensor=False, **kwargs):
            assert convert_to_tensor
            return torch.ones(len(texts), 3, dtype=torch.bfloat16, requires_grad=True)

    vectors = sentflow.UlyssesSentEval(Half()).embed(["lei"], None, "T1A", "all")
    assert vectors.dtype == torch.float32


def test_encoders_of_the_pipeline_are_given_role_and_task():
    class Own:
        def encode(self, texts, *, role, task):
            assert (role, task) == ("text", "T1A")
            return np.ones((len(texts), 3), np.float32)

    assert sentflow.UlyssesSentEval(Own()).embed(["lei"], None, "T1A", "all").shape == (1, 3)


def test_an_override_is_called_in_the_published_way(data):
    calls = []

    class Own(sentflow.UlyssesSentEval):
        def embed(self, first, second, name, split, **options):
            calls.append((len(first), second is None, name, split, options))
            return torch.from_numpy(text_vectors(first)).double()

    evaluator = Own(object(), tasks=["T1B-sample", "G3-sample"], data_dir_path=data)
    evaluator.evaluate(kwargs_embed={"x": 1}, kwargs_train=QUICK)
    assert calls == [
        (len(sample_table(data, "T1B-sample")), True, "T1B-sample", "all", {"x": 1}),
        (len(sample_table(data, "G3-sample")), False, "G3-sample", "all", {"x": 1}),
    ]


@pytest.mark.parametrize("form", [np.float64, np.float16, csr_matrix, torch.tensor, "half", list])
def test_an_override_may_return_any_array_of_numbers(data, form):
    table = sample_table(data, "T1B-sample")
    vectors = (4 * text_vectors(table.text_a)).round().clip(-127, 127) / 4  # 8 bits: exact in half precision

    def model(n):
        if form is list:
            return vectors.tolist()
        if form == "half":
            return torch.from_numpy(vectors).bfloat16()
        return form(vectors)

    result = Fixed(model, tasks="T1B-sample", data_dir_path=data).evaluate(kwargs_train=QUICK)
    expected = cross_validate(vectors, table.labels, metric="mcc", repetitions=1, folds=2).scores
    mean = expected[expected["metric"] == "metric_test"]["value"].mean()
    assert result["T1B-sample"]["avg_metric_test"] == pytest.approx(mean)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (lambda n: np.ones((n - 1, 3)), "Return one vector per row"),
        (lambda n: np.ones(n), "Return one vector per row"),
        (lambda n: np.ones((n, 0)), "Return one vector per row"),
        (lambda n: None, "Return a torch tensor or a NumPy array"),
        (lambda n: [["a"]] * n, "Return a torch tensor or a NumPy array"),
        (lambda n: np.full((n, 2), np.nan), "not finite, in 598 of 598 rows"),
    ],
)
def test_what_an_override_returns_is_checked(data, model, message):
    evaluator = Fixed(model, tasks="T1B-sample", data_dir_path=data)
    with pytest.raises(ArgumentError, match=r"Fixed\.embed \(task T1B-sample") as told:
        evaluator.evaluate(kwargs_train=QUICK)
    assert message in str(told.value)


def test_a_model_that_cannot_encode_is_refused_before_any_download(tmp_path):
    for model, message in [
        ("path/to/sbert", "the model itself"),
        (object(), "a object, which has no encode. To use it, override embed."),
        (TfidfVectorizer(), "use UlyssesSentEvalLazy"),
    ]:
        with pytest.raises(ArgumentError, match=message):
            sentflow.UlyssesSentEval(model, data_dir_path=tmp_path / "data").evaluate()
    with pytest.raises(ArgumentError, match="no fit, transform, get_params"):
        sentflow.UlyssesSentEvalLazy(WordEncoder(), data_dir_path=tmp_path / "data").evaluate()
    assert not (tmp_path / "data").exists()


def test_a_split_that_does_not_exist_is_refused():
    with pytest.raises(ArgumentError, match="'dev'.*Write one of: all, train, eval, test"):
        sentflow.UlyssesSentEval(WordEncoder()).embed(["lei"], None, "T1A", "dev")


# --- lazy encoders --------------------------------------------------------------------------------------------


class Fitted:
    """A vectoriser of scikit-learn as a lazy encoder of the pipeline."""

    def __init__(self, **settings) -> None:
        self.vectoriser = TfidfVectorizer(**settings)

    def fit(self, texts):
        self.vectoriser.fit(texts)
        return self

    def transform(self, texts):
        return self.vectoriser.transform(texts).toarray().astype(np.float32)


@pytest.mark.parametrize("task", ["T1B-sample", "G3-sample"])
def test_lazy_numbers_are_those_of_the_engine(data, task):
    vectoriser = TfidfVectorizer(max_features=60)
    evaluator = sentflow.UlyssesSentEvalLazy(vectoriser, tasks=task, data_dir_path=data)
    _, rows = evaluator.evaluate_in_task(task, kwargs_train=QUICK, return_all_results=True)
    table = sample_table(data, task)
    folds = quick_folds(LazyFeatures(table, Fitted(max_features=60)), table)
    expected = CrossValidation(folds).scores.sort_values(COLUMNS[:4], ignore_index=True)
    ours = rows.sort_values(COLUMNS[:4], ignore_index=True)
    pd.testing.assert_frame_equal(ours, expected)
    assert not hasattr(vectoriser, "vocabulary_")  # the caller's own stays as it is


def test_a_lazy_override_sees_train_eval_test_and_nothing_of_other_folds(data):
    calls = []

    class Own(sentflow.UlyssesSentEval):
        seen = ()

        def embed(self, X_a, X_b, task, data_split, **kwargs):
            calls.append((data_split, len(self.seen), X_b is None, task, kwargs))
            if data_split == "train":
                self.seen = (*self.seen, *X_a)
            return text_vectors(X_a)

    evaluator = Own(object(), tasks="T1B-sample", data_dir_path=data, lazy_embedding=True)
    evaluator.evaluate(kwargs_embed={"x": 1}, kwargs_train=QUICK)
    n_train = calls[1][1]
    assert n_train > 0
    assert (
        calls
        == [
            ("train", 0, True, "T1B-sample", {"x": 1}),
            ("eval", n_train, True, "T1B-sample", {"x": 1}),
            ("test", n_train, True, "T1B-sample", {"x": 1}),
        ]
        * 2
    )
    assert evaluator.seen == ()


def test_parts_of_different_widths_are_refused(data):
    class Own(sentflow.UlyssesSentEval):
        def embed(self, X_a, X_b, task, data_split, **kwargs):
            return np.ones((len(X_a), 3 if data_split == "train" else 4))

    with pytest.raises(ArgumentError, match=r"different widths: \[3, 4\]"):
        Own(None, tasks="T1B-sample", data_dir_path=data, lazy_embedding=True).evaluate(kwargs_train=QUICK)


def test_the_default_embed_of_a_lazy_evaluator_warns_and_lazy_evaluators_have_no_cache(tmp_path):
    with pytest.warns(UserWarning, match="cache_embed_key is ignored"):
        lazy = sentflow.UlyssesSentEvalLazy(TfidfVectorizer(), cache_embed_key="x", cache_dir=tmp_path)
    assert lazy.cache_dir is None
    with pytest.raises(ArgumentError, match="cannot embed all rows at once"):
        lazy.embed(["lei"], None, "T1A", "all")
    with pytest.warns(UserWarning, match="use UlyssesSentEvalLazy"):
        sentflow.UlyssesSentEval(WordEncoder(), lazy_embedding=True).embed(["lei"], None, "T1A", "train")
    with pytest.raises(ArgumentError, match="always lazy"):
        sentflow.UlyssesSentEvalLazy(TfidfVectorizer(), lazy_embedding=False)


# --- processes ------------------------------------------------------------------------------------------------

SCRIPT = """
import sys
import torch
import yaml
torch.ones(600, 600) @ torch.ones(600, 600)  # torch has its threads now
import numpy as np
import sentflow as ulysses_senteval
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer

class Model:
    def encode(self, texts):
        return HashingVectorizer(n_features=16).transform(texts).toarray()

class Own(ulysses_senteval.UlyssesSentEval):
    def embed(self, X_a, X_b, task, data_split, **kwargs):
        return super().embed(X_a, X_b, task, data_split, **kwargs) * 2

for evaluator in (
    Own(Model(), tasks=["T1B-sample", "F3-sample"], data_dir_path=sys.argv[1]),
    ulysses_senteval.UlyssesSentEvalLazy(
        TfidfVectorizer(max_features=40), tasks="G3-sample", data_dir_path=sys.argv[1]
    ),
):
    results = [
        evaluator.evaluate(
            kwargs_train={"n_processes": n, "n_repeats": 1, "k_fold": 3, "n_epochs": 5, "device": "cpu"},
            return_all_results=True,
        )[1]
        for n in (1, 2)
    ]
    assert results[0].equals(results[1])
print("started", __name__)
"""


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_processes_change_nothing_and_a_script_needs_no_guard(tmp_path):
    """With a class and a model of the script itself, after torch has started threads."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path)], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["started", "__main__"]  # once: no process ran the script again
    assert "Task: T1B-sample" in done.stderr
    assert "3/3" in done.stderr


def small_probe(**settings) -> Probe:
    protocol = replace(PUBLISHED, repetitions=1, folds=2, max_epochs=3)
    return Probe(
        **{
            "metric": "mcc",
            "n_classes": 2,
            "hidden": None,
            "protocol": protocol,
            "device": "cpu",
            **settings,
        }
    )


def test_two_processes_give_every_fold_once_with_the_numbers_of_one():
    table = make_task(420)
    source = FixedFeatures(task_features(table))
    one, two = (
        sorted(
            trained_folds(source, table.labels, small_probe(), n_processes=n),
            key=lambda fold: (fold.repetition, fold.fold),
        )
        for n in (1, 2)
    )
    assert [(fold.repetition, fold.fold) for fold in two] == [(1, 1), (1, 2)]
    pd.testing.assert_frame_equal(CrossValidation(one).scores, CrossValidation(two).scores)
    pd.testing.assert_frame_equal(CrossValidation(one).predictions, CrossValidation(two).predictions)


class Deadly(str):
    """Kills the process that unpickles it."""

    def __reduce__(self):
        return os._exit, (9,)


@pytest.mark.timeout(120)
def test_a_killed_process_ends_in_an_error_not_in_waiting():
    table = make_task(420)
    source = FixedFeatures(task_features(table))
    with pytest.raises(SentflowError, match="'n_processes': 1"):
        list(trained_folds(source, table.labels, small_probe(metric=Deadly("mcc")), n_processes=2))


def test_disabled_multiprocessing_starts_no_process(data, monkeypatch):
    monkeypatch.setattr(
        "sentflow.api.folds._processes", lambda *_, **__: pytest.fail("processes were started")
    )
    evaluator = sentflow.UlyssesSentEval(
        WordEncoder(), tasks="T1B-sample", data_dir_path=data, disable_multiprocessing=True
    )
    settings = {key: value for key, value in QUICK.items() if key != "n_processes"}
    evaluator.evaluate(kwargs_train=settings)
    with pytest.raises(ArgumentError, match="disable_multiprocessing"):
        evaluator.evaluate(kwargs_train=QUICK)


def test_the_progress_bar_counts_folds_and_can_be_silenced(data, capsys):
    evaluator = sentflow.UlyssesSentEval(WordEncoder(), tasks="T1B-sample", data_dir_path=data)
    evaluator.evaluate(kwargs_train=QUICK)
    assert "Task" not in capsys.readouterr().err
    evaluator.evaluate(kwargs_train={**QUICK, "show_progress_bar": True})
    shown = capsys.readouterr().err
    assert "Task: T1B-sample" in shown
    assert "2/2" in shown


# --- cache and files ------------------------------------------------------------------------------------------


def test_a_cached_model_encodes_a_sample_only(data, tmp_path):
    settings = {
        "tasks": "G3-sample",
        "data_dir_path": data,
        "cache_dir": tmp_path,
        "cache_embed_key": "owner/words",
    }
    first, second = WordEncoder(), WordEncoder()
    results = [
        sentflow.UlyssesSentEval(model, **settings).evaluate(kwargs_train=QUICK)["G3-sample"]["avg_loss_test"]
        for model in (first, second)
    ]
    assert results[0] == results[1]
    assert len(second.asked) <= 16 < len(first.asked)
    assert (tmp_path / "owner/words/G3-sample.npy").is_file()
    ignoring = WordEncoder()
    sentflow.UlyssesSentEval(ignoring, **settings).evaluate(kwargs_train=QUICK, ignore_cached=True)
    assert ignoring.asked == first.asked


@pytest.mark.parametrize("key", ["", "../words", "/words", "."])
def test_a_cache_key_stays_in_the_cache(tmp_path, key):
    with pytest.raises(ArgumentError, match="cache_embed_key"):
        sentflow.UlyssesSentEval(WordEncoder(), cache_embed_key=key, cache_dir=tmp_path)


def test_results_on_disk_are_what_was_returned(data, tmp_path):
    evaluator = sentflow.UlyssesSentEval(
        WordEncoder(), tasks="T1B-sample", data_dir_path=data, results_dir=tmp_path, model_name="words"
    )
    aggregated, rows = evaluator.evaluate(kwargs_train=QUICK, return_all_results=True)
    score = read_json(tmp_path / "scores/T1B-sample/words.json")
    assert score["mean"] == pytest.approx(aggregated["T1B-sample"]["avg_metric_test"])
    assert set(score["intervals"]) == {"repeatability", "generalisation"}
    assert (score["model"], score["data_version"], score["n_folds"]) == ("words", "sample data", 2)
    stored = pd.read_parquet(tmp_path / "scores/T1B-sample/words.parquet")
    pd.testing.assert_frame_equal(stored, rows, check_dtype=False)
    files = [tmp_path / f"probes/T1B-sample/words/rep-1/fold-{fold}.parquet" for fold in (1, 2)]
    folds, infos = read_folds(files)
    assert len(folds) == len(rows)
    assert json.loads(infos[0].settings)["classifier"] == "logistic"
    assert all(file.with_suffix(".predictions.parquet").is_file() for file in files)


def test_what_was_done_before_a_failure_is_on_disk(data, tmp_path):
    class Failing(WordEncoder):
        def encode(self, texts):
            if len(set(texts)) > 598:
                raise RuntimeError("out of memory")
            return super().encode(texts)

    evaluator = sentflow.UlyssesSentEval(
        Failing(),
        tasks=["T1B-sample", "G3-sample"],
        data_dir_path=data,
        results_dir=tmp_path,
        model_name="words",
    )
    with pytest.raises(RuntimeError, match="out of memory"):
        evaluator.evaluate(kwargs_train=QUICK)
    assert [file.parent.name for file in tmp_path.glob("scores/*/words.json")] == ["T1B-sample"]


def test_results_need_a_name_that_can_be_a_files(tmp_path):
    assert (
        sentflow.UlyssesSentEval(WordEncoder(), results_dir=tmp_path, cache_embed_key="words").model_name
        == "words"
    )
    for name in (None, "../words", "a/b", "..", ""):
        with pytest.raises(ArgumentError, match="model_name is"):
            sentflow.UlyssesSentEval(WordEncoder(), results_dir=tmp_path, model_name=name)


# --- data -----------------------------------------------------------------------------------------------------


def own_task(path, **reader) -> dict:
    return {
        "datasets": {
            "own": {
                "title": "Own",
                "files": {"own.csv": {"urls": [str(path)]}},
                "licence": "MIT",
                "citation": "none",
                "language": "pt",
            }
        },
        "tasks": {"own": {"like": "T1A", "dataset": "own", "reader": reader, "data_version": "own"}},
    }


def test_own_tasks_are_laid_over_the_catalog(tmp_path):
    table = make_task(420)
    rows = [f"{text},{label}" for text, label in zip(table.text_a, table.labels, strict=True)]
    (tmp_path / "mine.csv").write_text("t,y\n" + "\n".join(rows), encoding="utf-8")
    config = own_task(tmp_path / "mine.csv", format="csv", file="own.csv", text_a="t", label="y")
    evaluator = sentflow.UlyssesSentEval(
        WordEncoder(), tasks="own", config=config, data_dir_path=tmp_path / "data"
    )
    _, scores = evaluator.evaluate(kwargs_train=QUICK, return_all_results=True)
    expected = cross_validate(task_features(table), table.labels, metric="mcc", repetitions=1, folds=2).scores
    assert scores["value"].sum() == pytest.approx(expected["value"].sum())


def test_unknown_tasks_are_told_with_the_nearest_name(evaluator, tmp_path):
    with pytest.raises(ValueError, match="there is no task 'T1B-smaple'. Did you mean T1B-sample?"):
        sentflow.UlyssesSentEval(WordEncoder(), tasks=["T1B-smaple"])
    with pytest.raises(ArgumentError, match="there is no task 'T9'"):
        evaluator.evaluate_in_task("T9")
    for tasks in ([], ["T1A", "T1A"]):
        with pytest.raises(ArgumentError, match="at least one task, and each of them once"):
            sentflow.UlyssesSentEval(WordEncoder(), tasks=tasks)
    with pytest.raises(ConfigError, match="there is no dataset 'nowhere'"):
        sentflow.UlyssesSentEval(
            WordEncoder(), config={"tasks": {"x": {"like": "T1A", "dataset": "nowhere"}}}
        )
    with pytest.raises(ConfigError, match="not a readable YAML file"):
        sentflow.UlyssesSentEval(WordEncoder(), config=tmp_path / "absent.yaml")


def test_every_task_is_checked_before_the_first_is_embedded(tmp_path):
    (tmp_path / "mine.csv").write_text("t,y\nlei,0\n,1\n", encoding="utf-8")
    config = own_task(tmp_path / "mine.csv", format="csv", file="own.csv", text_a="t", label="y")
    model = WordEncoder()
    evaluator = sentflow.UlyssesSentEval(
        model, tasks=["T1B-sample", "own"], config=config, data_dir_path=tmp_path
    )
    with pytest.raises(DataError, match="text a is empty in row 2"):
        evaluator.evaluate(kwargs_train=QUICK)
    assert model.asked == []


def test_training_parts_smaller_than_a_batch_are_refused(evaluator):
    with pytest.raises(DataError, match=r"trains on \d+ rows, fewer than one batch of 400"):
        evaluator.evaluate_in_task("T1B-sample", kwargs_train={**QUICK, "batch_size": 400})


def test_csvs_of_the_published_evaluator_are_read_with_a_warning(tmp_path):
    (tmp_path / "offcombr2.csv").write_text(to_csv(generate("T1B", seed=1)), encoding="utf-8")
    evaluator = sentflow.UlyssesSentEval(WordEncoder(), tasks="T1B", data_dir_path=tmp_path)
    with pytest.warns(UserWarning, match="cannot be verified"):
        official = evaluator.evaluate(kwargs_train=QUICK)["T1B"]
    sample = evaluator.evaluate_in_task("T1B-sample", kwargs_train=QUICK)
    assert official["avg_loss_test"] == sample["avg_loss_test"]


def test_downloads_come_from_mirrors_and_wrong_bytes_are_refused(tmp_path, monkeypatch):
    monkeypatch.delenv("SENTFLOW_MIRROR", raising=False)
    monkeypatch.setattr(
        "sentflow.data.download._transfer", lambda *_, **__: (_ for _ in ()).throw(DataError("no network"))
    )
    mirror = tmp_path / "mirror/cloud.andrelab.icmc.usp.br/s/5ftKfJB8HNLzJ62/download"
    mirror.mkdir(parents=True)
    (mirror / "offcombr2.zip").write_bytes(b"something else")
    evaluator = sentflow.UlyssesSentEval(
        WordEncoder(), tasks="T1B", data_dir_path=tmp_path / "data", mirrors=[str(tmp_path / "mirror")]
    )
    with pytest.raises(DataError, match="SHA-256 is .*, expected 99b66"):
        evaluator.evaluate(kwargs_train=QUICK)
    assert not (tmp_path / "data/ulysses-t1b/offcombr2.zip").exists()


def test_tasks_are_those_of_the_pipeline():
    config = yaml.safe_load((WORKFLOW.parent / "config.yaml").read_text(encoding="utf-8"))
    experiment = load_experiment(config, WORKFLOW)
    catalog = known_tasks(None)
    for name, entry in experiment.tasks.items():
        assert catalog.tasks[name] == entry
        assert catalog.datasets[entry["dataset"]] == experiment.datasets[entry["dataset"]]


def test_features_of_a_task_do_not_depend_on_where_they_are_made(data):
    """The evaluator's own features equal those that the pipeline makes of embeddings of distinct texts."""
    table = sample_table(data, "F3-sample")
    texts = list(
        dict.fromkeys([*table.text_a, *(t for row in range(len(table)) for t in table.alternatives(row))])
    )
    pipeline = row_features(table, text_vectors(texts), {text: row for row, text in enumerate(texts)})
    ours = sentflow.UlyssesSentEval(WordEncoder()).embed(table.text_a, table.text_b, "F3-sample", "all")
    np.testing.assert_array_equal(ours, pipeline)


def test_an_installation_without_the_catalog_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr("sentflow.api.tasks.WORKFLOW", tmp_path)
    with pytest.raises(ConfigError, match="pip install -e FOLDER"):
        sentflow.UlyssesSentEval(WordEncoder())
