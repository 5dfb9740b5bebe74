"""Which processor this is, in the words of Linux."""

import platform
from pathlib import Path

_CPUINFO = Path("/proc/cpuinfo")
# By which libraries choose their loops, the widest first; see docs/reproducibility.md.
_INSTRUCTIONS = {"avx512f": "AVX-512", "avx2": "AVX2", "sse4_2": "SSE4.2"}


def processor_name(cpuinfo: Path = _CPUINFO) -> str:
    """What Linux calls the processor; elsewhere, and where it has no name, its architecture."""
    return _said(cpuinfo, "model name") or platform.machine()


def instructions(cpuinfo: Path = _CPUINFO) -> str:
    """The widest instructions that libraries ask for, e.g. ``AVX2``; empty where Linux names none of them."""
    known = set(_said(cpuinfo, "flags").split())
    return next((name for flag, name in _INSTRUCTIONS.items() if flag in known), "")


def _said(cpuinfo: Path, key: str) -> str:
    """What the first processor says under a key."""
    try:
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    found = (line.partition(":")[2].strip() for line in lines if line.partition(":")[0].strip() == key)
    return next(found, "")
