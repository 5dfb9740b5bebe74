"""The tables of what retrievers reach: means, groups of questions, differences, new documents, seeds, stages."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sentflow.compare.comparisons import detectable, n_needed
from sentflow.compare.marks import Marks
from sentflow.compare.question_rows import (
    ClusterRow,
    DocumentDifference,
    GroupDifference,
    GroupRow,
    QuestionDifference,
    SeedRow,
)
from sentflow.report import captions
from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.rows import RetrievalRow, StageRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import MISSING, count, decimal, interval, p_number, percent, signed
from sentflow.report.rows import unique
from sentflow.report.table.seed_columns import seed_columns, seed_notes
from sentflow.report.table.table import (
    Cell,
    Column,
    Matrix,
    Table,
    build,
    crossed,
    fields_of,
    marked,
    number,
    test_columns,
    text,
)
from sentflow.retrieval.evaluation import CLEAN, LEAKED

MEAN = "Mean"
FEW = 20  # questions below which a mean says little
_LEAST_SETS = 3  # of a mean
_RECALL = re.compile(r"R(?:\(.*\))?@(\d+)\Z")

Line = dict[str, RetrievalRow]
"""Rows of a retriever by what stands in columns."""


# --- means -------------------------------------------------------------------------------------------------


def retrieval(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """Retriever × question set, a block per measure, the main one first; of one set retriever × measure."""
    rows = words.whole(inputs.rows(RetrievalRow))
    differences = inputs.rows_if_there(QuestionDifference)
    sets = unique(row.questions for row in rows)
    is_alone = len(sets) < 2
    measures = words.measures_of(rows) if is_alone else in_order(words.measures_of(rows))
    retrievers = unique(row.retriever for row in rows)
    marks = Marks(differences, retrievers if differences else [])
    has_mean = not is_alone and may_be_averaged(rows)
    lines: dict[tuple[str, str], Line] = {}
    for row in rows:
        block, column = (row.questions, row.measure) if is_alone else (row.measure, row.questions)
        lines.setdefault((block, row.retriever), {})[column] = row
    blocks = sets if is_alone else measures
    columns = measures if is_alone else sets

    def name(line: Line) -> Cell:
        first = next(iter(line.values()))
        has_letter = is_alone or first.is_main
        return Cell(
            first.retriever_title, letters=marks.letters.get(first.retriever, "") if has_letter else ""
        )

    def mean(line: Line) -> float:
        return (
            math.fsum(row.value for row in line.values()) / len(line) if len(line) == len(sets) else math.nan
        )

    def title(block: str, own: Sequence[Line]) -> str:
        return _title_with_sizes(next(iter(own[0].values()))) if is_alone else block

    notes = [
        words.MEASURES_NOTE,
        "" if is_alone else _sizes_note(rows),
        words.grades_note(rows),
        words.left_out_note(rows),
        "" if is_alone else words.cut_note(rows),
        words.interval_note(rows),
        words.test_note(differences),
        f"{MEAN}: unweighted mean over these {len(sets)} question sets; nothing follows for other sets; not tested."
        if has_mean
        else "",
        words.ties_note(rows),
        words.duplicates_note(rows),
    ]
    return build(
        "retrieval",
        f"{settings['caption']}: retrieval.",
        RetrievalRow,
        [lines[block, one] for block in blocks for one in retrievers if (block, one) in lines],
        [
            Column("Retriever", name, width=4.2 if is_alone else 3.0),
            *(marked(one, partial(_mean_cell, one, marks)) for one in columns),
            *([number(MEAN, mean)] if has_mean else []),
        ],
        [note for note in notes if note],
        data=rows,
        records=rows,
        block=lambda line: _block_of(next(iter(line.values())), is_alone=is_alone),
        title=title,
        block_heading="Questions" if is_alone else "Measure",
        matrix=_matrix(rows, differences, None if is_alone else 1 + len(deepest_recall(measures[1:]))),
    )


def _mean_cell(column: str, marks: Marks, line: Line) -> Cell:
    """A mean; of the main measure over all questions of a set with interval, mark and letters."""
    row = line.get(column)
    if row is None:
        return Cell("")
    value = None if math.isnan(row.value) else row.value
    ranged = words.by_order(row.worst_order, row.best_order)
    if not row.is_main or row.group:
        return Cell(decimal(row.value), ranged, value=value)
    return Cell(
        decimal(row.value),
        f"{interval(row.low, row.high)} {ranged}".rstrip(),
        marks.mark(row.questions, row.retriever),
        marks.raised(row.questions, row.retriever),
        value,
    )


def _block_of(row: RetrievalRow, *, is_alone: bool) -> str:
    return row.questions if is_alone else row.measure


def _title_with_sizes(first: Any) -> str:
    size = f"{count(first.n_questions)} questions, {count(first.n_documents)} documents"
    return f"{first.questions}: {first.questions_title} ({size})"


def _sizes_note(rows: Sequence[RetrievalRow]) -> str:
    sizes = {
        row.questions: f"{row.questions} {count(row.n_questions)} in {count(row.n_documents)}" for row in rows
    }
    return f"Questions, and documents that they are searched in: {', '.join(sizes.values())}."


def _matrix(
    rows: Sequence[RetrievalRow], differences: Sequence[QuestionDifference], n_blocks: int | None
) -> Matrix:
    notes = (
        words.MEASURES_NOTE,
        _sizes_note(rows),
        words.grades_note(rows),
        words.test_note(differences).removesuffix(words.LETTERS).rstrip(),
    )
    keys = ("retriever", "retriever_title", "measure")
    known = [note for note in notes if note]
    return crossed(rows, by=keys, across="questions", value="value", notes=known, n_blocks=n_blocks)


def in_order(measures: Sequence[str]) -> list[str]:
    """The main measure, the deepest recall, then the others."""
    return unique([measures[0], *deepest_recall(measures[1:]), *measures]) if measures else []


def deepest_recall(measures: Sequence[str]) -> list[str]:
    """The recall that looks at most documents, where there is one."""
    depths = {name: int(match[1]) for name in measures if (match := _RECALL.match(name))}
    return [max(depths, key=lambda name: depths[name])] if depths else []


def may_be_averaged(rows: Sequence[RetrievalRow]) -> bool:
    """Whether a mean over question sets says something: three or more, none on the documents of another."""
    corpora = {row.questions: row.corpus for row in rows}
    return len(corpora) >= _LEAST_SETS and len(set(corpora.values())) == len(corpora)


def groups(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """Group of questions × retriever, by the main measure; a block per question set that has groups."""
    rows = inputs.rows(RetrievalRow)
    main = [row for row in rows if row.is_main]
    sets = unique(row.questions for row in main if row.group)
    shown = [row for row in main if row.questions in sets]
    titles = {row.retriever: row.retriever_title for row in shown}
    lines: dict[tuple[str, str], Line] = {}
    # all questions first, then what is clean or leaked of them, then other groups
    first_groups = ["", CLEAN, LEAKED]
    for row in sorted(
        shown, key=lambda row: first_groups.index(row.group) if row.group in first_groups else 3
    ):
        lines.setdefault((row.questions, row.group), {})[row.retriever] = row

    def first(line: Line) -> RetrievalRow:
        return next(iter(line.values()))

    def cell(retriever: str, line: Line) -> Cell:
        row = line.get(retriever)
        if row is None:
            return Cell("")
        value = decimal(row.value)
        return Cell(value if row.n_questions >= FEW else f"({value})", value=row.value)

    measure = main[0].measure if main else ""
    notes = [
        f"Means of {measure} over the questions of a group. No test is made between groups; tests on each group that a "
        "question set names are in the table retrieval-group-tests."
        if sets
        else "No question set has groups or names training sets.",
        words.leaks_note(shown),
        f"In brackets: fewer than {FEW} questions, of which the mean says little."
        if any(row.n_questions < FEW for row in shown)
        else "",
    ]
    return build(
        "retrieval-groups",
        f"{settings['caption']}: retrieval by groups of questions.",
        RetrievalRow,
        sorted(lines.values(), key=lambda line: sets.index(first(line).questions)),
        [
            text("Group", lambda line: first(line).group or "all", 4.2),
            number("n", lambda line: first(line).n_questions, count),
            *(marked(title, partial(cell, one)) for one, title in titles.items()),
        ],
        [note for note in notes if note],
        data=shown or rows,
        records=shown,
        block=lambda line: first(line).questions,
        title=lambda name, own: f"{name}: {first(own[0]).questions_title}",
        block_heading="Questions",
    )


# --- comparisons -------------------------------------------------------------------------------------------


def group_tests(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """A block per group of questions: a line per retriever, with intervals, marks and letters."""
    rows = [row for row in words.whole(inputs.rows(RetrievalRow)) if row.is_main]
    means, differences = inputs.rows_if_there(GroupRow), inputs.rows_if_there(GroupDifference)
    titles = {row.retriever: row.retriever_title for row in rows}
    sets = {row.questions: row.questions_title for row in rows}
    marks = Marks(differences, list(titles) if differences else [])
    notes = ["No question set has several groups of questions."]
    if means:
        notes = [
            f"Intervals of {percent(means[0].level)} for new questions of the group on the same documents "
            f"({words.BY_QUESTIONS}); {words.BEYOND}. {words.NO_INTERVAL} "
            "Groups have fewer questions than the whole, so smaller differences stay unseen: "
            "a difference on one group and none on another does not show that the groups differ."
        ]
        if differences:
            first = differences[0]
            notes.append(
                f"Bold: highest {first.measure}, where a test was made; underlined: not significantly lower than it. "
                f"Test: {words.TEST} of the group, Holm over all pairs on all groups of the question set, "
                f"{percent(first.alpha)}. {words.LETTERS}"
            )

    def value(row: GroupRow) -> Cell:
        signs = (marks.mark(row.unit_set, row.model), marks.raised(row.unit_set, row.model))
        return Cell(decimal(row.value), "", *signs, None if math.isnan(row.value) else row.value)

    def title(_: str, own: Sequence[GroupRow]) -> str:
        row = own[0]
        return (
            f"{row.question_set}: {sets[row.question_set]}, {row.group} ({count(row.n_questions)} questions)"
        )

    return build(
        "retrieval-group-tests",
        f"{settings['caption']}: tests of retrievers on groups of questions.",
        GroupRow,
        means,
        [
            Column(
                "Retriever",
                lambda row: Cell(titles[row.model], letters=marks.letters.get(row.model, "")),
                width=4.6,
            ),
            marked(means[0].measure if means else "Value", value),
            text("Interval", lambda row: interval(row.low, row.high)),
        ],
        notes,
        data=rows,
        block="unit_set",
        title=title,
        block_heading="Questions",
    )


def differences(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """Every pair of retrievers on every question set."""
    rows, pairs = inputs.rows(RetrievalRow), inputs.rows_if_there(QuestionDifference)
    titles = {row.retriever: row.retriever_title for row in rows}
    sets = {row.questions: row.questions_title for row in rows}
    notes = ["Nothing was compared: fewer than two retrievers were measured on the same questions."]
    if pairs:
        first = pairs[0]
        notes = [
            f"Difference: of {first.measure}, first minus second, with its {percent(first.level)} t interval, which is "
            "not adjusted for the number of pairs; p: paired t-test over questions; Holm: adjusted over all pairs of "
            f"the question set; *: at most {percent(first.alpha)}. They hold for {words.POPULATION}."
            + (f" {words.NO_INTERVAL}" if any(math.isnan(row.low) for row in pairs) else ""),
            f"{captions.equivalence_note(first.margin)} Won/tied/lost: questions, by the first.",
            f"n: questions. {captions.detectable_note(first.alpha, 'questions', 'retrievers', 'question set')}",
        ]
    return build(
        "retrieval-differences",
        f"{settings['caption']}: paired differences of retrievers.",
        (*fields_of(QuestionDifference), "n_needed"),
        pairs,
        difference_columns(titles),
        [*notes, *filter(None, [words.ties_note(rows)])],
        data=rows,
        records=[vars(row) | {"n_needed": n_needed(row.n_questions, row.mdd_power)} for row in pairs],
        block="unit_set",
        title=lambda name, own: (
            f"{name}: {sets[name]} ({captions.sizes(own[0].n_questions, detectable(own, name))})"
        ),
        block_heading="Questions",
    )


def difference_columns(titles: Mapping[str, str]) -> list[Column]:
    """What a line says of two systems; `titles`: of each, by name."""
    return [
        text("First − second", lambda row: f"{titles[row.model_a]} − {titles[row.model_b]}", 4.6),
        number("Difference", "difference", sign=lambda row: "*" * (row.p_holm <= row.alpha)),
        *test_columns(),
        text("Equivalent", lambda row: captions.equivalence(row.p_equivalence)),
        marked("Won/tied/lost", lambda row: Cell(f"{row.wins}/{row.ties}/{row.losses}", value=row.wins)),
    ]


def documents(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """A block per question set with clusters: a line per retriever, then one per pair of them, with both intervals."""
    rows = [row for row in words.whole(inputs.rows(RetrievalRow)) if row.is_main]
    means = inputs.rows_if_there(ClusterRow)
    pairs = inputs.rows_if_there(QuestionDifference)
    titles = {row.retriever: row.retriever_title for row in rows}
    sets = {row.questions: row.questions_title for row in rows}
    of_questions = {(row.questions, row.retriever): row for row in rows}
    of_documents = {
        (row.unit_set, row.model_a, row.model_b): row for row in inputs.rows_if_there(DocumentDifference)
    }
    lines: list[dict[str, Any]] = []
    for name in unique(row.unit_set for row in means):
        own = [row for row in means if row.unit_set == name]
        for mean in own:
            questions = of_questions[name, mean.model]
            lines.append(
                {
                    "set": name,
                    "title": questions.retriever_title,
                    "value": mean.value,
                    "questions": interval(questions.low, questions.high),
                    "documents": interval(mean.low, mean.high),
                    "p": None,
                    "p_documents": None,
                }
            )
        for pair in (row for row in pairs if row.unit_set == name and not math.isnan(own[0].low)):
            kept = of_documents.get((name, pair.model_a, pair.model_b))
            lines.append(
                {
                    "set": name,
                    "title": f"{titles[pair.model_a]} − {titles[pair.model_b]}",
                    "value": pair.difference,
                    "questions": interval(pair.low, pair.high),
                    "documents": interval(kept.low, kept.high) if kept else MISSING,
                    "p": pair.p_holm,
                    "p_documents": kept.p_holm if kept else math.nan,
                }
            )

    def p(key: str, line: Mapping[str, Any]) -> Cell:
        value = line[key]
        return Cell("") if value is None else Cell(p_number(value), value=None if value != value else value)

    return build(
        "retrieval-documents",
        f"{settings['caption']}: retrieval, for {words.QUESTIONS} and for {words.DOCUMENTS}.",
        ClusterRow,
        lines,
        [
            text("Retriever, or first − second", "title", 4.6),
            number(means[0].measure if means else "Value", "value"),
            text("Interval, new questions", "questions"),
            text("Interval, new documents", "documents"),
            marked("Holm, new questions", partial(p, "p")),
            marked("Holm, new documents", partial(p, "p_documents")),
        ],
        _notes_on_documents(means, pairs),
        data=rows,
        records=means,
        block="set",
        title=lambda name, _: f"{name}: {sets[name]}",
        block_heading="Questions",
    )


def _notes_on_documents(means: Sequence[ClusterRow], pairs: Sequence[QuestionDifference]) -> list[str]:
    if not means:
        return ["No question set says which of its questions belong together."]
    notes = [
        f"Intervals of {percent(means[0].level)}. New questions: {words.QUESTIONS}, by questions. New documents: "
        "questions on documents that are not in these sets but of the same kind, by clusters of questions that share a "
        "relevant document (or what the set names), which are the independent units; t intervals with the error of the "
        f"jackknife. The corpus that is searched stays as large as it is. In either case {words.BEYOND}."
    ]
    if pairs:
        notes.append(
            f"Holm: p of the {words.TEST}, and of the t-test over clusters, adjusted over all pairs of the question "
            f"set; up to {percent(pairs[0].alpha)} the two differ. Bold and letters of other tables follow the "
            "former."
        )
    for row in {row.unit_set: row for row in reversed(means)}.values():
        # how many independent units there are, and what cannot be said with them
        units = (
            f"{row.unit_set}: {count(row.n_questions)} questions in {count(row.n_clusters)} clusters, the largest with "
            f"{100 * row.largest_cluster:.0f}\u202f% of them, which carry as much information as "
            f"{row.effective_clusters:.0f} of equal size"
        )
        few = ": too few, so that nothing can be said of new documents" if math.isnan(row.low) else ""
        notes.append(f"{units}{few}.")
    return notes


# --- seeds and stages --------------------------------------------------------------------------------------


def seeds(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """A block per question set: the mean of each family over seeds, then its differences from other retrievers."""
    rows = [row for row in words.whole(inputs.rows(RetrievalRow)) if row.is_main]
    of_seeds = inputs.rows_if_there(SeedRow)
    titles = {row.retriever: row.retriever_title for row in rows}
    sets = {row.questions: row.questions_title for row in rows}
    main = {row.measure for row in rows}

    def name(row: SeedRow) -> str:
        return f"{row.family} − {titles.get(row.other, row.other)}" if row.other else row.family

    def value(row: SeedRow) -> Cell:
        return Cell(
            signed(row.value) if row.other else decimal(row.value),
            value=None if math.isnan(row.value) else row.value,
        )

    return build(
        "retrieval-seeds",
        f"{settings['caption']}: retrievers with several seeds.",
        SeedRow,
        [row for row in of_seeds if row.measure in main],
        [
            text("Family, or family − retriever", name, 4.4),
            marked(rows[0].measure if rows else "Value", value),
            text("Interval", lambda row: interval(row.low, row.high)),
            number("p", "p", p_number),
            number("Questions", "n_questions", count),
            number("Seeds", "n_seeds", count),
            *seed_columns("questions"),
        ],
        _notes_on_seeds(of_seeds),
        data=rows,
        records=of_seeds,
        block="unit_set",
        title=lambda name, _: f"{name}: {sets[name]}",
        block_heading="Questions",
    )


def _notes_on_seeds(rows: Sequence[SeedRow]) -> list[str]:
    if not rows:
        return ["No retriever was searched with several seeds."]
    return [
        f"Mean over questions and seeds, with its {percent(rows[0].level)} interval for {words.QUESTIONS} and new "
        "seeds (two-way analysis of variance); p: of a difference, for the same. Neither is adjusted for the number of "
        "lines. Two families are compared seed by seed. Nothing is said of other collections, nor of changes other "
        "than the seed. Spread of seeds: standard deviation between their means. Variance: share of that of the mean; "
        "the rest is how seeds differ on a question only. Limited by: what twice as many would make the interval "
        "narrower.",
        *seed_notes(rows),
    ]


@dataclass(frozen=True)
class _Stage:
    """A line: cells by question set and measure, and the seeds behind each."""

    block: str
    name: str
    cells: Mapping[tuple[str, str], tuple[Cell, int]]


_Part = Callable[[StageRow], tuple[Cell, int] | None]
"""Of a row: a cell, and the seeds behind it; None where it has none."""


def stages(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """A line per stage, a column per question set and measure; a block per series, and one for each kind of test."""
    rows = inputs.rows(StageRow, may_be_empty=True)
    columns = list(dict.fromkeys((row.questions, row.measure) for row in rows))
    reference = [row for row in rows if not row.place]
    lines = _stages("", reference, _stage_mean)
    for series in unique(row.series for row in rows if row.is_mean):
        own = [row for row in rows if row.is_mean and row.series == series]
        lines += _stages(series, own, _stage_mean)
        lines += _stages(f"{series}, less the stage before", own, partial(_stage_difference, "before"))
        if reference:
            title = f"{series}, less {reference[0].series}"
            lines += _stages(title, own, partial(_stage_difference, "reference"))

    def seeds_of(line: _Stage) -> int | None:
        return max(n for _, n in line.cells.values()) or None

    def cell(column: tuple[str, str], line: _Stage) -> Cell:
        return line.cells[column][0] if column in line.cells else Cell("")

    return build(
        "retrieval-stages",
        f"{settings['caption']}: retrieval stage by stage.",
        StageRow,
        lines,
        [
            text("Stage", "name", 2.6),
            number("Seeds", seeds_of, count),
            *(marked(f"{measure} on {name}", partial(cell, (name, measure))) for name, measure in columns),
        ],
        _notes_on_stages(rows),
        data=rows,
        records=rows,
        block="block",
        block_heading="Series",
        lead=2,
    )


def _stages(block: str, rows: Sequence[StageRow], part: _Part) -> list[_Stage]:
    """The stages that have anything in any column."""
    lines = []
    for place in sorted({row.place for row in rows}):
        own = [row for row in rows if row.place == place]
        cells = {(row.questions, row.measure): made for row in own if (made := part(row))}
        # the reference stands before the stages, under its own name
        name = f"{place} {own[-1].stage}" if place else own[0].series
        if cells:
            lines.append(_Stage(block, name, cells))
    return lines


def _stage_mean(row: StageRow) -> tuple[Cell, int]:
    return Cell(decimal(row.value), interval(row.low, row.high), value=row.value), row.n_seeds


def _stage_difference(what: str, row: StageRow) -> tuple[Cell, int] | None:
    value, p, n_seeds = (getattr(row, what + end) for end in ("", "_p", "_seeds"))
    if math.isnan(value):
        return None
    limits = interval(getattr(row, f"{what}_low"), getattr(row, f"{what}_high"))
    return Cell(f"{signed(value)}; {p_number(p)}", limits, value=value), n_seeds or row.n_seeds


def _notes_on_stages(rows: Sequence[StageRow]) -> list[str]:
    if not rows:
        return ["No retriever of the stages was measured."]
    sizes = {row.questions: f"{row.questions} {count(row.n_questions)}" for row in rows}
    main = next((row.measure for row in rows if row.is_main), "")
    several = (
        "; with several, mean over seeds, for these and new seeds (two-way analysis of variance; two trained "
        "stages seed by seed)."
    )
    notes = [
        words.MEASURES_NOTE,
        f"Questions: {', '.join(sizes.values())}.",
        f"In brackets {percent(rows[0].level)} intervals. With one seed, or where nothing was trained, for "
        f"{words.QUESTIONS} (means: {words.BY_QUESTIONS}; differences: t)"
        + (several if any(row.n_seeds > 1 for row in rows) else "."),
        "Nothing is said of new documents or other collections"
        + ("; with one seed, nothing of other seeds." if any(row.n_seeds == 1 for row in rows) else "."),
    ]
    if main:
        notes.append(
            f"Differences are of {main}; behind them p, by Holm over all tests of a question set in this table. Their "
            "intervals are not adjusted. Without p there is no test."
        )
    return notes
