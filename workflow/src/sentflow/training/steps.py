"""What a step reads and how it changes weights: the order of rows, the learning rate, AdamW."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
import torch

from sentflow.training.draws import Draws
from sentflow.training.settings import CONSTANT, COSINE, DROP, TrainingSettings


@dataclass(frozen=True)
class Order:
    """The order in which rows are read: each epoch in another permutation."""

    n_rows: int  # of the data
    batch_size: int  # rows of a batch
    # last_batch: whether an epoch ends with the rows that do not fill a batch (``"keep"``) or without them
    # (``"drop"``)
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


class UncorrectedAdamW(torch.optim.Optimizer):
    """AdamW whose moments are not corrected for their start at 0, and whose decay follows the step.

    That of ConSERT: ``AdamW`` of transformers 2 to 4 with ``correct_bias=False``. BERT's own decays before the step.

    `params`, `lr`, `betas`, `eps`, `weight_decay`: as of ``torch.optim.AdamW``.
    """

    def __init__(
        self,
        params: Any,
        lr: float,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-6,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

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
