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
from sentflow.training.cache import chunks_by_length, gradients
from sentflow.training.contract import Objective, Row
from sentflow.training.draws import Draws
from sentflow.training.held_out import measured
from sentflow.training.optimiser import learning_rate, make_optimiser, trained
from sentflow.training.order import Order
from sentflow.training.precision import Precision
from sentflow.training.processes import ALONE, Processes
from sentflow.training.settings import TrainingSettings
from sentflow.training.state import Progress, StateFolder

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Hooks:
    """What the loop tells and asks while it runs; none of them can change a number.

    Attributes
    ----------
    snapshot
        Called with the number of done steps where the encoder is to be saved.
    leave
        Whether to save the state and end now.
    save_now
        Whether to save the state after this step, beside those after snapshots.
    told
        Called with the progress after every step.
    seconds
        Since this run began.
    """

    snapshot: Callable[[int], None] = lambda _step: None
    leave: Callable[[], bool] = lambda: False
    save_now: Callable[[], bool] = lambda: False
    told: Callable[[Progress], None] = lambda _progress: None
    seconds: Callable[[], float] = lambda: 0.0


class LeftEarly(Exception):  # noqa: N818
    """The training was saved and ended before its last step, to be gone on with."""


def n_steps(settings: TrainingSettings, n_rows: int) -> int:
    """Steps of a training of `n_rows` rows."""
    if settings.steps is not None:
        return settings.steps
    assert settings.epochs is not None
    order = Order(n_rows, settings.batch_size, settings.last_batch, Draws(0))
    return max(1, math.ceil(settings.epochs * order.batches_per_epoch / settings.accumulate))


def train(
    objective: Objective,
    rows: Sequence[Row],
    settings: TrainingSettings,
    draws: Draws,
    state: StateFolder,
    hooks: Hooks,
    processes: Processes = ALONE,
    *,
    held_out: Sequence[Row] = (),
) -> Progress:
    """Train an objective from its last state on disk, or from the start, to the last step.

    Parameters
    ----------
    objective
        In its state before the first step, on its device.
    rows
        All rows that are trained on.
    settings, draws
        Of the training.
    state
        Where its states lie.
    hooks
        See `Hooks`.
    processes
        That train together; the first one saves.
    held_out
        See `sentflow.training.held_out`; measured wherever the encoder is saved.

    Returns
    -------
    Progress
        With a row of history per step: ``step`` (1 is the first), ``loss``, ``learning_rate``, ``gradient_norm``
        (before clipping), ``tokens`` (without padding, of all views).

    Raises
    ------
    LeftEarly
        `hooks.leave` said so; the state is saved.
    DataError
        The loss or a gradient is not a number, or a state could not be written. The last good state is kept.
    """

    def saved(save: Callable[[], None]) -> None:
        if not processes.rank:
            save()
        processes.wait()

    def snapshot() -> None:
        saved(lambda: hooks.snapshot(progress.step))
        objective.at_step(progress.step, total)
        if held_out and all(row["step"] != progress.step for row in progress.held_out):
            progress.held_out += measured(
                objective, held_out, settings, draws, step=progress.step, autocast=precision.autocast
            )
        objective.train()

    total = n_steps(settings, len(rows))
    snapshots = set(settings.snapshot_steps(total))
    optimiser = make_optimiser(objective, settings)
    precision = Precision(settings.precision, objective.encoder.device)
    order = Order(len(rows), settings.batch_size, settings.last_batch, draws)
    step = partial(_step, objective, rows, settings, draws, order, optimiser, precision, processes, total)
    progress = state.restore(objective, optimiser)
    precision.restore(progress.scaler)
    earlier = progress.seconds
    if progress.step:
        progress.resumed.append(progress.step)
    elif 0 in snapshots:
        snapshot()
    objective.train()
    while progress.step < total:
        try:
            row = step(progress.step)
        except DataError:  # weights and moments are still those before this step
            saved(lambda: state.save(objective, optimiser, progress))
            raise
        progress.step += 1
        progress.history.append({"step": progress.step, **row})
        progress.scaler, progress.seconds = precision.state(), earlier + hooks.seconds()
        hooks.told(progress)
        if progress.step in snapshots:
            snapshot()
        leaving = progress.step < total and processes.agreed(hooks.leave())
        if leaving or progress.step in snapshots or processes.agreed(hooks.save_now()):
            saved(lambda: state.save(objective, optimiser, progress))
        if leaving:
            raise LeftEarly(f"saved after step {progress.step} of {total}")
    return progress


def _step(
    objective: Objective,
    rows: Sequence[Row],
    settings: TrainingSettings,
    draws: Draws,
    order: Order,
    optimiser: torch.optim.Optimizer,
    precision: Precision,
    processes: Processes,
    total: int,
    step: int,
) -> dict[str, float]:
    rate = learning_rate(settings, step, total)
    for group in optimiser.param_groups:
        group["lr"] = rate
    objective.at_step(step, total)
    parameters = [value for _, value in trained(objective)]
    limit = math.inf if settings.clip is None else settings.clip
    while True:
        optimiser.zero_grad(set_to_none=True)
        loss, tokens = 0.0, 0
        for part in range(settings.accumulate):
            batch = [rows[index] for index in order.rows(step * settings.accumulate + part)]
            found = gradients(
                objective,
                batch,
                draws.of("step", step, "part", part),
                chunks=lambda examples: chunks_by_length(examples, settings.chunk_tokens),
                cached=settings.gradient_cache,
                scale=precision.scale / settings.accumulate,
                autocast=precision.autocast,
                processes=processes,
            )
            loss += found.loss / settings.accumulate
            tokens += found.tokens
        precision.unscale(optimiser)
        norm = float(torch.nn.utils.clip_grad_norm_(parameters, limit))
        if not math.isfinite(loss) or not (math.isfinite(norm) or precision.may_overflow):
            raise DataError(
                f"at step {step + 1} of {total}, with learning rate {rate:.3g}, the "
                f"{'gradient' if math.isfinite(loss) else 'loss'} is not a number (loss {loss}, norm of the gradient "
                f"{norm}). Write a smaller training.learning_rate, a longer training.warm_up, or training.clip; the "
                "state before this step is kept."
            )
        if precision.step(optimiser):
            return {"loss": loss, "learning_rate": rate, "gradient_norm": norm, "tokens": tokens}
        logger.info(
            "step %d is computed again: its gradients overflow. New scale: %g", step + 1, precision.scale
        )
