"""What is chosen on training questions, weights of fusions and parameters of decisions, and what may be wrong there."""

from collections.abc import Iterator, Mapping, Sequence
from math import comb
from typing import Any

from sentflow.graph.config.family import AllEntries, Entry, Selected
from sentflow.graph.config.messages import unknown

PARAMETERS = ("most", "window", "share", "least")
WEIGHT_STEPS = 20
_MOST_CANDIDATES = 5000  # weights, or parameters of a decision, that are tried


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
    for name in reached:
        entry = entries["retrievers"][name]
        if entry.get("times") and entry["rule"] == "product":
            yield f"retrievers.{name}.times: a product multiplies all of its runs. Write {entry['times']} in of."
        if "weights" in entry:
            yield from _weight_problems(entry, f"retrievers.{name}")
    for name in selected["decisions"]:
        yield from _decision_problems(entries["decisions"][name], f"decisions.{name}", selected)


def _weight_problems(entry: Entry, where: str) -> Iterator[str]:
    weights, n = entry["weights"], len(entry["of"])
    if entry["rule"] == "product":
        yield f"{where}.weights: a product has no weights. Delete them, or write rule: sum."
    elif isinstance(weights, Mapping):
        n_candidates = comb(weights.get("steps", WEIGHT_STEPS) + n - 1, n - 1)
        if n_candidates > _MOST_CANDIDATES:
            yield (
                f"{where}.weights.steps: {n_candidates} weights of {n} retrievers. Write fewer steps: at most "
                f"{_MOST_CANDIDATES} weights."
            )
    elif len(weights) != n:
        yield f"{where}.weights: {len(weights)} weights for {n} retrievers. Write one for each."


def _decision_problems(entry: Entry, where: str, selected: Selected) -> Iterator[str]:
    for one in entry.get("retrievers", []):
        if one not in selected["retrievers"]:
            yield f"{where}.retrievers: {one!r} is not selected. Write it in select.retrievers, too."
    ranges: dict[str, Any] = {key: entry[key] for key in PARAMETERS if isinstance(entry.get(key), Mapping)}
    if ranges and "tuned_on" not in entry:
        yield f"{where}.{next(iter(ranges))}: a range, but no questions to choose on. Write tuned_on, or a number."
    if not ranges and "tuned_on" in entry:
        yield f"{where}.tuned_on: there is nothing to choose. Write a range {{from, to, step}}, or delete tuned_on."
    n_candidates = 1.0
    for key, one in ranges.items():
        if one["to"] < one["from"]:
            yield f"{where}.{key}: from {one['from']} to {one['to']} is no range. Write the lesser number first."
        n_candidates *= max(1.0, 1 + (one["to"] - one["from"]) / one["step"])
    if n_candidates > _MOST_CANDIDATES:
        yield f"{where}: its ranges have {n_candidates:.0f} values. Write larger steps: at most {_MOST_CANDIDATES}."
