"""Training data from raw files to a table: forms, what is left out and counted, and what is refused."""

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from training_files import prepared, prepared_of, written

from sentflow.errors import ConfigError, DataError
from sentflow.files.io import read_json
from sentflow.training.data import prepare
from sentflow.training.data.table import TrainingData, check_rows, read_training_data, write_training_data

LINES = {"format": "lines"}
NLI = (
    "premise\thypothesis\tgold\n"
    "Um cão corre.\tUm animal corre.\tentailment\n"
    "Um cão corre.\tUm gato dorme.\tcontradiction\n"
    "Um cão corre.\tO cão é preto.\tneutral\n"
    "Um cão corre.\tUm bicho se move.\tentailment\n"
    "Chove.\tCai água.\tentailment\n"
    "Chove.\tN/A\tcontradiction\n"
    "Ela lê.\tEla escreve.\tcontradiction\n"
    "Um cão corre.\tNada se move.\tcontradiction\n"
    "Um cão corre.\tUma criatura corre.\tentailment\n"
)
NLI_READER = {
    "format": "tsv",
    "text": "premise",
    "other": "hypothesis",
    "label": "gold",
    "labels": ["contradiction", "entailment", "neutral"],
    "missing": ["N/A"],
}


def test_each_line_is_a_text_as_it_is_written(tmp_path):
    lines = [
        'A "quoted" line',
        "  with spaces\tand a tab \u2028 of 2 lines for Python",
        "last, without an end",
    ]
    data, facts = prepared(tmp_path, {"my.txt": f"{lines[0]}\r\n{lines[1]}\n{lines[2]}"}, LINES)
    assert (data.columns["text"], data.form, data.labels, facts["read"]) == (lines, "texts", None, 3)


def test_empty_short_and_repeated_rows_are_left_out_and_counted(tmp_path):
    text = "one two three\n\n \t\nab\nword\none two three\nfour five\nsix seven\n"
    data, facts = prepared(tmp_path, {"my.txt": text}, LINES, least_characters=3, drop_repeated=True, limit=3)
    assert data.columns["text"] == ["one two three", "word", "four five"]
    assert facts["dropped"] == {"empty": 2, "short": 1, "repeated": 1, "beyond_limit": 1}
    assert facts["read"] == facts["rows"] + sum(facts["dropped"].values()) == 8
    assert facts["one_word"] == 1


ROWS = [{"text": f"linha {n % 7}\u2028", "other": "" if n % 5 == 0 else f"«{n}»"} for n in range(23)]


def test_rows_read_a_few_at_a_time_are_those_of_the_whole_in_every_format(tmp_path, monkeypatch):
    stream = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(ROWS), stream, row_group_size=4)
    cells = [("text", "other"), *(row.values() for row in ROWS)]
    contents = {"json": json.dumps(ROWS), "jsonl": "\n\n".join(map(json.dumps, ROWS))}
    contents |= {"parquet": stream.getvalue(), "csv": "\n".join(map(",".join, cells))}
    contents["tsv"] = "\n".join(map("\t".join, cells))
    expected = None
    for rows_at_once in (1000, 3):
        monkeypatch.setattr(prepare, "ROWS", rows_at_once)
        for name, content in contents.items():
            reader = {"format": name, "other": "other"}
            entry = {"form": "pairs", "drop_repeated": True, "limit": 15}
            data, facts = prepared(tmp_path, {"one": content, "two": content}, reader, **entry)
            expected = expected or data.rows()
            assert data.rows() == expected
            assert (len(data), facts["read"]) == (15, 2 * len(ROWS))
            assert facts["dropped"] == {"empty": 10, "short": 0, "repeated": 18, "beyond_limit": 3}


def test_spans_are_the_texts_of_a_list_or_the_lines_of_a_text_and_documents_of_one_are_left_out(tmp_path):
    found = ([" Art. 1º", "primeira\nlinha", ""], ["só"], "um\n\n dois \r\ntrês")
    content = "\n".join(json.dumps({"spans": spans}) for spans in found)
    reader = {"format": "jsonl", "text": "spans"}
    data, facts = prepared(tmp_path, {"my.jsonl": content}, reader, form="spans")
    assert data.columns["text"] == ["Art. 1º\nprimeira linha", "um\ndois\ntrês"]
    assert facts["dropped"]["one_span"] == 1


def test_an_entailed_hypothesis_has_a_contradicted_one_of_its_premise_as_negative(tmp_path):
    data, facts = prepared(tmp_path, {"nli.tsv": NLI}, NLI_READER, form="triplets", nli="by-premise")
    assert [tuple(row.values()) for row in data.rows()] == [
        ("Um cão corre.", "Um animal corre.", "Um gato dorme."),
        ("Um cão corre.", "Um bicho se move.", "Nada se move."),
        ("Um cão corre.", "Uma criatura corre.", "Um gato dorme."),  # two contradictions for three
    ]
    assert facts["dropped"] == {"empty": 1, "without_negative": 1, "short": 0}
    assert data.labels is None


