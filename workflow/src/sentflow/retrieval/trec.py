"""Runs and judgements in TREC's form, which engines write and evaluation tools read.

There a name is a field between blanks, so white space in it is written as ``%20`` and the like (`field`). trec_eval and
what is built on it keep scores in single precision and rank equal ones by the name of the document, backwards; what is
written here has no equal scores (`separated`), so that every tool sees our order.
"""

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import numpy as np

from sentflow.errors import DataError
from sentflow.retrieval.ranking import Run, top
from sentflow.texts.checks import named, whole_number
from sentflow.texts.corpora import Questions
from sentflow.texts.formats.raw import decode

_RUN = ("question", "Q0", "document", "rank", "score", "tag")
_JUDGEMENTS = ("question", "iteration", "document", "grade")
_BEIR = ["query-id", "corpus-id", "score"]  # the first line of judgements in BEIR's form
_METADATA = ("# ir_metadata.start", "# ir_metadata.end")  # Breuer et al. 2022
_ORDER = " Runs come first and judgements (qrels) last: sentflow evaluate RUN... QRELS"
_LINE = 100_000  # characters of a line of YAML, so that none is broken
_NO_FIELD = re.compile(r"^#|[\s%]")  # a line that begins with # is a comment
_SHOWN = 40


@dataclass(frozen=True)
class Known:
    """The names that there are, and whose they are; they may be written as `field` writes them."""

    whose: str
    names: Collection[str]

    def find(self, written: str) -> str | None:
        """The name that was written; None if there is none."""
        if written in self.names:
            return written
        meant = unquote(written)
        return meant if meant in self.names else None


def field(name: str) -> str:
    """A name without white space: it, ``%`` and a leading ``#`` are percent-encoded."""
    return _NO_FIELD.sub(lambda found: quote(found[0], safe=""), name)


def read_trec_run(path: Path, questions: Questions, document_ids: Sequence[str], depth: int) -> Run:
    """A run of any engine on a question set, ranked again by our rule for ties."""
    row_of = {document: row for row, document in enumerate(document_ids)}
    asked, documents = Known(questions.name, set(questions.ids)), Known(questions.corpus, row_of)
    found = read_scores(path, what=f"run of {questions.name}", questions=asked, documents=documents)
    ranked = {}
    for name in questions.ids:
        if scores := found.get(name):
            rows = np.array([row_of[document] for document in scores], dtype=np.int64)
            ranked[name] = top(np.array([*scores.values()]), depth, rows=rows)
    return Run(document_ids, ranked)


def read_scores(
    path: Path, *, what: str = "run", questions: Known | None = None, documents: Known | None = None
) -> dict[str, dict[str, float]]:
    """Question → document → score, in the order of the lines: question, Q0, document, rank, score, tag.

    `path`: text in UTF-8; empty lines and those that begin with ``#`` are skipped. `questions`, `documents`: that may
    occur; any without. Raises DataError: lines of another form, scores that are no finite numbers, questions or
    documents that do not exist, a document twice for a question; names all of these at once. Or there is no such file,
    or it is empty.
    """
    found: dict[str, dict[str, float]] = {}
    mistakes, widths = _Mistakes(path, what), set()
    for number, line in _lines(path):
        fields = line.split()
        widths.add(len(fields))
        if len(fields) != len(_RUN):
            mistakes.add(f"lines that do not have the six fields {' '.join(_RUN)}", number)
            continue
        question, document, score = _found(fields[0], questions), _found(fields[2], documents), fields[4]
        value = _number(score)
        if value is None:
            mistakes.add("scores that are no finite numbers", number, score)
        elif question is None:
            mistakes.add(f"questions that {questions and questions.whose} does not have", number, fields[0])
        elif document is None:
            mistakes.add(f"documents that {documents and documents.whose} does not have", number, fields[2])
        elif document in found.setdefault(question, {}):
            mistakes.add("documents that occur twice for a question", number, document, question)
        else:
            found[question][document] = value
    is_judged = widths in ({len(_JUDGEMENTS)}, {len(_BEIR)})
    mistakes.refuse(is_empty=not found, hint=f" It looks like judgements.{_ORDER}" if is_judged else "")
    return found


