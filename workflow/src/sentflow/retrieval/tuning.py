"""Settings chosen on training questions: the best of a grid, and by folds what such a choice reaches on others."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from unicodedata import normalize

import numpy as np

from sentflow.errors import DataError
from sentflow.retrieval.clusters import linked_by
from sentflow.stats.seeds import derive_seed
from sentflow.texts.corpora import Questions

_DIGITS = 12  # to which means are rounded, so that what differs by the order of sums is equal


@dataclass(frozen=True)
class Choice:
    """What was chosen of c candidates on n questions."""

    best: int  # the candidate with the greatest mean over all questions; of equal ones the first
    means: np.ndarray  # (c,) float64 mean of each candidate over all questions
    fold_of: np.ndarray  # (n,) int64 fold of each question, from 0
    best_without: np.ndarray  # (folds,) int64 the candidate that is best on the questions of the other folds
    # held_out: (n,) float64 value of each question by the candidate that was chosen without its fold
    held_out: np.ndarray

    @property
    def in_sample(self) -> float:
        """Mean of the best candidate over the questions that it was chosen on."""
        return float(self.means[self.best])

    @property
    def nested(self) -> float:
        """Mean over questions that each candidate was not chosen on."""
        return float(self.held_out.mean())

    @property
    def optimism(self) -> float:
        """How much the first flatters the choice: in-sample minus nested."""
        return self.in_sample - self.nested

    def near(self, margin: float) -> list[int]:
        """The candidates whose mean is below the greatest by at most `margin`: many of them, a flat optimum."""
        return np.flatnonzero(self.means >= self.means[self.best] - margin).tolist()


def choose(values: np.ndarray, fold_of: np.ndarray) -> Choice:
    """Choose among candidates.

    `values`: (c, n) float64: a measure of each candidate on each question, c and n >= 1. `fold_of`: (n,) int64 folds,
    as `folds_of` gives them.
    """
    means = values.mean(axis=1)
    without = [_best(values[:, fold_of != fold]) for fold in range(int(fold_of.max()) + 1)]
    best_without = np.array(without, dtype=np.int64)
    held_out = values[best_without[fold_of], np.arange(values.shape[1])]
    return Choice(_best(values), means, fold_of, best_without, held_out)


def folds_of(relevant: Sequence[Sequence[str]], n_folds: int, seed: int) -> np.ndarray:
    """Divide questions into folds of about equal size.

    Questions that share a relevant document, directly or through others, are in one fold, unless that would be more
    than a fold holds: then each question is drawn by itself.

    `n_folds`: at least 2; there are fewer where there are fewer questions. `seed`: of the order in which clusters are
    assigned to folds. Returns: (n,) int64 folds from 0, none empty.
    """
    n = len(relevant)
    if n < 2:
        raise DataError(f"{n} training questions with a relevant document: nothing can be tuned on so few.")
    n_folds = min(n_folds, n)
    cluster = linked_by(relevant)
    sizes = np.bincount(cluster)
    if sizes.max() > -(-n // n_folds) or len(sizes) < n_folds:
        cluster, sizes = np.arange(n), np.ones(n, dtype=np.int64)
    drawn = np.random.default_rng(derive_seed(seed, "folds")).permutation(len(sizes))
    # the large ones first, or the last one assigned could make folds unequal
    order = drawn[np.argsort(-sizes[drawn], kind="stable")]
    fold_of_cluster = np.zeros(len(sizes), dtype=np.int64)
    filled = np.zeros(n_folds, dtype=np.int64)
    for one in order:
        fold = int(np.argmin(filled))
        fold_of_cluster[one], filled[fold] = fold, filled[fold] + sizes[one]
    found: np.ndarray = fold_of_cluster[cluster]
    return found


def _best(values: np.ndarray) -> int:
    # argmax takes the first of equal ones
    return int(np.argmax(np.round(values.mean(axis=1), _DIGITS)))


_WORDS = re.compile(r"\w+")


@dataclass(frozen=True)
class TrainingQuestion:
    """A question of a training set."""

    # question_set, corpus: names
    question_set: str
    corpus: str
    id: str  # of the question; empty where it says nothing, because it is the number of a row
    # words: fingerprint of its words, without case and punctuation; empty without words. Files of it hold no text.
    words: str


def training_questions(questions: Questions, *, ids_are_rows: bool = False) -> list[TrainingQuestion]:
    """All questions of a set, also those without a relevant document.

    `ids_are_rows`: whether ids are numbers of rows, which another set may have for other questions.
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
