"""The loop of every training: no hidden state, so that a training goes on exactly where it was broken off.

Batch, permutations, masks and dropout of step t are functions of the seed and t (`sentflow.training.draws`). What a
training needs to go on is its weights, the moments of the optimiser and t (`sentflow.training.loop`).

Held-out rows are a function of the seed. They are read in the same batches at every measurement, and what is hidden in
them is drawn in the same way, so two measurements differ by the weights alone.
"""

import hashlib
import json
import logging
import math
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from sentflow.errors import DataError
from sentflow.files.atomic import not_written
from sentflow.files.io import file_sha256
from sentflow.jobs.lifeline import refuse_orphan
from sentflow.training.contract import Objective, Row
from sentflow.training.draws import Draws
from sentflow.training.gradients import (
    ALONE,
    Autocast,
    Precision,
    Processes,
    StepSums,
    chunks_by_length,
    gradients,
    represented,
)
from sentflow.training.settings import TrainingSettings
from sentflow.training.snapshots import snapshot_steps
from sentflow.training.steps import Order, learning_rate, make_optimiser, trained

logger = logging.getLogger(__name__)

_WEIGHTS, _OPTIMISER, _STATE = "weights.safetensors", "optimiser.safetensors", "state.json"
_KEPT = 2


@dataclass
class Progress:
    """How far a training is, beside weights and optimiser."""

    step: int = 0  # steps that are done
    history: list[dict[str, float]] = field(default_factory=list)  # a row per done step
    # held_out: what was measured on rows that are not trained on, see `sentflow.training.loop.measured`
    held_out: list[dict[str, Any]] = field(default_factory=list)
    # scaler: state of the scaler of the loss; empty without one
    scaler: dict[str, float] = field(default_factory=dict)
    resumed: list[int] = field(default_factory=list)  # the steps after which the training went on from disk
    seconds: float = 0.0  # of all runs together; no number depends on them


class StateFolder:
    """Where the states of one training lie: hidden, in no rule's outputs, which Snakemake deletes before a job."""

    def __init__(self, folder: Path, *, key: str) -> None:
        self.folder, self._key = folder, key

    def save(self, objective: torch.nn.Module, optimiser: torch.optim.Optimizer, progress: Progress) -> None:
        """Write the state after a step, then delete all but the last two.

        Raises DataError: it cannot be written, say because the disk is full; the state before is still there.
        """
        target = self.folder / f"step-{progress.step:06d}"
        part = self.folder / f".{target.name}.{os.getpid()}.part"
        try:
            for old in self.folder.glob(".*.part"):
                shutil.rmtree(old, ignore_errors=True)
            part.mkdir(parents=True, exist_ok=True)
            save_file(_tensors(objective), part / _WEIGHTS)
            save_file(_moments(objective, optimiser), part / _OPTIMISER)
            checksums = {name: file_sha256(part / name) for name in (_WEIGHTS, _OPTIMISER)}
            told = {"key": self._key, "files": checksums, **progress.__dict__}
            (part / _STATE).write_text(json.dumps({**told, "sha256": _digest(told)}), encoding="utf-8")
            refuse_orphan()
            shutil.rmtree(target, ignore_errors=True)
            part.rename(target)
        except (OSError, SafetensorError) as error:
            shutil.rmtree(part, ignore_errors=True)
            reason = error if isinstance(error, OSError) else OSError(str(error))
            raise DataError(not_written(target, reason)) from error
        for old in self._states()[_KEPT:]:
            shutil.rmtree(old, ignore_errors=True)

    def restore(self, objective: torch.nn.Module, optimiser: torch.optim.Optimizer) -> Progress:
        """Put the newest whole state into objective and optimiser; without one, nothing is changed."""
        for folder in self._states():
            try:
                told = _checked(folder)
            except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                logger.warning("The state %s is damaged and is deleted (%s).", folder, error)
                shutil.rmtree(folder, ignore_errors=True)
                continue
            if told.pop("key") != self._key:
                logger.info("%s is of other settings, data or code, and is deleted", folder)
                shutil.rmtree(folder, ignore_errors=True)
                continue
            progress = Progress(**told)
            weights = load_file(folder / _WEIGHTS)
            if weights.keys() != _tensors(objective).keys():
                raise DataError(f"{folder} does not fit the recipe. Delete {self.folder} and run again.")
            objective.load_state_dict(weights, strict=False)  # a tensor with two names is there once
            _put_moments(objective, optimiser, load_file(folder / _OPTIMISER))
            logger.info("goes on after step %d, from %s", progress.step, folder)
            return progress
        return Progress()

    def _states(self) -> list[Path]:
        """The newest first. By number: as text, ``step-1000000`` comes before ``step-999999``."""
        found = [path for path in self.folder.glob("step-*") if _step(path).isdecimal()]
        return sorted(found, key=lambda path: int(_step(path)), reverse=True)


def _step(folder: Path) -> str:
    return folder.name.removeprefix("step-")


