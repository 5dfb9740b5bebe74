"""Folders of results in the terminal: scores as tables of the report, folds as a list."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sentflow.cli.terminal import Block, listing
from sentflow.compare.comparisons import Comparisons
from sentflow.compare.question_rows import QuestionDifference
from sentflow.compare.rows import SimilarityDifference
from sentflow.compare.score_rows import ScoreRow
from sentflow.compare.scores import in_order, score_row
from sentflow.compare.settings import ModelTitle, TaskTitle, Titles
from sentflow.errors import ConfigError, DataError
from sentflow.files.io import parse_json
from sentflow.files.result_names import repetition_and_fold
from sentflow.files.rows import read_rows
from sentflow.files.sealed import refuse_edited
from sentflow.files.settings_files import read_settings
from sentflow.flow import paths
from sentflow.report.families.pair_summaries import reported
from sentflow.report.families.probing.tables import scores
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.families.retrieval.summary import retrieval_rows
from sentflow.report.families.retrieval.tables import retrieval
from sentflow.report.families.similarity.data import SimilarityData
from sentflow.report.families.similarity.rows import SimilarityRow
from sentflow.report.families.similarity.summary import similarity_rows
from sentflow.report.families.similarity.tables import sts
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import counted, decimal
from sentflow.report.table.table import Table
from sentflow.similarity.results import OVERLAP, read_similarities

_MAIN = "nDCG@10"


def folder_blocks(folder: Path, fold_scores: Callable[[Path], Sequence[float]]) -> list[Block]:
    """The scores in a results folder, in the folder that holds it, or in one of score files or folds."""
    results = folder / paths.RESULTS
    if results.is_dir() and not (folder / "scores").is_dir():
        folder = results
    if tables := _summaries(folder):
        return list(tables)
    for kind, keys, rows_of, table_of in _LOOSE:
        if files := _files(folder, kind, keys):
            rows: list[Any] = []
            for file, content in files.items():
                with reported(file):
                    rows += rows_of(file, content)
            return [table_of(rows, counted(len(files), "score file"))]
    if folds := sorted(folder.rglob("rep-*/fold-*.parquet")):
        return [_folds(folder, folds, fold_scores)]
    inside = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
    raise DataError(
        f"{folder} has no scores, no similarities, no retrieval and no folds. "
        + (f"It contains: {', '.join(inside)}. Add one of these to the path." if inside else "It is empty.")
    )


def _summaries(results: Path) -> list[Table]:
    """The tables of scores, similarity and retrieval of a results folder that has their summaries."""

    def place(file: str) -> Path:
        return results / Path(file).relative_to(paths.RESULTS)

    def rows(file: str, kind: type[Any]) -> list[Any]:
        return read_rows(place(file), kind, may_be_empty=True) if place(file).is_file() else []

    tables, title = [], _title(place(paths.RECORD_CONFIG), results)
    if place(paths.SUMMARY).is_file():
        tested = Comparisons.read(sorted(place(paths.PAIRS).parent.glob("*")))
        tables.append(_score_table(read_rows(place(paths.SUMMARY), ScoreRow), title, tested))
    if similarities := rows(paths.SUMMARY_SIMILARITY, SimilarityRow):
        differences = rows(paths.SIMILARITY_PAIRS, SimilarityDifference)
        tables.append(_similarity_table(similarities, title, differences))
    if searched := rows(paths.SUMMARY_RETRIEVAL, RetrievalRow):
        tables.append(_retrieval_table(searched, title, rows(paths.RETRIEVAL_PAIRS, QuestionDifference)))
    return tables


def _score_table(rows: list[ScoreRow], title: str, tested: Comparisons | None = None) -> Table:
    return scores(Inputs.holding({ScoreRow: rows, Comparisons: tested or Comparisons()}), {"caption": title})


def _retrieval_table(
    rows: list[RetrievalRow], title: str, tested: Sequence[QuestionDifference] = ()
) -> Table:
    held = {RetrievalRow: rows, QuestionDifference: list(tested)}
    return retrieval(Inputs.holding(held), {"caption": title})


def _similarity_table(
    rows: list[SimilarityRow], title: str, tested: Sequence[SimilarityDifference] = ()
) -> Table:
    held = {SimilarityRow: rows, SimilarityData: SimilarityData(rows, list(tested))}
    return sts(Inputs.holding(held), {"caption": title})


def _title(record: Path, results: Path) -> str:
    """Name of the experiment that was run last, as captions have it; the folder's if there is no record."""
    try:
        return str(read_settings(record)["experiment"]["title"])
    except (ConfigError, LookupError, TypeError):
        return str(results)


