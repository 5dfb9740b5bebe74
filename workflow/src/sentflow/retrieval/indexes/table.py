"""Every kind of approximate index: which module builds it, of what, and its parameters; jobs import it by name.

Standard library only: the Snakefile imports it in every job.
"""

from collections.abc import Mapping
from dataclasses import dataclass

_INDEXES = "sentflow.retrieval.indexes"
_FAISS = f"{_INDEXES}.by_faiss", ("faiss-cpu", "numpy")


@dataclass(frozen=True)
class IndexKind:
    """A kind of approximate index.

    Attributes
    ----------
    module
        See `sentflow.retrieval.indexes.contract.IndexModule`.
    libraries
        Distributions whose versions count.
    parameters
        Name → what it is where an entry leaves it out. The schema says what each may be.
    of_weights
        Whether it is built of weights of terms, and not of dense vectors.
    """

    module: str
    libraries: tuple[str, ...]
    parameters: Mapping[str, int | float]
    of_weights: bool = False


KINDS: Mapping[str, IndexKind] = {
    "flat": IndexKind(*_FAISS, {"seed": 0}),
    "hnsw": IndexKind(*_FAISS, {"links": 32, "build_width": 200, "search_width": 128, "seed": 0}),
    "ivf-flat": IndexKind(*_FAISS, {"lists": 256, "probes": 16, "seed": 0}),
    "ivf-pq": IndexKind(*_FAISS, {"lists": 256, "probes": 16, "parts": 48, "bits": 8, "seed": 0}),
    "seismic": IndexKind(
        f"{_INDEXES}.by_seismic",
        ("numpy", "pyseismic-lsr", "scipy"),
        {
            "list_length": 3500,
            "longest_list": 1.5,
            "centre_share": 0.1,
            "summary_share": 0.4,
            "question_terms": 10,
            "skip_below": 0.8,
        },
        of_weights=True,
    ),
}
