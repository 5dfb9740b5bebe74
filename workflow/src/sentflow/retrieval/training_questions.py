"""Questions that something was tuned on, and whether a test set shares any of them."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from unicodedata import normalize

from sentflow.errors import DataError
from sentflow.texts.corpora import Questions

_WORDS = re.compile(r"\w+")


@dataclass(frozen=True)
class TrainingQuestion:
    """A question of a training set.

    Attributes
    ----------
    question_set, corpus
        Names.
    id
        Of the question; empty where it says nothing, because it is the number of a row.
    words
        Fingerprint of its words, without case and punctuation; empty without words. Files of it hold no text.
    """

    question_set: str
    corpus: str
    id: str
    words: str


def training_questions(questions: Questions, *, ids_are_rows: bool = False) -> list[TrainingQuestion]:
    """All questions of a set, also those without a relevant document.

    Parameters
    ----------
    questions
        The training set.
    ids_are_rows
        Whether ids are numbers of rows, which another set may have for other questions.
    """
    pairs = zip(questions.ids, questions.texts, strict=True)
    return [
        TrainingQuestion(questions.name, questions.corpus, "" if ids_are_rows else name, _fingerprint(text))
        for name, text in pairs
    ]


def refuse_shared(questions: Questions, training: Iterable[TrainingQuestion], where: str) -> None:
    """Refuse a test set that shares questions with a set that was tuned on.

    Equal texts, but for case and punctuation, are the same question; so are equal ids, where both sets ask the same
    corpus. The set that was tuned on itself is not refused: its questions are judged by what was chosen on others of
    them.

    Parameters
    ----------
    questions
        What is to be judged.
    training
        What was tuned on.
    where
        Place of the setting, for the message.

    Raises
    ------
    DataError
        Names the shared questions, by set.
    """
    name_of = {_fingerprint(text): name for name, text in zip(questions.ids, questions.texts, strict=True)}
    name_of.pop("", None)
    ids = set(questions.ids)
    shared: dict[str, list[str]] = {}
    for one in training:
        if one.question_set == questions.name:
            continue
        same_id = one.corpus == questions.corpus and one.id in ids
        same = one.id if same_id else name_of.get(one.words)
        if same is not None:
            shared.setdefault(one.question_set, []).append(same)
    if shared:
        told = "; ".join(f"{len(names)} with {name}: {_first(names)}" for name, names in shared.items())
        raise DataError(
            f"{where}.tuned_on: {questions.name} shares questions with what it is tuned on, so its values would be "
            f"flattered ({told}). Tune on other questions, or take these out of one of the sets."
        )


def _fingerprint(text: str) -> str:
    words = " ".join(_WORDS.findall(normalize("NFC", text).lower()))
    return hashlib.sha256(words.encode()).hexdigest() if words else ""


def _first(names: list[str], limit: int = 5) -> str:
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more
