"""Approximate indexes of weights of terms: what they find beside the exact search, and where they are refused."""

import os
import platform
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array

from sentflow.errors import ConfigError, DataError
from sentflow.files.io import write_digest
from sentflow.retrieval import approximate
from sentflow.retrieval.approximate import recalls
from sentflow.retrieval.indexes import by_seismic
from sentflow.retrieval.indexes.contract import IndexSettings
from sentflow.retrieval.indexes.weights import SearchedWeights

SEISMIC = {"kind": "seismic"}
N, TERMS = 400, 120
# Every list whole, each document a block of its own, all terms of a question, no block left out
EVERYTHING = {
    **SEISMIC,
    **{"centre_share": 1, "summary_share": 1, "question_terms": TERMS, "skip_below": 0, "list_length": N},
}


@pytest.fixture
def seismic():
    """The library; skips where it is not installed, or does not run."""
    if lacking := by_seismic.lacking():
        pytest.skip(f"Seismic does not run here: {lacking}")
    return pytest.importorskip("seismic", reason="indexes of weights need envs/requirements-seismic.txt")


def drawn(n, seed, *, shift=0):
    """Weights of topics, so that neighbours overlap; every tenth row has none."""
    rng = np.random.default_rng(seed)
    topics = rng.random((12, TERMS)) < 0.15
    held = topics[rng.integers(0, 12, n)] & (rng.random((n, TERMS)) < 0.7)
    values = held * rng.gamma(2, 0.5, (n, TERMS)) * (np.arange(n) % 10 > 0)[:, None]
    found = csr_array(values.astype(np.float32))
    return csr_array((found.data, found.indices + shift, found.indptr), shape=(n, TERMS + shift))


