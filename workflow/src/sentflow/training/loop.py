"""The loop of every training: no hidden state, so that a training goes on exactly where it was broken off.

Batch, permutations, masks and dropout of step t are functions of the seed and t (`sentflow.training.draws`), and so are
held-out rows. To go on, a training needs its weights, the moments of the optimiser and t.
"""

import hashlib
import json
import logging
import math
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from sklearn.metrics import average_precision_score

from sentflow.errors import DataError
from sentflow.files.archives.pack import pack, packed
from sentflow.files.io import file_sha256
from sentflow.files.storage import Storage
from sentflow.stats.effective import connected, numbered
from sentflow.training.contract import Objective, Row, save_folder
from sentflow.training.draws import Draws
from sentflow.training.gradients import ALONE, Passes, Processes
from sentflow.training.leave import Watch
from sentflow.training.settings import (
    AVERAGE_PRECISION,
    CONSTANT,
    COSINE,
    DROP,
    FLOAT16,
    HeldOutTexts,
    TrainingSettings,
)
from sentflow.training.snapshots import snapshot_steps

logger = logging.getLogger(__name__)

_WEIGHTS, _OPTIMISER, _STATE = "weights.safetensors", "optimiser.safetensors", "state.json"
_FILES = (_WEIGHTS, _OPTIMISER, _STATE)
_KEPT = 2
_COPIES = ("state-0.tar", "state-1.tar")  # written in turn, because some storage deletes before it writes


@dataclass
class Progress:
    """How far a training is, beside weights and optimiser."""

    step: int = 0  # steps that are done
    history: list[dict[str, float]] = field(default_factory=list)  # a row per done step
    # held_out: what was measured on rows that are not trained on, see `Trainer.measured`
    held_out: list[dict[str, Any]] = field(default_factory=list)
    # scaler: state of the scaler of the loss; empty without one
    scaler: dict[str, float] = field(default_factory=dict)
    resumed: list[int] = field(default_factory=list)  # the steps after which the training went on from disk
    seconds: float = 0.0  # of all runs together; no number depends on them
    copies: int = 0  # states that were copied to the storage of the run


