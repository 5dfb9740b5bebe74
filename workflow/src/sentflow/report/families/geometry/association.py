"""How measures of geometry go with scores, over encoders, said no more strongly than so few encoders allow."""

import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist

import numpy as np

from sentflow.compare.score_rows import ScoreRow
from sentflow.files.rows import row_from
from sentflow.report import captions
from sentflow.report.families.geometry.rows import AlignmentRow, AssociationRow, GeometryRow, PlaneRow
from sentflow.report.families.probing.rows import average_score, of_main_protocol
from sentflow.report.families.similarity.rows import SimilarityRow, main_rows
from sentflow.report.rows import grouped, unique
from sentflow.similarity.measures import spearman

SIMILARITY, TASKS = "similarity", "tasks"
_FEWEST = 4  # encoders, below which there is no variance of Fisher's transformation


def correlation_interval(correlation: float, n: int, level: float) -> tuple[float, float]:
    """Interval of Spearman's correlation over `n` encoders.

    Returns limits in [-1, 1]; NaN where the correlation is undefined.

    Bonett and Wright 2000, equation 6: tanh(atanh ρ ± z · sqrt((1 + ρ²/2) / (n − 3))). With 3 encoders or fewer the
    variance is infinite and the interval is [-1, 1]. Perfect order, ρ = ±1, has no finite transformation; its inner
    limit is that of the next value that n ranks can give, 1 − 12 / (n (n² − 1)), its outer one ±1.
    """
    if math.isnan(correlation):
        return math.nan, math.nan
    if n < _FEWEST:
        return -1.0, 1.0
    nearest = 1 - 12 / (n * (n**2 - 1))
    inside = max(-nearest, min(nearest, correlation))
    half = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt((1 + inside**2 / 2) / (n - 3))
    low, high = math.tanh(math.atanh(inside) - half), math.tanh(math.atanh(inside) + half)
    return (-1.0 if correlation < -nearest else low), (1.0 if correlation > nearest else high)


def association_rows(
    geometry: Sequence[GeometryRow], similarity: Sequence[SimilarityRow], scores: Sequence[ScoreRow] = ()
) -> list[AssociationRow]:
    """Every measure of every family against its similarity scores, and against the tasks where there are any."""
    main, shown = main_rows(similarity), of_main_protocol(scores)
    level = main[0].level if main else 0.95
    against = {SIMILARITY: "similarity"}
    tasks: dict[str, float] = {}
    if shown:
        n_tasks = len(unique(row.task for row in shown))
        tasks = {model: average_score(own, n_tasks) for model, own in grouped(shown, "model").items()}
        against[TASKS] = f"mean of {n_tasks} tasks{captions.of_protocol(shown[0].protocol, scores)}"
    found = []
    for family, of_family in grouped([row for row in geometry if not row.pairs], "family").items():
        values = {SIMILARITY: mean_scores([row for row in main if row.family == family]), TASKS: tasks}
        for members in grouped(of_family, "measure").values():
            found += [
                _association(members, score, title, values[score], level)
                for score, title in against.items()
                if values[score]
            ]
    return found


def mean_scores(rows: Sequence[SimilarityRow]) -> dict[str, float]:
    """Encoder → mean × 100 over the pair sets of the rows; NaN where one is undefined or missing."""
    members = [row for row in rows if not row.is_baseline]
    n_sets = len(unique(row.pairs for row in members))
    return {
        model: math.fsum(100 * row.value for row in own) / n_sets if len(own) == n_sets else math.nan
        for model, own in grouped(members, "model").items()
    }


def plane_rows(alignments: Sequence[AlignmentRow], similarity: Sequence[SimilarityRow]) -> list[PlaneRow]:
    """Every alignment and uniformity with the mean similarity score of the encoder on the sets of the same family.

    A family without scored sets, such as pairs that are all paraphrases, takes the mean over all sets.
    """
    main = [row for row in main_rows(similarity) if not row.is_baseline]
    found = []
    for row in alignments:
        own = [other for other in main if other.family == row.family] or main
        sets = unique(other.pairs for other in own)
        coefficient = own[0].coefficient.capitalize() if own else "Spearman"
        of_sets = sets[0] if len(sets) == 1 else f"mean of {len(sets)} pair sets"
        score, title = mean_scores(own).get(row.model, math.nan), f"{coefficient} × 100, {of_sets}"
        found.append(row_from(PlaneRow, vars(row), score=score, score_title=title))
    return found


def _association(
    rows: Sequence[GeometryRow], score: str, title: str, values: Mapping[str, float], level: float
) -> AssociationRow:
    known = [
        row for row in rows if not math.isnan(row.value) and not math.isnan(values.get(row.model, math.nan))
    ]
    correlation = math.nan
    if len(known) > 1:
        correlation = spearman(
            np.array([row.value for row in known]), np.array([values[row.model] for row in known])
        )
    low, high = correlation_interval(correlation, len(known), level)
    return AssociationRow(
        family=rows[0].family,
        measure=rows[0].measure,
        score=score,
        score_title=title,
        n_models=len(known),
        n_controls=sum(row.is_control for row in known),
        correlation=correlation,
        low=low,
        high=high,
        level=level,
        encoders="; ".join(row.model_title for row in known),
        data_version=rows[0].data_version,
    )
