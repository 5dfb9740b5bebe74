"""Sentences with their words in another order, for what an encoder makes of word order."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sentflow.errors import DataError
from sentflow.files.io import refuse_changed
from sentflow.files.parquet import Columns, read_parquet, readable, table_of, write_parquet
from sentflow.stats.seeds import derive_seed

WORDS, CHARACTERS = "words", "characters"
_FEWEST_UNITS = 3
_TRIES = 100
_UNIT_KEY = b"unit"


@dataclass(frozen=True)
class PermutedTexts:
    """Sentences and what became of them."""

    texts: list[str]  # n distinct texts, the words (or characters) of `originals` in another order
    originals: list[str]  # n distinct texts, at the same places
    unit: str  # what changed places: ``words`` or ``characters``


def permute_texts(texts: Sequence[str], *, n: int, seed: int) -> PermutedTexts:
    """At most n of distinct texts with their words in a random order; characters if most have few words.

    A text is drawn by its own words and the seed, so that a longer list keeps most of a drawn sample.
    """
    n_short = sum(len(text.split()) < _FEWEST_UNITS for text in texts)
    unit = CHARACTERS if 2 * n_short > len(texts) else WORDS
    parts_of = {text: text.split() if unit == WORDS else list("".join(text.split())) for text in texts}
    place_of = {
        text: hashlib.sha256(f"{seed}\0{text}".encode()).hexdigest()
        for text, parts in parts_of.items()
        if len(parts) >= _FEWEST_UNITS and len(set(parts)) > 1
    }
    found: dict[str, str] = {}
    for text in sorted(place_of, key=place_of.__getitem__):
        if len(found) == n:
            break
        permuted = _permuted(parts_of[text], derive_seed(seed, text), " " if unit == WORDS else "")
        if permuted not in parts_of and permuted not in found:
            found[permuted] = text
    if not found:
        raise DataError(f"none of {len(texts)} texts has {_FEWEST_UNITS} {unit} whose order can change.")
    return PermutedTexts(list(found), list(found.values()), unit)


def write_permuted(path: Path | str, permuted: PermutedTexts) -> None:
    """Write as Parquet with the columns text (what is embedded) and original."""
    columns: Columns = {"text": permuted.texts, "original": permuted.originals}
    write_parquet(path, table_of(columns, {_UNIT_KEY: permuted.unit.encode()}))


def read_permuted(path: Path | str) -> PermutedTexts:
    """Read what `write_permuted` wrote."""
    with readable(path, "list of permuted texts"):
        refuse_changed(Path(path))
        table = read_parquet(path)
        texts, originals = (table.column(name).to_pylist() for name in ("text", "original"))
        return PermutedTexts(texts, originals, table.schema.metadata[_UNIT_KEY].decode())


def _permuted(parts: list[str], seed: int, joint: str) -> str:
    """The parts in an order that reads differently; as they are if chance never found one."""
    rng = np.random.default_rng(seed)
    for _ in range(_TRIES):
        permuted = [parts[place] for place in rng.permutation(len(parts))]
        if permuted != parts:
            return joint.join(permuted)
    return joint.join(parts)
