"""Devices: which there are, and how many folds the memory of one holds."""

import torch

from sentflow.errors import ConfigError
from sentflow.probing.protocol.design import ProbeDesign
from sentflow.probing.protocol.draws import FoldPlan
from sentflow.probing.settings import ProbeProtocol

# Of the free memory of a GPU: the allocator's blocks are larger than what is asked for, and libraries need some.
_USABLE_SHARE = 0.7
# For devices that do not tell their free memory, the processor among them.
_UNTOLD_BYTES = 2 << 30
# In the main memory: the row numbers of all batches of a search.
_DRAWN_BYTES = 1 << 30


def usable_device(device: str) -> str:
    """A device as torch names it, before anything expensive; ``"auto"`` is the first CUDA device, else the processor.

    Raises
    ------
    ConfigError
        Torch knows no such device, or this machine does not have it; says what to write instead.
    """
    n_devices = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if device == "auto":
        return "cuda:0" if n_devices else "cpu"
    try:
        found = torch.device(device)
    except RuntimeError as error:
        raise ConfigError(f"device: {device!r} is not a device. Write cpu, cuda, cuda:1 or auto.") from error
    if found.type == "cuda" and (found.index or 0) >= n_devices:
        raise ConfigError(
            f"device: {device!r}, but torch sees {n_devices or 'no'} CUDA "
            f"device{'s' * (n_devices > 1)}. Write cpu, or "
            "auto to use the processor where there is no such device, or run on a machine that has one, "
            "with a matching build "
            "of torch."
        )
    return device


def folds_at_once(plan: FoldPlan, dimension: int, design: ProbeDesign, budget: int) -> int:
    """How many folds like this one fit into `budget` bytes beside the features; one is always tried."""
    # the moments of one fold at a time need its training rows, and one temporary of their size
    rest = budget - 2 * len(plan.train) * dimension * 4
    protocol = design.protocol
    n_folds = protocol.repetitions * protocol.folds
    drawn = _DRAWN_BYTES // drawn_bytes(plan, protocol)
    return max(1, min(rest // fold_bytes(plan, dimension, design), drawn, n_folds))


def usable_bytes(device: str) -> int:
    """What may be allocated on a device, blocks that torch keeps for later included."""
    if torch.device(device).type != "cuda":
        return _UNTOLD_BYTES
    free, _ = torch.cuda.mem_get_info(device)
    kept = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    return int(_USABLE_SHARE * (free + kept))


def drawn_bytes(plan: FoldPlan, protocol: ProbeProtocol) -> int:
    """What the row numbers of a fold's search take in the main memory, as int32."""
    return 4 * len(plan.train) * len(protocol.grid) * protocol.search_epochs


def fold_bytes(plan: FoldPlan, dimension: int, design: ProbeDesign) -> int:
    """An upper estimate of what a fold takes on the device during the search, its largest step.

    Parameters and four arrays of their size (gradient, two moments, scratch), the batch, the evaluation and test parts,
    and for an MLP the values of its hidden units in a batch and in the evaluation part, with one copy of its first
    weights.
    """
    hidden, n_outputs = design.hidden, design.n_outputs
    size, width = len(design.protocol.grid), dimension + (hidden is None)
    batch_rows = design.protocol.fits_batch(len(plan.train))
    n_rows = len(plan.evaluation)
    units = n_outputs if hidden is None else hidden
    n_parameters = units * width + (0 if hidden is None else hidden * (2 + n_outputs) + n_outputs)
    values = size * (
        5 * n_parameters
        + batch_rows * width
        + 6 * batch_rows * units
        + 3 * n_rows * units
        + (0 if hidden is None else units * width)
    ) + width * (n_rows + len(plan.test))
    rows = 8 * size * len(plan.train)  # of one epoch's batches, int64
    return 4 * values + rows
