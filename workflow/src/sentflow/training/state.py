"""The state of a training on disk: whole or not there, and no pickle.

A state is a folder ``step-000040`` with ``weights.safetensors`` (all parameters and buffers of the objective),
``optimiser.safetensors`` and ``state.json`` (step, history, scale of the loss, checksums, and a digest of all of
these). It is written under another name and renamed; the one before stays until the next is whole. So a kill at any
moment, or a full disk, costs the steps since the last one.
"""

import hashlib
import json
import logging
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from sentflow.errors import DataError
from sentflow.files.atomic import not_written
from sentflow.files.io import file_sha256
from sentflow.jobs.lifeline import refuse_orphan
from sentflow.training.steps import trained

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
