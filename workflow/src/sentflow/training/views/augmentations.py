"""The views of ConSERT that are drawn per sentence, as numbers: which positions, tokens or values.

Yan et al. 2021 (arXiv 2105.11741), section 3.2; yym6472/ConSERT@03c9e8ff. n counts the tokens of a sentence with the
special ones, which may be hit as any other.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sentflow.training.draws import Draws

SHUFFLE = "shuffle"
CUTOFF_TOKENS = "token-cutoff"
CUTOFF_FEATURES = "feature-cutoff"
DROPOUT = "dropout"
ADVERSARIAL = "adversarial"
NONE = "none"

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Augmentation:
    """A view by its name."""

    # name: `SHUFFLE` of the position ids, `CUTOFF_TOKENS`, `CUTOFF_FEATURES`, `DROPOUT` of single values without
    # rescaling, `ADVERSARIAL`, or `NONE`
    name: str
    # rate: share of tokens, features or values that are set to 0, in [0, 1); the number is rounded down
    rate: float = 0.0
    norm: float = 1.0  # length of the adversarial noise of a token, > 0

    def drawn(self, n_tokens: int, width: int, draws: Draws) -> Indices | None:
        """Indices below n, or below `width`, or below n · width; None of a view of which nothing is drawn."""
        draw = _DRAWN.get(self.name)
        return None if draw is None else draw(n_tokens, width, self.rate, draws.generator())


def _some(total: int, rate: float, generator: np.random.Generator) -> Indices:
    """``floor(total * rate)`` different indices below `total`, ascending."""
    return np.sort(generator.choice(total, size=int(total * rate), replace=False, shuffle=False))


_DRAWN: Mapping[str, Callable[[int, int, float, np.random.Generator], Indices]] = {
    SHUFFLE: lambda n, _width, _rate, generator: generator.permutation(n),
    CUTOFF_TOKENS: lambda n, _width, rate, generator: _some(n, rate, generator),
    CUTOFF_FEATURES: lambda _n, width, rate, generator: _some(width, rate, generator),
    DROPOUT: lambda n, width, rate, generator: _some(n * width, rate, generator),
}
