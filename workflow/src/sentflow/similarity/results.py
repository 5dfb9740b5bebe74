"""The two files of one encoder or baseline on one pair set."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sentflow.errors import DataError
from sentflow.files.sealed import write_sealed
from sentflow.similarity.scores import similarity_scores
from sentflow.similarity.shared_sentences import graph_of
from sentflow.similarity.storage import SimilarityRows, write_similarities
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
    settings: Mapping[str, Any],
    *,
    embeddings: str | None,
    warnings: Sequence[str],
) -> None:
    """Score, and write scores (JSON) and similarities (Parquet).

    Parameters
    ----------
    output, rows
        Files to write.
    table
        The pair set.
    columns
        Measure → (n,) float64 similarities.
    settings
        ``pairs``, ``model``, ``level``, ``n_resamples`` and ``seed``.
    embeddings
        SHA-256 of the vectors; None without.
    warnings
        Of the similarities; those of the scores follow.

    Raises
    ------
    DataError
        The table is of another pair set.
    """
    check_pair_set(table, settings["pairs"])
    graph = graph_of([table])
    found = similarity_scores(
        table.score,
        table.subset,
        columns,
        graph,
        Bootstrap(
            level=settings["level"],
            n_resamples=settings["n_resamples"],
            seed=bootstrap_seed(settings["seed"], settings["pairs"]),
        ),
    )
    said = [*warnings, *found["warnings"]]
    for warning in said:
        logger.warning("%s × %s: %s", settings["pairs"], settings["model"], warning)
    about = {
        "pairs": settings["pairs"],
        "model": settings["model"],
        "data_version": table.info.data_version,
        "language": table.info.language,
        "n_pairs": len(table),
        "embeddings": embeddings,
        "level": settings["level"],
        "n_resamples": settings["n_resamples"],
    }
    write_similarities(
        rows,
        SimilarityRows(
            settings["pairs"], settings["model"], list(table.subset), table.score, graph, dict(columns)
        ),
    )
    write_sealed(output, {**about, **found, "warnings": said})
    first = next(iter(columns))
    logger.info(
        "%s × %s: %d pairs, %s %.4f (Spearman)",
        settings["pairs"],
        settings["model"],
        len(table),
        first,
        found["scores"][first]["all"]["spearman"],
    )


def bootstrap_seed(seed: int, pairs: str) -> int:
    """The seed depends on the pair set only, so every encoder gets the same resamples."""
    return derive_seed(seed, "similarity", pairs)


def check_pair_set(table: "PairTable", name: str) -> None:
    """Refuse a table of another pair set, or one with no pair.

    Raises
    ------
    DataError
        With both names.
    """
    if table.info.pairs != name:
        raise DataError(
            f"the table is of the pair set {table.info.pairs}, not of {name}. Delete it and run again."
        )
    if not len(table):
        raise DataError(f"the pair set {name} has no pair, so nothing can be scored.")
