"""Readers of scored sentence pairs: each format, the traps of the real files, and what is refused."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentflow.errors import ConfigError, DataError
from sentflow.files.arrow import table_of
from sentflow.texts.pair_files import raw_files_of
from sentflow.texts.pair_readers import PairReader, read_pair_rows
from sentflow.texts.pairs import PairTable
from sentflow.texts.prepare_pairs import PairSettings, prepare_pairs

COLUMNS = {"text_a": "s1", "text_b": "s2", "score": "gold"}


def prepared(folder: Path, files: dict[str, str | bytes], scale: tuple = (0, 5), **reader: Any) -> PairTable:
    """The pair table of some files."""
    for name, content in files.items():
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    if reader["format"] != "semeval":
        reader.setdefault("files", list(files))
    entry = {"reader": reader, "data_version": "test", "language": "pt", "scale": scale}
    chosen = PairSettings.from_settings(entry, pairs="X")
    return prepare_pairs("X", [folder / name for name in files], chosen)


def rows(table: PairTable) -> list[tuple[str, str, float]]:
    return list(zip(table.text_a, table.text_b, table.score.tolist(), strict=True))


# --- formats


def test_tsv_without_header_takes_quotes_as_signs_and_lines_of_seven_or_nine_fields(tmp_path):
    lines = ['g\tf\ty\t1\t4.5\tsay "no\tb', "g\tf\ty\t2\t0\tc\td\tsource\tsource", 'g\tf\ty\t3\t5.000\t"e\tf']
    table = prepared(
        tmp_path,
        {"x.csv": "\n".join(lines)},
        format="tsv",
        header=False,
        columns=[7, 9],
        text_a=6,
        text_b=7,
        score=5,
    )
    assert rows(table) == [('say "no', "b", 4.5), ("c", "d", 0.0), ('"e', "f", 5.0)]


def test_windows_line_ends_are_no_part_of_a_field(tmp_path):
    text = "s1\ts2\tgold\r\nã\tb\t1\r\nc\td\t2"
    assert rows(prepared(tmp_path, {"x.txt": text}, format="tsv", **COLUMNS)) == [
        ("ã", "b", 1),
        ("c", "d", 2),
    ]


def test_only_line_feeds_end_a_line(tmp_path):
    # a form feed, a vertical tab, a line separator and a lone carriage return occur inside of sentences
    text = "s1\ts2\tgold\na\x0cb\x0bc\u2028d\re\tf\x85\t1\n"
    assert rows(prepared(tmp_path, {"x.txt": text}, format="tsv", **COLUMNS)) == [
        ("a\x0cb\x0bc\u2028d\re", "f\x85", 1)
    ]


def test_csv_with_real_quoting_keeps_commas_and_line_breaks(tmp_path):
    text = '"a, ""b""",c,4\n"d\ne",f,1.5\n'
    table = prepared(tmp_path, {"x.csv": text}, format="csv", header=False, text_a=1, text_b=2, score=3)
    assert rows(table) == [('a, "b"', "c", 4), ("d\ne", "f", 1.5)]


def test_byte_order_mark_is_no_part_of_the_header(tmp_path):
    text = "\ufeffs1,s2,gold\na,b,1\n"
    assert rows(prepared(tmp_path, {"x.csv": text}, format="csv", **COLUMNS)) == [("a", "b", 1)]


def test_json_names_may_be_paths(tmp_path):
    found = [{"s1": "a", "s2": "b", "labels": {"label": 3.7, "real": 3.71}}]
    table = prepared(
        tmp_path,
        {"x.json": json.dumps(found)},
        format="json",
        text_a="s1",
        text_b="s2",
        score="labels.label",
    )
    assert rows(table) == [("a", "b", 3.7)]


