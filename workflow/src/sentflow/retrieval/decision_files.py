"""Files of decisions: the documents that are given for each question, and what these are worth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.files.arrow import Columns, numbers_of, table_of
from sentflow.files.io import read_json, write_digest, write_json
from sentflow.files.parquet import (
    read_described,
    read_parquet,
    readable,
    write_described,
    write_parquet,
)
from sentflow.files.sealed import read_sealed, write_sealed
from sentflow.retrieval.ranking import Ranked
from sentflow.retrieval.set_measures import of_means, relevant_of, set_values
from sentflow.stats.means import interval_of_scores
from sentflow.stats.resampling import Bootstrap
from sentflow.texts.corpora import Questions

OF_MEANS = "F2-of-means"
_SET = b"questions"


@dataclass(frozen=True)
class Decided:
    """What was decided for the questions of a set."""

    # about: what the file says of itself: at least ``questions``, ``retriever``, ``decision``, ``corpus``
    about: Mapping[str, Any]
    # documents: question → identifiers of documents, best first; a question without any may be missing
    documents: Mapping[str, list[str]]


@dataclass(frozen=True)
class DecisionValues:
    """What the documents are worth that were decided for the questions of a set that have a relevant document."""

    # question_set, system: names; for the second see `system_of`
    question_set: str
    system: str
    # questions, groups: n identifiers and names of groups
    questions: list[str]
    groups: list[str]
    values: Mapping[str, np.ndarray]  # each of `SET_MEASURES` → (n,) float64


def write_decided(
    path: Path, kept: Mapping[str, Ranked], document_ids: list[str], about: Mapping[str, Any]
) -> None:
    """Write columns question, document, score; best first within a question. Its digest says what the file does."""
    names = [name for name, found in kept.items() for _ in range(len(found))]
    rows = [row for found in kept.values() for row in found.rows.tolist()]
    scores = [found.scores for found in kept.values()]
    columns = {
        "question": names,
        "document": [document_ids[row] for row in rows],
        "score": np.concatenate(scores) if scores else np.zeros(0),
    }
    write_described(path, columns, about)
    write_digest_with(path, about)


def write_digest_with(path: Path, about: Mapping[str, Any]) -> None:
    """Write the digest of a file with what the file says of itself, for people who look."""
    write_digest(path)
    digest = path.with_suffix(".json")
    write_json(digest, {**about, **read_json(digest)})


def read_decided(path: Path | str) -> Decided:
    """Read what `write_decided` wrote."""
    with readable(path, "table of decisions"):
        about, stored = read_described(path)
        documents: dict[str, list[str]] = {}
        for name, document in zip(
            stored.column("question").to_pylist(), stored.column("document").to_pylist(), strict=True
        ):
            documents.setdefault(name, []).append(document)
        return Decided(about, documents)


def evaluate_decided(decided: Decided, questions: Questions) -> DecisionValues:
    """Set measures of every question that has a relevant document."""
    least = questions.relevant_grade
    relevant = relevant_of(questions.by_question(), least)
    grades = {name: own for name, own in questions.by_question().items() if relevant[name]}
    group_of = dict(zip(questions.ids, questions.groups, strict=True))
    return DecisionValues(
        questions.name,
        system_of(decided.about["retriever"], decided.about["decision"]),
        [*grades],
        [group_of[name] for name in grades],
        set_values(decided.documents, grades, relevant_grade=least),
    )


def system_of(retriever: str, decision: str) -> str:
    """Name of a retriever with a decision, among the systems that are compared."""
    return f"{retriever}/{decision}"


def write_decision_values(
    output: Path,
    rows: Path,
    found: Sequence[tuple[Decided, DecisionValues]],
    n_asked: int,
    bootstrap: Bootstrap,
) -> None:
    """Write the values of every question as Parquet, and their means with intervals as JSON.

    `found`: what was decided for the questions of one set, and what that is worth; at least one. `n_asked`: questions
    of the set, with and without a relevant document.
    """
    first = found[0][1]
    columns: Columns = {"question": first.questions, "group": first.groups}
    for _, values in found:
        columns = {**columns, **{f"{values.system} {name}": own for name, own in values.values.items()}}
    write_parquet(rows, table_of(columns, {_SET: first.question_set.encode()}))
    write_sealed(output, {str(n): _worth(*one, n_asked, bootstrap) for n, one in enumerate(found)})


def read_decision_values(path: Path | str) -> list[DecisionValues]:
    """The values of every question, system after system."""
    with readable(path, "table of values of decisions"):
        stored = read_parquet(path)
        name = stored.schema.metadata[_SET].decode()
        questions, groups = (stored.column(one).to_pylist() for one in ("question", "group"))
        found: dict[str, dict[str, np.ndarray]] = {}
        for column in stored.column_names[2:]:
            system, _, measure = column.partition(" ")
            found.setdefault(system, {})[measure] = numbers_of(stored.column(column))
        return [DecisionValues(name, system, questions, groups, values) for system, values in found.items()]


def read_worth(path: Path | str) -> list[dict[str, Any]]:
    """The means with intervals of `write_decision_values`, system after system; see `read_sealed` for errors."""
    found = read_sealed(path)
    return [found[str(n)] for n in range(len(found))]


def _worth(decided: Decided, values: DecisionValues, n_asked: int, bootstrap: Bootstrap) -> dict[str, Any]:
    n_given = np.array([len(decided.documents.get(name, ())) for name in values.questions])
    means = {}
    for name, own in values.values.items():
        low, high = interval_of_scores(own, bootstrap)
        means[name] = {"mean": float(own.mean()), "low": low, "high": high}
    return {
        **decided.about,
        "n_questions": len(values.questions),
        "n_left_out": n_asked - len(values.questions),
        "n_empty": int((n_given == 0).sum()),
        "documents_per_question": float(n_given.mean()),
        "level": bootstrap.level,
        "n_resamples": bootstrap.n_resamples,
        "measures": means,
        OF_MEANS: of_means(values.values),
    }
