"""A corpus that is searched shard by shard gives the run of the whole: the same documents, scores and ties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from retrievers import VARIANTS, bm25_settings

from sentflow.files.io import write_digest
from sentflow.retrieval.ranking import Run, top, write_run
from sentflow.retrieval.retrievers.bm25 import Bm25
from sentflow.retrieval.shard_runs import merged_shards
from sentflow.retrieval.term_index import TermCounts, TermIndex
from sentflow.texts.corpora import Corpus, read_ids, read_shard, write_corpus
from sentflow.texts.shards import rows_of_shard, shards_of, suffix_of, whole_of


def ids(n):
    return [f"d{row}" for row in range(n)]


def merged_of(folder, n_documents, n_shards, ranked_of, depth, questions):
    """The merged run of what `ranked_of` (first row, one after the last) finds in each shard."""
    paths = []
    for shard in shards_of("c", n_shards):
        start, stop = rows_of_shard(shard, n_documents)
        run = Run(ids(n_documents)[start:stop], dict(zip(questions, ranked_of(start, stop), strict=True)))
        about = {
            "questions": "q",
            "retriever": f"r{suffix_of(shard)}",
            "corpus": shard,
            "n_documents": stop - start,
            "depth": depth,
        }
        paths.append(folder / f"{shard.replace('/', '-')}.parquet")
        write_run(paths[-1], run, about)
    return merged_shards(paths, questions)


def same(run, expected):
    assert list(run.ranked) == [name for name, found in expected.ranked.items() if len(found)]
    for name, found in run.ranked.items():
        assert run.documents(name) == expected.documents(name)
        np.testing.assert_array_equal(found.scores, expected.ranked[name].scores)
        assert found.tied_at_cut == expected.ranked[name].tied_at_cut


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.data())
def test_merged_shards_are_the_whole_with_its_ties_at_the_cut(tmp_path_factory, data):
    n = data.draw(st.integers(3, 30))
    n_shards, k = data.draw(st.integers(2, 3)), data.draw(st.integers(1, 12))
    # Few different scores, so that ties stand on both sides of every border; -1 is a document that is not found
    scores = np.array(
        [data.draw(st.lists(st.integers(-1, 3), min_size=n, max_size=n)) for _ in range(2)], float
    )
    questions = ["q2", "q1"]
    whole = Run(ids(n), {name: top(row, k, above=-0.5) for name, row in zip(questions, scores, strict=True)})
    about, found = merged_of(
        tmp_path_factory.mktemp("runs"),
        n,
        n_shards,
        lambda start, stop: [top(row[start:stop], k, above=-0.5) for row in scores],
        k,
        questions,
    )
    same(found, whole)
    assert about == {"questions": "q", "retriever": "r", "corpus": "c", "n_documents": n, "depth": k}


@pytest.mark.parametrize("variant", VARIANTS)
def test_bm25_of_shards_with_the_counts_of_all_has_the_scores_of_the_whole(tmp_path, variant):
    rng = np.random.default_rng(2)
    vocabulary = [f"t{i}" for i in range(12)]
    documents = [list(rng.choice(vocabulary, rng.integers(0, 9))) for _ in range(40)]
    # The last term is in the last shard alone
    documents[39].append("rare")
    asked = [["t0", "t1", "t1"], ["rare", "t3"], ["unknown"], ["t5"]]
    setting = bm25_settings(variant)
    shards = [rows_of_shard(shard, 40) for shard in shards_of("c", 3)]
    parts = {start: TermIndex.of([documents[start:stop]]) for start, stop in shards}
    TermCounts.summed(parts.values()).write(tmp_path / "counts.index")
    write_digest(tmp_path / "counts.index")
    counts = TermCounts.read(tmp_path / "counts.index")
    whole = Bm25(TermIndex.of([documents]), setting)

    def ranked(start, stop):
        return Bm25(parts[start], setting, counts).search(asked, 6)

    questions = ["a", "b", "c", "d"]
    expected = Run(ids(40), dict(zip(questions, whole.search(asked, 6), strict=True)))
    _, found = merged_of(tmp_path, 40, 3, ranked, 6, questions)
    same(found, expected)


def test_shards_are_the_corpus_in_order_and_names_say_which(tmp_path):
    n = 10
    corpus = Corpus("c", "raw", "en", ids(n), ["T"] * n, [f"text {row}" for row in range(n)])
    write_corpus(tmp_path / "c.parquet", corpus)
    shards = [read_shard(tmp_path / "c.parquet", name) for name in shards_of("c", 4)]
    assert [name for shard in shards for name in shard.ids] == corpus.ids
    assert [text for shard in shards for text in shard.texts] == corpus.texts
    assert {len(shard) for shard in shards} == {2, 3}
    assert [whole_of(shard.name) for shard in shards] == ["c"] * 4
    assert read_ids(tmp_path / "c.parquet") == ("c", corpus.ids)
    assert shards_of("c", 1) == ["c"] and suffix_of("c") == "" and shards_of("c", 10)[0] == "c/shard-01-of-10"
