"""Seeds from names. Standard library only."""

import hashlib
import json


def derive_seed(root: int, *names: str | int) -> int:
    """Seed in [0, 2**64) that depends on the root and the names alone, on any machine."""
    key = json.dumps([root, *names]).encode()  # a list, so ("ab", "c") is not ("a", "bc")
    return int.from_bytes(hashlib.sha256(key).digest()[:8], "big")
