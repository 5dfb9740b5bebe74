from pathlib import Path

import numpy as np
import pytest

from sentflow.config.tasks import TaskSettings
from sentflow.errors import DataError
from sentflow.texts.checks import check_folds
from sentflow.texts.prepare import prepare
from sentflow.texts.settings import TaskChecks
from sentflow.texts.table import TaskInfo, TaskTable

N_ROWS = 420  # two classes of 210: a fold trains on 268 rows, two batches


def settings(**keys: object) -> tuple[TaskSettings, TaskChecks]:
    entry = {
        "reader": {"format": "ulysses-csv", "file": "x.csv"},
        "layout": "columns",
        "metric": "mcc",
        "data_version": "test data",
        "folds": 5,
        **keys,
    }
    return TaskSettings.from_parts(entry), TaskChecks.from_parts(entry)


def single_rows(n: int = N_ROWS) -> list[list[str]]:
    """Index, text, label; texts are not ASCII and two are equal."""
    return [[str(row), f"São {max(row, 1)}", str(row % 2)] for row in range(n)]


def question_rows(n_alternatives: int = 4, n: int = 1200) -> list[list[str]]:
    alternatives = " [SEP] ".join(f"opção {k}" for k in range(n_alternatives))
    return [[str(row), f"questão {row}", alternatives, str(row % n_alternatives)] for row in range(n)]


def raw_csv(folder: Path, rows: list[list[str]]) -> Path:
    header = ["", "a", "b", "label"] if len(rows[0]) == 4 else ["", "text", "label"]
    quoted = [",".join('"' + field.replace('"', '""') + '"' for field in row) for row in [header, *rows]]
    (folder / "x.csv").write_text("\n".join(quoted), encoding="utf-8")
    return folder / "x.csv"


def prepare_rows(folder: Path, fields: list[list[str]], **keys: object) -> TaskTable:
    return prepare("X", [raw_csv(folder, fields)], *settings(**keys))


def test_table_keeps_rows_in_the_order_of_the_file(tmp_path):
    table = prepare_rows(tmp_path, single_rows())
    assert table.text_a[:3] == ["São 1", "São 1", "São 2"]
    assert table.labels[:4].tolist() == [0, 1, 0, 1]
    assert table.labels.dtype == np.int64
    assert table.info == TaskInfo("X", "single", ["0", "1"], 0, "test data")


def pair_rows(first: list[object]) -> list[list[str]]:
    return [[str(row), f"a {text}", f"b {row}", str(row % 2)] for row, text in enumerate(first)]


def test_rows_that_share_a_text_can_be_of_one_document(tmp_path):
    rows = pair_rows([row // 2 for row in range(N_ROWS)])
    rows[3][2] = rows[4][2]  # joins the documents of rows 2 and 3, and 4 and 5
    table = prepare_rows(tmp_path, rows, documents="texts")
    assert len(set(table.groups)) == N_ROWS // 2 - 1
    assert len(set(table.groups[2:6])) == 1
    assert prepare_rows(tmp_path, rows).groups == [None] * N_ROWS


@pytest.mark.parametrize(
    ("first", "told"),
    [
        ([min(row, 200) for row in range(N_ROWS)], "220 of 420 rows are connected"),
        (range(N_ROWS), "no two rows share a text"),
    ],
)
def test_shared_texts_that_cannot_be_kept_together_are_refused(tmp_path, first, told):
    with pytest.raises(DataError, match=told):
        prepare_rows(tmp_path, pair_rows(first), documents="texts")


def test_alternatives_are_counted(tmp_path):
    table = prepare_rows(tmp_path, question_rows(5), layout="alternatives", metric="adjusted_macro_f1")
    assert (table.info.layout, table.info.n_alternatives) == ("alternatives", 5)
    assert table.alternatives(0)[4] == "opção 4"


def test_labels_become_positions_of_the_classes_in_numeric_order(tmp_path):
    rows = [[row, text, "10" if label == "1" else " -2.0"] for row, text, label in single_rows()]
    table = prepare_rows(tmp_path, rows)
    assert table.info.classes == ["-2", "10"]
    assert table.labels[:2].tolist() == [0, 1]


def test_labels_of_any_kind_can_be_mapped_and_joined(tmp_path):
    rows = single_rows()
    rows[0][2] = "-1"
    reader = {"format": "ulysses-csv", "file": "x.csv", "labels": {"-1": 1, "0": 0, "1": 1}}
    table = prepare_rows(tmp_path, rows, reader=reader, class_counts={"0": 209, "1": 211}, rows=N_ROWS)
    assert table.labels[:2].tolist() == [1, 1]


def test_mcc_with_three_classes_is_an_error_that_says_what_to_write(tmp_path):
    rows = single_rows()
    rows[0][2] = "2"
    with pytest.raises(DataError) as error:
        prepare_rows(tmp_path, rows)
    assert "the metric mcc needs two classes, but there are 3 (0: 209, 1: 210, 2: 1)" in str(error.value)
    assert "write metric: adjusted_macro_f1" in str(error.value)


def test_unexpected_numbers_are_told_beside_the_expected_ones(tmp_path):
    with pytest.raises(DataError) as error:
        prepare_rows(tmp_path, single_rows(), rows=7000, class_counts={"0": 3500, "1": 3500})
    assert "420 rows, expected 7000" in str(error.value)
    assert "rows per class are 0: 210, 1: 210, expected 0: 3500, 1: 3500" in str(error.value)


def test_all_problems_are_told_at_once_and_long_lists_are_cut(tmp_path):
    rows = single_rows()
    for row in rows[:13]:
        row[1] = ""
    rows[20][2], rows[21][2] = "", "x"
    with pytest.raises(DataError) as error:
        prepare_rows(tmp_path, rows)
    text = str(error.value)
    assert text.startswith("X (x.csv; rows are counted from 1 after the header):\n  - ")
    assert "the label is missing in row 21." in text
    assert "the label is not an integer: 'x' in row 22." in text
    assert "rows 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 3 more" in text


def test_raw_file_that_was_changed_after_the_download_is_refused(tmp_path):
    entry = {"urls": ["https://a.br/x.csv"], "sha256": "0" * 64}
    message = r"x\.csv is not the file of the catalog: SHA-256 is .* Delete it to fetch it again"
    with pytest.raises(DataError, match=message):
        prepare_rows(tmp_path, single_rows(), files={"x.csv": entry})


def table_with(*rows_per_class: int) -> TaskTable:
    labels = np.repeat(np.arange(len(rows_per_class)), rows_per_class)
    n = len(labels)
    info = TaskInfo("X", "single", [str(k) for k in range(len(rows_per_class))], 0, "test data")
    return TaskTable(info, ["á"] * n, [], labels, [None] * n)


def test_class_with_fewer_rows_than_folds_is_refused_by_name():
    with pytest.raises(DataError, match="class 1 has 4 rows, fewer than 5 folds; class 2 has 3 rows"):
        check_folds(table_with(900, 4, 3), folds=5)


def test_training_part_smaller_than_a_batch_is_refused_with_the_least_number_of_rows():
    check_folds(table_with(900, 100), folds=5)
    with pytest.raises(DataError) as error:
        check_folds(table_with(900, 99), folds=5)
    # 198 rows: largest test part 40, of the other 158 ceil(31.6) = 32 are for evaluation
    assert "a fold trains on 126 rows, fewer than one batch of 128" in str(error.value)
    assert "The smallest class needs at least 100 rows" in str(error.value)
