"""The two files of one encoder or baseline on one pair set."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sentflow.errors import DataError
from sentflow.files.sealed import write_sealed
from sentflow.similarity.scores import similarity_scores
from sentflow.similarity.settings import Resampling
from sentflow.similarity.storage import SimilarityRows, graph_of, write_similarities
from sentflow.stats.resampling import Bootstrap
from sentflow.stats.seeds import derive_seed

if TYPE_CHECKING:
    from sentflow.texts.pairs import PairTable

logger = logging.getLogger(__name__)


def write_results(
    output: Path,
    rows: Path,
    table: "PairTable",
    columns: Mapping[str, np.ndarray],
    settings: Resampling,
    *,
    model: str,
    embeddings: str | None,
    warnings: Sequence[str],
) -> None:
    """Score, and write scores (JSON) and similarities (Parquet)."""
    pairs = table.info.pairs
    if not len(table):
        raise DataError(f"the pair set {pairs} has no pair, so nothing can be scored.")
    graph = graph_of([table])
    bootstrap = Bootstrap(settings.level, settings.n_resamples, bootstrap_seed(settings.seed, pairs))
    found = similarity_scores(table.score, table.subset, columns, graph, bootstrap)
    said = [*warnings, *found["warnings"]]
    for warning in said:
        logger.warning("%s × %s: %s", pairs, model, warning)
    about = {
        "pairs": pairs,
        "model": model,
        "data_version": table.info.data_version,
        "language": table.info.language,
        "n_pairs": len(table),
        "embeddings": embeddings,
        "level": settings.level,
        "n_resamples": settings.n_resamples,
    }
    write_similarities(
        rows, SimilarityRows(pairs, model, list(table.subset), table.score, graph, dict(columns))
    )
    write_sealed(output, {**about, **found, "warnings": said})
    first = next(iter(columns))
    logger.info(
        "%s × %s: %d pairs, %s %.4f (Spearman)",
        pairs,
        model,
        len(table),
        first,
        found["scores"][first]["all"]["spearman"],
    )


def bootstrap_seed(seed: int, pairs: str) -> int:
    """The seed depends on the pair set only, so every encoder gets the same resamples."""
    return derive_seed(seed, "similarity", pairs)
