"""What the page shows of semantic similarity."""

from collections.abc import Sequence

from markupsafe import Markup

from sentflow.compare.rows import SimilarityDifference
from sentflow.report import claims
from sentflow.report.claims import Sets
from sentflow.report.costs.rows import EncoderRow
from sentflow.report.families.similarity import words
from sentflow.report.families.similarity.rows import RegressionRow, SimilarityRow, main_rows
from sentflow.report.numbers import decimal
from sentflow.report.page import draw
from sentflow.report.page.sources import Report, Section, Sources, datasets_of
from sentflow.report.rows import grouped, unique


def report(sources: Sources) -> Report | None:
    """The section; None where there is nothing to tell."""
    inputs = sources.inputs
    scores, regressions = inputs.rows_if_there(SimilarityRow), inputs.rows_if_there(RegressionRow)
    if not (scores or regressions):
        return None
    main, tests = main_rows(scores), inputs.rows_if_there(SimilarityDifference)
    ranking, sets = claims.of_similarity(main, tests, inputs.rows_if_there(EncoderRow))
    reading = draw.how(
        "Cosine of two sentence vectors against human scores: {} × 100.",
        draw.term("spearman", "Spearman correlation"),
    )
    if not sets.sets:
        body, finding = reading, "The correlations that a trained regressor reaches are in the table."
    elif len(sets.sets) == 1:
        body, finding = reading + draw.leaderboard(ranking), draw.sentence(ranking.verdict())
    elif len(sets.titles) > draw.MANY:
        body, finding = (
            reading + draw.heat_map(sets, lambda value: decimal(value, 1)),
            draw.sentence(sets.finding()),
        )
    else:
        body, finding = reading + _dots(sets, main), draw.sentence(sets.finding())
    warnings = unique(row.warnings for row in scores if row.warnings)
    known = words.contamination(sources.entries("pair_sets"))
    return Report(
        [Section("similarity", "Similarity", finding, body, "similarity")],
        [*scores, *regressions],
        [*(row for row in scores if not row.is_baseline), *regressions],
        [ranking] if sets.sets else [],
        sets if sets.sets else None,
        caveats=[*(("Pair sets", text) for text in warnings), *[("Contamination", known)] * bool(known)],
        datasets=datasets_of(list(sources.entries("pair_sets").values())),
    )


def _dots(sets: Sets, rows: Sequence[SimilarityRow]) -> Markup:
    """A row per pair set, a mark per encoder; the interval is that of the best."""
    order, shorts = list(sets.titles), draw.short_names(sets.titles)
    limits = {(row.pairs, row.model): (100 * row.low, 100 * row.high) for row in rows}
    baselines = grouped([row for row in rows if row.is_baseline], "pairs")
    overlap = {name: max(100 * row.value for row in own) for name, own in baselines.items()}
    values = [*(value for one in sets.sets for value in one.values.values()), *overlap.values()]
    axis = draw.Axis([*values, *(end for one in sets.sets for end in limits[one.name, one.ranked[0]])])
    lines = []
    for one in sets.sets:
        best = one.ranked[0]
        body = axis.span(*limits[one.name, best])
        body += axis.dot(overlap[one.name], "tick", "base") if one.name in overlap else ""
        body += draw.joined(
            axis.dot(one.values[model], mark, f"{colour} mark")
            for i, model in reversed(list(enumerate(order)))
            if model in one.values
            for colour, mark in [draw.series(i, len(order))]
        )
        tag = draw.outcome(one.is_clear, words=False) if one.is_tested else ""
        ends = [
            draw.td(decimal(one.values[best], 1), "num"),
            draw.td(draw.h("{} {}", decimal(sets.lead(one), 1), tag), "dist"),
        ]
        lines.append(draw.line([draw.name(one.title), axis.row(body), *ends]))
    marks = [
        (f"{mark} {colour} mark", shorts[model])
        for i, model in enumerate(order)
        for colour, mark in [draw.series(i, len(order))]
        if colour != "s0" or len(order) <= 6
    ]
    marks += [("tick base", draw.term("baseline", "best baseline"))] if overlap else []
    marks += [("ci", draw.h("95 % {} of the best", draw.term("interval", "interval")))]
    heads = [draw.th("Pair set", "name"), axis.head(), draw.th("Best"), draw.th(draw.term("lead", "Lead"))]
    return draw.key(marks) + draw.h("<figure>{}</figure>", draw.plots(heads, lines))
