"""The results of probes in plain words, said no more strongly than the numbers allow."""

import math
from collections.abc import Sequence
from statistics import median

from sentflow.compare.comparisons import Comparisons
from sentflow.compare.differences import other, winner_by
from sentflow.compare.score_rows import DocumentScore, ScoreRow, by_protocol
from sentflow.report import captions
from sentflow.report.families.probing import remarks, tested
from sentflow.report.families.probing.remarks import TRAINED_TOO_LITTLE, trained_too_little, training_sentence
from sentflow.report.findings import Finding, highest
from sentflow.report.numbers import counted, decimal, listed, percent, signed
from sentflow.report.rows import unique


def findings(rows: Sequence[ScoreRow], comparisons: Comparisons | None = None) -> list[Finding]:
    """What a reader should take home, most important first; undefined scores are left out and said."""
    scored = [row for row in rows if not math.isnan(row.mean)]
    groups = [
        (
            captions.of_protocol(protocol, rows),
            own,
            comparisons.of(protocol) if comparisons and comparisons.pairs else None,
        )
        for protocol, own in by_protocol(rows).items()
    ]
    found = [finding for apart, own, tests in groups for finding in _leads(own, tests, apart)]
    found += [_trained_too_little(scored), _held_back(scored)]
    found += [finding for apart, own, tests in groups for finding in _limits(own, tests, apart)]
    found.append(_gaps(rows))
    return [finding for finding in found if finding is not None]


def _leads(rows: Sequence[ScoreRow], comparisons: Comparisons | None, apart: str) -> list[Finding | None]:
    """Who is ahead on the tasks of one protocol; `apart` ends the headings where there are several."""
    scores = [(row.task, row.model_title, row.mean) for row in rows if not math.isnan(row.mean)]
    found = [highest("Highest score" + apart, scores, "task")]
    return found + (_tested(comparisons, apart) if comparisons and comparisons.pairs else [])


def _limits(rows: Sequence[ScoreRow], comparisons: Comparisons | None, apart: str) -> list[Finding | None]:
    """What the scores of one protocol are worth."""
    scored = [row for row in rows if not math.isnan(row.mean)]
    return [_controls(scored, comparisons, apart), _precision(scored, apart)]


def on_new_documents(
    rows: Sequence[DocumentScore], split: Sequence[ScoreRow], comparisons: Comparisons
) -> list[Finding]:
    """What holds for new documents; nothing where no task names documents.

    `comparisons`: tests on the folds of `rows`.
    """
    known = {(row.task, row.model): row.mean for row in split}
    changes = [row.mean - known[row.task, row.model] for row in rows if (row.task, row.model) in known]
    if not changes:
        return []
    usable = [change for change in changes if not math.isnan(change)]
    protocols = by_protocol(rows)
    sentences = [
        f"Scores on {listed(unique(row.task for row in rows))} are for new texts of the same documents."
    ]
    if usable:
        sentences.append(
            f"For new documents they change by {signed(median(usable))} (median; from {signed(min(usable))} to "
            f"{signed(max(usable))})."
        )
    sentences += captions.too_few_documents_notes(rows)
    for protocol in protocols if comparisons.pairs else ():
        apart = f"Protocol {protocol}: " if len(protocols) > 1 else ""
        sentences.append(f"{apart}{tested.within_tasks(comparisons.of(protocol))}")
    return [Finding("New documents", " ".join(sentences))]


def ranking(rows: Sequence[ScoreRow], task: str) -> list[ScoreRow]:
    """The rows of a task from the highest score to the lowest; equal scores stay in their order."""
    return sorted((row for row in rows if row.task == task), key=lambda row: -row.mean)


def _tested(comparisons: Comparisons, apart: str) -> list[Finding | None]:
    across = tested.across_tasks(comparisons)
    return [
        Finding("How clear the lead is" + apart, tested.within_tasks(comparisons)),
        Finding("Over all tasks" + apart, across) if across else None,
        Finding("Detectable differences" + apart, tested.what_could_be_found(comparisons)),
    ]


