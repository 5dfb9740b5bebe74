"""Folds trained side by side against each fold alone; on the processor, under a device name that is not "cpu"."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from probe_contract import assert_same_folds

from sentflow.errors import ConfigError, SentflowError
from sentflow.probing.accelerator import resident
from sentflow.probing.accelerator import together as side_by_side
from sentflow.probing.accelerator.devices import drawn_bytes, fold_bytes, usable_bytes, usable_device
from sentflow.probing.accelerator.fold_stack import FoldStackTraining, stacked_schedule
from sentflow.probing.accelerator.resident import ResidentFeatures
from sentflow.probing.accelerator.together import Together
from sentflow.probing.cross_validation import cross_validate
from sentflow.probing.features.rows import pair_features
from sentflow.probing.features.sources import FixedFeatures
from sentflow.probing.protocol.design import ProbeDesign
from sentflow.probing.protocol.draws import FoldPlan, plan_folds
from sentflow.probing.protocol.settings import PUBLISHED, ProbeProtocol
from sentflow.probing.protocol.switches import Switches
from sentflow.probing.training.fold import Fold
from sentflow.probing.training.folds import train_folds
from sentflow.probing.training.result import FoldResult
from sentflow.probing.training.standardise import standardised

STACKED = "cpu:0"  # the processor, by the way of accelerators
# Few epochs; rates at which even the twentieth part that small training parts get moves a loss
SHORT = replace(
    PUBLISHED,
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


# --- the same numbers as alone

# rows, classes, folds → batches per fold
SHAPES = {
    "equal": (900, 2, 5, {4}),
    "unequal": (426, 2, 4, {1, 2}),
    "warm-up of some": (746, 2, 7, {3, 4}),
    "unequal, three classes": (399, 3, 5, {1, 2}),
    "three classes": (600, 3, 3, {2}),
}


@pytest.mark.parametrize("hidden", [None, 5])
@pytest.mark.parametrize(("n", "n_classes", "folds", "n_batches"), SHAPES.values(), ids=SHAPES)
def test_every_fold_is_as_alone(n, n_classes, folds, n_batches, hidden):
    features, labels = rows_of_blobs(n, n_classes)
    protocol = replace(SHORT, folds=folds)
    assert {len(plan.train) // 128 for plan in plan_folds(labels, protocol)} == n_batches
    ours = together(features, labels, protocol, hidden=hidden)
    assert_same_folds(ours, one_by_one(features, labels, protocol, hidden=hidden))
    assert_same_folds(ours, one_by_one(features, labels, protocol, hidden=hidden, device="cpu"))


def test_folds_of_these_tests_stop_at_different_epochs():
    """Else nothing would show that a fold that has stopped stays as it is."""
    epochs = {len(fold.train_losses) for fold in together(*rows_of_blobs(900, 2), SHORT)}
    assert len(epochs) > 1
    assert min(epochs) < SHORT.max_epochs


@pytest.mark.parametrize("hidden", [None, 5])
def test_pairs_and_all_repetitions_side_by_side(hidden):
    first, labels = rows_of_blobs(426, 2, width=4)
    features = pair_features(first, np.roll(first, 2, axis=0))
    protocol = replace(SHORT, folds=4, repetitions=2, max_epochs=6)
    ours = together(features, labels, protocol, hidden=hidden)
    assert [(fold.repetition, fold.fold) for fold in ours] == [(r, f) for r in (1, 2) for f in (1, 2, 3, 4)]
    assert_same_folds(ours, one_by_one(features, labels, protocol, hidden=hidden))


@pytest.mark.parametrize("hidden", [None, 5])
def test_documents_of_unequal_size(hidden):
    features, labels = rows_of_blobs(620, 2)
    groups = np.random.default_rng(0).choice(12, size=620, p=np.r_[0.6, np.full(11, 0.4 / 11)])
    protocol = replace(SHORT, folds=3, switches=Switches(group_folds=True))
    sizes = {len(plan.train) // 128 for plan in plan_folds(labels, protocol, groups=groups)}
    assert len(sizes) > 1
    ours = together(features, labels, protocol, hidden=hidden, groups=groups)
    assert_same_folds(ours, one_by_one(features, labels, protocol, hidden=hidden, groups=groups))


SWITCHED = {
    "best checkpoint": Switches(best_checkpoint=True),
    "unscaled constant": Switches(const_features="unscaled"),
}


@pytest.mark.parametrize("hidden", [None, 5])
@pytest.mark.parametrize("switches", SWITCHED.values(), ids=SWITCHED)
def test_switches_act_as_alone(switches, hidden):
    features, labels = rows_of_blobs(426, 2)
    features[:, 3] = 0.3  # its mean need not be itself, and then 1e-12 is what it is divided by
    protocol = replace(SHORT, folds=4, switches=switches)
    ours = together(features, labels, protocol, hidden=hidden)
    assert_same_folds(ours, one_by_one(features, labels, protocol, hidden=hidden))


@pytest.mark.parametrize("hidden", [None, 5])
def test_training_parts_below_a_batch_have_batches_of_their_own_size(hidden):
    features, labels = rows_of_blobs(152, 2)
    protocol = replace(SHORT, max_epochs=4, switches=Switches(warmup_floor=False))
    assert {len(plan.train) for plan in plan_folds(labels, protocol)} == {96, 97}
    ours = together(features, labels, protocol, hidden=hidden)
    assert_same_folds(ours, one_by_one(features, labels, protocol, hidden=hidden))


# --- steps without a batch


@pytest.mark.parametrize("hidden", [None, 5])
def test_fold_without_a_batch_does_not_move(hidden):
    """An epoch of a fold with two batches beside one with one: the second is where one batch alone takes it.

    Products of other shapes are rounded otherwise (4e-9 was seen); one step more would move a parameter by at least
    5e-4.
    """
    features, labels = rows_of_blobs(426, 2)
    protocol = replace(SHORT, folds=4)
    plans = sorted(plan_folds(labels, protocol), key=lambda plan: -len(plan.train))
    longest, shortest = (
        Fold(plan, labels, design_of(labels, protocol, hidden=hidden)) for plan in (plans[0], plans[-1])
    )
    resident = ResidentFeatures(
        features, labels, ones=hidden is None, unscaled_constant=False, device=STACKED
    )
    states = []
    for folds in ([longest, shortest], [shortest]):
        scaling = resident.scaling([fold.plan.train for fold in folds])
        grid = protocol.grid[:2]
        training = FoldStackTraining(resident, scaling, folds, [grid] * len(folds), epochs=1)
        rows = {fold: np.arange(256).reshape(2, 1, 128) % 250 for fold in folds}
        rows[longest] = np.arange(512).reshape(2, 2, 128) % 250
        training.epoch([rows[fold] for fold in folds])
        losses = training.losses()[-1]
        assert losses.shape == (2, 1)
        states.append((training._stack.parameters[-2:], training._optimiser._first[-2:], losses))
    for beside, alone in zip(*states, strict=True):
        np.testing.assert_allclose(beside, alone, rtol=0, atol=1e-6)


def test_stacked_schedule_counts_the_steps_of_each_fold():
    labels = rows_of_blobs(426, 2)[1]
    protocol = replace(SHORT, folds=4)
    plans = sorted(plan_folds(labels, protocol), key=lambda plan: -len(plan.train))
    folds = [Fold(plan, labels, design_of(labels, protocol)) for plan in plans]
    own = [fold.schedule(protocol.grid[:3], epochs=2) for fold in folds]
    stacked = stacked_schedule(own, [fold.n_batches for fold in folds])
    assert stacked.keep.shape == (4, 12, 1)
    np.testing.assert_array_equal(stacked.minus_rate[:, :3], own[0].minus_rate)
    # of two steps per epoch the last fold takes the first
    np.testing.assert_array_equal(stacked.minus_rate[[0, 2], 9:], own[-1].minus_rate)


# --- features that every fold standardises for itself


@pytest.mark.parametrize("unscaled", [False, True])
@pytest.mark.parametrize("ones", [False, True])
def test_parts_are_standardised_as_by_a_fold_alone(ones, unscaled):
    features, labels = rows_of_blobs(90, 2)
    features[:, 2] = 0.3
    resident = ResidentFeatures(features, labels, ones=ones, unscaled_constant=unscaled, device=STACKED)
    train = [np.arange(0, 60), np.arange(20, 85)]
    others = [np.arange(60, 90), np.arange(0, 20)]
    part = resident.part(others, resident.scaling(train))
    assert part.shape == (2, 30, 6 + ones)
    for k, (own, other) in enumerate(zip(train, others, strict=True)):
        expected = standardised([features[own], features[other]], ones=ones, unscaled_constant=unscaled)[1]
        # means and deviations are float32 sums here, float64 ones there
        np.testing.assert_allclose(part[k, : len(other)], expected, rtol=1e-5, atol=1e-5)


@pytest.mark.filterwarnings("error")
def test_read_only_features_come_to_the_device_in_blocks(monkeypatch):
    monkeypatch.setattr(resident, "_ROWS_AT_ONCE", 32)
    features, labels = rows_of_blobs(90, 2)
    features.flags.writeable = labels.flags.writeable = False
    on_device = ResidentFeatures(features, labels, ones=True, unscaled_constant=False, device=STACKED)
    np.testing.assert_array_equal(on_device.features, np.pad(features, ((0, 0), (0, 1)), constant_values=1))


# --- memory


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
    protocol = replace(SHORT, max_epochs=3)
    memory = needed(next(plan_folds(labels, protocol)), features, protocol, fit)
    ours = together(features, labels, protocol, memory_bytes=memory)
    assert groups_seen == groups
    assert_same_folds(ours, one_by_one(features, labels, protocol))


def test_folds_that_do_not_fit_after_all_are_halved(groups_seen, monkeypatch, caplog):
    train = side_by_side.Group.train

    def full(group):
        if len(group._folds) > 2:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return train(group)

    monkeypatch.setattr(side_by_side.Group, "train", full)
    features, labels = rows_of_blobs(400, 2)
    protocol = replace(SHORT, max_epochs=3)
    ours = together(features, labels, protocol)
    assert groups_seen == [2, 1, 2]
    assert "5 folds do not fit into the memory of cpu:0: their number is halved" in caplog.text
    monkeypatch.undo()
    assert_same_folds(ours, one_by_one(features, labels, protocol))


def test_one_fold_that_does_not_fit_is_told(monkeypatch):
    def full(group):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(side_by_side.Group, "train", full)
    features, labels = rows_of_blobs(400, 2)
    with pytest.raises(SentflowError, match=r"is too small for 400 rows × 7 features .* Write device cpu"):
        together(features, labels, SHORT)


@pytest.mark.parametrize("hidden", [None, 64])
def test_estimate_covers_what_a_fold_allocates(hidden):
    """On the processor torch tells no peak, so it is what lives after a search, and the estimate is not far above."""
    features, labels = rows_of_blobs(900, 2, width=200)
    protocol = replace(SHORT, max_epochs=1, search_epochs=1)
    plan = next(plan_folds(labels, protocol))
    design = design_of(labels, protocol, hidden=hidden)
    estimate = fold_bytes(plan, 200, design)
    profile = torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True, record_shapes=False
    )
    trained = Together(design)
    with profile:
        list(trained.train(features, labels, iter([plan])))
    live = peak = 0
    for event in profile.profiler.kineto_results.events():
        if event.name() == "[memory]":
            live += event.nbytes()
            peak = max(peak, live)
    of_task = 4 * features.size + 8 * len(plan.train) * 200
    assert 0.3 * (estimate + of_task) < peak < estimate + of_task


def test_budget_of_a_device_that_tells_nothing():
    assert usable_bytes("cpu:0") == 2 << 30


def test_budget_of_cuda_counts_what_torch_keeps(monkeypatch):
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (1000, 9000))
    monkeypatch.setattr(torch.cuda, "memory_reserved", lambda device: 600)
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda device: 100)
    assert usable_bytes("cuda:0") == 1050


def test_drawn_rows_are_counted():
    plan = next(plan_folds(rows_of_blobs(400, 2)[1], PUBLISHED))
    assert drawn_bytes(plan, PUBLISHED) == 4 * 256 * 12 * 8


# --- how it is reached


def test_cross_validation_on_an_accelerator_trains_folds_together(groups_seen):
    features, labels = rows_of_blobs(400, 2)
    protocol = replace(SHORT, repetitions=2, max_epochs=3)
    result = cross_validate(features, labels, metric="mcc", protocol=protocol, device=STACKED)
    assert groups_seen == [10]
    groups_seen.clear()
    on_processor = cross_validate(features, labels, metric="mcc", protocol=protocol)
    assert groups_seen == []
    assert_same_folds(result.folds, on_processor.folds)


def test_wanted_folds_alone_are_trained(groups_seen):
    features, labels = rows_of_blobs(400, 2)
    protocol = replace(SHORT, max_epochs=3)
    design = design_of(labels, protocol)
    folds = train_folds(FixedFeatures(features), labels, design, wanted={(1, 2), (1, 5)})
    assert [fold.fold for fold in folds] == [2, 5]
    assert groups_seen == [2]


def test_cuda_that_is_not_there_is_told(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    features, labels = rows_of_blobs(400, 2)
    with pytest.raises(ConfigError, match="device: 'cuda', but torch sees no CUDA device. Write cpu"):
        cross_validate(features, labels, metric="mcc", device="cuda")


def test_cuda_with_too_high_a_number_is_told(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    features, labels = rows_of_blobs(400, 2)
    with pytest.raises(ConfigError, match="device: 'cuda:2', but torch sees 2 CUDA devices"):
        cross_validate(features, labels, metric="mcc", device="cuda:2")


def test_word_that_names_no_device_is_told():
    features, labels = rows_of_blobs(400, 2)
    with pytest.raises(ConfigError, match="device: 'gpu' is not a device. Write cpu, cuda"):
        cross_validate(features, labels, metric="mcc", device="gpu")


@pytest.mark.parametrize(("n_devices", "device"), [(0, "cpu"), (2, "cuda:0")])
def test_auto_is_a_gpu_where_there_is_one(monkeypatch, n_devices, device):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: n_devices > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: n_devices)
    assert usable_device("auto") == device


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("hidden", [None, 5])
def test_cuda_gives_the_folds_of_the_processor(hidden):
    features, labels = rows_of_blobs(746, 2)
    protocol = replace(SHORT, folds=7)
    keys = {"metric": "mcc", "hidden": hidden, "protocol": protocol}
    on_cuda = cross_validate(features, labels, **keys, device="cuda").folds
    for mine, other in zip(on_cuda, cross_validate(features, labels, **keys).folds, strict=True):
        assert mine.test_metric == pytest.approx(other.test_metric, abs=0.05)
        np.testing.assert_allclose(mine.evaluation_losses[:3], other.evaluation_losses[:3], atol=1e-3)
