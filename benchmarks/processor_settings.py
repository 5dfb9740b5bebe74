"""Other processors on this one: what tells each library to use fewer instructions, and what it then uses.

Libraries choose their loops by the instructions of the processor (AVX-512, AVX2, SSE4.2), and sums change in their last
digits with them. Each has a setting that forbids instructions, which it reads when it starts; most ignore a name that
they do not know without a word. So each setting has a way to ask the library, in the same process, what it uses.
"""

import os
import re
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

# Which of `PROCESSORS` this process was started as
VARIABLE = "SENTFLOW_PROCESSOR"


@dataclass(frozen=True)
class Setting:
    """What makes one library compute as on another processor.

    Attributes
    ----------
    library
        A key of `USED`.
    variables
        Environment variables, to be set before Python starts.
    expected
        What the library then says that it uses.
    """

    library: str
    variables: dict[str, str]
    expected: str

    def problem(self) -> str | None:
        """Why this process does not compute so; None if it does."""
        used = USED[self.library]()
        if used in (self.expected, *NOT_TO_BE_SET.get(self.library, ())):
            return None
        return f"{self.library} uses {used}, not {self.expected}, although {self.variables} is asked for"


@dataclass(frozen=True)
class Processor:
    """A processor with fewer instructions.

    Attributes
    ----------
    title
        For tables.
    needs
        NumPy's name of the instructions that the processor of this machine must have.
    lacks
        Its name of the next ones: a processor without them computes so by itself.
    settings
        One or more per library.
    """

    title: str
    needs: str
    lacks: str
    settings: tuple[Setting, ...]

    def variables(self) -> dict[str, str]:
        """All environment variables."""
        return {name: value for setting in self.settings for name, value in setting.variables.items()}

    def problems(self) -> list[str]:
        """Settings that have no effect in this process."""
        return [problem for setting in self.settings if (problem := setting.problem())]


# --- what a library uses, as it says itself


def _torch() -> str:
    import torch

    return torch.backends.cpu.get_cpu_capability()


def _openblas() -> str:
    import numpy  # noqa: F401 - NumPy and SciPy bring an OpenBLAS each
    import scipy.linalg  # noqa: F401
    from threadpoolctl import threadpool_info

    found = {facts["architecture"] for facts in threadpool_info() if facts["internal_api"] == "openblas"}
    return " and ".join(sorted(found)) or "another library"


def _numpy() -> str:
    from numpy._core._multiarray_umath import __cpu_baseline__, __cpu_dispatch__, __cpu_features__

    return " ".join([*__cpu_baseline__, *(name for name in __cpu_dispatch__ if __cpu_features__[name])])


def _numba() -> str:
    try:
        import numba
    except ImportError:
        return _ABSENT
    import numpy as np
    from numba.core.registry import cpu_target

    @numba.njit(fastmath=True)
    def dot(a, b):  # type: ignore[no-untyped-def]
        total = np.float32(0)
        for i in range(a.size):
            total += a[i] * b[i]
        return total

    dot(np.ones(64, np.float32), np.ones(64, np.float32))
    compiled = "".join(dot.inspect_asm().values())
    widest = next((name for name in ("zmm", "ymm", "xmm") if name in compiled), "no vectors")
    return f"{cpu_target.target_context.codegen().magic_tuple()[1]} with {widest}"


def _pyarrow() -> str:
    import pyarrow

    return str(pyarrow.runtime_info().simd_level)


def _onednn() -> str:
    found = re.search(r"cpu,convolution,([^,]+)", _said_by_torch())
    return found[1] if found else "no oneDNN"


def _mkl() -> str:
    found = re.search(r"for Intel\(R\) 64 architecture (.*?) ?(?:enabled )?processors", _said_by_torch())
    return found[1] if found else "no MKL"


def _mkl_mode() -> str:
    found = re.search(r"SGEMM.* CNR:(\w+)", _said_by_torch())
    return found[1] if found else "no MKL"


@cache
def _said_by_torch() -> str:
    """What MKL and oneDNN print of a product and a convolution; MKL names the processor once per process."""
    import torch

    with tempfile.TemporaryFile() as file:
        sys.stdout.flush()
        kept = os.dup(1)
        os.dup2(file.fileno(), 1)
        try:
            with (
                torch.backends.mkl.verbose(torch.backends.mkl.VERBOSE_ON),
                torch.backends.mkldnn.verbose(torch.backends.mkldnn.VERBOSE_ON),
            ):
                torch.ones(64, 64) @ torch.ones(64, 64)
                torch.nn.functional.conv2d(torch.ones(2, 8, 16, 16), torch.ones(8, 8, 3, 3))
        finally:
            _flush_c()
            os.dup2(kept, 1)
            os.close(kept)
        file.seek(0)
        return file.read().decode(errors="replace")


