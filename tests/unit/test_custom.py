"""A user's own encoder as it runs: what it is given, what is taken from it, and what is told when it fails."""

import subprocess
import sys
import threading

import numpy as np
import pytest
import torch
from small_tasks import make_task, text_vectors

from sentflow.encoders.fetch.model import fetch_model
from sentflow.encoders.kinds.contract import Surroundings
from sentflow.encoders.kinds.custom import (
    CustomEncoder,
    CustomFeaturiser,
    CustomLazyEncoder,
    as_vectors,
)
from sentflow.encoders.kinds.custom_code import CustomCode
from sentflow.encoders.kinds.settings import EncoderSettings
from sentflow.encoders.load import load_encoder
from sentflow.encoders.manifest import write_manifest
from sentflow.errors import ConfigError, DataError
from sentflow.probing.features.featurised import LazyFeaturised, all_features, row_texts
from sentflow.probing.protocol.draws import FoldPlan
from sentflow.texts.table import write_task

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
    return load_encoder(manifest, EncoderSettings(), Surroundings(folder))


# --- encode


def test_vectors_are_float32_in_the_order_of_the_texts(own, tmp_path):
    mine = encoder(own(PLAIN), tmp_path)
    vectors = mine.encode(TEXTS, role="text", task=None)
    assert (vectors.dtype, mine.dimension) == (np.float32, 2)
    assert vectors.tolist() == [[4, 1], [3, 1], [8, 1]]


@pytest.mark.parametrize(
    ("signature", "told"),
    [
        ("self, texts", ""),
        ("self, texts, *, role, task", "query/T1A"),
        ("self, texts, role=None", "query"),
        ("self, texts, **options", "query/T1A"),
        ("self, texts, batch_size=3, task=None", "T1A"),
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


def test_arguments_reach_the_constructor(own, tmp_path):
    source = HEAD + (
        "class Mine:\n    def __init__(self, factor, names=()):\n        self.factor = factor\n"
        "    def encode(self, texts):\n        return self.factor * lengths(texts)\n"
    )
    mine = encoder(own(source, arguments={"factor": 3, "names": ["é"]}), tmp_path)
    assert mine.encode(["ab"], role="text", task=None).tolist() == [[6, 3]]


def test_the_file_may_import_what_lies_beside_it_and_hold_dataclasses(own, tmp_path):
    (tmp_path / "vizinho_do_teste.py").write_text("WIDTH = 3\n", encoding="utf-8")
    source = (
        "from dataclasses import dataclass\nfrom vizinho_do_teste import WIDTH\n\n"
        "@dataclass\nclass Mine:\n    start: int = 0\n"
        "    def encode(self, texts):\n        return [[self.start + len(t)] * WIDTH for t in texts]\n"
    )
    manifest = own(source, arguments={"start": 2})
    assert list(manifest.files) == ["mine.py", "vizinho_do_teste.py"]
    assert encoder(manifest, tmp_path).encode(["a"], role="text", task=None).tolist() == [[3, 3, 3]]


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ("[[1.0] for _ in texts][1:]", r"returned float64 \(1, 1\) for 2 texts, expected \(2, d\)"),
        ("[1.0 for _ in texts]", r"returned float64 \(2,\) for 2 texts"),
        ("[[[1.0]] for _ in texts]", r"returned float64 \(2, 1, 1\) for 2 texts"),
        ("[[] for _ in texts]", r"returned float64 \(2, 0\) for 2 texts"),
        ("[[1.0] * n for n, _ in enumerate(texts)]", r"returned list, which makes no array .*same length"),
        ("None", r"returned NoneType for 2 texts"),
        ("[['a'] for _ in texts]", r"returned list of <U1 for 2 texts"),
        ("[[1j] for _ in texts]", r"returned list of complex128"),
        ("[[float('nan')] for _ in texts]", r"returned values that are not finite .* 2 of 2 texts: row 1 \('Uma lei"),
        ("[[1e300] for _ in texts]", r"returned values that are not finite numbers of float32"),
        ("1 / 0", r"failed: ZeroDivisionError: division by zero \(line 3\)"),
    ],
)  # fmt: skip
def test_a_wrong_result_names_file_class_and_method_in_the_first_second(own, tmp_path, result, message):
    manifest = own(f"class Mine:\n    def encode(self, texts):\n        return {result}\n")
    with pytest.raises(DataError, match=rf"mine\.py, Mine\.encode {message}"):
        encoder(manifest, tmp_path)


