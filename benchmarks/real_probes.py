"""Fast probes on samples of a real task: ridge regression on a few principal components, on the folds of the protocol.

The task is the population. A sample of its documents, or of its rows, is cross-validated as the pipeline does it; what
was left out says how good the probes of the folds are for new documents, or for new rows.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from sentflow.api.data import known_tasks, load_task
from sentflow.encoders.vectors.storage import read_embeddings
from sentflow.probing.cross_validation import cross_validate
from sentflow.probing.draws import FoldPlan, UngroupableError, plan_folds
from sentflow.probing.rows import row_features
from sentflow.probing.settings import PUBLISHED, ProbeProtocol
from sentflow.stats.items import metric_values
from sentflow.texts.collection import read_collection, rows_of
from sentflow.texts.table import TaskTable, read_task

PENALTY = 1.0
COMPONENTS = 24  # of each encoder
DATASETS = {"T1A-open": "hatebr-2", "T2A-open": "factnews", "T3-open": "fakebr"}
THREE_CLASSES = "FactNews-3"
# quoted, factual, biased: upstream's own three classes, which no task of the catalog has
_OWN_TASKS = {
    THREE_CLASSES: {
        "like": "T2A-open",
        "metric": "adjusted_macro_f1",
        "reader": {"labels": {"-1": 0, "0": 1, "1": 2}},
        "class_counts": {"0": 1391, "1": 4242, "2": 558},
    }
}


@dataclass(frozen=True)
class RealTask:
    """A population of texts and its encoders.

    Attributes
    ----------
    features
        (M, N, COMPONENTS + 1) float32: the last column is 1.
    labels
        (N,) int64 from 0 to K − 1.
    documents
        (N,) int64, from 0.
    metric
        See `metric_values`.
    """

    features: np.ndarray
    labels: np.ndarray
    documents: np.ndarray
    metric: str

    @cached_property
    def n_classes(self) -> int:
        """K."""
        return int(self.labels.max()) + 1

    @property
    def targets(self) -> np.ndarray:
        """(N, C) float32 of 1 and −1: the second of two classes, or each of more."""
        classes = [1] if self.n_classes == 2 else range(self.n_classes)
        return np.where(self.labels[:, None] == classes, np.float32(1), np.float32(-1))

    def outside(self, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """(M,) mean score of (M, J, D, C) probes on all rows but these, classes of equal weight."""
        left_out = np.ones(len(self.labels), bool)
        left_out[rows] = False
        shares = [self._called(left_out & (self.labels == label), weights) for label in range(self.n_classes)]
        return np.asarray(metric_values(self.metric, np.stack(shares, axis=-2)).mean(axis=1))

    def _called(self, chosen: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """(M, J, K) shares of the chosen rows that are called each class."""
        called = decided(self.features[:, None, chosen], weights)
        counts = [np.count_nonzero(called == label, axis=-1) for label in range(self.n_classes)]
        return np.stack(counts, axis=-1) / np.count_nonzero(chosen)


@dataclass(frozen=True)
class Predicted:
    """What the folds of one sample of m rows said.

    Attributes
    ----------
    metric, n_classes
        Of the task.
    labels, documents
        (m,) int64 of the sample; documents from 0.
    fold_of
        (R, m) int64, from 0; −1 where the repetition leaves a row out to balance the classes.
    predicted
        (M, R, m) int64: each row's predicted class where it is in the test part, else 0.
    """

    metric: str
    n_classes: int
    labels: np.ndarray
    documents: np.ndarray
    fold_of: np.ndarray
    predicted: np.ndarray

    @property
    def positive(self) -> np.ndarray:
        """(M, R, m) bool: whether a row is called the second of two classes."""
        return self.predicted == 1

    @property
    def folds(self) -> int:
        """k."""
        return int(self.fold_of.max()) + 1

    @cached_property
    def scores(self) -> np.ndarray:
        """(J, M) score of each fold's test part."""
        values = metric_values(self.metric, self._counts(self.fold_of, self.folds))
        return values.reshape(-1, len(self.predicted))

    @cached_property
    def document_counts(self) -> np.ndarray:
        """(R, documents, M, K, K) confusions, true classes in rows."""
        return self._counts(np.where(self.fold_of >= 0, self.documents, -1), int(self.documents.max()) + 1)

    def _counts(self, part: np.ndarray, n_parts: int) -> np.ndarray:
        """(R, parts, M, K, K), rows of part −1 left out."""
        n_models, n_repetitions, _ = self.predicted.shape
        n_cells = self.n_classes**2
        found = np.empty((n_repetitions, n_parts, n_models, self.n_classes, self.n_classes))
        for repetition, own in enumerate(part):
            there = own >= 0
            for model in range(n_models):
                place = self.labels * self.n_classes + self.predicted[model, repetition]
                cells = np.bincount(own[there] * n_cells + place[there], minlength=n_cells * n_parts)
                found[repetition, :, model] = cells.reshape(n_parts, self.n_classes, self.n_classes)
        return found


