"""The command `table`."""

import fake_summary
import pytest

from sentflow.commands import table
from sentflow.compare.score_rows import ScoreRow
from sentflow.errors import ConfigError
from sentflow.files.rows import write_rows
from sentflow.report.costs.rows import CostRow


def run(folder, name, summary):
    return table.main(
        ["--table", name, "--summary", str(summary), "--settings", '{"caption": "Título & cia"}']
        + [f"--csv={folder}/{name}.csv", f"--markdown={folder}/{name}.md", f"--latex={folder}/{name}.tex"]
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
