"""Cross-validated probes on made-up data whose true score is known, many data sets at a time.

Two classes of normal vectors in 20 dimensions; a ridge probe on the folds of the published protocol (10 × 5, 64 % of
the rows to train on, 20 % to test); Matthews correlation, not cut at 0. Encoders are noisy views of one world, so
that their scores are paired as those of real encoders are.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from sentflow.probing.draws import plan_folds
from sentflow.probing.settings import PUBLISHED
from sentflow.stats.items import OutOfFold

DIMENSION = 20
PENALTY = 1.0
SHARED = 0.5  # of the noise of all encoders
SETS_PER_PLAN = 10  # data sets that share one deal of the folds


@dataclass(frozen=True)
class World:
    """A population of texts and its encoders.

    Attributes
    ----------
    n_rows
        Texts of a data set.
    separations
        Per encoder the distance of its class means in standard deviations.
    one_in
        Of so many texts one is of class 1.
    """

    n_rows: int
    separations: tuple[float, ...]
    one_in: int = 2


@dataclass(frozen=True)
class Sample:
    """One data set and what its cross-validation gave.

    Attributes
    ----------
    labels
        (n,) int64.
    scores
        (50, M) float64 test scores of M encoders.
    predictions
        Of each encoder.
    """

    labels: np.ndarray
    scores: np.ndarray
    predictions: list[OutOfFold]


def true_scores(world: World, *, n_sets: int, seed: int) -> np.ndarray:
    """(M,) expected score of a probe that is trained on 64 % of n rows and tested on the whole population."""
    generator = np.random.default_rng(seed)
    n_train = round(0.64 * world.n_rows)
    signs = np.where(np.arange(n_train) % 2 == 0, 1.0, -1.0)
    found = []
    for separation in world.separations:
        scores = []
        for _ in range(0, n_sets, 50):
            features = _features(generator, signs, (separation,), n_sets=50)[:, 0]
            weights = _solve(features.swapaxes(1, 2) @ features, signs @ features)
            length = np.linalg.norm(weights[:, :-1], axis=1)
            shift = weights[:, 0] * separation / 2
            right, wrong = (ndtr((weights[:, -1] + side * shift) / length) for side in (1, -1))
            scores.append((right - wrong) / np.sqrt((right + wrong) * (2 - right - wrong)))
        found.append(np.concatenate(scores).mean())
    return np.array(found)


def samples(world: World, *, n_sets: int, seed: int) -> Iterator[Sample]:
    """Cross-validations of `n_sets` independent data sets."""
    generator = np.random.default_rng(seed)
    labels = (np.arange(world.n_rows) % world.one_in == 1).astype(np.int64)
    signs = np.where(labels == 1, 1.0, -1.0)
    for plan_seed in itertools.count(seed):
        plans = list(plan_folds(labels, PUBLISHED.but(seed=plan_seed)))
        train, test = (
            _masks(world.n_rows, [getattr(plan, part) for plan in plans]) for part in ("train", "test")
        )
        for _ in range(min(SETS_PER_PLAN, n_sets)):
            features = _features(generator, signs, world.separations, n_sets=1)[0]
            positive = features @ _ridge(features, signs, train).swapaxes(1, 2) > 0
            yield _sample(labels, positive, test)
        n_sets -= SETS_PER_PLAN
        if n_sets <= 0:
            return


def _features(
    generator: np.random.Generator, signs: np.ndarray, separations: tuple[float, ...], *, n_sets: int
) -> np.ndarray:
    """(sets, M, n, DIMENSION + 1): the classes differ in the first column, the last is 1."""
    shape = (n_sets, len(signs), DIMENSION)
    shared = generator.standard_normal(shape)
    found = np.ones((n_sets, len(separations), len(signs), DIMENSION + 1))
    for model, separation in enumerate(separations):
        own = generator.standard_normal(shape)
        found[:, model, :, :-1] = np.sqrt(SHARED) * shared + np.sqrt(1 - SHARED) * own
        found[:, model, :, 0] += signs * separation / 2
    return found


def _ridge(features: np.ndarray, signs: np.ndarray, train: np.ndarray) -> np.ndarray:
    """(M, folds, D) weights of the probes of each fold, from (M, n, D) features and (folds, n) training masks."""
    n_models, n, width = features.shape
    products = (features[:, :, :, None] * features[:, :, None, :]).reshape(n_models, n, width * width)
    gram = (train @ products).reshape(n_models, len(train), width, width)
    return _solve(gram, train @ (features * signs[:, None]))


def _solve(gram: np.ndarray, right: np.ndarray) -> np.ndarray:
    penalty = np.diag([PENALTY] * DIMENSION + [0.0])  # the constant is free
    return np.linalg.solve(gram + penalty, right[..., None])[..., 0]


def _masks(n: int, rows_of_folds: list[np.ndarray]) -> np.ndarray:
    masks = np.zeros((len(rows_of_folds), n))
    for fold, rows in enumerate(rows_of_folds):
        masks[fold, rows] = 1
    return masks


def _sample(labels: np.ndarray, positive: np.ndarray, test: np.ndarray) -> Sample:
    """Scores and predictions from (M, n, folds) answers."""
    positive = positive.swapaxes(1, 2)
    tested, truth = test.astype(bool), labels == 1
    hits = (positive & tested & truth).sum(axis=2).astype(np.float64)
    false = (positive & tested & ~truth).sum(axis=2).astype(np.float64)
    n_positive, n = (tested & truth).sum(axis=1), tested.sum(axis=1)
    predicted = hits + false
    covariance = hits * (n - n_positive) - false * n_positive
    variances = predicted * (n - predicted) * n_positive * (n - n_positive)
    scores = np.where(variances > 0, covariance / np.sqrt(np.where(variances > 0, variances, 1.0)), 0.0)
    fold, row = np.nonzero(tested)
    predictions = [
        OutOfFold(
            repetition=fold // PUBLISHED.folds + 1,
            fold=fold % PUBLISHED.folds + 1,
            row=row,
            truth=labels[row],
            predicted=own[fold, row].astype(np.int64),
        )
        for own in positive
    ]
    return Sample(labels, scores.T, predictions)