def test_json_lines_and_parquet_hold_numbers(tmp_path):
    lines = "".join(json.dumps({"s1": a, "s2": "b", "gold": k}) + "\n" for k, a in enumerate("xyz"))
    expected = [("x", "b", 0), ("y", "b", 1), ("z", "b", 2)]
    assert rows(prepared(tmp_path, {"x.jsonl": lines}, format="jsonl", **COLUMNS)) == expected
    columns = {"s1": list("xyz"), "s2": ["b"] * 3, "gold": np.arange(3) / 1, "other": np.arange(3)}
    pq.write_table(table_of(columns), tmp_path / "x.parquet")
    content = (tmp_path / "x.parquet").read_bytes()
    assert rows(prepared(tmp_path, {"x.parquet": content}, format="parquet", **COLUMNS)) == expected


def test_own_file_needs_no_column_names_if_it_has_the_usual_ones(tmp_path):
    text = "text_a,text_b,score,subset\na,b,1,news\nc,d,2,forum\n"
    table = prepared(tmp_path, {"x.csv": text}, format="csv", subset="subset")
    assert (table.subset, table.info.subsets) == (["news", "forum"], ["news", "forum"])


def test_assin_pairs_are_read_from_their_elements_and_attributes(tmp_path):
    text = (
        "<?xml version='1.0' encoding='utf-8'?>\r\n<entailment-corpus>\r\n"
        '<pair entailment="None" id="1" similarity="3.25"><t>São &amp; b</t><h>c</h></pair>\r\n'
        "</entailment-corpus>\r\n"
    )
    table = prepared(tmp_path, {"x.xml": text}, scale=(1, 5), format="assin-xml")
    assert rows(table) == [("São & b", "c", 3.25)]


