"""The files of a board: table, figure and page, by the writers of our own results."""

from dataclasses import replace
from pathlib import Path

from sentflow.boards.standing import Standing
from sentflow.files.atomic import atomic
from sentflow.files.io import write_text
from sentflow.report.board import figure, page
from sentflow.report.board.table import board_table
from sentflow.report.figure import canvas
from sentflow.report.figure.inspection import inspect
from sentflow.report.table.formats import csv_records, csv_text, markdown_text
from sentflow.report.table.latex import latex_text

FORMS = {".csv": csv_text, ".md": markdown_text, ".tex": latex_text}


def write(standing: Standing, folder: Path, version: str) -> list[Path]:
    """Write ``board`` as CSV, Markdown, LaTeX, SVG and PNG, the page ``index.html``, and the ranked models' scores.

    Old files are replaced.
    """
    table = replace(board_table(standing), name="board")
    folder.mkdir(parents=True, exist_ok=True)
    board = folder / "board"
    written = []
    for suffix, form in FORMS.items():
        written.append(board.with_suffix(suffix))
        write_text(written[-1], form(table))
    written.append(folder / "scores.csv")
    ranked = standing.board
    direction = "↑" if ranked.sign > 0 else "↓"
    rows = [
        (model, task, group, ranked.unit, direction, score)
        for model, own in zip(ranked.models, ranked.shown.T.tolist(), strict=True)
        for task, group, score in zip(ranked.tasks, ranked.groups, own, strict=True)
    ]
    write_text(written[-1], csv_records(("model", "task", "group", "unit", "direction", "score"), rows))
    image = board.with_suffix(".svg")
    with canvas.style():
        drawn = figure.draw(standing)
        png = inspect(drawn).picture
    canvas.save(drawn, image)
    written += [image, board.with_suffix(".png")]
    with atomic(written[-1]) as part:
        part.write_bytes(png)
    written.append(folder / "index.html")
    write_text(written[-1], page.render(standing, image, version))
    return written
