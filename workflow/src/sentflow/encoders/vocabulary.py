"""Which terms a vocabulary holds, and what they are called."""

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import TypeAlias

TermName: TypeAlias = Callable[[int], str]
"""What a term is called, by its number: the column of its weights."""


def vocabulary_sha256(vocabulary: Mapping[str, int]) -> str:
    """SHA-256 of the terms in their order: equal ones number terms alike."""
    terms = sorted(vocabulary.items(), key=lambda item: (item[1], item[0]))
    return hashlib.sha256(json.dumps(terms).encode()).hexdigest()