def _digest(told: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def _checked(folder: Path) -> dict[str, Any]:
    """What ``state.json`` says, if not a byte of what it says and of the files beside it has changed."""
    told: dict[str, Any] = json.loads((folder / _STATE).read_text(encoding="utf-8"))
    if told.pop("sha256") != _digest(told):
        raise ValueError(f"{_STATE} has changed since it was written")
    for name, checksum in told.pop("files").items():
        if file_sha256(folder / name) != checksum:
            raise ValueError(f"{name} has changed since it was written")
    return told


def _tensors(module: torch.nn.Module) -> dict[str, torch.Tensor]:
    """Parameters and buffers, tensors with several names under the first; each in memory of its own."""
    found: dict[str, torch.Tensor] = {}
    seen: set[tuple[int, torch.Size, int]] = set()
    for name, value in module.state_dict().items():
        identity = (value.data_ptr(), value.shape, value.storage_offset())
        if value.numel() and identity in seen:
            continue
        seen.add(identity)
        found[name] = value.detach().cpu().contiguous().clone()
    return found


def _moments(objective: torch.nn.Module, optimiser: torch.optim.Optimizer) -> dict[str, torch.Tensor]:
    found = {}
    for name, value in trained(objective):
        for key, moment in optimiser.state.get(value, {}).items():
            found[f"{name}\t{key}"] = torch.as_tensor(moment).detach().cpu().contiguous().clone()
    return found


def _put_moments(
    objective: torch.nn.Module, optimiser: torch.optim.Optimizer, moments: Mapping[str, torch.Tensor]
) -> None:
    named = dict(trained(objective))
    for place, moment in moments.items():
        name, key = place.split("\t")
        value = named[name]
        state: dict[str, Any] = optimiser.state[value]
        # AdamW counts its steps on the processor
        state[key] = moment if key == "step" else moment.to(value.device)


_PURPOSE = "held-out"


def split(rows: Sequence[Row], settings: TrainingSettings, draws: Draws) -> tuple[list[Row], list[Row]]:
    """The rows that are trained on, in their order, and those that are held out; the second is empty without a share.

    Rows with a ``text`` or an ``other`` in common stay together, also by way of further rows, so that neither a
    question nor what answers it is on both sides. A group larger than what is to be held out is trained on.

    `settings`, `draws`: of the training; of the settings, ``held_out`` and ``batch_size``. Raises DataError: the share
    is less than a batch or leaves less than one, or too many rows are connected; says what to write instead.
    """
    if settings.held_out is None:
        return list(rows), []
    share, size = settings.held_out, settings.batch_size
    number = math.floor(share * len(rows) / size) * size
    groups = _groups(rows)
    sizes = np.bincount(groups)
    is_out = np.zeros(len(sizes), dtype=bool)
    n_chosen = 0
    for group in draws.of(_PURPOSE).generator().permutation(len(sizes)).tolist():
        if n_chosen < number and sizes[group] <= number:
            is_out[group] = True
            n_chosen += int(sizes[group])
    kept = [row for row, group in zip(rows, groups, strict=True) if not is_out[group]]
    if not number or len(kept) < size:
        problem = "leave" if number else "are"
        raise DataError(
            f"training.held_out: {share:g} of {len(rows)} rows {problem} fewer than one batch of {size}. Write another "
            "share, a smaller training.batch_size, more rows, or null."
        )
    if n_chosen < number:
        raise DataError(
            f"training.held_out: {share:g} of {len(rows)} rows are {number}, and only {n_chosen} have no text in "
            f"common with more than {number} others. Write a smaller or a much larger share, or null."
        )
    if n_chosen > number:
        logger.info(
            "%d rows have a text in common with held-out ones, fill no batch, and are in neither part",
            n_chosen - number,
        )
    return kept, [row for row, group in zip(rows, groups, strict=True) if is_out[group]][:number]


def _groups(rows: Sequence[Row]) -> np.ndarray:
    """(n,) the number of what each row is connected to, in the order of the first rows."""
    number_of: dict[str, int] = {}
    ends = [
        [number_of.setdefault(row[column], len(number_of)) for row in rows]
        for column in ("text", "other")
        if column in rows[0]
    ]
    edges = coo_array((np.ones(len(rows)), (ends[0], ends[-1])), shape=(len(number_of), len(number_of)))
    _, component = connected_components(edges, directed=False)
    _, first, group = np.unique(component[ends[0]], return_index=True, return_inverse=True)
    found: np.ndarray = np.argsort(np.argsort(first))[group]
    return found


def measured(
    objective: Objective,
    rows: Sequence[Row],
    settings: TrainingSettings,
    draws: Draws,
    *,
    step: int,
    autocast: Autocast,
) -> list[dict[str, Any]]:
    """What an objective reaches on held-out rows after a step, without dropout; it is left in evaluation mode.

    `rows`: the second of what `split` gives: whole batches. Returns: per measure the values of a
    `sentflow.training.record.HeldOutRow`, by name, as JSON holds them.
    """
    objective.eval()
    chunks = partial(chunks_by_length, max_tokens_per_chunk=settings.chunk_tokens)
    sums: dict[str, tuple[float, int]] = {}
    for start in range(0, len(rows), settings.batch_size):
        batch = rows[start : start + settings.batch_size]
        of_batch = draws.of(_PURPOSE, "batch", start)
        views = objective.views(batch, of_batch)
        vectors = represented(objective, views, of_batch, chunks=chunks, autocast=autocast)
        for name, (value, number) in objective.measures(vectors, batch).items():
            total, n = sums.get(name, (0.0, 0))
            sums[name] = total + value, n + number
    found = [
        {"step": step, "measure": name, "value": total / n if n else math.nan, "n": n}
        for name, (total, n) in sums.items()
    ]
    told = ", ".join(f"{row['measure']} {row['value']:.4f} (n {row['n']})" for row in found)
    logger.info("after step %d, on %d held-out rows: %s", step, len(rows), told)
    return found


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
    """Trains an objective from its last state on disk, or from the start, to the last step.

    The objective is given in its state before the first step, on its device. Of several processes the first one saves.
    """

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
