import csv
import io
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentflow.errors import ConfigError, DataError
from sentflow.files.decoding import decode
from sentflow.texts.formats.delimited import read_delimited
from sentflow.texts.formats.raw_file import RawFile
from sentflow.texts.readers import Reader, read_rows


def reader(**keys: object) -> Reader:
    return Reader.from_settings(keys, where="tasks.X.reader")


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def zipped(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


# --- the official form


def test_two_columns_after_the_index_are_text_and_label(tmp_path):
    path = written(tmp_path / "x.csv", ",texto,rótulo\n5,água,1\n7,água,0\n")
    rows = read_rows(path, reader(format="ulysses-csv", file="x.csv"))
    assert (rows.text_a, rows.text_b, rows.labels) == (["água", "água"], None, ["1", "0"])
    assert (rows.names, rows.groups) == (["1", "2"], [None, None])


def test_three_columns_after_the_index_are_two_texts_and_a_label(tmp_path):
    path = written(tmp_path / "x.csv", ",a,b,label\n0,lei,ato,1\n")
    rows = read_rows(path, reader(format="ulysses-csv", file="x.csv"))
    assert (rows.text_a, rows.text_b, rows.labels) == (["lei"], ["ato"], ["1"])


@pytest.mark.parametrize("header", [",label", ",a,b,c,label"])
def test_another_number_of_columns_is_an_error_that_lists_them(tmp_path, header):
    path = written(tmp_path / "x.csv", f"{header}\n{header}\n")
    with pytest.raises(
        DataError, match=r"x\.csv: [25] columns \(''.*'label'\), expected 3 .* or 4 .*format: csv"
    ):
        read_rows(path, reader(format="ulysses-csv", file="x.csv"))


def test_texts_that_look_like_missing_values_stay_texts(tmp_path):
    path = written(tmp_path / "x.csv", ",t,l\n0,NA,1\n1,null,0\n2,nan,0\n")
    assert read_rows(path, reader(format="ulysses-csv", file="x.csv")).text_a == ["NA", "null", "nan"]


def test_zip_stands_for_the_one_csv_in_it(tmp_path):
    members = {"pasta/x.csv": b",t,l\n0,a,1\n", "__MACOSX/pasta/._x.csv": b"\0", "LEIAME.txt": b"!"}
    path = zipped(tmp_path / "x.zip", members)
    assert read_rows(path, reader(format="ulysses-csv", file="x.zip")).text_a == ["a"]


def test_zip_with_several_csvs_needs_the_name_of_one(tmp_path):
    path = zipped(tmp_path / "x.zip", {"a.csv": b",t,l\n0,a,1\n", "b.csv": b",t,l\n0,b,1\n"})
    with pytest.raises(
        DataError, match=r"x\.zip: the archive holds 2 files \.csv.*member: <name>.*'a\.csv', 'b\.csv'"
    ):
        read_rows(path, reader(format="ulysses-csv", file="x.zip"))
    assert read_rows(path, reader(format="ulysses-csv", file="x.zip", member="b.csv")).text_a == ["b"]
    with pytest.raises(DataError, match=r"x\.zip: the archive has no member 'c\.csv'"):
        read_rows(path, reader(format="ulysses-csv", file="x.zip", member="c.csv"))


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


# --- CSV in general


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


def test_entailment_of_assin_is_a_label(tmp_path):
    pair = '<pair entailment="{}" similarity="2.5"><t>São &lt;3</t><h>b</h></pair>'
    path = written(tmp_path / "x.xml", f"<c>{pair.format('None')}{pair.format('Entailment')}</c>")
    rows = read_rows(path, reader(format="assin-xml", file="x.xml", labels=["None", "Entailment"]))
    assert (rows.text_a, rows.text_b) == (["São <3"] * 2, ["b"] * 2)
    assert rows.labels == ["None", "Entailment"]
    written(path, "<!DOCTYPE c><c/>")
    with pytest.raises(DataError, match=r"x\.xml declares a document type"):
        read_rows(path, reader(format="assin-xml", file="x.xml"))


def test_assin_in_a_zip_is_read(tmp_path):
    pair = b'<c><pair entailment="None" similarity="2.5"><t>a</t><h>b</h></pair></c>'
    path = zipped(tmp_path / "x.zip", {"folder/x.xml": pair, "y.txt": b"!"})
    assert read_rows(path, reader(format="assin-xml", file="x.zip")).text_a == ["a"]


def test_keys_of_json_lines_may_be_paths(tmp_path):
    path = written(tmp_path / "x.jsonl", '{"t": "a", "meta": {"y": 1}}\n{"t": "b", "meta": null}\n')
    rows = read_rows(path, reader(format="jsonl", file="x.jsonl", text_a="t", label="meta.y"))
    assert rows.labels == ["1", ""]


def test_all_missing_columns_are_named_with_those_that_exist(tmp_path):
    path = written(tmp_path / "x.csv", "texto,classe\na,1\n")
    with pytest.raises(DataError) as error:
        read_rows(path, reader(format="csv", file="x.csv", text_a="text", label="label"))
    assert "x.csv: text_a: no column 'text'; label: no column 'label'. Columns: 'texto', 'classe'." in str(
        error.value
    )


def test_column_that_occurs_twice_is_not_guessed(tmp_path):
    path = written(tmp_path / "x.csv", "t,t,l\na,b,1\n")
    with pytest.raises(DataError, match="text_a: more than one column 't'"):
        read_rows(path, reader(format="csv", file="x.csv", text_a="t", label="l"))


def test_wrong_delimiter_is_recognised(tmp_path):
    path = written(tmp_path / "x.csv", "texto;classe\na;1\n")
    with pytest.raises(DataError, match="The header holds ';': write delimiter: ';'"):
        read_rows(path, reader(format="csv", file="x.csv", text_a="texto", label="classe"))


def test_byte_order_mark_is_not_part_of_the_first_column(tmp_path):
    path = written(tmp_path / "x.csv", b"\xef\xbb\xbftexto,classe\r\na,1\r\n")
    assert read_rows(path, reader(format="csv", file="x.csv", text_a="texto", label="classe")).labels == ["1"]


def test_line_breaks_in_quotes_are_kept_and_those_between_rows_are_not(tmp_path):
    path = written(tmp_path / "x.csv", 'a,b\r\n"x\r\ny\nz"," w "\r\n\r\n')
    assert read_delimited(RawFile(path), ",").pick({"a": "a", "b": "b"}) == {"a": ["x\r\ny\nz"], "b": [" w "]}


def test_field_longer_than_the_limit_of_the_csv_module_is_read_and_the_limit_is_left_alone(tmp_path):
    before = csv.field_size_limit()
    path = written(tmp_path / "x.csv", f"a,b\n{'lei ' * 50_000},1\n")
    assert len(read_delimited(RawFile(path), ",").pick({"a": "a"})["a"][0]) == 200_000
    assert csv.field_size_limit() == before


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", r"x\.csv is empty: no header, no rows"),
        ("\n\n", r"x\.csv is empty: no header, no rows"),
        ("a,b\n", r"x\.csv is empty: a header without rows"),
        (
            "a,b\n1,2\n1,2,3\n1\n",
            r"the header has 2 fields, but line 3 has 3, line 4 has 1\. Is ',' the delimiter",
        ),
        ('a,b\n1,"cut', r"x\.csv, line 2: unexpected end of data\. The file is truncated"),
        ('a,b\n"x"y,1\n', r"x\.csv, line 2: ',' expected after '\"'"),
    ],
)
def test_broken_csv_is_an_error_that_says_where(tmp_path, content, message):
    with pytest.raises(DataError, match=message):
        read_delimited(RawFile(written(tmp_path / "x.csv", content)), ",")


