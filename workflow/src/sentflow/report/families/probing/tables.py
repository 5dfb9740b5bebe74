"""The tables of tasks: scores, comparisons, ranks, tasks, documents, papers, and other protocols."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean, median
from typing import Any

from sentflow.compare.comparisons import Comparisons, DocumentComparisons, detectable, n_needed
from sentflow.compare.differences import Marks
from sentflow.compare.rows import AcrossRow, PairRow, RankRow
from sentflow.compare.score_rows import DocumentScore, EffectRow, ScoreRow, by_protocol
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
    p_number,
    percent,
    places,
    signed,
)
from sentflow.report.rows import grouped, titles_of, unique
from sentflow.report.table.table import (
    Blocks,
    Cell,
    Line,
    Table,
    build,
    crossed,
    fields_of,
    marked,
    number,
    test_columns,
    text,
)
from sentflow.stats.multiplicity import least_sign_flip_p

# what the CSV of scores says of tests, behind the columns of the summary
_STANDINGS = ("rank", "is_best", "not_worse", "letter", "better_than", "mdd_power", "n_needed")
_BALANCED = "n: rows left when all classes are cut to the size of the smallest."
_FEW_DOCUMENTS = 20


# --- scores ------------------------------------------------------------------------------------------------


def scores(inputs: Inputs) -> Table:
    """Task × encoder with generalisation intervals; an average only for encoders that have all tasks.

    With comparisons the best score is bold and what is not significantly worse underlined; without, nothing is.
    """
    rows, comparisons = inputs.rows(ScoreRow), inputs.together(Comparisons)
    pairs = comparisons.pairs if any(not pair.degenerate for pair in comparisons.pairs) else []
    titles, mdds = titles_of(rows, "model"), _detectable(pairs)
    marks, lines = Marks(pairs, list(titles)), _score_lines(rows)

    def size(form: Any, read: Callable[[Any], float], line: Mapping[str, Any]) -> Cell:
        if "averages" in line:
            return Cell("")
        value = read(line["scores"])
        return Cell(form(value), value=value)

    def score(model: str, line: Mapping[str, Any]) -> Cell:
        if "averages" in line:
            return number("", lambda line: line["averages"][model]).cell(line)
        row = line["scores"].get(model)
        cell = score_cell(row)
        if row is None or cell.text == MISSING:
            return cell
        mark, letters = marks.signs(row.task, model)
        return replace(cell, mark=mark, letters=letters)

    def mdd(row: ScoreRow) -> float:
        return mdds.get(row.task, math.nan)

    of_tests = [
        marked("MDD", partial(size, decimal, mdd)),
        marked(captions.N_NEEDED, partial(size, about, lambda row: n_needed(row.n_balanced_rows, mdd(row)))),
    ]
    tested = captions.NO_TEST if len(titles) > 1 else ""
    power = []
    if pairs:
        tested = captions.test_note(captions.test_name(pairs), "of the task", pairs[0].alpha)
        power = [captions.detectable_note(pairs[0].alpha), *remarks.unbalanced_notes(rows)]
    is_incomplete = any(math.isnan(value) for line in lines for value in line.get("averages", {}).values())
    before = [captions.design_note(rows), captions.metric_note(rows)]
    after = [
        *remarks.score_notes(rows),
        *remarks.shared_notes(rows),
        captions.DEGENERATE if any(row.degenerate for row in rows) else "",
        f"{MISSING} Not computed; a model that lacks a task has no average." if is_incomplete else "",
    ]
    return build(
        "score of each encoder on each task.",
        (*fields_of(ScoreRow), *(_STANDINGS if pairs else ())),
        lines,
        [
            text("Task", "title"),
            text("Metric", lambda line: _metric(line["scores"]) if line["scores"] else ""),
            marked("n", partial(size, count, lambda row: row.n_balanced_rows)),
            *(of_tests if pairs else []),
            *(
                marked(title, partial(score, model), marks.letters.get(model, ""))
                for model, title in titles.items()
            ),
        ],
        [
            *before,
            f"In brackets the {percent(rows[0].level)} generalisation interval: {captions.generalisation(rows)}.",
            _BALANCED,
            tested,
            captions.letters() if pairs else "",
            *power,
            *after,
        ],
        data=rows,
        records=_with_standings(rows, comparisons) if pairs else rows,
        blocks=Blocks("block", "Family", lambda name, own: "" if "averages" in own[0] else name),
        lead=5 if pairs else 3,
        matrix=crossed(rows, by=("task",), across="model", value="mean", notes=[*before, tested, *after]),
    )


def _score_lines(rows: Sequence[ScoreRow]) -> list[dict[str, Any]]:
    """Tasks by protocol and family with their scores by encoder, and the averages of each protocol behind its tasks."""
    models = unique(row.model for row in rows)
    lines: list[dict[str, Any]] = []
    for protocol, own in by_protocol(rows).items():
        apart = captions.of_protocol(protocol, rows)
        families = unique(row.family for row in own)
        by_family = sorted(own, key=lambda row: families.index(row.family))
        for (family, task), members in grouped(by_family, "family", "task").items():
            ordered = sorted(members, key=lambda row: models.index(row.model))
            of_task = Line({row.model: row for row in ordered})
            title = task + remarks.marks(ordered[0], of_scores=True)
            lines.append({"block": captions.family_name(family) + apart, "title": title, "scores": of_task})
        n_tasks = len(grouped(own, "task"))
        if n_tasks > 1:
            by_model, title = grouped(own, "model"), f"Average of {n_tasks} tasks{apart}"
            means = {model: average_score(by_model.get(model, []), n_tasks) for model in models}
            lines.append({"block": f"Average{apart}", "title": title, "scores": {}, "averages": means})
    return lines


def _metric(row: Any) -> str:
    return captions.metric_name(row.metric)


def score_cell(row: ScoreRow | None) -> Cell:
    """``0.506 [0.479, 0.533]``, perhaps with marks; words for an interval that means nothing; a dash for no row."""
    if row is not None and row.has_too_few_documents:
        return Cell(decimal(row.mean) + remarks.score_mark(row), captions.TOO_FEW_DOCUMENTS, value=row.mean)
    if row is None or math.isnan(row.mean):
        return Cell(MISSING)
    score = decimal(row.mean) + remarks.score_mark(row)
    if row.degenerate:
        return Cell(f"{score}†", value=row.mean)
    return Cell(score, interval(*row.shown_generalisation), value=row.mean)


def _detectable(pairs: Sequence[PairRow]) -> dict[str, float]:
    """Task → smallest difference that is found."""
    return {task: detectable(own, task) for task, own in grouped(pairs, "task").items()}


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
        of_tests = (*places, marks.letters.get(row.model, ""), lower, mdd, n_needed(row.n_balanced_rows, mdd))
        records.append(vars(row) | dict(zip(_STANDINGS, of_tests, strict=True)))
    return records


# --- comparisons -------------------------------------------------------------------------------------------


def differences(inputs: Inputs) -> Table:
    """Every pair of encoders on every task: difference, interval, tests, and what could have been found."""
    rows, pairs = inputs.rows(ScoreRow), inputs.together(Comparisons).pairs
    notes = [captions.design_note(rows), *remarks.low_score_notes(rows)]
    if pairs:
        one = pairs[0]
        notes += [
            captions.difference_note(captions.test_name(pairs), "of the task", one.level, one.alpha),
            f"**: also over tasks ({captions.adjusted_over_tasks(one.adjustment, one.alpha)}). Intervals are for new "
            f"texts of the same population{captions.population(rows)}.",
            captions.detectable_note(one.alpha),
            *remarks.unbalanced_notes(rows),
            f"{captions.equivalence_note(one.rope)} The CSV file has further tests.",
        ]
        if any(pair.degenerate for pair in pairs):
            notes.append(f"{MISSING} No test: the two differ by the same in all folds, or not at all.")
    else:
        notes.append(captions.NOTHING_COMPARED)

    def stars(pair: PairRow) -> str:
        return "*" * ((pair.p_holm <= pair.alpha) + (pair.p_over_tasks <= pair.alpha))

    def title(task: str, _: Sequence[PairRow]) -> str:
        row = next(row for row in rows if row.task == task)
        sizes = captions.sizes(row.n_balanced_rows, detectable(pairs, task))
        apart = captions.of_protocol(row.protocol, rows)
        return f"{task}: {row.task_title} ({captions.metric_name(row.metric)}, {sizes}{apart})"

    return build(
        "paired differences between encoders.",
        PairRow,
        pairs,
        [
            text("First − second", lambda pair: f"{pair.model_a_title} − {pair.model_b_title}", 2.6),
            number("Difference", "difference", sign=stars),
            *test_columns(),
            text("Equivalent", lambda pair: captions.equivalence(pair.p_equivalence)),
        ],
        notes,
        data=rows,
        blocks=Blocks("task", title=title),
    )


# Against all others; then against the first, with the interval of the true difference on a new task
_AGAINST = ("won", "ties", "lost", "difference", "low", "high", "separated", "new_low", "new_high")
_YES_OR_NO = {True: "yes", False: "no", None: MISSING}


def ranks(inputs: Inputs) -> Table:
    """Encoders over all tasks: mean, average rank and its interval, wins and losses, and the distance to the first.

    The first of a protocol has the best average rank; incomplete encoders have neither mean nor rank. Every pair over
    all tasks is in ``comparisons/across.parquet``.
    """
    rows, comparisons = inputs.rows(ScoreRow), inputs.together(Comparisons)

    def place(row: RankRow) -> tuple[bool, float, str]:
        rank = math.inf if math.isnan(row.average_rank) else row.average_rank
        return not row.complete, rank, row.model_title

    def repetition(line: Mapping[str, Any]) -> str:
        limits = f"{decimal(line['repeat_low'], 2)} to {decimal(line['repeat_high'], 2)}"
        return limits if line["complete"] else MISSING

    ordered = sorted(comparisons.ranks, key=place)
    lines = [
        _line(row, own[0], comparisons.of(protocol).across)
        for protocol in by_protocol(rows)
        if (own := [row for row in ordered if row.protocol == protocol])
        for row in own
    ]
    return build(
        "encoders over all tasks.",
        (*fields_of(RankRow), *_AGAINST),
        lines,
        [
            text("Encoder", "model_title", 2.2),
            number("Tasks", "n_tasks", count),
            number("Mean score", "mean"),
            number("Average rank", "average_rank", decimal, 2),
            text("Repetition", repetition),
            text("Place", lambda line: places(line["rank_low"], line["rank_high"])),
            number("Won", "won", count),
            number("Neither", "ties", count),
            number("Lost", "lost", count),
            number("To the first", "difference", signed, limits=("low", "high")),
            text("Separated", lambda line: _YES_OR_NO[line["separated"]]),
            text("New task", lambda line: interval(line["new_low"], line["new_high"])),
        ],
        [
            captions.design_note(rows),
            *remarks.low_score_notes(rows),
            *_notes_on_ranks(rows, ordered, comparisons),
        ],
        data=rows,
        blocks=Blocks("protocol", "Protocol", lambda name, _: captions.heading_of_protocol(name, rows)),
    )


def _line(rank: RankRow, best: RankRow, across: Sequence[AcrossRow]) -> dict[str, Any]:
    own = [
        (pair, 1 if pair.model_a == rank.model else -1)
        for pair in across
        if rank.model in (pair.model_a, pair.model_b)
    ]
    undefined = dict.fromkeys(("difference", "low", "high", "new_low", "new_high"), math.nan)
    line = vars(rank) | dict.fromkeys(_AGAINST) | undefined
    if not rank.complete or not own:
        return line
    line["won"] = sum(pair.wins if sign > 0 else pair.losses for pair, sign in own)
    line["lost"] = sum(pair.losses if sign > 0 else pair.wins for pair, sign in own)
    line["ties"] = sum(pair.ties for pair, _ in own)
    for pair, sign in own:
        if best.model in (pair.model_a, pair.model_b) and rank.model != best.model:
            line |= {"difference": sign * pair.difference, "separated": pair.separated}
            line["low"], line["high"] = sorted((sign * pair.low, sign * pair.high))
            line["new_low"], line["new_high"] = sorted((sign * pair.new_low, sign * pair.new_high))
    return line


def _least(row: AcrossRow) -> str:
    if math.isfinite(row.least_separable):
        return f"A typical pair needs a difference of {decimal(row.least_separable)}."
    return f"So few separate no pair: the least p is {least_sign_flip_p(row.n_units):.2g}."


def _notes_on_ranks(
    rows: Sequence[ScoreRow], ordered: Sequence[RankRow], comparisons: Comparisons
) -> list[str]:
    if not ordered:
        return [captions.NOTHING_COMPARED]
    numbers = {protocol: len(grouped(own, "task")) for protocol, own in by_protocol(rows).items()}
    tasks = "the tasks of a protocol, " + listed([f"{name} {n}" for name, n in numbers.items()])
    if len(numbers) == 1:
        tasks = counted(sum(numbers.values()), "task")
    notes = [
        f"Average rank over {tasks}, 1 is the best; repetition: its {percent(ordered[0].level)} interval with other "
        "tasks and other texts (in simulations of close encoders a 95\u202f% interval held 88\u202f%).",
    ]
    for protocol, own in by_protocol(comparisons.across).items():
        one, apart = own[0], captions.of_protocol(protocol, comparisons.across)
        several = f"tasks of sources like these {one.n_sources}"
        sources = "tasks of this source only" if one.n_sources == 1 else several
        notes += [
            f"Won, neither, lost{apart}: against all other encoders on all tasks "
            f"({captions.adjusted_over_tasks(one.adjustment, one.alpha)}).",
            f"To the first{apart}: difference of the means from the encoder with the best average rank, with its "
            f"{percent(one.level)} interval (REML), for {sources}; new task: prediction interval of that on one task.",
            f"Place (by the mean; its {percent(1 - one.alpha)} interval) and separated{apart}: by sign flips "
            f"{captions.over_units(one.units, one.n_units)}, adjusted over all pairs. {_least(one)}",
        ]
    for protocol, facts in comparisons.omnibus.items():
        if facts.get("friedman_p") is not None:
            f = MISSING if facts["iman_davenport_f"] is None else decimal(facts["iman_davenport_f"], 2)
            notes.append(
                f"All encoders equal{captions.of_protocol(protocol, comparisons.ranks)} "
                f"({captions.over_units(facts['units'], facts['n_units'])})? Friedman chi² "
                f"{decimal(facts['friedman_chi2'], 2)}, p {p_number(facts['friedman_p'])}; Iman and Davenport F {f}, p "
                f"{p_number(facts['iman_davenport_p'])}."
            )
    if not all(rank.complete for rank in ordered):
        notes.append(f"{MISSING} A task is missing: no mean and no rank.")
    return notes


# --- tasks, documents, papers ------------------------------------------------------------------------------


def tasks(inputs: Inputs) -> Table:
    """What each task is: metric, probe, layout, rows and data."""
    rows = inputs.rows(ScoreRow)
    firsts = [own[0] for own in grouped(rows, "task").values()]
    return build(
        "the tasks.",
        (
            *("task", "task_title", "family", "metric", "classifier", "layout", "n_classes", "n_rows"),
            *("n_balanced_rows", "n_train", "n_contradicting", "effective_rows", "data_version"),
        ),
        firsts,
        [
            text("Task", lambda row: row.task + remarks.marks(row)),
            text("Title", "task_title", 3.6),
            text("Metric", _metric),
            text("Probe", lambda row: captions.CLASSIFIERS.get(row.classifier, row.classifier), 1.9),
            text("Input", lambda row: captions.LAYOUTS.get(row.layout, row.layout), 2.2),
            number("Classes", "n_classes", count),
            number("Rows", "n_rows", count),
            number("n", "n_balanced_rows", count),
            text("Data", "data_version"),
        ],
        [captions.metric_note(rows), _BALANCED, *remarks.notes(firsts)],
        data=rows,
        blocks=Blocks("family", "Family", lambda name, _: captions.family_name(name)),
    )


def documents(inputs: Inputs) -> Table:
    """A block per task that names documents, a line per encoder: folds of rows, and of documents kept together."""
    rows = inputs.rows(DocumentScore)
    split = {(row.task, row.model): row for row in inputs.rows(ScoreRow)}
    comparisons = inputs.together(DocumentComparisons)
    marks = Marks(comparisons.pairs, list(titles_of(rows, "model")))
    same = [split[row.task, row.model] for row in rows]
    tested = []
    if comparisons.pairs:
        alpha = comparisons.pairs[0].alpha
        tested = [
            captions.test_note(captions.test_name(comparisons.pairs), "of the task", alpha),
            f"{captions.letters()} All for new documents.",
            captions.detectable_note(alpha, "texts of documents"),
        ]
    few = any(row.effective_documents < _FEW_DOCUMENTS and not row.has_too_few_documents for row in rows)

    def kept(row: DocumentScore) -> Cell:
        mark, letters = marks.signs(row.task, row.model)
        return replace(score_cell(row), mark=mark, letters=letters)

    def title(task: str, own: Sequence[DocumentScore]) -> str:
        row = own[0]
        sizes = captions.sizes(row.n_balanced_rows, detectable(comparisons.pairs, task))
        return (
            f"{task}: {row.task_title} ({captions.metric_name(row.metric)}, {counted(row.n_documents, 'document')}, "
            f"{decimal(row.effective_documents, 1)} effective{'' if row.is_untested else f', {sizes}'})"
        )

    return build(
        "scores for new texts of the same documents, and for new documents.",
        (*fields_of(DocumentScore), *_STANDINGS),
        rows,
        [
            text("Encoder", "model_title", letters=lambda row: marks.letters.get(row.model, "")),
            marked("Same documents", lambda row: score_cell(split[row.task, row.model])),
            marked("New documents", kept),
            number("Change", lambda row: row.mean - split[row.task, row.model].mean, signed),
        ],
        [
            captions.design_note(rows),
            captions.metric_note(rows),
            f"Same documents ({listed(unique(row.protocol for row in same))}): a probe may know the document of a row "
            f"on which it is tested. New documents: all rows of one in one fold ({captions.protocols_of(rows)}). In "
            f"brackets {percent(rows[0].level)} intervals; the change has none. Effective: number of documents of "
            "equal size with as much information.",
            *tested,
            *remarks.score_notes([*rows, *same]),
            *captions.degenerate_notes([*rows, *same]),
            *captions.too_few_documents_notes(rows),
            f"With fewer than {_FEW_DOCUMENTS} effective documents, 95\u202f% intervals may hold too rarely in a large "
            "population: in 89 to 93\u202f% of samples of 20 and 39 posts of HateBR."
            if few
            else "",
        ],
        data=rows,
        records=_with_standings(rows, comparisons),
        blocks=Blocks("task", title=title),
    )


_PUBLISHED = (
    *("task", "model", "model_title", "metric", "n_balanced_rows", "published", "mean", "difference"),
    *("repeatability_low", "repeatability_high", "generalisation_low", "generalisation_high", "source"),
)


def published(inputs: Inputs) -> Table:
    """One line per published score whose task and encoder were scored: in the metric of the task, on our scale."""
    rows = inputs.rows(ScoreRow)
    ours = {(row.task, row.model): row for row in rows}
    lines = []
    for entry in inputs.published:
        row, value = ours.get((entry["task"], entry["model"])), float(entry["value"])
        if row is not None:
            own = {"published": value, "difference": row.mean - value, "source": entry["source"]}
            lines.append(vars(row) | own)

    def limits(kind: str, line: Mapping[str, Any]) -> str:
        return interval(line[f"{kind}_low"], line[f"{kind}_high"])

    return build(
        "published scores and ours.",
        _PUBLISHED,
        lines,
        [
            text("Task", "task"),
            text("Encoder", "model_title", 3.6),
            text("Metric", lambda line: captions.metric_name(line["metric"])),
            number("n", "n_balanced_rows", count),
            number("Published", "published"),
            number("Ours", "mean"),
            number("Difference", "difference"),
            *(text(kind.capitalize(), partial(limits, kind)) for kind in ("repeatability", "generalisation")),
            text("Source", "source", 3.6),
        ],
        [
            captions.design_note(rows),
            f"Repeatability ({percent(rows[0].repeatability_level)}): {captions.REPEATABILITY}; scores published for "
            "the same texts, vectors and protocol should be near it.",
            f"Generalisation ({percent(rows[0].level)}): {captions.generalisation(rows)}.",
            _BALANCED,
        ],
        data=rows,
    )


# --- protocols ---------------------------------------------------------------------------------------------


def protocols(inputs: Inputs) -> Table:
    """What each protocol does to scores, to the order of encoders and to intervals: a line per protocol."""
    rows = inputs.rows(EffectRow)
    one, by_name = rows[0], by_protocol(rows)
    n_tasks, n_models = len(grouped(rows, "task")), len(grouped(rows, "model"))
    unpaired = unique(row.protocol_title for row in rows if not row.paired)
    changes = {own[0].protocol_title: unique(row.not_comparable for row in own) for own in by_name.values()}
    return build(
        f"effect of other protocols on the scores of {one.baseline}.",
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
        [
            f"Each line: another protocol less {one.baseline}, on {n_tasks} tasks and {n_models} encoders. *: the "
            f"{percent(one.level)} interval of the largest change (Nadeau and Bengio 2003) excludes 0, which is no "
            "test.",
            "Other best: tasks with another first encoder. Kendall's tau: of the encoders, mean over tasks. Width: of "
            "the protocol's own interval, divided by that of the baseline, median.",
            f"Other folds than the baseline's, so no paired differences: {', '.join(unpaired)}."
            if unpaired
            else "",
            *(
                f"{title} is not comparable with published scores: {'; '.join(filter(None, why))}."
                for title, why in changes.items()
                if any(why)
            ),
        ],
        records=rows,
    )


def _effect(rows: Sequence[EffectRow]) -> dict[str, Any]:
    changes = [row for row in rows if not math.isnan(row.difference)]
    tasks = list(grouped(rows, "task").values())
    taus = [tau for own in tasks if not math.isnan(tau := _tau(own))]
    ratios = [row.width / row.baseline_width for row in rows if row.width >= 0 and row.baseline_width > 0]
    largest = max(changes, key=lambda row: abs(row.difference), default=None)
    others = sum(_best(own, "rank") != _best(own, "baseline_rank") for own in tasks)
    is_apart = largest is not None and (largest.difference_low > 0 or largest.difference_high < 0)
    return {
        "title": rows[0].protocol_title,
        "switches": rows[0].switches or "no switch",
        "change": math.fsum(row.difference for row in changes) / len(changes) if changes else math.nan,
        "largest": largest.difference if largest else math.nan,
        "star": "*" if is_apart else "",
        "where": f"{largest.task}, {largest.model}" if largest and largest.difference else MISSING,
        "others": f"{count(others)} of {count(len(tasks))}",
        "tau": fmean(taus) if taus else math.nan,
        "width": median(ratios) if ratios else math.nan,
    }


def _tau(rows: Sequence[EffectRow]) -> float:
    from scipy.stats import kendalltau  # takes longer to import than all tables to make

    tau = kendalltau([row.baseline_mean for row in rows], [row.mean for row in rows]).statistic
    return float(tau)  # Kendall's τ-b, NaN where one of the two ranks nothing


def _best(rows: Sequence[EffectRow], rank: str) -> set[str]:
    """The encoders that share the highest score of a task."""
    best = min(getattr(row, rank) for row in rows)
    return {row.model for row in rows if getattr(row, rank) == best}
