"""The bootstrap over texts of out-of-fold predictions, and the metrics of many confusion matrices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentflow.probing.fold import confusion, published_metric
from sentflow.stats.items import OutOfFold, item_interval, item_replicates, metric_values, resampling_units

N_ROWS, REPETITIONS = 60, 3


def labels_of(n_classes: int, n: int = N_ROWS) -> np.ndarray:
    return np.arange(n) % n_classes


def predictions_of(labels: np.ndarray, *, right: float, seed: int, missing: int = 0) -> OutOfFold:
    """Every repetition tests all rows but `missing` ones, and is right with a given probability."""
    rng = np.random.default_rng(seed)
    columns = {name: [] for name in ("repetition", "fold", "row", "predicted")}
    for repetition in range(1, REPETITIONS + 1):
        rows = np.sort(rng.permutation(len(labels))[missing:])
        wrong = rng.random(len(rows)) >= right
        columns["repetition"].append(np.full(len(rows), repetition))
        columns["fold"].append(rng.integers(1, 6, len(rows)))
        columns["row"].append(rows)
        columns["predicted"].append((labels[rows] + wrong) % (labels.max() + 1))
    arrays = {name: np.concatenate(parts) for name, parts in columns.items()}
    return OutOfFold(**arrays, truth=labels[arrays["row"]])


def replicates_by_the_book(predictions, labels, drawn_rows, *, metric, n_classes):
    """Draw the rows, put all their predictions of a repetition together, compute the published metric, average."""
    values = []
    for repetition in np.unique(predictions.repetition):
        own = predictions.repetition == repetition
        predicted = dict(zip(predictions.row[own].tolist(), predictions.predicted[own].tolist(), strict=True))
        rows = [row for row in drawn_rows.tolist() if row in predicted]
        guess = np.array([predicted[row] for row in rows])
        values.append(published_metric(metric, labels[rows], guess, n_classes=n_classes, clip=False))
    return float(np.mean(values))


CASES = pytest.mark.parametrize(("metric", "n_classes"), [("mcc", 2), ("adjusted_macro_f1", 3)])


@CASES
@pytest.mark.parametrize("grouped", [False, True])
def test_replicates_are_those_of_drawn_rows(metric, n_classes, grouped):
    """The same draws, one row after the other."""
    labels = labels_of(n_classes)
    groups = [f"document {row // 4}" for row in range(N_ROWS)] if grouped else [None] * N_ROWS
    units = resampling_units(labels, groups)
    predictions = predictions_of(labels, right=0.6, seed=2, missing=7)
    found = item_replicates([predictions], units, metric=metric, n_classes=n_classes, n_resamples=4, seed=5)[
        1:, 0
    ]
    generator = np.random.default_rng(5)
    drawn = [generator.integers(0, len(members), (4, len(members))) for members in units.strata]
    for resample in range(4):
        chosen = np.concatenate(
            [members[own[resample]] for members, own in zip(units.strata, drawn, strict=True)]
        )
        rows = np.concatenate([np.flatnonzero(units.of_row == unit) for unit in chosen])
        expected = replicates_by_the_book(predictions, labels, rows, metric=metric, n_classes=n_classes)
        assert found[resample] == pytest.approx(expected, abs=1e-6)


def test_encoders_are_drawn_together():
    """A second encoder changes nothing, and one compared with itself never differs."""
    labels = labels_of(2)
    units = resampling_units(labels, [None] * N_ROWS)
    first, second = (predictions_of(labels, right=share, seed=3) for share in (0.9, 0.6))
    arguments = {"metric": "mcc", "n_classes": 2, "n_resamples": 50, "seed": 1}
    both = item_replicates([first, second, first], units, **arguments)
    assert np.array_equal(both[:, 0], item_replicates([first], units, **arguments)[:, 0])
    assert np.array_equal(both[:, 0], both[:, 2])
    assert np.ptp(both[:, 0] - both[:, 1]) > 0


def test_documents_are_drawn_where_rows_share_them():
    labels = np.array([0, 0, 1, 1, 0])
    units = resampling_units(labels, ["a", "a", "b", None, None])
    assert units.of_row.tolist() == [0, 0, 1, 2, 3]
    assert units.grouped
    assert [members.tolist() for members in units.strata] == [[0, 3], [1, 2]]


def test_documents_of_several_classes_are_drawn_together():
    units = resampling_units(np.array([0, 1, 1]), ["a", "a", "b"])
    assert [members.tolist() for members in units.strata] == [[0, 1]]


@settings(max_examples=60)
@given(st.integers(2, 5).flatmap(lambda k: st.lists(st.integers(0, 30), min_size=k * k, max_size=k * k)))
def test_metrics_are_the_published_ones(cells):
    n_classes = round(len(cells) ** 0.5)
    counts = np.array(cells).reshape(n_classes, n_classes)
    if counts.sum() == 0:
        return
    truth, predicted = (np.repeat(index.ravel(), cells) for index in np.indices((n_classes, n_classes)))
    assert np.array_equal(confusion(truth, predicted, n_classes=n_classes), counts)
    for name in ("mcc", "adjusted_macro_f1"):
        expected = published_metric(name, truth, predicted, n_classes=n_classes, clip=False)
        assert metric_values(name, counts[None, None])[0, 0] == pytest.approx(expected, abs=1e-5)


def test_shared_documents_widen_the_interval():
    """Copies of a text are not new evidence."""
    labels = labels_of(2, 40)
    rng = np.random.default_rng(6)
    guess = np.where(rng.random(40) < 0.75, labels, 1 - labels)
    rows = np.arange(400)
    predictions = OutOfFold(np.ones(400, int), np.ones(400, int), rows, labels[rows % 40], guess[rows % 40])
    arguments = {"metric": "mcc", "n_classes": 2, "level": 0.95, "n_resamples": 500, "seed": 1}
    alone = item_interval(predictions, resampling_units(labels[rows % 40], [None] * 400), **arguments)
    shared = item_interval(
        predictions, resampling_units(labels[rows % 40], [str(row % 40) for row in rows]), **arguments
    )
    assert alone.mean == shared.mean
    assert shared.grouped and not alone.grouped
    assert (shared.high - shared.low) / (alone.high - alone.low) == pytest.approx(10**0.5, rel=0.2)
