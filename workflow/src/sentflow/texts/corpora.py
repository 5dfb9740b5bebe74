"""A corpus, its questions and their judgements: what every reader makes and every later stage reads."""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unicodedata import normalize

import numpy as np
import pyarrow as pa

from sentflow.files.atomic import atomic
from sentflow.files.parquet import (
    Columns,
    DescribedParts,
    DescribedWriter,
    Strings,
    numbers_of,
    read_described,
    readable,
    write_described,
)
from sentflow.texts.shards import rows_of_shard

KEEP, EXCLUDE = SAME_IDS = ("keep", "exclude")
Document = tuple[str, str, str]
"""Identifier, title and text of a document."""
_COLUMNS = ("id", "title", "text")
# A group of rows of a file: as many as pyarrow takes by itself, and fewer where texts are long
_GROUP_ROWS, _GROUP_BYTES = 1 << 20, 1 << 29
_ABOUT_QUESTIONS = ("corpus", "data_version", "language", "relevant_grade", "same_ids")


@dataclass(frozen=True)
class Corpus:
    """Documents in the order of their files."""

    name: str  # of the corpus in the catalog; of a shard of it, see `sentflow.texts.shards`
    data_version: str  # what the texts are, for captions
    language: str  # ISO 639-1 code of the texts
    ids: list[str]  # n distinct names
    titles: list[str]  # n titles, each may be empty
    # texts: n texts without their titles. Nothing finds a document whose title and text are both empty.
    texts: list[str]

    def __len__(self) -> int:
        return len(self.ids)

    def documents(self) -> Iterator[Document]:
        """The documents, one after the other."""
        return zip(self.ids, self.titles, self.texts, strict=True)

    def whole_texts(self) -> list[str]:
        """Title and text of each document, with a space between them."""
        return [whole_text(title, text) for title, text in zip(self.titles, self.texts, strict=True)]

    def row_texts(self) -> Iterator[tuple[str, ...]]:
        """The whole text of each document, for the collection that is embedded."""
        return ((text,) for text in self.whole_texts() if text)


class CorpusFile:
    """The documents in the file of a corpus, of which a batch at a time is in memory."""

    def __init__(self, path: Path | str) -> None:
        self._path = path
        with readable(path, "corpus"):
            self._parts = DescribedParts(path)
            self.name = str(self._parts.about["corpus"])

    def __len__(self) -> int:
        return self._parts.n_rows

    def at(self, rows: Iterable[int]) -> dict[int, Document]:
        """The documents of some rows."""
        wanted = {*rows}
        return {row: document for row, document in enumerate(self.documents()) if row in wanted}

    def documents(self) -> Iterator[Document]:
        """The documents, one after the other; read anew each time."""
        with readable(self._path, "corpus"):
            for batch in self._parts.batches(*_COLUMNS):
                yield from zip(*(batch.column(name).to_pylist() for name in _COLUMNS), strict=True)


@dataclass(frozen=True)
class Questions:
    """Questions with their judgements."""

    name: str  # of the question set in the catalog
    corpus: str  # name of the corpus that is searched
    data_version: str
    language: str
    relevant_grade: int  # the least grade that counts as relevant
    ids: list[str]  # n distinct names
    texts: list[str]  # n texts, none empty
    groups: list[str]  # n names of groups whose scores are shown apart; empty where there are none
    judged: np.ndarray  # (j,) int64: the question of each judgement, ascending
    documents: list[str]  # j identifiers of documents, distinct within a question
    grades: np.ndarray  # (j,) int64
    # clusters: n names of what questions are about, say a law, where the files tell; empty for a question that is
    # about nothing in common with others. Empty altogether where they do not.
    clusters: Sequence[str] = ()
    # same_ids: ``exclude`` where a document that has the name of a question is the question itself, and is not ranked
    # for it; else ``keep``
    same_ids: str = KEEP

    def __len__(self) -> int:
        return len(self.ids)

    def row_texts(self) -> Iterator[tuple[str, ...]]:
        """The text of each question, for the collection that is embedded."""
        return ((text,) for text in self.texts)

    def by_question(self) -> dict[str, dict[str, int]]:
        """Question → document → grade."""
        found: dict[str, dict[str, int]] = {name: {} for name in self.ids}
        for question, document, grade in zip(
            self.judged.tolist(), self.documents, self.grades.tolist(), strict=True
        ):
            found[self.ids[question]][document] = grade
        return found


@dataclass(frozen=True)
class Passages:
    """Parts of documents that are searched in their stead; a document counts by its best one."""

    # corpus, passages: names of the corpus, and of how its documents were cut
    corpus: str
    passages: str
    documents: np.ndarray  # (n,) int64 row of the document of each passage in the corpus, ascending
    texts: list[str]  # n texts, none empty

    def row_texts(self) -> Iterator[tuple[str, ...]]:
        """The text of each passage, for the collection that is embedded."""
        return ((text,) for text in self.texts)


def folded(text: str) -> str:
    """What texts have in common that differ in case, white space and forms of accents."""
    return " ".join(normalize("NFC", text).lower().split())


def whole_text(title: str, text: str) -> str:
    """Title and text of a document, with a space between them."""
    return f"{title} {text}" if title and text else title or text