# --- JSON lines and Parquet

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


def test_json_lines_in_a_zip_are_read(tmp_path):
    path = zipped(tmp_path / "x.zip", {"x.jsonl": JSONL.encode(), "x.csv": b""})
    assert len(read_rows(path, reader(format="jsonl", file="x.zip", text_a="t", label="y")).names) == 4


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("\n", r"x\.jsonl is empty"),
        ('{"t": "a", "y": 0}\n{"t": "a"', r"x\.jsonl, line 2: .*Each line must be one JSON object"),
        ('["a"]\n', r"x\.jsonl, line 1: list, not an object"),
        ('{"t": {"pt": "a"}, "y": 0}\n', r"x\.jsonl, row 1: the column 't' holds dict, expected a text"),
        ('{"texto": "a", "y": 0}\n', r"text_a: no column 't'\. Columns: 'texto', 'y'"),
    ],
)
def test_broken_json_lines_are_an_error_that_says_where(tmp_path, content, message):
    path = written(tmp_path / "x.jsonl", content)
    with pytest.raises(DataError, match=message):
        read_rows(path, reader(format="jsonl", file="x.jsonl", text_a="t", label="y"))


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


def test_categories_of_a_parquet_file_are_their_labels(tmp_path):
    path = parquet(tmp_path / "x.parquet", t=["a", "b"], y=pd.Categorical(["sim", "não"]))
    assert read_rows(path, reader(format="parquet", file="x.parquet", text_a="t", label="y")).labels == [
        "sim",
        "não",
    ]


