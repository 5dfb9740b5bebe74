"""Similarities and scores of a pair set as files and rows."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sentflow.audit.ngrams import plain
from sentflow.errors import DataError
from sentflow.files.io import write_sealed
from sentflow.files.parquet import Columns, numbers_of, read_parquet, readable, table_of, write_parquet
from sentflow.similarity.scores import similarity_scores
from sentflow.similarity.settings import Resampling
from sentflow.stats.pair_graph import PairGraph
from sentflow.stats.resampling import Bootstrap
from sentflow.stats.seeds import derive_seed
from sentflow.texts.pairs import PairTable

if TYPE_CHECKING:
    from sentflow.texts.pairs import PairTable

logger = logging.getLogger(__name__)

OVERLAP = "overlap"  # the one measure of a baseline
_ABOUT = ("row", "subset", "gold", "sentence_a", "sentence_b")


@dataclass(frozen=True)
class SimilarityRows:
    """Similarities of the n pairs of a pair set by one encoder or baseline."""

    # pairs, model: names
    pairs: str
    model: str
    subset: list[str]  # n names of sub-sources
    gold: np.ndarray  # (n,) float64
    graph: PairGraph  # which sentences the pairs share
    columns: dict[str, np.ndarray]  # measure → (n,) float64


def graph_of(tables: Iterable[PairTable]) -> PairGraph:
    """The graph of the pairs of tables, one after the other.

    Sentences that differ in case, punctuation or white space alone are one (`plain`): people and encoders rate them
    alike, so their pairs are no more independent than those of equal sentences.
    """
    found = [[plain(text) for text in row] for table in tables for row in table.row_texts()]
    return PairGraph.of_texts([first for first, _ in found], [second for _, second in found])


def write_similarities(path: Path | str, rows: SimilarityRows) -> None:
    """Write Parquet with the columns row, subset, gold, sentence_a, sentence_b and one for each measure.

    Equal numbers of sentences are equal sentences.
    """
    columns: Columns = {
        "row": np.arange(len(rows.gold)),
        "subset": rows.subset,
        "gold": rows.gold,
        "sentence_a": rows.graph.first,
        "sentence_b": rows.graph.second,
        **rows.columns,
    }
    metadata = {b"pairs": rows.pairs.encode(), b"model": rows.model.encode()}
    write_parquet(path, table_of(columns, metadata))


def read_similarities(path: Path | str) -> SimilarityRows:
    """Read what `write_similarities` wrote."""
    with readable(path, "file of similarities"):
        table = read_parquet(path)
        metadata = table.schema.metadata or {}
        return SimilarityRows(
            pairs=metadata[b"pairs"].decode(),
            model=metadata[b"model"].decode(),
            subset=table.column("subset").to_pylist(),
            gold=numbers_of(table.column("gold")),
            graph=PairGraph(numbers_of(table.column("sentence_a")), numbers_of(table.column("sentence_b"))),
            columns={
                name: numbers_of(table.column(name)) for name in table.column_names if name not in _ABOUT
            },
        )


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
