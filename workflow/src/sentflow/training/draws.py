"""Random numbers of a training: every draw is a function of the seed and of what it is for.

Nothing is kept from one draw to the next, so a training that goes on draws what it would have drawn without a break.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Draws:
    """What is drawn for one purpose."""

    seed: int  # of the training
    # purpose: words and numbers, from coarse to fine, e.g. ``("step", 12, "view", 1)``
    purpose: tuple[str | int, ...] = ()

    def of(self, *purpose: str | int) -> "Draws":
        """The draws for a part of this purpose."""
        return Draws(self.seed, (*self.purpose, *purpose))

    def generator(self) -> np.random.Generator:
        """A fresh generator: each call gives the same numbers again."""
        return np.random.default_rng(self._number())

    def torch_seed(self) -> int:
        """What ``torch.manual_seed`` is given, below 2⁶³."""
        return self._number() >> 65

    @contextmanager
    def seeded(self) -> Iterator[None]:
        """Let torch draw inside what these say; its generator goes on afterwards as if nothing had been drawn."""
        import torch

        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.torch_seed())
            yield

    def _number(self) -> int:
        """128 bits of the seed and the purpose."""
        text = "\0".join(str(part) for part in (self.seed, *self.purpose))
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big")