# --- score files without a summary, under the names of the files ---------------------------------------------


def _files(folder: Path, kind: str, keys: set[str]) -> dict[Path, dict[str, Any]]:
    """JSON files with these keys in a folder, in its folders, or in those of its folder of that kind."""
    files = {}
    for pattern in ("*.json", "*/*.json", f"{kind}/*/*.json"):
        for file in sorted(folder.glob(pattern)):
            try:
                content = parse_json(file.read_text(encoding="utf-8"))
            except (OSError, ValueError):  # a file that is just being written, or none of ours
                continue
            if isinstance(content, dict) and content.keys() >= keys:
                refuse_edited(file, content)
                files[file] = content
    return files


def _of_task(_file: Path, content: Mapping[str, Any]) -> list[ScoreRow]:
    task, model = content["task"], content["model"]
    titles = Titles(
        tasks={task: TaskTitle(title=task, family="")},
        models={model: ModelTitle(title=model, control=False)},
    )
    return [score_row(content, titles)]


def _of_pairs(file: Path, scores: Mapping[str, Any]) -> list[SimilarityRow]:
    """Spearman's correlation of the cosine."""
    pairs, model = scores["pairs"], scores["model"]
    settings = {
        "pairs": {pairs: {"title": pairs, "family": ""}},
        "models": {model: {"title": model, "control": False}},
        "baselines": [model] if OVERLAP in scores["scores"] else [],
        "measure": "cosine",
        "correlation": "spearman",
    }
    return similarity_rows(scores, read_similarities(file.with_suffix(".parquet")), settings)


def _of_questions(_file: Path, scores: Mapping[str, Any]) -> list[RetrievalRow]:
    """The main measure is a guess."""
    questions, retriever, corpus = (scores[key] for key in ("questions", "retriever", "corpus"))
    measures = list(scores["measures"])
    about = {"title": retriever, "control": False, "position": 0, "model": "", "model_title": ""}
    settings = {
        "order": [[questions], [retriever]],
        "question_sets": {questions: {"title": questions, "data_version": "not stated", "language": ""}},
        "corpora": {corpus: {"title": corpus}},
        "retrievers": {retriever: about},
        "measures": measures,
        "main": _MAIN if _MAIN in measures else measures[0],
    }
    return retrieval_rows([scores], settings)


# Folder of score files, keys of one, its rows, their table
_LOOSE: Sequence[tuple[str, set[str], Callable[..., list[Any]], Callable[..., Table]]] = (
    (
        "scores",
        {"task", "model", "mean", "intervals"},
        _of_task,
        lambda rows, title: _score_table(in_order(rows), title),
    ),
    ("similarity", {"pairs", "model", "scores", "intervals", "n_pairs"}, _of_pairs, _similarity_table),
    (
        "retrieval",
        {"questions", "retriever", "measures", "n_questions", "judged_share"},
        _of_questions,
        _retrieval_table,
    ),
)


def _folds(folder: Path, files: Sequence[Path], fold_scores: Callable[[Path], Sequence[float]]) -> Table:
    rows = []
    for file in files:
        of_fold = " ".join(map(decimal, fold_scores(file)))
        place = "/".join(file.relative_to(folder).parts[:-2])
        rows.append((place, *repetition_and_fold(file.as_posix()), of_fold))
    cells = [(place, str(repetition), str(fold), score) for place, repetition, fold, score in sorted(rows)]
    header = ("Probe", "Repetition", "Fold", "Test score")
    return listing(header, cells, "lrrr", caption=f"{len(files)} folds in {folder}")
