"""Files of similarities: one row per pair, with the gold score, its two sentences and every measure."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sentflow.files.arrow import Columns, numbers_of, table_of
from sentflow.files.parquet import read_parquet, readable, write_parquet
from sentflow.stats.pair_graph import PairGraph

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
    """Read what `write_similarities` wrote.

    Raises
    ------
    DataError
        The file is missing or damaged, or is none of these.
    """
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
