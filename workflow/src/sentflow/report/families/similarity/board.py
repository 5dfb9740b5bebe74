"""Similarity on the first lines of the page: who is best, and what encoders reach on pair sets."""

import math
from collections.abc import Mapping
from statistics import fmean

from sentflow.report.answers import Scored, over_unit_sets
from sentflow.report.families.similarity import words
from sentflow.report.families.similarity.data import SimilarityData, main_rows
from sentflow.report.families.similarity.rows import SimilarityRow
from sentflow.report.families.similarity.tables import average_of, key_of
from sentflow.report.leaderboard import Board, Column, System, entries
from sentflow.report.numbers import counted
from sentflow.report.rows import data_versions, is_sample, unique


def answer(data: SimilarityData) -> tuple[str, ...]:
    """Who has the highest correlation on how many pair sets; none where nothing was scored."""
    main = [row for row in main_rows(data.scores) if not math.isnan(row.value)]
    return over_unit_sets(
        [Scored(row.pairs, row.model, row.model_title, row.value) for row in main],
        data.differences,
        systems="encoder",
        measure=f"{words.COEFFICIENTS[main[0].coefficient]} correlation" if main else "",
        unit_set="pair set",
        test="paired bootstrap",
        population="new pairs of sentences",
    )


def columns(data: SimilarityData) -> tuple[Column, ...]:
    """The average over pair sets, that of papers where all seven are there; encoders that lack a set have none."""
    by_model = _by_model(data)
    if not by_model:
        return ()
    sets = {key for found in by_model.values() for key in found}
    values, heading = {model: average_of(found) for model, found in by_model.items()}, "STS average"
    if all(math.isnan(value) for value in values.values()):
        values = {
            model: 100 * fmean(row.value for row in found.values()) if set(found) == sets else math.nan
            for model, found in by_model.items()
        }
        heading = f"STS, {counted(len(sets), 'pair set')}"
    main = main_rows(data.scores)
    note = f"STS: {words.protocol(main)}, × 100, mean over the pair sets; intervals stand with each set."
    return (Column(heading, entries(values, 2), note),)


def boards(data: SimilarityData) -> tuple[Board, ...]:
    """Encoders by this average; none without scored pair sets."""
    found = columns(data)
    if not found:
        return ()
    main = main_rows(data.scores)
    known = {
        row.model: System(row.model, row.model_title, row.is_control) for row in main if not row.is_baseline
    }
    value = {model: entry.value for model, entry in found[0].entries.items()}
    ranked = sorted(known, key=lambda model: -value.get(model, -math.inf))
    return (
        Board(
            title=f"Encoders on {counted(len(unique(row.pairs for row in main)), 'pair set')}.",
            heading="Encoder",
            systems=tuple(known[model] for model in ranked),
            columns=found,
            is_sample=all(is_sample(version) for version in data_versions(main)),
        ),
    )


def _by_model(data: SimilarityData) -> Mapping[str, dict[str, SimilarityRow]]:
    """Encoder → its rows by what papers call the sets; of two forms of a set the first one selected counts."""
    found: dict[str, dict[str, SimilarityRow]] = {}
    for row in main_rows(data.scores):
        if not row.is_baseline and not math.isnan(row.value):
            found.setdefault(row.model, {}).setdefault(key_of(row), row)
    return found
