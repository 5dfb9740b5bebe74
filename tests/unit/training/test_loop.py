"""A training that was ended anywhere goes on to the same bytes, and each step is a function of the seed alone."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from trainable import ROWS, trainable_encoder

from sentflow.errors import DataError
from sentflow.files.io import file_sha256
from sentflow.training.contract import Objective
from sentflow.training.draws import Draws
from sentflow.training.loop import Hooks, LeftEarly, train
from sentflow.training.optimiser import learning_rate
from sentflow.training.order import Order
from sentflow.training.settings import TrainingSettings
from sentflow.training.state import Progress, StateFolder

SETTINGS = TrainingSettings.of(
    {"learning_rate": 1e-3, "steps": 7, "batch_size": 2, "max_tokens": 8, "snapshots": 3, "chunk_tokens": 16}
)


class TwoViews(Objective):
    """Each text twice, other dropout each time."""

    def __init__(self, encoder):
        super().__init__(encoder, max_tokens=8)

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


def trained(folder, state, *, kind=TwoViews, settings=SETTINGS, key="one", **hooks):
    objective = kind(trainable_encoder(folder))
    progress = train(objective, ROWS, settings, Draws(3), StateFolder(state, key=key), Hooks(**hooks))
    return objective, progress


def bytes_of(objective):
    return {name: value.numpy().tobytes() for name, value in objective.state_dict().items()}


class Leaving:
    """Leaves after some of the steps that are told."""

    def __init__(self, after):
        self.after, self.step = after, 0

    def told(self, progress):
        self.step = progress.step

    def __call__(self):
        return self.step in self.after


def test_ended_after_any_step_and_gone_on_with_gives_the_same_bytes(folder, tmp_path):
    whole, told = trained(folder, tmp_path / "whole")
    leaving = Leaving({1, 2, 5})
    for _ in range(3):
        with pytest.raises(LeftEarly):
            trained(folder, tmp_path / "parts", leave=leaving, told=leaving.told)
        leaving.after.remove(leaving.step)
    resumed, progress = trained(folder, tmp_path / "parts", leave=leaving, told=leaving.told)
    assert progress.resumed == [1, 2, 5]
    assert bytes_of(resumed) == bytes_of(whole)
    assert progress.history == told.history


def test_another_seed_or_another_step_draws_another_dropout(folder, tmp_path):
    one, _ = trained(folder, tmp_path / "one")
    objective = TwoViews(trainable_encoder(folder))
    train(objective, ROWS, SETTINGS, Draws(4), StateFolder(tmp_path / "other", key="one"), Hooks())
    assert bytes_of(objective) != bytes_of(one)


def test_snapshots_are_taken_before_the_first_step_every_so_many_and_after_the_last(folder, tmp_path):
    seen = []
    trained(folder, tmp_path, snapshot=seen.append)
    assert seen == [0, 3, 6, 7]


def test_taking_snapshots_changes_no_weight(folder, tmp_path):
    with_draws, _ = trained(folder, tmp_path / "a", snapshot=lambda _step: torch.rand(3))
    without, _ = trained(folder, tmp_path / "b")
    assert bytes_of(with_draws) == bytes_of(without)


def test_a_state_of_other_settings_is_not_gone_on_with(folder, tmp_path):
    leaving = Leaving({2})
    with pytest.raises(LeftEarly):
        trained(folder, tmp_path, leave=leaving, told=leaving.told)
    _, progress = trained(folder, tmp_path, key="other")
    assert progress.resumed == []


def test_a_damaged_state_is_passed_over_for_the_one_before(folder, tmp_path):
    leaving = Leaving({5})
    with pytest.raises(LeftEarly):
        trained(folder, tmp_path, leave=leaving, told=leaving.told, save_now=lambda: True)
    whole, _ = trained(folder, tmp_path / "whole")
    newest = max(tmp_path.glob("step-*"))
    weights = newest / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1])
    resumed, progress = trained(folder, tmp_path)
    assert progress.resumed == [4]
    assert bytes_of(resumed) == bytes_of(whole)


def test_a_loss_that_is_no_number_names_step_and_rate_and_keeps_the_state_before(folder, tmp_path):
    with pytest.raises(DataError, match=r"at step 4 of 7, with learning rate 0\.00057.*loss is not a number"):
        trained(folder, tmp_path, kind=NotANumber)
    assert [path.name for path in sorted(tmp_path.glob("step-*"))] == ["step-000003"]


def test_a_full_disk_says_so_and_keeps_the_state_before(folder, tmp_path, monkeypatch):
    leaving = Leaving({2})
    with pytest.raises(LeftEarly):
        trained(folder, tmp_path, leave=leaving, told=leaving.told)

    def full(*_args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sentflow.training.state.save_file", full)
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


def test_accumulated_batches_are_one_step(folder, tmp_path):
    settings = TrainingSettings.of(SETTINGS.as_dict() | {"accumulate": 2, "steps": 2, "batch_size": 2})
    _, progress = trained(folder, tmp_path, settings=settings)
    assert [row["step"] for row in progress.history] == [1, 2]


def test_the_learning_rate_rises_to_its_peak_and_falls_to_zero():
    settings = TrainingSettings.of({"learning_rate": 2.0, "steps": 10, "warm_up": 0.2})
    rates = [learning_rate(settings, step, 10) for step in range(11)]
    assert rates[:3] == [0.0, 1.0, 2.0]
    assert rates[6] == pytest.approx(1.0)
    assert rates[10] == 0.0


_KILLED = """
import os, random, signal, sys
from pathlib import Path
sys.path[:0] = {path!r}
from test_loop import TwoViews, SETTINGS
from trainable import ROWS, trainable_encoder
from sentflow.training import state as states
from sentflow.training.draws import Draws
from sentflow.training.loop import Hooks, train
from sentflow.training.state import StateFolder

