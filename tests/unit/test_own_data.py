"""Files of users: what is found in them, and the experiments that are written for them."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from called import printed, refused
from experiments import WORKFLOW

from sentflow.cli.configuration import read_configuration
from sentflow.cli.own_data import pair_entries, read_data_file, task_entry
from sentflow.config.load import load_experiment
from sentflow.config.own_paths import read_configuration_file
from sentflow.errors import ConfigError, DataError

ROWS = [("O serviço é ótimo, claro.", "bom"), ("Péssimo; não volto mais.", "mau")] * 30


def delimited(path, delimiter, encoding="utf-8"):
    lines = ["comment" + delimiter + "opinion", *(f'"{text}"{delimiter}{label}' for text, label in ROWS)]
    path.write_text("\n".join(lines), encoding=encoding)
    return path


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_are_found(tmp_path, delimiter):
    file = read_data_file(delimited(tmp_path / "a.txt", delimiter))
    assert [*zip(*file.values.values(), strict=True)] == ROWS
    assert file.reader.get("delimiter", ",") == delimiter


def test_whole_lines_in_quotes_are_told_from_fields_in_quotes(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('"text","label"\n"a","1"\n', encoding="utf-8")
    assert read_data_file(path).values == {"text": ["a"], "label": ["1"]}
    path.write_text('"text;label"\n"a;1"\n', encoding="utf-8")
    with pytest.raises(DataError, match="remove the outer quotes"):
        read_data_file(path)


def test_json_lines_and_parquet_are_known_by_their_content(tmp_path):
    lines, table = tmp_path / "a.csv", tmp_path / "b.csv"
    lines.write_text('{"comment": "NA", "opinion": 1}\n{"comment": "b"}\n', encoding="utf-8")
    pq.write_table(pa.table({"comment": ["NA", "b"], "opinion": [1, None]}), table)
    expected = {"comment": ["NA", "b"], "opinion": ["1", ""]}
    assert read_data_file(lines).values == read_data_file(table).values == expected
    assert (read_data_file(lines).reader["format"], read_data_file(table).reader["format"]) == (
        "jsonl",
        "parquet",
    )


def test_quotes_of_a_tsv_are_characters_where_they_would_join_rows(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text('text\tlabel\n"a\t1\nb"\t2\n"c" d\t3\n', encoding="utf-8")
    file = read_data_file(path)
    assert file.values == {"text": ['"a', 'b"', '"c" d'], "label": ["1", "2", "3"]}
    assert file.reader == {"format": "csv", "delimiter": "\t", "quoting": False}


def test_a_mistake_names_the_option_that_corrects_it(tmp_path):
    latin = delimited(tmp_path / "a.csv", ",", "cp1252")
    with pytest.raises(DataError, match=r"line 2.*--encoding cp1252.*'ç'"):
        read_data_file(latin)
    assert read_data_file(latin, "cp1252").column("comment") == [text for text, _ in ROWS]
    column = tmp_path / "b.csv"
    column.write_text("comment\none\ntwo\n", encoding="utf-8")
    with pytest.raises(DataError, match="--delimiter"):
        read_data_file(column)
    short = tmp_path / "c.csv"
    short.write_text("a,b\n" + "1,2\n" * 300 + "3\n", encoding="utf-8")
    with pytest.raises(DataError, match="line 302 has 1"):
        read_data_file(short)
    short.write_text("A man eats.,A man is eating.,5.0\nA,B,1.0\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"first line must name the columns, and it holds 5\.0"):
        read_data_file(short)
    short.write_bytes(b"PK\x03\x04\x14\0\0")
    with pytest.raises(DataError, match=r"no text file\. Save the table as CSV"):
        read_data_file(short)
    with pytest.raises(DataError, match="Did you mean comment"):
        read_data_file(delimited(tmp_path / "d.csv", ",")).column("coment")


def test_labels_and_scores_become_entries(tmp_path):
    file = read_data_file(delimited(tmp_path / "a.csv", ";"))
    entry = task_entry(file, "a.csv", ["comment"], "opinion")
    assert (entry["labels"], entry["metric"], entry["language"]) == (["bom", "mau"], "mcc", "pt")
    path = tmp_path / "b.csv"
    path.write_text("a,b\nx,1\ny,1\n", encoding="utf-8")
    with pytest.raises(DataError, match="1 different values"):
        task_entry(read_data_file(path), "b.csv", ["a"], "b")
    path.write_text(
        "a,b,gold\nA dog runs.,A dog is running.,4.5\nA man eats.,It rains.,0.2\n", encoding="utf-8"
    )
    pairs = pair_entries("mine", read_data_file(path), "pairs.csv", ["a", "b"], "gold")["pair_sets"]["mine"]
    assert pairs["scale"] == [0, 4.5]
    with pytest.raises(DataError, match=r"row 1.*'A dog is running\.'.*--score.*gold"):
        pair_entries("mine", read_data_file(path), "pairs.csv", ["a", "gold"], "b")


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    delimited(tmp_path / "reviews.csv", ",")
    pairs = "".join(f"A dog runs {n} miles.;A dog is running {n} miles.;{n % 5}\n" for n in range(60))
    (tmp_path / "pairs.csv").write_text(f"a;b;gold\n{pairs}", encoding="utf-8")
    (tmp_path / "laws" / "qrels").mkdir(parents=True)
    (tmp_path / "laws/corpus.jsonl").write_text(
        '{"_id": "d", "title": "", "text": "A law."}\n', encoding="utf-8"
    )
    (tmp_path / "laws/queries.jsonl").write_text('{"_id": "q", "text": "Which law?"}\n', encoding="utf-8")
    (tmp_path / "laws/qrels/dev.tsv").write_text("query-id\tcorpus-id\tscore\nq\td\t1\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("option", "file", "selected"),
    [
        ("--task", "reviews.csv", {"tasks": ["reviews"]}),
        ("--pairs", "pairs.csv", {"pair_sets": ["pairs"]}),
        ("--beir", "laws", {"question_sets": ["laws"]}),
        ("--train", "reviews.csv", {"pair_sets": ["STSB-test"]}),
    ],
)
def test_an_experiment_runs_what_it_names(data, option, file, selected):
    printed("new-experiment", "mine.yaml", option, file)
    own = yaml.safe_load((data / "mine.yaml").read_text("utf-8"))
    experiment = load_experiment(read_configuration([data / "mine.yaml"]), WORKFLOW, own)
    measured = ("tasks", "pair_sets", "alignments", "regressions", "question_sets")
    assert {name: list(experiment.selected[name]) for name in measured} == {
        **dict.fromkeys(measured, []),
        **selected,
    }
    assert experiment.title == file


def test_quick_without_columns_says_what_to_type(data):
    told = refused("quick", "reviews.csv", "--models", "tfidf")
    assert "sentflow quick reviews.csv --models tfidf --text comment --label opinion" in told
    assert "gold" in refused("quick", "pairs.csv", "--models", "tfidf", "--text", "a", "--text-b", "b")
    assert "COMMIT" in refused("quick", "laws", "--models", "owner/name")


@pytest.mark.parametrize(
    ("section", "entry"),
    [
        ("tasks", {"file": "x"}),
        ("corpora", {"beir": "x"}),
        ("datasets", {"files": {"a": {"urls": ["x"]}}}),
        ("models", {"source": {"folder": "x"}}),
        ("models", {"custom": "x.py:Mine"}),
        ("retrievers", {"files": {"questions": "x"}}),
    ],
)
def test_paths_begin_beside_the_file_that_has_them(tmp_path, monkeypatch, caplog, section, entry):
    here, file = tmp_path / "here", tmp_path / "there" / "mine.yaml"
    for folder in (here, file.parent):
        folder.mkdir()
    monkeypatch.chdir(here)
    file.write_text(yaml.safe_dump({section: {"mine": entry}}), encoding="utf-8")
    written, name = str(entry), "x.py" if "custom" in entry else "x"

    def read():
        return str(read_configuration_file(file)[section]["mine"])

    assert read() == written
    (file.parent / name).write_text("1", encoding="utf-8")
    assert read() == written.replace("'x", "'../there/x")
    (here / name).write_text("1", encoding="utf-8")
    assert read() == written and not caplog.text
    (here / name).write_text("2", encoding="utf-8")
    with pytest.raises(ConfigError, match="with other contents"):
        read()
    (file.parent / name).unlink()
    assert read() == written and "not beside this file" in caplog.text
