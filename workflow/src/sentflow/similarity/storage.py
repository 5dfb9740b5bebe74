"""Files of similarities: one row per pair, with the gold score, its two sentences and every measure."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sentflow.audit.ngrams import plain
from sentflow.files.arrow import Columns, numbers_of, table_of
from sentflow.files.parquet import read_parquet, readable, write_parquet
from sentflow.stats.pair_graph import PairGraph
from sentflow.texts.pairs import PairTable

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
