"""Cleaned relations into one table of pairs, without copies and near copies, in bounded memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sentflow.files.parquet import DescribedWriter
from sentflow.training.pairs.minhash import near_copies
from sentflow.training.pairs.scratch import Scratch

COLUMNS = ("text", "other", "relation")
_ROWS = 1 << 13  # of a batch, and of a group of rows of the result


@dataclass(frozen=True)
class Combined:
    """What became of the rows of the relations."""

    relations: Sequence[str]  # their names, in order
    relation: np.ndarray  # (n,) int64: that of each row
    # copy: (n,) bool: an earlier row has the same two texts, in either order, but for case and punctuation
    copy: np.ndarray
    near: np.ndarray  # (n,) bool: it is no copy, but nearly equal to an earlier row

    @property
    def kept(self) -> np.ndarray:
        """(n,) bool: the others."""
        kept: np.ndarray = ~(self.copy | self.near)
        return kept

    def facts(self) -> list[dict[str, Any]]:
        """Counts of each relation, as JSON holds them."""
        counts = {
            name: np.bincount(self.relation[which], minlength=len(self.relations)).tolist()
            for name, which in (
                ("copies", self.copy),
                ("near", self.near),
                ("rows", self.kept),
            )
        }
        return [
            {"relation": relation, **{name: found[place] for name, found in counts.items()}}
            for place, relation in enumerate(self.relations)
        ]


def combined(scratch: Scratch, relations: Sequence[str], *, near: float) -> Combined:
    """Which rows are copies, or nearly so, of earlier ones.

    `near`: Jaccard similarity of character 5-grams from which a text is a near copy of another; of a row both must be.
    """
    relation = np.repeat(np.arange(len(relations)), scratch.n_of_part)
    copy = np.ones(len(relation), bool)
    copy[np.unique(scratch.keys, return_index=True)[1]] = False
    others = np.flatnonzero(~copy)
    nearly = np.zeros(len(relation), bool)
    nearly[others] = near_copies(scratch, others, threshold=near)
    return Combined(relations, relation, copy, nearly)


def write_rows(writer: DescribedWriter, scratch: Scratch, found: Combined) -> None:
    """Write the rows that are kept, in order."""
    kept = np.flatnonzero(found.kept)
    for start in range(0, max(len(kept), 1), _ROWS):
        rows = kept[start : start + _ROWS]
        texts, others = scratch.texts(rows)
        names = [found.relations[one] for one in found.relation[rows].tolist()]
        writer.write(dict(zip(COLUMNS, (texts, others, names), strict=True)))
