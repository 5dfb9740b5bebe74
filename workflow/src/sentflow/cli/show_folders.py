"""Folders of results in the terminal: scores as a table, folds as a list."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sentflow.cli import show_retrieval, show_similarity
from sentflow.cli.report_tables import table_listing
from sentflow.cli.show_parquet import fold_scores
from sentflow.cli.terminal import Block, Listing
from sentflow.compare.comparisons import Comparisons
from sentflow.compare.score_rows import ScoreRow
from sentflow.compare.scores import in_order, score_row
from sentflow.errors import ConfigError, DataError
from sentflow.files.io import parse_json
from sentflow.files.result_names import repetition_and_fold
from sentflow.files.rows import read_rows
from sentflow.files.sealed import refuse_edited
from sentflow.files.settings_files import read_settings
from sentflow.graph import paths
from sentflow.report.families.pair_summaries import reported
from sentflow.report.families.probing.tables import scores
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import decimal

_COMPARISONS = Path(paths.PAIRS).parent.relative_to(paths.RESULTS)
_SCORE_KEYS = {"task", "model", "mean", "intervals"}


def folder_blocks(folder: Path) -> list[Block]:
    """The scores in a results folder, in the folder that holds it, or in one of score files or folds.

    Raises
    ------
    DataError
        There is nothing of that kind; names what there is.
    """
    results = folder / paths.RESULTS
    if results.is_dir() and not (folder / "scores").is_dir():
        folder = results
    summary = folder / Path(paths.SUMMARY).relative_to(paths.RESULTS)
    title = _title(folder)
    blocks: list[Block] = []
    if summary.is_file():
        tested = Comparisons.read(sorted((folder / _COMPARISONS).glob("*")))
        blocks.append(_scores(read_rows(summary, ScoreRow), tested, title))
    blocks += show_similarity.summary_blocks(folder, title) + show_retrieval.summary_blocks(folder, title)
    if blocks:
        return blocks
    if score_files := _files(folder, "scores", _SCORE_KEYS):
        return _loose_scores(score_files)
    if similarities := _files(folder, "similarity", show_similarity.KEYS):
        return show_similarity.loose_blocks(similarities)
    if found := _files(folder, "retrieval", show_retrieval.KEYS):
        return show_retrieval.loose_blocks(found)
    if folds := sorted(folder.rglob("rep-*/fold-*.parquet")):
        return [_folds(folder, folds)]
    inside = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
    raise DataError(
        f"{folder} has no scores, no similarities, no retrieval and no folds. "
        + (f"It contains: {', '.join(inside)}. Add one of these to the path." if inside else "It is empty.")
    )


def _title(results: Path) -> str:
    """Name of the experiment that was run last, as captions have it; the folder's if there is no record."""
    record = results / Path(paths.RECORD_CONFIG).relative_to(paths.RESULTS)
    try:
        return str(read_settings(record)["experiment"]["title"])
    except (ConfigError, LookupError, TypeError):
        return str(results)


def _files(folder: Path, kind: str, keys: set[str]) -> dict[Path, dict[str, Any]]:
    """JSON files with these keys in a folder, in its folders, or in those of its folder of that kind."""
    found = {}
    for pattern in ("*.json", "*/*.json", f"{kind}/*/*.json"):
        for file in sorted(folder.glob(pattern)):
            content = _read(file)
            if isinstance(content, dict) and content.keys() >= keys:
                refuse_edited(file, content)
                found[file] = content
    return found


def _read(file: Path) -> Any:
    try:
        return parse_json(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # a file that is just being written, or none of ours
        return None


def _loose_scores(files: dict[Path, dict[str, Any]]) -> list[Block]:
    rows = []
    for file, content in files.items():
        names = {"title": content["task"], "family": ""}, {"title": content["model"], "control": False}
        settings = {"tasks": {content["task"]: names[0]}, "models": {content["model"]: names[1]}}
        with reported(file):
            rows.append(score_row(content, settings))
    title = f"{len(files)} score file{'s' if len(files) > 1 else ''}"
    return [_scores(in_order(rows), Comparisons(), title)]


def _scores(rows: list[ScoreRow], tested: Comparisons, title: str) -> Block:
    return table_listing(scores(Inputs.holding({ScoreRow: rows, Comparisons: tested}), {"caption": title}))


def _folds(folder: Path, files: Sequence[Path]) -> Listing:
    rows = []
    for file in files:
        values = fold_scores(file)
        repetition, fold = repetition_and_fold(file.as_posix())
        place = file.relative_to(folder).parts[:-2]
        rows.append(("/".join(place), repetition, fold, " ".join(decimal(value) for value in values)))
    rows.sort()
    cells = [(place, str(repetition), str(fold), score) for place, repetition, fold, score in rows]
    header = ("Probe", "Repetition", "Fold", "Test score")
    return Listing(header, cells, "lrrr", caption=f"{len(files)} folds in {folder}")
