"""Cleaned relations into one table of pairs, without copies and near copies, in bounded memory."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa

from sentflow.audit.ngrams import plain
from sentflow.files.arrow import table_of
from sentflow.files.parquet import DescribedParts, DescribedWriter
from sentflow.training.pairs.minhash import LENGTH, near_copies, signatures

COLUMNS = ("text", "other", "relation")
_ROWS = 1 << 13  # of a batch, and of a group of rows of the result


@dataclass(frozen=True)
class Combined:
    """What became of the rows of the relations.

    Attributes
    ----------
    relations
        Their names, in order.
    relation
        (n,) int64: that of each row.
    copy
        (n,) bool: an earlier row has the same two texts, in either order, but for case and punctuation.
    near
        (n,) bool: it is no copy, but nearly equal to an earlier row.
    """

    relations: Sequence[str]
    relation: np.ndarray
    copy: np.ndarray
    near: np.ndarray

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


class Scratch(AbstractContextManager["Scratch"]):
    """All rows of the relations on disk, to be read in any order; deleted at the end.

    Parameters
    ----------
    folder, name
        Where two hidden files are put, and how they begin; about as large as the texts, and 500 bytes per row.
    parts
        Tables of cleaned relations, in order.
    """

    def __init__(self, folder: Path, name: str, parts: Sequence[Path]) -> None:
        self.n_of_part: list[int] = []
        self._texts, self._signatures = folder / f".{name}.texts", folder / f".{name}.signatures"
        keys = self._stored(parts)
        self.keys = np.concatenate([np.zeros(0, np.uint64), *keys])
        self._rows = pa.ipc.open_file(pa.memory_map(str(self._texts))).read_all()
        self.signatures: np.ndarray = (
            np.memmap(self._signatures, np.uint32, "r", shape=(len(self.keys), LENGTH))
            if len(self.keys)
            else np.zeros((0, LENGTH), np.uint32)
        )

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        del self._rows, self.signatures
        for path in (self._texts, self._signatures):
            path.unlink(missing_ok=True)

    def texts(self, rows: np.ndarray) -> tuple[list[str], list[str]]:
        """Both texts of some rows."""
        found = self._rows.take(pa.array(rows.tolist(), pa.int64()))
        return found.column("text").to_pylist(), found.column("other").to_pylist()

    def whole(self, rows: np.ndarray) -> list[str]:
        """Both texts of some rows as one."""
        return list(map(_whole, *self.texts(rows)))

    def _stored(self, parts: Sequence[Path]) -> list[np.ndarray]:
        keys = []
        schema = pa.schema([("text", pa.string()), ("other", pa.string())])
        with (
            pa.OSFile(str(self._texts), "wb") as sink,
            pa.ipc.new_file(sink, schema) as writer,
            self._signatures.open("wb") as signed,
        ):
            for part in parts:
                table = DescribedParts(part)
                self.n_of_part.append(table.n_rows)
                for batch in table.batches("text", "other"):
                    texts, others = batch.column("text").to_pylist(), batch.column("other").to_pylist()
                    writer.write_table(table_of({"text": texts, "other": others}))
                    signatures(list(map(_whole, texts, others))).tofile(signed)
                    keys.append(_keys(texts, others))
        return keys


def combined(scratch: Scratch, relations: Sequence[str], *, near: float) -> Combined:
    """Which rows are copies, or nearly so, of earlier ones.

    Parameters
    ----------
    scratch
        All rows.
    relations
        Name of each part.
    near
        Jaccard similarity of the character 5-grams of both texts together, from which rows are near copies.
    """
    relation = np.repeat(np.arange(len(relations)), scratch.n_of_part)
    copy = np.ones(len(relation), bool)
    copy[np.unique(scratch.keys, return_index=True)[1]] = False
    others = np.flatnonzero(~copy)
    nearly = np.zeros(len(relation), bool)
    nearly[others] = near_copies(scratch.signatures, others, scratch.whole, threshold=near)
    return Combined(relations, relation, copy, nearly)


def write_rows(writer: DescribedWriter, scratch: Scratch, found: Combined) -> None:
    """Write the rows that are kept, in order."""
    kept = np.flatnonzero(found.kept)
    for start in range(0, max(len(kept), 1), _ROWS):
        rows = kept[start : start + _ROWS]
        texts, others = scratch.texts(rows)
        names = [found.relations[one] for one in found.relation[rows].tolist()]
        writer.write(dict(zip(COLUMNS, (texts, others, names), strict=True)))


def _whole(text: str, other: str) -> str:
    return f"{text}\n{other}"


def _keys(texts: Sequence[str], others: Sequence[str]) -> np.ndarray:
    """(n,) uint64: the same for pairs of the same texts but for case and punctuation, in either order."""

    def keys() -> Iterator[int]:
        for text, other in zip(texts, others, strict=True):
            sides = "\0".join(sorted((plain(text), plain(other))))
            yield int.from_bytes(
                blake2b(sides.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little"
            )

    return np.fromiter(keys(), np.uint64, len(texts))
