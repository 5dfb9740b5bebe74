"""UlyssesSentEval: the published class with the numbers of the pipeline; its overrides, files, tasks and protocols."""

import json
import os

import fake_comparisons
import fake_retrieval
import fake_summary
import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from small_tasks import make_task, task_features, text_vectors

import sentflow
from sentflow.api.arguments import ArgumentError
from sentflow.api.data import known_tasks, load_task
from sentflow.api.folds import trained_folds
from sentflow.compare.score_rows import ScoreRow
from sentflow.errors import ConfigError, SentflowError
from sentflow.files.io import read_json
from sentflow.files.rows import write_rows
from sentflow.probing.cross_validation import CrossValidation, cross_validate
from sentflow.probing.draws import plan_folds
from sentflow.probing.fold import FoldResult, ProbeDesign
from sentflow.probing.rows import LazyFeatures
from sentflow.probing.scores import read_folds
from sentflow.probing.settings import PUBLISHED
from sentflow.probing.training import FixedFeatures, train_folds
from sentflow.report.families.retrieval.rows import RetrievalRow

QUICK = {"n_repeats": 1, "k_fold": 2, "n_processes": 1, "show_progress_bar": False, "device": "cpu"}
COLUMNS = ["kfold_repetition", "kfold_partition", "train_epoch", "metric", "value"]


class WordEncoder:
    """Anything with encode: vectors made of words."""

    def __init__(self, dimension: int = 8) -> None:
        self.dimension = dimension

    def encode(self, texts):
        return text_vectors(texts, dimension=self.dimension)


def sample_table(data, task: str):
    protocol = PUBLISHED.but(folds=2)
    return load_task(task, known_tasks(None), folder=data, protocol=protocol, mirrors=[])


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def evaluator(data):
    return sentflow.UlyssesSentEval(
        WordEncoder(), tasks=["T1B-sample", "G3-sample"], data_dir_path=data, model_name="words"
    )


def test_a_model_is_named_by_its_name_in_the_catalog(tmp_path, data):
    keys = {"tasks": "T1B-sample", "data_dir_path": data, "cache_dir": tmp_path}
    assert sentflow.UlyssesSentEval("minilm-l6", **keys).sentence_model.encode(["a"]).shape == (1, 384)
    with pytest.raises(ArgumentError, match="owner/name@commit"):
        sentflow.UlyssesSentEval("minilm-l7", **keys)


def written_to(folder, data, model, **keys):
    """An evaluator that leaves its results in a folder."""
    about = {"data_dir_path": data, "results_dir": folder, "model_name": "words"}
    return sentflow.UlyssesSentEval(model, **about, **keys)


@pytest.fixture(scope="module")
def evaluated(evaluator):
    return evaluator.evaluate(kwargs_train=QUICK, return_all_results=True)


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


def test_tasks_with_too_few_rows_are_named_in_one_warning_before_the_first_is_embedded(data, caplog):
    tasks, told_before = ["T1B-sample", "G3-sample", "F3-sample"], []

    class Encoder(WordEncoder):
        def encode(self, texts):
            told_before.append([line for line in caplog.messages if "too few rows" in line])
            return super().encode(texts)

    evaluator = sentflow.UlyssesSentEval(Encoder(), tasks=tasks, data_dir_path=data)
    evaluator.evaluate(kwargs_train=QUICK)
    evaluator.evaluate_in_task("G3-sample", kwargs_train=QUICK)
    (told,) = told_before[0]
    assert all(task in told for task in tasks)
    assert {*map(tuple, told_before)} == {(told,)}
    assert [line for line in caplog.messages if "rows" in line] == [told]
    caplog.clear()
    evaluator.evaluate_in_task("G1-sample", kwargs_train=QUICK)
    assert ["G1-sample" in line for line in caplog.messages if "too few rows" in line] == [True]


def test_numbers_are_those_of_the_engine(data, evaluated):
    table = sample_table(data, "G3-sample")
    expected = cross_validate(
        task_features(table), table.labels, metric="mcc", repetitions=1, folds=2
    ).scores.sort_values(COLUMNS[:4], ignore_index=True)
    _, rows = evaluated
    ours = rows[rows["task"] == "G3-sample"][COLUMNS].sort_values(COLUMNS[:4], ignore_index=True)
    pd.testing.assert_frame_equal(ours, expected)


def test_a_task_keeps_its_classifier_after_an_mlp_task_and_arguments_stay_as_they_are(data, tmp_path):
    given = {**QUICK, "n_epochs": 1}
    before = dict(given)
    evaluator = written_to(tmp_path, data, WordEncoder(4), tasks=["F3-sample", "T1B-sample"])
    evaluator.evaluate(kwargs_train=given)
    assert given == before
    scores = {task: read_json(tmp_path / f"scores/{task}/words.json") for task in evaluator.tasks}
    assert scores["F3-sample"]["classifier"] == "mlp"
    assert scores["T1B-sample"]["classifier"] == "logistic"
    assert scores["F3-sample"]["dimension"] == 4 * 5  # a question and four alternatives
    changed = scores["T1B-sample"]["not_comparable"]
    assert changed["folds"] == {"here": 2, "published": 5}
    assert list(changed) == ["folds", "max_epochs", "repetitions"]


