"""What jobs on vectors read. The Snakefile imports it: standard library and pydantic only."""

from collections.abc import Iterator
from typing import Any, Final, Literal

from pydantic import Field, model_validator

from sentflow.config.model import (
    PUBLISHED_SEED,
    Count,
    Distinct,
    Int,
    Names,
    Number,
    Ordered,
    Seed,
    Settings,
)
from sentflow.similarity.settings import Measured, Resampling

DEFINITION: Final = "definition"
ALIGNUNFORMEVAL: Final = "alignunformeval"
PER_BATCH: Final = "per-batch"


class AlignmentVariant(Settings):
    """How alignment and uniformity are computed."""

    variant: Literal["definition", "alignunformeval", "per-batch"] = DEFINITION
    """definition: on vectors of length one, squared distances, all sentences. alignunformeval: distances not squared,
    vectors as they are. per-batch: as defined, but within batches of pairs in the order of their file, among the
    sentences of positive pairs alone, then the plain mean of the batches.
    """
    threshold: Number = 4.0
    """A pair is positive by its gold score and this threshold."""
    comparison: Literal["above", "at-least"] = "above"
    """Whether a score equal to the threshold counts; per-batch counts it unless told otherwise, as the study does."""
    sentences: Literal["all", "unique"] = "all"
    """Uniformity is that of both sides of all pairs, repeated sentences as often as they occur or once."""
    batch: Count = 64
    """Pairs of a batch (per-batch)."""

    @model_validator(mode="before")
    @classmethod
    def _as_the_study(cls, values: Any) -> Any:
        is_per_batch = isinstance(values, dict) and values.get("variant") == PER_BATCH
        return {"comparison": "at-least", **values} if is_per_batch else values

    def wrong(self) -> Iterator[tuple[str, str]]:
        if self.variant != DEFINITION and self.sentences != "all":
            yield (
                "sentences",
                f"no effect under the variant {self.variant}. Write all, or variant: {DEFINITION}.",
            )


class AlignmentSettings(AlignmentVariant, Resampling):
    """An alignment, with how its interval is drawn; without resamples it has none."""

    level: Number = 0.95
    n_resamples: Int = 0
    seed: Int = 0

    def facts(self) -> dict[str, Any]:
        """What decides the two numbers, for the result."""
        is_plain = self.variant == ALIGNUNFORMEVAL
        facts = {
            **self.model_dump(exclude={"level", "n_resamples"}),
            "t": 2.0,
            "alpha": 1.0 if is_plain else 2.0,
            "normalised": not is_plain,
            "distance": "unsquared" if is_plain else "squared",
            "reduction": "mean of batches" if self.variant == PER_BATCH else "once over the set",
        }
        if self.variant == PER_BATCH:
            return {**facts, "sentences": "positives of the batch"}
        del facts["batch"]
        return facts


class Aligned(AlignmentVariant):
    """An alignment and its pair sets."""

    pairs: Names
    positives: Names = ()


class AlignedSets(Resampling):
    """The alignments of an encoder."""

    collections: dict[str, dict[str, Aligned]]
    """Collection of sentences → its alignments, both in the order of their results."""


class Described(Settings):
    """What of the section ``geometry`` decides how vectors are described."""

    truncation: Distinct[Count] = (16, 32, 64, 128, 256)
    """Numbers of first dimensions to score pairs with; the full width is added."""
    neighbours: Int = Field(10, ge=3, le=1000)
    """Nearest neighbours of a text for hubness and dimension."""
    seed: Seed = PUBLISHED_SEED
    """Seed of the permutations and resamples."""


class GeometrySettings(Described, Measured, Resampling):
    """What is measured of the vectors of a family of texts; without resamples nothing has an interval."""

    sample: Count = 10_000
    """Texts at most among which neighbours are searched."""


class DescribedCollections(GeometrySettings):
    """The collections of sentences whose vectors are described."""

    collections: dict[str, Names]
    """Collection → its scored pair sets, in the order of its results."""


class GeometryOfEncoder(Ordered):
    """What is measured of the vectors of an encoder."""

    aligned: AlignedSets
    described: DescribedCollections
