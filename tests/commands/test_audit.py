from pathlib import Path

import pytest
from small_tasks import make_task

from sentflow.commands.audit import main
from sentflow.errors import DataError
from sentflow.files.io import read_json
from sentflow.texts.table import write_task

SETTINGS = '{"repetitions": 2, "folds": 5, "seed": 9847706, "group_folds": false, "language": "pt"}'


def run(folder: Path, *, name: str = "audit.json") -> dict:
    words = ["--rows", str(folder / "rows.parquet"), "--settings", SETTINGS]
    assert main([*words, "--output", str(folder / name)]) == 0
    return read_json(folder / name)


def test_an_audit_has_every_key_that_the_report_reads(tmp_path):
    write_task(tmp_path / "rows.parquet", make_task(60))
    facts = run(tmp_path)
    assert set(facts) == {
        *(
            "task",
            "n_rows",
            "exact_duplicates",
            "near_duplicates",
            "contradicting",
            "shared_texts",
            "classes",
        ),
        *("lengths", "language", "language_unsure", "documents", "warnings"),
    }
    assert set(facts["exact_duplicates"]) == {"rows", "groups", "share_across_folds"}
    assert set(facts["near_duplicates"]) == {"rows", "pairs", "share_across_folds", "threshold", "examples"}
    assert set(facts["contradicting"]) == {"rows", "groups", "examples"}
    assert set(facts["lengths"]) == {"chars", "words"}
    assert set(facts["lengths"]["chars"]) == {"min", "p5", "median", "p95", "max"}
    assert facts["exact_duplicates"]["rows"] >= 2  # small tasks have a duplicate


def test_pairs_and_alternatives_are_audited(tmp_path):
    for layout in ("pair", "alternatives"):
        write_task(tmp_path / "rows.parquet", make_task(40, layout=layout))
        assert run(tmp_path)["shared_texts"]["rows"] >= 0


def test_same_rows_give_the_same_bytes(tmp_path):
    write_task(tmp_path / "rows.parquet", make_task(60))
    run(tmp_path), run(tmp_path, name="again.json")
    assert (tmp_path / "audit.json").read_bytes() == (tmp_path / "again.json").read_bytes()


def test_texts_are_not_in_the_log_nor_in_the_audit(tmp_path, capsys):
    table = make_task(60)
    write_task(tmp_path / "rows.parquet", table)
    run(tmp_path)
    written = (tmp_path / "audit.json").read_text(encoding="utf-8") + capsys.readouterr().err
    assert [text for text in table.text_a if text in written] == []


def test_a_damaged_table_is_named(tmp_path):
    (tmp_path / "rows.parquet").write_bytes(b"PAR1")
    with pytest.raises(DataError, match=r"rows\.parquet is not a readable task table"):
        run(tmp_path)
    assert not (tmp_path / "audit.json").exists()
