"""ONNX Runtime and OpenVINO give the vectors of torch."""

import numpy as np
import pytest
from tiny_bert import save_tiny_bert

from sentflow.encoders.kind import Context
from sentflow.encoders.kinds.sentence_transformers import SentenceTransformerEncoder
from sentflow.encoders.neural.backends import missing_libraries
from sentflow.encoders.settings import VectorSettings

TEXTS = ["lei", "a câmara aprovou a lei", "a lei de saúde"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model") / "bert"
    save_tiny_bert(folder)
    return folder


def encoded(folder, texts, **settings):
    context = Context(threads=2, devices=("cpu",))
    encoder = SentenceTransformerEncoder.of_folder(folder, VectorSettings(**settings), context, plain=True)
    return encoder.encode(texts, role="text", task=None)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["onnx", "openvino", "onnx-int8"])
def test_backends_give_the_vectors_of_torch(folder, backend):
    if missing := missing_libraries(backend):
        pytest.skip(f"{backend} needs {', '.join(missing)}")
    plain, found = encoded(folder, TEXTS), encoded(folder, TEXTS, backend=backend)
    rounding = 0.1 if backend == "onnx-int8" else 1e-5
    np.testing.assert_allclose(found, plain, atol=rounding * np.abs(plain).max())
    if backend == "onnx-int8":
        assert np.abs(found - plain).max() > 1e-6  # else it rounds nothing
        # texts are rounded one by one, so that no vector depends on its neighbours
        np.testing.assert_array_equal(encoded(folder, TEXTS[1:], backend=backend), found[1:])
