"""The loss of a step and its gradients, in chunks that fit memory, by one process or several.

Contrastive losses need the vectors of all rows at once, but not the graphs behind them. So the vectors are computed
without graphs, the loss is differentiated with respect to them, and each chunk is represented once more with its graph,
which takes the gradient of its vectors on to the weights (Gao et al. 2021, arXiv:2101.06983). Dropout must be the same
both times: it is, for each chunk has a seed of its own.

Of several processes, started by ``torchrun``, all hold the same weights and draw the same numbers. They exchange the
vectors of their chunks, each computes the whole loss, and the gradients of all are added up.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
import torch.distributed as dist

from sentflow.errors import ConfigError
from sentflow.training.contract import Example, Objective, Row
from sentflow.training.draws import Draws
from sentflow.training.settings import BFLOAT16, FLOAT16, FLOAT32

_TYPES = {BFLOAT16: torch.bfloat16, FLOAT16: torch.float16}


class Precision:
    """Autocast, and the scaler of the loss that float16 needs. `device`: where the objective is."""

    def __init__(self, name: str, device: torch.device) -> None:
        if name == FLOAT16 and device.type != "cuda":
            raise ConfigError(
                f"training.precision: {FLOAT16} needs a GPU. Write {BFLOAT16} or {FLOAT32} on a processor."
            )
        self._name, self._device = name, device
        self._scaler = torch.amp.GradScaler(device.type) if name == FLOAT16 else None

    def autocast(self) -> AbstractContextManager[Any]:
        """For the forward pass."""
        if self._name == FLOAT32:
            return nullcontext()
        return torch.autocast(self._device.type, dtype=_TYPES[self._name])

    @property
    def scale(self) -> float:
        """By what the loss is multiplied before it is differentiated; 1 without a scaler."""
        return float(self._scaler.get_scale()) if self._scaler else 1.0

    def unscale(self, optimiser: torch.optim.Optimizer) -> None:
        """Divide the gradients by `scale`."""
        if self._scaler:
            # The scaler starts with the first loss that it scales
            self._scaler.scale(torch.zeros((), device=self._device))
            self._scaler.unscale_(optimiser)

    def step(self, optimiser: torch.optim.Optimizer) -> bool:
        """A step of the optimiser; False where they were not finite: compute them again with the new, lower scale."""
        if not self._scaler:
            optimiser.step()
            return True
        before = self.scale
        self._scaler.step(optimiser)
        self._scaler.update()
        return self.scale >= before

    def state(self) -> dict[str, float]:
        """What `restore` needs; empty without a scaler."""
        return dict(self._scaler.state_dict()) if self._scaler else {}

    def restore(self, state: dict[str, float]) -> None:
        """Go on from a state."""
        if self._scaler and state:
            self._scaler.load_state_dict(state)

    @property
    def may_overflow(self) -> bool:
        """Whether gradients that are not finite may be a matter of the scale, and not of the training."""
        return self.scale > 1


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


Autocast: TypeAlias = Callable[[], AbstractContextManager[Any]]
"""Makes a context of the precision of a training. One per chunk: torch keeps weights that it has cast in a context, and
those of a pass without graph have none in the next pass either."""

_ALONE = ""


@dataclass(frozen=True)
class StepSums:
    """What a step comes to."""

    loss: float  # further losses included, not scaled
    tokens: int  # of all views, without padding


def chunks_by_length(examples: Sequence[Example], max_tokens_per_chunk: int) -> list[list[int]]:
    """Places of examples in chunks of similar length, longest first, so that little is padded.

    `max_tokens_per_chunk`: at most so many tokens of a chunk, padding included; an example that is longer is a chunk
    of its own. Returns each place once. Examples of one length keep their order.
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


