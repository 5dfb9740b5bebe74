"""Regularised probes: logistic regression to its optimum; the evaluation part chooses its penalty and the scaling.

The published probe has one weight decay for all widths of features, and stops early instead.
"""

import logging
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array, vstack
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from sentflow.errors import DataError
from sentflow.probing.draws import FoldPlan
from sentflow.probing.features import SelectedRows
from sentflow.probing.fold import FinalRun, Fold, FoldResult, ProbeDesign, part_loss
from sentflow.probing.settings import Penalty

if TYPE_CHECKING:
    from sentflow.probing.training import FeaturePart

logger = logging.getLogger(__name__)

_TOLERANCE = 1e-4  # of the greatest derivative of the mean loss, for rows of a mean squared length of 1
_STEPS = 500
_CONSTANT = 1e-12  # of the square of its mean: the variance of a column below this is rounding


def train_fold(
    plan: FoldPlan, parts: "Sequence[FeaturePart]", labels: np.ndarray, design: ProbeDesign
) -> FoldResult:
    """Choose penalty and scaling on the evaluation part, fit once more with its rows, test once.

    Each scaling is fitted from the strongest penalty to the weakest; the first best evaluation metric wins. Means,
    scales and weights of the test are then those of the training and the evaluation part together.
    """
    fold = Fold(plan, labels, design)
    if lacking := sorted({*range(design.n_classes)} - {*fold.train_labels.tolist()}):
        raise DataError(
            f"repetition {plan.repetition}, fold {plan.fold}: the training part has no row of class {lacking[0]} "
            f"(classes are counted from 0; there are {design.n_classes}). Regularised probes need a row of every class "
            "there. Add rows or documents of the class, write fewer folds, or write protocol: corrected at the task."
        )
    train, evaluation, test = (_matrix(part) for part in parts)
    metrics: list[float] = []
    tried: list[tuple[Penalty, np.ndarray, float]] = []
    for scaling in design.protocol.scalings:
        scaled, others = _scaled(train, [evaluation], scaling)
        for penalty, model in _path(scaled, fold.train_labels, design.protocol.penalties):
            logits = _logits(model, others[0])
            metrics += fold.metrics(logits[None], fold.evaluation_labels)
            tried.append(
                (Penalty(penalty, scaling), logits, part_loss(_logits(model, scaled), fold.train_labels))
            )
    chosen, logits, train_loss = tried[int(np.argmax(metrics))]  # argmax gives the first of equals
    run = FinalRun(fold, chosen)
    run.after(logits)
    known = (
        np.concatenate([train, evaluation]) if isinstance(train, np.ndarray) else vstack([train, evaluation])
    )
    scaled, others = _scaled(known, [test], chosen.scaling)
    known_labels = np.concatenate([fold.train_labels, fold.evaluation_labels])
    [(_, model)] = _path(scaled, known_labels, [chosen.penalty])
    return run.result(_logits(model, others[0]), train_losses=[train_loss], dimension=train.shape[1])


def _path(features: Any, labels: np.ndarray, penalties: Sequence[float]) -> Iterator[tuple[float, Any]]:
    """The optimum of each penalty; each search starts at the one before, and the model is the same object."""
    model = LogisticRegression(tol=_TOLERANCE, max_iter=_STEPS, warm_start=True)
    for penalty in penalties:
        # scikit-learn minimises C · sum of losses + 1/2 · squared norm
        model.set_params(C=1 / (len(labels) * penalty))
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", ConvergenceWarning)
            model.fit(features, labels)
        if told:
            logger.info("penalty %g: the search ended after %d steps, before its tolerance", penalty, _STEPS)
        yield penalty, model


def _logits(model: Any, features: Any) -> np.ndarray:
    """(m, outputs) float64."""
    found = np.asarray(model.decision_function(features))
    return found[:, None] if found.ndim == 1 else found


def _matrix(part: "FeaturePart") -> Any:
    """(m, D) float64: an array, or compressed rows where the part is sparse."""
    if isinstance(part, SelectedRows):
        rows = np.empty(part.shape)
        part.write_to(rows)
        return rows
    return part.astype(np.float64)


def _scaled(first: Any, others: Sequence[Any], scaling: str) -> tuple[Any, list[Any]]:
    """Parts on the scale of the first, whose rows have a mean squared length of 1; dense columns are centred."""
    dense = isinstance(first, np.ndarray)
    centre = first.mean(axis=0) if dense else 0.0
    squares = np.square(first - centre).mean(axis=0) if dense else np.asarray((first**2).mean(axis=0)).ravel()
    squares[squares < _CONSTANT * centre**2] = 0
    if scaling == "columns":
        divisors = np.sqrt(np.where(squares > 0, squares, 1) * max(1, np.count_nonzero(squares)))
    else:
        divisors = np.full(len(squares), np.sqrt(squares.sum() or 1.0))
    if dense:
        scaled, *rest = [(part - centre) / divisors for part in (first, *others)]
        return scaled, rest
    scaled, *rest = [csr_array(part.multiply(1 / divisors)) for part in (first, *others)]
    return scaled, rest
