"""Files of runs: the ranked documents of every question, as Parquet and in TREC's form."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.errors import DataError
from sentflow.files.arrow import numbers_of
from sentflow.files.parquet import read_described, readable, write_described
from sentflow.retrieval.ranking import Ranked, Run, top
from sentflow.texts.checks import named
from sentflow.texts.corpora import Questions


def write_run(path: Path | str, run: Run, about: Mapping[str, Any]) -> None:
    """Write a run as Parquet: columns question, document, score, best first within a question.

    Parameters
    ----------
    path
        File to write.
    run
        What was found.
    about
        What the file says of itself: at least ``questions`` and ``retriever``. Ties at the cut are added.
    """
    questions = [name for name, found in run.ranked.items() for _ in range(len(found))]
    scores = [found.scores for found in run.ranked.values()]
    columns = {
        "question": questions,
        "document": [document for name in run.ranked for document in run.documents(name)],
        "score": np.concatenate(scores) if scores else np.zeros(0),
    }
    ties = {name: found.tied_at_cut for name, found in run.ranked.items() if found.tied_at_cut}
    write_described(path, columns, {**about, "tied_at_cut": ties})


def read_run(path: Path | str, document_ids: Sequence[str]) -> tuple[dict[str, Any], Run]:
    """What a run says of itself, and what it found among the documents of its corpus.

    Raises
    ------
    DataError
        The file is none of these, is damaged, is not that of the digest beside it, or holds unknown documents.
    """
    with readable(path, "run"):
        about, stored = read_described(path)
        row_of = {document: row for row, document in enumerate(document_ids)}
        rows = np.array([row_of[name] for name in stored.column("document").to_pylist()], dtype=np.int64)
        scores = numbers_of(stored.column("score"))
        names = stored.column("question").to_pylist()
        ties: Mapping[str, int] = about["tied_at_cut"]
        ranked = {
            name: Ranked(rows[part], scores[part], ties.get(name, 0))
            for name, part in parts_of(names).items()
        }
        return about, Run(document_ids, ranked)


def read_trec_run(path: Path, questions: Questions, document_ids: Sequence[str], depth: int) -> Run:
    """A run of any engine: lines of question, Q0, document, rank, score, tag; ranked again by our rule for ties.

    Raises
    ------
    DataError
        Lines of another form, scores that are no numbers, questions or documents that do not exist, a document twice
        for a question; names all of these at once.
    """
    row_of = {document: row for row, document in enumerate(document_ids)}
    known = set(questions.ids)
    found: dict[str, dict[int, float]] = {}
    odd, no_score, strangers, unknown, twice = [], [], [], [], []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split()
        if len(fields) != 6:
            odd.append(str(number))
            continue
        question, _, document, _, written, _ = fields
        score = _number(written)
        if score is None:
            no_score.append(f"{number} ({written[:20]})")
        elif question not in known:
            strangers.append(f"{number} ({question[:40]})")
        elif document not in row_of:
            unknown.append(f"{number} ({document[:40]})")
        elif row_of[document] in found.setdefault(question, {}):
            twice.append(f"{number} ({document[:40]} for {question[:40]})")
        else:
            found[question][row_of[document]] = score
    told = {
        "lines that do not have the six fields question Q0 document rank score tag": odd,
        "scores that are no finite numbers": no_score,
        f"questions that {questions.name} does not have": strangers,
        f"documents that {questions.corpus} does not have": unknown,
        "documents that occur twice for a question": twice,
    }
    problems = [f"{what}: {named(lines)}" for what, lines in told.items() if lines]
    if problems or not found:
        raise DataError(f"{path.name} is no run of {questions.name}: {'; '.join(problems) or 'it is empty'}.")
    return Run(document_ids, _ranked(found, questions.ids, depth))


def trec_lines(run: Run, tag: str) -> Iterable[str]:
    """A run in TREC's form; ranks from 1."""
    tag = re.sub(r"\s+", "-", tag)
    for question, found in run.ranked.items():
        for rank, (document, score) in enumerate(zip(run.documents(question), found.scores, strict=True), 1):
            yield f"{question} Q0 {document} {rank} {score:.9g} {tag}"


def _ranked(found: Mapping[str, Mapping[int, float]], order: Sequence[str], depth: int) -> dict[str, Ranked]:
    return {
        name: top(np.array([*found[name].values()]), depth, rows=np.array([*found[name]], dtype=np.int64))
        for name in order
        if name in found
    }


def parts_of(names: Sequence[str]) -> dict[str, slice]:
    """Question → its rows, which follow one another."""
    parts: dict[str, slice] = {}
    start = 0
    for end in range(1, len(names) + 1):
        if end == len(names) or names[end] != names[start]:
            parts[names[start]] = slice(start, end)
            start = end
    return parts


def _number(written: str) -> float | None:
    try:
        value = float(written)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
