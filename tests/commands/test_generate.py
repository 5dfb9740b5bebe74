import pandas as pd
import pytest

from sentflow.commands.generate import main
from sentflow.errors import ConfigError


def arguments(output, task="T1A", seed="1"):
    return ["--task", task, "--seed", seed, "--output", str(output)]


@pytest.mark.parametrize(
    ("task", "columns"), [("T1A", ["text", "label"]), ("F3", ["text_a", "text_b", "label"])]
)
def test_file_reads_like_an_official_one(tmp_path, task, columns):
    output = tmp_path / "raw" / "file.csv"
    assert main(arguments(output, task=task)) == 0
    table = pd.read_csv(output, index_col=0)
    assert list(table.columns) == columns
    assert list(table.index) == list(range(len(table)))
    assert not table.isna().any(axis=None)
    assert table["label"].dtype == "int64"


def test_pair_set_is_written_with_its_scores(tmp_path):
    output = tmp_path / "STS12.tsv"
    assert main(arguments(output, task="STS12")) == 0
    lines = output.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "subset\ttext_a\ttext_b\tscore"
    assert all(0 <= float(line.split("\t")[3]) <= 5 for line in lines[1:])


def test_two_runs_write_the_same_bytes(tmp_path):
    first, second = tmp_path / "1.csv", tmp_path / "2.csv"
    main(arguments(first))
    main(arguments(second))
    assert first.read_bytes() == second.read_bytes()


def test_file_is_utf8_with_unix_line_ends(tmp_path):
    output = tmp_path / "file.csv"
    main(arguments(output))
    written = output.read_bytes()
    assert "ã" in written.decode("utf-8")
    assert b"\r" not in written


def test_unknown_task_leaves_no_file(tmp_path):
    output = tmp_path / "file.csv"
    with pytest.raises(ConfigError, match="no sample data for the task 'T9'"):
        main(arguments(output, task="T9"))
    assert list(tmp_path.iterdir()) == []