OWN = """
class Mine:
    def encode(self, texts):
        return [[len(text), text.count("a"), text.count("o")] for text in texts]

class Fitted(Mine):
    lazy = True

    def fit(self, texts):
        return self
"""


def test_a_class_of_a_file_gives_the_numbers_of_the_class_itself(data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(OWN, encoding="utf-8")
    exec(OWN, own := {})
    expected, *found = [
        sentflow.UlyssesSentEval(model, tasks="G3-sample", data_dir_path=data).evaluate_in_task(
            "G3-sample", kwargs_train=QUICK, return_all_results=True
        )[1]
        for model in (own["Mine"](), "mine.py:Mine", "mine.py:Fitted")
    ]
    for rows in found:
        pd.testing.assert_frame_equal(rows, expected)


class Fixed(sentflow.UlyssesSentEval):
    """Returns what it was made with, as the model."""

    def embed(self, X_a, X_b, task, data_split, **kwargs):
        return self.sentence_model(len(X_a))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (lambda n: np.ones((n - 1, 3)), "Return one vector per row"),
        (lambda n: [["a"]] * n, "Return a torch tensor or a NumPy array"),
        (lambda n: np.full((n, 2), np.nan), "not finite, in 848 of 848 rows"),
    ],
)
def test_what_an_override_returns_is_checked(data, model, message):
    evaluator = Fixed(model, tasks="T1B-sample", data_dir_path=data)
    with pytest.raises(ArgumentError, match=r"Fixed\.embed \(task T1B-sample") as told:
        evaluator.evaluate(kwargs_train=QUICK)
    assert message in str(told.value)


def test_a_model_that_cannot_encode_is_refused_before_any_download(tmp_path):
    for model, message in [
        ("path/to/sbert", "is no folder, and no encoder"),
        (object(), "a object, which has no method encode. To use it, override embed."),
        (TfidfVectorizer(), "use UlyssesSentEvalLazy"),
    ]:
        with pytest.raises(ArgumentError, match=message):
            sentflow.UlyssesSentEval(model, data_dir_path=tmp_path / "data").evaluate()
    with pytest.raises(ArgumentError, match="no fit, transform, get_params"):
        sentflow.UlyssesSentEvalLazy(WordEncoder(), data_dir_path=tmp_path / "data").evaluate()
    assert not (tmp_path / "data").exists()


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
    design = ProbeDesign("mcc", 2, None, PUBLISHED.but(repetitions=1, folds=2))
    folds = list(train_folds(LazyFeatures(table, Fitted(max_features=60)), table.labels, design))
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


@pytest.mark.parametrize("other", ["train", "eval", "test"])
def test_a_lazy_override_gives_all_parts_of_a_fold_one_width(data, other):
    class Own(sentflow.UlyssesSentEval):
        def embed(self, X_a, X_b, task, data_split, **kwargs):
            return np.ones((len(X_a), 3 if data_split == other else 2))

    evaluator = Own(object(), tasks="T1B-sample", data_dir_path=data, lazy_embedding=True)
    with pytest.raises(ArgumentError, match="different widths"):
        evaluator.evaluate(kwargs_train=QUICK)


@pytest.mark.parametrize("key", ["../words", "/words"])
def test_a_cache_key_stays_in_the_cache(tmp_path, key):
    with pytest.raises(ArgumentError, match="cache_embed_key"):
        sentflow.UlyssesSentEval(WordEncoder(), cache_embed_key=key, cache_dir=tmp_path)


def test_results_on_disk_are_what_was_returned(data, tmp_path):
    evaluator = written_to(tmp_path, data, WordEncoder(), tasks="T1B-sample")
    aggregated, rows = evaluator.evaluate(kwargs_train=QUICK, return_all_results=True)
    score = read_json(tmp_path / "scores/T1B-sample/words.json")
    assert score["mean"] == pytest.approx(aggregated["T1B-sample"]["avg_metric_test"])
    assert set(score["intervals"]) == {"repeatability", "generalisation"}
    assert (score["model"], score["data_version"], score["n_folds"]) == ("words", "sample data", 2)
    stored = pd.read_parquet(tmp_path / "scores/T1B-sample/words.parquet")
    pd.testing.assert_frame_equal(stored, rows, check_dtype=False)
    files = [tmp_path / f"probes/T1B-sample/words/rep-1/fold-{fold}.parquet" for fold in (1, 2)]
    folds = read_folds(files)
    assert len(folds.scores) == len(rows)
    assert len(folds.predictions) == len(set(folds.predictions["row"].to_pylist()))
    assert json.loads(folds.infos[0].settings)["protocol"]["classifier"] == "logistic"


