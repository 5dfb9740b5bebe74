import logging
import zipfile
from pathlib import Path

import numpy as np
import pytest

from sentflow.errors import ConfigError, DataError
from sentflow.texts.checks import check_folds, few_rows, training_rows
from sentflow.texts.prepare import PrepareSettings, prepare
from sentflow.texts.table import TaskInfo, TaskTable

N_ROWS = 420  # two classes of 210: a fold trains on 268 rows, two batches


def settings(**keys: object) -> PrepareSettings:
    entry = {
        "reader": {"format": "ulysses-csv", "file": "x.csv"},
        "layout": "columns",
        "metric": "mcc",
        "data_version": "test data",
        "folds": 5,
        "title": "not this stage's business",
    }
    return PrepareSettings.from_settings({**entry, **keys}, task="X")


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
    return prepare("X", [raw_csv(folder, fields)], settings(**keys))


# --- good input


def test_table_keeps_rows_in_the_order_of_the_file(tmp_path):
    table = prepare_rows(tmp_path, single_rows())
    assert table.text_a[:3] == ["São 1", "São 1", "São 2"]
    assert table.labels[:4].tolist() == [0, 1, 0, 1]
    assert table.labels.dtype == np.int64
    assert table.info == TaskInfo("X", "single", ["0", "1"], 0, "test data")


def test_texts_are_not_stripped(tmp_path):
    rows = single_rows()
    rows[0][1] = "  ação \n"
    assert prepare_rows(tmp_path, rows).text_a[0] == "  ação \n"


def test_second_text_makes_a_pair(tmp_path):
    rows = [[row, a, "ato", label] for row, a, label in single_rows()]
    table = prepare_rows(tmp_path, rows)
    assert (table.info.layout, table.text_b[:2]) == ("pair", ["ato", "ato"])


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


def test_numbers_of_rows_are_logged(tmp_path, caplog):
    with caplog.at_level(logging.INFO):
        prepare_rows(tmp_path, single_rows())
    assert "X: 420 rows, per class {0: 210, 1: 210}" in caplog.text


def test_file_is_found_among_those_of_the_dataset(tmp_path):
    path = raw_csv(tmp_path, single_rows())
    assert len(prepare("X", [tmp_path / "y.csv", path], settings())) == N_ROWS
    with pytest.raises(ConfigError, match=r"tasks\.X\.reader\.file: 'x\.csv' is not a file .* Files: y\.csv"):
        prepare("X", [tmp_path / "y.csv"], settings())


# --- bad rows


def test_empty_texts_are_named_by_row(tmp_path):
    rows = single_rows()
    rows[1][1], rows[6][1] = "", " \n\t "
    with pytest.raises(DataError, match="text a is empty in rows 2, 7: fill or delete them"):
        prepare_rows(tmp_path, rows)


def test_empty_second_text_is_named_by_row(tmp_path):
    rows = [[row, a, "ato", label] for row, a, label in single_rows()]
    rows[0][2] = ""
    with pytest.raises(DataError, match="text b is empty in row 1:"):
        prepare_rows(tmp_path, rows)


def test_label_that_is_no_integer_is_shown_with_its_rows(tmp_path):
    rows = single_rows()
    rows[2][2], rows[4][2], rows[5][2] = "talvez", "0.5", "talvez"
    with pytest.raises(DataError) as error:
        prepare_rows(tmp_path, rows)
    assert "the label is not an integer: 'talvez', '0.5' in rows 3, 5, 6. Write labels: [" in str(error.value)


@pytest.mark.parametrize("label", ["", " ", "NaN", "nan", "NA", "null", "None"])
def test_missing_label_is_named_by_row(tmp_path, label):
    rows = single_rows()
    rows[3][2] = label
    with pytest.raises(DataError, match="the label is missing in row 4"):
        prepare_rows(tmp_path, rows)


def test_label_outside_the_map_is_shown_with_the_map(tmp_path):
    rows = single_rows()
    rows[3][2] = "2"
    reader = {"format": "ulysses-csv", "file": "x.csv", "labels": {"0": 0, "1": 1}}
    with pytest.raises(DataError, match=r"the label is not in reader\.labels \('0', '1'\): '2' in row 4"):
        prepare_rows(tmp_path, rows, reader=reader)


