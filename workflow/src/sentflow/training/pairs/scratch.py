"""All pairs of several relations on disk, for a job whose memory must not grow with their texts.

Files are read, not mapped: pages of a mapped file count as memory of the job.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from hashlib import blake2b
from pathlib import Path
from types import TracebackType

import numpy as np

from sentflow.audit.ngrams import plain
from sentflow.files.parquet import DescribedParts
from sentflow.training.pairs.minhash import LENGTH, keys_of_bands, signatures

_KEY, _SIGNATURE = np.dtype(np.uint64).itemsize, LENGTH * np.dtype(np.uint32).itemsize


class Scratch(AbstractContextManager["Scratch"]):
    """All rows of the relations, to be read in any order; deleted at the end.

    `folder`, `name`: where three hidden files are put, and how they begin; about as large as the texts, and 700 bytes
    per row. `parts`: tables of cleaned relations, in order. `keys`: (n,) uint64: the same for pairs of the same texts
    but for case and punctuation, in either order.
    """

    def __init__(self, folder: Path, name: str, parts: Sequence[Path]) -> None:
        self._paths = [folder / f".{name}.{what}" for what in ("texts", "signatures", "bands")]
        tables = [DescribedParts(part) for part in parts]
        self.n_of_part = [table.n_rows for table in tables]
        self._n = sum(self.n_of_part)
        self.keys = np.zeros(self._n, np.uint64)
        self._starts = np.zeros(2 * self._n + 1, np.int64)  # of each text, in bytes
        self._texts, self._signatures, self._bands = (path.open("wb+") for path in self._paths)
        self._store(tables)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for file, path in zip((self._texts, self._signatures, self._bands), self._paths, strict=True):
            file.close()
            path.unlink(missing_ok=True)

    def texts(self, rows: np.ndarray) -> tuple[list[str], list[str]]:
        """Both texts of some rows."""
        texts, others = [], []
        for row in rows.tolist():
            start, middle, end = self._starts[2 * row : 2 * row + 3].tolist()
            both = os.pread(self._texts.fileno(), end - start, start)
            texts.append(both[: middle - start].decode())
            others.append(both[middle - start :].decode())
        return texts, others

    def keys_of_band(self, band: int) -> np.ndarray:
        """(n,) uint64, see `sentflow.training.pairs.minhash.keys_of_bands`."""
        stored = os.pread(self._bands.fileno(), self._n * _KEY, band * self._n * _KEY)
        return np.frombuffer(stored, np.uint64)

    def signatures_of(self, rows: np.ndarray) -> np.ndarray:
        """(k, `LENGTH`) uint32 of k rows."""
        file = self._signatures.fileno()
        stored = b"".join(os.pread(file, _SIGNATURE, row * _SIGNATURE) for row in rows.tolist())
        return np.frombuffer(stored, np.uint32).reshape(len(rows), LENGTH)

    def _store(self, tables: Sequence[DescribedParts]) -> None:
        row = 0
        for batch in (batch for table in tables for batch in table.batches("text", "other")):
            texts, others = batch.column("text").to_pylist(), batch.column("other").to_pylist()
            stored = [side.encode() for pair in zip(texts, others, strict=True) for side in pair]
            ends = np.cumsum([len(side) for side in stored]) + self._starts[2 * row]
            self._starts[2 * row + 1 : 2 * row + 1 + len(stored)] = ends
            self._texts.write(b"".join(stored))
            signed = signatures([f"{text}\n{other}" for text, other in zip(texts, others, strict=True)])
            self._signatures.write(signed.tobytes())
            for band, keys in enumerate(keys_of_bands(signed)):
                self._bands.seek((band * self._n + row) * _KEY)
                self._bands.write(keys.tobytes())
            self.keys[row : row + len(texts)] = _keys(texts, others)
            row += len(texts)
        for file in (self._texts, self._signatures, self._bands):
            file.flush()


def _keys(texts: Sequence[str], others: Sequence[str]) -> np.ndarray:
    """(n,) uint64: the same for pairs of the same texts but for case and punctuation, in either order."""

    def keys() -> Iterator[int]:
        for text, other in zip(texts, others, strict=True):
            sides = "\0".join(sorted((plain(text), plain(other))))
            yield int.from_bytes(
                blake2b(sides.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little"
            )

    return np.fromiter(keys(), np.uint64, len(texts))
