"""The libraries and the processor that a job runs on."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_CPUINFO = Path("/proc/cpuinfo")
# By which libraries choose their loops, the widest first; see docs/reproducibility.md.
_INSTRUCTIONS = {"avx512f": "AVX-512", "avx2": "AVX2", "sse4_2": "SSE4.2"}


def library_version(distribution: str) -> str:
    """Installed version of a distribution, or ``"absent"``; nothing is imported."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "absent"


def prepare_environment(threads: int) -> None:
    """Let libraries of neural networks stay offline and within their threads, before they are imported."""
    os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "true" if threads > 1 else "false"
    os.environ["RAYON_NUM_THREADS"] = str(threads)
    # A thread that waits for others would keep a core busy, which another job has use for
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def processor_name(cpuinfo: Path = _CPUINFO) -> str:
    """What Linux calls the processor; elsewhere, and where it has no name, its architecture."""
    return _first_processor(cpuinfo).get("model name") or platform.machine()


def instructions(cpuinfo: Path = _CPUINFO) -> str:
    """The widest instructions that libraries ask for, e.g. ``AVX2``; empty where Linux names none of them."""
    flags = _first_processor(cpuinfo).get("flags", "").split()
    return next((name for flag, name in _INSTRUCTIONS.items() if flag in flags), "")


def _first_processor(cpuinfo: Path) -> dict[str, str]:
    try:
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    pairs = (line.partition(":") for line in reversed(lines))
    return {key.strip(): value.strip() for key, _, value in pairs}