def test_truth_values_of_yaml_in_the_map_are_recognised(tmp_path):
    rows = [[row, text, "yes" if label == "1" else "no"] for row, text, label in single_rows()]
    reader = {"format": "ulysses-csv", "file": "x.csv", "labels": {"false": 0, "true": 1}}
    with pytest.raises(
        DataError, match="In YAML, yes, no, true and false are truth values: put such labels in quotes"
    ):
        prepare_rows(tmp_path, rows, reader=reader)


def test_text_in_the_label_column_is_not_copied_into_the_message(tmp_path):
    rows = single_rows()
    rows[0][2] = "um texto inteiro que não é rótulo"
    with pytest.raises(DataError) as error:
        prepare_rows(tmp_path, rows)
    assert "'um texto inteiro que…'" in str(error.value)


def test_one_class_only_is_an_error(tmp_path):
    rows = [[row, text, "1"] for row, text, _ in single_rows()]
    with pytest.raises(DataError, match="all rows have the label 1; a task needs at least two classes"):
        prepare_rows(tmp_path, rows)


def test_mcc_with_three_classes_is_an_error_that_says_what_to_write(tmp_path):
    rows = single_rows()
    rows[0][2] = "2"
    with pytest.raises(DataError) as error:
        prepare_rows(tmp_path, rows)
    assert "the metric mcc needs two classes, but there are 3 (0: 209, 1: 210, 2: 1)" in str(error.value)
    assert "write metric: adjusted_macro_f1" in str(error.value)


def test_another_number_of_alternatives_is_named_by_row_and_number(tmp_path):
    rows = question_rows(4)
    rows[2][2], rows[9][2] = "a [SEP] b [SEP] c", "a [SEP] b [SEP] c [SEP] d [SEP] e"
    with pytest.raises(DataError, match=r"most rows have 4 alternatives, but not rows 3 \(3\), 10 \(5\)"):
        prepare_rows(tmp_path, rows, layout="alternatives", metric="adjusted_macro_f1")


def test_empty_alternative_is_named_by_row(tmp_path):
    rows = question_rows(4)
    rows[0][2] = "a [SEP]  [SEP] c [SEP] d"
    with pytest.raises(DataError, match="an alternative is empty in row 1"):
        prepare_rows(tmp_path, rows, layout="alternatives", metric="adjusted_macro_f1")


def test_second_text_without_separator_holds_no_alternatives(tmp_path):
    rows = [[row, a, "ato", label] for row, a, label in single_rows()]
    with pytest.raises(DataError, match=r"text b holds no alternatives: join them by ' \[SEP\] '"):
        prepare_rows(tmp_path, rows, layout="alternatives")


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


@pytest.mark.parametrize(
    ("layout", "row", "message"),
    [
        (
            "pair",
            ["0", "a", "1"],
            "layout pair does not fit a file with one text column. Write layout: single",
        ),
        (
            "single",
            ["0", "a", "b", "1"],
            "layout single does not fit a file with two text columns. Write layout: pair",
        ),
    ],
)
def test_layout_that_does_not_fit_the_columns_is_an_error(tmp_path, layout, row, message):
    with pytest.raises(DataError, match=message):
        prepare_rows(tmp_path, [row], layout=layout)


def test_raw_file_that_was_changed_after_the_download_is_refused(tmp_path):
    entry = {"urls": ["https://a.br/x.csv"], "sha256": "0" * 64}
    with pytest.raises(
        DataError, match=r"x\.csv is not the file of the catalog: SHA-256 is .* Delete it to fetch it again"
    ):
        prepare_rows(tmp_path, single_rows(), files={"x.csv": entry})


