"""Encoders of several runs in one order, where their scores may stand side by side."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata

from sentflow.errors import DataError
from sentflow.report import claims
from sentflow.report.claims import Ranking, System
from sentflow.report.families.probing import remarks
from sentflow.report.numbers import counted
from sentflow.report.rows import unique
from sentflow.runs.folder import Result, ResultsFolder, changed
from sentflow.stats.separation import ALPHA

SCORES = "scores"
# Kind → what has scores, on what, and which
WORDS = {
    SCORES: ("encoder", "task", "score"),
    "similarity": ("encoder", "pair set", "Spearman's correlation of the cosine, all pairs"),
    "retrieval": ("retriever", "question set", "nDCG@10"),
}
KINDS = tuple(WORDS)
# Two runs of an encoder that differ by less are one entry.
_SAME = 1e-6
# Said of an encoder, or of its score; everything else must be the same for all.
_OWN = ("model", "dimension", "retriever", "n_tied_at_cut", "n_unanswered")
_OWN_PARTS = ("intervals.", "scores.", "warnings.", "groups.", "reading.")


@dataclass(frozen=True)
class Entry:
    """An encoder, and the runs that gave these scores."""

    encoder: str
    runs: tuple[str, ...]
    scores: Mapping[str, float]  # task or pair set → score; NaN where it is undefined
    # mean, mean_rank: over all tasks of the board; rank 1 is best, ties share the mean of their ranks
    mean: float = math.nan
    mean_rank: float = math.nan
    places: tuple[int, int] | None = None  # that its tests leave open: the first and the last


@dataclass(frozen=True)
class Board:
    """Entries that were measured alike, the best mean first."""

    kind: str  # one of `KINDS`
    protocol: str  # of all its tasks; pair sets have none, question sets neither
    data_version: str  # several are joined by semicolons
    tasks: tuple[str, ...]  # those that every entry has; without any there are no entries
    entries: tuple[Entry, ...]
    left_out: Mapping[str, tuple[str, ...]]  # task that is not in the means → encoders that lack it
    lacking: tuple[str, ...] = ()  # runs that have no result of the kind
    sources: Mapping[str, str] = field(
        default_factory=dict
    )  # task → what it has in common, where that is known
    verdict: str = ""  # who is best, by how much, and whether a test shows it
    # notes: what places hold for, which scores are lower than encoders allow, and of which runs that is not known
    notes: tuple[str, ...] = ()


def boards_of(runs: Mapping[str, ResultsFolder]) -> list[Board]:
    """Leaderboards over all runs: one per kind of score and protocol.

    Of a single run that has its summaries, encoders of tasks, tests and verdict are those of the page.
    """
    boards = []
    pages = _pages(next(iter(runs.values())).path) if len(runs) == 1 else {}
    facts = [protocol for folder in runs.values() for protocol in folder.compared()]
    alpha = min((protocol["alpha"] for protocol in facts), default=ALPHA)
    # earlier versions did not write sources
    pairs = [zip(protocol["tasks"], protocol.get("sources", ()), strict=False) for protocol in facts]
    sources = {task: source for known in pairs for task, source in known}
    for kind in KINDS:
        # a question set need not have the measure that the boards are of
        found = [
            (run, result)
            for run, folder in runs.items()
            for name, result in folder.results.items()
            if name.startswith(f"{kind}/") and result.headline
        ]
        _refuse_other_measurements(found, runs)
        lacking = tuple(run for run in runs if all(run != other for other, _ in found))
        groups: dict[str, list[tuple[str, Result]]] = {}
        for run, result in found:
            groups.setdefault(str(result.about.get("protocol", "")), []).append((run, result))
        for name, group in sorted(groups.items()):
            page = pages.get((kind, name), pages.get((kind, "")))
            ranked = {system.name for system in page.systems} if page and kind == SCORES else ()
            whole = [(run, result) for run, result in group if result.encoder in ranked]
            board = _tested(_board(kind, name, whole or group), page, sources, alpha)
            notes = (*board.notes, *(_notes(board, runs) if kind == SCORES else ()))
            boards.append(replace(board, lacking=lacking, notes=notes))
    if not boards:
        raise DataError(
            f"{', '.join(runs)}: no scores, no similarities and no retrieval that nDCG@10 was measured of. Run the "
            "target scores, similarity or retrieval, or all, first."
        )
    if not any(board.tasks for board in boards):
        told = {}
        for board in boards:
            lacking_of = "; ".join(
                f"{task}: not {', '.join(names)}" for task, names in board.left_out.items()
            )
            told[board.protocol or board.kind] = f"is common to all encoders of all runs ({lacking_of})."
        raise DataError(" ".join(f"no task of {name} {why}" for name, why in told.items()))
    return boards


def _refuse_other_measurements(
    found: Iterable[tuple[str, Result]], runs: Mapping[str, ResultsFolder]
) -> None:
    first: dict[str, tuple[str, Result]] = {}
    data = {run: folder.data() for run, folder in runs.items()}
    for run, result in found:
        before, standard = first.setdefault(result.task, (run, result))
        why = ""
        if differing := changed(_conditions(standard), _conditions(result)):
            why = ", ".join(f"{key} {one} and {other}" for key, (one, other) in differing.items())
        else:
            parts = {result.task, result.about.get("corpus")}
            tables = [
                name
                for name, sides in changed(data[before], data[run]).items()
                if None not in sides and name.partition("/")[2] in parts and not name.startswith("texts/")
            ]
            why = f"{', '.join(tables)} is another table" if tables else ""
        if why:
            raise DataError(
                f"{result.task}: {before} and {run} did not measure alike: {why}. Leave one of them out, or run both "
                "with the same configuration."
            )


def _conditions(result: Result) -> dict[str, Any]:
    about = result.about.items()
    return {key: value for key, value in about if key not in _OWN and not key.startswith(_OWN_PARTS)}


def _pages(folder: Path) -> dict[tuple[str, str], Ranking]:
    """What the page ranks, by kind and protocol; the latter is empty where there is only one."""
    kinds = {"pair set": "similarity", "question set": "retrieval"}
    found = claims.rankings(folder)
    return {(kinds[sets.what] if sets else SCORES, ranking.protocol): ranking for ranking, sets in found}


def _tested(board: Board, page: Ranking | None, sources: Mapping[str, str], alpha: float) -> Board:
    """A board with its verdict: that of the page where this has the same values, else by the same tests."""
    (what, unit, _), scale = WORDS[board.kind], 100 if board.kind == "similarity" else 1
    times = Counter(entry.encoder for entry in board.entries)
    names = [
        one.encoder if times[one.encoder] == 1 else f"{one.encoder} of {one.runs[0]}" for one in board.entries
    ]
    means = {name: one.mean for name, one in zip(names, board.entries, strict=True)}
    systems = [System(name, name, mean) for name, mean in means.items() if not math.isnan(mean)]
    ranking = Ranking(tuple(systems), {}, what, "mean", f"over {counted(len(board.tasks), unit)}")
    own = {task: sources.get(task, "") if board.kind == SCORES else task for task in board.tasks}
    if page and all(abs(scale * means.get(one.name, math.nan) - one.value) < _SAME for one in page.systems):
        ranking = page
    elif len(systems) > 1 and all(own.values()):
        scores = np.array([[*one.scores.values()] for one in board.entries[: len(systems)]]).T
        ranking = claims.over_units(ranking, scores, list(own.values()), unit, alpha)
    places = {one.name: ranking.place(one) for one in ranking.systems if ranking.is_tested}
    entries = [replace(one, places=places.get(name)) for name, one in zip(names, board.entries, strict=True)]
    notes = [f"Places are those that the tests leave open, for {ranking.population}."] if places else []
    if not all(own.values()):
        notes = ["Which tasks share a source is not known: run the target comparisons."]
    verdict = str(ranking.verdict())
    return replace(board, entries=tuple(entries), sources=own, verdict=verdict, notes=tuple(notes))


def _board(kind: str, protocol: str, group: Sequence[tuple[str, Result]]) -> Board:
    versions = unique(str(result.about.get("data_version", "")) for _, result in group)
    data_version = "; ".join(filter(None, versions))
    scores: dict[tuple[str, str], dict[str, float]] = {}
    for run, result in group:
        score = math.nan if result.score is None else result.score
        scores.setdefault((result.encoder, run), {})[result.task] = score
    every = list(dict.fromkeys(result.task for _, result in group))
    tasks = [task for task in every if all(task in found for found in scores.values())]
    lacking = {
        task: [encoder for (encoder, _), found in scores.items() if task not in found] for task in every
    }
    left_out = {task: tuple(dict.fromkeys(encoders)) for task, encoders in lacking.items() if encoders}
    if not tasks:
        return Board(kind, protocol, data_version, (), (), left_out)
    entries = _merged(
        Entry(encoder, (run,), {task: found[task] for task in tasks})
        for (encoder, run), found in scores.items()
    )
    ranks = rankdata(
        [[-value for value in entry.scores.values()] for entry in entries], axis=0, nan_policy="omit"
    )
    ranked = [
        replace(entry, mean=math.fsum(entry.scores.values()) / len(tasks), mean_rank=float(np.mean(row)))
        for entry, row in zip(entries, ranks, strict=True)
    ]
    best_first = sorted(ranked, key=lambda entry: (math.isnan(entry.mean), -entry.mean, entry.encoder))
    return Board(kind, protocol, data_version, tuple(tasks), tuple(best_first), left_out)


def _notes(board: Board, runs: Mapping[str, ResultsFolder]) -> tuple[str, ...]:
    """By the summaries of the runs; a run that did not end may have none, or an earlier one."""
    known, unknown = [], []
    for run, folder in runs.items():
        summary = {(row.task, row.model): row for row in folder.summary() if row.protocol == board.protocol}
        encoders = [entry.encoder for entry in board.entries if run in entry.runs]
        found = [summary.get((task, encoder)) for encoder in encoders for task in board.tasks]
        # the board calls encoders by their names
        known += [replace(row, model_title=row.model) for row in found if row is not None]
        if None in found:
            unknown.append(run)
    notes = remarks.low_score_notes(known)
    if unknown:
        notes.append(
            f"Not known of {', '.join(unknown)}: whether scores are too low, because a summary is missing or older "
            "than they are. Run the target scores there."
        )
    return tuple(notes)


def _merged(entries: Iterable[Entry]) -> list[Entry]:
    """One entry for all runs of an encoder that gave the same scores."""
    kept: list[Entry] = []
    for entry in entries:
        for place, other in enumerate(kept):
            a, b = ([*one.scores.values()] for one in (entry, other))
            if entry.encoder == other.encoder and np.allclose(a, b, rtol=0.0, atol=_SAME, equal_nan=True):
                kept[place] = replace(other, runs=(*other.runs, *entry.runs))
                break
        else:
            kept.append(entry)
    return kept
