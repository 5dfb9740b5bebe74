"""The loss of a step and its gradients, in chunks that fit memory, by one process or several.

Vectors are computed without graphs, the loss is differentiated down to them, and each chunk is represented once more
with its graph and the same dropout, which takes the gradient on to the weights (Gao et al. 2021, arXiv:2101.06983).

Of several processes, started by ``torchrun``, all hold the same weights and draw the same numbers. They exchange the
vectors of their chunks, each computes the whole loss, and the gradients of all are added up.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import torch
import torch.distributed as dist

from sentflow.errors import ConfigError
from sentflow.training.contract import Example, Objective, Row
from sentflow.training.draws import Draws
from sentflow.training.settings import BFLOAT16, FLOAT16, FLOAT32, TrainingSettings

_TYPES = {FLOAT32: None, BFLOAT16: torch.bfloat16, FLOAT16: torch.float16}
_ALONE = ""
Chunk: TypeAlias = tuple[int, int]
"""View and number of a chunk."""
Tensors: TypeAlias = Mapping[str, torch.Tensor]
"""What a chunk is represented by, each a row per example."""


class Processes:
    """The processes that ``torchrun`` has started, or this one alone; `rank` says which this is, of `size`."""

    def __init__(self, device: str | None = None) -> None:
        self.rank, self.size = 0, 1
        if device is not None and int(os.environ.get("WORLD_SIZE", "1")) > 1:
            self._device = torch.device(device)
            dist.init_process_group("nccl" if self._device.type == "cuda" else "gloo")
            self.rank, self.size = dist.get_rank(), dist.get_world_size()

    def share(self, chunks: Sequence[Chunk]) -> list[Chunk]:
        """The chunks that this process represents."""
        return list(chunks[self.rank :: self.size])

    def gathered(self, own: Mapping[Chunk, Tensors], chunks: Sequence[Chunk]) -> dict[Chunk, Tensors]:
        """The vectors of all chunks, without graphs, given those of this process."""
        if self.size == 1:
            return {chunk: own[chunk] for chunk in chunks}
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
        """Drop the gradients that every process has computed in full, but for those of the first."""
        for value in objective.parameters() if self.rank else ():
            value.grad = None

    def add_up(self, objective: torch.nn.Module) -> None:
        """Replace the gradients of each process by their sum."""
        for value in objective.parameters() if self.size > 1 else ():
            if value.requires_grad:
                value.grad = torch.zeros_like(value) if value.grad is None else value.grad
                dist.all_reduce(value.grad)

    def agreed(self, wish: bool) -> bool:
        """What the first process wants."""
        if self.size == 1:
            return wish
        flag = torch.tensor([int(wish)], device=self._device)
        dist.broadcast(flag, 0)
        return bool(flag.item())

    def wait(self) -> None:
        """Until all processes are here."""
        if self.size > 1:
            dist.barrier()


ALONE = Processes()


def chunks_by_length(examples: Sequence[Example], max_tokens_per_chunk: int) -> list[list[int]]:
    """Places of examples in chunks of similar length, longest first, so that little is padded; each once.

    `max_tokens_per_chunk`: padding included; an example that is longer is a chunk of its own.
    """
    lengths = [len(example["input_ids"]) for example in examples]
    chunks: list[list[int]] = []
    longest = 0
    for place in sorted(range(len(lengths)), key=lambda place: (-lengths[place], place)):
        if chunks and (len(chunks[-1]) + 1) * longest <= max_tokens_per_chunk:
            chunks[-1].append(place)
        else:
            chunks.append([place])
            longest = lengths[place]
    return chunks


class Passes:
    """Forward and backward passes of an objective: in chunks, in the precision of a training, by all its processes.

    With ``gradient_cache`` one graph is in memory at a time, else all; gradients are equal but for the order of sums.
    """

    def __init__(
        self, objective: Objective, settings: TrainingSettings, processes: Processes = ALONE
    ) -> None:
        self._device = objective.encoder.device.type
        if settings.precision == FLOAT16 and self._device != "cuda":
            raise ConfigError(
                f"training.precision: {FLOAT16} needs a GPU. Write {BFLOAT16} or {FLOAT32} on a processor."
            )
        self._objective, self._settings, self._processes = objective, settings, processes

    def gradients(self, rows: Sequence[Row], draws: Draws, *, scale: float = 1.0) -> tuple[float, int]:
        """Add the gradients of a step to those of the parameters; each process ends with those of all rows.

        `draws`: of that step; each chunk, the loss and each further loss have a seed of their own. `scale`: what
        gradients are multiplied by. Returns the loss, further ones included, not scaled; and the tokens of all views,
        without padding.
        """
        objective, processes, cached = self._objective, self._processes, self._settings.gradient_cache
        views = objective.views(rows, draws)
        places = [self._chunks(view) for view in views]

        def represent(view: int, chunk: int) -> Tensors:
            examples = [views[view][place] for place in places[view][chunk]]
            return self._represent(examples, view, chunk, draws)

        all_chunks = [(view, chunk) for view, of in enumerate(places) for chunk in range(len(of))]
        own = processes.share(all_chunks)
        with torch.set_grad_enabled(not cached):
            parts = {chunk: represent(*chunk) for chunk in own}
        # The loss is differentiated down to the vectors first, and then chunk by chunk to the weights
        detached = {
            chunk: {name: each.detach() for name, each in part.items()} for chunk, part in parts.items()
        }
        leaves = processes.gathered(detached, all_chunks)
        for (view, _), part in leaves.items():
            for leaf in part.values():
                leaf.requires_grad_(leaf.is_floating_point() and view not in objective.frozen_views)
        torch.manual_seed(draws.of("loss").torch_seed())
        loss = objective.loss(
            [
                _in_order([leaves[view, chunk] for chunk in range(len(of))], of)
                for view, of in enumerate(places)
            ],
            rows,
        )
        (loss * scale).backward()  # type: ignore[no-untyped-call]
        further = self._further(rows, draws, scale)
        processes.first_alone(objective)
        for chunk in own:
            known = {name: leaf.grad for name, leaf in leaves[chunk].items() if leaf.grad is not None}
            if known:
                part = represent(*chunk) if cached else parts.pop(chunk)
                torch.autograd.backward([part[name] for name in known], list(known.values()))
        for value in objective.parameters():
            if value.grad is not None and value.grad.is_sparse:
                value.grad = value.grad.to_dense()
        processes.add_up(objective)
        return loss.item() + further, sum(len(example["input_ids"]) for view in views for example in view)

    @torch.no_grad()
    def represented(self, views: Sequence[Sequence[Example]], draws: Draws) -> list[Any]:
        """What an objective represents examples by, without gradient, view by view, in the order of the rows."""
        found = []
        for view, examples in enumerate(views):
            places = self._chunks(examples)
            parts = [
                self._represent([examples[place] for place in chunk], view, number, draws)
                for number, chunk in enumerate(places)
            ]
            found.append(_in_order(parts, places))
        return found

    def _chunks(self, examples: Sequence[Example]) -> list[list[int]]:
        return chunks_by_length(examples, self._settings.chunk_tokens)

    def _represent(self, examples: Sequence[Example], view: int, chunk: int, draws: Draws) -> Tensors:
        """What `Objective.represent` gives, by name; one tensor has none."""
        torch.manual_seed(draws.of("view", view, "chunk", chunk).torch_seed())
        with self._forward():
            found = self._objective.represent(examples, view)
        named = {_ALONE: found} if isinstance(found, torch.Tensor) else found
        return {
            name: each.float() if each.dtype in (torch.float16, torch.bfloat16) else each
            for name, each in named.items()
        }

    def _further(self, rows: Sequence[Row], draws: Draws, scale: float) -> float:
        """Add the gradients of what does not read the vectors; its sum."""
        losses = self._objective.further_losses(rows, draws)
        total, number = 0.0, 0
        while True:
            torch.manual_seed(draws.of("further", number).torch_seed())
            with self._forward():
                loss = next(losses, None)
            if loss is None:
                return total
            (loss * scale).backward()  # type: ignore[no-untyped-call]
            total, number = total + loss.item(), number + 1

    @contextmanager
    def _forward(self) -> Iterator[None]:
        """Autocast, in a context per chunk: torch keeps weights that it has cast in one, and those of a pass without
        graph have none in the next pass either. The gradient of a table of embeddings has the rows that were read,
        some hundred of 30,000 or more; else each chunk would write and add up the whole table.
        """
        dtype = _TYPES[self._settings.precision]
        tables = [module for module in self._objective.modules() if isinstance(module, torch.nn.Embedding)]
        before = [table.sparse for table in tables]
        for table in tables:
            table.sparse = not table.scale_grad_by_freq  # torch has no sparse gradient for that
        try:
            with torch.autocast(self._device, dtype=dtype, enabled=dtype is not None):
                yield
        finally:
            for table, sparse in zip(tables, before, strict=True):
                table.sparse = sparse


def _in_order(parts: Sequence[Tensors], places: Sequence[Sequence[int]]) -> Any:
    """What a view is represented by, in the order of its rows."""
    order = torch.argsort(torch.tensor([place for chunk in places for place in chunk]))
    found = {name: torch.cat([part[name] for part in parts]) for name in parts[0]}
    found = {name: each[order.to(each.device)] for name, each in found.items()}
    return found.get(_ALONE, found)