def test_broken_parquet_is_an_error_that_says_what(tmp_path):
    keys = {"format": "parquet", "file": "x.parquet", "text_a": "t", "label": "y"}
    with pytest.raises(DataError, match=r"x\.parquet is not a readable Parquet file"):
        read_rows(written(tmp_path / "x.parquet", "t,y\n"), reader(**keys))
    with pytest.raises(DataError, match=r"x\.parquet is empty"):
        read_rows(parquet(tmp_path / "x.parquet", t=[], y=[]), reader(**keys))
    with pytest.raises(DataError, match=r"text_a: no column 't'\. Columns: 'a', 'y'"):
        read_rows(parquet(tmp_path / "x.parquet", a=["a"], y=[0]), reader(**keys))


def test_a_list_of_labels_counts_from_zero():
    labels = reader(format="csv", file="x", text_a="t", label="y", labels=["ruim", "bom", 7]).labels
    assert labels == {"ruim": 0, "bom": 1, "7": 2}


# --- encodings


def test_wrong_encoding_names_byte_line_and_what_to_write():
    with pytest.raises(DataError) as error:
        decode("a\nb\nação".encode("cp1252"), "utf-8", where="x.csv")
    assert "x.csv: byte 5 (line 3), 0xe7, cannot be decoded as utf-8." in str(error.value)
    assert "encoding: cp1252 (there this byte is 'ç')" in str(error.value)


def test_offset_counts_the_byte_order_mark():
    with pytest.raises(DataError, match="byte 4 "):
        decode(b"\xef\xbb\xbfa\xe7", "UTF8", where="x.csv")


def test_utf16_is_recognised():
    with pytest.raises(DataError, match="write encoding: utf-16"):
        decode("ação".encode("utf-16"), "utf-8", where="x.csv")
    assert decode("ação".encode("utf-16"), "utf-16", where="x.csv") == "ação"


def test_other_encodings_are_read():
    assert decode("ação".encode("cp1252"), "cp1252", where="x.csv") == "ação"


def test_unknown_encoding_is_refused():
    with pytest.raises(ConfigError, match="'utf-9' is not a known encoding. Write e.g. encoding: utf-8"):
        decode(b"", "utf-9", where="x.csv")


# --- ARFF

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


def test_arff_in_a_zip_is_read(tmp_path):
    path = zipped(tmp_path / "x.zip", {"x.arff": ARFF.encode()})
    assert (
        len(read_rows(path, reader(format="arff", file="x.zip", text_a="um texto", label="@@class")).names)
        == 4
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("texto,classe\n", r"x\.arff: no line @data\. Is it an ARFF file\?"),
        ("@attribute a string\n@data\n\n", r"x\.arff is empty: no rows after @data"),
        (
            "@attribute t string\n@attribute l {0}\n@data\n'a',0\n'b,0\n",
            r"x\.arff, line 5: .* values, expected 2",
        ),
        (
            "@attribute t string\n@attribute l {0}\n@data\n'a','b',0\n",
            r"x\.arff, line 4: 3 values, expected 2",
        ),
        (
            "@attribute t string\n@attribute y {0}\n@data\n'a',0\n",
            r"label: no column 'l'\. Columns: 't', 'y'",
        ),
    ],
)
def test_broken_arff_is_an_error_that_says_where(tmp_path, content, message):
    path = written(tmp_path / "x.arff", content)
    with pytest.raises(DataError, match=message):
        read_rows(path, reader(format="arff", file="x.arff", text_a="t", label="l"))


