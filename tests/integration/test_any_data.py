"""Any file of rows ends in a table that is right, or in one paragraph that names the file, and in no table at all.

Files are made up in two ways: rows that a person might have written, with one thing wrong or none, and bytes that are
near to such a file. 600 cases for tasks, 300 for pair sets.
"""

import csv
import io
import json
import tempfile
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from any_input import assert_one_paragraph
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sentflow.commands import prepare, prepare_pairs
from sentflow.data.pairs import read_pairs
from sentflow.data.table import read_task
from sentflow.errors import SentflowError

pytestmark = pytest.mark.slow
ANYTHING_GOES = {"deadline": None, "suppress_health_check": list(HealthCheck)}

# As in spreadsheets and exports: quotes, line breaks, separators, other scripts, what looks like a number or a gap
TEXTS = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        [
            "Não, obrigado",
            'diz "sim"',
            "=1+1",
            "NaN",
            "null",
            " ",
            "",
            "1e5",
            "a\tb",
            "a\nb",
            "\ufeffa",
            "日本",
            "x" * 3000,
        ]
    ),
)
LABELS = st.one_of(
    st.sampled_from(["0", "1", "1.0", "yes", "no", "", "NA", "-1", "2", "1e0", "１", "true"]),
    st.text(max_size=3),
)
SCORES = st.one_of(
    st.floats(0, 5).map(str),
    st.sampled_from(["", "5,0", "nan", "inf", "-1", "6", "1e0", "five", "٣"]),
    st.text(max_size=3),
)
ENCODINGS = st.sampled_from(["utf-8"] * 8 + ["utf-8-sig", "latin-1", "utf-16", "cp949"])


def rows_of(
    good: st.SearchStrategy[list[str]], bad: st.SearchStrategy[list[str]]
) -> st.SearchStrategy[list[list[str]]]:
    """Twenty to forty rows as they should be, and at most two others among them."""
    return st.tuples(st.lists(good, min_size=20, max_size=40), st.lists(bad, max_size=2)).map(
        lambda both: [*both[0], *both[1]]
    )


TASK_ROWS = rows_of(
    st.tuples(
        st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=9), st.sampled_from("01")
    ).map(list),
    st.one_of(st.tuples(TEXTS, LABELS).map(list), st.lists(TEXTS, max_size=4)),
)
PAIR_ROWS = rows_of(
    st.tuples(
        *[st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=9)] * 2,
        st.sampled_from("012345"),
    ).map(list),
    st.one_of(st.tuples(TEXTS, TEXTS, SCORES).map(list), st.lists(TEXTS, max_size=5)),
)


def as_csv(header: list[str], rows: list[list[str]], delimiter: str, encoding: str) -> bytes:
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter).writerows([header, *rows])
    return stream.getvalue().encode(encoding, errors="replace")


@st.composite
def files(
    draw: st.DrawFn, header: list[str], rows: st.SearchStrategy[list[list[str]]]
) -> tuple[bytes, list[list[str]]]:
    """Bytes of a CSV, and its rows; no rows where the bytes cannot be trusted to say the same."""
    wrong_headers = [header[:-1], [*header, header[0]], [name.upper() for name in header]]
    header = draw(st.sampled_from([header] * 9 + wrong_headers))
    written, encoding = draw(rows), draw(ENCODINGS)
    content = as_csv(header, written, draw(st.sampled_from(",,,,,;\t")), encoding)
    if draw(st.integers(0, 4)) == 0:
        start = draw(st.integers(0, len(content)))
        end = draw(st.integers(start, min(start + 30, len(content))))
        content = content[:start] + draw(st.one_of(st.just(b""), st.binary(max_size=6))) + content[end:]
        return content, []
    return content, written if encoding.startswith("utf-8") else []


def outcome(command: Any, arguments: list[str], raw: Path, output: Path) -> bool:
    """Whether the command wrote its output; if not, it said so as it should and left nothing."""
    try:
        assert command.main([*arguments, "--raw", str(raw), "--output", str(output)]) == 0
    except SentflowError as error:
        assert_one_paragraph(str(error))
        assert raw.name in str(error) or "MINE" in str(error)
        assert not output.parent.exists() or not list(output.parent.iterdir())
        return False
    assert sorted(path.name for path in output.parent.iterdir()) == ["MINE.json", "MINE.parquet"]
    return True


@settings(max_examples=600, **ANYTHING_GOES)
@given(
    file=files(["text", "label"], TASK_ROWS),
    format=st.sampled_from(["csv"] * 9 + ["ulysses-csv", "jsonl", "parquet", "arff"]),
    labels=st.sampled_from(
        [{}, {"labels": {"0": 0, "1": 1}}, {"labels": ["no", "yes"]}, {"labels": {"yes": 0}}]
    ),
    delimiter=st.sampled_from([",", ",", ",", ",", ";", "\t"]),
)
def test_any_task_file_ends_well(file, format, labels, delimiter):
    columns = {} if format == "ulysses-csv" else {"text_a": "text", "label": "label"}
    reader = {"format": format, "file": "rows.csv", **columns, **labels}
    if format in ("csv", "ulysses-csv"):
        reader["delimiter"] = delimiter
    entry = {
        "reader": reader,
        "layout": "columns",
        "metric": "mcc",
        "data_version": "mine",
        "folds": 2,
        "batch_rows": 1,
        "small_parts": True,
    }
    with tempfile.TemporaryDirectory() as folder:
        raw, output = Path(folder) / "rows.csv", Path(folder) / "tasks" / "MINE.parquet"
        content, rows = file
        raw.write_bytes(content)
        if outcome(prepare, ["--task", "MINE", "--settings", json.dumps(entry)], raw, output):
            table = read_task(output)
            assert len(table) == pq.ParquetFile(output).metadata.num_rows >= 2
            assert all(text.strip() for text in table.text_a)
            assert set(table.labels.tolist()) <= {0, 1}
            if rows and format == "csv":
                assert table.text_a == [row[0] for row in rows if row]


@settings(max_examples=300, **ANYTHING_GOES)
@given(
    file=files(["text_a", "text_b", "score"], PAIR_ROWS),
    format=st.sampled_from(["csv"] * 9 + ["tsv", "jsonl", "json", "parquet", "assin-xml"]),
)
def test_any_file_of_pairs_ends_well(file, format):
    reader = {"format": format, "files": ["pairs.csv"]}
    entry = {"reader": reader, "scale": [0, 5], "language": "pt", "data_version": "mine"}
    with tempfile.TemporaryDirectory() as folder:
        raw, output = Path(folder) / "pairs.csv", Path(folder) / "pairs" / "MINE.parquet"
        content, rows = file
        raw.write_bytes(content)
        if outcome(prepare_pairs, ["--pairs", "MINE", "--settings", json.dumps(entry)], raw, output):
            table = read_pairs(output)
            assert len(table) >= 2
            assert all(text.strip() for text in [*table.text_a, *table.text_b])
            assert ((table.score >= 0) & (table.score <= 5)).all()
            if rows and format == "csv":
                assert [table.text_a, table.text_b] == [[row[side] for row in rows if row] for side in (0, 1)]
