"""Scores of retrieval in the terminal."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sentflow.cli.report_tables import table_listing
from sentflow.cli.terminal import Block
from sentflow.compare.question_rows import QuestionDifference
from sentflow.files.rows import read_rows
from sentflow.graph import paths
from sentflow.report.families.pair_summaries import reported
from sentflow.report.families.retrieval.retrieval_table import retrieval_table
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.families.retrieval.summary import retrieval_rows

# Of a file of scores of one retriever on one question set.
KEYS = {"questions", "retriever", "measures", "n_questions", "judged_share"}
_MAIN = "nDCG@10"
_SUMMARY = Path(paths.SUMMARY_RETRIEVAL).relative_to(paths.RESULTS)
_DIFFERENCES = Path(paths.RETRIEVAL_PAIRS).relative_to(paths.RESULTS)


def summary_blocks(results: Path, title: str) -> list[Block]:
    """The table of retrieval of a results folder; nothing where nothing was searched."""
    summary, differences = results / _SUMMARY, results / _DIFFERENCES
    rows = read_rows(summary, RetrievalRow, may_be_empty=True) if summary.is_file() else []
    if not rows:
        return []
    tested = read_rows(differences, QuestionDifference, may_be_empty=True) if differences.is_file() else []
    return [table_listing(retrieval_table(rows, title, tested))]


def loose_blocks(files: Mapping[Path, Mapping[str, Any]]) -> list[Block]:
    """Score files without a summary, under the names of the files; the main measure is a guess."""
    rows: list[RetrievalRow] = []
    for file, scores in files.items():
        with reported(file):
            rows += retrieval_rows([scores], _settings(scores))
    title = f"{len(files)} score file{'s' if len(files) > 1 else ''}"
    return [table_listing(retrieval_table(rows, title, []))]


def _settings(scores: Mapping[str, Any]) -> dict[str, Any]:
    questions, retriever, corpus = (scores[key] for key in ("questions", "retriever", "corpus"))
    measures = list(scores["measures"])
    return {
        "order": [[questions], [retriever]],
        "question_sets": {questions: {"title": questions, "data_version": "not stated", "language": ""}},
        "corpora": {corpus: {"title": corpus}},
        "retrievers": {retriever: _titles(retriever)},
        "measures": measures,
        "main": _MAIN if _MAIN in measures else measures[0],
    }


def _titles(retriever: str) -> dict[str, Any]:
    return {"title": retriever, "control": False, "position": 0, "model": "", "model_title": ""}
