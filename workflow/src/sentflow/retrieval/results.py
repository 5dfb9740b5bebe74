"""Files of results: the values of every question, and what is said of their means."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.errors import DataError
from sentflow.files.arrow import Columns, numbers_of, table_of
from sentflow.files.parquet import read_parquet, readable, write_parquet
from sentflow.files.sealed import write_sealed
from sentflow.retrieval.evaluation import Evaluation
from sentflow.stats.means import interval_of_scores
from sentflow.stats.resampling import Bootstrap

_NAMES = ("questions", "retriever")
_ABOUT_QUESTION = ("question", "group", "cluster", "n_relevant", "ranks")  # the other columns are measures


@dataclass(frozen=True)
class QuestionValues:
    """The values of a retriever on the questions of a set that have a relevant document."""

    # question_set, retriever: names
    question_set: str
    retriever: str
    # questions, groups: n identifiers and names of groups
    questions: list[str]
    groups: list[str]
    # n_relevant, ranks: (n,) int64 relevant documents of each question; n arrays of the ranks, from 1, at which they
    # were found
    n_relevant: np.ndarray
    ranks: list[np.ndarray]
    values: Mapping[str, np.ndarray]  # measure → (n,) float64
    # clusters: n names of clusters, None for a question that is in none; None altogether where questions are
    # independent
    clusters: list[str | None] | None = None


def write_results(
    output: Path,
    rows: Path,
    found: Evaluation,
    about: Mapping[str, Any],
    bootstrap: Bootstrap,
    clusters: Mapping[str, str] | None = None,
) -> None:
    """Write values and ranks of relevant documents of every question as Parquet, means with intervals as JSON.

    `about`: names, at least ``questions`` and ``retriever``; kept in both files. `clusters`: question → its cluster,
    see `sentflow.retrieval.clusters`; None where questions are independent.
    """
    columns: Columns = {
        "question": found.questions,
        "group": found.groups,
        "n_relevant": found.n_relevant,
        "ranks": [" ".join(map(str, ranks.tolist())) for ranks in found.ranks],
        **found.values,
    }
    if clusters is not None:
        columns = {**columns, "cluster": [clusters.get(name) for name in found.questions]}
    names = {key.encode(): str(about[key]).encode() for key in _NAMES}
    write_parquet(rows, table_of(columns, names))
    write_sealed(
        output,
        {
            **about,
            "n_questions": len(found.questions),
            "n_relevant": int(found.n_relevant.sum()),
            "n_left_out": found.n_left_out,
            "n_unanswered": found.n_unanswered,
            "n_tied_at_cut": found.n_tied_at_cut,
            "judged_share": found.judged_share,
            "level": bootstrap.level,
            "n_resamples": bootstrap.n_resamples,
            "measures": stated_means(found, bootstrap),
            "groups": _groups(found),
        },
    )


def read_values(path: Path | str) -> QuestionValues:
    """The values of every question. Raises DataError: the file is none of these, or is damaged."""
    with readable(path, "table of values per question"):
        stored = read_parquet(path)
        about = {key: stored.schema.metadata[key.encode()].decode() for key in _NAMES}
        names = [name for name in stored.column_names if name not in _ABOUT_QUESTION]
        return QuestionValues(
            about["questions"],
            about["retriever"],
            stored.column("question").to_pylist(),
            stored.column("group").to_pylist(),
            numbers_of(stored.column("n_relevant")),
            [np.array(ranks.split(), dtype=np.int64) for ranks in stored.column("ranks").to_pylist()],
            {name: numbers_of(stored.column(name)) for name in names},
            stored.column("cluster").to_pylist() if "cluster" in stored.column_names else None,
        )


def stated_means(found: Evaluation, bootstrap: Bootstrap) -> dict[str, dict[str, float]]:
    """Measure → mean over questions, ``low`` and ``high`` of its interval, means under other readings of ties, …"""
    return {name: _mean(found, name, values, bootstrap) for name, values in found.values.items()}


def _mean(found: Evaluation, name: str, values: np.ndarray, bootstrap: Bootstrap) -> dict[str, float]:
    low, high = interval_of_scores(values, bootstrap)
    stated = {"mean": float(values.mean()), "low": low, "high": high, "chance": found.chance[name]}
    others = {
        "best_order": found.best_order,
        "worst_order": found.worst_order,
        "condensed": found.condensed,
        "with_duplicates": found.with_duplicates,
    }
    return stated | {key: float(other[name].mean()) for key, other in others.items() if other}


def _groups(found: Evaluation) -> dict[str, Any]:
    """Group → number of questions and means: those of the question set, then what is clean or leaked of it."""
    own = np.array(found.groups, dtype=object)
    parts = {name: own == name for name in dict.fromkeys(found.groups) if name}
    if found.leaked is not None:
        if taken := sorted({CLEAN, LEAKED} & parts.keys()):
            raise DataError(
                f"A group of questions is called {taken[0]!r}, as those that are compared with training questions "
                "are. Name it otherwise."
            )
        parts |= {CLEAN: ~found.leaked, LEAKED: found.leaked}
    return {
        name: {
            "n_questions": int(rows.sum()),
            "measures": {measure: float(values[rows].mean()) for measure, values in found.values.items()},
        }
        for name, rows in parts.items()
        if rows.any()
    }


def common_questions(values: Sequence[QuestionValues], measure: str) -> tuple[list[str], np.ndarray]:
    """The questions that several retrievers were measured on, and (m, n) values; all were measured on the same."""
    return values[0].questions, np.stack([one.values[measure] for one in values])


CLEAN, LEAKED = "clean", "leaked"
