"""The index of terms: the scores of another program, from a file that is mapped, and files that are refused."""

from dataclasses import replace

import bm25s
import numpy as np
import pytest
from retrievers import VARIANTS, bm25_settings

from sentflow.errors import DataError
from sentflow.files.arrays import write_arrays
from sentflow.files.io import write_digest
from sentflow.retrieval.retrievers.bm25 import Bm25
from sentflow.retrieval.term_index import TermIndex


def written(path, index):
    index.write(path)
    write_digest(path)
    return path


def made(**keys):
    rng = np.random.default_rng(3)
    vocabulary = [*(f"t{i}" for i in range(40)), "lei", "luật", "법원", "𝔞"]
    documents = [rng.choice(vocabulary, rng.integers(0, 300)).tolist() for _ in range(60)]
    return documents, TermIndex.of([documents[:20], [], documents[20:21], documents[21:]], **keys)


@pytest.mark.parametrize("variant", VARIANTS)
def test_an_index_from_a_file_has_the_bits_of_the_built_one_and_of_bm25s(tmp_path, variant):
    documents, built = made(corpus="c", analyser="a")
    read = TermIndex.read(written(tmp_path / "i.index", built), corpus="c", analyser="a")
    whole = written(tmp_path / "whole.index", replace(TermIndex.of([documents]), corpus="c", analyser="a"))
    assert whole.read_bytes() == (tmp_path / "i.index").read_bytes()
    other = bm25s.BM25(method=variant, k1=1.2, b=0.6, delta=0.7)
    other.index(documents, show_progress=False)
    first, second = (Bm25(index, bm25_settings(variant, k1=1.2, b=0.6, delta=0.7)) for index in (built, read))
    for question in (["t1"], ["luật", "t3", "t3", "unknown"], ["𝔞", "법원", *documents[7][:30]]):
        expected = other.get_scores([term for term in question if term != "unknown"])
        assert first.scores(question).tobytes() == second.scores(question).tobytes() == expected.tobytes()
    assert read.terms_of(7) == {term: documents[7].count(term) for term in documents[7]}
    assert read.frequency("t1", 7) == documents[7].count("t1")


def test_an_index_that_is_cut_changed_or_of_something_else_is_refused(tmp_path):
    _, index = made(corpus="c", analyser="a")
    path = written(tmp_path / "i.index", index)
    whole, digest = path.read_bytes(), path.with_suffix(".json")
    for wrong, said in (
        ({"corpus": "d"}, "another corpus, c; expected d"),
        ({"analyser": "b"}, "another analyser"),
    ):
        with pytest.raises(DataError, match=said):
            TermIndex.read(path, **wrong)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="SHA-256 differs"):
        TermIndex.read(path)
    digest.unlink()
    with pytest.raises(DataError, match="has no digest"):
        TermIndex.read(path)
    # with a digest of their own
    for content in (b"", b"PAR1", whole[: len(whole) // 2], whole[:-200]):
        path.write_bytes(content)
        write_digest(path)
        with pytest.raises(DataError, match=r"i\.index is not a readable index of terms"):
            TermIndex.read(path)
    fields = {name: value for name, value in vars(index).items() if name != "lengths"}
    about = {name: fields.pop(name) for name in ("corpus", "analyser", "n_documents", "n_terms")}
    for arrays in (
        fields,
        {**fields, "lengths": index.lengths[1:]},
        {**fields, "lengths": index.lengths, "starts": index.starts[1:]},
        {**fields, "lengths": index.lengths, "frequencies": index.frequencies[1:]},
    ):
        write_arrays(path, arrays, about)
        write_digest(path)
        with pytest.raises(DataError, match="is not a readable index of terms"):
            TermIndex.read(path)
