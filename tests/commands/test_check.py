"""The command `check`."""

import json

import fake_summary
import pytest
from made_products import CHECKS

from sentflow.commands import check
from sentflow.compare.score_rows import ScoreRow
from sentflow.errors import DataError
from sentflow.files.io import read_json
from sentflow.files.rows import write_rows


def run(folder, name, rows):
    write_rows(folder / "scores.parquet", ScoreRow, rows)
    selection = {
        "tasks": ["T1A-sample", "F3-sample"],
        "models": list(fake_summary.MODELS),
        "random_models": ["random"],
    }
    return check.main(
        ["--check", name, "--summary", str(folder / "scores.parquet"), "--settings", json.dumps(selection)]
        + ["--output", str(folder / f"{name}.json")]
    )


@pytest.mark.parametrize("name", [name for name in CHECKS if name != "tables"])
def test_what_holds_is_written_with_counts(tmp_path, name):
    assert run(tmp_path, name, fake_summary.score_rows(tasks=["T1A", "F3"])) == 0
    written = read_json(tmp_path / f"{name}.json")
    assert written["passed"] is True
    assert written["check"] == name
    assert all(count >= 0 for count in written["counts"].values())


def test_failure_lists_every_row_and_leaves_no_file(tmp_path):
    rows = fake_summary.score_rows(tasks=["T1A"], models=["minilm-l6", "tfidf"])
    with pytest.raises(DataError) as caught:
        run(tmp_path, "complete", rows)
    message = str(caught.value)
    # two models are missing on one task, all four on the other
    assert message.count("no score") == 6
    assert "F3-sample × random" in message
    assert "The results are kept" in message
    assert not (tmp_path / "complete.json").exists()
