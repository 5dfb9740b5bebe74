"""What the page shows of tasks: scores, comparisons, protocol, every task, training."""

from collections.abc import Sequence
from typing import Any

from sentflow.compare.comparisons import (
    NAMED_DIFFERENCE,
    Comparisons,
    DocumentComparisons,
    detectable,
    n_needed,
)
from sentflow.compare.marks import Marks, letters
from sentflow.compare.score_rows import DocumentScore, EffectRow, ScoreRow, by_protocol
from sentflow.report import captions
from sentflow.report.families.probing import remarks
from sentflow.report.families.probing.answer import answer
from sentflow.report.families.probing.board import board
from sentflow.report.families.probing.citations import BENCHMARK, INTERVALS, TESTS
from sentflow.report.families.probing.findings import findings, on_new_documents, ranking
from sentflow.report.families.probing.rows import average_score
from sentflow.report.families.probing.strips import Axis, strip
from sentflow.report.findings import Finding
from sentflow.report.numbers import counted
from sentflow.report.page.sources import Part, Section, Sources, datasets_of
from sentflow.report.rows import SAMPLE_NOTE, data_note, unique

_TEMPLATES = "families/probing/page"
_ON_SIZES = "n: rows left when all classes are cut to the size of the smallest. An encoder that lacks one has no mean."
_COMPARISONS = ("differences", "ranks")


def section(sources: Sources) -> Section | None:
    """The section; None without scores."""
    rows = sources.inputs.rows_if_there(ScoreRow)
    if not rows:
        return None
    found = sources.inputs.together(Comparisons)
    groups = [(own, found.of(protocol)) for protocol, own in by_protocol(rows).items()]
    tasks, first = unique(row.task for row in rows), rows[0]
    tables = ["published"] if sources.settings.get("published", {}).get("published") else []
    tables += ["documents"] if sources.inputs.has(DocumentScore) else []
    tables += _COMPARISONS if found.pairs else ()
    not_comparable = unique(row.not_comparable for row in rows if row.not_comparable)
    return Section(
        name="probing",
        shown=_shown(sources, rows, found, not_comparable),
        tab="Probes",
        summary=f"{_TEMPLATES}/summary.html.j2",
        results=_parts(
            Part("scores", "Scores", "scores"),
            *((Part("comparisons", "Comparisons", "comparisons"),) if found.pairs else ()),
            Part("intervals", "Intervals", "intervals"),
            Part("training", "Training of probes", "training"),
        ),
        method=_parts(Part("tasks", "Tasks", "tasks"), Part("protocol", "Protocol", "protocol")),
        answer=tuple(
            _apart(answer(members, tests), members, n_groups=len(groups)) for members, tests in groups
        ),
        boards=tuple(board(members, tests) for members, tests in groups),
        rows=rows,
        encoders=rows,
        findings=[*findings(rows, found), *_on_new_documents(sources, rows)],
        tables={name: sources.table(name) for name in tables},
        badges=(counted(len(tasks), "task"),),
        design=(f"{first.repetitions} × {first.folds} folds", captions.protocols_of(rows)),
        warnings=("not comparable",) if not_comparable else (),
        methods=(BENCHMARK, INTERVALS, *((TESTS,) if found.pairs else ())),
        cited="the benchmark whose protocol it follows, the method behind the intervals, ",
        datasets=datasets_of([sources.entries("tasks").get(task, {}) for task in tasks]),
    )


def _apart(sentence: str, rows: Sequence[ScoreRow], *, n_groups: int) -> str:
    """The sentence, with the protocol where there are several: no test runs across them."""
    return sentence if n_groups == 1 else f"{sentence.removesuffix('.')} (protocol {rows[0].protocol})."


def _on_new_documents(sources: Sources, rows: Sequence[ScoreRow]) -> list[Finding]:
    kept = sources.inputs.rows_if_there(DocumentScore)
    return on_new_documents(kept, rows, sources.inputs.together(DocumentComparisons))


def _parts(*parts: Part) -> tuple[Part, ...]:
    return tuple(Part(part.anchor, part.title, f"{_TEMPLATES}/{part.template}.html.j2") for part in parts)


def _shown(
    sources: Sources, rows: Sequence[ScoreRow], found: Comparisons, not_comparable: list[str]
) -> dict[str, Any]:
    tasks = unique(row.task for row in rows)
    models = unique(row.model for row in rows)
    axis, effects = Axis.around(rows), sources.inputs.rows_if_there(EffectRow)
    return {
        "first": rows[0],
        "tasks": tasks,
        "models": models,
        "controls": unique(row.model for row in rows if row.is_control),
        "letters": letters(models),
        "is_sample": data_note(rows) == SAMPLE_NOTE,
        "families": unique(row.family for row in rows),
        "n_folds": sum(row.n_folds for row in rows),
        "marks": _marks(rows, found),
        "task_pairs": {task: [pair for pair in found.pairs if pair.task == task] for task in tasks},
        "task_detectable": {task: detectable(found.pairs, task) for task in tasks},
        "n_needed": n_needed,
        "named_difference": NAMED_DIFFERENCE,
        "tested": bool(found.pairs),
        "audits": sources.audits,
        "hardest": sources.hardest,
        "scores": {(row.task, row.model): row for row in rows},
        "task_rows": {task: next(row for row in rows if row.task == task) for task in tasks},
        "ranked": {task: ranking([row for row in rows if row.mean == row.mean], task) for task in tasks},
        "groups": {protocol: unique(row.task for row in own) for protocol, own in by_protocol(rows).items()},
        "average": lambda model, tasks: average_score(
            [row for row in rows if row.model == model and row.task in tasks], len(tasks)
        ),
        "notes": _notes(rows, found),
        "protocols": sources.settings["protocols"],
        "not_comparable": not_comparable,
        "study": sources.table("protocols") if effects else None,
        "entries": sources.entries("tasks"),
        "strip": lambda row: strip(row, axis),
        "repeatability": captions.REPEATABILITY,
        "generalisation": captions.generalisation(rows),
        "metrics": {row.metric: captions.METRICS_IN_WORDS.get(row.metric, row.metric) for row in rows},
    }


def _notes(rows: Sequence[ScoreRow], comparisons: Comparisons) -> list[str]:
    about_data = data_note(rows)
    notes = [] if about_data == SAMPLE_NOTE else [about_data]
    notes += [captions.design_note(rows), captions.interval_note(rows), captions.metric_note(rows)]
    if comparisons.pairs:
        notes += [captions.test_note(comparisons.pairs), captions.detectable_note(comparisons.pairs[0].alpha)]
        notes += remarks.unbalanced_notes(rows)
    else:
        notes.append(captions.NO_TEST)
    notes += remarks.score_notes(rows)
    if any(row.degenerate for row in rows):
        notes.append(captions.DEGENERATE)
    notes.append(_ON_SIZES)
    return notes


def _marks(rows: Sequence[ScoreRow], comparisons: Comparisons) -> dict[tuple[str, str], tuple[str, str]]:
    """(task, model) → what a test says of the score (`mark`), and the letters of those that it beats."""
    marks = Marks(comparisons.pairs, unique(row.model for row in rows))
    cells = [(row.task, row.model) for row in rows]
    return {cell: (marks.mark(*cell), marks.raised(*cell)) for cell in cells}