def test_a_width_that_depends_on_the_texts_is_told(own, tmp_path):
    source = "class Mine:\n    def encode(self, texts):\n        return [[1.0] * len(texts) for _ in texts]\n"
    mine = encoder(own(source), tmp_path)
    with pytest.raises(DataError, match=r"Mine\.encode returned vectors of 3 values, but of 2 before"):
        mine.encode(TEXTS, role="text", task=None)


def test_an_error_deep_inside_names_the_line_of_the_users_file(own, tmp_path):
    source = "import json\nclass Mine:\n    def encode(self, texts):\n        return json.loads('{')\n"
    with pytest.raises(DataError, match=r"JSONDecodeError: .*\(line 4\)"):
        encoder(own(source), tmp_path)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("import nao_existe\n" + PLAIN, r"mine\.py cannot be imported: ModuleNotFoundError: .*nao_existe.*line 1"),
        (PLAIN + "raise SystemExit(3)\n", r"mine\.py cannot be imported: SystemExit: 3"),
        (PLAIN + "Mine = 3\n", r"mine\.py has no class 'Mine' when it is imported"),
        (PLAIN + "Mine.lazy = True\n", r"lazy is True when it is imported, but the file was read as False"),
        (
            PLAIN.replace("    def", "    def __init__(self):\n        open('nada')\n\n    def"),
            r"Mine\.__init__ failed with the arguments \{\}: FileNotFoundError.*nada.*line 10",
        ),
    ],
)  # fmt: skip
def test_a_class_that_cannot_be_made_is_told(own, tmp_path, source, message):
    manifest = own(source)
    with pytest.raises(ConfigError, match=message):
        encoder(manifest, tmp_path)


