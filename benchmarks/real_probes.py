"""Fast probes on samples of a real task: ridge regression on a few principal components, on the folds of the protocol.

The task is the population. A sample of its documents, or of its rows, is cross-validated as the pipeline does it; what
was left out says how good the probes of the folds are for new documents, or for new rows.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sentflow.probing.features.embedded import embedded_rows
from sentflow.probing.protocol.draws import FoldPlan, UngroupableError, plan_folds
from sentflow.probing.protocol.settings import PUBLISHED
from sentflow.texts.collection import read_collection
from sentflow.texts.table import read_task

PENALTY = 1.0
COMPONENTS = 24  # of each encoder


@dataclass(frozen=True)
class RealTask:
    """A population of texts and its encoders.

    Attributes
    ----------
    features
        (M, n, COMPONENTS + 1) float64: the last column is 1.
    labels
        (n,) int64, two classes.
    documents
        (n,) int64, from 0.
    """

    features: np.ndarray
    labels: np.ndarray
    documents: np.ndarray


@dataclass(frozen=True)
class CrossValidated:
    """What the folds of one sample gave.

    Attributes
    ----------
    scores, outside
        (J, M) Matthews correlation of each fold's probes, on its test part and on what was left out of the sample,
        there with classes of equal weight.
    counts
        (repetitions, documents, M, 4) float64 true and false positives, false and true negatives of the test parts.
    """

    scores: np.ndarray
    outside: np.ndarray
    counts: np.ndarray


def real_task(results: Path, task: str, dataset: str, model: str) -> RealTask:
    """A task of a results folder. Its encoders are the two halves of a vector: the even and the odd columns."""
    table = read_task(results / f"data/tasks/{task}.parquet")
    texts = read_collection(results / f"data/texts/{dataset}.parquet")
    embeddings = results / f"embeddings/{model}/{dataset}.npy"
    vectors = embedded_rows(table, embeddings, embeddings.with_suffix(".json"), texts).astype(np.float64)
    _, documents = np.unique([str(name) for name in table.groups], return_inverse=True)
    halves = [_components(vectors[:, half::2]) for half in range(2)]
    return RealTask(np.stack(halves), table.labels, documents)


def _components(vectors: np.ndarray) -> np.ndarray:
    """(n, COMPONENTS + 1): the first principal components, each of variance 1, and 1."""
    left, _, _ = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    return np.column_stack([left[:, :COMPONENTS] * np.sqrt(len(vectors)), np.ones(len(vectors))])


def cross_validated(task: RealTask, rows: np.ndarray, *, grouped: bool, seed: int) -> CrossValidated | None:
    """10 × 5 folds of some rows; None where their documents cannot be dealt to folds.

    Parameters
    ----------
    rows
        (m,) int64 of the sample; all others are left out.
    grouped
        Whether documents are kept together.
    """
    labels, features = task.labels[rows], task.features[:, rows]
    _, documents = np.unique(task.documents[rows], return_inverse=True)
    protocol = replace(PUBLISHED, seed=seed)
    try:
        plans = list(plan_folds(labels, protocol, groups=documents if grouped else None))
    except UngroupableError:
        return None
    weights = _ridge(features, np.where(labels == 1, 1.0, -1.0), plans)
    left_out = np.setdiff1d(np.arange(len(task.labels)), rows)
    outside = task.features[:, left_out] @ weights.swapaxes(1, 2) > 0
    right, wrong = (outside[:, task.labels[left_out] == label].mean(axis=1) for label in (1, 0))
    counts = np.zeros((protocol.repetitions, documents.max() + 1, len(features), 4))
    scores = np.empty((len(plans), len(features)))
    for fold, plan in enumerate(plans):
        positive = np.einsum("mnd,md->nm", features[:, plan.test], weights[:, fold]) > 0
        own = np.zeros((documents.max() + 1, len(features), 4))
        place = np.where(positive, 0, 2) + (labels[plan.test, None] == 0)
        for model in range(len(features)):
            np.add.at(own, (documents[plan.test], model, place[:, model]), 1)
        counts[plan.repetition - 1] += own
        scores[fold] = matthews(own.sum(axis=0))
    return CrossValidated(scores, _balanced(right, wrong).T, counts)


def matthews(counts: np.ndarray) -> np.ndarray:
    """(…) from (…, 4) numbers of true and false positives, false and true negatives; 0 where it is undefined."""
    hits, false, missed, rest = np.moveaxis(counts, -1, 0)
    product = (hits + false) * (hits + missed) * (rest + false) * (rest + missed)
    return np.where(
        product > 0, (hits * rest - false * missed) / np.sqrt(np.where(product > 0, product, 1)), 0.0
    )


def _balanced(right: np.ndarray, wrong: np.ndarray) -> np.ndarray:
    """The same for classes of equal weight, from shares of each that were called positive."""
    spread = (right + wrong) * (2 - right - wrong)
    return np.where(spread > 0, (right - wrong) / np.sqrt(np.where(spread > 0, spread, 1)), 0.0)


def _ridge(features: np.ndarray, signs: np.ndarray, plans: list[FoldPlan]) -> np.ndarray:
    """(M, J, D) weights of each fold's probe."""
    n_models, n, width = features.shape
    masks = np.zeros((len(plans), n))
    for fold, plan in enumerate(plans):
        masks[fold, plan.train] = 1
    penalty = np.diag([PENALTY] * (width - 1) + [0.0])  # the constant is free
    found = []
    for own in features:
        products = (own[:, :, None] * own[:, None, :]).reshape(n, width * width)
        gram = (masks @ products).reshape(len(plans), width, width) + penalty
        found.append(np.linalg.solve(gram, (masks @ (own * signs[:, None]))[..., None])[..., 0])
    return np.stack(found)
