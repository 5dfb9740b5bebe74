"""How many rows training data from corpora and question sets have, before any of these is read."""

from collections.abc import Sequence

from sentflow.config.entries import AllEntries, Entry
from sentflow.training.data.collected import (
    corpora_of,
    is_asked,
    is_collected,
    labeller_of,
    question_sets_of,
)
from sentflow.training.data.forms import ALL, PAIRS, RANKS, SCORED, TRIPLETS


def collected_rows(data: Entry, entries: AllEntries) -> int | None:
    """Rows at most of training data from corpora and question sets; None where these state no numbers.

    Documents without two spans, and negatives that are not found or not taken, are counted all the same.
    """
    corpora = [entries["corpora"][name] for name in corpora_of(data)]
    sets = [entries["question_sets"][name] for name in question_sets_of(data)]
    if not is_asked(data):
        return _total(corpora + sets, "rows") if is_collected(data) else None
    # a pseudo-label is one document of a question
    relevant, n_questions = _total(sets, "rows" if labeller_of(data) else "judged"), _total(sets, "rows")
    if relevant is None or n_questions is None:
        return None
    negatives = data.get("negatives", {})
    first, last = negatives.get("ranks", RANKS)
    number = negatives.get("number", 1)
    most = last - first + 1 if number == ALL else int(number)
    found = {PAIRS: relevant, TRIPLETS: relevant * most, SCORED: relevant * most}
    return found.get(data["form"], relevant + n_questions * most)


def _total(entries: Sequence[Entry], key: str) -> int | None:
    """Sum of a number that entries state; None where one does not."""
    return sum(entry[key] for entry in entries) if all(key in entry for entry in entries) else None
