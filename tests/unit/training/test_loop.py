"""A training that was ended anywhere goes on to the same bytes, and each step is a function of the seed alone."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from trainable import ROWS, trainable_encoder

from sentflow.errors import DataError
from sentflow.training.contract import Objective
from sentflow.training.draws import Draws
from sentflow.training.leave import Watch
from sentflow.training.loop import (
    LeftEarly,
    Order,
    StateFolder,
    Trainer,
    UncorrectedAdamW,
    learning_rate,
)
from sentflow.training.settings import TrainingSettings

SETTINGS = TrainingSettings.model_validate(
    {
        "learning_rate": 1e-3,
        "steps": 7,
        "batch_size": 2,
        "max_tokens": 8,
        "snapshot_every": 3,
        "chunk_tokens": 16,
    }
)


class TwoViews(Objective):
    """Each text twice, other dropout each time."""

    def __init__(self, encoder):
        super().__init__(encoder, None, Draws(0), max_tokens=8)

    def views(self, rows, draws):
        examples = [{"input_ids": self.tokens(row["text"])} for row in rows]
        return [examples, examples]

    def loss(self, views, rows):
        anchors, positives = (torch.nn.functional.normalize(view, dim=1) for view in views)
        return torch.nn.functional.cross_entropy(anchors @ positives.T / 0.05, torch.arange(len(rows)))


class NotANumber(TwoViews):
    """Its loss is one until step 4."""

    def loss(self, views, rows):
        self.calls = getattr(self, "calls", 0) + 1
        return super().loss(views, rows) * (1.0 if self.calls < 4 else float("nan"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("encoder")


def trained(folder, state, *, kind=TwoViews, watch=None):
    objective = kind(trainable_encoder(folder))
    progress = Trainer(objective, ROWS, SETTINGS, Draws(3), watch=watch).run(StateFolder(state))
    return objective, progress


def bytes_of(objective):
    return {name: value.numpy().tobytes() for name, value in objective.state_dict().items()}


class Leaving(Watch):
    """Leaves after some of the steps that are logged."""

    def __init__(self, after):
        super().__init__()
        self.after, self.step = after, 0

    def log(self, total, row):
        self.step = row["step"]

    def leaves(self):
        return self.step in self.after


def test_ended_after_any_step_and_gone_on_with_gives_the_same_bytes(folder, tmp_path):
    whole, told = trained(folder, tmp_path / "whole")
    leaving = Leaving({1, 2, 5})
    for _ in range(3):
        with pytest.raises(LeftEarly):
            trained(folder, tmp_path / "parts", watch=leaving)
        leaving.after.remove(leaving.step)
    resumed, progress = trained(folder, tmp_path / "parts", watch=leaving)
    assert progress.resumed == [1, 2, 5]
    assert bytes_of(resumed) == bytes_of(whole)
    assert progress.history == told.history


def test_the_time_before_the_first_step_counts_in_no_estimate(monkeypatch, caplog):
    caplog.set_level("INFO")
    now = [0.0]
    clock = SimpleNamespace(monotonic=lambda: now[0], time=lambda: now[0])
    monkeypatch.setattr("sentflow.training.leave.time", clock)
    monkeypatch.setenv("SLURM_JOB_END_TIME", "1000")
    watch = Watch()
    now[0] = 500  # data and start are read
    watch.start(step=2)
    now[0] = 530
    watch.log(total=9, row={"step": 3, "loss": 1.0, "learning_rate": 0.1})
    assert not watch.leaves()
    assert caplog.messages == ["step 3 of 9, loss 1.0000, learning rate 1.00e-01, about 0:03:00 left"]
    now[0] = 920
    assert watch.leaves()


def test_a_loss_that_is_no_number_names_step_and_rate_and_keeps_the_state_before(folder, tmp_path):
    with pytest.raises(DataError, match=r"at step 4 of 7, with learning rate 0\.00057.*loss is not a number"):
        trained(folder, tmp_path, kind=NotANumber)
    assert [path.name for path in sorted(tmp_path.glob("step-*"))] == ["step-000003"]


def test_a_full_disk_says_so_and_keeps_the_state_before(folder, tmp_path, monkeypatch):
    leaving = Leaving({2})
    with pytest.raises(LeftEarly):
        trained(folder, tmp_path, watch=leaving)

    def full(*_args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sentflow.training.loop.save_file", full)
    with pytest.raises(DataError, match="disk or your quota is full"):
        trained(folder, tmp_path)
    monkeypatch.undo()
    whole, _ = trained(folder, tmp_path / "whole")
    resumed, progress = trained(folder, tmp_path)
    assert progress.resumed == [2]
    assert bytes_of(resumed) == bytes_of(whole)


@pytest.mark.parametrize("last_batch", ["keep", "drop"])
def test_every_row_is_read_once_in_an_epoch_but_for_a_dropped_last_batch(last_batch):
    order = Order(7, 3, last_batch, Draws(1))
    epochs = [
        np.concatenate(
            [order.rows(epoch * order.batches_per_epoch + place) for place in range(order.batches_per_epoch)]
        )
        for epoch in range(2)
    ]
    n = 7 if last_batch == "keep" else 6
    assert [len(set(rows.tolist())) for rows in epochs] == [n, n]
    assert epochs[0].tolist() != epochs[1].tolist()


def test_the_learning_rate_rises_to_its_peak_and_falls_to_zero():
    settings = TrainingSettings.model_validate({"learning_rate": 2.0, "steps": 10, "warm_up": 0.2})
    rates = [learning_rate(settings, step, 10) for step in range(11)]
    assert rates[:3] == [0.0, 1.0, 2.0]
    assert (rates[6], rates[10]) == (pytest.approx(1.0), 0.0)
    cosine, constant = (settings.model_copy(update={"schedule": name}) for name in ("cosine", "constant"))
    assert learning_rate(cosine, 4, 10) == pytest.approx(1 + math.cos(math.pi / 4))
    assert learning_rate(constant, 9, 10) == 2.0


def test_without_correction_the_first_step_of_adamw_is_that_of_its_moments():
    value = torch.nn.Parameter(torch.tensor([1.0], dtype=torch.float64))
    value.grad = torch.tensor([2.0], dtype=torch.float64)
    UncorrectedAdamW([value], lr=0.1, eps=1e-6, weight_decay=0.01).step()
    # moments .1 · 2 and .001 · 4; the decay is of what the step left
    assert value.item() == pytest.approx(
        (1 - 0.1 * 0.2 / (math.sqrt(0.004) + 1e-6)) * (1 - 0.1 * 0.01), rel=1e-12
    )
