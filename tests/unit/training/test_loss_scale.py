"""The scaler of the loss that float16 needs: a step whose gradients overflow is computed again."""

import pytest
import torch
from trainable import ROWS, trainable_encoder

from sentflow.errors import DataError
from sentflow.training.contract import Objective
from sentflow.training.draws import Draws
from sentflow.training.loop import StateFolder, Trainer
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


def trained(folder, state, *, steep=False, scaled=False):
    objective = Lengths(trainable_encoder(folder), None, Draws(0), max_tokens=8)
    objective.steep = steep
    trainer = Trainer(objective, ROWS, SETTINGS, Draws(3))
    if scaled:  # by so much that the first gradients overflow
        trainer.scaler = torch.amp.GradScaler("cpu", init_scale=2.0**126, growth_interval=1000)
    progress = trainer.run(StateFolder(state))
    return progress, [value.clone() for value in objective.state_dict().values()]


def test_a_skipped_step_is_no_step(tmp_path):
    plain, expected = trained(tmp_path / "start", tmp_path / "plain")
    progress, weights = trained(tmp_path / "start", tmp_path / "scaled", scaled=True)
    assert progress.scaler["scale"] < 2.0**126  # steps were skipped
    assert [row["loss"] for row in progress.history] == pytest.approx([row["loss"] for row in plain.history])
    for one, other in zip(weights, expected, strict=True):
        torch.testing.assert_close(one, other)


def test_a_gradient_that_no_scale_makes_a_number_ends_the_training(tmp_path):
    with pytest.raises(DataError, match="at step 1 of 3, .* the gradient is not a number"):
        trained(tmp_path / "start", tmp_path / "state", steep=True, scaled=True)
