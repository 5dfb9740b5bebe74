"""Files of embeddings: a float32 array, a JSON that says what it is, and a JSON that says how it was made.

Rules compare the first JSON: it holds only what decides the bytes of the array. The other, ``….made.json``, is for
costs alone. Older results hold both in the first, where `how_made` finds it.

Imports neither torch nor sentence-transformers: probes read through this module.
"""

import hashlib
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentflow.errors import DataError
from sentflow.files.atomic import atomic
from sentflow.files.io import file_sha256, read_json, write_json

FloatArray = NDArray[np.float32]
IntArray = NDArray[np.int64]


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
_DAMAGE = (OSError, ValueError, KeyError, TypeError, EOFError, AttributeError, zipfile.BadZipFile)
_SHOWN_CHARACTERS = 60


def text_order_sha256(texts: Sequence[str]) -> str:
    """SHA-256 of texts in their order; each is preceded by its length in bytes, so that joins differ."""
    digest = hashlib.sha256()
    for text in texts:
        encoded = text.encode("utf-8")
        digest.update(len(encoded).to_bytes(8, "little"))
        digest.update(encoded)
    return digest.hexdigest()


def write_embeddings(
    npy: Path,
    info: Path,
    embeddings: FloatArray,
    description: Mapping[str, Any],
    made: Mapping[str, Any] | None = None,
) -> None:
    """Write the array, how it was made, then its description with shape, dtype and the file's checksum added.

    `embeddings`: (n, d) float32. `description`: holds ``text_order_sha256``. `made`: how the array was made: time,
    device, versions; None writes no such file.
    """
    write_vectors(npy, info, embeddings, partial(np.save, allow_pickle=False), description, made)


def write_vectors(
    file: Path,
    info: Path,
    vectors: Any,
    save: Callable[[Any, Any], None],
    description: Mapping[str, Any],
    made: Mapping[str, Any] | None,
) -> None:
    """`write_embeddings` of vectors in any form; `save` is given a stream and them."""
    with atomic(file) as part, part.open("wb") as stream:
        save(stream, vectors)
    array = {
        "shape": list(vectors.shape),
        "dtype": str(vectors.dtype),
        "sha256": file_sha256(file),  # what rules compare instead of the large file, see `write_digest`
    }
    if made is not None:
        write_json(made_beside(info), made)
    write_json(info, {**description, **array})


def write_tokens(npy: Path, reading: Reading | None) -> dict[str, Any]:
    """Write how long texts are for an encoder; nothing but an empty array where it does not say.

    Returns what the description of the vectors says of it: the limit, and the checksum of the file.
    """
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
    except _DAMAGE as error:
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


def read_embeddings(npy: Path, info: Path, texts: Sequence[str]) -> FloatArray:
    """Read the embeddings of texts, and check that they are those of these texts.

    `texts`: n texts in the order of the rows, distinct within a role. Returns: (n, d) float32, all finite.
    """
    found: FloatArray = read_vectors(npy, info, texts, partial(np.load, allow_pickle=False), rows_not_finite)
    return found


def read_vectors(
    file: Path,
    info: Path,
    texts: Sequence[str],
    read: Callable[[Path], Any],
    not_finite: Callable[[Any], list[int]],
) -> Any:
    """`read_embeddings` of vectors in any form; `not_finite` gives the rows with values that are not."""
    description = read_json(info)
    try:
        shape, order, checksum = (description[key] for key in ("shape", "text_order_sha256", "sha256"))
        _refuse_other_model(info, description)
        found = read(file)
    except _DAMAGE as error:
        raise _damaged(file, info, error) from error
    if len(texts) != shape[0] or text_order_sha256(texts) != order:
        raise DataError(
            f"{file} holds the vectors of {shape[0]} texts that are not the {len(texts)} texts of the collection, or "
            f"in another order (text_order_sha256 in {info}). Delete both and run snakemake again."
        )
    if list(found.shape) == shape and (rows := not_finite(found)):
        raise DataError(
            f"{file} is damaged: it holds values that are not finite in {named_rows(rows, texts)}. Delete it and run "
            "snakemake again."
        )
    if file_sha256(file) != checksum or found.dtype != np.float32 or list(found.shape) != shape:
        raise _another(file, info)
    return found


def _damaged(file: Path, info: Path, error: Exception) -> DataError:
    return DataError(
        f"{file} is missing or damaged, or {info} is ({error!r}). Delete both and run snakemake again."
    )


def _another(file: Path, info: Path) -> DataError:
    return DataError(f"{file} is not the file that {info} describes. Delete both and run snakemake again.")


def rows_not_finite(embeddings: FloatArray) -> list[int]:
    """Rows that hold NaN or infinite values, in order; (n, d) float32."""
    # A sum is finite only if every value is, and needs no (n, d) array of flags; large finite values may
    # overflow it, which the second look settles.
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
    unit: np.ndarray = vectors / np.where(lengths == 0, 1, lengths)
    return unit
