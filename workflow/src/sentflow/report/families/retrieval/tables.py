"""The tables of what retrievers reach: means, groups of questions, differences, new documents, seeds, stages."""

import math
import re
from collections.abc import Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import Any

from sentflow.compare.comparisons import detectable, n_needed
from sentflow.compare.differences import Marks
from sentflow.compare.rows import (
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
from sentflow.report.rows import grouped, titles_of, unique
from sentflow.report.table.seed_columns import seed_columns, seed_notes
from sentflow.report.table.table import (
    Blocks,
    Cell,
    Column,
    Line,
    Table,
    build,
    crossed,
    fields_of,
    marked,
    named,
    number,
    pivoted,
    test_columns,
    text,
)
from sentflow.retrieval.evaluation import CLEAN, LEAKED

FEW = 20  # questions below which a mean says little
_LEAST_SETS = 3  # of a mean
_RECALL = re.compile(r"R(?:\(.*\))?@(\d+)\Z")

# --- means -------------------------------------------------------------------------------------------------


def retrieval(inputs: Inputs) -> Table:
    """Retriever × question set, a block per measure, the main one first; of one set retriever × measure."""
    rows, tests = words.whole(inputs.rows(RetrievalRow)), inputs.rows_if_there(QuestionDifference)
    retrievers, sets = list(titles_of(rows, "retriever")), unique(row.questions for row in rows)
    is_alone, main = len(sets) < 2, [row.measure for row in rows if row.is_main]
    measures = unique([*main, *(row.measure for row in rows)])
    if not is_alone:
        measures = unique([*measures[:1], *deepest_recall(measures[1:]), *measures])
    block, across, blocks = ("questions", "measure", sets) if is_alone else ("measure", "questions", measures)
    marks = Marks(tests, retrievers)

    def place(line: Line) -> tuple[int, int]:
        return blocks.index(getattr(line, block)), retrievers.index(line.retriever)

    def letters(line: Line) -> str:
        return marks.letters.get(line.retriever, "") if is_alone or line.is_main else ""

    def title(name: str, own: Sequence[Line]) -> str:
        row, size = own[0], f"{count(own[0].n_questions)} questions, {count(own[0].n_documents)} documents"
        return f"{name}: {row.questions_title} ({size})" if is_alone else name

    def mean(line: Line) -> float:
        return fmean(row.value for row in line.values()) if len(line) == len(sets) else math.nan

    graded = {row.questions: row.relevant_grade for row in rows if row.relevant_grade != 1}
    grades = [f"{name}: relevant from grade {grade} on." for name, grade in graded.items()]
    sizes = {
        row.questions: f"{row.questions} {count(row.n_questions)} in {count(row.n_documents)}" for row in rows
    }
    sizes_note = f"Questions, and documents that they are searched in: {', '.join(sizes.values())}."
    has_mean = not is_alone and may_be_averaged(rows)
    lacks_interval = any(row.is_main and math.isnan(row.low) for row in rows)
    matrix_notes = [words.MEASURES_NOTE, sizes_note, *grades, words.test_note(tests)]
    keys = ("retriever", "retriever_title", "measure")
    n_blocks = None if is_alone else 1 + len(deepest_recall(measures[1:]))
    return build(
        "retrieval.",
        RetrievalRow,
        sorted(pivoted(rows, (block, "retriever"), across), key=place),
        [
            text("Retriever", "retriever_title", 4.2 if is_alone else 3.0, letters=letters),
            *(marked(one, partial(_mean_cell, one, marks)) for one in (measures if is_alone else sets)),
            *([number("Mean", mean)] if has_mean else []),
        ],
        [
            words.MEASURES_NOTE,
            "" if is_alone else sizes_note,
            *grades,
            words.left_out_note({row.questions: row.n_left_out for row in rows}),
            "" if is_alone else words.cut_note(rows),
            f"In brackets the {percent(rows[0].level)} interval for {words.QUESTIONS} ({words.BY_QUESTIONS}); "
            f"{words.BEYOND}. {words.NO_INTERVAL if lacks_interval else ''}".rstrip(),
            words.test_note(tests),
            captions.letters("retrievers") if tests else "",
            "Mean: over the question sets, unweighted, for these sets only." if has_mean else "",
            words.ties_note(rows),
            words.duplicates_note(rows),
        ],
        records=rows,
        blocks=Blocks(block, "Questions" if is_alone else "Measure", title),
        matrix=crossed(rows, keys, across="questions", value="value", notes=matrix_notes, n_blocks=n_blocks),
    )


def _mean_cell(column: str, marks: Marks, line: Line) -> Cell:
    """A mean; of the main measure with interval, mark and letters."""
    row = line.get(column)
    if row is None:
        return Cell("")
    ranged = words.by_order(row.worst_order, row.best_order)
    if not row.is_main:
        return Cell(decimal(row.value), ranged, value=row.value)
    detail = f"{interval(row.low, row.high)} {ranged}".rstrip()
    return Cell(decimal(row.value), detail, *marks.signs(row.questions, row.retriever), row.value)


def deepest_recall(measures: Sequence[str]) -> list[str]:
    """The recall that looks at most documents, where there is one."""
    depths = {name: int(match[1]) for name in measures if (match := _RECALL.match(name))}
    return [max(depths, key=lambda name: depths[name])] if depths else []


def may_be_averaged(rows: Sequence[RetrievalRow]) -> bool:
    """Whether a mean over question sets says something: three or more, none on the documents of another."""
    corpora = {row.questions: row.corpus for row in rows}
    return len(corpora) >= _LEAST_SETS and len(set(corpora.values())) == len(corpora)


def groups(inputs: Inputs) -> Table:
    """Group of questions × retriever, by the main measure; a block per question set that has groups."""
    main = [row for row in inputs.rows(RetrievalRow) if row.is_main]
    sets = unique(row.questions for row in main if row.group)
    shown = [row for row in main if row.questions in sets]
    # all questions first, then what is clean or leaked of them, then other groups
    order = {group: place for place, group in enumerate(("", CLEAN, LEAKED))}
    ordered = sorted(shown, key=lambda row: order.get(row.group, 3))
    lines = pivoted(ordered, ("questions", "group"), "retriever")

    def cell(retriever: str, line: Line) -> Cell:
        row = line.get(retriever)
        if row is None:
            return Cell("")
        value = decimal(row.value)
        return Cell(value if row.n_questions >= FEW else f"({value})", value=row.value)

    has_leaks = bool({CLEAN, LEAKED} & {row.group for row in shown})
    return build(
        "retrieval by groups of questions.",
        RetrievalRow,
        sorted(lines, key=lambda line: sets.index(line.questions)),
        [
            text("Group", lambda line: line.group or "all", 4.2),
            number("n", "n_questions", count),
            *(marked(title, partial(cell, one)) for one, title in titles_of(shown, "retriever").items()),
        ],
        [
            f"Means of {main[0].measure} over the questions of a group; tests are in the table retrieval-group-tests."
            if sets
            else "No question set has groups or names training sets.",
            f"{LEAKED.capitalize()}: questions nearly equal to a training question; {CLEAN}: the others."
            if has_leaks
            else "",
            f"In brackets: fewer than {FEW} questions, too few for a reliable mean."
            if any(row.n_questions < FEW for row in shown)
            else "",
        ],
        data=shown or main,
        records=shown,
        blocks=Blocks("questions", "Questions", named("questions_title")),
    )


# --- comparisons -------------------------------------------------------------------------------------------


def group_tests(inputs: Inputs) -> Table:
    """A block per group of questions: a line per retriever, with intervals, marks and letters."""
    rows = words.main_of(inputs.rows(RetrievalRow))
    means, tests = inputs.rows_if_there(GroupRow), inputs.rows_if_there(GroupDifference)
    titles, sets = titles_of(rows, "retriever"), titles_of(rows, "questions")
    marks = Marks(tests, list(titles))
    notes = ["No question set has several groups of questions."]
    if means:
        notes = [
            f"Intervals of {percent(means[0].level)} for new questions of the group on the same documents "
            f"({words.BY_QUESTIONS}); {words.BEYOND}. {words.NO_INTERVAL} A difference on one group and none on "
            "another does not show that the groups differ."
        ]
    if means and tests:
        across = "on all groups of the question set"
        notes.append(captions.test_note(words.TEST, across, tests[0].alpha, tests[0].measure))
        notes.append(captions.letters("retrievers"))

    def title(_: str, own: Sequence[GroupRow]) -> str:
        row, size = own[0], f"{count(own[0].n_questions)} questions"
        return f"{row.question_set}: {sets[row.question_set]}, {row.group} ({size})"

    def letters(row: GroupRow) -> str:
        return marks.letters.get(row.model, "")

    def signs(row: GroupRow) -> tuple[str, str]:
        return marks.signs(row.unit_set, row.model)

    return build(
        "tests of retrievers on groups of questions.",
        GroupRow,
        means,
        [
            text("Retriever", lambda row: titles[row.model], 4.6, letters=letters),
            number(means[0].measure if means else "Value", "value", marks=signs),
            text("Interval", lambda row: interval(row.low, row.high)),
        ],
        notes,
        data=rows,
        blocks=Blocks("unit_set", "Questions", title),
    )


def differences(inputs: Inputs) -> Table:
    """Every pair of retrievers on every question set."""
    rows, pairs = inputs.rows(RetrievalRow), inputs.rows_if_there(QuestionDifference)
    sets = titles_of(rows, "questions")
    notes = [captions.NOTHING_COMPARED]
    if pairs:
        one = pairs[0]
        notes = [
            captions.difference_note(words.TEST, "of the question set", one.level, one.alpha),
            f"Of {one.measure}; for {words.POPULATION}.",
            words.NO_INTERVAL if any(math.isnan(row.low) for row in pairs) else "",
            f"{captions.equivalence_note(one.margin)} Won/tied/lost: questions, by the first.",
            f"n: questions. {captions.detectable_note(one.alpha, 'questions', 'retrievers', 'question set')}",
        ]

    def title(name: str, own: Sequence[QuestionDifference]) -> str:
        return f"{name}: {sets[name]} ({captions.sizes(own[0].n_questions, detectable(own, name))})"

    return build(
        "paired differences of retrievers.",
        (*fields_of(QuestionDifference), "n_needed"),
        pairs,
        difference_columns(titles_of(rows, "retriever")),
        [*notes, words.ties_note(rows)],
        data=rows,
        records=[vars(row) | {"n_needed": n_needed(row.n_questions, row.mdd_power)} for row in pairs],
        blocks=Blocks("unit_set", "Questions", title),
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


def documents(inputs: Inputs) -> Table:
    """A block per question set with clusters: a line per retriever, then one per pair of them, with both intervals."""
    rows = words.main_of(inputs.rows(RetrievalRow))
    means, pairs = inputs.rows_if_there(ClusterRow), inputs.rows_if_there(QuestionDifference)
    titles, sets = titles_of(rows, "retriever"), titles_of(rows, "questions")
    of_questions = {(row.questions, row.retriever): row for row in rows}
    of_documents = {
        (row.unit_set, row.model_a, row.model_b): row for row in inputs.rows_if_there(DocumentDifference)
    }
    headings = ("set", "title", "value", "questions", "documents", "p", "p_documents")
    lines: list[tuple[Any, ...]] = []
    for name, own in grouped(means, "unit_set").items():
        for mean in own:
            row = of_questions[name, mean.model]
            limits = interval(row.low, row.high), interval(mean.low, mean.high)
            lines.append((name, row.retriever_title, mean.value, *limits, None, None))
        for pair in [row for row in pairs if row.unit_set == name and not math.isnan(own[0].low)]:
            kept = of_documents.get((name, pair.model_a, pair.model_b))
            title = f"{titles[pair.model_a]} − {titles[pair.model_b]}"
            limits = interval(pair.low, pair.high), interval(kept.low, kept.high) if kept else MISSING
            tests = pair.p_holm, kept.p_holm if kept else math.nan
            lines.append((name, title, pair.difference, *limits, *tests))

    def p(key: str, line: Mapping[str, Any]) -> Cell:
        return Cell("") if line[key] is None else Cell(p_number(line[key]), value=line[key])

    return build(
        f"retrieval, for {words.QUESTIONS} and for {words.DOCUMENTS}.",
        ClusterRow,
        [dict(zip(headings, line, strict=True)) for line in lines],
        [
            text("Retriever, or first − second", "title", 4.6),
            number(means[0].measure if means else "Value", "value"),
            text("Interval, new questions", "questions"),
            text("Interval, new documents", "documents"),
            marked("Holm, new questions", partial(p, "p")),
            marked("Holm, new documents", partial(p, "p_documents")),
        ],
        _notes_on_documents(means),
        data=rows,
        records=means,
        blocks=Blocks("set", "Questions", lambda name, _: f"{name}: {sets[name]}"),
    )


def _notes_on_documents(means: Sequence[ClusterRow]) -> list[str]:
    if not means:
        return ["No question set says which of its questions belong together."]
    notes = [
        f"Intervals of {percent(means[0].level)}. New documents: questions on other documents of the same kind, by "
        "clusters of questions that share a relevant document (or what the set names), with the error of the "
        f"jackknife; {words.BEYOND}. Holm: p over all pairs of the question set. Other tables follow that for new "
        "questions.",
    ]
    for row in {row.unit_set: row for row in reversed(means)}.values():
        few = ": too few, so that nothing can be said of new documents" if math.isnan(row.low) else ""
        notes.append(
            f"{row.unit_set}: {count(row.n_questions)} questions in {count(row.n_clusters)} clusters (largest "
            f"{100 * row.largest_cluster:.0f}\u202f%), worth {row.effective_clusters:.0f} of equal size{few}."
        )
    return notes


# --- seeds and stages --------------------------------------------------------------------------------------


def seeds(inputs: Inputs) -> Table:
    """A block per question set: the mean of each family over seeds, then its differences from other retrievers."""
    rows, of_seeds = words.main_of(inputs.rows(RetrievalRow)), inputs.rows_if_there(SeedRow)
    titles, sets = titles_of(rows, "retriever"), titles_of(rows, "questions")
    main = {row.measure for row in rows}
    notes = ["No retriever was searched with several seeds."]
    if of_seeds:
        notes = [
            f"Mean over questions and seeds, with its {percent(of_seeds[0].level)} interval for {words.QUESTIONS} and "
            "new seeds (two-way analysis of variance); p: of a difference, for the same; neither is adjusted. Spread: "
            "standard deviation between seeds. Limited by: what to double for a narrower interval.",
            *seed_notes(of_seeds),
        ]

    def name(row: SeedRow) -> str:
        return f"{row.family} − {titles.get(row.other, row.other)}" if row.other else row.family

    def value(row: SeedRow) -> Cell:
        return Cell(signed(row.value) if row.other else decimal(row.value), value=row.value)

    return build(
        "retrievers with several seeds.",
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
        notes,
        data=rows,
        records=of_seeds,
        blocks=Blocks("unit_set", "Questions", lambda name, _: f"{name}: {sets[name]}"),
    )


def stages(inputs: Inputs) -> Table:
    """A line per stage, a column per question set and measure; a block per series, and one for each kind of test."""
    rows = inputs.rows(StageRow, may_be_empty=True)
    reference = [row for row in rows if not row.place]
    lines = _stages("", reference)
    for series, own in grouped([row for row in rows if row.is_mean], "series").items():
        lines += _stages(series, own) + _stages(f"{series}, less the stage before", own, "before")
        if reference:
            lines += _stages(f"{series}, less {reference[0].series}", own, "reference")

    def n_seeds(line: Mapping[str, Any]) -> int | None:
        seeds = f"{line['part']}_seeds" if line["part"] else "n_seeds"
        return max(getattr(row, seeds) or row.n_seeds for row in line["rows"].values()) or None

    def cell(column: tuple[str, str], line: Mapping[str, Any]) -> Cell:
        row, part = line["rows"].get(column), line["part"]
        if row is None:
            return Cell("")
        if not part:
            return Cell(decimal(row.value), interval(row.low, row.high), value=row.value)
        value, low, high, p = (getattr(row, f"{part}{end}") for end in ("", "_low", "_high", "_p"))
        return Cell(f"{signed(value)}; {p_number(p)}", interval(low, high), value=value)

    columns = grouped(rows, "questions", "measure")
    return build(
        "retrieval stage by stage.",
        StageRow,
        lines,
        [
            text("Stage", "name", 2.6),
            number("Seeds", n_seeds, count),
            *(marked(f"{measure} on {name}", partial(cell, (name, measure))) for name, measure in columns),
        ],
        _notes_on_stages(rows),
        records=rows,
        blocks=Blocks("block", "Series"),
        lead=2,
    )


def _stages(block: str, rows: Sequence[StageRow], part: str = "") -> list[dict[str, Any]]:
    """Lines of means, or of the differences of a kind, of the stages that have any."""
    known = [row for row in rows if not part or not math.isnan(getattr(row, part))]
    lines = []
    for place, own in sorted(grouped(known, "place").items()):
        # the reference stands before the stages, under its own name
        name = f"{place} {own[-1].stage}" if place else own[0].series
        cells = {(row.questions, row.measure): row for row in own}
        lines.append({"block": block, "name": name, "part": part, "rows": cells})
    return lines


def _notes_on_stages(rows: Sequence[StageRow]) -> list[str]:
    if not rows:
        return ["No retriever of the stages was measured."]
    sizes = {row.questions: f"{row.questions} {count(row.n_questions)}" for row in rows}
    several = "; with several, mean over seeds, for these and new seeds (two-way analysis of variance)"
    main = next((row.measure for row in rows if row.is_main), "")
    return [
        words.MEASURES_NOTE,
        f"Questions: {', '.join(sizes.values())}.",
        f"In brackets {percent(rows[0].level)} intervals for {words.QUESTIONS} and, with one seed, for that seed "
        f"(means: {words.BY_QUESTIONS}; differences: t){several if any(row.n_seeds > 1 for row in rows) else ''}.",
        f"Differences are of {main}; behind them p, by Holm over all tests of a question set in this table. Their "
        "intervals are not adjusted. Without p there is no test."
        if main
        else "",
    ]
