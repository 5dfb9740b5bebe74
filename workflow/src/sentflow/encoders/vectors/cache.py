"""Vectors that a run need not compute again: parts of one that was killed, and rows of an earlier one.

Snakemake deletes the outputs of a job before it runs, so the last array is kept elsewhere, as a hard link.
"""

import hashlib
import json
import logging
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sentflow.encoders.vectors.storage import DAMAGE, DENSE_FORM, Form, IntArray, Part, Vectors
from sentflow.errors import DataError
from sentflow.files.atomic import atomic
from sentflow.files.io import file_sha256, read_json, write_json

logger = logging.getLogger(__name__)

_DIGEST_BYTES = 16
# Texts whose vectors are there already, rows ascending
NOTHING_KNOWN: Part = (np.empty(0, dtype=np.int64), np.empty((0, 0), dtype=np.float32))


class KeptRows:
    """The last array of a job, used again if all that a vector depends on beside text and role has the same `key`."""

    def __init__(self, folder: Path, *, key: str, form: Form = DENSE_FORM) -> None:
        self._vectors, self._texts = folder / f"vectors{form.suffix}", folder / "texts.npy"
        self._form = form
        self._about = folder / "about.json"
        self._folder, self._key = folder, key

    def find(self, texts: Sequence[str], *, role: str) -> Part:
        """(k,) the known ones among the texts, ascending, and their (k, d) vectors; none of a damaged folder."""
        try:
            about = read_json(self._about) if self._about.is_file() else {}
            if about.get("key") != self._key:
                return NOTHING_KNOWN
            if (
                file_sha256(self._vectors) != about["sha256"]
                or file_sha256(self._texts) != about["texts_sha256"]
            ):
                raise ValueError("a checksum differs")
            kept = self._form.load(self._vectors, mmap_mode="r")
            known = {
                digest.tobytes(): row for row, digest in enumerate(np.load(self._texts, allow_pickle=False))
            }
        except (*DAMAGE, DataError) as error:
            logger.warning("%s is damaged (%s), so that every text is embedded", self._folder, error)
            return NOTHING_KNOWN
        places = [known.get(digest.tobytes(), -1) for digest in _digests(texts, role)]
        rows = np.flatnonzero(np.asarray(places) >= 0)
        return rows, self._form.taken(kept, [places[row] for row in rows])

    def keep(self, file: Path, texts_of_role: Mapping[str, Sequence[str]]) -> None:
        """Keep an array that has just been written; its rows are those of one role after those of the other."""
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(parents=True)
        try:
            os.link(file, self._vectors)
        except OSError as error:  # a copy would double the room that embeddings take
            logger.info(
                "the next run cannot use these vectors: this file system has no hard links (%s)", error
            )
            shutil.rmtree(self._folder)
            return
        digests = np.concatenate([_digests(texts, role) for role, texts in texts_of_role.items()])
        with atomic(self._texts) as part, part.open("wb") as stream:
            np.save(stream, digests, allow_pickle=False)
        sums = {"sha256": file_sha256(self._vectors), "texts_sha256": file_sha256(self._texts)}
        write_json(self._about, {"key": self._key, **sums})  # last: without it the rest counts for nothing


def _digests(texts: Sequence[str], role: str) -> NDArray[np.uint8]:
    """(n, 16) one checksum per text of a role."""
    found = [
        hashlib.blake2b(json.dumps([role, text]).encode(), digest_size=_DIGEST_BYTES).digest()
        for text in texts
    ]
    return np.frombuffer(b"".join(found), dtype=np.uint8).reshape(len(texts), _DIGEST_BYTES)


class ShardFolder:
    """Rows of an array that are done, in files of a folder of their own."""

    def __init__(self, folder: Path, *, key: str, form: Form = DENSE_FORM) -> None:
        self._folder, self._current, self._form = folder, folder / key, form
        self._count = 0

    def load(self) -> Iterator[Part]:
        """Rows and their vectors, shard by shard. A damaged shard is deleted: its rows are computed again."""
        if not self._current.is_dir():
            self.clear()
            return
        for path in sorted(self._current.glob("*.npz")):
            self._count = max(self._count, int(path.stem) + 1)
            try:
                with np.load(path, allow_pickle=False) as shard:
                    rows, vectors = shard["rows"], self._form.of_arrays(shard)
            except (*DAMAGE, DataError) as error:
                logger.warning("%s is damaged (%s); its rows are computed again", path, error)
                path.unlink()
                continue
            yield rows, vectors

    def save(self, rows: IntArray, vectors: Vectors) -> None:
        """Write one shard: (k,) rows and their (k, d) vectors."""
        with atomic(self._current / f"{self._count}.npz") as part, part.open("wb") as stream:
            np.savez(stream, rows=rows, **self._form.arrays(vectors))
        self._count += 1

    def clear(self) -> None:
        """Delete the folder with all shards."""
        shutil.rmtree(self._folder, ignore_errors=True)
