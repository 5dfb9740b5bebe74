"""Commands of training data: from raw files to table, digest and audit."""

import json
from pathlib import Path

import pytest

from sentflow.commands import audit_training, generate, prepare_pairs, prepare_training
from sentflow.errors import DataError
from sentflow.files.io import file_sha256, read_json
from sentflow.training.data.table import read_training_data

SOURCE = {"where": "", "dataset": "own", "rows": {"format": "lines", "files": ["my.txt"]}}


def prepare(folder: Path, text: str, *, checks: dict | None = None, **entry: object) -> Path:
    (folder / "own").mkdir(exist_ok=True)
    (folder / "own/my.txt").write_bytes(text.encode())
    output = folder / "training/mine.parquet"
    output.parent.mkdir(exist_ok=True)
    settings = {"form": "texts", "sources": [SOURCE], **entry}
    prepare_training.main(
        [
            *("--data", "mine", "--raw", str(folder / "own/my.txt"), "--settings", json.dumps(settings)),
            *("--checks", json.dumps(checks or {}), "--output", str(output)),
        ]
    )
    return output


def test_lines_become_a_table_with_a_digest_that_counts_what_was_left_out(tmp_path):
    output = prepare(tmp_path, "Primeira linha.\n\nPalavra\nPrimeira linha.\n", drop_repeated=True)
    assert read_training_data(output).columns == {"text": ["Primeira linha.", "Palavra"]}
    digest = read_json(output.with_suffix(".json"))
    assert (digest["rows"], digest["form"], digest["one_word"]) == (2, "texts", 1)
    assert digest["dropped"] == {"empty": 1, "short": 0, "repeated": 1}
    assert digest["sha256"] == file_sha256(output)


def test_equal_rows_are_the_same_bytes(tmp_path):
    first = prepare(tmp_path, "a b\nc d\n").read_bytes()
    assert prepare(tmp_path, "a b\n\nc d\n").read_bytes() == first


def test_a_raw_file_that_is_not_that_of_the_catalog_is_refused_and_leaves_no_table(tmp_path):
    with pytest.raises(DataError, match="my.txt"):
        prepare(tmp_path, "a b\n", checks={"files": {"own": {"my.txt": {"urls": ["x"], "sha256": "0" * 64}}}})
    assert not (tmp_path / "training/mine.parquet").exists()


def test_the_audit_counts_what_a_test_shares_with_training(tmp_path):
    raw = tmp_path / "STS12.tsv"
    generate.main(["--task", "STS12", "--seed", "1", "--output", str(raw)])
    pairs = tmp_path / "pairs/STS12-sample.parquet"
    pairs.parent.mkdir()
    entry = {
        "data_version": "sample data",
        "language": "en",
        "scale": [0, 5],
        "reader": {"format": "tsv", "files": ["STS12.tsv"], "subset": "subset"},
    }
    prepare_pairs.main(
        [
            "--pairs",
            "STS12-sample",
            "--raw",
            str(raw),
            "--settings",
            json.dumps(entry),
            "--output",
            str(pairs),
        ]
    )
    first = raw.read_text("utf-8").splitlines()[1].split("\t")
    data = prepare(tmp_path, f"{first[1].upper()}\n{first[2]}\nSomething else.\n")
    output = tmp_path / "audit.json"
    settings = {"tests": [["pair set", "STS12-sample"]], "declared": False}
    audit_training.main(
        [
            *("--data", str(data), "--tests", str(pairs), "--settings", json.dumps(settings)),
            *("--output", str(output)),
        ]
    )
    [found] = read_json(output)["tests"]
    assert (found["name"], found["training_rows"], found["texts"]["copies"]) == ("STS12-sample", 2, 2)
    assert found["rows"]["all"] >= 1
    assert found["examples"][0] == [0, 0, 1.0]
