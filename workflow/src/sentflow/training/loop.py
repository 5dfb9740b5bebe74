"""The loop of every training: no hidden state, so that a training goes on exactly where it was broken off.

Batch, permutations, masks and dropout of step t are functions of the seed and t (`sentflow.training.draws`). What a
training needs to go on is its weights, the moments of the optimiser and t (`sentflow.training.state`).
"""

import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import torch

from sentflow.errors import DataError
from sentflow.training.cache import StepSums, chunks_by_length, gradients
from sentflow.training.contract import Objective, Row
from sentflow.training.draws import Draws
from sentflow.training.held_out import measured
from sentflow.training.optimiser import learning_rate, make_optimiser, trained
from sentflow.training.order import Order
from sentflow.training.precision import Precision
from sentflow.training.processes import ALONE, Processes
from sentflow.training.settings import TrainingSettings
from sentflow.training.snapshots import snapshot_steps
from sentflow.training.state import Progress, StateFolder

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Hooks:
    """What the loop tells and asks while it runs; none of them can change a number."""

    # snapshot: called with the number of done steps where the encoder is to be saved
    snapshot: Callable[[int], None] = lambda _step: None
    leave: Callable[[], bool] = lambda: False  # whether to save the state and end now
    # save_now: whether to save the state after this step, beside those after snapshots
    save_now: Callable[[], bool] = lambda: False
    report: Callable[[Progress], None] = lambda _progress: None  # called with the progress after every step
    seconds: Callable[[], float] = lambda: 0.0  # since this run began


class LeftEarly(Exception):  # noqa: N818
    """The training was saved and ended before its last step, to be gone on with."""


def n_steps(settings: TrainingSettings, n_rows: int) -> int:
    """Steps of a training of `n_rows` rows."""
    if settings.steps is not None:
        return settings.steps
    assert settings.epochs is not None
    order = Order(n_rows, settings.batch_size, settings.last_batch, Draws(0))
    return max(1, math.ceil(settings.epochs * order.batches_per_epoch / settings.accumulate))


class Trainer:
    """Trains an objective from its last state on disk, or from the start, to the last step."""

    def __init__(
        self,
        objective: Objective,
        rows: Sequence[Row],
        settings: TrainingSettings,
        draws: Draws,
        hooks: Hooks,
        processes: Processes = ALONE,
        *,
        held_out: Sequence[Row] = (),
    ) -> None:
        self.objective, self.rows, self.held_out = objective, rows, held_out
        self.settings, self.draws = settings, draws
        self.hooks, self.processes = hooks, processes
        self.total = n_steps(settings, len(rows))
        self._snapshots = set(snapshot_steps(settings, self.total))
        self._optimiser = make_optimiser(objective, settings)
        self._precision = Precision(settings.precision, objective.encoder.device)
        self._order = Order(len(rows), settings.batch_size, settings.last_batch, draws)

    def run(self, state: StateFolder) -> Progress:
        """Train to the last step.

        `state`: where the states of the training lie. The result has a row of history per step: ``step`` (1 is the
        first), ``loss``, ``learning_rate``, ``gradient_norm`` (before clipping), ``tokens`` (without padding, of all
        views). Raises LeftEarly: `Hooks.leave` said so; the state is saved. Raises DataError: the loss or a gradient
        is not a number, or a state could not be written. The last good state is kept.
        """
        progress = state.restore(self.objective, self._optimiser)
        self._precision.restore(progress.scaler)
        earlier = progress.seconds
        if progress.step:
            progress.resumed.append(progress.step)
        elif 0 in self._snapshots:
            self._snapshot(progress)
        self.objective.train()
        while progress.step < self.total:
            try:
                row = self._step(progress.step)
            except DataError:  # weights and moments are still those before this step
                self._save(state, progress)
                raise
            progress.step += 1
            progress.history.append({"step": progress.step, **row})
            progress.scaler, progress.seconds = self._precision.state(), earlier + self.hooks.seconds()
            self.hooks.report(progress)
            at_snapshot = progress.step in self._snapshots
            if at_snapshot:
                self._snapshot(progress)
            leaving = progress.step < self.total and self.processes.agreed(self.hooks.leave())
            if leaving or at_snapshot or self.processes.agreed(self.hooks.save_now()):
                self._save(state, progress)
            if leaving:
                raise LeftEarly(f"saved after step {progress.step} of {self.total}")
        return progress

    def _save(self, state: StateFolder, progress: Progress) -> None:
        if not self.processes.rank:
            state.save(self.objective, self._optimiser, progress)
        self.processes.wait()

    def _snapshot(self, progress: Progress) -> None:
        """Save the encoder, and measure held-out rows."""
        if not self.processes.rank:
            self.hooks.snapshot(progress.step)
        self.processes.wait()
        self.objective.at_step(progress.step, self.total)
        if self.held_out and all(row["step"] != progress.step for row in progress.held_out):
            progress.held_out += measured(
                self.objective,
                self.held_out,
                self.settings,
                self.draws,
                step=progress.step,
                autocast=self._precision.autocast,
            )
        self.objective.train()

    def _step(self, step: int) -> dict[str, float]:
        rate = learning_rate(self.settings, step, self.total)
        for group in self._optimiser.param_groups:
            group["lr"] = rate
        self.objective.at_step(step, self.total)
        parameters = [value for _, value in trained(self.objective)]
        limit = math.inf if self.settings.clip is None else self.settings.clip
        precision = self._precision
        while True:
            self._optimiser.zero_grad(set_to_none=True)
            sums = [self._gradients(step, part) for part in range(self.settings.accumulate)]
            loss = sum(each.loss / self.settings.accumulate for each in sums)
            precision.unscale(self._optimiser)
            norm = float(torch.nn.utils.clip_grad_norm_(parameters, limit))
            if not math.isfinite(loss) or not (math.isfinite(norm) or precision.may_overflow):
                raise DataError(
                    f"at step {step + 1} of {self.total}, with learning rate {rate:.3g}, the "
                    f"{'gradient' if math.isfinite(loss) else 'loss'} is not a number (loss {loss}, norm of the "
                    f"gradient {norm}). Write a smaller training.learning_rate, a longer training.warm_up, or "
                    "training.clip; the state before this step is kept."
                )
            if precision.step(self._optimiser):
                tokens = sum(each.tokens for each in sums)
                return {"loss": loss, "learning_rate": rate, "gradient_norm": norm, "tokens": tokens}
            logger.info(
                "step %d is computed again: its gradients overflow. New scale: %g", step + 1, precision.scale
            )

    def _gradients(self, step: int, part: int) -> StepSums:
        """Add the gradients of one of the batches of a step."""
        batch = [self.rows[index] for index in self._order.rows(step * self.settings.accumulate + part)]
        return gradients(
            self.objective,
            batch,
            self.draws.of("step", step, "part", part),
            chunks=partial(chunks_by_length, max_tokens_per_chunk=self.settings.chunk_tokens),
            cached=self.settings.gradient_cache,
            scale=self._precision.scale / self.settings.accumulate,
            autocast=self._precision.autocast,
            processes=self.processes,
        )