@dataclass(frozen=True)
class CrossValidated(Predicted):
    """The same with the probes.

    Attributes
    ----------
    plans
        J folds; their rows are places in the sample.
    weights
        (M, J, D, C) float32 probes of the folds.
    """

    plans: list[FoldPlan]
    weights: np.ndarray

    @property
    def some_probes(self) -> np.ndarray:
        """(M, R, D, C): of the first fold of each repetition; their mean outside the sample is that of all."""
        return self.weights[:, :: self.folds]


def text_task(mirror: Path, name: str, *, folder: Path, n_encoders: int = 2) -> RealTask:
    """A task of the mirror with two to four encoders that have seen all its texts and none of its labels.

    They are of different kinds: they count words, sequences of three characters, pairs of words, and sequences of five
    characters, all with TF-IDF weights and reduced to `COMPONENTS` dimensions.

    Parameters
    ----------
    mirror
        Folder of real data.
    name
        One of `DATASETS`, or `THREE_CLASSES`.
    folder
        Where the raw file is brought to.
    n_encoders
        How many of them, in this order.
    """
    known = known_tasks({"tasks": _OWN_TASKS})
    table = load_task(name, known, folder=folder, protocol=PUBLISHED, mirrors=[str(mirror)])
    counted = (
        TfidfVectorizer(sublinear_tf=True, min_df=2),
        TfidfVectorizer(sublinear_tf=True, min_df=5, analyzer="char_wb", ngram_range=(3, 3)),
        TfidfVectorizer(sublinear_tf=True, min_df=2, ngram_range=(2, 2)),
        TfidfVectorizer(sublinear_tf=True, min_df=5, analyzer="char_wb", ngram_range=(5, 5)),
    )[:n_encoders]
    reduced = TruncatedSVD(COMPONENTS + 1, random_state=1)  # the first is little more than the mean
    encoded = [reduced.fit_transform(one.fit_transform(table.text_a)) for one in counted]
    return _population(table, encoded, known["tasks"][name]["metric"])


def embedded_task(results: Path, name: str, model: str) -> RealTask:
    """A task of a results folder. Its encoders are the two halves of a vector: the even and the odd columns."""
    table = read_task(results / f"data/tasks/{name}.parquet")
    texts = read_collection(results / f"data/texts/{DATASETS[name]}.parquet")
    embeddings = results / f"embeddings/{model}/{DATASETS[name]}.npy"
    vectors = read_embeddings(embeddings, embeddings.with_suffix(".json"), texts.texts)
    vectors = row_features(table, vectors, rows_of(texts.texts)).astype(np.float64)
    return _population(table, [vectors[:, half::2] for half in range(2)], "mcc")


def _population(table: TaskTable, encoded: Sequence[np.ndarray], metric: str) -> RealTask:
    _, documents = np.unique([str(name) for name in table.groups], return_inverse=True)
    features = np.stack([_components(one) for one in encoded]).astype(np.float32)
    return RealTask(features, table.labels, documents, metric)


def _components(vectors: np.ndarray) -> np.ndarray:
    """(n, COMPONENTS + 1): the first principal components, each of variance 1, and 1."""
    left, _, _ = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    return np.column_stack([left[:, :COMPONENTS] * np.sqrt(len(vectors)), np.ones(len(vectors))])


def drawn(task: RealTask, unit: str, size: int, generator: np.random.Generator) -> np.ndarray:
    """(m,) row numbers of a sample of ``"documents"`` or ``"rows"``."""
    if unit == "rows":
        return np.sort(generator.choice(len(task.labels), size, replace=False))
    chosen = generator.choice(task.documents.max() + 1, size, replace=False)
    return np.flatnonzero(np.isin(task.documents, chosen))


