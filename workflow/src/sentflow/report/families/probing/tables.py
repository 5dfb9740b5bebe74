"""The tables of tasks: scores, comparisons, tasks, documents, papers, and other protocols."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import median
from typing import Any

from scipy.stats import kendalltau

from sentflow.compare.comparisons import Comparisons, DocumentComparisons, detectable, n_needed
from sentflow.compare.marks import Marks
from sentflow.compare.rows import PairRow
from sentflow.compare.score_rows import DocumentScore, EffectRow, ScoreRow, by_protocol
from sentflow.files.rows import row_from
from sentflow.report import captions
from sentflow.report.families.probing import remarks
from sentflow.report.families.probing.rows import average_score
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import (
    MISSING,
    about,
    count,
    counted,
    decimal,
    interval,
    listed,
    percent,
    signed,
)
from sentflow.report.rows import unique
from sentflow.report.table.table import (
    Cell,
    Table,
    build,
    crossed,
    fields_of,
    marked,
    number,
    test_columns,
    text,
)

# what the CSV of scores says of tests, behind the columns of the summary
_STANDINGS = ("rank", "is_best", "not_worse", "letter", "better_than", "mdd_power", "n_needed")
_NOTHING = "Nothing was compared: fewer than two encoders have a score."
_BALANCED = "n: rows left when all classes are cut to the size of the smallest."
_FEW_DOCUMENTS = 20


# --- scores ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Line:
    """A task with its scores by encoder, or the averages over the tasks of a protocol."""

    block: str
    title: str
    scores: Mapping[str, ScoreRow]
    averages: Mapping[str, float]

    @property
    def first(self) -> ScoreRow:
        return next(iter(self.scores.values()))


def scores(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """Task × encoder with generalisation intervals; an average only for encoders that have all tasks.

    With comparisons the best score is bold and what is not significantly worse underlined; without, nothing is.
    """
    rows = inputs.rows(ScoreRow)
    comparisons = inputs.together(Comparisons)
    pairs = comparisons.pairs if any(not pair.degenerate for pair in comparisons.pairs) else []
    titles = {row.model: row.model_title for row in rows}
    marks = Marks(pairs, list(titles))
    lines = _score_lines(rows)

    def of_task(read: Any, line: _Line) -> Any:
        return None if line.averages else read(line.first)

    def size(form: Any, read: Any, line: _Line) -> Cell:
        if line.averages:
            return Cell("")
        value = read(line.first)
        return Cell(form(value), value=None if math.isnan(value) else value)

    def score(model: str, line: _Line) -> Cell:
        if line.averages:
            average = line.averages[model]
            return Cell(MISSING) if math.isnan(average) else Cell(decimal(average), value=average)
        cell = score_cell(line.scores.get(model))
        if not pairs or cell.text == MISSING:
            return cell
        task = line.first.task
        return replace(cell, mark=marks.mark(task, model), letters=marks.raised(task, model))

    mdds = _detectable(pairs)

    def mdd(row: ScoreRow) -> float:
        return mdds.get(row.task, math.nan)

    of_tests = [
        marked("MDD", partial(size, decimal, mdd)),
        marked(captions.N_NEEDED, partial(size, about, lambda row: n_needed(row.n_balanced_rows, mdd(row)))),
    ]
    # what the compact form leaves out
    of_details = [captions.interval_note(rows), _BALANCED]
    notes = [captions.design_note(rows), captions.metric_note(rows), *of_details]
    if pairs:
        of_tests_notes = [captions.detectable_note(pairs[0].alpha), *remarks.unbalanced_notes(rows)]
        of_details += of_tests_notes
        notes += [captions.test_note(pairs), *of_tests_notes]
    elif len(titles) > 1:
        notes.append(captions.NO_TEST)
    notes += remarks.score_notes(rows) + remarks.shared_notes(rows)
    if any(row.degenerate for row in rows):
        notes.append(captions.DEGENERATE)
    if any(math.isnan(average) for line in lines for average in line.averages.values()):
        notes.append(f"{MISSING} Not computed; a model that lacks a task has no average.")
    compact = [note.removesuffix(captions.LETTERS).rstrip() for note in notes if note not in of_details]
    return build(
        "scores",
        f"{settings['caption']}: score of each encoder on each task.",
        (*fields_of(ScoreRow), *(_STANDINGS if pairs else ())),
        lines,
        [
            text("Task", "title"),
            text("Metric", lambda line: of_task(lambda row: captions.metric_name(row.metric), line) or ""),
            marked("n", partial(size, count, lambda row: row.n_balanced_rows)),
            *(of_tests if pairs else []),
            *(
                marked(titles[model], partial(score, model), marks.letters[model] if pairs else "")
                for model in titles
            ),
        ],
        notes,
        data=rows,
        records=_with_standings(rows, comparisons) if pairs else rows,
        block="block",
        title=lambda name, own: "" if own[0].averages else name,
        block_heading="Family",
        lead=5 if pairs else 3,
        matrix=crossed(rows, by=("task",), across="model", value="mean", notes=compact),
    )


def _score_lines(rows: Sequence[ScoreRow]) -> list[_Line]:
    """Tasks by protocol and family, and the averages of each protocol behind its tasks."""
    models = unique(row.model for row in rows)
    lines = []
    for protocol, own in by_protocol(rows).items():
        apart = captions.of_protocol(protocol, rows)
        for family in unique(row.family for row in own):
            for task in unique(row.task for row in own if row.family == family):
                of_task = {row.model: row for row in own if row.task == task}
                first = next(of_task[model] for model in models if model in of_task)
                title = task + remarks.score_marks(first)
                ordered = {model: of_task[model] for model in models if model in of_task}
                lines.append(_Line(captions.family_name(family) + apart, title, ordered, {}))
        n_tasks = len(unique(row.task for row in own))
        if n_tasks > 1:
            averages = {
                model: average_score([row for row in own if row.model == model], n_tasks) for model in models
            }
            title = f"Average of {n_tasks} tasks{apart}"
            lines.append(_Line(f"Average{apart}", title, {}, averages))
    return lines


def score_cell(row: ScoreRow | None) -> Cell:
    """``0.506 [0.479, 0.533]``, perhaps with marks; words for an interval that means nothing; a dash for no row."""
    if row is not None and row.has_too_few_documents:
        value = None if math.isnan(row.mean) else row.mean
        return Cell(decimal(row.mean) + remarks.score_mark(row), captions.TOO_FEW_DOCUMENTS, value=value)
    if row is None or math.isnan(row.mean):
        return Cell(MISSING)
    score = decimal(row.mean) + remarks.score_mark(row)
    if row.degenerate:
        return Cell(f"{score}†", value=row.mean)
    return Cell(score, interval(*row.shown_generalisation), value=row.mean)


def _detectable(pairs: Sequence[PairRow]) -> dict[str, float]:
    """Task → smallest difference that is found."""
    by_task: dict[str, list[PairRow]] = {}
    for pair in pairs:
        by_task.setdefault(pair.task, []).append(pair)
    return {task: detectable(own, task) for task, own in by_task.items()}


def _with_standings(rows: Sequence[ScoreRow], tested: Comparisons) -> list[dict[str, Any]]:
    """Records: the fields of the rows, then `_STANDINGS`."""
    marks = Marks(tested.pairs, unique(row.model for row in rows))
    standings = {(row.task, row.model): row for row in tested.standings}
    records, mdds = [], _detectable(tested.pairs)
    for row in rows:
        standing = standings.get((row.task, row.model))
        lower = " ".join(marks.letters[other] for other in marks.beaten(row.task, row.model))
        places = (standing.rank, standing.is_best, standing.not_worse) if standing else (None, None, None)
        mdd = mdds.get(row.task, math.nan)
        of_tests = (*places, marks.letters[row.model], lower, mdd, n_needed(row.n_balanced_rows, mdd))
        records.append(vars(row) | dict(zip(_STANDINGS, of_tests, strict=True)))
    return records


# --- comparisons -------------------------------------------------------------------------------------------


def differences(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """Every pair of encoders on every task: difference, interval, tests, and what could have been found."""
    rows, pairs = inputs.rows(ScoreRow), inputs.together(Comparisons).pairs
    notes = [captions.design_note(rows), *remarks.low_score_notes(rows)]
    if pairs:
        first = pairs[0]
        notes += [
            f"Difference: first minus second, on the same folds, with its {percent(first.level)} interval by the same "
            "test: where the expected difference lies, that over all samples of as many texts from the same population"
            f"{captions.population(rows)}. It is not adjusted for the number of pairs.",
            f"p: {captions.test_name(pairs)}; Holm: adjusted over all pairs of the task; over tasks: "
            f"{captions.adjusted_over_tasks(first.adjustment, first.alpha)}. *: significant within the task; "
            "**: also over all tasks.",
            captions.detectable_note(first.alpha),
            *remarks.unbalanced_notes(rows),
            f"{captions.equivalence_note(first.rope)} The CSV file has further tests.",
        ]
        if any(pair.degenerate for pair in pairs):
            notes.append(f"{MISSING} No test: the two differ by the same in all folds, or not at all.")
    else:
        notes.append(_NOTHING)

    def title(task: str, _: Sequence[PairRow]) -> str:
        row = next(row for row in rows if row.task == task)
        sizes = captions.sizes(row.n_balanced_rows, detectable(pairs, task))
        apart = captions.of_protocol(row.protocol, rows)
        return f"{task}: {row.task_title} ({captions.metric_name(row.metric)}, {sizes}{apart})"

    return build(
        "differences",
        f"{settings['caption']}: paired differences between encoders.",
        PairRow,
        pairs,
        [
            text("First − second", lambda pair: f"{pair.model_a_title} − {pair.model_b_title}", 2.6),
            number("Difference", "difference", sign=_stars),
            *test_columns(),
            text("Equivalent", lambda pair: captions.equivalence(pair.p_equivalence)),
        ],
        notes,
        data=rows,
        block="task",
        title=title,
    )


def _stars(pair: PairRow) -> str:
    return "*" * ((pair.p_holm <= pair.alpha) + (pair.p_over_tasks <= pair.alpha))


# --- tasks, documents, papers ------------------------------------------------------------------------------


def tasks(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """What each task is: metric, probe, layout, rows and data."""
    rows = inputs.rows(ScoreRow)
    first = list({row.task: row for row in reversed(rows)}.values())[::-1]
    return build(
        "tasks",
        f"{settings['caption']}: the tasks.",
        (
            *("task", "task_title", "family", "metric", "classifier", "layout", "n_classes", "n_rows"),
            *("n_balanced_rows", "n_train", "n_contradicting", "effective_rows", "data_version"),
        ),
        first,
        [
            text("Task", lambda row: row.task + remarks.marks(row)),
            text("Title", "task_title", 3.6),
            text("Metric", lambda row: captions.metric_name(row.metric)),
            text("Probe", lambda row: captions.CLASSIFIERS.get(row.classifier, row.classifier), 1.9),
            text("Input", lambda row: captions.LAYOUTS.get(row.layout, row.layout), 2.2),
            number("Classes", "n_classes", count),
            number("Rows", "n_rows", count),
            number("n", "n_balanced_rows", count),
            text("Data", "data_version"),
        ],
        [captions.metric_note(rows), _BALANCED, *remarks.notes(first)],
        data=rows,
        block="family",
        title=lambda name, _: captions.family_name(name),
        block_heading="Family",
    )


def documents(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """A block per task that names documents, a line per encoder: folds of rows, and of documents kept together."""
    rows = inputs.rows(DocumentScore)
    split = {(row.task, row.model): row for row in inputs.rows(ScoreRow)}
    comparisons = inputs.together(DocumentComparisons)
    marks = Marks(comparisons.pairs, unique(row.model for row in rows))
    both = [*rows, *(split[row.task, row.model] for row in rows)]
    protocols = unique(row.protocol for row in both[len(rows) :])
    notes = [
        captions.design_note(rows),
        captions.metric_note(rows),
        f"Same documents: as under {listed(protocols)}, rows are assigned to the folds one by one, so a probe may know "
        "the document of a row on which it is tested. New documents: all rows of a document are in "
        f"one fold ({captions.protocols_of(rows)}).",
        f"In brackets {percent(rows[0].level)} generalisation intervals: for {captions.SAME_DOCUMENTS}, and for "
        f"{captions.NEW_DOCUMENTS}.",
        "Effective: how many documents of equal size carry as much information. The folds of the two columns are not "
        "the same, so the change has no interval.",
    ]
    if comparisons.pairs:
        notes += [
            f"{captions.test_note(comparisons.pairs)} All for new documents.",
            captions.detectable_note(comparisons.pairs[0].alpha, "texts of documents"),
        ]
    notes += remarks.training_notes(rows)
    notes += remarks.held_back_notes(both)
    notes += captions.degenerate_notes(both)
    notes += captions.too_few_documents_notes(rows)
    if any(row.effective_documents < _FEW_DOCUMENTS and not row.has_too_few_documents for row in rows):
        notes.append(
            f"With fewer than {_FEW_DOCUMENTS} effective documents, 95\u202f% intervals can cover the score in a large "
            "population of documents too rarely: in 89 to 93\u202f% of samples of 20 and 39 posts of HateBR."
        )

    def kept(row: DocumentScore) -> Cell:
        cell = score_cell(row)
        return replace(cell, mark=marks.mark(row.task, row.model), letters=marks.raised(row.task, row.model))

    def title(task: str, own: Sequence[DocumentScore]) -> str:
        row = own[0]
        sizes = captions.sizes(row.n_balanced_rows, detectable(comparisons.pairs, task))
        return (
            f"{task}: {row.task_title} ({captions.metric_name(row.metric)}, {counted(row.n_documents, 'document')}, "
            f"{decimal(row.effective_documents, 1)} effective{'' if row.is_untested else f', {sizes}'})"
        )

    return build(
        "documents",
        f"{settings['caption']}: scores for new texts of the same documents, and for new documents.",
        (*fields_of(DocumentScore), *_STANDINGS),
        rows,
        [
            replace(
                text("Encoder", "model_title"),
                cell=lambda row: Cell(row.model_title, letters=marks.letters[row.model]),
            ),
            marked("Same documents", lambda row: score_cell(split[row.task, row.model])),
            marked("New documents", kept),
            number("Change", lambda row: row.mean - split[row.task, row.model].mean, signed),
        ],
        notes,
        data=rows,
        records=_with_standings(rows, comparisons),
        block="task",
        title=title,
    )


@dataclass(frozen=True)
class PublishedScore:
    """A score that somebody published, and ours. Undefined numbers are NaN."""

    task: str
    model: str
    model_title: str
    metric: str
    n_balanced_rows: int
    published: float  # in the metric of the task, on our scale (1 is perfect)
    # mean, difference: ours, and ours less the published one
    mean: float
    difference: float
    # repeatability_low, repeatability_high, generalisation_low, generalisation_high: of ours, see `ScoreRow`
    repeatability_low: float
    repeatability_high: float
    generalisation_low: float
    generalisation_high: float
    source: str  # where it is reported, e.g. a paper and its table


def published(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """One line per published score whose task and encoder were scored."""
    rows = inputs.rows(ScoreRow)
    return build(
        "published",
        f"{settings['caption']}: published scores and ours.",
        PublishedScore,
        _beside_ours(settings.get("published", ()), rows),
        [
            text("Task", "task"),
            text("Encoder", "model_title", 3.6),
            text("Metric", lambda row: captions.metric_name(row.metric)),
            number("n", "n_balanced_rows", count),
            number("Published", "published"),
            number("Ours", "mean"),
            number("Difference", "difference"),
            text("Repeatability", lambda row: interval(row.repeatability_low, row.repeatability_high)),
            text("Generalisation", lambda row: interval(row.generalisation_low, row.generalisation_high)),
            text("Source", "source", 3.6),
        ],
        [
            captions.design_note(rows),
            f"Repeatability ({percent(rows[0].repeatability_level)}): {captions.REPEATABILITY}. A score "
            "published for the same texts, vectors and protocol should be in it, or near it if it was shuffled in "
            "another way.",
            f"Generalisation ({percent(rows[0].level)}): {captions.generalisation(rows)}. A score on other "
            "texts of the same population has an error of its own, and may be outside it a little more often.",
            f"{_BALANCED} MDD: defined for a pair on a task, see table of differences.",
        ],
        data=rows,
    )


def _beside_ours(entries: Sequence[Mapping[str, Any]], rows: Sequence[ScoreRow]) -> list[PublishedScore]:
    score_of = {(row.task, row.model): row for row in rows}
    return [
        row_from(
            PublishedScore,
            vars(row),
            published=float(entry["value"]),
            difference=row.mean - float(entry["value"]),
            source=entry["source"],
        )
        for entry in entries
        if (row := score_of.get((entry["task"], entry["model"]))) is not None
    ]


# --- protocols ---------------------------------------------------------------------------------------------


def protocols(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """What each protocol does to scores, to the order of encoders and to intervals: a line per protocol."""
    rows = inputs.rows(EffectRow)
    first = rows[0]
    by_name = {
        name: [row for row in rows if row.protocol == name] for name in unique(row.protocol for row in rows)
    }
    n_tasks, n_models = len(unique(row.task for row in rows)), len(unique(row.model for row in rows))
    notes = [
        f"Each line is another protocol compared with {first.baseline}, on {n_tasks} tasks and {n_models} encoders: "
        "numbers of different protocols are shown together on purpose here and must not be mixed elsewhere.",
        "Mean change: of the scores over all tasks and encoders, in points of the metric. Largest change: of one "
        f"score, and where; an asterisk marks one whose {percent(first.level)} interval of paired fold differences "
        "(Nadeau and Bengio 2003) does not contain 0; it is the largest of many and not adjusted for that, so it is no "
        "test.",
        "Other best: tasks on which a different encoder has the highest score. Kendall's tau: agreement of the ranking "
        "of encoders, mean over tasks; 1 is the same ranking.",
        "Width: width of the protocol's own interval divided by that of the baseline, median.",
    ]
    unpaired = unique(row.protocol_title for row in rows if not row.paired)
    if unpaired:
        notes.append(
            f"Folds differ from the baseline's, so there are no paired differences: {', '.join(unpaired)}."
        )
    for own in by_name.values():
        changed = unique(row.not_comparable for row in own if row.not_comparable)
        if changed:
            notes.append(
                f"{own[0].protocol_title} is not comparable with published scores: {'; '.join(changed)}."
            )

    return build(
        "protocols",
        f"{settings['caption']}: effect of other protocols on the scores of {first.baseline}.",
        EffectRow,
        [_effect(own) for own in by_name.values()],
        [
            text("Protocol", "title", 3.2),
            text("Differs from published", "switches", 3.6),
            number("Mean change", "change", signed),
            number("Largest change", "largest", signed, sign=lambda line: line["star"]),
            text("Where", "where"),
            text("Other best", "others"),
            number("Kendall's tau", "tau", decimal, 2),
            number("Width", "width", decimal, 2),
        ],
        notes,
        data=rows,
        records=rows,
    )


def _effect(rows: Sequence[EffectRow]) -> dict[str, Any]:
    changes = [row for row in rows if not math.isnan(row.difference)]
    tasks = unique(row.task for row in rows)
    taus = [tau for task in tasks if not math.isnan(tau := _tau([row for row in rows if row.task == task]))]
    ratios = [row.width / row.baseline_width for row in rows if row.width >= 0 and row.baseline_width > 0]
    largest = max(changes, key=lambda row: abs(row.difference), default=None)
    others = sum(_first(rows, task, "rank") != _first(rows, task, "baseline_rank") for task in tasks)
    is_apart = largest is not None and (largest.difference_low > 0 or largest.difference_high < 0)
    return {
        "title": rows[0].protocol_title,
        "switches": rows[0].switches or "no switch",
        "change": math.fsum(row.difference for row in changes) / len(changes) if changes else math.nan,
        "largest": largest.difference if largest else math.nan,
        "star": "*" if is_apart else "",
        "where": f"{largest.task}, {largest.model}" if largest and largest.difference else MISSING,
        "others": f"{count(others)} of {count(len(tasks))}",
        "tau": math.fsum(taus) / len(taus) if taus else math.nan,
        "width": median(ratios) if ratios else math.nan,
    }


def _tau(rows: Sequence[EffectRow]) -> float:
    tau = kendalltau([row.baseline_mean for row in rows], [row.mean for row in rows]).statistic
    return float(tau)  # Kendall's τ-b, NaN where one of the two ranks nothing


def _first(rows: Sequence[EffectRow], task: str, rank: str) -> set[str]:
    """The encoders that share the highest score of a task."""
    members = [row for row in rows if row.task == task]
    best = min(getattr(row, rank) for row in members)
    return {row.model for row in members if getattr(row, rank) == best}
