"""The results of similarity in plain words."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from sentflow.report.families.similarity import words
from sentflow.report.families.similarity.data import SimilarityData, main_rows
from sentflow.report.families.similarity.rows import SimilarityRow
from sentflow.report.families.similarity.sts_table import average_of, key_of
from sentflow.report.findings import Finding
from sentflow.report.numbers import decimal, percent
from sentflow.report.rows import unique
from sentflow.report.similarity.tested import better_than, of_pairs


def similarity_findings(data: SimilarityData) -> list[Finding]:
    """What a reader should take home; nothing is called a lead that no test shows."""
    main = [row for row in main_rows(data.scores) if not math.isnan(row.value)]
    if not main:
        return []
    found = [_highest(main), _average(main), _lead(main, data), _baseline(main)]
    return [finding for finding in found if finding is not None]


def _highest(rows: Sequence[SimilarityRow]) -> Finding:
    titles = {row.model: row.model_title for row in rows}
    sets = unique(row.pairs for row in rows)
    wins: Counter[str] = Counter()
    for pairs in sets:
        members = [row for row in rows if row.pairs == pairs]
        best = max(row.value for row in members)
        wins.update(row.model for row in members if row.value == best)
    said = ", ".join(f"{titles[model]} on {n} of {len(sets)}" for model, n in wins.most_common())
    return Finding("Highest similarity score", f"{said} pair {'set' if len(sets) == 1 else 'sets'}.")


def _average(rows: Sequence[SimilarityRow]) -> Finding | None:
    by_model: dict[str, dict[str, SimilarityRow]] = {}
    for row in rows:
        # of two forms of a set the first one selected counts, as in the first lines of the table
        by_model.setdefault(row.model, {}).setdefault(key_of(row), row)
    averages = {next(iter(m.values())).model_title: average_of(m) for m in by_model.values()}
    known = {title: value for title, value in averages.items() if not math.isnan(value)}
    if not known:
        return None
    ranked = sorted(known, key=lambda title: -known[title])
    return Finding(
        "Average of the seven sets", ", ".join(f"{t} {decimal(known[t], 2)}" for t in ranked) + "."
    )


def _lead(rows: Sequence[SimilarityRow], data: SimilarityData) -> Finding | None:
    sets = [pairs for pairs in unique(row.pairs for row in rows) if of_pairs(data.differences, pairs)]
    if not sets:
        return None
    clear = [pairs for pairs in sets if _is_clear(pairs, data)]
    alpha = data.differences[0].alpha
    return Finding(
        "How clear the lead is",
        f"On {len(clear)} of {len(sets)} pair {'set' if len(sets) == 1 else 'sets'} the highest score is significantly "
        f"above every other one ({percent(alpha)}, paired bootstrap over pairs of sentences, Holm). Where it is not, "
        "the encoders are not shown to be equal.",
    )


def _is_clear(pairs: str, data: SimilarityData) -> bool:
    tests = of_pairs(data.differences, pairs)
    values: Mapping[str, float] = {t.model_a: t.value_a for t in tests} | {
        t.model_b: t.value_b for t in tests
    }
    best = max(values, key=lambda model: values[model])
    return len(better_than(data.differences, pairs, best)) == len(values) - 1


def _baseline(rows: Sequence[SimilarityRow]) -> Finding | None:
    sets = [
        pairs
        for pairs in unique(row.pairs for row in rows if row.is_baseline)
        if any(row.pairs == pairs and not row.is_baseline and not row.is_control for row in rows)
    ]
    if not sets:
        return None
    below = [
        pairs for pairs in sets if _best(rows, pairs, baseline=False) <= _best(rows, pairs, baseline=True)
    ]
    text = f"No encoder scores above the best of them on {', '.join(below)}." if below else (
        f"On all {len(sets)} pair {'set' if len(sets) == 1 else 'sets'} the highest encoder lies above them."
    )  # fmt: skip
    best = max((row for row in rows if row.is_baseline), key=lambda row: row.value)
    return Finding(
        "Against baselines without an encoder",
        f"{text} Their highest score is {words.hundred(best.value)} ({best.model_title} on {best.pairs}).",
    )


def _best(rows: Sequence[SimilarityRow], pairs: str, *, baseline: bool) -> float:
    return max(
        (
            row.value
            for row in rows
            if row.pairs == pairs and row.is_baseline == baseline and not row.is_control
        ),
        default=-math.inf,
    )
