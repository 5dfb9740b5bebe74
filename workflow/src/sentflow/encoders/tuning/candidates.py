"""Settings that can make a neural encoder faster on a processor."""

from dataclasses import dataclass, replace

from sentflow.encoders.kinds.neural.settings import (
    BFLOAT16,
    BFLOAT16_AUTOCAST,
    FLOAT32,
    ONNX,
    ONNX_INT8,
    OPENVINO,
    TORCH,
)

# Backend and dtype, the plainest first: of equally fast ones the first is taken. float16 is not among them: processors
# compute it four times as slowly as float32, or not at all.
PRECISIONS = (
    (TORCH, FLOAT32),
    (ONNX, FLOAT32),
    (OPENVINO, FLOAT32),
    (TORCH, BFLOAT16_AUTOCAST),
    (TORCH, BFLOAT16),
    (ONNX_INT8, FLOAT32),
)
BATCH_TOKENS = (512, 2048, 8192)


@dataclass(frozen=True)
class Candidate:
    """Settings to be measured."""

    # backend, dtype, batch_tokens: as a model entry writes them
    backend: str
    dtype: str
    batch_tokens: int
    threads: int  # of the processor, >= 1; no vector depends on them

    @property
    def precision(self) -> str:
        """Backend, and dtype where it is not float32."""
        return self.backend if self.dtype == FLOAT32 else f"{self.backend} {self.dtype}"


def precisions(batch_tokens: int, threads: int) -> list[Candidate]:
    """One candidate per backend and dtype, the plain one first."""
    return [Candidate(backend, dtype, batch_tokens, threads) for backend, dtype in PRECISIONS]


def batches(chosen: Candidate) -> list[Candidate]:
    """The chosen candidate, then others with batches of other sizes; it alone where a batch is one text."""
    others = [] if chosen.backend == ONNX_INT8 else [n for n in BATCH_TOKENS if n != chosen.batch_tokens]
    return [chosen, *(replace(chosen, batch_tokens=n) for n in others)]


def threads(chosen: Candidate) -> list[Candidate]:
    """1, 2, 4, … threads, up to those of the chosen candidate, fewest first: what is left over other jobs can use."""
    counts = [2**power for power in range(chosen.threads.bit_length()) if 2**power < chosen.threads]
    return [*(replace(chosen, threads=n) for n in counts), chosen]
