import json
from pathlib import Path

import numpy as np
import pytest
from family_files import of_family, write_pair_set, write_vectors

from sentflow.errors import ConfigError, DataError
from sentflow.geometry.jobs import geometry
from sentflow.geometry.permuted_texts import PermutedTexts, write_permuted
from sentflow.geometry.settings import GeometrySettings
from sentflow.texts.collection import write_texts

N, D = 60, 8
TEXTS = [f"text {number} of the family" for number in range(N)]
SETTINGS = GeometrySettings(
    truncation=(2, 4, 8, 500),
    neighbours=5,
    measure="cosine",
    correlation="spearman",
    seed=1,
    n_resamples=200,
    level=0.9,
)


@pytest.fixture
def vectors() -> np.ndarray:
    rng = np.random.default_rng(6)
    return (rng.normal(size=(N, D)) * np.linspace(3, 0.5, D) + 0.5).astype(np.float32)


@pytest.fixture
def family(tmp_path, vectors) -> Path:
    write_texts(tmp_path / "texts.parquet", TEXTS)
    write_vectors(tmp_path, "vectors", TEXTS, vectors)
    scores = np.random.default_rng(2).uniform(0, 5, N // 2)
    write_pair_set(tmp_path, "A", list(zip(TEXTS[: N // 2], TEXTS[N // 2 :], scores, strict=True)))
    return tmp_path


def run(folder: Path, **more: Path) -> dict:
    inputs = of_family(folder, [folder / "A.parquet"])
    geometry(**inputs, collection="own", model="m", settings=SETTINGS, **more)
    return json.loads((folder / "out.json").read_text())


def test_word_order_is_the_cosine_of_a_text_and_its_permutation(family, vectors):
    originals = [TEXTS[3], TEXTS[0], TEXTS[9]]
    permuted = PermutedTexts(["family the of 3 text", "a", "b"], originals, "words")
    write_permuted(family / "permuted.parquet", permuted)
    # the first as it was, the second opposite, the third the same direction
    write_vectors(family, "turned", permuted.texts, np.stack([vectors[3], -vectors[0], 2 * vectors[9]]))
    texts, turned = family / "permuted.parquet", family / "turned.npy"
    with pytest.raises(ConfigError, match="belong together"):
        run(family, permuted_texts=texts)
    found = run(family, permuted_texts=texts, permuted_embeddings=turned)
    measure = found["measures"]["word_order_cosine"]
    assert measure["value"] == pytest.approx(1 / 3)
    assert measure["n"] == 3
    assert "words" in measure["range"]
    assert measure["low"] < 1 / 3 < measure["high"]
    write_permuted(family / "permuted.parquet", PermutedTexts(permuted.texts, ["x", "y", "z"], "words"))
    with pytest.raises(DataError, match="another family"):
        run(family, permuted_texts=texts, permuted_embeddings=turned)
