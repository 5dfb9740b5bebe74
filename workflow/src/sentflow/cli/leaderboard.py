"""`sentflow leaderboard`: the encoders of several runs, the best mean first."""

import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from sentflow.cli.configuration import AsJson
from sentflow.cli.terminal import listing, show_blocks
from sentflow.files.io import json_document
from sentflow.report.numbers import MISSING, counted, decimal, places
from sentflow.report.table.table import Table
from sentflow.runs.folder import ResultsFolder
from sentflow.runs.leaderboard import KINDS, WORDS, Board, boards_of


def leaderboard(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RESULTS...", help="Results folders; runs may be unfinished.")
    ],
    as_json: AsJson = False,
) -> None:
    """Rank the encoders of several runs by their mean over common tasks.

    Runs that measured a task in different ways are refused.
    """
    boards = boards_of({str(folder): ResultsFolder(folder) for folder in dict.fromkeys(runs)})
    if as_json:
        sys.stdout.write(json_document([asdict(board) for board in boards]))
    else:
        absent = [kind for kind in KINDS if all(board.kind != kind for board in boards)]
        last = f"No results of any run: {', '.join(f'{WORDS[kind][1]}s' for kind in absent)}."
        blocks = [_listing(board) for board in boards]
        if absent:
            blocks[-1] = replace(blocks[-1], notes=(*blocks[-1].notes, last))
        show_blocks(*blocks)


def _listing(board: Board) -> Table:
    what, thing, value = WORDS[board.kind]
    placed = any(entry.places for entry in board.entries)
    rows = [
        (
            *([places(*entry.places) if entry.places else MISSING] if placed else []),
            entry.encoder,
            decimal(entry.mean),
            decimal(entry.mean_rank, 2),
            ", ".join(entry.runs),
            *(decimal(entry.scores[task]) for task in board.tasks),
        )
        for entry in board.entries
    ]
    protocol = f"protocol {board.protocol}, " if board.protocol else ""
    notes = [
        f"Mean and mean rank over the {counted(len(board.tasks), thing)} that all {what}s have; {value}.",
        board.verdict,
    ]
    if not board.tasks:
        notes = [f"No {thing} is common to all {what}s of all runs."]
    notes += board.notes
    if board.lacking:
        notes.append(f"Without results on {thing}s: {', '.join(board.lacking)}.")
    notes += [f"Left out: {task}, which {', '.join(names)} lacks." for task, names in board.left_out.items()]
    return listing(
        (*["Place"] * placed, what.capitalize(), "Mean", "Rank", "Run", *board.tasks),
        rows,
        "l" * placed + "lrrl" + "r" * len(board.tasks),
        caption=": ".join(filter(None, (f"{thing.capitalize()}s", protocol + board.data_version))),
        notes=tuple(notes),
        lead=2,
    )