def zipped(**members: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in members.items():
            archive.writestr(name.replace("__", "."), text)
    return content.getvalue()


ARCHIVED = {
    "csv": ("x__csv", "s1,s2,gold\na,b,1\n"),
    "tsv": ("x__tsv", "s1\ts2\tgold\na\tb\t1\n"),
    "jsonl": ("x__jsonl", '{"s1": "a", "s2": "b", "gold": 1}\n'),
    "json": ("x__json", '[{"s1": "a", "s2": "b", "gold": 1}]'),
}


@pytest.mark.parametrize("form", ARCHIVED)
def test_archive_stands_for_the_one_file_of_its_format(tmp_path, form):
    name, text = ARCHIVED[form]
    content = zipped(**{name: text, "README__md": "!"})
    assert rows(prepared(tmp_path, {"x.zip": content}, format=form, **COLUMNS)) == [("a", "b", 1)]


def test_xml_in_an_archive_is_read(tmp_path):
    pair = '<c><pair entailment="None" similarity="2"><t>a</t><h>b</h></pair></c>'
    assert rows(prepared(tmp_path, {"x.zip": zipped(x__xml=pair)}, format="assin-xml")) == [("a", "b", 2)]


def test_archive_with_several_files_needs_the_name_of_one(tmp_path):
    text = "s1,s2,gold\n{},b,1\n"
    content = zipped(dev__csv=text.format("dev"), test__csv=text.format("test"))
    with pytest.raises(DataError, match=r"x\.zip: the archive holds 2 files \.csv.*member: <name>"):
        prepared(tmp_path, {"x.zip": content}, format="csv", **COLUMNS)
    table = prepared(tmp_path, {"x.zip": content}, format="csv", member="test.csv", **COLUMNS)
    assert table.text_a == ["test"]


def test_csv_without_quoting_takes_quotes_as_characters(tmp_path):
    text = 's1;s2;gold\n"a;b";1\n'
    options = {"format": "csv", "delimiter": ";", **COLUMNS}
    assert rows(prepared(tmp_path, {"x.csv": text}, quoting=False, **options)) == [('"a', 'b"', 1)]
    with pytest.raises(DataError, match="line 2 has 2"):
        prepared(tmp_path, {"x.csv": text}, **options)


def test_other_encodings_and_wrong_delimiters_are_told_as_those_of_tasks(tmp_path):
    text = "s1;s2;gold\né;b;1\n"
    with pytest.raises(DataError, match="The header holds ';': write delimiter: ';'"):
        prepared(tmp_path, {"x.csv": text}, format="csv", **COLUMNS)
    with pytest.raises(DataError, match="The header holds ';': write format: csv and delimiter: ';'"):
        prepared(tmp_path, {"x.csv": text}, format="tsv", **COLUMNS)
    options = {"format": "csv", "delimiter": ";", "encoding": "cp1252", **COLUMNS}
    assert rows(prepared(tmp_path, {"x.csv": text.encode("cp1252")}, **options)) == [("é", "b", 1)]


def test_several_files_are_read_one_after_the_other(tmp_path):
    files = {f"{name}.csv": f"s1,s2,gold\n{name},b,1\n" for name in ("z", "a")}
    assert prepared(tmp_path, files, format="csv", **COLUMNS).text_a == ["z", "a"]


def test_neighbours_in_a_set_of_paraphrases_are_pairs(tmp_path):
    text = "".join(f"0\t0\t{word}\r\n" for word in "abcdefgh")[:-2]
    table = prepared(
        tmp_path, {"x.txt": text}, scale=(0, 1), format="blocks", header=False, text_a=3, block=4
    )
    assert rows(table) == [("a", "b", 1), ("c", "d", 1), ("e", "f", 1), ("g", "h", 1)]


def test_spaces_are_removed_and_scores_turned_round_where_the_reader_says_so(tmp_path):
    text = "s1\ts2\tgold\nな ぜ\tか\t0\nはい\tい い え\t1\n"
    options = {"spaces": "remove", "scores": {"0": 1, "1": 0}}
    table = prepared(tmp_path, {"x.tsv": text}, scale=(0, 1), format="tsv", **COLUMNS, **options)
    assert rows(table) == [("なぜ", "か", 1), ("はい", "いいえ", 0)]


def test_files_of_an_entry_are_named_in_the_order_in_which_they_are_read():
    semeval = {"format": "semeval", "subsets": ["b", "a"], "input": "i.{subset}.txt", "gold": "g.{subset}"}
    assert raw_files_of({"reader": semeval}) == ["i.b.txt", "g.b", "i.a.txt", "g.a"]
    assert raw_files_of({"reader": {"format": "csv", "files": ["z", "a"]}}) == ["z", "a"]


# --- what is refused


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        ("nan", r"x.tsv: the score is missing or no number in row 2 \('nan'\)"),
        ("", r"no number in row 2 \(''\)"),  # only gold of SemEval may be blank
        ("3,5", r"no number in row 2 \('3,5'\)"),
        ("5.2", r"the score lies outside the scale 0 to 5 in row 2 \(5.2\)"),
        ("-1", r"outside the scale 0 to 5 in row 2 \(-1\)"),
    ],
)
def test_score_that_is_none_or_outside_the_scale_is_refused_by_row(tmp_path, gold, message):
    with pytest.raises(DataError, match=message):
        prepared(tmp_path, {"x.tsv": f"s1\ts2\tgold\na\tb\t1\nc\td\t{gold}\n"}, format="tsv", **COLUMNS)


def test_all_that_is_wrong_is_told_at_once(tmp_path):
    text = "s1\ts2\tgold\na\t \t1\n\tb\t9\nc\td\tx\n"
    with pytest.raises(DataError) as caught:
        prepared(tmp_path, {"x.tsv": text}, format="tsv", **COLUMNS)
    for part in ("text a is empty in row 2", "text b is empty in row 1", "row 2 (9)", "row 3 ('x')"):
        assert part in str(caught.value)


