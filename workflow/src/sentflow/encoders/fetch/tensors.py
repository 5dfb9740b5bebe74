"""What the headers of weights in safetensors say; no value is read."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from safetensors import SafetensorError, safe_open

from sentflow.encoders.fetch.settings_files import damaged
from sentflow.errors import DataError


@dataclass(frozen=True)
class TensorHeader:
    """Shape and type of a tensor, the type as safetensors names it, e.g. ``"BF16"``."""

    shape: tuple[int, ...]
    dtype: str


def tensor_headers(path: Path) -> dict[str, TensorHeader]:
    """Name → header of each tensor of a file."""
    try:
        with safe_open(path, framework="np") as file:
            slices = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118 - it is no map
            return {
                name: TensorHeader(tuple(found.get_shape()), found.get_dtype())
                for name, found in slices.items()
            }
    except (OSError, ValueError, SafetensorError) as error:
        raise DataError(damaged(path, str(error))) from error


def check_tensor_names(path: Path, names: Iterable[str], *, known: Iterable[str]) -> None:
    """Refuse a file of weights with tensors that nobody reads. Raises DataError: names the first of them."""
    if unexpected := sorted({*names} - {*known}):
        more = f" and {len(unexpected) - 3} more" if len(unexpected) > 3 else ""
        raise DataError(
            f"{path} holds tensors that have no place in the model: {', '.join(unexpected[:3])}{more}. Known: "
            f"{', '.join(sorted(known))}. Take the weights as their authors published them."
        )