def cross_validated(
    task: RealTask,
    rows: np.ndarray,
    *,
    grouped: bool,
    seed: int,
    repetitions: int = 10,
    folds: int = 5,
    on_all: bool = False,
) -> CrossValidated | None:
    """Cross-validation of some rows by the protocol; None where they cannot be assigned to folds.

    Parameters
    ----------
    rows
        (m,) int64 of the sample; all others are left out.
    grouped
        Whether documents are kept together.
    on_all
        Whether probes are trained on the evaluation part, too, as those that choose a penalty are.
    """
    labels, (_, documents) = task.labels[rows], np.unique(task.documents[rows], return_inverse=True)
    plans = planned(labels, documents if grouped else None, seed=seed, repetitions=repetitions, folds=folds)
    if plans is None:
        return None
    parts = [np.concatenate([plan.train, plan.evaluation]) if on_all else plan.train for plan in plans]
    weights = ridge(task, rows, [np.sort(part) for part in parts])
    fold_of = np.full((repetitions, len(rows)), -1)
    predicted = np.zeros((len(weights), repetitions, len(rows)), np.int64)
    for number, plan in enumerate(plans):
        fold_of[plan.repetition - 1, plan.test] = plan.fold - 1
        called = decided(task.features[:, rows[plan.test]], weights[:, number])
        predicted[:, plan.repetition - 1, plan.test] = called
    return CrossValidated(task.metric, task.n_classes, labels, documents, fold_of, predicted, plans, weights)


def probed(task: RealTask, rows: np.ndarray, protocol: ProbeProtocol) -> Predicted:
    """Cross-validation of some rows by the pipeline's own probes, rows assigned one by one."""
    fold_of = np.full((protocol.repetitions, len(rows)), -1)
    predicted = np.zeros((len(task.features), protocol.repetitions, len(rows)), np.int64)
    for model, features in enumerate(task.features[:, rows, :-1]):  # they have a constant of their own
        found = cross_validate(features, task.labels[rows], metric=task.metric, protocol=protocol).predictions
        place = found["repetition"] - 1, found["row"]
        fold_of[place] = found["fold"] - 1
        predicted[(model, *place)] = found["predicted"]
    return Predicted(task.metric, task.n_classes, task.labels[rows], task.documents[rows], fold_of, predicted)


def planned(
    labels: np.ndarray, documents: np.ndarray | None, *, seed: int, repetitions: int, folds: int
) -> list[FoldPlan] | None:
    """All folds; None where the smallest class has fewer rows than folds, or documents cannot be assigned."""
    if np.bincount(labels).min() < folds:
        return None
    protocol = PUBLISHED.but(seed=seed, repetitions=repetitions, folds=folds)
    try:
        return list(plan_folds(labels, protocol, groups=documents))
    except UngroupableError:
        return None


def ridge(task: RealTask, rows: np.ndarray, parts: Iterable[np.ndarray]) -> np.ndarray:
    """(M, J, D, C) float32 probes.

    Parameters
    ----------
    rows
        (m,) of the sample.
    parts
        J training parts, as places in `rows`.
    """
    own_features, targets = task.features[:, rows], task.targets[rows]
    penalty = np.diag([PENALTY] * (own_features.shape[-1] - 1) + [0.0])  # the constant is free
    grams, sums = [], []
    for part in parts:
        features = own_features[:, part]
        grams.append(features.swapaxes(1, 2) @ features)
        sums.append(features.swapaxes(1, 2) @ targets[part])
    gram, moments = (np.stack(found, axis=1).astype(np.float64) for found in (grams, sums))
    return np.linalg.solve(gram + penalty, moments).astype(np.float32)


def decided(features: np.ndarray, probes: np.ndarray) -> np.ndarray:
    """(…, n) int64 classes of (…, n, D) features by (…, D, C) probes."""
    values = features @ probes
    return (values[..., 0] > 0).astype(np.int64) if values.shape[-1] == 1 else values.argmax(axis=-1)


def balanced_matthews(right: np.ndarray, wrong: np.ndarray) -> np.ndarray:
    """The same for classes of equal weight, from the shares of each that were called positive."""
    spread = (right + wrong) * (2 - right - wrong)
    return np.where(spread > 0, (right - wrong) / np.sqrt(np.where(spread > 0, spread, 1)), 0.0)