def digest_of(text: str) -> bytes:
    """16 bytes that stand for a text where all texts of a corpus would need too much memory."""
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def copies(corpus: Corpus | CorpusFile, of: Collection[str]) -> dict[str, list[str]]:
    """Document of `of` → all documents with its text but for space, case and forms of accents, if there are others."""
    texts = ((name, whole_text(title, text)) for name, title, text in corpus.documents())
    wanted = {folded(text) for name, text in texts if text and name in of}
    same: dict[str, list[str]] = defaultdict(list)
    for name, title, text in corpus.documents():
        found = folded(whole_text(title, text))
        if (title or text) and found in wanted:
            same[found].append(name)
    return {name: names for names in same.values() if len(names) > 1 for name in names}


def write_corpus(path: Path | str, corpus: Corpus) -> None:
    """Write a corpus, see `write_documents`."""
    write_documents(path, corpus.documents(), corpus.name, corpus.data_version, corpus.language)


def write_documents(
    path: Path | str, documents: Iterable[Document], name: str, data_version: str, language: str
) -> None:
    """Write documents of a corpus, at least one, as Parquet: columns id, title, text; holds a group of rows."""
    with atomic(path) as part:
        writer = DescribedWriter(part, {"corpus": name, "data_version": data_version, "language": language})
        columns = [Strings() for _ in _COLUMNS]
        for document in documents:
            for column, cell in zip(columns, document, strict=True):
                column.append(cell)
            if len(columns[0]) == _GROUP_ROWS or sum(column.n_bytes for column in columns) >= _GROUP_BYTES:
                writer.write(dict(zip(_COLUMNS, columns, strict=True)))
                columns = [Strings() for _ in _COLUMNS]
        if len(columns[0]):
            writer.write(dict(zip(_COLUMNS, columns, strict=True)))
        writer.close()


def read_corpus(path: Path | str) -> Corpus:
    """Read a corpus."""
    with readable(path, "corpus"):
        return corpus_of(*read_described(path))


def read_shard(path: Path | str, shard: str) -> Corpus:
    """The documents of a shard out of the file of its corpus; no others are held."""
    with readable(path, "corpus"):
        parts = DescribedParts(path)
        stored = parts.rows(*rows_of_shard(shard, parts.n_rows))
        return corpus_of({**parts.about, "corpus": shard}, stored)


def read_ids(path: Path | str) -> tuple[str, list[str]]:
    """The name of the corpus of a file, and the identifiers of its documents or of questions; no texts are read."""
    with readable(path, "corpus"):
        parts = DescribedParts(path)
        return str(parts.about["corpus"]), parts.columns("id").column("id").to_pylist()


def corpus_of(about: Mapping[str, Any], stored: pa.Table) -> Corpus:
    """The corpus that `read_described` gave."""
    columns = stored.to_pydict()
    named = (about["corpus"], about["data_version"], about["language"])
    return Corpus(*named, columns["id"], columns["title"], columns["text"])


def write_questions(questions_path: Path | str, judgements_path: Path | str, questions: Questions) -> None:
    """Write questions (columns id, text, group, cluster) and judgements (question, document, grade) as Parquet."""
    about = {"questions": questions.name} | {key: getattr(questions, key) for key in _ABOUT_QUESTIONS}
    columns = {"id": questions.ids, "text": questions.texts, "group": questions.groups}
    if questions.clusters:
        columns["cluster"] = [*questions.clusters]
    write_described(questions_path, columns, about)
    judgements: Columns = {
        "question": [questions.ids[row] for row in questions.judged],
        "document": questions.documents,
        "grade": np.asarray(questions.grades, dtype=np.int64),
    }
    write_described(judgements_path, judgements, {"judgements": questions.name})


def read_questions(questions_path: Path | str, judgements_path: Path | str) -> Questions:
    """Read what `write_questions` wrote."""
    with readable(questions_path, "table of questions"):
        questions = questions_of(*read_described(questions_path))
    with readable(judgements_path, "table of judgements"):
        _, judged = read_described(judgements_path)
        row_of = {name: row for row, name in enumerate(questions.ids)}
        return replace(
            questions,
            judged=np.array([row_of[name] for name in judged.column("question").to_pylist()], dtype=np.int64),
            documents=judged.column("document").to_pylist(),
            grades=numbers_of(judged.column("grade")).astype(np.int64),
        )


def questions_of(about: Mapping[str, Any], stored: pa.Table) -> Questions:
    """The questions that `read_described` gave, without their judgements."""
    columns = stored.to_pydict()
    none = np.zeros(0, dtype=np.int64)
    return Questions(
        name=about["questions"],
        **{key: about[key] for key in _ABOUT_QUESTIONS},
        ids=columns["id"],
        texts=columns["text"],
        groups=columns["group"],
        judged=none,
        documents=[],
        grades=none,
        clusters=columns.get("cluster", ()),
    )


def write_passages(path: Path | str, passages: Passages, **cut_by: str) -> None:
    """Write passages as Parquet: columns document, text; `cut_by` says by what they were cut, if not by words."""
    about = {"passages": passages.passages, "corpus": passages.corpus, **cut_by}
    write_described(path, {"document": passages.documents, "text": passages.texts}, about)


def read_passages(path: Path | str) -> Passages:
    """Read what `write_passages` wrote."""
    with readable(path, "table of passages"):
        return passages_of(*read_described(path))


def passages_of(about: Mapping[str, Any], stored: pa.Table) -> Passages:
    """The passages that `read_described` gave."""
    rows = numbers_of(stored.column("document")).astype(np.int64)
    return Passages(about["corpus"], about["passages"], rows, stored.column("text").to_pylist())
