"""What a file, server or model from outside may cost: the one table of limits in bytes, ratios, numbers and seconds.

Those that an honest user could meet are fields of `Limits`, and keys of ``limits`` in a configuration. They reach
jobs as a resource (``--limits``), so that a changed one runs nothing again. Standard library and pydantic only: the
Snakefile imports this module in every job.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from sentflow.config.model import Count, Settings, refuse_wrong

KIB, MIB, GIB = 2**10, 2**20, 2**30

# --- limits that no honest file meets -----------------------------------------------------------------------

# Below this, a high ratio does no harm: a table of one repeated label packs to a thousandth.
RATIO_FROM_BYTES = 10 * MIB
# A long name or extended attributes in a tar: read as one piece. Paths have 4 KiB at most.
TAR_HEADER_BYTES = MIB
# A line of word vectors: 4,096 values of 25 characters have 100 KiB.
LINE_BYTES = MIB
# A configuration with everything that its aliases repeat. The longest catalog of this project has 60 KB.
SETTINGS_BYTES = 4 * MIB
SETTINGS_PART_BYTES = 16  # what a value costs beside its characters
SETTINGS_DEPTH = 50  # maps and lists inside each other; ours have 9
# A JSON file of a model that is read here (config.json, modules.json; not the tokenizer): a label map has some KB.
MODEL_SETTINGS_BYTES = 16 * MIB
# A JSON file of a board, or a line of one: the largest logs of evaluations have some hundred MB.
BOARD_JSON_BYTES = GIB
# Layers, experts or groups of one kind: the deepest published models have some hundreds. And their product.
MODEL_PARTS = 1_000
MODEL_PARTS_TOGETHER = 50_000
# Memory that the numbers of a model's settings ask for, to bytes of its weights: 2 for half precision, 8 for four-bit
# weights, twice that because the estimate knows no shared or narrow projections.
MODEL_RATIO = 16
MODEL_FROM_BYTES = 256 * MIB  # smaller ones do no harm
# A value of a vector in JSON has 25 characters, and more where lines are indented; beside it stand index and usage.
ANSWER_VALUE_BYTES = 64
ANSWER_REST_BYTES = 4 * KIB


class Limits(Settings):
    """Limits for untrusted files, answers and models (docs/data.md, Limits). A changed limit runs nothing again."""

    # The largest archives of word vectors have 2 GiB
    download_bytes: Count = 4 * GIB
    """Largest downloaded or copied file, in bytes, if the catalog has no size."""
    # 4 GiB at 1.2 MB per second
    download_seconds: Count = 3600
    """Seconds for one address, all tries together."""
    # 7 billion parameters in single precision have 26 GiB
    model_bytes: Count = 64 * GIB
    """Bytes of the files of one model of the hub together."""
    # The largest GloVe vectors have 5.6 GB
    unpacked_bytes: Count = 8 * GIB
    """What one packed file (archive, Parquet, gzip) unpacks to, in bytes."""
    # Text deflates to a tenth, a bomb to a thousandth
    unpacked_ratio: Count = 200
    """Unpacked to packed bytes, from 10 MiB on."""
    # The largest corpus of single files here has 7,200
    archive_members: Count = 200_000
    """Files and folders in one archive."""
    # 1,000 vectors of 4,096 values, 25 characters each, have 98 MiB
    answer_bytes: Count = 128 * MIB
    """Bytes of one answer of a service."""

    def unpacked_from(self, packed_bytes: int) -> int:
        """Bytes that a file of so many bytes may unpack to."""
        return min(self.unpacked_bytes, max(RATIO_FROM_BYTES, self.unpacked_ratio * packed_bytes))

    def unpacked_words(self, packed_bytes: int) -> str:
        """Which limit is in the way of unpacking more, as the end of a sentence."""
        if self.unpacked_from(packed_bytes) == self.unpacked_bytes:
            return f"more than limits.unpacked_bytes allows ({self.unpacked_bytes})"
        return f"like a decompression bomb; if it is not one, raise limits.unpacked_ratio ({self.unpacked_ratio})"

    def answer_of(self, n_texts: int, dimension: int) -> int:
        """Bytes that a service's answer may have: read as JSON, it takes twenty times as much memory."""
        needed = MIB + n_texts * (ANSWER_VALUE_BYTES * dimension + ANSWER_REST_BYTES)
        return min(self.answer_bytes, needed)


USUAL = Limits()
_in_use: ContextVar[Limits] = ContextVar("limits", default=USUAL)


def limits() -> Limits:
    """The limits that hold here: those of the command, or the usual ones."""
    return _in_use.get()


def use_limits(limits: Limits) -> None:
    """Let other limits than the usual ones hold in this process: ``limits`` of a configuration."""
    _in_use.set(limits)


@contextmanager
def limited(**changes: int) -> Iterator[None]:
    """Other limits inside a block."""
    before = _in_use.set(refuse_wrong(Limits, changes, where="limits"))
    try:
        yield
    finally:
        _in_use.reset(before)
