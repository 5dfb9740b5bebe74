"""Sparse features give what the same features give when they are filled in."""

import numpy as np
import pytest
from probe_contract import assert_same_folds
from scipy.sparse import csr_array, random_array

from sentflow.probing.features import standardised, standardised_sparse
from sentflow.probing.fold import ProbeDesign
from sentflow.probing.rows import pair_features
from sentflow.probing.settings import PUBLISHED, Switches
from sentflow.probing.training import train_folds


class Source:
    """Features of all rows, of which each fold gets its own."""

    def __init__(self, features):
        self.features = features

    def parts(self, plan):
        return tuple(self.features[rows] for rows in (plan.train, plan.evaluation, plan.test))


def folds(features, labels, *, hidden=None, batch_size=128, **switches):
    protocol = PUBLISHED.but(
        repetitions=1, max_epochs=30, batch_size=batch_size, switches=Switches(**switches)
    )
    n_classes = len(np.unique(labels))
    metric = "mcc" if n_classes == 2 else "adjusted_macro_f1"
    return list(train_folds(Source(features), labels, ProbeDesign(metric, n_classes, hidden, protocol)))


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


@pytest.mark.parametrize(
    ("n_classes", "paired", "changes"),
    [
        (2, False, {"batch_size": 19}),
        (3, False, {"const_features": "unscaled"}),
        (3, True, {"const_features": "divide"}),
    ],
)
def test_logistic_probes_are_those_of_the_dense_features(n_classes, paired, changes):
    features, labels = words_of_classes(n_classes)
    if paired:
        features = pair_features(features, features[::-1])
    assert_same_folds(folds(features, labels, **changes), folds(features.toarray(), labels, **changes))


# with rare words most columns are 0 in all rows of a batch
@pytest.mark.parametrize(("often", "paired"), [(0.05, False), (0.005, True)])
def test_mlp_probes_are_those_of_the_dense_features(often, paired):
    features, labels = words_of_classes(2, often=often, width=int(4.5 / often))
    if paired:
        features = pair_features(features, features[::-1])
    assert_same_folds(folds(features, labels, hidden=16), folds(features.toarray(), labels, hidden=16))


@pytest.mark.parametrize("unscaled_constant", [False, True])
@pytest.mark.parametrize("ones", [False, True])
def test_standardised_features_are_the_dense_ones(ones, unscaled_constant):
    parts = [random_array((n, 30), density=0.1, rng=np.random.default_rng(n)).toarray() for n in (50, 20, 25)]
    parts[0][:, 0], parts[0][:, 1] = 0, 0.25  # constant on the training part
    parts = [part.astype(np.float32) for part in parts]
    filled = standardised(parts, ones=ones, unscaled_constant=unscaled_constant)
    ours = standardised_sparse(list(map(csr_array, parts)), ones=ones, unscaled_constant=unscaled_constant)
    assert abs(filled[2]).max() > 1e9 or unscaled_constant  # the published division by 1e-12 is in this test
    for part, expected in zip(ours, filled, strict=True):
        np.testing.assert_allclose(part.matrix.toarray() - part.shift, expected, rtol=1e-6, atol=1e-6)
