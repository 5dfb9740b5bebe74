"""Regularised probes need every class in the part that they are trained on."""

import numpy as np
import pytest

import sentflow
from sentflow.errors import DataError
from sentflow.probing.protocol.design import ProbeDesign
from sentflow.probing.protocol.draws import FoldPlan
from sentflow.probing.training.regularised import train_fold


@pytest.mark.parametrize("classes", [2, 3])
def test_a_training_part_without_a_class_is_refused(classes):
    labels = np.arange(60) % classes
    rows = np.arange(40)
    plan = FoldPlan(1, 2, rows[labels[:40] != 1], np.arange(40, 50), np.arange(50, 60), 0, 0)
    features = np.random.default_rng(0).normal(size=(60, 4)).astype(np.float32)
    parts = [features[rows] for rows in (plan.train, plan.evaluation, plan.test)]
    design = ProbeDesign("mcc", classes, None, sentflow.probe_protocol("regularised"))
    with pytest.raises(DataError, match=r"repetition 1, fold 2: the training part has no row of class 1 "):
        train_fold(plan, parts, labels, design)
