"""How vectors are held while they are made, and how they lie in files: arrays, CSR, or CSR with vectors of terms."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sentflow.encoders.vectors.storage import IntArray, rows_not_finite, write_embeddings

# (k, d) float32: an array, a `scipy.sparse.csr_array`, or `sentflow.encoders.vectors.terms.TermEmbeddings`
Vectors: TypeAlias = Any
# (k,) rows of texts, and their (k, d) vectors
Part: TypeAlias = tuple[IntArray, Vectors]


class Form:
    """How vectors are computed, saved and read again; of dense ones."""

    suffix = ".npy"  # of the file of results

    def placed(self, n: int, width: int, parts: Iterable[Part]) -> Vectors:
        """(n, width) vectors of n texts, out of parts that hold each row once."""
        found = np.empty((n, width), dtype=np.float32)
        for rows, vectors in parts:
            found[rows] = vectors
        return found

    def joined(self, several: Sequence[Vectors]) -> Vectors:
        """Vectors one below the other, in this order."""
        return several[0] if len(several) == 1 else np.concatenate(several)

    def taken(self, vectors: Vectors, rows: Sequence[int]) -> Vectors:
        """Some rows, in this order; float32."""
        return np.asarray(vectors[rows], dtype=np.float32)

    def rows_not_finite(self, vectors: Vectors) -> list[int]:
        """Rows that hold NaN or infinite values, in order."""
        return rows_not_finite(vectors)

    def arrays(self, vectors: Vectors) -> dict[str, Any]:
        """The arrays that vectors are made of, by name."""
        return {"vectors": vectors}

    def of_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> Vectors:
        """Vectors out of `arrays`; raises KeyError or ValueError where these are none of vectors."""
        return arrays["vectors"]

    def read(self, path: Path) -> Vectors:
        """What `write` wrote; raises OSError, ValueError, KeyError or EOFError where it is damaged."""
        return np.load(path, mmap_mode="r", allow_pickle=False)

    def write(
        self,
        file: Path,
        info: Path,
        vectors: Vectors,
        description: Mapping[str, Any],
        made: Mapping[str, Any] | None,
    ) -> None:
        """Write vectors, how they were made, and what describes them; see `write_embeddings`."""
        write_embeddings(file, info, vectors, description, made)


DENSE_FORM = Form()
