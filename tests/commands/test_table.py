"""The command `table`."""

import fake_summary
import pytest

from sentflow.commands import table
from sentflow.compare.score_rows import ScoreRow
from sentflow.errors import ConfigError
from sentflow.files.rows import write_rows
from sentflow.report.costs.rows import CostRow


def run(folder, name, summary, endings=(".csv", ".md", ".tex")):
    return table.main(
        ["--table", name, "--summary", str(summary), "--settings", '{"caption": "Título & cia"}']
        + ["--output", *(f"{folder}/{name}{ending}" for ending in endings)]
    )


@pytest.fixture
def summary(tmp_path):
    write_rows(tmp_path / "scores.parquet", ScoreRow, fake_summary.score_rows())
    return tmp_path / "scores.parquet"


@pytest.mark.parametrize("name", ["scores", "intervals", "tasks"])
def test_three_formats_with_caption_and_same_bytes_again(tmp_path, summary, name):
    for folder in ("one", "two"):
        assert run(tmp_path / folder, name, summary) == 0
    for suffix in ("csv", "md", "tex"):
        first = (tmp_path / "one" / f"{name}.{suffix}").read_bytes()
        assert first == (tmp_path / "two" / f"{name}.{suffix}").read_bytes()
        assert b"sample data" in first
    assert "Título & cia" in (tmp_path / "one" / f"{name}.md").read_text(encoding="utf-8")
    assert r"Título \& cia" in (tmp_path / "one" / f"{name}.tex").read_text(encoding="utf-8")


def test_costs_come_from_their_own_summary(tmp_path):
    write_rows(tmp_path / "costs.parquet", CostRow, fake_summary.cost_rows())
    assert run(tmp_path, "costs", tmp_path / "costs.parquet") == 0
    assert "probe" in (tmp_path / "costs.csv").read_text()


def test_unknown_table_leaves_no_file(tmp_path, summary):
    with pytest.raises(ConfigError, match="report.tables: there is no table 'rank'"):
        run(tmp_path, "rank", summary)
    assert not list(tmp_path.glob("rank.*"))


def test_a_matrix_is_written_as_wide_csv_and_compact_latex_too(tmp_path, summary):
    assert run(tmp_path, "scores", summary, ("-wide.csv", "-compact.tex")) == 0
    lines = (tmp_path / "scores-wide.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "task,minilm-l6,tfidf,bag-of-words,random"
    assert len(lines) == 1 + len(fake_summary.TASKS)
    assert "[" not in (tmp_path / "scores-compact.tex").read_text(encoding="utf-8").split(r"\midrule")[1]


def test_a_file_that_is_no_form_of_the_table_is_named_with_those_that_are(tmp_path, summary):
    with pytest.raises(
        ConfigError, match=r"scores-long\.csv is no form of the table scores.*scores-wide\.csv"
    ):
        run(tmp_path, "scores", summary, ["-long.csv"])
