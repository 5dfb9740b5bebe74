import numpy as np
import pytest

from sentflow.probing import features as columns
from sentflow.probing.cross_validation import cross_validate
from sentflow.probing.features import equal_columns


def sparse_features(n: int, width: int) -> np.ndarray:
    """Counts with rare columns, columns of zeros, and pairs of equal columns."""
    generator = np.random.default_rng(5)
    counts = (generator.random((n, width)) < 0.02).astype(np.float32)
    counts[:, :8] = generator.random((n, 8))  # a few that tell the rows apart
    return np.concatenate([counts, counts, np.zeros_like(counts), counts * counts], axis=1)


def test_equal_columns_are_one_group_and_zeros_are_in_none():
    features = np.float32([[1.0, 0.0, 1.0, 2.0], [3.0, 0.0, 3.0, 4.0]])
    groups = equal_columns(features)
    assert groups is not None
    first, zeros, second, last = groups.group.tolist()
    assert (first, second) == (second, first) and {first, last} == {0, 1}
    assert zeros == 2
    assert groups.multiplicity[[first, last]].tolist() == [2, 1]
    # 1 + 5 of the equal ones, 7 by itself; the column of zeros adds to none
    values = np.float32([[1.0, 9.0, 5.0, 7.0]])
    assert groups.sums(values)[:, [first, last]].tolist() == [[6.0, 7.0]]
    assert groups.means(values)[:, [first, last]].tolist() == [[3.0, 7.0]]
    assert groups.deviations(values).tolist() == [[-2.0, 9.0, 2.0, 0.0]]


def test_dense_features_are_left_alone():
    features = np.random.default_rng(1).normal(size=(50, 40)).astype(np.float32)
    assert equal_columns(features) is None


@pytest.mark.parametrize(("hidden", "metric", "n_classes"), [(None, "mcc", 2), (16, "adjusted_macro_f1", 3)])
def test_joining_columns_changes_no_result(monkeypatch, hidden, metric, n_classes):
    n = 230 * n_classes // 2 + 40
    features, labels = sparse_features(n, 60), np.arange(n) % n_classes
    features[:, 0] += labels
    joined = cross_validate(features, labels, metric=metric, hidden=hidden, repetitions=1, folds=5)
    monkeypatch.setattr(columns, "_WORTHWHILE_SHARE", -1.0)
    plain = cross_validate(features, labels, metric=metric, hidden=hidden, repetitions=1, folds=5)
    assert joined.settings.equals(plain.settings)
    for mine, theirs in zip(joined.folds, plain.folds, strict=True):
        assert mine.test_metric == pytest.approx(theirs.test_metric, abs=1e-6)
        np.testing.assert_allclose(mine.train_losses, theirs.train_losses, atol=1e-5)
        np.testing.assert_allclose(mine.evaluation_losses, theirs.evaluation_losses, rtol=1e-4)
        np.testing.assert_array_equal(mine.predicted, theirs.predicted)
