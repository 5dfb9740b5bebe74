"""Random vectors that depend on names alone."""

import hashlib
import json

import numpy as np
from numpy.typing import NDArray


def normal_vector(*names: str | int, dimension: int) -> NDArray[np.float64]:
    """(dimension,) independent standard normal values: equal names, equal vectors."""
    key = json.dumps(names).encode()
    seed = int.from_bytes(hashlib.sha256(key).digest()[:16], "big")
    return np.random.default_rng(seed).standard_normal(dimension)
