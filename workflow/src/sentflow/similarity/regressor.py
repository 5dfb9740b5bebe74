"""The relatedness regressor of SentEval: a softmax over five grades on frozen vectors.

facebookresearch/SentEval@1869aaa, ``senteval/tools/relatedness.py`` (training) and ``senteval/sick.py`` (features,
targets, which STS-B shares); its defaults are those of `RegressorSettings`.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch

from sentflow.similarity.measures import pearson, spearman

GRADES = 5
_BETA1, _BETA2, _EPSILON = 0.9, 0.999, 1e-8  # torch.optim.Adam's defaults


@dataclass(frozen=True)
class RegressorSettings:
    """Of the training; the defaults are SentEval's."""

    batch_rows: int = 64  # pairs of a step
    epochs_per_chunk: int = 50  # epochs between two looks at the development part
    max_epochs: int = 1000  # no chunk begins after more epochs than these; one more chunk may be trained
    # patience: looks without a better Pearson, in total, that are let pass; the next one ends training
    patience: int = 3
    learning_rate: float = 1e-3  # of Adam, whose other settings are torch's defaults too; no weight decay


@dataclass(frozen=True)
class Part:
    """Pairs of one split."""

    features: np.ndarray  # (n, 2d) float32, see `pair_features`
    gold: np.ndarray  # (n,) float64 in [0, 5]


@dataclass(frozen=True)
class Regression:
    """What the regressor reaches; NaN where it predicts one value for all."""

    dev_pearson: float  # of the weights that were kept
    pearson: float  # on the test part, as the next
    spearman: float
    mse: float  # in squared grades
    epochs: int  # trained in all; the weights kept may be of an earlier chunk


def pair_features(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(n, 2d) float32: |a − b| beside a · b, element by element, of two (n, d) arrays."""
    return np.concatenate([np.abs(a - b), a * b], axis=1).astype(np.float32)


def soft_targets(gold: np.ndarray) -> np.ndarray:
    """(n, 5) float32 weights of the grades 1 to 5, whose weighted mean is the gold score. ValueError: not in [0, 5].

    3.2 becomes 0.8 of grade 3 and 0.2 of grade 4: Tai, Socher and Manning 2015, section 4.2. A score s below 1 becomes
    s of grade 1 and no more, as in SentEval.
    """
    if len(gold) and (gold.min() < 0 or gold.max() > GRADES):
        raise ValueError(f"gold scores from {gold.min()} to {gold.max()}: the regressor needs 0 to {GRADES}")
    targets = np.zeros((len(gold), GRADES + 2), np.float32)  # with grade 0 and one beyond the last
    lower = np.floor(gold).astype(np.int64)
    rows = np.arange(len(gold))
    targets[rows, lower] = lower + 1 - gold
    targets[rows, lower + 1] = gold - lower
    return targets[:, 1 : GRADES + 1]


def regress(
    train: Part, dev: Part, test: Part, *, seed: int, settings: RegressorSettings | None = None
) -> Regression:
    """Train on one part, stop early on the next, and score the last; one thread, float32.

    The loss is the mean squared difference of softmax and soft targets: SentEval asks for the sum, in a way that torch
    has not heeded since its version 1, and Adam's steps hardly depend on the scale of a loss.
    """
    settings = settings or RegressorSettings()
    with _one_torch_thread():
        training = _Training(train, seed=seed, settings=settings)
        best = -1.0
        kept, kept_dev = None, math.nan
        missed = 0
        while training.epochs <= settings.max_epochs:
            training.chunk()
            reached = pearson(training.predict(dev.features), dev.gold)
            if reached > best:
                best = kept_dev = reached
                kept = training.weights()
            elif missed >= settings.patience:
                break
            else:
                missed += 1
        predicted = training.predict(test.features, kept)
    return Regression(
        dev_pearson=kept_dev,
        pearson=pearson(predicted, test.gold),
        spearman=spearman(predicted, test.gold),
        mse=float(np.mean((predicted - test.gold) ** 2)),
        epochs=training.epochs,
    )


class _Training:
    """The weights, trained by Adam; written out, for autograd takes five times as long as what it computes."""

    def __init__(self, part: Part, *, seed: int, settings: RegressorSettings) -> None:
        self._settings = settings
        self._features = _with_ones(part.features)
        self._targets = torch.from_numpy(soft_targets(part.gold))
        self._batches = np.random.default_rng(seed)
        # a linear layer in the range of torch's own initial values, but not from its global generator
        draws, bound = torch.Generator().manual_seed(seed % 2**63), 1 / math.sqrt(part.features.shape[1])
        self._layer = torch.empty(GRADES, self._features.shape[1]).uniform_(-bound, bound, generator=draws)
        self._first, self._second = torch.zeros_like(self._layer), torch.zeros_like(self._layer)
        self._steps = 0
        self.epochs = 0

    def chunk(self) -> None:
        """Train for the epochs between two looks at the development part."""
        for _ in range(self._settings.epochs_per_chunk):
            order = torch.from_numpy(self._batches.permutation(len(self._features)))
            for rows in torch.split(order, self._settings.batch_rows):
                self._move(self._gradient(self._features[rows], self._targets[rows]))
            self.epochs += 1

    def weights(self) -> torch.Tensor:
        """(5, 2d + 1) a copy of the weights as they are; the bias is the last column."""
        return self._layer.clone()

    def predict(self, features: np.ndarray, weights: torch.Tensor | None = None) -> np.ndarray:
        """(n,) float64 mean grades of (n, 2d) features; of the weights as they are unless told others."""
        shares = _shares(_with_ones(features), self._layer if weights is None else weights)
        return np.asarray(shares.numpy().astype(np.float64) @ np.arange(1, GRADES + 1))

    def _gradient(self, features: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """(5, 2d + 1), of the mean squared difference of shares and targets."""
        shares = _shares(features, self._layer)
        by_share = (shares - targets).mul_(2 / targets.numel())
        # softmax: ds_i/dz_j = s_i (1[i = j] − s_j)
        by_logit = shares.mul_(by_share.sub_((by_share * shares).sum(dim=1, keepdim=True)))
        return by_logit.T @ features

    def _move(self, gradient: torch.Tensor) -> None:
        """A step of Adam: Kingma and Ba 2015, algorithm 1."""
        self._steps += 1
        self._first.lerp_(gradient, 1 - _BETA1)
        self._second.mul_(_BETA2).addcmul_(gradient, gradient, value=1 - _BETA2)
        root = (self._second / (1 - _BETA2**self._steps)).sqrt_().add_(_EPSILON)
        rate = self._settings.learning_rate / (1 - _BETA1**self._steps)
        self._layer.addcdiv_(self._first, root, value=-rate)


def _with_ones(features: np.ndarray) -> torch.Tensor:
    """(n, 2d + 1): features, and a column of ones for the bias."""
    return torch.from_numpy(np.concatenate([features, np.ones((len(features), 1), np.float32)], axis=1))


def _shares(features: torch.Tensor, layer: torch.Tensor) -> torch.Tensor:
    """(n, 5) shares of the grades."""
    return (features @ layer.T).softmax(dim=1)


@contextmanager
def _one_torch_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