# Of the calls in which a state is written, one is the last that this process makes.
left = int(sys.argv[1])
def counted(function):
    def call(*args, **kwargs):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*args, **kwargs)
    return call
for name in ("save_file", "file_sha256", "refuse_orphan"):
    setattr(states, name, counted(getattr(states, name)))
Path.rename = counted(Path.rename)
objective = TwoViews(trainable_encoder(Path({folder!r})))
train(objective, ROWS, SETTINGS, Draws(3), StateFolder(Path({state!r}), key="one"), Hooks(save_now=lambda: True))
states.save_file({{name: value.clone() for name, value in objective.state_dict().items()}}, {out!r})
"""


@pytest.mark.slow
def test_killed_many_times_also_while_saving_ends_in_the_same_bytes(folder, tmp_path, thorough):
    trainable_encoder(folder)
    path = [str(Path(__file__).parent), *[part for part in sys.path if part]]

    def run(state, calls):
        out = tmp_path / "out.safetensors"
        program = _KILLED.format(path=path, folder=str(folder), state=str(tmp_path / state), out=str(out))
        return subprocess.run(
            [sys.executable, "-c", program, str(calls)], check=False, timeout=600, env=os.environ
        ).returncode, out

    code, out = run("whole", 10**9)
    assert code == 0
    expected = file_sha256(out)
    generator = np.random.default_rng(1)
    kills = 0
    while code := run("killed", int(generator.integers(3, 12)) if kills < 7 * thorough else 10**9)[0]:
        assert code == -signal.SIGKILL
        kills += 1
    # A step writes a state in about eight calls, so most of these end while one is written.
    assert kills >= 5
    assert file_sha256(out) == expected


def test_progress_is_plain_data(folder, tmp_path):
    _, progress = trained(folder, tmp_path)
    assert isinstance(progress, Progress)
    assert {type(value) for row in progress.history for value in row.values()} <= {int, float}
