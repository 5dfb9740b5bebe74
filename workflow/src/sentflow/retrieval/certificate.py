"""What an approximate index costs and saves: beside the exact search, on the same questions."""

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from sentflow.retrieval.approximate import recalls
from sentflow.retrieval.measures import per_question
from sentflow.retrieval.ranking import Ranked
from sentflow.retrieval.settings import CertifySettings
from sentflow.stats.means import says_enough
from sentflow.stats.paired import PairedT
from sentflow.texts.corpora import Questions

Search = Callable[[], Iterable[Ranked]]

_DIGITS = 12  # to which differences are rounded, so that rounding makes none


def certificate(
    approximate: Search,
    exact: Search,
    questions: Questions,
    document_ids: Sequence[str],
    settings: CertifySettings,
) -> dict[str, Any]:
    """Recall of the exact search, difference of the main measure, and questions per second of both."""
    least = {"approximate": math.inf, "exact": math.inf}
    found: dict[str, list[Ranked]] = {}
    for _ in range(2):
        for name, search in (("approximate", approximate), ("exact", exact)):
            started = time.process_time()
            found[name] = list(search())
            least[name] = min(least[name], time.process_time() - started)
    return {
        "n_questions": len(questions),
        "recalls": [
            _recall(found["approximate"], found["exact"], k)
            for k in sorted({min(k, settings.depth) for k in settings.cutoffs})
        ],
        "per_second": {name: len(questions) / max(seconds, 1e-9) for name, seconds in least.items()},
        **_difference(found, questions, document_ids, settings),
    }


def _recall(found: Sequence[Ranked], exact: Sequence[Ranked], k: int) -> dict[str, float]:
    values = recalls(found, exact, k)
    values = values[~np.isnan(values)]
    if not len(values):
        return {"k": k, "mean": math.nan, "p5": math.nan}
    return {"k": k, "mean": float(values.mean()), "p5": float(np.quantile(values, 0.05))}


def _difference(
    found: Mapping[str, Sequence[Ranked]],
    questions: Questions,
    document_ids: Sequence[str],
    settings: CertifySettings,
) -> dict[str, Any]:
    """The main measure of both, and whether they are equal within the margin; NaN of too few questions."""
    least, measure = questions.relevant_grade, settings.measure
    grades = {
        name: own
        for name, own in questions.by_question().items()
        if max(own.values(), default=least - 1) >= least
    }
    values = {}
    for name, ranked in found.items():
        of_question = dict(zip(questions.ids, ranked, strict=True))
        order = {one: [document_ids[row] for row in of_question[one].rows.tolist()] for one in grades}
        values[name] = per_question(order, grades, [measure], relevant_grade=least)[measure]
    stated = {name: float(own.mean()) if len(own) else math.nan for name, own in values.items()}
    differences = (values["approximate"] - values["exact"]).round(_DIGITS)
    test = PairedT(differences)
    enough = says_enough(differences)
    low, high = test.interval(settings.level) if enough else (math.nan, math.nan)
    return {
        "measure": measure,
        "n_judged": len(differences),
        "values": stated,
        "low": low,
        "high": high,
        "p_equivalence": test.p_equivalence(settings.margin)
        if enough or (len(differences) > 1 and test.degenerate)
        else math.nan,
        "margin": settings.margin,
        "level": settings.level,
    }
