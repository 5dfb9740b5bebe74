"""Recall at every cutoff from the ranks that evaluation keeps."""

import numpy as np
import pytest

from sentflow.retrieval.evaluation import evaluate
from sentflow.retrieval.ranking import Ranked, Run
from sentflow.retrieval.recall import cutoffs, recall_at
from sentflow.retrieval.results import read_values, write_results
from sentflow.stats.resampling import Bootstrap
from sentflow.texts.corpora import Corpus, Questions

N_DOCUMENTS, N_QUESTIONS = 60, 12
CUTS = (1, 5, 20, 60)


def made_up(*, least=1):
    """Random rankings of some documents and random grades from 0 to 2."""
    draw = np.random.default_rng(5)
    ids = [f"d{row}" for row in range(N_DOCUMENTS)]
    names = [f"q{row}" for row in range(N_QUESTIONS)]
    judged = [
        (row, int(document)) for row in range(N_QUESTIONS) for document in draw.permutation(N_DOCUMENTS)[:9]
    ]
    asked = Questions(
        "q", "c", "raw", "en", least, names, names, [""] * N_QUESTIONS,
        np.array([row for row, _ in judged]), [ids[document] for _, document in judged],
        draw.integers(0, 3, len(judged)),
    )  # fmt: skip
    corpus = Corpus("c", "raw", "en", ids, [""] * N_DOCUMENTS, ids)
    ranked = {
        name: Ranked(draw.permutation(N_DOCUMENTS)[:40], np.arange(40.0, 0, -1))
        for name in names[1:]  # nothing was found for the first question
    }
    return evaluate(Run(ids, ranked), asked, corpus, [f"R@{cut}" for cut in CUTS])


@pytest.mark.parametrize("least", [1, 2])
def test_recall_from_ranks_is_that_of_ir_measures(least):
    found = made_up(least=least)
    recalls = recall_at(found.ranks, found.n_relevant, CUTS)
    for column, cut in enumerate(CUTS):
        np.testing.assert_allclose(recalls[:, column], found.values[f"R@{cut}"], rtol=1e-12)


def test_ranks_are_kept_beside_the_values_of_questions(tmp_path):
    found = made_up()
    about = {"questions": "q", "retriever": "r"}
    write_results(tmp_path / "r.json", tmp_path / "r.parquet", found, about, Bootstrap(0.99, 10, 1))
    stored = read_values(tmp_path / "r.parquet")
    assert [ranks.tolist() for ranks in stored.ranks] == [ranks.tolist() for ranks in found.ranks]
    assert stored.n_relevant.tolist() == found.n_relevant.tolist()
    assert list(stored.values) == [f"R@{cut}" for cut in CUTS]


@pytest.mark.parametrize("depth", [1, 2, 10, 100, 1000, 12345])
def test_cutoffs_rise_from_one_to_the_depth(depth):
    cuts = cutoffs(depth)
    assert (cuts[0], cuts[-1]) == (1, depth)
    assert cuts == sorted(set(cuts))
    # a sixteenth of a decade is a factor of 1.155; numbers of documents are whole
    assert all(after <= 1.16 * before + 1 for before, after in zip(cuts, cuts[1:], strict=False))
