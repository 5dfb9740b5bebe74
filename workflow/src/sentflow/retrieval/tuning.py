"""Which settings of a fusion are chosen: nested, by questions that are kept apart by their documents."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import normalize

import numpy as np

from sentflow.errors import DataError, listed
from sentflow.retrieval.measures import Grades, Ranking, per_question, relevant_of
from sentflow.stats.effective import connected, numbered
from sentflow.stats.seeds import derive_seed
from sentflow.texts.corpora import Questions
from sentflow.texts.raw_files import COLUMN, GOLD_DOCUMENT

F2, SET_P, SET_R, F2_PUBLISHED = "F2", "SetP", "SetR", "F2-published"
SET_MEASURES = (F2, SET_P, SET_R, F2_PUBLISHED)
# The parameter of trec_eval, and so of ir-measures, is the square of beta
_NAMES = {F2: "SetF(beta=4.0)", SET_P: "SetP", SET_R: "SetR"}


def set_values(decided: Ranking, grades: Grades, *, relevant_grade: int = 1) -> dict[str, np.ndarray]:
    """Set measures of each question.

    `decided`: Question → its documents; a document that repeats counts once, and questions may be missing. `grades`: of
    the n questions that count, in the order of the values. `relevant_grade`: the least grade that is relevant. Returns
    each of `SET_MEASURES` → (n,) float64 in [0, 1]; 0 for a question without a document.

    With precision P and recall R of the set, F2 = 5 P R / (4 P + R). ``F2-published`` is the count of the published
    pipeline of the Zalo challenge 2021: each document decided for is compared with every relevant one and counts as
    wrong for each that it is not, so that a question with several relevant documents never reaches 1.
    """
    kept = {name: list(dict.fromkeys(decided.get(name, ()))) for name in grades}
    values = per_question(kept, grades, [*_NAMES.values()], relevant_grade=relevant_grade)
    found = {name: values[written] for name, written in _NAMES.items()}
    relevant = relevant_of(grades, relevant_grade)
    found[F2_PUBLISHED] = np.array([_published(kept[name], relevant[name]) for name in grades])
    return found


def f2(precision: float, recall: float) -> float:
    """5 P R / (4 P + R); 0 where both are 0."""
    weight = 4 * precision + recall
    return 5 * precision * recall / weight if weight else 0.0


def of_means(values: Mapping[str, np.ndarray]) -> float:
    """F2 of the mean precision and the mean recall, which some papers give instead of the mean F2."""
    return f2(float(values[SET_P].mean()), float(values[SET_R].mean()))


def _published(decided: Sequence[str], relevant: Iterable[str]) -> float:
    relevant = set(relevant)
    n_right = sum(document in relevant for document in decided)
    n_compared = len(decided) * len(relevant)
    # every comparison that is no match is a false positive
    return f2(n_right / n_compared, n_right / len(relevant)) if n_compared else 0.0


def clusters_of(questions: Questions, by: str, pattern: str | None = None) -> dict[str, str]:
    """The cluster of each question that has one: a name of the column, or the first document, or part, of the cluster.

    `by`: ``column``: what the files say of each question; ``gold-document``: questions that share a relevant document,
    also through others. `pattern`: regular expression of the part of a document's identifier that counts, say its law:
    the first group, or all that matches. Raises DataError: no such column, or a relevant document does not match.
    """
    if by == COLUMN:
        if not questions.clusters:
            raise DataError(
                f"{questions.name}: no question has a cluster. Write the column of cluster: at its questions, or "
                f"cluster: {GOLD_DOCUMENT}."
            )
        return {name: one for name, one in zip(questions.ids, questions.clusters, strict=True) if one}
    relevant = np.flatnonzero(questions.grades >= questions.relevant_grade)
    units = _parts([questions.documents[row] for row in relevant], pattern, questions.name)
    own: dict[int, list[str]] = {}
    for question, unit in zip(questions.judged[relevant].tolist(), units, strict=True):
        own.setdefault(question, []).append(unit)
    linked = linked_by([*own.values()]).tolist()
    first: dict[int, str] = {}
    for cluster, names in zip(linked, own.values(), strict=True):
        first.setdefault(cluster, names[0])
    return {questions.ids[question]: first[cluster] for question, cluster in zip(own, linked, strict=True)}


def linked_by(relevant: Sequence[Sequence[str]]) -> np.ndarray:
    """(n,) int64 cluster of each question: those that share a relevant document are in one, also through others."""
    if not relevant:
        return np.zeros(0, dtype=np.int64)
    # questions and documents are the nodes of a graph, judgements its edges; and each question is joined to itself
    questions = np.arange(len(relevant))
    judged = np.repeat(questions, [len(own) for own in relevant])
    documents = len(relevant) + numbered(name for own in relevant for name in own)
    lowest = connected(np.append(questions, judged), np.append(questions, documents))
    return np.unique(lowest[: len(relevant)], return_inverse=True)[1].astype(np.int64)


def _parts(documents: Sequence[str], pattern: str | None, name: str) -> list[str]:
    """What counts of each identifier."""
    if pattern is None:
        return [*documents]
    found = {document: re.search(pattern, document) for document in dict.fromkeys(documents)}
    others = [document for document, match in found.items() if match is None]
    if others:
        raise DataError(
            f"{name}: cluster_pattern {pattern!r} matches nothing in {len(others)} identifiers of relevant documents, "
            f"the first of them {others[0]!r}. Write a pattern that all of them match."
        )
    return [match[1 if match.re.groups else 0] for document in documents if (match := found[document])]


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

    def facts(self, candidates: Sequence[Any], margin: float) -> dict[str, Any]:
        """What a file says of the choice; candidates within `margin` of the best count as equally good."""
        return {
            "n_questions": len(self.fold_of),
            **{name: getattr(self, name) for name in ("in_sample", "nested", "optimism")},
            "margin": margin,
            "within_margin": [candidates[one] for one in self.near(margin)],
        }


def choose(values: np.ndarray, fold_of: np.ndarray) -> Choice:
    """Choose among c candidates by (c, n) float64 values on n questions and (n,) int64 folds of `folds_of`."""
    means = values.mean(axis=1)
    without = [_best(values[:, fold_of != fold]) for fold in range(int(fold_of.max()) + 1)]
    best_without = np.array(without, dtype=np.int64)
    held_out = values[best_without[fold_of], np.arange(values.shape[1])]
    return Choice(_best(values), means, fold_of, best_without, held_out)


def folds_of(relevant: Sequence[Sequence[str]], n_folds: int, seed: int) -> np.ndarray:
    """(n,) int64 folds from 0 of about equal size, none empty, at least 2 unless there are fewer questions.

    Questions that share a relevant document, directly or through others, are in one fold, unless that would be more
    than a fold holds: then each is drawn by itself. `seed`: of the order in which clusters are assigned.
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
    return np.asarray(fold_of_cluster[cluster])


