"""`sentflow leaderboard`: the models of a published board, or the encoders of several runs, the best mean first."""

import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sentflow.cli.configuration import AsJson
from sentflow.cli.terminal import more, show_blocks
from sentflow.errors import ConfigError
from sentflow.files.io import json_document
from sentflow.jobs.machine import library_version
from sentflow.report.numbers import MISSING, counted, decimal, places
from sentflow.report.table.table import Table, build, number, text
from sentflow.runs.folder import ResultsFolder
from sentflow.runs.leaderboard import KINDS, WORDS, Board, Entry, boards_of

if TYPE_CHECKING:
    from sentflow.boards.standing import Standing

Names = list[str] | None


def leaderboard(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILES...",
            help="Files and folders of a board, in any format of docs/leaderboards.md; or results folders.",
        ),
    ],
    metric: Annotated[
        Names, typer.Option(help="Metric that counts: NAME, or TASK=NAME for one task.")
    ] = None,
    lower: Annotated[Names, typer.Option(help="Task or metric of which lower is better.")] = None,
    duplicates: Annotated[str, typer.Option(help="Of several scores: first, last, best or mean.")] = "",
    groups: Annotated[
        Path | None,
        typer.Option(help="CSV (task, group): tasks of one group are one unit of the tests."),
    ] = None,
    tasks: Annotated[Names, typer.Option(help="Task that counts; without, all do.")] = None,
    without: Annotated[Names, typer.Option(help="Task or model to leave out.")] = None,
    unit: Annotated[str, typer.Option(help="Unit, if no file says it: fraction or percent.")] = "",
    models: Annotated[str, typer.Option(help="Where a wide table has models: rows or columns.")] = "",
    population: Annotated[
        str, typer.Option(help="What the verdict shall hold for new ones of: tasks, items or seeds.")
    ] = "",
    common: Annotated[
        bool, typer.Option("--common", help="Compare models that lack tasks over those that a pair shares.")
    ] = False,
    separate: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="A B", help="Two models: how many more tasks would separate them?"),
    ] = None,
    title: Annotated[str, typer.Option(help="Title of the board.")] = "",
    out: Annotated[
        Path | None, typer.Option(help="Folder to write: page, table (CSV, Markdown, LaTeX) and figure.")
    ] = None,
    rows: Annotated[int, typer.Option(min=1, help="Number of models shown.")] = 50,
    as_json: AsJson = False,
) -> None:
    """Rank the models of a published board: who is tied for first, and which places the tests leave open.

    Results folders of sentflow alone, without other options, are ranked by their mean over common tasks, each kind of
    score for itself; runs that measured a task in different ways are refused. The options --metric, --lower, --tasks
    and --without may be repeated.
    """
    from sentflow.boards.readers.own import is_results

    asked: dict[str, Any] = {
        "metric": _metrics(metric or ()),
        "lower": lower or (),
        "duplicates": duplicates,
        "groups": groups,
        "tasks": tasks or (),
        "without": without or (),
        "unit": unit,
        "models": models,
        "population": population,
        "common": common,
        "separate": [separate] if separate else (),
        "title": title,
    }
    if not any((*asked.values(), out)) and all(map(is_results, files)):
        _show_runs(files, as_json=as_json)
        return
    from sentflow.api.boards import leaderboard as standing_of_files
    from sentflow.report.board.table import record

    if out is not None and out.exists() and not out.is_dir():
        raise ConfigError(f"--out {out} is a file. Write the name of a folder.")
    standing = standing_of_files(files, **asked)
    written = []
    if out is not None:
        from sentflow.report.board.files import write

        written = write(standing, out, library_version("sentflow"))
    if as_json:
        sys.stdout.write(json_document(record(standing)))
    else:
        _show_board(standing, rows, written)


def _metrics(said: Sequence[str]) -> dict[str, str]:
    """Task → metric; that for all tasks has no name."""
    found: dict[str, str] = {}
    for words in said:
        task, _, name = words.rpartition("=")
        if found.setdefault(task, name) != name:
            raise ConfigError(
                f"--metric {words}: {found[task]} was asked for, too. Write one metric for each task."
            )
    return found


def _show_board(standing: "Standing", rows: int, written: Sequence[Path]) -> None:
    from sentflow.report.board.table import board_table

    table, n = board_table(standing), len(standing.places)
    blocks = [replace(block, lines=block.lines[:rows]) for block in table.blocks]
    notes = (*more(n, rows), *table.notes)
    shown = replace(table, caption=standing.title, blocks=tuple(blocks), notes=notes)
    show_blocks(
        str(standing.verdict()),
        shown,
        *([f"Written: {', '.join(map(str, written))}"] if written else []),
    )


def _show_runs(runs: Sequence[Path], *, as_json: bool) -> None:
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
    columns = [
        text(what.capitalize(), "encoder"),
        number("Mean", "mean"),
        number("Rank", "mean_rank", decimal, 2),
        text("Run", lambda entry: ", ".join(entry.runs)),
        *(number(task, partial(_score, task)) for task in board.tasks),
    ]
    if any(entry.places for entry in board.entries):
        columns.insert(0, text("Place", lambda entry: places(*entry.places) if entry.places else MISSING))
    caption = ": ".join(filter(None, (f"{thing.capitalize()}s", protocol + board.data_version)))
    return build(caption, (), board.entries, columns, notes, data=(), lead=2)


def _score(task: str, entry: Entry) -> float:
    return entry.scores[task]
