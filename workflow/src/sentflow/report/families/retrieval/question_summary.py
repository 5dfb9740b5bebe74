"""Values of every question → curves of recall, and differences from the reference."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from sentflow.compare.question_rows import QuestionDifference
from sentflow.report.families.retrieval.rows import QuestionGapRow, RecallRow
from sentflow.report.rows import described
from sentflow.report.settings import QuestionSummary
from sentflow.retrieval.evaluation import QuestionValues
from sentflow.retrieval.measures import cutoffs, recall_at
from sentflow.stats.means import expanded_level, limits_without_draws
from sentflow.stats.resampling import Bootstrap, multinomial_counts, percentile_limits
from sentflow.stats.seeds import derive_seed

_BANDS_AT = (1, 10, 100, 1000)


def recall_rows(values: Sequence[QuestionValues], settings: QuestionSummary) -> Iterator[RecallRow]:
    """Mean recall at every cutoff of a logarithmic axis; with intervals at 1, 10, 100, 1,000 and the depth of runs."""
    cuts = sorted({*cutoffs(settings.depth), *(cut for cut in _BANDS_AT if cut <= settings.depth)})
    banded = [row for row, cut in enumerate(cuts) if cut in (*_BANDS_AT, settings.depth)]
    for own in _by_set(values, settings):
        recalls = [recall_at(one.ranks, one.n_relevant, cuts) for one in own]
        seed = derive_seed(settings.seed, own[0].question_set, "bootstrap")
        bootstrap = Bootstrap(settings.level, settings.n_resamples, seed)
        limits = _limits(np.hstack([recall[:, banded] for recall in recalls]), bootstrap)
        for place, (one, recall) in enumerate(zip(own, recalls, strict=True)):
            asked = described(settings, "question_sets", one.question_set)
            for row, (cut, mean) in enumerate(zip(cuts, recall.mean(axis=0).tolist(), strict=True)):
                low, high = math.nan, math.nan
                if row in banded:
                    low, high = limits[place * len(banded) + banded.index(row)]
                yield RecallRow(
                    **_about(one, settings),
                    cutoff=cut,
                    recall=mean,
                    low=low,
                    high=high,
                    level=settings.level,
                    n_questions=len(one.questions),
                    relevant_grade=asked.relevant_grade,
                )


def gap_rows(
    values: Sequence[QuestionValues], differences: Iterable[QuestionDifference], settings: QuestionSummary
) -> Iterator[QuestionGapRow]:
    """What every retriever but controls reached on each question more than the reference.

    `differences`: the tests of these pairs; a pair that was not tested has no rows.
    """
    tested = {(row.unit_set, row.model_a, row.model_b): row for row in differences}
    measure, reference = settings.main, settings.reference
    for own in _by_set(values, settings):
        base = next((one for one in own if one.retriever == reference), None)
        if base is None:
            continue
        for one in own:
            name = one.question_set
            forth, back = (
                tested.get((name, one.retriever, reference)),
                tested.get((name, reference, one.retriever)),
            )
            about = _about(one, settings)
            if about["is_control"] or (stated := _stated(forth, back)) is None:
                continue
            gaps = one.values[measure] - base.values[measure]
            for question, gap in zip(one.questions, gaps.tolist(), strict=True):
                yield QuestionGapRow(
                    **about,
                    **stated,
                    measure=measure,
                    reference=reference,
                    reference_title=described(settings, "retrievers", reference).title,
                    question=question,
                    difference=gap,
                )


def _stated(forth: QuestionDifference | None, back: QuestionDifference | None) -> dict[str, Any] | None:
    """What the test of a pair says of the retriever less the reference, whichever of them stood first."""
    row = forth or back
    if row is None:
        return None
    common = {"level": row.level, "p_holm": row.p_holm, "alpha": row.alpha, "ties": row.ties}
    if forth:
        own = {"mean": row.difference, "low": row.low, "high": row.high}
        return {**common, **own, "wins": row.wins, "losses": row.losses}
    own = {"mean": -row.difference, "low": -row.high, "high": -row.low}
    return {**common, **own, "wins": row.losses, "losses": row.wins}


def _by_set(values: Sequence[QuestionValues], settings: QuestionSummary) -> Iterator[list[QuestionValues]]:
    """The retrievers of each question set, both in the order of selection."""
    found = {(one.question_set, one.retriever): one for one in values}
    for name in settings.question_sets:
        own = [found[name, retriever] for retriever in settings.shown if (name, retriever) in found]
        if own:
            yield own


def _about(one: QuestionValues, settings: QuestionSummary) -> dict[str, Any]:
    asked = described(settings, "question_sets", one.question_set)
    retriever = described(settings, "retrievers", one.retriever)
    return {
        "questions": one.question_set,
        "questions_title": asked.title,
        "model": one.retriever,
        "model_title": retriever.title,
        "is_control": retriever.control,
        "position": retriever.position,
        "data_version": asked.data_version,
    }


def _limits(columns: np.ndarray, bootstrap: Bootstrap) -> list[tuple[float, float]]:
    """Intervals of the means of (n, k) values as `interval_of_scores` gives them, all on the same resamples."""
    n = len(columns)
    means = np.concatenate([block @ columns / n for block in multinomial_counts(n, bootstrap)])
    expanded = expanded_level(bootstrap.level, n)
    return [
        limits_without_draws(own, bootstrap.level) or percentile_limits(drawn, expanded)
        for own, drawn in zip(columns.T, means.T, strict=True)
    ]