def gradients(
    objective: Objective,
    rows: Sequence[Row],
    draws: Draws,
    *,
    chunks: Callable[[Sequence[Example]], list[list[int]]],
    cached: bool,
    scale: float = 1.0,
    autocast: Autocast = nullcontext,
    processes: Processes = ALONE,
) -> StepSums:
    """Add the gradients of a step to those of the parameters.

    `draws`: of that step. Each chunk, the loss and each further loss are given a seed of their own, a function of
    these draws, so that dropout depends on the chunks, but not on `cached`. `cached`: whether chunks are represented
    twice, with one graph in memory at a time, or once, with all graphs. The gradients are equal but for the order of
    sums. `scale`: what gradients, but not the loss returned, are multiplied by. `autocast`: of what is represented and
    of further losses. The loss reads vectors in at least single precision. `processes`: that share the chunks; each
    ends with the gradients of all rows. Returns the loss and the number of tokens.
    """
    views = objective.views(rows, draws)
    places = [chunks(view) for view in views]

    def represent(view: int, chunk: int) -> Tensors:
        examples = [views[view][place] for place in places[view][chunk]]
        return _represented(objective, examples, view, chunk, draws, autocast)

    all_chunks = [(view, chunk) for view, of in enumerate(places) for chunk in range(len(of))]
    own = processes.share(all_chunks)
    with torch.set_grad_enabled(not cached):
        parts = {chunk: represent(*chunk) for chunk in own}
    # The loss is differentiated down to the vectors first, and then chunk by chunk to the weights
    detached = {chunk: {name: each.detach() for name, each in part.items()} for chunk, part in parts.items()}
    leaves = processes.gathered(detached, all_chunks)
    for (view, _), part in leaves.items():
        for leaf in part.values():
            leaf.requires_grad_(leaf.is_floating_point() and view not in objective.frozen_views)
    torch.manual_seed(draws.of("loss").torch_seed())
    loss = objective.loss(
        [_in_order([leaves[view, chunk] for chunk in range(len(of))], of) for view, of in enumerate(places)],
        rows,
    )
    (loss * scale).backward()  # type: ignore[no-untyped-call]
    further = _further(objective, rows, draws, scale=scale, autocast=autocast)
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
    return StepSums(
        loss=loss.item() + further,
        tokens=sum(len(example["input_ids"]) for view in views for example in view),
    )


@torch.no_grad()
def represented(
    objective: Objective,
    views: Sequence[Sequence[Example]],
    draws: Draws,
    *,
    chunks: Callable[[Sequence[Example]], list[list[int]]],
    autocast: Autocast = nullcontext,
) -> list[Any]:
    """What an objective represents examples by, without gradient, view by view, in the order of the rows."""
    found = []
    for view, examples in enumerate(views):
        places = chunks(examples)
        parts = [
            _represented(objective, [examples[place] for place in chunk], view, number, draws, autocast)
            for number, chunk in enumerate(places)
        ]
        found.append(_in_order(parts, places))
    return found


def _represented(
    objective: Objective, examples: Sequence[Example], view: int, chunk: int, draws: Draws, autocast: Autocast
) -> Tensors:
    """What `Objective.represent` gives, by name; one tensor has none."""
    torch.manual_seed(draws.of("view", view, "chunk", chunk).torch_seed())
    with autocast(), _sparse_tables(objective):
        found = objective.represent(examples, view)
    named = {_ALONE: found} if isinstance(found, torch.Tensor) else found
    return {
        name: each.float() if each.dtype in (torch.float16, torch.bfloat16) else each
        for name, each in named.items()
    }


@contextmanager
def _sparse_tables(objective: Objective) -> Iterator[None]:
    """Let the gradient of a table of embeddings have the rows that were read, while a graph is made.

    A chunk reads some hundred rows of 30,000 or more; else each would write and add up the whole table.
    """
    tables = [module for module in objective.modules() if isinstance(module, torch.nn.Embedding)]
    before = [table.sparse for table in tables]
    for table in tables:
        table.sparse = not table.scale_grad_by_freq  # torch has no sparse gradient for that
    try:
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


def _further(
    objective: Objective, rows: Sequence[Row], draws: Draws, *, scale: float, autocast: Autocast
) -> float:
    """Add the gradients of what does not read the vectors; its sum."""
    losses = objective.further_losses(rows, draws)
    total, number = 0.0, 0
    while True:
        torch.manual_seed(draws.of("further", number).torch_seed())
        with autocast(), _sparse_tables(objective):
            loss = next(losses, None)
        if loss is None:
            return total
        (loss * scale).backward()  # type: ignore[no-untyped-call]
        total, number = total + loss.item(), number + 1
