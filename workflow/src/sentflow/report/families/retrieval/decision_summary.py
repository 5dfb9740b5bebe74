"""Results of decisions → rows of their summary."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sentflow.files.rows import number_or_nan
from sentflow.report.families.retrieval.decision_rows import MAIN, OTHERS, DecisionRow
from sentflow.report.rows import described
from sentflow.report.settings import DecisionSummary

_ORDER = ("most", "window", "share", "least")


def decision_rows(results: Iterable[Mapping[str, Any]], settings: DecisionSummary) -> list[DecisionRow]:
    """The means of all decisions, in the order of selection.

    `results`: as `sentflow.retrieval.decisions.write_decision_values` wrote them.
    """
    found = {(one["questions"], one["retriever"], one["decision"]): one for one in results}
    names = [(name, *one) for name in settings.question_sets for one in settings.systems]
    return [row for name in names if name in found for row in _rows(found[name], settings)]


def written(parameters: Mapping[str, float]) -> str:
    """Parameters as a text: ``most 5, window 2.6``."""
    return ", ".join(f"{name} {parameters[name]:g}" for name in _ORDER if name in parameters)


def _range_of(choices: Sequence[Mapping[str, float]]) -> str:
    """From where to where the parameters go that are not the same in all choices: ``window 0.4 to 3``."""
    if not choices:
        return ""
    values = {name: [one[name] for one in choices] for name in _ORDER if name in choices[0]}
    differing = [name for name, own in values.items() if min(own) < max(own)]
    if not differing:
        return written(choices[0])
    return ", ".join(f"{name} {min(values[name]):g} to {max(values[name]):g}" for name in differing)


def _rows(result: Mapping[str, Any], settings: DecisionSummary) -> Iterator[DecisionRow]:
    asked = described(settings, "question_sets", result["questions"])
    tuning = result.get("tuning", {})
    within = tuning.get("within_margin", [])
    for measure in (MAIN, *OTHERS):
        stated = result["measures"][measure]
        yield DecisionRow(
            questions=result["questions"],
            questions_title=asked.title,
            retriever=result["retriever"],
            retriever_title=settings.retrievers[result["retriever"]],
            decision=result["decision"],
            decision_title=settings.decisions[result["decision"]],
            system=f"{result['retriever']}/{result['decision']}",
            is_control=result["retriever"] in settings.controls,
            measure=measure,
            value=stated["mean"],
            low=number_or_nan(stated["low"]),
            high=number_or_nan(stated["high"]),
            level=result["level"],
            f2_of_means=result["F2-of-means"],
            documents_per_question=result["documents_per_question"],
            n_questions=result["n_questions"],
            n_left_out=result["n_left_out"],
            n_empty=result["n_empty"],
            parameters=written(result["parameters"]),
            tuned_on=", ".join(tuning.get("tuned_on", [])),
            **{key: tuning.get(key, math.nan) for key in ("in_sample", "nested", "optimism", "margin")},
            n_candidates=len(tuning.get("grid", [])),
            n_within=len(within),
            within=_range_of(within),
            data_version=asked.data_version,
            language=asked.language,
        )
