"""Scores of published boards: each format by values known by hand, and what must never be read silently."""

from pathlib import Path

import pytest

from sentflow.boards.files import read_files
from sentflow.boards.scores import COLUMNS, Options, Scores
from sentflow.errors import DataError

BOARDS = Path(__file__).parents[1] / "data" / "boards"


def read(*names: str, **options: object) -> Scores:
    return read_files([BOARDS / name for name in names], Options(**options))  # type: ignore[arg-type]


def cells(scores: Scores, key: str = "task") -> dict[tuple[str, str], float]:
    rows = scores.rows
    assert (*rows.columns,) == COLUMNS
    return dict(zip(zip(rows["model"], rows[key], strict=True), rows["score"].tolist(), strict=True))


def test_runs_count_every_judged_topic() -> None:
    """d3 (2) before d2 (0) before d1 (1): (2 + 1/2) / (2 + 1/log2 3); a topic that the run lacks is 0."""
    found = cells(scores := read("trec/tiny.run", "trec/big.run", "trec/qrels.txt"), "item")
    assert found["tiny", "301"] == pytest.approx(2.5 / (2 + 0.6309297535714575))
    assert (found["tiny", "304"], found["big", "304"]) == (0.0, 1.0)
    assert ("tiny", "303") not in found
    assert any("304" in note and "count 0" in note for note in scores.notes)


def test_a_run_without_judgements_is_refused() -> None:
    with pytest.raises(DataError, match="qrels"):
        read("trec/tiny.run")
    with pytest.raises(DataError, match="one of these"):
        read("trec/tiny.run", "trec/qrels.txt", "trec/qrels_beir.tsv")


def test_lines_of_trec_eval_are_items() -> None:
    found = cells(read("trec/tiny.trec_eval.txt", "trec/big.trec_eval.txt"), "item")
    assert (found["tiny", "301"], found["tiny", "304"], found["big", "302"]) == (0.9502, 0.0, 0.6309)
    assert len(found) == 8