def _flush_c() -> None:
    import ctypes

    ctypes.CDLL(None).fflush(None)


_ABSENT = "is not installed"
USED: dict[str, Callable[[], str]] = {
    "torch": _torch,
    "OpenBLAS": _openblas,
    "NumPy": _numpy,
    "oneDNN": _onednn,
    "MKL": _mkl,
    "MKL's mode": _mkl_mode,
    "numba": _numba,
    "Arrow": _pyarrow,
}


def _is_of_intel() -> bool:
    facts = Path("/proc/cpuinfo")
    return facts.is_file() and "GenuineIntel" in facts.read_text(encoding="utf-8")


# What is said where there is nothing to set. MKL looks at instructions on Intel's processors only; on those of others
# it takes one set of loops, whatever it is told.
NOT_TO_BE_SET = {
    "MKL": () if _is_of_intel() else ("Intel(R) Architecture",),
    "numba": (_ABSENT,),
}


# --- settings

TORCH_BASELINE = Setting("torch", {"ATEN_CPU_CAPABILITY": "default"}, "DEFAULT")
TORCH_AVX2 = Setting("torch", {"ATEN_CPU_CAPABILITY": "avx2"}, "AVX2")
OPENBLAS_AVX2 = Setting("OpenBLAS", {"OPENBLAS_CORETYPE": "Haswell"}, "Haswell")
OPENBLAS_BASELINE = Setting("OpenBLAS", {"OPENBLAS_CORETYPE": "Nehalem"}, "Nehalem")
# Names of a level do not bring those of higher ones with them
NUMPY_AVX2 = Setting("NumPy", {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR"}, "X86_V2 X86_V3")
NUMPY_BASELINE = Setting(
    "NumPy", {"NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"}, "X86_V2"
)
ONEDNN_AVX2 = Setting("oneDNN", {"ONEDNN_MAX_CPU_ISA": "AVX2"}, "jit:avx2")
ONEDNN_BASELINE = Setting("oneDNN", {"ONEDNN_MAX_CPU_ISA": "SSE41"}, "jit:sse41")
MKL_AVX2 = Setting(
    "MKL", {"MKL_ENABLE_INSTRUCTIONS": "AVX2"}, "Intel(R) Advanced Vector Extensions 2 (Intel(R) AVX2)"
)
# The loops that all processors have; unlike the setting above, it acts on those of any vendor
MKL_BASELINE = Setting("MKL's mode", {"MKL_CBWR": "COMPATIBLE"}, "COMPATIBLE")
# Without a list of features, numba takes those of this machine beside the name
NUMBA_AVX2 = Setting("numba", {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": ""}, "x86-64-v3 with ymm")
NUMBA_BASELINE = Setting(
    "numba", {"NUMBA_CPU_NAME": "x86-64-v2", "NUMBA_CPU_FEATURES": ""}, "x86-64-v2 with xmm"
)
ARROW_AVX2 = Setting("Arrow", {"ARROW_USER_SIMD_LEVEL": "AVX2"}, "avx2")
ARROW_BASELINE = Setting("Arrow", {"ARROW_USER_SIMD_LEVEL": "SSE4_2"}, "sse4_2")

PROCESSORS = {
    "avx2": Processor(
        "all of AVX2",
        "X86_V3",
        "X86_V4",
        (TORCH_AVX2, OPENBLAS_AVX2, NUMPY_AVX2, ONEDNN_AVX2, MKL_AVX2, NUMBA_AVX2, ARROW_AVX2),
    ),
    "baseline": Processor(
        "all of SSE4.2",
        "X86_V2",
        "X86_V3",
        (
            *(TORCH_BASELINE, OPENBLAS_BASELINE, NUMPY_BASELINE, ONEDNN_BASELINE),
            *(MKL_BASELINE, NUMBA_BASELINE, ARROW_BASELINE),
        ),
    ),
}


def no_use(processor: Processor) -> str | None:
    """Why there is no use in computing as a processor on this machine; to be asked without its settings."""
    from numpy._core._multiarray_umath import __cpu_features__

    if not __cpu_features__.get(processor.needs):
        return f"the processor of this machine has not all instructions of {processor.needs}"
    if not __cpu_features__.get(processor.lacks):
        return "the processor of this machine has no more instructions, so the other tests have shown it"
    return None
