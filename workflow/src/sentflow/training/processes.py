"""Several processes that train one encoder: each represents its share of the chunks of a step.

All of them hold the same weights and draw the same numbers. The vectors of all chunks are exchanged, each process
computes the whole loss, and takes the gradients of its own vectors on to the weights; the sums of these are those of
one process but for the order of additions. Processes are started by ``torchrun``, with NCCL on GPUs and gloo on
processors.
"""

import os
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import torch
import torch.distributed as dist

Chunk: TypeAlias = tuple[int, int]
"""View and number of a chunk."""
Tensors: TypeAlias = Mapping[str, torch.Tensor]
"""What a chunk is represented by, each a row per example."""


class Processes:
    """What one process does alone: everything. `rank` says which process this is, of `size`."""

    rank, size = 0, 1

    def share(self, chunks: Sequence[Chunk]) -> list[Chunk]:
        """The chunks that this process represents."""
        return list(chunks)

    def gathered(self, own: Mapping[Chunk, Tensors], chunks: Sequence[Chunk]) -> dict[Chunk, Tensors]:
        """The vectors of all chunks, without graphs, given those of this process."""
        return {chunk: own[chunk] for chunk in chunks}

    def first_alone(self, objective: torch.nn.Module) -> None:
        """Drop the gradients that every process has computed in full, but for those of the first."""

    def add_up(self, objective: torch.nn.Module) -> None:
        """Replace the gradients of each process by their sum."""

    def agreed(self, wish: bool) -> bool:
        """What the first process wants."""
        return wish

    def wait(self) -> None:
        """Until all processes are here."""


class SeveralProcesses(Processes):
    """One of several processes of ``torchrun``; initialises their group."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
        self.rank, self.size = dist.get_rank(), dist.get_world_size()

    def share(self, chunks: Sequence[Chunk]) -> list[Chunk]:
        return list(chunks[self.rank :: self.size])

    def gathered(self, own: Mapping[Chunk, Tensors], chunks: Sequence[Chunk]) -> dict[Chunk, Tensors]:
        known: list[dict[Chunk, dict[str, tuple[torch.Size, torch.dtype]]]] = [{} for _ in range(self.size)]
        own_shapes = {
            chunk: {name: (each.shape, each.dtype) for name, each in part.items()}
            for chunk, part in own.items()
        }
        dist.all_gather_object(known, own_shapes)
        found: dict[Chunk, Tensors] = {}
        for number, chunk in enumerate(chunks):
            owner = number % self.size
            tensors = {}
            for name, (shape, dtype) in known[owner][chunk].items():
                # A copy, so that the graph of the own part stays apart
                each = (
                    own[chunk][name].clone()
                    if chunk in own
                    else torch.empty(shape, dtype=dtype, device=self._device)
                )
                dist.broadcast(each, owner)
                tensors[name] = each
            found[chunk] = tensors
        return found

    def first_alone(self, objective: torch.nn.Module) -> None:
        if self.rank:
            for value in objective.parameters():
                value.grad = None

    def add_up(self, objective: torch.nn.Module) -> None:
        for value in objective.parameters():
            if value.requires_grad:
                value.grad = torch.zeros_like(value) if value.grad is None else value.grad
                dist.all_reduce(value.grad)

    def agreed(self, wish: bool) -> bool:
        flag = torch.tensor([int(wish)], device=self._device)
        dist.broadcast(flag, 0)
        return bool(flag.item())

    def wait(self) -> None:
        dist.barrier()


ALONE = Processes()


def processes_of(device: str) -> Processes:
    """Those that ``torchrun`` has started, or this one alone."""
    return SeveralProcesses(torch.device(device)) if int(os.environ.get("WORLD_SIZE", "1")) > 1 else ALONE


def local_rank() -> int:
    """Which of the processes of this machine this is, from 0."""
    return int(os.environ.get("LOCAL_RANK", "0"))