class StateFolder:
    """The states and snapshots of one training, see `sentflow.training.cache`, and copies of them on `storage`."""

    def __init__(self, folder: Path, storage: Storage | None = None) -> None:
        self.folder, self._storage = folder, storage
        self._stored: set[str] = set()

    @property
    def snapshots(self) -> Path:
        """Folder of the encoder after some of the steps, an archive each: ``step-000020.tar``."""
        return self.folder / "snapshots"

    def save(
        self,
        objective: torch.nn.Module,
        optimiser: torch.optim.Optimizer,
        progress: Progress,
        *,
        copied: bool = False,
    ) -> None:
        """Write the state after a step, then delete all but the last two. DataError: no room; the one before stays.

        `copied`: to the storage, too, if there is one; the training waits for that.
        """
        copied = copied and self._storage is not None
        progress.copies += copied
        snapshots = sorted(path.name for path in self.snapshots.glob("*.tar"))

        def write(part: Path) -> None:
            save_file(_tensors(objective), part / _WEIGHTS)
            save_file(_moments(objective, optimiser), part / _OPTIMISER)
            checksums = {name: file_sha256(part / name) for name in (_WEIGHTS, _OPTIMISER)}
            told = {"files": checksums, "snapshots": snapshots, **progress.__dict__}
            (part / _STATE).write_text(json.dumps({**told, "sha256": _digest(told)}), encoding="utf-8")

        for old in self.folder.glob(".*.part"):
            shutil.rmtree(old, ignore_errors=True)
        save_folder(folder := self.folder / f"step-{progress.step:06d}", write)
        if copied and not self._copy(folder, snapshots, _COPIES[(progress.copies - 1) % 2]):
            progress.copies -= 1  # the next copy must not be written over the one before
        for old in self._states()[_KEPT:]:
            shutil.rmtree(old, ignore_errors=True)

    def restore(self, objective: torch.nn.Module, optimiser: torch.optim.Optimizer) -> Progress:
        """Put the newest whole state into objective and optimiser; without one, nothing is changed.

        Without one here, that is the newest whole copy on the storage.
        """
        for folder in chain(self._states(), self._fetched()):
            try:
                told = _checked(folder)
                for name in told.pop("snapshots"):
                    self._find_snapshot(name)
            except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                logger.warning("The state %s is damaged and is deleted (%s).", folder, error)
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

    def copies(self, progress: Progress) -> list[str]:
        """Names of all copies that were made, if any state was copied."""
        names = [
            *_COPIES[: progress.copies],
            *(f"snapshots/{path.name}" for path in self.snapshots.glob("*.tar")),
        ]
        return sorted(f"{self.folder.name}/{name}" for name in names) if progress.copies else []

    def _copy(self, folder: Path, snapshots: Sequence[str], name: str) -> bool:
        """Whether a state was copied; one whose snapshots are not all there is of no use, and is not."""
        assert self._storage is not None
        for snapshot in snapshots:
            stored = f"{self.folder.name}/snapshots/{snapshot}"
            is_there = stored in self._stored or self._storage.has(stored)
            if not is_there and not self._storage.put(self.snapshots / snapshot, stored):
                return False
            self._stored.add(stored)
        archive = self.folder / name
        try:
            pack(folder, _FILES, archive)
            return self._storage.put(archive, f"{self.folder.name}/{name}")
        except DataError as error:
            logger.warning("the state is not copied: %s", error)
            return False
        finally:
            archive.unlink(missing_ok=True)

    def _fetched(self) -> Iterator[Path]:
        """Copies of states, the newest first, each in a folder until the next."""
        copies = [f"{self.folder.name}/{name}" for name in _COPIES]
        if self._storage is None:
            return
        for name in self._storage.newest(copies):
            self.folder.mkdir(parents=True, exist_ok=True)
            with TemporaryDirectory(dir=self.folder) as scratch:
                archive, folder = Path(scratch, "archive"), Path(scratch, Path(name).stem)
                folder.mkdir()
                with suppress(DataError):  # what is missing then is told by who reads the folder
                    if self._storage.get(name, archive):
                        _unpack(archive, folder)
                yield folder

    def _find_snapshot(self, name: str) -> None:
        """Fetch the copy of a snapshot that is not here. ValueError: there is none."""
        place, stored = self.snapshots / name, f"{self.folder.name}/snapshots/{name}"
        if not place.is_file() and not (self._storage and self._storage.get(stored, place)):
            raise ValueError(f"its snapshot {name} is missing")

    def _states(self) -> list[Path]:
        """The newest first. By number: as text, ``step-1000000`` comes before ``step-999999``."""
        found = [path for path in self.folder.glob("step-*") if _step(path).isdecimal()]
        return sorted(found, key=lambda path: int(_step(path)), reverse=True)