def _best(values: np.ndarray) -> int:
    # argmax takes the first of equal ones
    return int(np.argmax(np.round(values.mean(axis=1), _DIGITS)))


_WORDS = re.compile(r"\w+")


@dataclass(frozen=True)
class TrainingQuestion:
    """A question of a training set."""

    question_set: str
    corpus: str
    id: str  # of the question; empty where it says nothing, because it is the number of a row
    words: str  # fingerprint of its words, without case and punctuation, so that files hold no text; or empty


def training_questions(questions: Questions, *, ids_are_rows: bool = False) -> list[TrainingQuestion]:
    """All questions of a set; `ids_are_rows`: their ids are numbers, which another set may have for others."""
    pairs = zip(questions.ids, questions.texts, strict=True)
    return [
        TrainingQuestion(questions.name, questions.corpus, "" if ids_are_rows else name, _fingerprint(text))
        for name, text in pairs
    ]


def refuse_shared(questions: Questions, training: Iterable[TrainingQuestion], where: str) -> None:
    """Refuse a test set that shares questions with a set that was tuned on, which itself is not refused.

    Equal texts, but for case and punctuation, are the same question; so are equal ids in the same corpus.
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
        told = "; ".join(f"{len(names)} with {name}: {listed(names, 5)}" for name, names in shared.items())
        raise DataError(
            f"{where}.tuned_on: {questions.name} shares questions with what it is tuned on, so its values would be "
            f"flattered ({told}). Tune on other questions, or take these out of one of the sets."
        )


def _fingerprint(text: str) -> str:
    words = " ".join(_WORDS.findall(normalize("NFC", text).lower()))
    return hashlib.sha256(words.encode()).hexdigest() if words else ""
