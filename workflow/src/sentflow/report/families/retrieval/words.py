"""Sentences that the tables of retrieval share."""

import math
from collections.abc import Sequence

from sentflow.compare.rows import QuestionDifference
from sentflow.report import captions
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.numbers import count, decimal
from sentflow.report.rows import unique
from sentflow.retrieval.evaluation import DECISIVE, decisive
from sentflow.stats.effective import FEWEST_OTHERS, FEWEST_VALUES

QUESTIONS = "new questions on the same documents"
DOCUMENTS = "new documents"
BEYOND = "not for other collections or other trainings of an encoder"
POPULATION = f"{QUESTIONS} (not: new documents, other collections, other trainings of an encoder)"
TEST = "paired t-test over questions (sign flips if differences are few)"
BY_QUESTIONS = "bootstrap over questions, or Wilson's of values of 0 and 1"
NO_INTERVAL = (
    f"Without an interval: fewer than {FEWEST_VALUES} questions, or than {FEWEST_OTHERS} that differ from the most "
    "frequent value; p is then of sign flips."
)
MEASURES_NOTE = (
    "Means over the questions with a relevant document, by ir-measures; questions without an answer count as 0. "
    "Documents with equal scores are ranked in the order of the corpus."
)


def whole(rows: Sequence[RetrievalRow]) -> list[RetrievalRow]:
    """The rows of all questions of a set, without those of groups."""
    return [row for row in rows if not row.group]


def main_of(rows: Sequence[RetrievalRow]) -> list[RetrievalRow]:
    """The rows of the main measure over all questions of a set."""
    return [row for row in rows if row.is_main and not row.group]


def by_order(worst: float, best: float) -> str:
    """``ties 0.417–1.000``, where the order of equal scores decides on a mean; else nothing."""
    return f"ties {decimal(worst)}–{decimal(best)}" if decisive(worst, best) else ""


def left_out_note(numbers: dict[str, int]) -> str:
    """Questions of each set that count in no mean."""
    return " ".join(
        f"{count(n)} questions of {name} have no relevant document and are in no mean."
        for name, n in numbers.items()
        if n
    )


def ties_note(rows: Sequence[RetrievalRow]) -> str:
    """How far equal scores could move a mean, where they could."""
    moved = [row for row in main_of(rows) if not math.isclose(row.best_order, row.worst_order, abs_tol=5e-4)]
    if not moved:
        return ""
    most = max(moved, key=lambda row: row.best_order - row.worst_order)
    decided = f" Wider ranges than {DECISIVE} are shown in the cell (ties); such a retriever is not tested."
    return (
        f"Equal scores: the order of tied documents could move {most.measure} of {most.retriever_title} on "
        f"{most.questions} between {most.worst_order:.3f} and {most.best_order:.3f}, the widest range here."
    ) + decided * decided_by_ties(most)


def decided_by_ties(row: RetrievalRow) -> bool:
    """Whether the order of equal scores decides on a mean, so that nothing is said to be better or worse than it."""
    return decisive(row.worst_order, row.best_order)


def duplicates_note(rows: Sequence[RetrievalRow]) -> str:
    """What it changes if copies of judged documents count as judged, where there are any."""
    known = [row for row in main_of(rows) if not math.isnan(row.with_duplicates)]
    if not known:
        return ""
    most = max(known, key=lambda row: abs(row.with_duplicates - row.value))
    return (
        f"Copies: with the grades of judged documents for those of equal text, {most.measure} of "
        f"{most.retriever_title} on {most.questions} is {most.with_duplicates:.3f} instead of {most.value:.3f}, the "
        "largest change here."
    )


def cut_note(rows: Sequence[RetrievalRow]) -> str:
    """What encoders cut off of documents and questions; that nothing was, where they say so."""
    dense = [row for row in main_of(rows) if not row.is_baseline]
    known = [row for row in dense if not math.isnan(row.documents_cut)]
    silent = unique(row.retriever_title for row in dense if math.isnan(row.documents_cut))
    cut = sorted(
        (row for row in known if row.documents_cut or row.questions_cut), key=lambda row: -row.documents_lost
    )
    each = "; ".join(f"{row.retriever_title} on {row.questions}: {_cut_of(row)}" for row in cut)
    sentences = [f"Cut off by encoders, which truncate long texts: {each}."] if cut else []
    if len(cut) < len(known):
        sentences.append(f"{'The other encoders' if cut else 'Encoders'} read every text to its end.")
    if silent:
        sentences.append(f"Truncation is unknown for {', '.join(silent)}.")
    return " ".join(sentences)


def _cut_of(row: RetrievalRow) -> str:
    sides = (
        (row.documents_cut, row.n_documents, "documents", row.documents_lost),
        (row.questions_cut, row.n_questions + row.n_left_out, "questions", row.questions_lost),
    )
    return " and ".join(
        f"{count(int(n))} of {count(total)} {what} ({100 * lost:.1f}\u202f% of all their tokens)"
        for n, total, what, lost in sides
        if n
    )


def test_note(differences: Sequence[QuestionDifference]) -> str:
    """What bold and underline rest on."""
    if not differences:
        return "No test between retrievers was made, so nothing is in bold."
    note = captions.test_note(TEST, "of a question set", differences[0].alpha, differences[0].measure)
    return f"{note} It holds for {POPULATION}."
