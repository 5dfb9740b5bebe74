"""Kind ``api``: encoders behind an address, services that speak the OpenAI embeddings format."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sentflow.encoders.kinds.contract import Surroundings
from sentflow.encoders.kinds.embeddings_service import Connection, EmbeddingsService
from sentflow.encoders.kinds.settings import EncoderSettings
from sentflow.encoders.manifest import Manifest
from sentflow.encoders.protocol import Batch, FloatArray
from sentflow.encoders.vectors.unit_rows import unit_rows
from sentflow.errors import DataError
from sentflow.files.limits import limits

# Services bound the tokens of a request too (300,000 at OpenAI), and a token has a character or more.
_BATCH_CHARACTERS = 250_000


@dataclass(frozen=True)
class Settings(EncoderSettings):
    """What is done to texts before, and to vectors after, a service is asked."""

    prompt: str | None = None  # put before every text; None is none
    normalise: bool = False  # scale every vector to length 1


def load(manifest: Manifest, settings: Settings, around: Surroundings) -> "ApiEncoder":
    connection = Connection.from_entry(around.connection)
    return ApiEncoder(
        EmbeddingsService(manifest.settings["url"], connection),
        model=manifest.settings["model"],
        dimension=manifest.settings["dimension"],
        request_dimension=manifest.settings["request_dimension"],
        settings=settings,
        batch_texts=connection.batch_texts,
    )


class ApiEncoder:
    """Asks a service for the vectors of texts, some texts per request, one request after the other.

    `request_dimension`: whether the service is told the dimension, for models that can shorten their vectors.
    `batch_texts`: texts of a request at most.
    """

    device = "service"

    def __init__(
        self,
        service: EmbeddingsService,
        *,
        model: str,
        dimension: int,
        request_dimension: bool,
        settings: Settings,
        batch_texts: int,
    ) -> None:
        self.dimension = dimension
        self._service = service
        self._request: dict[str, Any] = {"model": model, "encoding_format": "float"}
        if request_dimension:
            self._request["dimensions"] = dimension
        self._settings = settings
        self._batch_texts = batch_texts

    def encode(self, texts: Sequence[str], *, role: str, task: str | None) -> FloatArray:  # noqa: ARG002
        """Neither role nor task changes a vector."""
        embeddings = np.empty((len(texts), self.dimension), dtype=np.float32)
        batches = self.plan(texts)
        for batch, vectors in zip(batches, self.encode_batches(texts, batches), strict=True):
            embeddings[batch.rows] = vectors
        return embeddings

    def plan(self, texts: Sequence[str]) -> list[Batch]:
        """Batches in the order of the texts, each within the limits of a request."""
        lengths = [len(self._prompted(text)) for text in texts]
        batches = []
        start = 0
        while start < len(texts):
            end, characters = start + 1, lengths[start]
            while (
                end < len(texts)
                and end - start < self._batch_texts
                and characters + lengths[end] <= _BATCH_CHARACTERS
            ):
                characters += lengths[end]
                end += 1
            batches.append(Batch(rows=np.arange(start, end), cost=max(1, characters)))
            start = end
        return batches

    def encode_batches(self, texts: Sequence[str], batches: Iterable[Batch]) -> Iterator[FloatArray]:
        for batch in batches:
            prompted = [self._prompted(texts[row]) for row in batch.rows]
            most_bytes = limits().answer_of(len(prompted), self.dimension)
            answer = self._service.post({**self._request, "input": prompted}, most_bytes=most_bytes)
            vectors = read_answer(answer, n_texts=len(prompted), dimension=self.dimension)
            yield (
                unit_rows(vectors.astype(np.float64)).astype(np.float32)
                if self._settings.normalise
                else vectors
            )

    def _prompted(self, text: str) -> str:
        return (self._settings.prompt or "") + text


def read_answer(answer: Any, *, n_texts: int, dimension: int) -> FloatArray:
    """The vectors of an answer, ordered by the ``index`` of each.

    `answer`: ``{"data": [{"index": 0, "embedding": [...]}, ...]}``. Returns: (n_texts, dimension) float32. Raises
    DataError: another form, a text without a vector or with two, or vectors of another width.
    """
    try:
        found = {item["index"]: item["embedding"] for item in answer["data"]}
        n_items = len(answer["data"])
    except (KeyError, TypeError) as error:
        raise DataError(
            "the service's answer has not the form of OpenAI's embeddings: data, a list of index and embedding "
            f"({type(error).__name__}: {error})."
        ) from None
    if n_items != n_texts or set(found) != set(range(n_texts)):
        some = list(found)[:5]
        shown = ", ".join(
            str(index)[:20] if isinstance(index, int) else type(index).__name__ for index in some
        )
        raise DataError(
            f"the service gave {n_items} vectors (index {shown}, …) for {n_texts} texts. Each index from 0 to "
            f"{n_texts - 1} is expected once. If requests are too large for it, write a smaller batch_texts."
        )
    widths = {len(vector) if isinstance(vector, list) else 0 for vector in found.values()}
    if widths != {dimension}:
        raise DataError(
            f"the service gives vectors of {', '.join(map(str, sorted(widths)))} values, but the model's entry "
            f"says {dimension}. Write dimension as the service has it, or request_dimension: true if the model can "
            "shorten its vectors."
        )
    # Not by NumPy's own conversion, which takes texts of digits for numbers, and quotes other texts in its errors
    strange = set().union(*(map(type, vector) for vector in found.values())) - {int, float}
    if strange:
        names = ", ".join(sorted(kind.__name__ for kind in strange))
        raise DataError(f"the service gave vectors that are no numbers, but hold {names}.")
    try:
        return np.asarray([found[index] for index in range(n_texts)], dtype=np.float32)
    except OverflowError:
        raise DataError("the service gave numbers that are too large for float32.") from None
