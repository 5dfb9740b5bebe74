"""Sparse features give what the same features give when they are filled in."""

from dataclasses import replace

import numpy as np
import pytest
from probe_contract import assert_same_folds
from scipy.sparse import csr_array, random_array

from sentflow.probing.features.rows import pair_features
from sentflow.probing.kernels.columns import equal_columns, joined
from sentflow.probing.kernels.sparse import standardised_sparse
from sentflow.probing.protocol.design import ProbeDesign
from sentflow.probing.protocol.settings import PUBLISHED
from sentflow.probing.protocol.switches import Switches
from sentflow.probing.training.folds import train_folds
from sentflow.probing.training.standardise import standardised


def sparse(rows, columns, *, density=0.1, seed=0):
    matrix = random_array((rows, columns), density=density, rng=np.random.default_rng(seed))
    return csr_array(matrix, dtype=np.float32)


def dense(part):
    """The numbers that a `ShiftedSparse` stands for."""
    return part.matrix.toarray() - part.shift


def odd_parts():
    """Parts whose first three columns are, on the training part: zero; constant; constant at 0 with stored zeros."""
    parts = [sparse(rows, 30, seed=seed).tolil() for seed, rows in enumerate([50, 20, 25])]
    parts[0][:, 0] = 0
    parts[0][:, 1] = 0.25
    parts = [csr_array(part) for part in parts]
    values = parts[0].toarray()
    stored_zero = csr_array((np.zeros(50, np.float32), (np.arange(50), np.full(50, 2))), shape=(50, 30))
    values[:, 2] = 0
    parts[0] = csr_array(values)
    parts[0].indices, parts[0].data, parts[0].indptr = with_entries(parts[0], stored_zero)
    return parts


def with_entries(matrix, more):
    """Both matrices' entries in one, zeros included."""
    rows = [
        np.concatenate([matrix.indices[slice(*matrix.indptr[r : r + 2])], more[[r]].indices])
        for r in range(50)
    ]
    data = [
        np.concatenate([matrix.data[slice(*matrix.indptr[r : r + 2])], more[[r]].data]) for r in range(50)
    ]
    starts = np.cumsum([0, *map(len, rows)])
    return np.concatenate(rows), np.concatenate(data), starts


@pytest.mark.parametrize("unscaled_constant", [False, True])
@pytest.mark.parametrize("ones", [False, True])
def test_standardised_features_are_the_dense_ones(ones, unscaled_constant):
    parts = odd_parts()
    filled = standardised([part.toarray() for part in parts], ones=ones, unscaled_constant=unscaled_constant)
    ours = standardised_sparse(parts, ones=ones, unscaled_constant=unscaled_constant)
    assert abs(filled[2]).max() > 1e9 or unscaled_constant  # the published division by 1e-12 is in this test
    for part, expected in zip(ours, filled, strict=True):
        np.testing.assert_allclose(dense(part), expected, rtol=1e-6, atol=1e-6)


def test_what_comes_in_is_left_as_it_is():
    parts = odd_parts()
    before = [(part.data.copy(), part.indices.copy()) for part in parts]
    standardised_sparse(parts, ones=True)
    for part, (data, indices) in zip(parts, before, strict=True):
        np.testing.assert_array_equal(part.data, data)
        np.testing.assert_array_equal(part.indices, indices)


def apart(rows):
    """Two matrices that share no column, as two texts that share no word: |a − b| has the columns of both."""
    even = (np.arange(40) % 2 == 0).astype(np.float32)
    return csr_array(sparse(rows, 40) * even), csr_array(sparse(rows, 40, seed=1) * (1 - even))


def test_equal_columns_are_joined():
    parts = standardised_sparse([pair_features(*apart(60))], ones=True)
    groups = equal_columns(parts[0])
    filled = dense(parts[0])
    assert sorted(groups.multiplicity) == [1] + [2] * 40  # the column of ones, and each word with its |a − b|
    for group in range(41):
        columns = filled[:, groups.group == group]
        assert (columns == columns[:, :1]).all()
    assert not filled[:, groups.group == 41].any()


def test_joined_parts_are_sums_of_columns():
    first, second = apart(60)
    train, test = (pair_features(first[rows], second[rows]) for rows in (slice(40), slice(40, 60)))
    initial = np.random.default_rng(2).normal(size=161).astype(np.float32)
    ours = joined(*split(standardised_sparse([train, test], ones=True)), initial, first_width=1)
    filled = joined(
        *split(standardised([train.toarray(), test.toarray()], ones=True)), initial, first_width=1
    )
    for (part, offset), (expected, expected_offset) in zip(ours.others, filled.others, strict=True):
        assert part.shape[1] < 161
        np.testing.assert_allclose(dense(part).sum(axis=1), expected.sum(axis=1), rtol=1e-4)
        np.testing.assert_allclose(offset, expected_offset, rtol=1e-4, atol=1e-4)


def split(parts):
    return parts[0], parts[1:]


class Source:
    """Features of all rows, of which each fold gets its own."""

    def __init__(self, features):
        self.features = features

    def parts(self, plan):
        return tuple(self.features[rows] for rows in (plan.train, plan.evaluation, plan.test))


def folds(features, labels, *, hidden=None, device="cpu", **switches):
    protocol = replace(PUBLISHED, repetitions=1, max_epochs=30, switches=Switches(**switches))
    n_classes = len(np.unique(labels))
    metric = "mcc" if n_classes == 2 else "adjusted_macro_f1"
    return list(
        train_folds(Source(features), labels, ProbeDesign(metric, n_classes, hidden, protocol, device=device))
    )


def words_of_classes(n_classes, *, rows=600, width=90, often=0.05):
    """Counts of words, some of them the more frequent in one class, and the classes."""
    rng = np.random.default_rng(3)
    labels = np.arange(rows) % n_classes
    rates = np.full((n_classes, width), often)
    for label in range(n_classes):
        rates[label, label::n_classes] = 2.4 * often
    counts = rng.poisson(rates[labels]).astype(np.float32)
    counts[:, -3:] *= rng.random((rows, 3)) < 0.02  # rare: absent from some training parts
    return csr_array(counts), labels.astype(np.int64)


@pytest.mark.parametrize("const_features", ["divide", "unscaled"])
@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_logistic_probes_are_those_of_the_dense_features(n_classes, paired, const_features):
    features, labels = words_of_classes(n_classes)
    if paired:
        features = pair_features(features, features[::-1])
    dense_folds = folds(features.toarray(), labels, const_features=const_features)
    assert_same_folds(folds(features, labels, const_features=const_features), dense_folds)


@pytest.mark.parametrize("often", [0.05, 0.002])  # with rare words most columns are 0 in all rows of a batch
@pytest.mark.parametrize("paired", [False, True])
def test_mlp_probes_are_those_of_the_dense_features(often, paired):
    features, labels = words_of_classes(2, often=often, width=int(4.5 / often))
    if paired:
        features = pair_features(features, features[::-1])
    assert_same_folds(folds(features, labels, hidden=16), folds(features.toarray(), labels, hidden=16))


def test_an_accelerator_gets_them_filled_in():
    features, labels = words_of_classes(2)
    ours = folds(features, labels, device="cpu:0")  # the accelerator's path, on the processor
    assert_same_folds(ours, folds(features.toarray(), labels, device="cpu:0"))


def test_an_empty_row_is_like_any_other():
    features, labels = words_of_classes(2)
    values = features.toarray()
    values[::7] = 0
    assert_same_folds(folds(csr_array(values), labels), folds(values, labels))
