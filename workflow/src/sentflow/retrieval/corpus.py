"""A corpus, its questions and their judgements: what every reader makes and every later stage reads."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from sentflow.files.arrow import numbers_of
from sentflow.files.parquet import read_described, readable, write_described


@dataclass(frozen=True)
class Corpus:
    """Documents in the order of their files.

    Attributes
    ----------
    name
        Of the corpus in the catalog.
    data_version
        What the texts are, for captions.
    language
        ISO 639-1 code of the texts.
    ids
        n distinct names.
    titles
        n titles, each may be empty.
    texts
        n texts without their titles; title and text are not both empty.
    """

    name: str
    data_version: str
    language: str
    ids: list[str]
    titles: list[str]
    texts: list[str]

    def __len__(self) -> int:
        return len(self.ids)

    def whole_texts(self) -> list[str]:
        """Title and text of each document, with a space between them."""
        return [
            f"{title} {text}" if title and text else title or text
            for title, text in zip(self.titles, self.texts, strict=True)
        ]

    def row_texts(self) -> Iterator[tuple[str, ...]]:
        """The whole text of each document, for the collection that is embedded."""
        return ((text,) for text in self.whole_texts())


@dataclass(frozen=True)
class Questions:
    """Questions with their judgements.

    Attributes
    ----------
    name
        Of the question set in the catalog.
    corpus
        Name of the corpus that is searched.
    data_version, language
        See `Corpus`.
    relevant_grade
        The least grade that counts as relevant.
    ids
        n distinct names.
    texts
        n texts, none empty.
    groups
        n names of groups whose scores are shown apart; empty where there are none.
    judged
        (j,) int64: the question of each judgement, ascending.
    documents
        j identifiers of documents, distinct within a question.
    grades
        (j,) int64.
    """

    name: str
    corpus: str
    data_version: str
    language: str
    relevant_grade: int
    ids: list[str]
    texts: list[str]
    groups: list[str]
    judged: np.ndarray
    documents: list[str]
    grades: np.ndarray

    def __len__(self) -> int:
        return len(self.ids)

    def row_texts(self) -> Iterator[tuple[str, ...]]:
        """The text of each question, for the collection that is embedded."""
        return ((text,) for text in self.texts)

    def by_question(self) -> dict[str, dict[str, int]]:
        """Question → document → grade."""
        found: dict[str, dict[str, int]] = {name: {} for name in self.ids}
        for question, document, grade in zip(self.judged.tolist(), self.documents, self.grades.tolist(), strict=True):
            found[self.ids[question]][document] = grade
        return found


@dataclass(frozen=True)
class _About:
    """What the file of a corpus says of itself."""

    corpus: str
    data_version: str
    language: str


def write_corpus(path: Path | str, corpus: Corpus) -> None:
    """Write a corpus as Parquet: columns id, title, text."""
    about = _About(corpus.name, corpus.data_version, corpus.language)
    write_described(path, {"id": corpus.ids, "title": corpus.titles, "text": corpus.texts}, asdict(about))


def read_corpus(path: Path | str) -> Corpus:
    """Read a corpus.

    Raises
    ------
    DataError
        The file is not a corpus, it is damaged, or it is not that of the digest beside it.
    """
    with readable(path, "corpus"):
        about, stored = read_described(path)
        known = _About(**about)
        columns = stored.to_pydict()
        return Corpus(
            known.corpus, known.data_version, known.language, columns["id"], columns["title"], columns["text"]
        )


_QUESTION_KEYS = ("name", "corpus", "data_version", "language", "relevant_grade")


def write_questions(questions_path: Path | str, judgements_path: Path | str, questions: Questions) -> None:
    """Write questions (columns id, text, group) and judgements (question, document, grade) as two Parquet files."""
    about = {key: getattr(questions, key) for key in _QUESTION_KEYS}
    columns = {"id": questions.ids, "text": questions.texts, "group": questions.groups}
    write_described(questions_path, columns, about)
    judgements = {
        "question": [questions.ids[row] for row in questions.judged],
        "document": questions.documents,
        "grade": np.asarray(questions.grades, dtype=np.int64),
    }
    write_described(judgements_path, judgements, about)


def read_questions(questions_path: Path | str, judgements_path: Path | str) -> Questions:
    """Read what `write_questions` wrote.

    Raises
    ------
    DataError
        A file is not one of these, is damaged, or is not that of the digest beside it.
    """
    with readable(questions_path, "table of questions"):
        about, stored = read_described(questions_path)
        columns = stored.to_pydict()
    with readable(judgements_path, "table of judgements"):
        _, judged = read_described(judgements_path)
        row_of = {name: row for row, name in enumerate(columns["id"])}
        return Questions(
            **about,
            ids=columns["id"],
            texts=columns["text"],
            groups=columns["group"],
            judged=np.array([row_of[name] for name in judged.column("question").to_pylist()], dtype=np.int64),
            documents=judged.column("document").to_pylist(),
            grades=numbers_of(judged.column("grade")).astype(np.int64),
        )
