import csv
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentflow.config.model import mistakes
from sentflow.config.tasks import Reader
from sentflow.errors import DataError
from sentflow.texts.formats.delimited import read_delimited
from sentflow.texts.formats.raw import RawFile, decode
from sentflow.texts.sources import label_map, read_rows


def reader(**keys: object) -> Reader:
    return Reader.model_validate(keys)


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def zipped(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def test_two_columns_after_the_index_are_text_and_label(tmp_path):
    path = written(tmp_path / "x.csv", ",texto,rótulo\n5,água,1\n7,água,0\n")
    rows = read_rows(path, reader(format="ulysses-csv", file="x.csv"))
    assert (rows.text_a, rows.text_b, rows.labels) == (["água", "água"], None, ["1", "0"])
    assert (rows.names, rows.groups) == (["1", "2"], [None, None])


def test_texts_that_look_like_missing_values_stay_texts(tmp_path):
    path = written(tmp_path / "x.csv", ",t,l\n0,NA,1\n1,null,0\n2,nan,0\n")
    assert read_rows(path, reader(format="ulysses-csv", file="x.csv")).text_a == ["NA", "null", "nan"]


def test_zip_with_several_csvs_needs_the_name_of_one(tmp_path):
    path = zipped(tmp_path / "x.zip", {"a.csv": b",t,l\n0,a,1\n", "b.csv": b",t,l\n0,b,1\n"})
    message = r"x\.zip: the archive holds 2 files \.csv.*member: <name>.*'a\.csv', 'b\.csv'"
    with pytest.raises(DataError, match=message):
        read_rows(path, reader(format="ulysses-csv", file="x.zip"))
    assert read_rows(path, reader(format="ulysses-csv", file="x.zip", member="b.csv")).text_a == ["b"]
    with pytest.raises(DataError, match=r"x\.zip: the archive has no member 'c\.csv'"):
        read_rows(path, reader(format="ulysses-csv", file="x.zip", member="c.csv"))


@settings(max_examples=20)
@given(
    texts=st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\r\0")).filter(str.strip),
        min_size=1,
        max_size=5,
    )
)
def test_every_text_that_pandas_writes_is_read_back(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("csv") / "x.csv"
    pd.DataFrame({"t": texts, "l": 0}).to_csv(path)
    assert read_rows(path, reader(format="ulysses-csv", file="x.csv")).text_a == texts


def test_named_columns_are_read_whatever_their_order(tmp_path):
    path = written(tmp_path / "x.csv", "classe;doc;frase b;frase a\nsim;d1;b;a\nnão;;b2;a2\n")
    keys = {"text_a": "frase a", "text_b": "frase b", "label": "classe", "group": "doc", "delimiter": ";"}
    rows = read_rows(path, reader(format="csv", file="x.csv", **keys))
    assert (rows.text_a, rows.text_b, rows.labels) == (["a", "a2"], ["b", "b2"], ["sim", "não"])
    assert rows.groups == ["d1", None]


def test_without_quoting_a_quote_is_a_sign_and_windows_line_ends_are_none(tmp_path):
    path = written(tmp_path / "x.tsv", 'a\tb\tl\r\n"Não\tele" disse\t1\r\nc\x0c\td\t0')
    keys = {"format": "csv", "file": "x.tsv", "delimiter": "\t", "text_a": "a", "text_b": "b", "label": "l"}
    rows = read_rows(path, reader(**keys, quoting=False))
    assert (rows.text_a, rows.text_b) == (['"Não', "c\x0c"], ['ele" disse', "d"])
    assert rows.labels == ["1", "0"]
    with pytest.raises(DataError, match=r"x\.tsv"):
        read_rows(path, reader(**keys))
    written(path, "a\tb\tl\nx\t1\n")
    with pytest.raises(DataError, match=r"x\.tsv: the header has 3 fields, but line 2 has 2\. Is '\\t' the"):
        read_rows(path, reader(**keys, quoting=False))


def test_all_missing_columns_are_named_with_those_that_exist(tmp_path):
    path = written(tmp_path / "x.csv", "texto,classe\na,1\n")
    with pytest.raises(DataError) as error:
        read_rows(path, reader(format="csv", file="x.csv", text_a="text", label="label"))
    assert "x.csv: text_a: no column 'text'; label: no column 'label'. Columns: 'texto', 'classe'." in str(
        error.value
    )


def test_field_longer_than_the_limit_of_the_csv_module_is_read_and_the_limit_is_left_alone(tmp_path):
    before = csv.field_size_limit()
    path = written(tmp_path / "x.csv", f"a,b\n{'lei ' * 50_000},1\n")
    assert len(read_delimited(RawFile(path), ",").pick({"a": "a"})["a"][0]) == 200_000
    assert csv.field_size_limit() == before


def test_broken_csv_is_an_error_that_says_where(tmp_path):
    for content, message in (
        ("\n\n", r"x\.csv is empty: no header"),
        ("a,b\n", r"x\.csv is empty: a header without rows"),
        ("a,b\n1,2\n1,2,3\n1\n", r"the header has 2 fields, but line 3 has 3, line 4 has 1"),
        ('a,b\n1,"cut', r"x\.csv, line 2: unexpected end of data"),
        ('a,b\n"x"y,1\n', r"x\.csv, line 2: ',' expected after"),
    ):
        with pytest.raises(DataError, match=message):
            read_delimited(RawFile(written(tmp_path / "x.csv", content)), ",")


JSONL = (
    '{"t": "água\\u2028 é", "y": 1, "g": "d1"}\n\n'
    '{"y": true, "t": "b", "alt": ["x", "y"]}\r\n'
    '{"t": null, "y": 1.0}\n{"t": "c", "y": NaN}\n'
)


def test_json_lines_are_read_with_their_types_and_gaps(tmp_path):
    path = written(tmp_path / "x.jsonl", JSONL)
    keys = {"text_a": "t", "text_b": "alt", "label": "y", "group": "g"}
    rows = read_rows(path, reader(format="jsonl", file="x.jsonl", **keys))
    assert rows.text_a == ["água\u2028 é", "b", "", "c"]
    assert rows.text_b == ["", "x [SEP] y", "", ""]
    assert rows.labels == ["1", "true", "1.0", ""]
    assert rows.groups == ["d1", None, None, None]


def test_json_lines_that_no_table_can_hold_are_named_by_their_line(tmp_path):
    for line, message in (
        ('{"t": "a"', r"x\.jsonl, line 2: .*one JSON object"),
        ('["a"]', r"x\.jsonl, line 2: list, not an object"),
        ('{"t": {"pt": "a"}, "y": 0}', r"x\.jsonl, row 2: the column 't' holds dict"),
        ('{"t": "a\\ud800b", "y": 1}', r"x\.jsonl, line 2: "),
        ('{"t": "a", "y": ' + "1" * 5000 + "}", r"x\.jsonl, line 2: "),
        ('{"t": ' + "[" * 3000 + "]" * 3000 + ', "y": 1}', r"x\.jsonl, line 2: "),
    ):
        path = written(tmp_path / "x.jsonl", '{"t": "a", "y": 0}\n' + line + "\n")
        with pytest.raises(DataError, match=message) as error:
            read_rows(path, reader(format="jsonl", file="x.jsonl", text_a="t", label="y"))
        assert len(str(error.value)) < 500


def parquet(path: Path, **columns: list[object]) -> Path:
    pd.DataFrame(columns).to_parquet(path)
    return path


def test_parquet_columns_are_read_with_their_types_and_gaps(tmp_path):
    path = parquet(
        tmp_path / "x.parquet",
        t=["é", None],
        y=[1.0, None],
        alt=[["a", "b"], ["c", "d"]],
        other=[{}, {"k": 1}],
    )
    rows = read_rows(path, reader(format="parquet", file="x.parquet", text_a="t", text_b="alt", label="y"))
    assert (rows.text_a, rows.text_b, rows.labels) == (["é", ""], ["a [SEP] b", "c [SEP] d"], ["1.0", ""])


def test_a_list_of_labels_counts_from_zero():
    labels = label_map(("ruim", "bom", 7))
    assert labels == {"ruim": 0, "bom": 1, "7": 2}


def test_wrong_encoding_names_byte_line_and_what_to_write():
    with pytest.raises(DataError) as error:
        decode("a\nb\nação".encode("cp1252"), "utf-8", where="x.csv")
    assert "x.csv: byte 5 (line 3), 0xe7, cannot be decoded as utf-8." in str(error.value)
    assert "encoding: cp1252 (there this byte is 'ç')" in str(error.value)


ARFF = (
    "% comment\r\n@relation data\r\n\r\n"
    "@ATTRIBUTE @@class {no,yes}\r\n@attribute 'um texto' string\r\n"
    "@data\r\n\r\n% comment\r\n\r\n"
    "yes,'é, não'\r\n no , \"d'água\u2028\"\r\nno,'d\\'água'\r\nno,plain text\r\n"
)


def test_arff_rows_are_read_with_their_quotes_and_blank_lines(tmp_path):
    path = written(tmp_path / "x.arff", ARFF)
    rows = read_rows(path, reader(format="arff", file="x.arff", text_a="um texto", label="@@class"))
    assert rows.text_a == ["é, não", "d'água\u2028", "d'água", "plain text"]
    assert rows.labels == ["yes", "no", "no", "no"]


def test_broken_arff_is_an_error_that_says_where(tmp_path):
    head = "@attribute t string\n@attribute l {0}\n@data\n"
    for content, message in (
        ("texto,classe\n", r"x\.arff: no line @data"),
        (head, r"x\.arff is empty"),
        (f"{head}'a',0\n'b,0\n", r"x\.arff, line 5: .* values, expected 2"),
        (f"{head}'a','b',0\n", r"x\.arff, line 4: 3 values, expected 2"),
    ):
        with pytest.raises(DataError, match=message):
            path = written(tmp_path / "x.arff", content)
            read_rows(path, reader(format="arff", file="x.arff", text_a="t", label="l"))


def test_folders_are_labels_and_names_are_in_the_order_of_their_numbers(tmp_path):
    members = {
        "repo/raiz/true/10.txt": b"\xef\xbb\xbfdez\r\n",
        "repo/raiz/true/9.txt": b" nove\r\nlinhas\r\n",
        "repo/raiz/fake/9.txt": "ção\r\n".encode(),
        "repo/outra/true/1.txt": b"not this",
    }
    path = zipped(tmp_path / "x.zip", members)
    rows = read_rows(path, reader(format="text-folders", file="x.zip", root="raiz", group="name"))
    assert rows.names == ["fake/9.txt", "true/9.txt", "true/10.txt"]
    assert rows.text_a == ["ção", "nove\r\nlinhas", "dez"]
    assert rows.labels == ["fake", "true", "true"]
    assert rows.groups == ["9", "9", "10"]


def test_reader_that_is_not_in_order_is_refused():
    for keys, message in (
        ({"format": "xls", "file": "x"}, "x.format"),
        ({"format": "csv", "file": "x", "label": "y"}, "'text_a' is missing"),
        ({"format": "text-folders", "file": "x"}, "'root' is missing"),
        ({"format": "csv", "file": "x", "text_a": "t", "label": "y", "sep": ";"}, "x.sep"),
        ({"format": "derived", "sources": [{"format": "csv", "files": ["f"], "text_a": "t"}]}, "no label"),
    ):
        found = mistakes(Reader, keys, where="x")
        assert any(message in str(one) for one in found), found