def test_number_of_pairs_is_checked(tmp_path):
    (tmp_path / "x.csv").write_text("text_a,text_b,score\na,b,1\n")
    entry = {"reader": {"format": "csv", "files": ["x.csv"]}, "data_version": "t", "language": "pt"}
    chosen = PairSettings.from_settings({**entry, "scale": [0, 1], "rows": 2}, pairs="X")
    with pytest.raises(DataError, match="1 scored pairs, expected 2"):
        prepare_pairs("X", [tmp_path / "x.csv"], chosen)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"i.a": "x\ty\nx\ty\n", "g.a": "1\n"}, "i.a has 2 lines, but g.a has 1"),
        ({"i.a": "x\ty\nx\ty\tz\n", "g.a": "1\n2\n"}, "i.a: line 2 has 3 fields, expected 2 or 4"),
        ({"i.a": "x\ty\n", "g.a": "\n"}, "g.a is empty: no line holds a score"),
    ],
)
def test_sentences_and_gold_must_fit(tmp_path, files, message):
    with pytest.raises(DataError, match=message):
        prepared(tmp_path, files, format="semeval", subsets=["a"], input="i.{subset}", gold="g.{subset}")


@pytest.mark.parametrize(
    ("content", "reader", "message"),
    [
        ("s1\ts2\tgold\na\tb\n", {"format": "tsv", **COLUMNS}, "the header has 3 fields, but line 2 has 2"),
        ("s1,s2,gold\na,b,1\n", {"format": "tsv", **COLUMNS}, "no column 's1'.*Columns: 's1,s2,gold'"),
        ("s1,s2,gold\n", {"format": "csv", **COLUMNS}, "x is empty: a header without rows"),
        ('s1,s2,gold\n"a,b,1\n', {"format": "csv", **COLUMNS}, "x, line 2: unexpected end of data"),
        ('{"s1": 1}', {"format": "json", **COLUMNS}, "x: dict, expected a list"),
        ("[1]", {"format": "json", **COLUMNS}, "row 1 is no object"),
        ('{"s1": "a"\n', {"format": "jsonl", **COLUMNS}, "x, line 1: .*JSON line by line"),
        ('{"s1":"a","s2":"b","gold":1}\n{"s1":"a","s2":"b"}', {"format": "jsonl", **COLUMNS}, "no key 'gold' in row 2"),
        ('{"s1":"a","s2":["b"],"gold":1}', {"format": "jsonl", **COLUMNS}, "column 's2' holds list"),
        ('{"s1":"a","s2":"\\ud800","gold":1}', {"format": "jsonl", **COLUMNS}, "line 1: .* half of a surrogate pair"),
        ("[" * 100_000, {"format": "json", **COLUMNS}, "x: .*Is it JSON"),
        ("PAR1", {"format": "parquet", **COLUMNS}, "x is not a readable Parquet file"),
        ("<a><pair/></a>", {"format": "assin-xml"}, "no similarity, entailment, t or h in pair 1"),
        ("<a></a>", {"format": "assin-xml"}, "no element pair"),
        ("<a><pair></a>", {"format": "assin-xml"}, "x is not readable XML: mismatched tag"),
        ("a\nb\nc\n", {"format": "blocks", "header": False, "text_a": 1, "block": 2}, "3 lines are not sets of 2"),
        ("s1,s2,gold\na,b,2\n", {"format": "csv", **COLUMNS, "scores": {"0": 1}}, "not in reader.scores .'0'. in row"),
        (b"s1\ts2\tgold\n\xe3\tb\t1\n", {"format": "tsv", **COLUMNS}, "x: byte 11 .line 2., 0xe3, cannot be decoded"),
    ],
)  # fmt: skip
def test_file_of_another_form_is_refused_with_its_place(tmp_path, content, reader, message):
    with pytest.raises(DataError, match=message):
        prepared(tmp_path, {"x": content}, **reader)