def _unpack(archive: Path, folder: Path) -> None:
    for member, stream in packed(archive):
        if member.name in _FILES and not member.fault:
            with (folder / member.name).open("wb") as out:
                shutil.copyfileobj(stream, out)


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

    Rows with a ``text`` or an ``other`` in common stay together, also by way of further rows. A group larger than what
    is to be held out is trained on. Of texts instead of a share, all rows of so many drawn ``text`` are held out, as
    far as they fill batches; an ``other`` may be on both sides. Raises DataError: what is held out is less than a batch
    or leaves less than one, or too many rows are connected.
    """
    if settings.held_out is None:
        return list(rows), []
    share, size = settings.held_out, settings.batch_size
    if isinstance(share, HeldOutTexts):
        return _split_by_texts(rows, share.texts, size, draws)
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


def _split_by_texts(rows: Sequence[Row], number: int, size: int, draws: Draws) -> tuple[list[Row], list[Row]]:
    texts = list(dict.fromkeys(row["text"] for row in rows))
    drawn = {texts[place] for place in draws.of(_PURPOSE).generator().permutation(len(texts))[:number]}
    kept, out = ([row for row in rows if (row["text"] in drawn) == is_out] for is_out in (False, True))
    if number > len(texts) or min(len(kept), len(out)) < size:
        raise DataError(
            f"training.held_out: {number} of {len(texts)} texts have {len(out)} rows and leave {len(kept)}; both must "
            f"fill a batch of {size}. Write another number, a smaller training.batch_size, or null."
        )
    return kept, out[: len(out) // size * size]


def _groups(rows: Sequence[Row]) -> np.ndarray:
    """(n,) the number of what each row is connected to, in the order of the first rows."""
    ends = numbered(row.get(column, row["text"]) for column in ("text", "other") for row in rows)
    _, first, group = np.unique(connected(*ends.reshape(2, -1)), return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[group])


# --- steps ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Order:
    """The order in which rows are read: each epoch in another permutation."""

    n_rows: int  # of the data
    batch_size: int  # rows of a batch
    # last_batch: whether an epoch ends with the rows that do not fill a batch (``"keep"``) or not (``"drop"``)
    last_batch: str
    draws: Draws  # of the training

    @property
    def batches_per_epoch(self) -> int:
        """Batches of a pass over the rows, at least 1."""
        whole = self.n_rows / self.batch_size
        return max(1, math.floor(whole) if self.last_batch == DROP else math.ceil(whole))

    def rows(self, batch: int) -> np.ndarray:
        """(k,) int64 rows of a batch, counted from 0 over all epochs; k is `batch_size` but for a last one."""
        epoch, place = divmod(batch, self.batches_per_epoch)
        return _permutation(self.draws, epoch, self.n_rows)[
            place * self.batch_size : (place + 1) * self.batch_size
        ]


@lru_cache(maxsize=2)
def _permutation(draws: Draws, epoch: int, n_rows: int) -> np.ndarray:
    return draws.of("order", epoch).generator().permutation(n_rows)


_NOT_DECAYED = ("bias", "norm.weight", "layernorm.weight", "layer_norm.weight")


def trained(model: torch.nn.Module) -> Iterator[tuple[str, torch.nn.Parameter]]:
    """Name and parameter of everything that is trained; a tensor with two names once."""
    return ((name, value) for name, value in model.named_parameters() if value.requires_grad)


def make_optimiser(model: torch.nn.Module, settings: TrainingSettings) -> torch.optim.Optimizer:
    """AdamW over the trained parameters; biases and normalisations are not decayed (as in BERT's own training)."""
    decayed: list[torch.nn.Parameter] = []
    plain: list[torch.nn.Parameter] = []
    normalising = {
        id(value)
        for module in model.modules()
        if isinstance(module, torch.nn.LayerNorm)
        for value in module.parameters()
    }
    for name, value in trained(model):
        is_plain = id(value) in normalising or name.lower().endswith(_NOT_DECAYED)
        (plain if is_plain else decayed).append(value)
    groups = [
        {"params": decayed, "weight_decay": settings.weight_decay},
        {"params": plain, "weight_decay": 0.0},
    ]
    kind: Any = UncorrectedAdamW
    if settings.bias_correction:
        # One pass over each tensor; on a GPU, where torch chooses, it would count its steps on the device
        on_processor = all(value.device.type == "cpu" for value in decayed + plain)
        kind = partial(torch.optim.AdamW, fused=on_processor or None)
    optimiser: torch.optim.Optimizer = kind(
        [group for group in groups if group["params"]],
        lr=settings.learning_rate,
        betas=settings.betas,
        eps=settings.epsilon,
    )
    return optimiser


def learning_rate(settings: TrainingSettings, step: int, n_steps: int) -> float:
    """Of a step, counted from 0, out of `n_steps`: warm-up from 0, then the schedule (transformers' definitions)."""
    warm_up = math.ceil(settings.warm_up * n_steps)
    if step < warm_up:
        return settings.learning_rate * step / warm_up
    done = (step - warm_up) / max(1, n_steps - warm_up)
    if settings.schedule == CONSTANT:
        return settings.learning_rate
    if settings.schedule == COSINE:
        return settings.learning_rate * 0.5 * (1 + math.cos(math.pi * done))
    return settings.learning_rate * (1 - done)


class UncorrectedAdamW(torch.optim.AdamW):
    """AdamW whose moments are not corrected for their start at 0, and whose decay follows the step.

    That of ConSERT: ``AdamW`` of transformers 2 to 4 with ``correct_bias=False``.
    """

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]  # noqa: ARG002
        """One step."""
        for group in self.param_groups:
            first, second = group["betas"]
            for value in group["params"]:
                if value.grad is None:
                    continue
                state = self.state[value]
                if not state:
                    state["exp_avg"], state["exp_avg_sq"] = torch.zeros_like(value), torch.zeros_like(value)
                state["exp_avg"].lerp_(value.grad, 1 - first)
                state["exp_avg_sq"].mul_(second).addcmul_(value.grad, value.grad, value=1 - second)
                value.addcdiv_(
                    state["exp_avg"], state["exp_avg_sq"].sqrt().add_(group["eps"]), value=-group["lr"]
                )
                value.mul_(1 - group["lr"] * group["weight_decay"])


