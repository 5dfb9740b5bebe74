"""Whether the processor multiplies in bfloat16 by instructions of its own."""

import logging
from collections.abc import Sequence

import torch

from sentflow.encoders.kinds.neural.settings import BFLOAT16, BFLOAT16_AUTOCAST

logger = logging.getLogger(__name__)

# As cpuinfo names them: AVX-512 and AMX of x86, NEON and SVE of ARM.
_INSTRUCTIONS = ("avx512_bf16", "amx_bf16", "bf16", "sve_bf16")


def multiplies_bfloat16() -> bool:
    """Whether this processor has instructions for products of bfloat16."""
    known = torch.cpu.get_capabilities()
    return any(known.get(name, False) for name in _INSTRUCTIONS)


def tell_of_slow_bfloat16(dtype: str, devices: Sequence[str]) -> None:
    """Log a warning where bfloat16 was asked for and the processor has to imitate it; the vectors are right."""
    if dtype in (BFLOAT16, BFLOAT16_AUTOCAST) and "cpu" in devices and not multiplies_bfloat16():
        logger.warning(
            "dtype: %s: this processor has no instructions for bfloat16, so that the vectors are right but take "
            "longer than in float32. Leave dtype out to be faster here",
            dtype,
        )
