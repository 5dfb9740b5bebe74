"""Scores of real retrievers on real questions, for simulations that draw from them instead of from a formula.

The mirror of real data is read as the rules read it; searches take seconds to a minute per question set.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sentflow.config.collections import Analyser as AnalyserSettings
from sentflow.retrieval.analysers import Analyser
from sentflow.retrieval.evaluation import evaluate
from sentflow.retrieval.ranking import Ranked, Run, top
from sentflow.retrieval.retrievers.bm25 import Bm25
from sentflow.retrieval.settings import BM25
from sentflow.retrieval.term_index import TermIndex
from sentflow.retrieval.tuning import clusters_of
from sentflow.stats.seeds import derive_seed

sys.path.append(str(Path(__file__).parents[1] / "tests/fixtures"))
from mirror_data import mirror_corpus, mirror_questions

PLAIN = {"units": "long-words"}
# Of each question set another analyser for BM25, as its catalog or language suggests
OTHERS = {
    "cranfield": {"units": "long-words", "stop_words": "english", "stemmer": "english"},
    "npl": {"units": "long-words", "stop_words": "english", "stemmer": "english"},
    "scifact-train": {"units": "long-words", "stop_words": "english", "stemmer": "english"},
    "faquad": {"units": "long-words", "stemmer": "portuguese"},
    "korquad": {"units": "character-bigrams"},
}
SYSTEMS = ("BM25", "BM25, other analyser", "BM25, k1 0.9 b 0.4", "random order")


@dataclass(frozen=True)
class RealScores:
    """Systems on the questions of a set.

    Attributes
    ----------
    name
        Of the question set.
    values
        (m, n) float64 of `SYSTEMS`.
    clusters
        (n,) int64, the cluster of each question, from 0.
    """

    name: str
    values: np.ndarray
    clusters: np.ndarray


def real_scores(name: str, mirror: Path) -> RealScores:
    """Search, and measure nDCG@10."""
    return measured(name, mirror, ["nDCG@10"])[0]


def measured(name: str, mirror: Path, measures: list[str], depth: int = 100) -> list[RealScores]:
    """Search and measure: one for each measure.

    Parameters
    ----------
    name
        One of `OTHERS`.
    mirror
        Folder of real data.
    measures
        As ir-measures writes them.
    depth
        Documents per question.
    """
    questions = mirror_questions(name, mirror)
    corpus = mirror_corpus(questions.corpus, mirror)

    def bm25(analyser: dict[str, str], **settings: float) -> list[Ranked]:
        terms = Analyser(AnalyserSettings.model_validate(analyser)).terms
        index = Bm25(TermIndex.of([terms(corpus.whole_texts())]), BM25(kind="bm25", analyser="a", **settings))
        return list(index.search(terms(questions.texts), depth))

    def randomly() -> list[Ranked]:
        seeds = (derive_seed(1, name, question) for question in questions.ids)
        return [top(np.random.default_rng(seed).random(len(corpus)), depth) for seed in seeds]

    runs = [bm25(PLAIN), bm25(OTHERS[name]), bm25(PLAIN, k1=0.9, b=0.4), randomly()]
    found = [
        evaluate(Run(corpus.ids, dict(zip(questions.ids, ranked, strict=True))), questions, corpus, measures)
        for ranked in runs
    ]
    of_question = clusters_of(questions, "gold-document")
    _, clusters = np.unique([of_question[one] for one in found[0].questions], return_inverse=True)
    values = (np.stack([one.values[measure] for one in found]) for measure in measures)
    return [RealScores(name, own, clusters) for own in values]
