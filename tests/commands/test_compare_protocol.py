import json
from dataclasses import replace
from pathlib import Path

import fake_summary
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sentflow.commands.compare_protocol import main
from sentflow.compare.score_rows import EffectRow
from sentflow.errors import DataError
from sentflow.files.rows import read_rows
from sentflow.files.sealed import write_sealed

ROWS = [replace(row, n_folds=4, repetitions=2, folds=2) for row in fake_summary.score_rows(tasks=["T1A"])]
SWITCHES = {"clip_metric": False, "interval": "generalisation"}


def write_protocol(folder: Path, name: str, *, shift: float, **more: object) -> tuple[list[str], list[str]]:
    """Score files and tables of `ROWS` with shifted scores; folds are stored in any order."""
    scores, tables = [], []
    for row in ROWS:
        moved = replace(row, protocol=name, mean=row.mean + shift)
        write_sealed(folder / name / f"{row.model}.json", fake_summary.score_file(moved) | more)
        order = [2, 0, 3, 1]
        columns = {
            "task": [row.task] * 8,
            "kfold_repetition": [1 + k // 2 for k in order] * 2,
            "kfold_partition": [1 + k % 2 for k in order] * 2,
            "train_epoch": [-1] * 8,
            "metric": ["metric_test"] * 4 + ["loss_test"] * 4,
            "value": [row.mean + shift * (1 + 0.1 * k) for k in order] + [9.0] * 4,
        }
        pq.write_table(pa.table(columns), folder / name / f"{row.model}.parquet")
        scores.append(str(folder / name / f"{row.model}.json"))
        tables.append(str(folder / name / f"{row.model}.parquet"))
    return scores, tables


@pytest.fixture
def words(tmp_path) -> dict[str, list[str]]:
    scores, tables = write_protocol(tmp_path, "published", shift=0.0)
    more = {"mean_clipped": 0.4, "switches": SWITCHES}
    other_scores, other_tables = write_protocol(tmp_path, "mine", shift=-0.1, **more)
    settings = fake_summary.settings_of(ROWS) | {"protocol": {"name": "mine", "title": "Mine"}}
    return {
        "--scores": scores,
        "--tables": tables,
        "--other-scores": other_scores,
        "--other-tables": other_tables,
        "--settings": [json.dumps(settings)],
        "--output": [str(tmp_path / "effects.parquet")],
    }


def run(words: dict[str, list[str]]) -> int:
    return main([word for name, values in words.items() for word in (name, *values)])


def test_every_score_has_its_effect(tmp_path, words):
    assert run(words) == 0
    rows = read_rows(tmp_path / "effects.parquet", EffectRow)
    assert [row.model for row in rows] == [row.model for row in ROWS]
    for row in rows:
        assert (row.protocol, row.baseline, row.protocol_title) == ("mine", "published", "Mine")
        assert row.switches == "interval generalisation, clip_metric off"
        assert row.difference == pytest.approx(-0.1)
        # paired by repetition and fold: differences −0.10, −0.11, −0.12, −0.13
        assert row.difference_low < -0.115 < row.difference_high
        assert row.difference_low + row.difference_high == pytest.approx(
            2 * np.mean([-0.1, -0.11, -0.12, -0.13])
        )


def test_same_files_give_the_same_bytes(tmp_path, words):
    run(words)
    first = (tmp_path / "effects.parquet").read_bytes()
    run(words)
    assert (tmp_path / "effects.parquet").read_bytes() == first


def test_score_of_another_protocol_is_named(words):
    words["--other-scores"] = words["--scores"]
    with pytest.raises(
        DataError, match=r"published/minilm-l6\.json was made by the protocol published, not by mine"
    ):
        run(words)


def test_lists_of_unequal_length_are_refused(words):
    words["--tables"] = words["--tables"][1:]
    with pytest.raises(DataError, match="must have the same length"):
        run(words)


def test_table_that_cannot_be_read_is_named(words):
    Path(words["--tables"][0]).write_bytes(b"PAR1")
    with pytest.raises(DataError, match=r"minilm-l6\.parquet is not a readable score table"):
        run(words)