def searched_of(weights, *, bits=None, per_document=1):
    return SearchedWeights.of(weights, np.arange(weights.shape[0]) // per_document, bits)


def found_by(corpus, questions, entry, k=10):
    index = approximate.build(corpus, IndexSettings.of(entry))
    return list(approximate.search(index, questions, corpus, k))


def pairs(ranked):
    return [list(zip(one.rows.tolist(), one.scores.tolist(), strict=True)) for one in ranked]


QUESTIONS, DOCUMENTS = drawn(40, 1), drawn(N, 1)


@pytest.mark.parametrize("bits", [None, 8])
@pytest.mark.parametrize("per_document", [1, 2])
def test_where_everything_is_looked_into_all_is_found_with_the_scores_of_the_exact_search(
    seismic, bits, per_document
):
    corpus = searched_of(DOCUMENTS, bits=bits, per_document=per_document)
    # more than there are, so that half precision decides nothing
    found = found_by(corpus, QUESTIONS, EVERYTHING, k=N)
    assert pairs(found) == pairs(corpus.exact(QUESTIONS, N))


# terms that two bytes cannot number have a class of their own
@pytest.mark.parametrize("shift", [0, pytest.param(1 << 16, marks=pytest.mark.slow)])
def test_equal_weights_build_equal_files_that_find_most_and_read_as_they_were_written(
    seismic, shift, tmp_path
):
    corpus, questions = searched_of(drawn(N, 1, shift=shift)), drawn(40, 1, shift=shift)
    settings, path = IndexSettings.of(SEISMIC), tmp_path / "one.index"
    one, other = (approximate.build(corpus, settings) for _ in range(2))
    approximate.write_index(path, one)
    approximate.write_index(tmp_path / "other.index", other)
    assert path.read_bytes() == (tmp_path / "other.index").read_bytes()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["one.index", "other.index"]
    found = list(approximate.search(one, questions, corpus, 10))
    # ten documents drawn of 360 would have a recall of .03
    assert np.nanmean(recalls(found, list(corpus.exact(questions, 10)), 10)) > 0.8
    write_digest(path)
    again = approximate.search(approximate.read_index(path, settings, corpus), questions, corpus, 10)
    assert pairs(again) == pairs(found)
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(DataError, match="one.index"):
        approximate.read_index(path, settings, corpus)


def test_terms_that_no_document_has_and_questions_without_terms_find_nothing_more(seismic):
    wider = (QUESTIONS.shape[0], TERMS + 5)
    known = csr_array((QUESTIONS.data, QUESTIONS.indices, QUESTIONS.indptr), shape=wider)
    corpus = searched_of(
        csr_array((DOCUMENTS.data, DOCUMENTS.indices, DOCUMENTS.indptr), shape=(N, TERMS + 5))
    )
    unknown = csr_array(([1.0], ([0], [TERMS + 4])), shape=wider, dtype=np.float32)
    both = csr_array(known + unknown)
    both.sort_indices()
    assert pairs(found_by(corpus, both, EVERYTHING)) == pairs(found_by(corpus, known, EVERYTHING))
    assert [len(one) for one in found_by(corpus, unknown, EVERYTHING)] == [0] * 40


@pytest.mark.parametrize("n", [1, 3])
def test_documents_without_terms_are_not_found(seismic, n):
    nothing = csr_array((n, TERMS), dtype=np.float32)
    assert [len(one) for one in found_by(searched_of(nothing), QUESTIONS, SEISMIC)] == [0] * 40


def test_what_a_library_of_others_prints_reaches_no_output(seismic, capfd, tmp_path):
    index = approximate.build(searched_of(DOCUMENTS), IndexSettings.of(SEISMIC))
    approximate.write_index(tmp_path / "one.index", index)
    os.write(1, b"after")
    assert capfd.readouterr().out == "after"


def test_an_index_is_built_on_one_thread_and_the_environment_stays(seismic, monkeypatch):
    monkeypatch.setenv("RAYON_NUM_THREADS", "7")
    told = []
    library = SimpleNamespace(build=lambda *_, **__: told.append(os.environ["RAYON_NUM_THREADS"]))
    monkeypatch.setattr(by_seismic, "_library", lambda _width: library)
    by_seismic.build(DOCUMENTS, IndexSettings.of(SEISMIC))
    assert told == ["1"]
    assert os.environ["RAYON_NUM_THREADS"] == "7"
    monkeypatch.delenv("RAYON_NUM_THREADS")
    by_seismic.build(DOCUMENTS, IndexSettings.of(SEISMIC))
    assert told == ["1", "1"]
    assert "RAYON_NUM_THREADS" not in os.environ


def test_weights_beyond_half_precision_are_refused_and_their_impacts_are_not(seismic):
    large = DOCUMENTS.copy()
    large.data[0] = 70_000
    with pytest.raises(DataError, match="a weight of the documents is 70000, but .* Write impacts: 8"):
        approximate.build(searched_of(large), IndexSettings.of(SEISMIC))
    approximate.build(searched_of(large, bits=8), IndexSettings.of(SEISMIC))


def test_more_blocks_than_can_be_numbered_are_refused():
    many = csr_array((200_000, TERMS), dtype=np.float32)
    settings = IndexSettings.of({**SEISMIC, "list_length": 100_000, "centre_share": 0.5})
    with pytest.raises(ConfigError, match="a list of 150000 documents would have more than 65535 blocks"):
        by_seismic.build(many, settings)


def test_rows_are_written_one_after_the_other():
    weights = csr_array(np.array([[0, 2, 0, 3], [0, 0, 0, 0], [5, 0, 0, 0]], dtype=np.float32))
    numbers = by_seismic.as_words(weights)
    halves = numbers.view(np.float32)
    assert numbers[[0, 1, 2, 5, 6, 7]].tolist() == [2, 1, 3, 0, 1, 0]
    assert halves[[3, 4, 8]].tolist() == [2, 3, 5]


FLAGS = "flags\t\t: fpu sse4_2 avx avx2 bmi1 bmi2 f16c fma movbe abm\n"


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (FLAGS.replace(" avx2", "").replace(" fma", ""), "this one lacks avx2, fma"),
        ("processor\t: 0\n", "this one lacks abm, avx2"),
        (None, "cannot be read"),
    ],
)
def test_a_processor_on_which_the_import_would_end_the_process_is_refused(told, said, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    file = tmp_path / "cpuinfo"
    if told is not None:
        file.write_text(told, encoding="utf-8")
    monkeypatch.setattr(by_seismic, "_PROCESSORS", file)
    monkeypatch.setitem(sys.modules, "seismic", None)  # it is not reached
    with pytest.raises(ConfigError, match=f"{said}.*Leave the key index out") as refused:
        approximate.check(IndexSettings.of(SEISMIC))
    assert "requirements-seismic" not in str(refused.value)


@pytest.mark.parametrize(("system", "machine"), [("darwin", "arm64"), ("linux", "aarch64")])
def test_other_machines_are_refused(system, machine, monkeypatch):
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    with pytest.raises(ConfigError, match=f"Linux with an x86-64 processor that has AVX2, but .* {machine}"):
        approximate.check(IndexSettings.of(SEISMIC))


def test_without_the_library_is_said_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setattr(by_seismic, "lacking", lambda: "")
    monkeypatch.setitem(sys.modules, "seismic", None)
    with pytest.raises(
        ConfigError, match=r"Python 3\.11 on Linux .* pip install -r envs/requirements-seismic.txt"
    ):
        approximate.check(IndexSettings.of(SEISMIC))