def test_what_was_done_before_a_failure_is_on_disk(data, tmp_path):
    class Failing(WordEncoder):
        def encode(self, texts):
            if len(set(texts)) > 800:
                raise RuntimeError("out of memory")
            return super().encode(texts)

    evaluator = written_to(tmp_path, data, Failing(), tasks=["G3-sample", "T1B-sample"])
    with pytest.raises(RuntimeError, match="out of memory"):
        evaluator.evaluate(kwargs_train=QUICK)
    assert [file.parent.name for file in tmp_path.glob("scores/*/words.json")] == ["G3-sample"]


def test_unknown_tasks_are_told_with_the_nearest_name(evaluator, tmp_path):
    with pytest.raises(ValueError, match="there is no task 'T1B-smaple'. Did you mean T1B-sample?"):
        sentflow.UlyssesSentEval(WordEncoder(), tasks=["T1B-smaple"])
    with pytest.raises(ArgumentError, match="there is no task 'T9'"):
        evaluator.evaluate_in_task("T9")
    for tasks in ([], ["T1A", "T1A"]):
        with pytest.raises(ArgumentError, match="at least one task, and each one once"):
            sentflow.UlyssesSentEval(WordEncoder(), tasks=tasks)
    with pytest.raises(ConfigError, match="there is no dataset 'nowhere'"):
        sentflow.UlyssesSentEval(
            WordEncoder(), config={"tasks": {"x": {"like": "T1A", "dataset": "nowhere"}}}
        )
    with pytest.raises(ConfigError, match="there is no file"):
        sentflow.UlyssesSentEval(WordEncoder(), config=tmp_path / "absent.yaml")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    results = tmp_path_factory.mktemp("run") / "results"
    scores = fake_summary.score_rows(tasks=["T1A", "F3"])
    write_rows(results / "summary/scores.parquet", ScoreRow, scores)
    write_rows(results / "summary/retrieval.parquet", RetrievalRow, fake_retrieval.results().rows)
    (results / "comparisons").mkdir()
    fake_comparisons.write_comparisons(results / "comparisons", scores)
    return results


def test_the_data_frame_has_a_row_per_task_with_the_numbers_of_the_dictionary(evaluated):
    scores, _ = evaluated
    frame = scores.frame()
    assert frame["task"].tolist() == ["T1B-sample", "G3-sample"]
    assert frame["model"].tolist() == ["words"] * 2
    assert frame["mean"].tolist() == [one["avg_metric_test"] for one in scores.values()]
    assert (frame["low"] <= frame["mean"]).all()
    assert (frame["mean"] <= frame["high"]).all()
    assert scores["G3-sample"].frame().iloc[0].to_dict() == frame.iloc[1].to_dict()
    for shown in (scores, scores["G3-sample"]):
        assert shown.plot()._repr_png_().startswith(b"\x89PNG")


def test_a_results_folder_is_read_as_data_frames(folder):
    results = sentflow.read_results(folder)
    assert len(results.scores) == 2 * len(fake_summary.MODELS)
    assert {"difference", "p_holm"} <= set(results.pairs.columns)
    assert {"retriever", "measure", "value"} <= set(results.retrieval.columns)
    assert {"scores", "pairs", "ranks", "retrieval"} <= set(results.names)
    assert results.frame("ranks").equals(sentflow.read_results(folder.parent).frame("ranks"))


def small_design(metric: str = "mcc") -> ProbeDesign:
    return ProbeDesign(metric, 2, None, PUBLISHED.but(repetitions=1, folds=2, max_epochs=3))


def folds_of(design: ProbeDesign, *, n_processes: int) -> list[FoldResult]:
    table = make_task(420)
    plans = plan_folds(table.labels, design.protocol)
    source = FixedFeatures(task_features(table))
    return list(trained_folds(source, table.labels, plans, design, n_processes=n_processes))


@pytest.mark.slow
def test_two_processes_give_every_fold_once_with_the_numbers_of_one():
    one, two = (
        sorted(folds_of(small_design(), n_processes=n), key=lambda fold: (fold.repetition, fold.fold))
        for n in (1, 2)
    )
    assert [(fold.repetition, fold.fold) for fold in two] == [(1, 1), (1, 2)]
    pd.testing.assert_frame_equal(CrossValidation(one).scores, CrossValidation(two).scores)
    pd.testing.assert_frame_equal(CrossValidation(one).predictions, CrossValidation(two).predictions)


class Deadly(str):
    """Kills the process that unpickles it."""

    def __reduce__(self):
        return os._exit, (9,)


@pytest.mark.slow
@pytest.mark.timeout(1800)  # processes that wait for each other wait for ever
def test_a_killed_process_ends_in_an_error_not_in_waiting():
    with pytest.raises(SentflowError, match="'n_processes': 1"):
        folds_of(small_design(Deadly("mcc")), n_processes=2)
