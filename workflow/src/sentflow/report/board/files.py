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


def write(standing: Standing, folder: Path, version: str) -> list[Path]:
    """Write ``board`` as CSV, Markdown, LaTeX, SVG and PNG, the page ``index.html``, and the ranked models' scores.

    Old files are replaced.
    """
    table, ranked = replace(board_table(standing), name="board"), standing.board
    direction = "↑" if ranked.sign > 0 else "↓"
    scores = [
        (model, task, group, ranked.unit, direction, score)
        for model, own in zip(ranked.models, ranked.shown.T.tolist(), strict=True)
        for task, group, score in zip(ranked.tasks, ranked.groups, own, strict=True)
    ]
    folder.mkdir(parents=True, exist_ok=True)
    image, picture = folder / "board.svg", folder / "board.png"
    with canvas.style():
        drawn = figure.draw(standing)
        png = inspect(drawn).picture
    canvas.save(drawn, image)
    with atomic(picture) as part:
        part.write_bytes(png)
    texts = {
        "board.csv": csv_text(table),
        "board.md": markdown_text(table),
        "board.tex": latex_text(table),
        "scores.csv": csv_records(("model", "task", "group", "unit", "direction", "score"), scores),
        "index.html": page.render(standing, image, version),
    }
    for name, text in texts.items():
        write_text(folder / name, text)
    return [image, picture, *(folder / name for name in texts)]
