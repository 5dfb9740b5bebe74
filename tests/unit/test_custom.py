"""A user's own encoder as it runs: what it is given, what is taken from it, and what is told when it fails."""

import numpy as np
import pytest
from small_tasks import make_task

from sentflow.encoders.fetch import fetch_model
from sentflow.encoders.kind import Context, load_encoder
from sentflow.encoders.kinds.custom import CustomCode, CustomFeaturiser, as_vectors
from sentflow.errors import ConfigError, DataError
from sentflow.probing.draws import FoldPlan
from sentflow.probing.rows import LazyFeaturised

TEXTS = ["Ação", "lei", "São José"]
HEAD = "import numpy as np\n\n\ndef lengths(texts):\n    return np.array([[len(text), 1.0] for text in texts])\n\n\n"
PLAIN = HEAD + "class Mine:\n    def encode(self, texts):\n        return lengths(texts)\n"


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Write a file and give the manifest of its class Mine."""
    monkeypatch.chdir(tmp_path)

    def manifest(source, **entry):
        (tmp_path / "mine.py").write_text(source, encoding="utf-8")
        return fetch_model("m", {"kind": "custom", "custom": "mine.py:Mine", **entry}, tmp_path)

    return manifest


def encoder(manifest, folder):
    return load_encoder(manifest, {}, Context(folder))


@pytest.mark.parametrize(
    ("signature", "told"),
    [
        ("self, texts", ""),
        ("self, texts, *, role, task", "query/T1A"),
        ("self, texts, **options", "query/T1A"),
    ],
)
def test_role_and_task_are_told_to_those_who_ask(own, tmp_path, signature, told):
    body = "dict(locals().get('options', locals()))"
    source = (
        f"class Mine:\n    def encode({signature}):\n        known = {body}\n"
        "        said = '/'.join(str(known[key]) for key in ('role', 'task') if known.get(key))\n"
        "        return [[float(len(said)), 1.0] for _ in texts]\n"
    )
    mine = encoder(own(source), tmp_path)
    assert mine.encode(["a"], role="query", task="T1A").tolist() == [[len(told), 1]]


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ("[[1.0] for _ in texts][1:]", r"returned float64 \(1, 1\) for 2 texts, expected \(2, d\)"),
        ("[[1.0] * n for n, _ in enumerate(texts)]", r"returned list, which cannot become an array .*same length"),
        ("None", r"returned NoneType for 2 texts"),
        ("[['a'] for _ in texts]", r"returned list of <U1 for 2 texts"),
        ("[[float('nan')] for _ in texts]", r"returned values that are not finite .* 2 of 2 texts: row 1 \('Uma lei"),
        ("1 / 0", r"failed: ZeroDivisionError: division by zero \(line 3\)"),
    ]
)  # fmt: skip
def test_a_wrong_result_names_file_class_and_method_in_the_first_second(own, tmp_path, result, message):
    manifest = own(f"class Mine:\n    def encode(self, texts):\n        return {result}\n")
    with pytest.raises(DataError, match=rf"mine\.py, Mine\.encode {message}"):
        encoder(manifest, tmp_path)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("import nao_existe\n" + PLAIN, r"mine\.py cannot be imported: ModuleNotFoundError: .*nao_existe.*line 1"),
        (PLAIN + "Mine = 3\n", r"mine\.py has no class 'Mine' when it is imported"),
        (PLAIN + "Mine.lazy = True\n", r"lazy is True when it is imported, but the file was read as False")
    ]
)  # fmt: skip
def test_a_class_that_cannot_be_made_is_told(own, tmp_path, source, message):
    manifest = own(source)
    with pytest.raises(ConfigError, match=message):
        encoder(manifest, tmp_path)


def test_arrays_lists_tensors_and_sparse_matrices_are_taken():
    sparse = pytest.importorskip("scipy.sparse")
    torch = pytest.importorskip("torch")
    rows = [[1, 2], [3, 4], [5, 6]]
    tensor = torch.tensor(rows, dtype=torch.bfloat16).requires_grad_()
    values = [rows, np.array(rows, np.float16), np.array(rows).T.copy().T, sparse.csr_matrix(rows), tensor]
    for value in values:
        vectors = as_vectors(value, TEXTS, where="x")
        assert vectors.dtype == np.float32 and vectors.flags.c_contiguous
        assert vectors.tolist() == rows


PLAN = FoldPlan(1, 1, np.array([3, 0, 9]), np.array([1]), np.array([8, 2]), 0, 0)
WATCHED = """
class Mine:
    lazy = True
    made = []

    def __init__(self):
        self.made.append(self)
        self.calls = []

    def embed(self, texts_a, texts_b, task, split):
        self.calls.append((texts_a, texts_b, task, split))
        return [[len(text), len(self.calls)] for text in texts_a]
"""


@pytest.mark.parametrize("layout", ["single", "pair"])
def test_lazy_featuriser_is_called_split_by_split_and_anew_in_every_fold(own, layout):
    table = make_task(layout=layout)
    code = CustomCode.load(own(WATCHED))
    source = LazyFeaturised(table, CustomFeaturiser(code))
    train, evaluation, test = source.parts(PLAN)
    source.parts(PLAN)
    first, second = code.type.made
    assert (
        [call[3] for call in first.calls] == [call[3] for call in second.calls] == ["train", "eval", "test"]
    )
    for (texts_a, texts_b, task, _), rows in zip(
        first.calls, (PLAN.train, PLAN.evaluation, PLAN.test), strict=True
    ):
        assert texts_a == [table.text_a[row] for row in rows]
        assert texts_b == (None if layout == "single" else [table.text_b[row] for row in rows])
        assert task == "X-sample"
    assert train.tolist() == [[len(table.text_a[row]), 1] for row in PLAN.train]
    assert (train.shape, evaluation.shape, test.shape) == ((3, 2), (1, 2), (2, 2))
    assert train.dtype == np.float32
