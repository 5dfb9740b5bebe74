"""Fast probes on samples of a real task: ridge regression on a few principal components, on the folds of the protocol.

The task is the population. A sample of its documents, or of its rows, is cross-validated as the pipeline does it; what
was left out says how good the probes of the folds are for new documents, or for new rows.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import repeat
from pathlib import Path

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from sentflow.api.data import load_task
from sentflow.api.tasks import known_tasks
from sentflow.probing.cross_validation import cross_validate
from sentflow.probing.features.embedded import embedded_rows
from sentflow.probing.protocol.draws import FoldPlan, UngroupableError, plan_folds
from sentflow.probing.protocol.settings import PUBLISHED, ProbeProtocol
from sentflow.texts.collection import read_collection
from sentflow.texts.table import TaskTable, read_task

PENALTY = 1.0
COMPONENTS = 24  # of each encoder
DATASETS = {"T1A-open": "hatebr-2", "T2A-open": "factnews", "T3-open": "fakebr"}


@dataclass(frozen=True)
class RealTask:
    """A population of texts and its encoders.

    Attributes
    ----------
    features
        (M, N, COMPONENTS + 1) float32: the last column is 1.
    labels
        (N,) int64, two classes.
    documents
        (N,) int64, from 0.
    """

    features: np.ndarray
    labels: np.ndarray
    documents: np.ndarray

    @property
    def signs(self) -> np.ndarray:
        """(N,) float32, 1 for the second class, −1 for the first."""
        return np.where(self.labels == 1, np.float32(1), np.float32(-1))

    def outside(self, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """(M,) mean Matthews correlation of (M, J, D) probes on all rows but these, classes of equal weight."""
        left_out = np.ones(len(self.labels), bool)
        left_out[rows] = False
        right, wrong = (self._called_positive(left_out & (self.labels == label), weights) for label in (1, 0))
        return np.asarray(balanced_matthews(right, wrong).mean(axis=1))

    def _called_positive(self, chosen: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """(M, J) share of the chosen rows."""
        decided = [own @ probes.T > 0 for own, probes in zip(self.features[:, chosen], weights, strict=True)]
        return np.stack([np.count_nonzero(one, axis=0) for one in decided]) / np.count_nonzero(chosen)


@dataclass(frozen=True)
class Predicted:
    """What the folds of one sample of m rows said.

    Attributes
    ----------
    labels, documents
        (m,) int64 of the sample; documents from 0.
    fold_of
        (R, m) int64, from 0; −1 where the repetition leaves a row out to balance the classes.
    positive
        (M, R, m) bool: each row's predicted class where it is in the test part.
    """

    labels: np.ndarray
    documents: np.ndarray
    fold_of: np.ndarray
    positive: np.ndarray

    @property
    def folds(self) -> int:
        """k."""
        return int(self.fold_of.max()) + 1

    @cached_property
    def scores(self) -> np.ndarray:
        """(J, M) Matthews correlation of each fold's test part."""
        return matthews(self._counts(self.fold_of, self.folds)).reshape(-1, len(self.positive))

    @cached_property
    def document_counts(self) -> np.ndarray:
        """(R, documents, M, 4) true and false positives, false and true negatives."""
        return self._counts(np.where(self.fold_of >= 0, self.documents, -1), int(self.documents.max()) + 1)

    def _counts(self, part: np.ndarray, n_parts: int) -> np.ndarray:
        """(R, parts, M, 4), rows of part −1 left out."""
        n_models, n_repetitions, _ = self.positive.shape
        found = np.empty((n_repetitions, n_parts, n_models, 4))
        for repetition, own in enumerate(part):
            there = own >= 0
            for model in range(n_models):
                place = np.where(self.positive[model, repetition], 0, 2) + (self.labels == 0)
                cells = np.bincount(own[there] * 4 + place[there], minlength=4 * n_parts)
                found[repetition, :, model] = cells.reshape(n_parts, 4)
        return found


@dataclass(frozen=True)
class CrossValidated(Predicted):
    """The same with the probes.

    Attributes
    ----------
    plans
        J folds; their rows are places in the sample.
    weights
        (M, J, D) float32 probes of the folds.
    """

    plans: list[FoldPlan]
    weights: np.ndarray

    @property
    def some_probes(self) -> np.ndarray:
        """(M, R, D): of the first fold of each repetition; their mean outside the sample is that of all."""
        return self.weights[:, :: self.folds]


def text_task(mirror: Path, name: str, *, folder: Path) -> RealTask:
    """A task of the mirror with two encoders that have seen all its texts and none of its labels.

    They are of different kinds: one counts words, the other sequences of three characters, both with TF-IDF
    weights and reduced to `COMPONENTS` dimensions.

    Parameters
    ----------
    mirror
        Folder of real data.
    name
        One of `DATASETS`.
    folder
        Where the raw file is brought to.
    """
    table = load_task(name, known_tasks(None), folder=folder, protocol=PUBLISHED, mirrors=[str(mirror)])
    counted = (
        TfidfVectorizer(sublinear_tf=True, min_df=2),
        TfidfVectorizer(sublinear_tf=True, min_df=5, analyzer="char_wb", ngram_range=(3, 3)),
    )
    reduced = TruncatedSVD(COMPONENTS + 1, random_state=1)  # the first is little more than the mean
    return _population(table, [reduced.fit_transform(one.fit_transform(table.text_a)) for one in counted])


