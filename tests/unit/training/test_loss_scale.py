"""The scaler of the loss that float16 needs: a step whose gradients overflow is computed again."""

import pytest
import torch
from trainable import ROWS, trainable_encoder

from sentflow.errors import DataError
from sentflow.training.contract import Objective
from sentflow.training.draws import Draws
from sentflow.training.gradients import Precision
from sentflow.training.loop import Hooks, StateFolder, Trainer
from sentflow.training.settings import TrainingSettings

SETTINGS = TrainingSettings(learning_rate=1e-3, steps=3, batch_size=2, max_tokens=8)


class Lengths(Objective):
    """Its gradient may be no number although its loss is one."""

    steep = False

    def views(self, rows, draws):
        return [[{"input_ids": self.tokens(row["text"])} for row in rows]]

    def loss(self, views, rows):
        loss = views[0].square().mean()
        return loss + (views[0].sum() * 0).sqrt() if self.steep else loss


def trained(folder, state, *, steep=False):
    objective = Lengths(trainable_encoder(folder), None, Draws(0), max_tokens=8)
    objective.steep = steep
    progress = Trainer(objective, ROWS, SETTINGS, Draws(3), Hooks()).run(StateFolder(state, key="one"))
    return progress, [value.clone() for value in objective.state_dict().values()]


@pytest.fixture
def scaled(monkeypatch):
    """Losses are scaled by so much that the first gradients overflow."""
    real = Precision.__init__

    def begin(self, name, device):
        real(self, name, device)
        self._scaler = torch.amp.GradScaler("cpu", init_scale=2.0**126, growth_interval=1000)

    monkeypatch.setattr(Precision, "__init__", begin)


def test_a_skipped_step_is_no_step(tmp_path, request):
    plain, expected = trained(tmp_path / "start", tmp_path / "plain")
    request.getfixturevalue("scaled")
    progress, weights = trained(tmp_path / "start", tmp_path / "scaled")
    assert progress.scaler["scale"] < 2.0**126  # steps were skipped
    assert [row["loss"] for row in progress.history] == pytest.approx([row["loss"] for row in plain.history])
    for one, other in zip(weights, expected, strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.usefixtures("scaled")
def test_a_gradient_that_no_scale_makes_a_number_ends_the_training(tmp_path):
    with pytest.raises(DataError, match="at step 1 of 3, .* the gradient is not a number"):
        trained(tmp_path / "start", tmp_path / "state", steep=True)
