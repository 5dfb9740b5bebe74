"""How the loops of training are compiled: by numba, once per processor and version of their source."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from llvmlite.binding import get_host_cpu_name

F = TypeVar("F", bound=Callable[..., Any])

# Sums may be reordered and products fused with them, as BLAS does; infinities and NaN keep their meaning.
_OPTIONS: dict[str, Any] = {"error_model": "numpy", "fastmath": {"reassoc", "contract", "nsz"}}


def compiled(signature: str) -> Callable[[F], F]:
    """Compile for one signature when the module is imported, or read what an earlier process compiled."""
    return numba.njit(signature, cache=True, **_OPTIONS)  # type: ignore[no-any-return]


def inlined(function: F) -> F:
    """Compile as a part of the loops that call it.

    Without force, LLVM may leave it a function of its own; and a process that reads two loops from the cache calls the
    copy of one of them in both, which may have other bits than the copy that the loop was compiled with.
    """
    result: F = numba.njit(forceinline=True, **_OPTIONS)(function)
    return result


def _cache_folder() -> str:
    """Beside this file, one folder per processor and state of all loops.

    Numba notes in its cache for which processor a loop was compiled, and its index loses entries where processes write
    it at the same time; so machines of two kinds that share a disk get a folder each. It looks at the age of the one
    file in which a loop is written, but not of those whose loops are parts of it; so the folder has the digest of all.
    """
    here = Path(__file__).parent
    digest = hashlib.sha256()
    for module in sorted(here.glob("*.py")):
        digest.update(module.read_bytes())
    return str(here / "__pycache__" / f"{get_host_cpu_name()}-{digest.hexdigest()[:16]}")


if not numba.config.CACHE_DIR:  # NUMBA_CACHE_DIR
    numba.config.CACHE_DIR = _cache_folder()