def embedded_task(results: Path, name: str, model: str) -> RealTask:
    """A task of a results folder. Its encoders are the two halves of a vector: the even and the odd columns."""
    table = read_task(results / f"data/tasks/{name}.parquet")
    texts = read_collection(results / f"data/texts/{DATASETS[name]}.parquet")
    embeddings = results / f"embeddings/{model}/{DATASETS[name]}.npy"
    vectors = embedded_rows(table, embeddings, embeddings.with_suffix(".json"), texts).astype(np.float64)
    return _population(table, [vectors[:, half::2] for half in range(2)])


def _population(table: TaskTable, encoded: Sequence[np.ndarray]) -> RealTask:
    _, documents = np.unique([str(name) for name in table.groups], return_inverse=True)
    features = np.stack([_components(one) for one in encoded]).astype(np.float32)
    return RealTask(features, table.labels, documents)


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
    task: RealTask, rows: np.ndarray, *, grouped: bool, seed: int, repetitions: int = 10, folds: int = 5
) -> CrossValidated | None:
    """Cross-validation of some rows by the protocol; None where they cannot be dealt to folds.

    Parameters
    ----------
    rows
        (m,) int64 of the sample; all others are left out.
    grouped
        Whether documents are kept together.
    """
    labels, (_, documents) = task.labels[rows], np.unique(task.documents[rows], return_inverse=True)
    plans = planned(labels, documents if grouped else None, seed=seed, repetitions=repetitions, folds=folds)
    if plans is None:
        return None
    weights = ridge(task, rows, [np.sort(plan.train) for plan in plans])
    fold_of = np.full((repetitions, len(rows)), -1)
    positive = np.zeros((len(weights), repetitions, len(rows)), bool)
    for number, plan in enumerate(plans):
        fold_of[plan.repetition - 1, plan.test] = plan.fold - 1
        decided = np.einsum("mnd,md->mn", task.features[:, rows[plan.test]], weights[:, number])
        positive[:, plan.repetition - 1, plan.test] = decided > 0
    return CrossValidated(labels, documents, fold_of, positive, plans, weights)


def probed(task: RealTask, rows: np.ndarray, protocol: ProbeProtocol) -> Predicted:
    """Cross-validation of some rows by the pipeline's own probes, rows dealt one by one."""
    fold_of = np.full((protocol.repetitions, len(rows)), -1)
    positive = np.zeros((len(task.features), protocol.repetitions, len(rows)), bool)
    for model, features in enumerate(task.features[:, rows, :-1]):  # they have a constant of their own
        found = cross_validate(features, task.labels[rows], metric="mcc", protocol=protocol).predictions
        place = found["repetition"] - 1, found["row"]
        fold_of[place] = found["fold"] - 1
        positive[(model, *place)] = found["predicted"] == 1
    return Predicted(task.labels[rows], task.documents[rows], fold_of, positive)


def planned(
    labels: np.ndarray, documents: np.ndarray | None, *, seed: int, repetitions: int, folds: int
) -> list[FoldPlan] | None:
    """All folds; None where the smallest class has fewer rows than folds, or documents cannot be dealt."""
    counts = np.bincount(labels, minlength=2)
    if counts.min() < folds:
        return None
    protocol = replace(PUBLISHED, seed=seed, repetitions=repetitions, folds=folds)
    try:
        return list(plan_folds(labels, protocol, groups=documents))
    except UngroupableError:
        return None


def ridge(
    task: RealTask, rows: np.ndarray, parts: Iterable[np.ndarray], weights: Iterable[np.ndarray] | None = None
) -> np.ndarray:
    """(M, J, D) float32 probes.

    Parameters
    ----------
    rows
        (m,) of the sample.
    parts
        J training parts, as places in `rows`.
    weights
        Of the rows of each part, float32; 1 without them.
    """
    n_models, _, width = task.features.shape
    both, signs = np.concatenate(task.features[:, rows], axis=1), task.signs[rows]
    penalty = np.diag([PENALTY] * (width - 1) + [0.0])  # the constant is free
    grams, sums = [], []
    for part, own in zip(parts, weights or repeat(None), strict=False):
        # parts are small enough for the cache, which the products of all pairs of features are not
        features = both[part]
        weighted = features if own is None else features * own[:, None]
        grams.append(weighted.T @ features)
        sums.append(signs[part] @ weighted)
    gram, moments = np.stack(grams), np.stack(sums)
    own_columns = [slice(model * width, (model + 1) * width) for model in range(n_models)]
    found = [
        np.linalg.solve(gram[:, own, own].astype(np.float64) + penalty, moments[:, own, None])[..., 0]
        for own in own_columns
    ]
    return np.stack(found).astype(np.float32)


def matthews(counts: np.ndarray) -> np.ndarray:
    """(…) from (…, 4) numbers of true and false positives, false and true negatives; 0 where it is undefined."""
    hits, false, missed, rest = np.moveaxis(counts, -1, 0)
    product = (hits + false) * (hits + missed) * (rest + false) * (rest + missed)
    return np.where(
        product > 0, (hits * rest - false * missed) / np.sqrt(np.where(product > 0, product, 1)), 0.0
    )


def balanced_matthews(right: np.ndarray, wrong: np.ndarray) -> np.ndarray:
    """The same for classes of equal weight, from the shares of each that were called positive."""
    spread = (right + wrong) * (2 - right - wrong)
    return np.where(spread > 0, (right - wrong) / np.sqrt(np.where(spread > 0, spread, 1)), 0.0)