# --- folders of texts


def test_damage_of_a_text_in_an_archive_names_the_archive(tmp_path):
    path = zipped(tmp_path / "x.zip", {"raiz/true/1.txt": b"um texto inteiro" * 9})
    flipped = bytearray(path.read_bytes())
    flipped[flipped.index(b"1.txt") + 12] ^= 0xFF
    path.write_bytes(flipped)
    with pytest.raises(DataError, match=r"^x\.zip: not a readable zip archive"):
        read_rows(path, reader(format="text-folders", file="x.zip", root="raiz"))


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


def test_texts_have_no_group_unless_their_name_is_one(tmp_path):
    path = zipped(tmp_path / "x.zip", {"raiz/a/1.txt": b"1"})
    assert read_rows(path, reader(format="text-folders", file="x.zip", root="raiz")).groups == [None]


def test_wrong_encoding_of_one_text_names_its_member(tmp_path):
    path = zipped(tmp_path / "x.zip", {"raiz/a/1.txt": b"a", "raiz/a/2.txt": b"\xe7"})
    with pytest.raises(DataError, match=r"x\.zip, raiz/a/2\.txt: byte 0 \(line 1\), 0xe7"):
        read_rows(path, reader(format="text-folders", file="x.zip", root="raiz"))


def test_other_files_among_the_texts_are_refused_by_name(tmp_path):
    path = zipped(tmp_path / "x.zip", {"raiz/a/1.txt": b"a", "raiz/LEIAME.md": b"!"})
    with pytest.raises(
        DataError, match=r"x\.zip: 'LEIAME\.md' in raiz is not of the form <label>/<name>\.txt"
    ):
        read_rows(path, reader(format="text-folders", file="x.zip", root="raiz"))


def test_root_that_is_not_there_is_an_error(tmp_path):
    path = zipped(tmp_path / "x.zip", {"a/1.txt": b"a"})
    with pytest.raises(DataError, match=r"x\.zip: the archive has no folder 'raiz'"):
        read_rows(path, reader(format="text-folders", file="x.zip", root="raiz"))


# --- settings


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (
            {"format": "xls", "file": "x"},
            r"tasks\.X\.reader\.format: 'xls' is not a format\. Write one of: ulysses-csv",
        ),
        ({"file": "x"}, r"format: None is not a format"),
        ({"format": "csv", "file": "x"}, r"tasks\.X\.reader: format csv needs text_a and label"),
        ({"format": "text-folders", "file": "x"}, r"format text-folders needs root"),
        ({"format": "ulysses-csv"}, r"format ulysses-csv needs file"),
        (
            {"format": "csv", "file": "x", "sep": ";"},
            r"unknown key sep\. Known: format, encoding, .*, file, text_a",
        ),
    ],
)
def test_reader_that_is_not_in_order_is_refused(keys, message):
    with pytest.raises(ConfigError, match=message):
        reader(**keys)


def test_file_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(DataError, match=r"nada\.csv: no such file"):
        read_rows(tmp_path / "nada.csv", reader(format="ulysses-csv", file="nada.csv"))


# --- against pandas on real files


@pytest.mark.mirror
@pytest.mark.parametrize(
    ("pattern", "text", "label"),
    [
        ("github/franciellevargas/HateBR/*/dataset/HateBR.csv", "comentario", "label_final"),
        ("github/franciellevargas/FactNews/*/dataset/factnews_dataset.csv", "sentences", "classe"),
    ],
)
def test_real_csvs_are_read_as_pandas_reads_them(mirror, pattern, text, label):
    (path,) = mirror.glob(pattern)
    rows = read_rows(path, reader(format="csv", file=path.name, text_a=text, label=label))
    frame = pd.read_csv(path, keep_default_na=False, dtype=str)
    same = rows.text_a == frame[text].tolist() and rows.labels == frame[label].tolist()
    assert same  # not `assert a == b`: a difference would print abusive texts


