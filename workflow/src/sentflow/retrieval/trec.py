"""Runs and judgements in TREC's form, which engines write and evaluation tools read.

White space in names is written as ``%20`` and the like (`field`). trec_eval keeps scores in single precision and ranks
equal ones by name, backwards; what is written here has no equal scores (`separated`).
"""

import gzip
import io
import math
import re
import zlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote, unquote

import numpy as np

from sentflow.errors import DataError
from sentflow.files.limits import limits
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
_GZIP = b"\x1f\x8b"
_Value = TypeVar("_Value", int, float)


def field(name: str) -> str:
    """A name without white space: it, ``%`` and a leading ``#`` are percent-encoded."""
    return _NO_FIELD.sub(lambda found: quote(found[0], safe=""), name)


def read_trec_run(path: Path, questions: Questions, document_ids: Sequence[str], depth: int) -> Run:
    """A run of any engine on a question set, ranked again by our rule for ties."""
    row_of = {document: row for row, document in enumerate(document_ids)}
    known = {questions.name: set(questions.ids), questions.corpus: row_of}
    scores_of = read_scores(path, what=f"run of {questions.name}", known=list(known.items()))
    ranked = {}
    for name in questions.ids:
        if scores := scores_of.get(name):
            rows = np.array([row_of[document] for document in scores], dtype=np.int64)
            ranked[name] = top(np.array([*scores.values()]), depth, rows=rows)
    return Run(document_ids, ranked)


class _Mistake(Exception):
    """Its kind, and what is written."""


def read_scores(
    path: Path, *, what: str = "run", known: Sequence[tuple[str, Collection[str]]] = ()
) -> dict[str, dict[str, float]]:
    """Question → document → score, in the order of the lines: question, Q0, document, rank, score, tag.

    `path`: text in UTF-8, also packed by gzip; empty lines and those that begin with ``#`` are skipped. `known`: whose
    the questions are and those that there are, then the same of documents; any without. Raises DataError: names lines
    of another form, scores that are not finite, questions or documents that do not exist, a document twice, all at
    once.
    """

    def row(line: str) -> tuple[str, str, float]:
        fields = line.split()
        if len(fields) != len(_RUN):
            raise _Mistake(f"lines that do not have the six fields {' '.join(_RUN)}")
        try:
            value = float(fields[4])
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise _Mistake("scores that are no finite numbers", fields[4])
        names = [fields[0], fields[2]]
        for place, (whose, there) in enumerate(known):
            written = names[place]
            names[place] = written if written in there else unquote(written)
            if names[place] not in there:
                raise _Mistake(f"{('questions', 'documents')[place]} that {whose} does not have", written)
        return names[0], names[1], value

    seems = ({len(_JUDGEMENTS)}, {len(_BEIR)}), "judgements"
    return _read(path, what, lines_of(path), row, "occur", seems)


def read_judgements(path: Path) -> dict[str, dict[str, int]]:
    """Question → document → grade, from lines of question, iteration, document, grade; or in BEIR's form.

    `path`: text in UTF-8, also packed by gzip; BEIR's first line is ``query-id corpus-id score``, with tabs. Raises
    DataError: names lines of another form, grades that are no whole numbers, a document judged twice, all at once.
    """
    lines = lines_of(path)
    is_beir = lines[:1] != [] and lines[0][1].split() == _BEIR
    names = _BEIR if is_beir else _JUDGEMENTS

    def row(line: str) -> tuple[str, str, int]:
        fields = line.rstrip("\r").split("\t") if is_beir else line.split()
        if len(fields) != len(names):
            raise _Mistake(f"lines that do not have the {len(names)} fields {' '.join(names)}")
        question, *_, document, grade = fields
        if (value := whole_number(grade)) is None:
            raise _Mistake("grades that are no whole numbers", grade)
        return question, document, value

    seems = ({len(_RUN)},), "a run"
    return _read(path, "file of judgements", lines[is_beir:], row, "are judged", seems)


def _read(
    path: Path,
    what: str,
    lines: Sequence[tuple[int, str]],
    row: Callable[[str], tuple[str, str, _Value]],
    twice: str,
    seems: tuple[Sequence[set[int]], str],
) -> dict[str, dict[str, _Value]]:
    """Question → document → value. `seems`: numbers of fields of lines that are those of another kind of file."""
    found: dict[str, dict[str, _Value]] = {}
    mistakes: dict[str, list[str]] = defaultdict(list)
    for number, line in lines:
        try:
            question, document, value = row(line)
            if document in found.setdefault(question, {}):
                raise _Mistake(f"documents that {twice} twice for a question", document, question)
            found[question][document] = value
        except _Mistake as mistake:
            kind, *written = mistake.args
            remark = f" ({' for '.join(text[:_SHOWN] for text in written)})" if written else ""
            mistakes[kind].append(f"{number}{remark}")
    if mistakes or not found:
        problems = "; ".join(f"{kind}: {named(places)}" for kind, places in mistakes.items()) or "it is empty"
        widths, other = seems
        is_other = {len(line.split()) for _, line in lines} in widths
        hint = f" It looks like {other}.{_ORDER}" if is_other else ""
        raise DataError(f"{path} is no {what}: {problems}.{hint}")
    return found


def lines_of(path: Path) -> list[tuple[int, str]]:
    """The lines that are no comments, with their numbers from 1."""
    numbered = enumerate(decode(_content(path), "utf-8", where=str(path)).split("\n"), start=1)
    return [(number, line) for number, line in numbered if line.strip() and not line.startswith("#")]


def _content(path: Path) -> bytes:
    """The bytes of a file, unpacked if gzip packed it."""
    if path.exists() and not path.is_file():  # a pipe or a device may never end
        raise DataError(f"{path} is a folder, a pipe or a device. Write the path of a text file.")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(
            f"{path} cannot be read ({error.strerror}). Write the path of a text file."
        ) from error
    if not content.startswith(_GZIP):
        return content
    most = limits().unpacked_from(len(content))
    try:
        with gzip.open(io.BytesIO(content)) as stream:
            unpacked = stream.read(most + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path} is damaged: gzip cannot unpack it ({error}). Copy it again.") from error
    if len(unpacked) > most:
        raise DataError(
            f"{path} unpacks to more than {most} bytes. If that is right, unpack it first: gunzip {path}"
        )
    return unpacked


def run_lines(run: Run, tag: str, metadata: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a run file, below `metadata` as a comment, by the convention of ir_metadata, if there is any."""
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
    """(n,) float64 scores, none rising, that fall strictly in single precision; those that did stay as they are."""
    single = scores.astype(np.float32)
    if (np.diff(single) < 0).all():
        return scores
    found = scores.copy()
    for row in range(1, len(scores)):
        if single[row] >= single[row - 1]:
            single[row] = np.nextafter(single[row - 1], np.float32(-np.inf))
            found[row] = single[row]
    return found
