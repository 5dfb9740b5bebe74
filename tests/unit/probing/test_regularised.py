"""Regularised probes: the optimum that they promise, the folds of other protocols, what does not matter to them."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import log_softmax

import sentflow
from sentflow.errors import DataError
from sentflow.probing import cross_validate
from sentflow.probing.draws import FoldPlan, plan_folds
from sentflow.probing.fold import ProbeDesign
from sentflow.probing.settings import Penalty
from sentflow.probing.training import FixedFeatures, MadeParts, train_planned

PROTOCOL = sentflow.probe_protocol({"like": "regularised", "training": {"repetitions": 1, "folds": 3}})


def drawn(n=240, width=12, classes=2, noise=0, seed=0):
    """Features of different scales, and labels that the first four columns tell, but for noise."""
    draws = np.random.default_rng(seed)
    labels = np.arange(n) % classes
    features = draws.normal(size=(n, width + noise))
    features[:, :4] += draws.normal(size=(classes, 4))[labels]
    return (features * draws.uniform(0.1, 10, size=width + noise) + 3).astype(np.float32), labels


def folds_of(features, labels, metric="mcc", **changes):
    protocol = sentflow.probe_protocol(
        {"like": "regularised", "training": {"repetitions": 1, "folds": 3, **changes}}
    )
    return cross_validate(features, labels, metric=metric, protocol=protocol)


@pytest.mark.parametrize("scaling", ["one", "columns"])
@pytest.mark.parametrize("classes", [2, 3])
def test_weights_are_the_optimum_of_the_definition(scaling, classes):
    features, labels = drawn(classes=classes)
    found = folds_of(features, labels, "adjusted_macro_f1", penalties=[1e-2], scalings=[scaling])
    fold = found.folds[0]
    assert fold.setting == Penalty(1e-2, scaling)
    [plan] = plan_folds(labels, PROTOCOL, wanted={(1, 1)})
    known = np.concatenate([plan.train, plan.evaluation])
    x = features.astype(np.float64) - features[known].mean(axis=0, dtype=np.float64)
    x /= x[known].std(axis=0) if scaling == "columns" else 1
    x /= np.sqrt((x[known] ** 2).sum(axis=1).mean())
    own = np.eye(classes)[labels]

    def objective(values):
        weights, bias = values[:-classes].reshape(-1, classes), values[-classes:]
        losses = -(log_softmax(x[known] @ weights + bias, axis=1) * own[known]).sum(axis=1)
        # two classes: scikit-learn has the difference of both rows, whose squared norm is twice their sum's
        return losses.mean() + 1e-2 / 2 * (weights**2).sum() * (2 if classes == 2 else 1)

    values = minimize(objective, np.zeros((x.shape[1] + 1) * classes), tol=1e-10).x
    scores = log_softmax(x[plan.test] @ values[:-classes].reshape(-1, classes) + values[-classes:], axis=1)
    assert (fold.predicted == scores.argmax(axis=1)).mean() > 0.98
    expected = -scores[np.arange(len(plan.test)), labels[plan.test]].mean()
    assert fold.test_loss == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize("scaling", ["one", "columns"])
def test_sparse_features_stay_sparse_and_are_not_centred(scaling, monkeypatch):
    draws = np.random.default_rng(1)
    features = np.where(draws.random((150, 30)) < 0.2, draws.random((150, 30)), 0).astype(np.float32)
    labels = (features[:, 0] + features[:, 1] > 0.1).astype(np.int64)
    protocol = sentflow.probe_protocol(
        {
            "like": "regularised",
            "training": {"repetitions": 1, "folds": 3, "penalties": [1e-3], "scalings": [scaling]},
        }
    )
    design = ProbeDesign("mcc", 2, None, protocol)
    [plan] = plan_folds(labels, protocol, wanted={(1, 1)})
    sparse = tuple(csr_array(features[rows]) for rows in (plan.train, plan.evaluation, plan.test))
    monkeypatch.setattr(csr_array, "toarray", None)
    monkeypatch.setattr(csr_array, "todense", None)
    [found] = train_planned(MadeParts(sparse), labels, [plan], design)

    assert found.test_metric > 0.6
    assert found.dimension == 30
    [dense] = train_planned(FixedFeatures(features), labels, [plan], design)
    assert found.test_loss != dense.test_loss


def test_a_hidden_layer_is_refused_and_the_classifier_is_told(caplog):
    features, labels = drawn(n=90)
    with pytest.raises(ValueError, match="no hidden layer"):
        cross_validate(features, labels, metric="mcc", protocol=PROTOCOL, hidden=256)
    folds_of(features, labels)
    assert "classifier regularised (published: logistic)" in caplog.text
    settings = folds_of(features, labels).settings
    assert [*settings] == ["repetition", "fold", "penalty", "scaling", "epochs"]


@pytest.mark.parametrize("classes", [2, 3])
def test_a_training_part_without_a_class_is_refused(classes):
    features, labels = drawn(n=60, classes=classes)
    rows = np.arange(40)
    plan = FoldPlan(1, 2, rows[labels[:40] != 1], np.arange(40, 50), np.arange(50, 60), 0, 0)
    folds = train_planned(
        FixedFeatures(features), labels, [plan], ProbeDesign("mcc", classes, None, PROTOCOL)
    )
    with pytest.raises(DataError, match=r"repetition 1, fold 2.* class 1 "):
        next(folds)
