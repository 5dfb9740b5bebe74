import json
from pathlib import Path

import numpy as np
import pytest

from sentflow.commands.geometry import main
from sentflow.encoders.vectors.storage import text_order_sha256, write_embeddings
from sentflow.errors import ConfigError, DataError
from sentflow.geometry.permuted_texts import PermutedTexts, write_permuted
from sentflow.similarity.correlations import spearman
from sentflow.similarity.measures import cosine
from sentflow.texts.collection import write_texts
from sentflow.texts.pairs import PairInfo, PairTable, write_pairs

N, D = 60, 8
TEXTS = [f"text {number} of the family" for number in range(N)]
SETTINGS = {
    "family": "own",
    "model": "m",
    "truncation": [2, 4, 8, 500],
    "neighbours": 5,
    "measure": "cosine",
    "correlation": "spearman",
    "seed": 1,
    "n_resamples": 200,
    "level": 0.9,
}


def write_vectors(folder: Path, name: str, texts: list[str], vectors: np.ndarray) -> None:
    description = {"text_order_sha256": text_order_sha256(texts)}
    write_embeddings(folder / f"{name}.npy", folder / f"{name}.json", vectors, description)


@pytest.fixture
def vectors() -> np.ndarray:
    rng = np.random.default_rng(6)
    return (rng.normal(size=(N, D)) * np.linspace(3, 0.5, D) + 0.5).astype(np.float32)


@pytest.fixture
def family(tmp_path, vectors) -> Path:
    write_texts(tmp_path / "texts.parquet", TEXTS)
    write_vectors(tmp_path, "vectors", TEXTS, vectors)
    scores = np.random.default_rng(2).uniform(0, 5, N // 2)
    info = PairInfo("A", "sample data", "en", (0.0, 5.0), [""])
    table = PairTable(info, [""] * (N // 2), TEXTS[: N // 2], TEXTS[N // 2 :], scores)
    write_pairs(tmp_path / "A.parquet", table)
    return tmp_path


def run(folder: Path, *more: str, pairs: bool = True, **changed) -> dict:
    words = ["--pairs", str(folder / "A.parquet")] if pairs else []
    words += ["--texts", str(folder / "texts.parquet"), "--embeddings", str(folder / "vectors.npy")]
    words += ["--info", str(folder / "vectors.json"), "--output", str(folder / "out.json")]
    assert main([*words, *more, "--settings", json.dumps({**SETTINGS, **changed})]) == 0
    return json.loads((folder / "out.json").read_text())


def test_every_measure_is_there_with_its_range_and_a_reason_where_it_has_no_interval(family):
    found = run(family)
    assert (found["family"], found["model"], found["n_texts"], found["dimension"]) == ("own", "m", N, D)
    assert list(found["measures"]) == sorted(
        [
            "average_cosine",
            "partition_ratio",
            "effective_rank",
            "hubness_skewness",
            "dimension_twonn",
            "dimension_mle",
        ]
    )
    for measure in found["measures"].values():
        assert measure["range"]
        assert measure["n"] == N
        assert (measure["low"] is None) == (measure["high"] is None) == (measure["no_interval"] is not None)
    average = found["measures"]["average_cosine"]
    assert average["low"] < average["value"] < average["high"]
    assert len(found["spectrum"]) == D
    assert sum(found["spectrum"]) == pytest.approx(1)
    assert found["warnings"] == []


def test_the_truncation_curve_ends_with_the_score_of_whole_vectors(family, vectors):
    found = run(family)
    assert [(row["dimensions"], row["pairs"]) for row in found["truncation"]] == [
        (2, "A"),
        (4, "A"),
        (8, "A"),
    ]
    scores = np.random.default_rng(2).uniform(0, 5, N // 2)
    for row in found["truncation"]:
        cut = vectors[:, : row["dimensions"]].astype(float)
        expected = spearman(cosine(cut[: N // 2], cut[N // 2 :]), scores)
        assert row["spearman"] == pytest.approx(expected)


def test_whitened_scores_of_each_pair_set(family):
    found = run(family)["whitened"]["A"]
    assert found["dimensions"] == D
    assert found["reduced"] is None  # there are no 256 dimensions
    assert -1 <= found["spearman"] <= 1
    assert -1 <= found["pearson"] <= 1


def test_word_order_is_the_cosine_of_a_text_and_its_permutation(family, vectors):
    originals = [TEXTS[3], TEXTS[0], TEXTS[9]]
    permuted = PermutedTexts(["family the of 3 text", "a", "b"], originals, "words")
    write_permuted(family / "permuted.parquet", permuted)
    # the first as it was, the second opposite, the third the same direction
    write_vectors(family, "turned", permuted.texts, np.stack([vectors[3], -vectors[0], 2 * vectors[9]]))
    more = ["--permuted-texts", str(family / "permuted.parquet")]
    with pytest.raises(ConfigError, match="belong together"):
        run(family, *more)
    found = run(family, *more, "--permuted-embeddings", str(family / "turned.npy"))
    measure = found["measures"]["word_order_cosine"]
    assert measure["value"] == pytest.approx(1 / 3)
    assert measure["n"] == 3
    assert "words" in measure["range"]
    assert measure["low"] < 1 / 3 < measure["high"]
    write_permuted(family / "permuted.parquet", PermutedTexts(permuted.texts, ["x", "y", "z"], "words"))
    with pytest.raises(DataError, match="another family"):
        run(family, *more, "--permuted-embeddings", str(family / "turned.npy"))


def test_neighbours_of_a_large_family_are_searched_in_a_sample_that_is_told(family):
    found = run(family, sample=20)
    assert found["measures"]["hubness_skewness"]["n"] == 20
    assert found["measures"]["average_cosine"]["n"] == N
    assert "among 20 of 60 texts" in found["warnings"][0]
    assert run(family, sample=20) == found
    other = run(family, sample=20, seed=2)["measures"]["dimension_mle"]["value"]
    assert other != found["measures"]["dimension_mle"]["value"]


def test_collapsed_vectors_are_described_as_such(family):
    write_vectors(family, "vectors", TEXTS, np.ones((N, D), np.float32))
    found = run(family)
    assert found["measures"]["average_cosine"]["value"] == pytest.approx(1)
    assert found["measures"]["effective_rank"]["value"] is None
    assert found["measures"]["dimension_twonn"]["value"] is None
    assert found["whitened"] == {}
    told = " ".join(found["warnings"])
    assert "effective_rank is undefined" in told
    assert "60 of 60 texts have the same vector as another" in told
    assert "cannot be whitened" in told


def test_without_pairs_there_are_no_scores(family):
    found = run(family, "--permuted-texts", "--permuted-embeddings", pairs=False)  # as a rule names nothing
    assert (found["whitened"], found["truncation"]) == ({}, [])


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"measure": "cosinus"}, "cosinus"),
        ({"correlation": "kendall"}, "spearman, pearson"),
        ({"neighbours": 1}, "of at least 3"),
        ({"truncation": [0]}, "of at least 1"),
    ],
)
def test_settings_that_do_not_fit_are_refused(family, changed, told):
    with pytest.raises(ConfigError, match=told):
        run(family, **changed)
