"""The loss of a step and its gradients, from chunks of rows that fit memory.

Contrastive losses need the vectors of all rows at once, but not the graphs behind them. So the vectors are computed
without graphs, the loss is differentiated with respect to them, and each chunk is represented once more with its graph,
which takes the gradient of its vectors on to the weights (Gao et al. 2021, arXiv:2101.06983). Dropout must be the same
both times: it is, for each chunk has a seed of its own.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch

from sentflow.training.contract import Example, Objective, Row
from sentflow.training.draws import Draws
from sentflow.training.processes import ALONE, Processes, Tensors

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
