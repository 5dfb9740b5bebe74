"""The first documents of a run in a new order, by scores of question and text."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from sentflow.retrieval.ranking import Ranked, top

Compare = Callable[[Sequence[str], Sequence[str]], np.ndarray]
"""n questions and n texts → (n,) float32, higher where the text answers the question better."""
_QUESTIONS = 64  # that are compared together, so that texts of like length fill a batch


def reranked(
    runs: Sequence[Ranked],
    questions: Sequence[str],
    documents: Sequence[Sequence[str]],
    compare: Compare,
    depth: int,
) -> Iterator[Ranked]:
    """The documents of a run, the first of them by new scores.

    Documents behind the first `depth` keep their order and stay behind: their scores are all shifted by the same
    number, so that the first of them is 1 below the least new score. Equal ones stay equal, so that ties are counted.

    Parameters
    ----------
    runs
        What was found for each of q questions.
    questions
        Their texts.
    documents
        The texts of each document of the corpus, whole or passages; a document counts by its best text. One without a
        text has the least score.
    compare
        See `Compare`.
    depth
        Documents of each question that are compared, at least 1.
    """
    for start in range(0, len(runs), _QUESTIONS):
        part = slice(start, start + _QUESTIONS)
        yield from _of_part(runs[part], questions[part], documents, compare, depth)


def _of_part(
    runs: Sequence[Ranked],
    questions: Sequence[str],
    documents: Sequence[Sequence[str]],
    compare: Compare,
    depth: int,
) -> Iterator[Ranked]:
    first = [run.rows[:depth].tolist() for run in runs]
    pairs = [
        (question, text)
        for question, rows in zip(questions, first, strict=True)
        for row in rows
        for text in documents[row]
    ]
    found = iter(compare([question for question, _ in pairs], [text for _, text in pairs]).tolist())
    for run, rows in zip(runs, first, strict=True):
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
