"""What is chosen on training questions, weights of fusions and parameters of decisions, and what may be wrong there."""

from collections.abc import Iterator, Mapping, Sequence

from sentflow.config.entries import AllEntries, Entry, Selected
from sentflow.config.problems.messages import unknown


def tuned_on(retriever: Entry) -> list[str]:
    """The question sets that the weights of a fusion are chosen on; none where they are given."""
    weights = retriever.get("weights")
    return list(weights["tuned_on"]) if isinstance(weights, Mapping) else []


def decided_by(decision: Entry, shown: Sequence[str]) -> list[str]:
    """The retrievers, of those that are shown, whose runs a decision is applied to."""
    named = decision.get("retrievers", shown)
    return [name for name in shown if name in named]


def training_sets(
    reached: Sequence[str], entries: AllEntries, selected: Selected
) -> Iterator[tuple[str, str]]:
    """Place and name of every question set that something is tuned on."""
    for name in reached:
        for one in tuned_on(entries["retrievers"][name]):
            yield f"retrievers.{name}.weights", one
    for name in selected["decisions"]:
        for one in entries["decisions"][name].get("tuned_on", []):
            yield f"decisions.{name}", one


def tuning_problems(reached: Sequence[str], entries: AllEntries, selected: Selected) -> Iterator[str]:
    """What is wrong with tuned weights and with decisions.

    Parameters
    ----------
    reached
        The selected retrievers and all that they fuse or rerank.
    entries, selected
        See `ConfigPart`.
    """
    sets = entries["question_sets"]
    for where, name in training_sets(reached, entries, selected):
        if name not in sets:
            yield unknown(f"{where}.tuned_on", "question set", name, sets)
        elif not sets[name].get("judgements"):
            yield f"{where}.tuned_on: {name!r} has no judgements, so nothing can be chosen on it. Write another."
    for name in selected["decisions"]:
        yield from _decision_problems(entries["decisions"][name], f"decisions.{name}", selected)


def _decision_problems(entry: Entry, where: str, selected: Selected) -> Iterator[str]:
    for one in entry.get("retrievers", []):
        if one not in selected["retrievers"]:
            yield f"{where}.retrievers: {one!r} is not selected. Write it in select.retrievers, too."
