"""Files of embeddings: a float32 array, a JSON that says what it is, and a JSON that says how it was made.

Rules compare the first JSON. The other, ``….made.json``, is for costs alone; older results hold both in the first.
Imports neither torch nor sentence-transformers: probes read through this module.
"""

import hashlib
import re
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sentflow.errors import DataError
from sentflow.files.atomic import atomic
from sentflow.files.io import file_sha256, read_json, write_json

FloatArray = NDArray[np.float32]
IntArray = NDArray[np.int64]
# (k, d) float32: an array, a `scipy.sparse.csr_array`, or `sentflow.encoders.vectors.sparse.TermEmbeddings`
Vectors: TypeAlias = Any
# (k,) rows of texts, and their (k, d) vectors
Part: TypeAlias = tuple[IntArray, Vectors]


@dataclass(frozen=True)
class Batch:
    """Texts that are encoded together."""

    rows: IntArray  # (k,) indices of the texts
    cost: int  # tokens of the batch, padding included: what its time is proportional to


@dataclass(frozen=True)
class Reading:
    """How long texts are for an encoder, and how much of them it reads."""

    # tokens: (n,) tokens of each text, prompt and special tokens included, each >= 1; those that are cut off count
    tokens: IntArray
    limit: int | None  # tokens that are read at most; None is no limit

    @property
    def lost(self) -> IntArray:
        """(n,) tokens of each text that are cut off."""
        return np.zeros_like(self.tokens) if self.limit is None else np.maximum(self.tokens - self.limit, 0)


# An encoder, or a snapshot of one that was trained here
_MODEL_FOLDER = re.compile(r"(?:^|/)(?:embeddings|features)/([^/]+(?:/step-\d{6,})?)/")
_MANIFEST = re.compile(r"(?:^|/)models/([^/]+(?:/step-\d{6,})?)/manifest\.json\Z")
_SHOWN_ROWS = 5
DAMAGE = (OSError, ValueError, KeyError, TypeError, EOFError, AttributeError, zipfile.BadZipFile)
_SHOWN_CHARACTERS = 60


def text_order_sha256(texts: Sequence[str]) -> str:
    """SHA-256 of texts in their order; each is preceded by its length in bytes, so that joins differ."""
    digest = hashlib.sha256()
    for text in texts:
        encoded = text.encode("utf-8")
        digest.update(len(encoded).to_bytes(8, "little"))
        digest.update(encoded)
    return digest.hexdigest()


class Form:
    """How vectors, dense here, are held while they are made, and how they lie in files; `k` rows of float32."""

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

    def load(self, path: Path, mmap_mode: Literal["r"] | None = None) -> Vectors:
        """What `write` wrote; raises OSError, ValueError, KeyError or EOFError where it is damaged."""
        return np.load(path, mmap_mode=mmap_mode, allow_pickle=False)

    def save(self, stream: Any, vectors: Vectors) -> None:
        """Write vectors alone."""
        np.save(stream, vectors, allow_pickle=False)

    def said(self, vectors: Vectors) -> dict[str, Any]:  # noqa: ARG002
        """What a description says of vectors beside their shape."""
        return {}

    def write(
        self,
        file: Path,
        info: Path,
        vectors: Vectors,
        description: Mapping[str, Any],
        made: Mapping[str, Any] | None = None,
    ) -> None:
        """Write vectors, how they were made, then their description with shape, dtype and the file's checksum added.

        `description`: holds ``text_order_sha256``. `made`: time, device, versions; None writes no such file.
        """
        with atomic(file) as part, part.open("wb") as stream:
            self.save(stream, vectors)
        array = {
            "shape": list(vectors.shape),
            "dtype": str(vectors.dtype),
            "sha256": file_sha256(file),  # what rules compare instead of the large file, see `write_digest`
        }
        if made is not None:
            write_json(made_beside(info), made)
        write_json(info, {**description, **self.said(vectors), **array})

    def read(self, file: Path, info: Path, texts: Sequence[str]) -> Vectors:
        """The (n, d) float32 vectors of n texts in the order of the rows, all finite; DataError: others."""
        description = read_json(info)
        try:
            shape, order, checksum = (description[key] for key in ("shape", "text_order_sha256", "sha256"))
            _refuse_other_model(info, description)
            found = self.load(file)
        except DAMAGE as error:
            raise _damaged(file, info, error) from error
        if len(texts) != shape[0] or text_order_sha256(texts) != order:
            raise DataError(
                f"{file} holds the vectors of {shape[0]} texts that are not the {len(texts)} texts of the collection, "
                f"or in another order (text_order_sha256 in {info}). Delete both and run snakemake again."
            )
        if list(found.shape) == shape and (rows := self.rows_not_finite(found)):
            raise DataError(
                f"{file} is damaged: it holds values that are not finite in {named_rows(rows, texts)}. Delete it and "
                "run snakemake again."
            )
        if file_sha256(file) != checksum or found.dtype != np.float32 or list(found.shape) != shape:
            raise _another(file, info)
        return found