def read_judgements(path: Path) -> dict[str, dict[str, int]]:
    """Question → document → grade, from lines of question, iteration, document, grade; or in BEIR's form.

    `path`: text in UTF-8. In BEIR's form the first line is ``query-id corpus-id score``, with tabs. Raises DataError:
    lines of another form, grades that are no whole numbers, a document judged twice for a question; names all of these
    at once. Or there is no such file, or it is empty.
    """
    found: dict[str, dict[str, int]] = {}
    mistakes, widths = _Mistakes(path, "file of judgements"), set()
    is_beir = False
    for number, line in _lines(path):
        fields = line.rstrip("\r").split("\t") if is_beir else line.split()
        widths.add(len(fields))
        if fields == _BEIR and not found:
            is_beir = True
            continue
        names = _BEIR if is_beir else _JUDGEMENTS
        if len(fields) != len(names):
            mistakes.add(f"lines that do not have the {len(names)} fields {' '.join(names)}", number)
            continue
        question, document, grade = fields if is_beir else (fields[0], *fields[2:])
        value = whole_number(grade)
        if value is None:
            mistakes.add("grades that are no whole numbers", number, grade)
            continue
        if document in found.setdefault(question, {}):
            mistakes.add("documents that are judged twice for a question", number, document, question)
        found[question][document] = value
    is_run = widths == {len(_RUN)}
    mistakes.refuse(is_empty=not found, hint=f" It looks like a run.{_ORDER}" if is_run else "")
    return found


def run_lines(run: Run, tag: str, metadata: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a run file.

    `metadata`: what stands in the comment at the top, by the convention of ir_metadata; without entries there is none.
    """
    if metadata:
        import yaml

        text = yaml.safe_dump(dict(metadata), sort_keys=False, allow_unicode=True, width=_LINE)
        yield from (_METADATA[0], *(f"# {line}" for line in text.splitlines()), _METADATA[1])
    tag = field(tag)
    for question, found in run.ranked.items():
        asked = field(question)
        scores = separated(found.scores).tolist()
        for rank, (document, score) in enumerate(zip(run.documents(question), scores, strict=True), 1):
            yield f"{asked} Q0 {field(document)} {rank} {score!r} {tag}"


def judgement_lines(questions: Questions) -> Iterator[str]:
    """The lines of a file of judgements."""
    for question, judged in questions.by_question().items():
        for document, grade in judged.items():
            yield f"{field(question)} 0 {field(document)} {grade}"


def separated(scores: np.ndarray) -> np.ndarray:
    """Scores that fall strictly in single precision, too, where (n,) float64 `scores` fall or are equal.

    Those that would be equal there to the one before are the next lower number of single precision; others stay.
    """
    single = scores.astype(np.float32)
    if (np.diff(single) < 0).all():
        return scores
    found = scores.copy()
    for row in range(1, len(scores)):
        if single[row] >= single[row - 1]:
            single[row] = np.nextafter(single[row - 1], np.float32(-np.inf))
            found[row] = single[row]
    return found


class _Mistakes:
    """What is wrong with the lines of a file."""

    def __init__(self, path: Path, what: str) -> None:
        self._path, self._what = path, what
        self._lines: dict[str, list[str]] = defaultdict(list)

    def add(self, kind: str, number: int, *written: str) -> None:
        """Remember a line, by its number from 1 and what it says."""
        remark = f" ({' for '.join(text[:_SHOWN] for text in written)})" if written else ""
        self._lines[kind].append(f"{number}{remark}")

    def refuse(self, *, is_empty: bool, hint: str) -> None:
        """Raise an error if there is any, or if nothing is there."""
        problems = "; ".join(f"{kind}: {named(lines)}" for kind, lines in self._lines.items())
        if problems or is_empty:
            raise DataError(f"{self._path.name} is no {self._what}: {problems or 'it is empty'}.{hint}")


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that are no comments, with their numbers from 1."""
    if path.exists() and not path.is_file():  # a pipe or a device may never end
        raise DataError(f"{path} is a folder, a pipe or a device. Write the path of a text file.")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(
            f"{path} cannot be read ({error.strerror}). Write the path of a text file."
        ) from error
    for number, line in enumerate(decode(content, "utf-8", where=path.name).split("\n"), start=1):
        if line.strip() and not line.startswith("#"):
            yield number, line


def _found(written: str, known: Known | None) -> str | None:
    return written if known is None else known.find(written)


def _number(written: str) -> float | None:
    try:
        value = float(written)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
