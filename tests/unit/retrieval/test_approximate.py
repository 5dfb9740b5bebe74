"""Approximate indexes: what they find beside the exact search, and what is said of that."""

import math

import numpy as np
import pytest
from judged_questions import questions
from scipy.stats import t as student

from sentflow.errors import DataError
from sentflow.files.io import write_digest
from sentflow.retrieval.evaluation import certificate, recalls
from sentflow.retrieval.ranking import Ranked
from sentflow.retrieval.retrievers import index as indexes
from sentflow.retrieval.retrievers.dense import Vectors, search_vectors
from sentflow.retrieval.settings import CertifySettings, Dense

N, WIDTH = 2000, 16
SMALL = {
    "flat": {},
    "hnsw": {"links": 16, "build_width": 40, "search_width": 40},
    "ivf-flat": {"lists": 20, "probes": 5},
    "ivf-pq": {"lists": 20, "probes": 10, "parts": 8, "bits": 5},
}


def faiss():
    return pytest.importorskip("faiss", reason="approximate indexes need envs/requirements-faiss.txt")


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(1)
    centres = rng.normal(size=(40, WIDTH))
    values = (centres[rng.integers(0, 40, N)] + rng.normal(size=(N, WIDTH))).astype(np.float32)
    values[7], values[1500] = values[3], 0  # a copy, and a vector without direction
    questions = values[rng.choice(N, 30)] + rng.normal(scale=0.3, size=(30, WIDTH)).astype(np.float32)
    return Vectors(values, np.arange(N)), questions


def by_index(kind, similarity="cosine", **keys):
    index = {"kind": kind, **SMALL[kind], **keys}
    return Dense.model_validate({"kind": "dense", "model": "m", "similarity": similarity, "index": index})


def searched(made, kind, k=10, similarity="cosine", seed=1):
    vectors, questions = made
    by = by_index(kind, similarity, seed=seed)
    index = indexes.build(by, vectors)
    return index, list(indexes.search_index(index, questions, by, vectors, k))


def test_a_flat_index_finds_what_the_exact_search_finds(made):
    faiss()
    for similarity in ("cosine", "dot"):
        _, found = searched(made, "flat", similarity=similarity)
        exact = search_vectors(made[1], made[0], 10, similarity=similarity)
        for one, other in zip(found, exact, strict=True):
            assert one.rows.tolist() == other.rows.tolist()
            np.testing.assert_allclose(one.scores, other.scores, rtol=1e-5)  # sums in another order


@pytest.mark.parametrize("kind", sorted(SMALL))
def test_equal_settings_build_equal_indexes_that_find_most(made, kind):
    library = faiss()
    (index, found), (again, _) = searched(made, kind), searched(made, kind)
    assert np.array_equal(library.serialize_index(index), library.serialize_index(again))
    exact = list(search_vectors(made[1], made[0], 10))
    # a random list of ten of 2,000 has a recall of .005
    assert recalls(found, exact, 10).mean() > 0.6
    for one in found:
        assert (np.diff(one.scores) <= 0).all()


def test_an_index_is_read_as_it_was_written_and_no_other(made, tmp_path):
    faiss()
    by = by_index("hnsw")
    index = indexes.build(by, made[0])
    found = list(indexes.search_index(index, made[1], by, made[0], 10))
    path = tmp_path / "one.index"
    indexes.write_index(path, index)
    write_digest(path)
    again = indexes.search_index(indexes.read_index(path), made[1], by, made[0], 10)
    assert [one.rows.tolist() for one in again] == [one.rows.tolist() for one in found]
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(DataError, match="one.index"):
        indexes.read_index(path)


def ranked(rows, scores):
    return Ranked(np.array(rows, dtype=np.int64), np.array(scores, dtype=float))


def test_recall_counts_documents_with_the_score_of_the_last_one():
    exact = [ranked([1, 2, 3], [0.9, 0.8, 0.8]), ranked([4, 5], [0.5, 0.4]), ranked([], [])]
    found = [ranked([1, 3, 9], [0.9, 0.8, 0.8]), ranked([5, 6], [0.4, 0.1]), ranked([2], [0.3])]
    # the second of the first question is another one with the same score
    assert recalls(found, exact, 2)[:2].tolist() == [1, 0.5]
    assert math.isnan(recalls(found, exact, 2)[2])


def test_a_certificate_says_what_is_lost():
    n = 40
    names = [f"q{row}" for row in range(n)]
    asked = questions({name: {"d0": 1} for name in names})
    exact = [ranked([0, 1], [0.9, 0.8])] * n
    worse = [ranked([1], [0.8])] * 10 + exact[10:]
    by = Dense(kind="dense", model="m")
    about = {"measure": "RR@10", "margin": 0.5, "level": 0.95, "cutoffs": [1, 10]}
    settings = CertifySettings(retriever="r", depth=2, by=by, **about)
    found = certificate(lambda: worse, lambda: exact, asked, ["d0", "d1"], settings)
    assert found["values"] == {"approximate": 0.75, "exact": 1}
    assert found["low"] < -0.25 < found["high"]
    [first, both] = found["recalls"]
    assert (first["k"], both["k"]) == (1, 2)
    assert (first["mean"], both["mean"]) == (0.75, 0.875)
    error = math.sqrt(0.25 * 0.75 / 39)  # s² = n / (n − 1) · ¼ · ¾
    assert found["p_equivalence"] == pytest.approx(float(student.sf((0.5 - 0.25) / error, n - 1)))
    rare = certificate(lambda: worse[:1] + exact[1:], lambda: exact, asked, ["d0", "d1"], settings)
    assert math.isnan(rare["low"]) and math.isnan(rare["p_equivalence"])
    same = certificate(lambda: exact, lambda: exact, asked, ["d0", "d1"], settings)
    assert same["p_equivalence"] == 0
