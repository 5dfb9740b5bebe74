"""Parquet files tell when they were damaged or swapped."""

import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from made_graphs import unshared

from sentflow.errors import DataError
from sentflow.files.parquet import read_parquet, write_parquet
from sentflow.geometry.permuted_texts import PermutedTexts, read_permuted, write_permuted
from sentflow.similarity.storage import SimilarityRows, read_similarities, write_similarities
from sentflow.texts.collection import read_texts, write_texts
from sentflow.texts.pairs import PairInfo, PairTable, read_pairs, write_pairs
from sentflow.texts.table import TaskInfo, TaskTable, read_task, write_task

TABLE = pa.table({"a": list(range(2000)), "b": [f"texto {row * 7919 % 1000}" for row in range(2000)]})


def test_a_table_comes_back_with_the_metadata_it_had(tmp_path):
    for table in (TABLE, TABLE.replace_schema_metadata({b"k": b"v"})):
        write_parquet(tmp_path / "scores/T/m.parquet", table)
        back = read_parquet(tmp_path / "scores/T/m.parquet")
        assert back.equals(table, check_metadata=True)
        assert read_parquet(tmp_path / "scores/T/m.parquet", ["b"]).column_names == ["b"]


def test_a_file_in_the_place_of_another_is_refused(tmp_path):
    one, other, elsewhere = (
        tmp_path / name for name in ("scores/T/m.parquet", "scores/T/n.parquet", "x.parquet")
    )
    write_parquet(one, TABLE)
    shutil.copy2(one, other)
    shutil.copy2(one, elsewhere)
    with pytest.raises(
        DataError, match=r"scores/T/n\.parquet was written as scores/T/m\.parquet: another file"
    ):
        read_parquet(other)
    assert read_parquet(elsewhere).num_rows == 2000  # outside of the tree a name means nothing


def test_a_flipped_bit_in_any_page_is_found(tmp_path):
    file = tmp_path / "x.parquet"
    write_parquet(file, TABLE)
    whole = file.read_bytes()
    for share in (0.1, 0.3, 0.5, 0.7):
        content = bytearray(whole)
        content[int(len(whole) * share)] ^= 1
        file.write_bytes(bytes(content))
        with pytest.raises((OSError, pa.ArrowException)):
            read_parquet(file, ["a"])  # also in a column that was not asked for


def texts_of(n: int, word: str) -> list[str]:
    return [f"{word} {row * 7919 % 1000}" for row in range(n)]


def write_task_table(path: Path) -> None:
    info = TaskInfo("X", "single", ["0", "1"], 0, "test")
    write_task(path, TaskTable(info, texts_of(900, "texto"), [], np.arange(900) % 2, [None] * 900))


def write_pair_table(path: Path) -> None:
    info = PairInfo("X", "test", "pt", (0.0, 5.0), [""])
    write_pairs(
        path, PairTable(info, [""] * 900, texts_of(900, "a"), texts_of(900, "b"), np.arange(900) / 900)
    )


def write_similarity_rows(path: Path) -> None:
    numbers = np.random.default_rng(0).random(900)
    columns = {"cosine": numbers[::-1]}
    write_similarities(path, SimilarityRows("X", "m", [""] * 900, numbers, unshared(900), columns))


TABLES = {
    "task table": (write_task_table, read_task),
    "pair table": (write_pair_table, read_pairs),
    "list of texts": (lambda path: write_texts(path, texts_of(900, "t")), read_texts),
    "list of permuted texts": (
        lambda path: write_permuted(path, PermutedTexts(texts_of(900, "t"), texts_of(900, "u"), "words")),
        read_permuted,
    ),
    "file of similarities": (write_similarity_rows, read_similarities),
}


@pytest.mark.parametrize("what", TABLES)
def test_damage_of_any_table_is_one_sentence_with_what_to_do(tmp_path, what):
    write, read = TABLES[what]
    file = tmp_path / "x.parquet"
    write(file)
    read(file)
    content = bytearray(file.read_bytes())
    content[len(content) // 3] ^= 1
    file.write_bytes(bytes(content))
    with pytest.raises(
        DataError, match=rf"x\.parquet is not a readable {what} \(.*Delete it and run snakemake"
    ):
        read(file)
