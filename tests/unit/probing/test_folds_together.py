"""Folds trained side by side against each fold alone; on the processor, under a device name that is not "cpu"."""

import numpy as np
import pytest
import torch
from probe_contract import assert_same_folds

from sentflow.errors import ConfigError
from sentflow.probing.accelerator import together as side_by_side
from sentflow.probing.accelerator.devices import fold_bytes
from sentflow.probing.accelerator.together import Together
from sentflow.probing.cross_validation import cross_validate
from sentflow.probing.features.sources import FixedFeatures
from sentflow.probing.protocol.design import ProbeDesign
from sentflow.probing.protocol.draws import FoldPlan, plan_folds
from sentflow.probing.settings import PUBLISHED, ProbeProtocol, Switches
from sentflow.probing.training.folds import train_folds
from sentflow.probing.training.result import FoldResult

STACKED = "cpu:0"  # the processor, by the way of accelerators
# Few epochs; rates at which even the twentieth part that small training parts get moves a loss
SHORT = PUBLISHED.but(
    repetitions=1,
    search_epochs=2,
    max_epochs=12,
    patience=1,
    learning_rates=(1e-2, 1e-1, 4e-1),
    beta2s=(0.99,),
)


def rows_of_blobs(n: int, n_classes: int, *, width: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """(n, width) float32 rows around one centre per class, far from 0 and of different scales, and their labels."""
    generator = np.random.default_rng(n)
    labels = np.arange(n) % n_classes
    features = 0.4 * np.eye(width)[labels] + generator.standard_normal((n, width))
    return (3 + features * np.arange(1, width + 1)).astype(np.float32), labels.astype(np.int64)


def metric_of(n_classes: int) -> str:
    return "mcc" if n_classes == 2 else "adjusted_macro_f1"


def design_of(labels, protocol, *, hidden=None, device=STACKED) -> ProbeDesign:
    n_classes = int(labels.max()) + 1
    return ProbeDesign(metric_of(n_classes), n_classes, hidden, protocol, device=device)


def together(features, labels, protocol, *, hidden=None, groups=None, **keys) -> list[FoldResult]:
    trained = Together(design_of(labels, protocol, hidden=hidden), **keys)
    return list(trained.train(features, labels, plan_folds(labels, protocol, groups=groups)))


class EachAlone:
    """Features that may depend on the fold, for all that is known."""

    def __init__(self, features: np.ndarray) -> None:
        self.features = features

    def parts(self, plan: FoldPlan):
        return FixedFeatures(self.features).parts(plan)


def one_by_one(features, labels, protocol, *, hidden=None, groups=None, device=STACKED) -> list[FoldResult]:
    design = design_of(labels, protocol, hidden=hidden, device=device)
    return list(train_folds(EachAlone(features), labels, design, groups=groups))


@pytest.fixture(autouse=True)
def one_thread():
    """As `train_folds` sets it."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


# rows, classes, folds → batches per fold
SHAPES = {
    "unequal": (426, 2, 4, {1, 2}),
    "warm-up of some": (746, 2, 7, {3, 4}),
    "unequal, three classes": (399, 3, 5, {1, 2}),
}


@pytest.mark.parametrize("hidden", [None, 5])
@pytest.mark.parametrize(("n", "n_classes", "folds", "n_batches"), SHAPES.values(), ids=SHAPES)
def test_every_fold_is_as_alone(n, n_classes, folds, n_batches, hidden):
    features, labels = rows_of_blobs(n, n_classes)
    switches = Switches(best_checkpoint=True)
    if not hidden:
        features[:, 3] = 0.3
        switches = Switches(const_features="unscaled")
    protocol = SHORT.but(folds=folds, switches=switches)
    assert {len(plan.train) // 128 for plan in plan_folds(labels, protocol)} == n_batches
    ours = together(features, labels, protocol, hidden=hidden)
    assert_same_folds(ours, one_by_one(features, labels, protocol, hidden=hidden))
    assert_same_folds(ours, one_by_one(features, labels, protocol, hidden=hidden, device="cpu"))


@pytest.fixture
def groups_seen(monkeypatch) -> list[int]:
    sizes = []
    train = side_by_side.Group.train

    def watched(group):
        sizes.append(len(group._folds))
        return train(group)

    monkeypatch.setattr(side_by_side.Group, "train", watched)
    return sizes


def needed(plan: FoldPlan, features: np.ndarray, protocol: ProbeProtocol, n_folds: int) -> int:
    """Bytes that the estimate takes for so many folds."""
    of_fold = fold_bytes(plan, features.shape[1], ProbeDesign("mcc", 2, None, protocol))
    of_task = 4 * len(features) * (features.shape[1] + 1) + 8 * len(plan.train) * features.shape[1]
    return of_task + n_folds * of_fold


@pytest.mark.parametrize(("fit", "groups"), [(5, [5]), (2, [2, 2, 1]), (0, [1] * 5)])
def test_more_folds_than_fit_are_trained_in_groups(groups_seen, fit, groups):
    features, labels = rows_of_blobs(400, 2)
    protocol = SHORT.but(max_epochs=3)
    memory = needed(next(plan_folds(labels, protocol)), features, protocol, fit)
    ours = together(features, labels, protocol, memory_bytes=memory)
    assert groups_seen == groups
    assert_same_folds(ours, one_by_one(features, labels, protocol))


def test_cross_validation_on_an_accelerator_trains_folds_together(groups_seen):
    features, labels = rows_of_blobs(400, 2)
    protocol = SHORT.but(repetitions=2, max_epochs=3)
    result = cross_validate(features, labels, metric="mcc", protocol=protocol, device=STACKED)
    assert groups_seen == [10]
    groups_seen.clear()
    on_processor = cross_validate(features, labels, metric="mcc", protocol=protocol)
    assert groups_seen == []
    assert_same_folds(result.folds, on_processor.folds)


def test_word_that_names_no_device_is_told():
    features, labels = rows_of_blobs(400, 2)
    with pytest.raises(ConfigError, match="device: 'gpu' is not a device. Write cpu, cuda"):
        cross_validate(features, labels, metric="mcc", device="gpu")
