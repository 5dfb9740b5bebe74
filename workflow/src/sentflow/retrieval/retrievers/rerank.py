"""The first documents of a run in a new order, by scores of question and text."""

import logging
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from sentflow.encoders.kind import Context, load_encoder
from sentflow.encoders.manifest import read_manifest
from sentflow.encoders.settings import PAIRS
from sentflow.retrieval.ranking import Ranked, top
from sentflow.retrieval.search import Search, SearchInputs
from sentflow.retrieval.settings import Rerank
from sentflow.texts.corpora import read_passages

logger = logging.getLogger(__name__)

Compare = Callable[[Sequence[str], Sequence[str]], np.ndarray]
"""n questions and n texts → (n,) float32, higher where the text answers the question better."""
_QUESTIONS = 64  # that are compared together, so that texts of like length fill a batch


def search(job: Search, inputs: SearchInputs) -> None:
    """The documents of a run, the first of them ordered by a cross-encoder."""
    by, manifest = job.settings.by, inputs.manifest
    assert isinstance(by, Rerank) and isinstance(manifest, Path)
    texts = _texts(job, inputs.passages)
    context = Context(model_files=inputs.model_files, threads=inputs.threads, devices=tuple(inputs.devices))
    encoder = load_encoder(read_manifest(manifest), job.settings.encoder or {}, context, output=(PAIRS,))
    n_compared = 0

    def compare(first: Sequence[str], second: Sequence[str]) -> np.ndarray:
        nonlocal n_compared
        n_compared += len(first)
        return np.asarray(encoder.scores(first, second))

    runs = job.ranked(inputs.runs[0])
    job.write(reranked(runs, job.questions.texts, texts, compare, by.depth))
    logger.info("%d pairs of question and text compared", n_compared)
    if encoder.truncated_pairs:
        logger.warning(
            "%d of %d pairs (%.1f %%) have more tokens than the cross-encoder takes; what they have more is cut off. "
            "Cut documents into passages, or write a larger max_tokens",
            *(encoder.truncated_pairs, n_compared, 100 * encoder.truncated_pairs / n_compared),
        )
    tied = (len(run) > by.depth and run.scores[by.depth] == run.scores[by.depth - 1] for run in runs)
    if split := sum(tied):
        logger.warning(
            "%d questions: documents with the score of the last one that was compared were not compared; which were is "
            "decided by the order of the corpus",
            split,
        )


def _texts(job: Search, passages: Path | None) -> list[list[str]]:
    """Of each document: its passages, or its whole text, if it has one."""
    if passages is None:
        return [[text] if text else [] for text in job.corpus.whole_texts()]
    texts: list[list[str]] = [[] for _ in job.corpus.ids]
    cut = read_passages(passages)
    for row, text in zip(cut.documents.tolist(), cut.texts, strict=True):
        texts[row].append(text)
    return texts


def reranked(
    runs: Sequence[Ranked],
    questions: Sequence[str],
    documents: Sequence[Sequence[str]],
    compare: Compare,
    depth: int,
) -> Iterator[Ranked]:
    """The documents of a run, the first `depth` of them by new scores.

    The others stay behind them in their order: their scores are all shifted, so that the first of them is 1 below the
    least new score. `documents`: the texts of each document of the corpus, whole or passages, of which the best counts;
    one without a text has the least score.
    """
    for start in range(0, len(runs), _QUESTIONS):
        some = runs[start : start + _QUESTIONS]
        first = [run.rows[:depth].tolist() for run in some]
        pairs = [
            (question, text)
            for question, rows in zip(questions[start : start + _QUESTIONS], first, strict=True)
            for row in rows
            for text in documents[row]
        ]
        found = iter(compare([question for question, _ in pairs], [text for _, text in pairs]).tolist())
        for run, rows in zip(some, first, strict=True):
            best = [max((next(found) for _ in documents[row]), default=None) for row in rows]
            least = min((score for score in best if score is not None), default=0.0)
            scores = np.array([least if score is None else score for score in best], dtype=np.float64)
            again = top(scores, depth, rows=run.rows[:depth]) if rows else run
            behind = run.scores[depth:]
            shifted = behind - behind[0] + least - 1 if len(behind) else behind
            yield Ranked(
                np.concatenate([again.rows, run.rows[depth:]]),
                np.concatenate([again.scores, shifted]),
                run.tied_at_cut,
            )
