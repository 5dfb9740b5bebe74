"""Power means of word vectors, by hand and through the jobs' own functions."""

import numpy as np
import pytest

from sentflow.config.model import mistakes
from sentflow.encoders.entries import encode_settings, fetch_settings
from sentflow.encoders.fetch import fetch_model
from sentflow.encoders.kind import Context, load_encoder
from sentflow.encoders.settings import Model

WORDS = {"lei": (1.0, -2.0), "voto": (3.0, 0.5), "ação": (-1.0, 4.0)}


def encode(folder, texts, **settings):
    path = folder / "words.txt"
    path.write_text("".join(f"{word} {x} {y}\n" for word, (x, y) in WORDS.items()), encoding="utf-8")
    entry = {"kind": "power-means", "source": {"file": str(path)}, **settings}
    assert not mistakes(Model, entry, where="models.m")
    manifest = fetch_model("m", fetch_settings(entry), folder)
    encoder = load_encoder(manifest, encode_settings(entry), Context())
    vectors = encoder.encode(texts, role="text", task=None)
    assert vectors.dtype == np.float32 and vectors.shape == (len(texts), encoder.dimension)
    return vectors


def test_means_stand_one_beside_the_other_and_a_text_without_words_is_zero(tmp_path):
    vectors = encode(tmp_path, ["lei voto ação", "Voto!", "nada"])
    assert vectors[0] == pytest.approx([-1, -2, 1, 2.5 / 3, 3, 4])
    assert vectors[1] == pytest.approx([3, 0.5] * 3)
    assert not vectors[2].any()


def test_the_cubic_mean_has_the_sign_of_the_sum_of_cubes(tmp_path):
    vectors = encode(tmp_path, ["lei ação", "lei lei ação"], means=["cubic", "mean"])
    assert vectors[0] == pytest.approx([0, ((-8 + 64) / 2) ** (1 / 3), 0, 1])
    assert vectors[1] == pytest.approx([(1 / 3) ** (1 / 3), (48 / 3) ** (1 / 3), 1 / 3, 0])


def test_a_mean_that_is_none_is_refused():
    entry = {"kind": "power-means", "source": {"file": "x"}, "means": ["median"]}
    assert "means" in str(mistakes(Model, entry, where="models.m")[0])
