"""The table of retrievers with several seeds: how much questions and how much seeds decide."""

from collections.abc import Mapping, Sequence
from typing import Any

from sentflow.compare.question_rows import SeedRow
from sentflow.report import captions
from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import MISSING, count, decimal, interval, p_number, percent, signed
from sentflow.report.rows import data_note, unique
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.table import Cell, Table


def seeds_table(rows: Sequence[RetrievalRow], title: str, seeds: Sequence[SeedRow]) -> Table:
    """A block per question set: the mean of each family over seeds, then its differences from other retrievers."""
    shown = [row for row in words.whole(rows) if row.is_main]
    titles = {row.retriever: row.retriever_title for row in shown}
    sets = {row.questions: row.questions_title for row in shown}
    main = {row.measure for row in shown}
    groups = [
        Group(
            f"{name}: {sets[name]}",
            tuple(_line(row, titles) for row in seeds if row.unit_set == name and row.measure in main),
        )
        for name in unique(row.unit_set for row in seeds)
    ]
    return table_of_cells(
        name="retrieval-seeds",
        caption=f"{title}: retrievers with several seeds.",
        notes=tuple(filter(None, (data_note(shown), *_notes(seeds)))),
        header=(
            "Family, or family − retriever",
            shown[0].measure if shown else "Value",
            "Interval",
            "p",
            "Questions",
            "Seeds",
            "Spread of seeds",
            "Variance from questions",
            "from seeds",
            "More of",
        ),
        alignment=("w4.4", "r", "l", "r", "r", "r", "r", "r", "r", "l"),
        groups=tuple(groups),
        tidy_header=names_of(SeedRow),
        tidy_rows=records_of(seeds),
    )


def _line(row: SeedRow, titles: Mapping[str, str]) -> tuple[Cell, ...]:
    return (
        Cell(f"{row.family} − {titles.get(row.other, row.other)}" if row.other else row.family),
        Cell(signed(row.value) if row.other else decimal(row.value)),
        Cell(interval(row.low, row.high)),
        Cell(p_number(row.p)),
        Cell(count(row.n_questions)),
        Cell(count(row.n_seeds)),
        Cell(decimal(row.spread_of_seeds)),
        Cell(_share(row.share_of_questions)),
        Cell(_share(row.share_of_seeds) + ("†" if row.seeds_unseen else "")),
        Cell(row.more),
    )


def _share(value: float) -> str:
    return f"{100 * value:.0f}\u202f%" if value == value else MISSING


def _notes(seeds: Sequence[SeedRow]) -> list[str]:
    if not seeds:
        return ["No retriever was searched with several seeds."]
    said = [
        f"Mean over questions and seeds, with its {percent(seeds[0].level)} interval for {words.QUESTIONS} and new "
        "seeds (two-way analysis of variance); p: of a difference, for the same. Neither is adjusted for the number of "
        "lines. Two families are compared seed by seed. Nothing is said of other collections, nor of changes other "
        "than the seed. Spread of seeds: standard deviation between their means. Variance: share of that of the mean; "
        "the rest is what is peculiar to a question with a seed. More of: what twice as many would make the interval "
        "narrower."
    ]
    said += captions.few_seeds(row.n_seeds for row in seeds)
    if any(row.seeds_unseen for row in seeds):
        said.append(
            "†: seeds differ less than noise would; with a few seeds this means “not seen”, not “none”."
        )
    return said


def table(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """`seeds_table` of the files of an experiment."""
    return seeds_table(inputs.rows(RetrievalRow), settings["caption"], inputs.rows_if_there(SeedRow))