def test_ragged_rows_do_not_shift_columns_as_pandas_shifts_them(tmp_path):
    text = "t,l\na,1,2\nb,0,3\n"
    assert pd.read_csv(io.StringIO(text)).index.tolist() == ["a", "b"]  # the first column became the index
    with pytest.raises(DataError, match="the header has 2 fields, but line 2 has 3"):
        read_rows(
            written(tmp_path / "x.csv", text), reader(format="csv", file="x.csv", text_a="t", label="l")
        )


# --- what no table can hold

MANY_DIGITS = "1" * 5000


@pytest.mark.parametrize(
    "line",
    [
        '{"t": "a\\ud800b", "y": 1}',
        '{"t": ["a", "\\udfff"], "y": 1}',
        '{"t": "a", "y": ' + MANY_DIGITS + "}",
        '{"t": ' + "[" * 3000 + "]" * 3000 + ', "y": 1}',
        '{"t": ' + "[" * 200 + "]" * 200 + ', "y": 1}',
    ],
    ids=["half a sign", "half a sign in a list", "5000 digits", "3000 levels", "200 levels"],
)
def test_json_that_no_table_can_hold_is_named_by_its_line(tmp_path, line):
    path = written(tmp_path / "x.jsonl", '{"t": "a", "y": 0}\n' + line + "\n")
    with pytest.raises(DataError, match=r"x\.jsonl, line 2: ") as error:
        read_rows(path, reader(format="jsonl", file="x.jsonl", text_a="t", label="y"))
    assert len(str(error.value)) < 500


def test_two_halves_are_a_sign(tmp_path):
    path = written(tmp_path / "x.jsonl", '{"t": "\\ud83d\\ude00 \\\\ud800", "y": 0}\n')
    rows = read_rows(path, reader(format="jsonl", file="x.jsonl", text_a="t", label="y"))
    assert rows.text_a == ["\N{GRINNING FACE} \\ud800"]


@pytest.mark.parametrize("encoding", ["rot13", "zlib", "hex", "undefined", "nothing", "utf-8\0", ""])
def test_what_decodes_no_text_is_no_encoding(encoding):
    with pytest.raises((ConfigError, DataError), match=r"x\.csv: "):
        decode(b"a,b\n", encoding, where="x.csv")


@pytest.mark.parametrize("encoding", ["unicode_escape", "raw_unicode_escape", "utf-7"])
def test_encodings_that_can_write_half_a_sign_are_looked_at(encoding):
    with pytest.raises(DataError, match=r"x\.csv: .*(half of a surrogate pair|cannot be decoded)"):
        decode(b"a,\\ud800,+2AA-\n", encoding, where="x.csv")


def test_a_text_whose_name_is_a_number_of_many_digits_is_a_text(tmp_path):
    names = [f"root/a/{number}.txt" for number in ("10", "9", "1" * 200, "b")]
    path = zipped(tmp_path / "x.zip", dict.fromkeys([*names, "root/b/1.txt"], b"text"))
    rows = read_rows(path, reader(format="text-folders", file="x.zip", root="root"))
    assert rows.names == ["a/9.txt", "a/10.txt", f"a/{'1' * 200}.txt", "a/b.txt", "b/1.txt"]


def test_a_parquet_file_of_broken_text_is_one_paragraph(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    column = pa.array([b"\xff\xfe"], pa.binary()).view(pa.string())
    pq.write_table(pa.table({"t": column, "y": [1]}), tmp_path / "x.parquet")
    with pytest.raises(DataError, match=r"x\.parquet is not a readable Parquet file"):
        read_rows(tmp_path / "x.parquet", reader(format="parquet", file="x.parquet", text_a="t", label="y"))