# --- the loop ---------------------------------------------------------------------------------------------------


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
    """Trains an objective, before its first step and on its device, from its last state on disk to the last step.

    `held_out`: rows that are measured at each snapshot, whole batches. `snapshot`: called with the number of done steps
    where the encoder is to be saved. Of several processes the first one saves.
    """

    def __init__(
        self,
        objective: Objective,
        rows: Sequence[Row],
        settings: TrainingSettings,
        draws: Draws,
        *,
        held_out: Sequence[Row] = (),
        processes: Processes = ALONE,
        snapshot: Callable[[int], None] = lambda _step: None,
        watch: Watch | None = None,
    ) -> None:
        self.objective, self.rows, self.held_out = objective, rows, held_out
        self.settings, self.draws = settings, draws
        self.processes, self.snapshot, self.watch = processes, snapshot, watch or Watch()
        self.total = n_steps(settings, len(rows))
        self.progress = Progress()
        self.scaler = torch.amp.GradScaler(
            objective.encoder.device.type, enabled=settings.precision == FLOAT16
        )
        self._optimiser = make_optimiser(objective, settings)
        self._passes = Passes(objective, settings, processes)
        self._order = Order(len(rows), settings.batch_size, settings.last_batch, draws)
        self._snapshots = set(snapshot_steps(settings, self.total, self._order.batches_per_epoch))

    def run(self, state: StateFolder) -> Progress:
        """Train to the last step; the result has a row of history per step.

        That is ``step`` (from 1), ``loss``, ``learning_rate``, ``gradient_norm`` (before clipping), ``tokens`` (without
        padding, of all views). Raises LeftEarly: the watch said so; the state is saved. Raises DataError: the loss or a
        gradient is not a number, or a state could not be written. The last good state is kept.
        """
        progress = self.progress = state.restore(self.objective, self._optimiser)
        if progress.scaler:
            self.scaler.load_state_dict(progress.scaler)
        earlier = progress.seconds
        if progress.step:
            progress.resumed.append(progress.step)
        elif 0 in self._snapshots:
            self._snapshot()
        self.objective.train()
        self.watch.start(progress.step)
        while progress.step < self.total:
            try:
                row = self._step(progress.step)
            except DataError:  # weights and moments are still those before this step
                self._save(state)
                raise
            progress.step += 1
            progress.history.append({"step": progress.step, **row})
            progress.scaler = dict(self.scaler.state_dict())
            progress.seconds = earlier + self.watch.seconds
            self.watch.log(self.total, progress.history[-1])
            at_snapshot = progress.step in self._snapshots
            if at_snapshot:
                self._snapshot()
            leaving = progress.step < self.total and self.processes.agreed(self.watch.leaves())
            due = self.processes.agreed(self.watch.saves())
            if leaving or at_snapshot or due:
                self._save(state, copied=leaving or due)
            if leaving:
                raise LeftEarly(f"saved after step {progress.step} of {self.total}")
        return progress

    def measured(self, step: int) -> list[dict[str, Any]]:
        """Per measure a `sentflow.training.record.HeldOutRow` by name, without dropout; evaluation mode stays on."""
        self.objective.eval()
        sums: dict[str, tuple[float, int]] = {}
        scored: list[tuple[float, int]] = []
        for start in range(0, len(self.held_out), self.settings.batch_size):
            batch = self.held_out[start : start + self.settings.batch_size]
            draws = self.draws.of(_PURPOSE, "batch", start)
            vectors = self._passes.represented(self.objective.views(batch, draws), draws)
            for name, (value, number) in self.objective.measures(vectors, batch).items():
                total, n = sums.get(name, (0.0, 0))
                sums[name] = total + value, n + number
            scored += self.objective.scored(vectors, batch)
        found = [
            {"step": step, "measure": name, "value": total / n if n else math.nan, "n": n}
            for name, (total, n) in sums.items()
        ]
        if any(label for _, label in scored):
            cosines, labels = zip(*scored, strict=True)
            value = float(average_precision_score(labels, cosines))
            found.append({"step": step, "measure": AVERAGE_PRECISION, "value": value, "n": len(scored)})
        shown = ", ".join(f"{row['measure']} {row['value']:.4f} (n {row['n']})" for row in found)
        logger.info("after step %d, on %d held-out rows: %s", step, len(self.held_out), shown)
        return found

    def _save(self, state: StateFolder, *, copied: bool = False) -> None:
        if not self.processes.rank:
            state.save(self.objective, self._optimiser, self.progress, copied=copied)
        self.processes.wait()

    def _snapshot(self) -> None:
        """Save the encoder, and measure held-out rows."""
        step, held_out = self.progress.step, self.progress.held_out
        if not self.processes.rank:
            self.snapshot(step)
        self.processes.wait()
        self.objective.at_step(step, self.total)
        if self.held_out and all(row["step"] != step for row in held_out):
            held_out += self.measured(step)
        self.objective.train()

    def _step(self, step: int) -> dict[str, float]:
        rate = learning_rate(self.settings, step, self.total)
        for group in self._optimiser.param_groups:
            group["lr"] = rate
        self.objective.at_step(step, self.total)
        parameters = [value for _, value in trained(self.objective)]
        limit = math.inf if self.settings.clip is None else self.settings.clip
        while True:
            self._optimiser.zero_grad(set_to_none=True)
            sums = [self._gradients(step, part) for part in range(self.settings.accumulate)]
            loss = sum(each / self.settings.accumulate for each, _ in sums)
            # The scaler starts with the first loss that it scales
            self.scaler.scale(torch.zeros((), device=self.objective.encoder.device))
            self.scaler.unscale_(self._optimiser)
            norm = float(torch.nn.utils.clip_grad_norm_(parameters, limit))
            scale = self.scaler.get_scale()
            # Above 1, gradients that are not finite may be a matter of the scale, and not of the training
            if not math.isfinite(loss) or not (math.isfinite(norm) or scale > 1):
                raise DataError(
                    f"at step {step + 1} of {self.total}, with learning rate {rate:.3g}, the "
                    f"{'gradient' if math.isfinite(loss) else 'loss'} is not a number (loss {loss}, norm of the "
                    f"gradient {norm}). Write a smaller training.learning_rate, a longer training.warm_up, or "
                    "training.clip; the state before this step is kept."
                )
            self.scaler.step(self._optimiser)
            self.scaler.update()
            if self.scaler.get_scale() >= scale:
                tokens = sum(each for _, each in sums)
                return {"loss": loss, "learning_rate": rate, "gradient_norm": norm, "tokens": tokens}
            logger.info(
                "step %d is computed again: its gradients overflow. New scale: %g",
                *(step + 1, self.scaler.get_scale()),
            )

    def _gradients(self, step: int, part: int) -> tuple[float, int]:
        """Add the gradients of one of the batches of a step."""
        batch = [self.rows[index] for index in self._order.rows(step * self.settings.accumulate + part)]
        return self._passes.gradients(
            batch,
            self.draws.of("step", step, "part", part),
            scale=self.scaler.get_scale() / self.settings.accumulate,
        )