def test_the_defect_of_the_study_takes_the_word_of_the_label_as_negative(tmp_path):
    data, _ = prepared(tmp_path, {"nli.tsv": NLI}, NLI_READER, form="triplets", nli="study-label-word")
    assert len(data) == 8  # every row but that with N/A
    assert data.rows()[1] == {
        "text": "Um cão corre.",
        "other": "Um gato dorme.",  # a contradiction, as positive
        "negative": "contradiction",
    }


def test_files_of_another_form_are_refused_in_words(tmp_path):
    for content, reader, told in (
        (b"a\xff b\n", LINES, "my.txt"),
        (b"", LINES, "my.txt is empty"),
        (b"\n \n\n", LINES, "none of 3 rows is left. Left out: 3 empty"),
        (b"text,b\na,c\n", {"format": "csv", "other": "x"}, "other: no column 'x'. Columns: 'text', 'b'"),
        (b"text;b\na;c\n", {"format": "csv"}, "write delimiter: ';'"),
        (b'{"body": "a"}\n', {"format": "jsonl"}, "no column 'text'"),
    ):
        with pytest.raises((ConfigError, DataError)) as caught:
            prepared(tmp_path, {"my.txt": content}, reader)
        assert told in str(caught.value)
    with pytest.raises(DataError, match="2 rows, expected 3"):
        prepared(tmp_path, {"my.txt": "a b\nc d\n"}, LINES, rows=3)


def test_sentences_of_pair_sets_come_from_the_folder_of_their_dataset(tmp_path):
    """Files of several datasets may have the same name."""
    raw = [
        *written(tmp_path / "sts12", {"in.x.txt": "a\tb\nc\td\n", "gs.x.txt": "5\n\n"}),
        *written(tmp_path / "sts13", {"in.x.txt": "e\tf\n", "gs.x.txt": "1.5\n"}),
    ]
    reader = {"format": "semeval", "subsets": ["x"], "input": "in.{subset}.txt", "gold": "gs.{subset}.txt"}
    sources = [{"where": "pair_sets.x", "dataset": name, "pairs": reader} for name in ("sts12", "sts13")]

    def texts(form: str, **entry: bool) -> list[dict[str, str]]:
        settings = {"form": form, "sources": sources, **entry}
        return prepared_of("both", raw, settings)[0].rows()

    assert [row["text"] for row in texts("texts")] == list("abef")
    assert [row["text"] for row in texts("texts", unscored=True)] == list("abcdef")
    assert texts("pairs") == [{"text": "a", "other": "b"}, {"text": "e", "other": "f"}]


def test_shuffled_positives_are_those_of_other_rows_and_the_same_for_a_seed(tmp_path):
    text = "text,other,negative\n" + "".join(f"a{n},b{n},c{n}\n" for n in range(20))
    reader = {"format": "csv", "other": "other", "negative": "negative"}

    def others(seed: int) -> list[str]:
        data, facts = prepared(tmp_path, {"my.csv": text}, reader, form="triplets", shuffled_positives=seed)
        assert facts["kept_positives"] == 0
        assert data.columns["negative"] == [f"c{n}" for n in range(20)]
        return data.columns["other"]

    first = others(1)
    assert first == others(1) != others(2)
    assert sorted(first) == sorted(f"b{n}" for n in range(20))
    assert not any(other == f"b{n}" for n, other in enumerate(first))


def test_a_table_is_read_as_it_was_written_and_its_digest_has_the_facts(tmp_path):
    data, facts = prepared(tmp_path, {"nli.tsv": NLI}, NLI_READER, form="labelled")
    path = tmp_path / "mine.parquet"
    write_training_data(path, data, facts)
    found = read_training_data(path)
    assert found.rows() == data.rows()
    assert (found.name, found.form, found.classes) == ("mine", "labelled", data.classes)
    assert read_json(path.with_suffix(".json")).items() >= facts.items()


def test_data_shorter_than_a_batch_are_refused_with_what_to_write():
    data = TrainingData("mine", "texts", {"text": ["a", "b", "c"]})
    check_rows(data, 3)
    with pytest.raises(DataError, match="3 rows are fewer than one batch of 4.*training.batch_size: 3"):
        check_rows(data, 4)


SCORED = {"format": "tsv", "other": "relevant", "negative": "negative", "score": "s", "negative_score": "t"}


def test_scores_of_a_teacher_are_numbers(tmp_path):
    text = "text\trelevant\tnegative\ts\tt\na b\tc\td\t7.25\t-1e-3\ne f\tg\th\t\t2\n"
    data, facts = prepared(tmp_path, {"my.tsv": text}, SCORED, form="scored")
    assert data.rows() == [
        {"text": "a b", "other": "c", "negative": "d", "score": 7.25, "negative_score": -1e-3}
    ]
    assert facts["dropped"]["empty"] == 1
    path = tmp_path / "table.parquet"
    write_training_data(path, data, facts)
    assert read_training_data(path).rows() == data.rows()
