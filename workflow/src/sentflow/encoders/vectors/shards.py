"""Finished parts of a long run, so that a killed job goes on where it stopped."""

import logging
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from sentflow.encoders.protocol import IntArray
from sentflow.encoders.vectors.forms import DENSE_FORM, Form, Part, Vectors
from sentflow.files.atomic import atomic

logger = logging.getLogger(__name__)

_DAMAGE = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile)


class ShardFolder:
    """Rows of an array that are done, in files of a folder of their own."""

    def __init__(self, folder: Path, *, key: str, form: Form = DENSE_FORM) -> None:
        self._folder = folder
        self._form = form
        self._current = folder / key
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
            except _DAMAGE as error:
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