@pytest.mark.parametrize(
    "declaration",
    ['<!DOCTYPE a [<!ENTITY e "lol">]>', '<!DOCTYPE a SYSTEM "file:///etc/hostname">', "<!DOCTYPE a>"],
)
def test_document_type_is_refused_before_its_entities_are_read(tmp_path, declaration):
    text = f'<?xml version="1.0"?>{declaration}<a><pair similarity="1" entailment="None"><t>a</t><h>b</h></pair></a>'
    with pytest.raises(DataError, match="x.xml declares a document type"):
        prepared(tmp_path, {"x.xml": text}, format="assin-xml")


@pytest.mark.parametrize(
    ("reader", "message"),
    [
        ({"format": "tab"}, "X.reader.format: 'tab' is not a format. Write one of: semeval, tsv"),
        ({"format": "csv"}, "X.reader: format csv needs files"),
        ({"format": "semeval", "subsets": ["a"]}, "format semeval needs input and gold"),
        ({"format": "csv", "files": ["x"], "quote": "'"}, "X.reader: unknown key quote. Known: format, .*, files"),
        ({"format": "csv", "files": ["x"], "spaces": "trim"}, "X.reader.spaces: 'trim' does not exist"),
        ({"format": "tsv", "files": ["x"], "header": False}, "text_a: 'text_a' names a column, but without a header"),
        ({"format": "semeval", "subsets": ["a"], "input": "i", "gold": "{subset}"}, "input: 'i' lacks {subset}"),
        ({"format": "blocks", "files": ["x"], "block": 3}, "block: 3 lines do not make pairs"),
    ],
)  # fmt: skip
def test_reader_that_does_not_fit_is_refused(reader, message):
    with pytest.raises(ConfigError, match=message):
        PairReader.from_settings(reader, where="X.reader")


def test_settings_without_scale_or_with_one_upside_down_are_refused():
    entry = {"reader": {"format": "csv", "files": ["x"]}, "data_version": "t", "language": "pt"}
    with pytest.raises(ConfigError, match="pair_sets.X: scale missing"):
        PairSettings.from_settings(entry, pairs="X")
    with pytest.raises(ConfigError, match=r"pair_sets.X.scale: \[5, 0\] is no scale"):
        PairSettings.from_settings({**entry, "scale": [5, 0]}, pairs="X")


def test_file_that_is_not_there_is_named(tmp_path):
    reader = PairReader.from_settings({"format": "csv", "files": ["x.csv"]}, where="X.reader")
    with pytest.raises(DataError, match="x.csv: no such file"):
        read_pair_rows({"x.csv": tmp_path / "x.csv"}, reader)
    entry = {"reader": {"format": "csv", "files": ["x.csv"]}, "data_version": "t", "language": "pt"}
    chosen = PairSettings.from_settings({**entry, "scale": [0, 5]}, pairs="X")
    with pytest.raises(ConfigError, match=".x.csv. is not a file of the dataset. Files: y.csv"):
        prepare_pairs("X", [tmp_path / "y.csv"], chosen)


PIECES = st.sampled_from(
    [
        "s1",
        "s2",
        "gold",
        "a",
        "\t",
        ",",
        "\n",
        "\r\n",
        '"',
        "1",
        "nan",
        "{",
        "}",
        "[",
        "]",
        ":",
        "<pair>",
        "\x00",
        " ",
        "é",
    ]
)
ANY_CONTENT = st.one_of(
    st.binary(max_size=60), st.lists(PIECES, max_size=25).map(lambda parts: "".join(parts).encode())
)


@settings(max_examples=150)
@given(
    content=ANY_CONTENT,
    form=st.sampled_from(["tsv", "csv", "jsonl", "json", "parquet", "assin-xml", "blocks"]),
)
def test_any_content_ends_in_a_table_or_in_one_paragraph(tmp_path_factory, content, form):
    columns = {"text_a": "s1", "block": 2} if form == "blocks" else {} if form == "assin-xml" else COLUMNS
    try:
        table = prepared(tmp_path_factory.mktemp("any"), {"x": content}, format=form, **columns)
    except DataError as error:
        assert "x" in str(error)
    else:
        assert len(table) > 0
        assert np.isfinite(table.score).all()