DENSE_FORM = Form()
write_embeddings = DENSE_FORM.write
read_embeddings: Callable[[Path, Path, Sequence[str]], FloatArray] = DENSE_FORM.read


def write_tokens(npy: Path, reading: Reading | None) -> dict[str, Any]:
    """Write (n,) lengths of texts, none where an encoder does not say; returns what the description says of them."""
    tokens = np.empty(0, dtype=np.int64) if reading is None else reading.tokens
    with atomic(npy) as part, part.open("wb") as stream:
        np.save(stream, tokens.astype(np.int32), allow_pickle=False)
    return {"max_tokens": reading.limit if reading else None, "tokens_sha256": file_sha256(npy)}


def read_tokens(npy: Path, info: Path) -> Reading | None:
    """How long texts are for an encoder, and how much of them it reads; None where it does not say."""
    description = read_json(info)
    try:
        tokens = np.load(npy, allow_pickle=False)
        limit, checksum = description["max_tokens"], description["tokens_sha256"]
    except DAMAGE as error:
        raise _damaged(npy, info, error) from error
    if file_sha256(npy) != checksum:
        raise _another(npy, info)
    return Reading(tokens.astype(np.int64), limit) if len(tokens) else None


def made_beside(info: Path) -> Path:
    """The file that says how an array was made, beside the one that says what it is."""
    return info.with_suffix(".made.json")


def how_made(info: Path) -> dict[str, Any]:
    """What is known of how an array was made; in older results, the one file that says everything."""
    beside = made_beside(info)
    found: dict[str, Any] = read_json(beside if beside.is_file() else info)
    return found


def _damaged(file: Path, info: Path, error: Exception) -> DataError:
    return DataError(
        f"{file} is missing or damaged, or {info} is ({error!r}). Delete both and run snakemake again."
    )


def _another(file: Path, info: Path) -> DataError:
    return DataError(f"{file} is not the file that {info} describes. Delete both and run snakemake again.")


def rows_not_finite(embeddings: FloatArray) -> list[int]:
    """Rows that hold NaN or infinite values, in order; (n, d) float32."""
    # A sum is finite only if every value is, and needs no (n, d) flags; the second look settles overflow
    with np.errstate(over="ignore", invalid="ignore"):
        suspects = np.flatnonzero(~np.isfinite(embeddings.sum(axis=1)))
    return [int(row) for row in suspects if not np.isfinite(embeddings[row]).all()]


def named_rows(rows: Sequence[int], texts: Sequence[str]) -> str:
    """Rows as a person counts them, from 1, with the starts of their texts; the first few of many."""
    shown = ", ".join(f"row {row + 1} ({_start(texts[row])!r})" for row in rows[:_SHOWN_ROWS])
    more = len(rows) - _SHOWN_ROWS
    return f"{shown} and {more} more" if more > 0 else shown


def model_of(manifest: Path) -> str:
    """The name of the encoder whose manifest lies there."""
    found = _MANIFEST.search(manifest.as_posix())
    return found[1] if found else manifest.parent.name


def _start(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…"


def _refuse_other_model(info: Path, description: Mapping[str, Any]) -> None:
    """Refuse the vectors of another encoder: the texts, and so their checksum, are the same."""
    model = _MODEL_FOLDER.search(info.as_posix())
    if model and description.get("model", model[1]) != model[1]:
        raise DataError(
            f"{info} describes vectors of {description['model']}: the files of another encoder were put in "
            "the place of those of this one. Delete them and run snakemake again."
        )


def unit_rows(vectors: np.ndarray) -> np.ndarray:
    """(n, d) float32 or float64 with every row scaled to length 1, of the same dtype; a zero row stays zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths == 0, 1, lengths))