def _trained_too_little(rows: Sequence[ScoreRow]) -> Finding | None:
    tasks = unique(row.task for row in rows if trained_too_little(row))
    if not tasks:
        return None
    n_tasks = len(unique(row.task for row in rows))
    which = f"all {counted(n_tasks, 'task')}" if len(tasks) == n_tasks > 1 else listed(tasks)
    said = unique(training_sentence(row) for row in rows if trained_too_little(row))
    return Finding(f"Marked {TRAINED_TOO_LITTLE}", " ".join([f"{which[0].upper()}{which[1:]}.", *said]))


def _held_back(rows: Sequence[ScoreRow]) -> Finding | None:
    said = remarks.held_back_sentences(rows)
    return Finding(f"Marked {remarks.HELD_BACK}", " ".join(said)) if said else None


def _controls(rows: Sequence[ScoreRow], comparisons: Comparisons | None, apart: str) -> Finding | None:
    controls = [row for row in rows if row.is_control]
    encoders = [row for row in rows if not row.is_control]
    tasks = [
        task
        for task in unique(row.task for row in encoders)
        if any(control.task == task for control in controls)
    ]
    if not tasks:
        return None
    below = [task for task in tasks if ranking(encoders, task)[0].mean <= ranking(controls, task)[0].mean]
    parts = []
    if comparisons and comparisons.pairs:
        clear = [task for task in tasks if _beats_every_control(encoders, controls, task, comparisons)]
        adjusted = captions.adjusted_over_tasks(comparisons.pairs[0].adjustment, comparisons.pairs[0].alpha)
        parts.append(
            f"On {len(clear)} of {counted(len(tasks), 'task')} the highest-scoring encoder is significantly "
            f"better than every control ({adjusted})."
        )
    if below:
        parts.append(f"No encoder scores higher than the best control on {listed(below)}.")
    return Finding("Comparison with the controls" + apart, " ".join(parts)) if parts else None


def _beats_every_control(
    encoders: Sequence[ScoreRow], controls: Sequence[ScoreRow], task: str, comparisons: Comparisons
) -> bool:
    first = ranking(encoders, task)[0].model
    lower = [
        other(pair, first)
        for pair in comparisons.pairs
        if pair.task == task and winner_by(pair, pair.p_over_tasks) == first
    ]
    return all(control.model in lower for control in controls if control.task == task)


def _precision(rows: Sequence[ScoreRow], apart: str) -> Finding | None:
    usable = [
        row
        for row in rows
        if not (row.degenerate or row.has_too_few_documents)
        and row.repeatability_high > row.repeatability_low
    ]
    if not usable:
        return None
    halves = [(row.generalisation_high - row.generalisation_low) / 2 for row in usable]
    text = (
        f"A {percent(rows[0].level)} generalisation interval extends {decimal(median(halves))} to either "
        f"side of its score (median; from {decimal(min(halves))} to {decimal(max(halves))}). The interval "
        "that papers usually report is narrower: it only shows how the score would vary if the same texts were "
        "shuffled again."
    )
    return Finding("How precise the scores are" + apart, text)


def _gaps(rows: Sequence[ScoreRow]) -> Finding | None:
    degenerate = [f"{row.model_title} on {row.task}" for row in rows if row.degenerate]
    undefined = [f"{row.model_title} on {row.task}" for row in rows if math.isnan(row.mean)]
    have = {(row.task, row.model) for row in rows}
    titles = {row.model: row.model_title for row in rows}
    absent = [
        f"{titles[model]} on {task}"
        for task in unique(row.task for row in rows)
        for model in titles
        if (task, model) not in have
    ]
    parts = []
    if degenerate:
        parts.append(f"All folds gave the same score, so there is no interval: {listed(degenerate)}.")
    if undefined or absent:
        parts.append(f"No score: {listed(undefined + absent)}.")
    return Finding("Gaps", " ".join(parts)) if parts else None
