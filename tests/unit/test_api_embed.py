import numpy as np
import pytest
import torch
from api_stubs import QUICK, WordEncoder, sample_table
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfVectorizer
from small_tasks import make_task, task_features, text_vectors

import sentflow
from sentflow.api.arguments import ArgumentError
from sentflow.probing.cross_validation import cross_validate


class Fixed(sentflow.UlyssesSentEval):
    """Returns what it was made with, as the model."""

    def embed(self, X_a, X_b, task, data_split, **kwargs):
        return self.sentence_model(len(X_a))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


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
        ("path/to/sbert", "the model itself"),
        (object(), "a object, which has no method encode. To use it, override embed."),
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