def test_a_file_that_changed_since_the_manifest_is_refused(own, tmp_path):
    manifest = own(PLAIN)
    (tmp_path / "mine.py").write_text(PLAIN + "\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"mine\.py has SHA-256"):
        encoder(manifest, tmp_path)


# --- the manifest


def test_manifest_says_what_the_vectors_depend_on(own):
    manifest = own(PLAIN, libraries=["numpy"], arguments={})
    assert list(manifest.files) == ["mine.py"]
    assert manifest.settings["libraries"] == {"numpy": np.__version__}
    assert (manifest.settings["class"], manifest.settings["lazy"]) == ("Mine", False)
    assert own(PLAIN.replace("1.0", "2.0")).files_sha256 != manifest.files_sha256


def test_manifest_is_refused_before_anything_runs(own):
    with pytest.raises(ConfigError, match=r"models\.m: libraries: no-such-thing is not installed"):
        own(PLAIN, libraries=["no-such-thing"])
    with pytest.raises(ConfigError, match=r"models\.m: custom: .*neither encode nor embed"):
        own("class Mine:\n    pass\n")


# --- what results may be


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


# --- lazy encoders and featurisers

PLAN = FoldPlan(1, 1, np.array([3, 0, 9]), np.array([1]), np.array([8, 2]), 0, 0)
WATCHED = """
class Mine:
    lazy = LAZY
    made = []

    def __init__(self):
        self.made.append(self)
        self.calls = []

    def embed(self, texts_a, texts_b, task, split):
        self.calls.append((texts_a, texts_b, task, split))
        return [[len(text), len(self.calls)] for text in texts_a]
"""


def watched(own, lazy):
    code = CustomCode.load(own(WATCHED.replace("LAZY", str(lazy))))
    return code.type, CustomFeaturiser(code)


@pytest.mark.parametrize("layout", ["single", "pair", "alternatives"])
def test_lazy_featuriser_is_called_split_by_split_and_anew_in_every_fold(own, layout):
    table = make_task(layout=layout)
    kind, featuriser = watched(own, True)
    source = LazyFeaturised(table, featuriser)
    train, evaluation, test = source.parts(PLAN)
    source.parts(PLAN)
    first, second = kind.made
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


def test_other_featuriser_is_given_all_rows_once(own):
    table = make_task(layout="pair")
    kind, featuriser = watched(own, False)
    features = all_features(table, featuriser)
    ((texts_a, texts_b, _, split),) = kind.made[0].calls
    assert (texts_a, texts_b, split) == (table.text_a, table.text_b, "all")
    assert features.shape == (24, 2)


def test_a_featuriser_whose_width_changes_between_splits_is_told(own):
    source = (
        "class Mine:\n    lazy = True\n    def embed(self, a, b, task, split):\n"
        "        return [[1.0] * len(split) for _ in a]\n"
    )
    code = CustomCode.load(own(source))
    with pytest.raises(
        DataError, match=r"mine\.py, Mine\.embed returned vectors of 4 values, but of 5 before"
    ):
        LazyFeaturised(make_task(), CustomFeaturiser(code)).parts(PLAN)


def test_a_wrong_result_of_a_featuriser_names_the_split(own):
    code = CustomCode.load(
        own("class Mine:\n    def embed(self, a, b, task, split):\n        return [[1.0]]\n")
    )
    with pytest.raises(
        DataError, match=r"Mine\.embed \(split 'all'\) returned float64 \(1, 1\) for 24 texts"
    ):
        all_features(make_task(), CustomFeaturiser(code))


def test_lazy_encoder_learns_the_training_texts_and_forgets_the_fold_before(own):
    source = (
        "class Mine:\n    lazy = True\n    def __init__(self):\n        self.seen = 0\n"
        "    def fit(self, texts):\n        self.seen += len(texts)\n"
        "    def encode(self, texts, *, task):\n        return [[self.seen, len(task)] for _ in texts]\n"
    )
    lazy = CustomLazyEncoder(CustomCode.load(own(source)), task="T1A")
    for texts in (TEXTS, TEXTS[:1]):
        assert lazy.fit(texts).transform(["a"]).tolist() == [[len(texts), 3]]


def test_row_texts_tell_pairs_apart():
    table = make_task(layout="pair")
    assert row_texts(table)[5] == f"{table.text_a[5]} [SEP] {table.text_b[5]}"
    assert row_texts(make_task()) == make_task().text_a


def test_custom_vectors_are_those_of_the_class(own, tmp_path):
    source = (
        "from small_tasks import text_vectors\n"
        "class Mine:\n    def encode(self, texts):\n        return text_vectors(texts)\n"
    )
    mine = CustomEncoder(CustomCode.load(own(source)))
    np.testing.assert_array_equal(mine.encode(TEXTS, role="text", task=None), text_vectors(TEXTS))


# --- what hangs, and devices that are not there


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        (
            "time.sleep(60)",
            2,
            "mine.py, Mine.embed did not come back within 1 seconds. Look in the log where",
        ),
        # a regular expression lets no other thread run
        pytest.param(
            *("re.match('(a+)+$', 'a' * 40 + 'b')", 1, "Timeout (0:00:06)!"), marks=pytest.mark.slow
        ),
    ],
    ids=["sleep", "C"],
)
def test_a_class_that_hangs_ends_with_the_line_where_it_hung(own, tmp_path, body, code, message):
    source = (
        f"import re, time\nclass Mine:\n    def embed(self, texts_a, texts_b, task, split):\n        {body}\n"
    )
    write_manifest(tmp_path / "m/manifest.json", own(source))
    write_task(tmp_path / "X.parquet", make_task(6))
    words = ["--manifest", "m/manifest.json", "--task", "X.parquet", "--call-seconds", "1"]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "sentflow.commands.featurise",
            *words,
            "--features",
            "f.npy",
            "--info",
            "f.json",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code
    assert message in done.stderr
    assert 'mine.py", line 4 in embed' in done.stderr
    assert not (tmp_path / "f.npy").exists()


def test_a_call_in_time_leaves_no_timer(own, tmp_path):
    mine = CustomEncoder(CustomCode.load(own(PLAIN), timeout_seconds=3600))
    assert mine.encode(TEXTS, role="text", task=None).shape == (3, 2)
    timers = [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)]
    assert all(timer.finished.is_set() for timer in timers)


def test_a_device_that_is_not_there_is_told_with_what_to_write(own, tmp_path):
    if torch.cuda.is_available():
        pytest.skip("this machine has a CUDA device")
    source = "import torch\nclass Mine:\n    def __init__(self):\n        torch.zeros(1, device='cuda')\n"
    manifest = own(source + "    def encode(self, texts):\n        return [[1.0]] * len(texts)\n")
    with pytest.raises(ConfigError, match=r'has no CUDA device: write device = "cuda" if torch'):
        encoder(manifest, tmp_path)