def test_generated_file_has_no_checksum_to_compare(tmp_path):
    assert len(prepare_rows(tmp_path, single_rows(), files={"x.csv": {}})) == N_ROWS


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"layout": "triple"}, r"tasks\.X\.layout: 'triple' does not exist\. Write one of: columns, single"),
        ({"metric": "f1"}, r"tasks\.X\.metric: 'f1' does not exist\. Write one of: mcc, adjusted_macro_f1"),
    ],
)
def test_setting_that_does_not_exist_is_refused_with_those_that_do(keys, message):
    with pytest.raises(ConfigError, match=message):
        settings(**keys)


def test_missing_settings_are_named_together():
    with pytest.raises(ConfigError, match=r"tasks\.X: layout, metric, data_version, folds missing"):
        PrepareSettings.from_settings({"reader": {}}, task="X")


# --- folds


def table_with(*rows_per_class: int) -> TaskTable:
    labels = np.repeat(np.arange(len(rows_per_class)), rows_per_class)
    n = len(labels)
    info = TaskInfo("X", "single", [str(k) for k in range(len(rows_per_class))], 0, "test data")
    return TaskTable(info, ["á"] * n, [], labels, [None] * n)


def test_class_with_fewer_rows_than_folds_is_refused_by_name():
    with pytest.raises(DataError, match="class 1 has 4 rows, fewer than 5 folds; class 2 has 3 rows"):
        check_folds(table_with(900, 4, 3), folds=5)


def test_training_part_is_what_the_folds_leave():
    # 420 rows: test part 84, of the other 336 ceil(67.2) = 68 are for evaluation
    assert training_rows(420, folds=5) == 268
    # 202 rows: largest test part ceil(40.4) = 41, of the other 161 ceil(32.2) = 33 are for evaluation
    assert training_rows(202, folds=5) == 128


def test_training_part_smaller_than_a_batch_is_refused_with_the_least_number_of_rows():
    check_folds(table_with(900, 100), folds=5)
    with pytest.raises(DataError) as error:
        check_folds(table_with(900, 99), folds=5)
    # 198 rows: largest test part 40, of the other 158 ceil(31.6) = 32 are for evaluation
    assert "a fold trains on 126 rows, fewer than one batch of 128" in str(error.value)
    assert "The smallest class needs at least 100 rows" in str(error.value)


def test_small_training_part_is_only_warned_of():
    check_folds(table_with(300, 300), folds=5)
    warning = few_rows([300, 310], folds=5, protocol="mine")
    assert warning.startswith(
        "a fold trains on 384 rows. Below 512 the learning rate of protocol mine never leaves its start"
    )
    assert "Write protocol: corrected at the task" in warning
    assert few_rows([401, 401], folds=5, protocol="mine") is None
    assert few_rows([300, 300], folds=5, protocol="mine", small_parts=True) is None
    assert few_rows([90, 90], folds=5, protocol="mine", small_parts=True) == (
        "a fold trains on 115 rows in one batch, for a whole one has 128."
    )


# --- against scikit-learn


@pytest.mark.parametrize(
    ("n_classes", "class_rows", "folds"), [(2, 101, 5), (2, 210, 5), (3, 77, 4), (7, 30, 5)]
)
def test_training_part_is_never_smaller_than_computed(n_classes, class_rows, folds):
    from sklearn.model_selection import StratifiedKFold

    labels = np.repeat(np.arange(n_classes), class_rows)
    split = StratifiedKFold(folds, shuffle=True, random_state=0).split(labels, labels)
    rest = [len(others) - int(np.ceil(0.2 * len(others))) for others, _ in split]
    assert min(rest) == training_rows(len(labels), folds)


def test_zip_with_the_official_form_becomes_a_table(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.write(raw_csv(tmp_path, single_rows()), "x.csv")
    table = prepare("X", [tmp_path / "x.zip"], settings(reader={"format": "ulysses-csv", "file": "x.zip"}))
    assert len(table) == N_ROWS


@pytest.mark.parametrize("label", ["1" * 5000, "9" * 30, "1" + "0" * 400])
def test_a_label_of_endless_digits_is_no_integer(tmp_path, label):
    rows = single_rows()
    rows[4][2] = label
    with pytest.raises(DataError, match=r"the label is not an integer: .* in row 5") as error:
        prepare_rows(tmp_path, rows)
    assert len(str(error.value)) < 600
