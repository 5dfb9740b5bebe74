"""Readers of scored sentence pairs: each format, the traps of the real files, and what is refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from sentflow.config.model import mistakes
from sentflow.config.pairs import PairSettings, Reader
from sentflow.errors import DataError
from sentflow.files.parquet import table_of
from sentflow.texts.pairs import PairTable
from sentflow.texts.prepare_pairs import prepare_pairs

COLUMNS = {"text_a": "s1", "text_b": "s2", "score": "gold"}


def prepared(folder: Path, files: dict[str, str | bytes], scale: tuple = (0, 5), **reader: Any) -> PairTable:
    """The pair table of some files."""
    for name, content in files.items():
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    if reader["format"] != "semeval":
        reader.setdefault("files", list(files))
    entry = {"reader": reader, "data_version": "test", "language": "pt", "scale": scale}
    return prepare_pairs("X", [folder / name for name in files], PairSettings.model_validate(entry))


def rows(table: PairTable) -> list[tuple[str, str, float]]:
    return list(zip(table.text_a, table.text_b, table.score.tolist(), strict=True))


def test_tsv_without_header_takes_quotes_as_signs_and_lines_of_seven_or_nine_fields(tmp_path):
    lines = ['g\tf\ty\t1\t4.5\tsay "no\tb', "g\tf\ty\t2\t0\tc\td\tsource\tsource", 'g\tf\ty\t3\t5.000\t"e\tf']
    places = {"columns": [7, 9], "text_a": 6, "text_b": 7, "score": 5}
    table = prepared(tmp_path, {"x.csv": "\n".join(lines)}, format="tsv", header=False, **places)
    assert rows(table) == [('say "no', "b", 4.5), ("c", "d", 0.0), ('"e', "f", 5.0)]


def test_csv_with_real_quoting_keeps_commas_and_line_breaks(tmp_path):
    text = '"a, ""b""",c,4\n"d\ne",f,1.5\n'
    table = prepared(tmp_path, {"x.csv": text}, format="csv", header=False, text_a=1, text_b=2, score=3)
    assert rows(table) == [('a, "b"', "c", 4), ("d\ne", "f", 1.5)]


def test_json_lines_and_parquet_hold_numbers(tmp_path):
    lines = "".join(json.dumps({"s1": a, "s2": "b", "gold": k}) + "\n" for k, a in enumerate("xyz"))
    expected = [("x", "b", 0), ("y", "b", 1), ("z", "b", 2)]
    assert rows(prepared(tmp_path, {"x.jsonl": lines}, format="jsonl", **COLUMNS)) == expected
    columns = {"s1": list("xyz"), "s2": ["b"] * 3, "gold": np.arange(3) / 1, "other": np.arange(3)}
    pq.write_table(table_of(columns), tmp_path / "x.parquet")
    content = (tmp_path / "x.parquet").read_bytes()
    assert rows(prepared(tmp_path, {"x.parquet": content}, format="parquet", **COLUMNS)) == expected


def test_neighbours_in_a_set_of_paraphrases_are_pairs(tmp_path):
    text = "".join(f"0\t0\t{word}\r\n" for word in "abcdefgh")[:-2]
    table = prepared(
        tmp_path, {"x.txt": text}, scale=(0, 1), format="blocks", header=False, text_a=3, block=4
    )
    assert rows(table) == [("a", "b", 1), ("c", "d", 1), ("e", "f", 1), ("g", "h", 1)]


def test_all_that_is_wrong_is_told_at_once(tmp_path):
    text = "s1\ts2\tgold\na\t \t1\n\tb\t9\nc\td\tx\n"
    with pytest.raises(DataError) as caught:
        prepared(tmp_path, {"x.tsv": text}, format="tsv", **COLUMNS)
    for part in ("text a is empty in row 2", "text b is empty in row 1", "row 2 (9)", "row 3 ('x')"):
        assert part in str(caught.value)


def test_sentences_and_gold_must_fit(tmp_path):
    semeval = {"format": "semeval", "subsets": ["a"], "input": "i.{subset}", "gold": "g.{subset}"}
    with pytest.raises(DataError, match="i.a has 2 lines, but g.a has 1"):
        prepared(tmp_path, {"i.a": "x\ty\nx\ty\n", "g.a": "1\n"}, **semeval)
    with pytest.raises(DataError, match="i.a: line 2 has 3 fields, expected 2 or 4"):
        prepared(tmp_path, {"i.a": "x\ty\nx\ty\tz\n", "g.a": "1\n2\n"}, **semeval)
    with pytest.raises(DataError, match="g.a is empty"):
        prepared(tmp_path, {"i.a": "x\ty\n", "g.a": "\n"}, **semeval)


def test_file_of_another_form_is_refused_with_its_place(tmp_path):
    csv, tsv = {"format": "csv", **COLUMNS}, {"format": "tsv", **COLUMNS}
    for content, reader, message in (
        ("s1\ts2\tgold\na\tb\n", tsv, "the header has 3 fields, but line 2 has 2"),
        ("s1,s2,gold\na,b,1\n", tsv, "no column 's1'.*Columns: 's1,s2,gold'"),
        ("s1;s2;gold\na;b;1\n", csv, "delimiter: ';'"),
        ("s1,s2,gold\n", csv, "x is empty"),
        ("s1,s2,gold\na,b,5.2\n", csv, r"outside the scale 0 to 5 in row 1 \(5.2\)"),
        ("s1,s2,gold\na,b,nan\n", csv, r"no number in row 1 \('nan'\)"),
        ("s1,s2,gold\na,b,2\n", {**csv, "scores": {"0": 1}}, "not in reader.scores .'0'. in row"),
        ("[1]", {"format": "json", **COLUMNS}, "row 1 is no object"),
        ("[" * 100_000, {"format": "json", **COLUMNS}, "x: .*Is it JSON"),
        (
            '{"s1":"a","s2":"\\ud800","gold":1}',
            {"format": "jsonl", **COLUMNS},
            "line 1: .* half of a surrogate",
        ),
        ("PAR1", {"format": "parquet", **COLUMNS}, "x is not a readable Parquet file"),
        ("<a><pair/></a>", {"format": "assin-xml"}, "no similarity, entailment, t or h in pair 1"),
        ('<!DOCTYPE a [<!ENTITY e "lol">]><a/>', {"format": "assin-xml"}, "x declares a document type"),
        (
            "a\nb\nc\n",
            {"format": "blocks", "header": False, "text_a": 1, "block": 2},
            "3 lines are not sets of 2",
        ),
        (b"s1\ts2\tgold\n\xe3\tb\t1\n", tsv, "x: byte 11 .line 2., 0xe3, cannot be decoded"),
    ):
        with pytest.raises(DataError, match=message):
            prepared(tmp_path, {"x": content}, **reader)


@pytest.mark.parametrize(
    ("reader", "key"),
    [
        ({"format": "tab"}, "x.format"),
        ({"format": "csv"}, "'files' is missing"),
        ({"format": "semeval", "subsets": ["a"], "input": "{subset}"}, "'gold' is missing"),
        ({"format": "csv", "files": ["x"], "quote": "'"}, "x.quote"),
        ({"format": "tsv", "files": ["x"], "header": False, "text_b": 2, "score": 3}, "x.text_a"),
        ({"format": "blocks", "files": ["x"], "block": 3}, "x.block"),
    ],
)
def test_reader_that_does_not_fit_is_refused(reader, key):
    [mistake] = mistakes(Reader, reader, where="x")
    assert key in str(mistake)
