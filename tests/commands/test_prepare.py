import json
from pathlib import Path

import pytest
import yaml

from sentflow.commands import download, prepare
from sentflow.errors import DataError
from sentflow.texts.table import TaskTable, read_task

CATALOG = Path(__file__).parents[2] / "workflow/catalog"
N_ROWS = 420


def entry(name: str) -> dict:
    """A task of the catalog with what it is like."""
    tasks = yaml.safe_load((CATALOG / "tasks.yaml").read_text(encoding="utf-8"))
    task = tasks[name]
    like = tasks[task.pop("like")] if "like" in task else {"reader": {}}
    return {**like, **task, "reader": {**like["reader"], **task["reader"]}, "folds": 5}


def sample_rows(n: int = N_ROWS) -> str:
    return ",text,label\n" + "".join(f"{row},São {row},{row % 2}\n" for row in range(n))


def run(folder: Path, text: str) -> Path:
    raw, output = folder / "hatebr_offensive_lang.csv", folder / "tasks/T1A-sample.parquet"
    raw.write_text(text, encoding="utf-8")
    settings = json.dumps(entry("T1A-sample"))
    prepare.main(["--task", "T1A-sample", "--raw", str(raw), "--settings", settings, "--output", str(output)])
    return output


def test_raw_csv_becomes_a_task_table(tmp_path):
    table = read_task(run(tmp_path, sample_rows()))
    assert (len(table), table.text_a[3], table.labels[3]) == (N_ROWS, "São 3", 1)
    assert (table.info.task, table.info.layout, table.info.data_version) == (
        "T1A-sample",
        "single",
        "sample data",
    )


def test_same_input_gives_the_same_bytes(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert run(tmp_path / "a", sample_rows()).read_bytes() == run(tmp_path / "b", sample_rows()).read_bytes()


def test_documents_that_no_folds_keep_together_are_told_before_anything_is_embedded(tmp_path, capsys):
    raw, output = tmp_path / "hatebr_offensive_lang.csv", tmp_path / "tasks/T1A-sample.parquet"
    rows = "".join(f"{row},São {row},{row % 2},post {row % 4}\n" for row in range(N_ROWS))
    raw.write_text(",text,label,post\n" + rows, encoding="utf-8")
    task = entry("T1A-sample")
    reader = {"format": "csv", "file": raw.name, "text_a": "text", "label": "label", "group": "post"}
    settings = json.dumps({**task, "reader": reader})
    arguments = ["--task", "T1A-sample", "--raw", str(raw), "--settings", settings, "--output", str(output)]
    prepare.main(arguments)  # nobody asks for new documents
    assert "too few documents" not in capsys.readouterr().err
    checks = {"repetitions": 2, "folds": 5, "seed": 1}
    prepare.main([*arguments, "--checks", json.dumps({"documents": {**checks, "needed": False}})])
    warning = "T1A-sample: too few documents: the rows of 4 documents cannot be assigned to 5 folds"
    assert warning in capsys.readouterr().err
    output.unlink()
    with pytest.raises(DataError, match=r"4 documents cannot be assigned to 5 folds .* group_folds: false"):
        prepare.main([*arguments, "--checks", json.dumps({"documents": {**checks, "needed": True}})])
    assert not output.exists()


def test_bad_input_leaves_no_table(tmp_path):
    with pytest.raises(DataError, match="text a is empty in row 1"):
        run(tmp_path, sample_rows().replace("0,São 0,0", "0,,0"))
    assert not (tmp_path / "tasks").exists()


# --- the real files of the mirror


def open_table(task_name: str, mirror: Path, folder: Path) -> TaskTable:
    """Download from the mirror, verify, prepare: the counts of the catalog are checked on the way."""
    task = entry(task_name)
    datasets = yaml.safe_load((CATALOG / "datasets.yaml").read_text(encoding="utf-8"))
    files = datasets[task["dataset"]]["files"]
    file = task["reader"]["file"]
    raw, output = folder / file, folder / "task.parquet"
    words = ["--dataset", task["dataset"], "--file", file, "--settings", json.dumps(files[file])]
    download.main([*words, "--mirrors", json.dumps([str(mirror)]), "--output", str(raw)])
    settings = json.dumps({**task, "files": files})
    prepare.main(["--task", task_name, "--raw", str(raw), "--settings", settings, "--output", str(output)])
    return read_task(output)


def label_counts(table: TaskTable) -> list[int]:
    return [int((table.labels == k).sum()) for k in range(len(table.info.classes))]


@pytest.mark.mirror
def test_hatebr_of_the_mirror_is_the_second_release(mirror, tmp_path):
    table = open_table("T1A-open", mirror, tmp_path)
    assert label_counts(table) == [3500, 3500]
    assert set(table.labels[:3500].tolist()) == {1}  # sorted by label: never take the first n rows
    assert len(set(table.text_a)) == 7000
    assert len(set(table.groups)) == 78  # posts
    assert table.info.data_version == "HateBR 2.0"


@pytest.mark.mirror
def test_offcombr_of_the_mirror_has_its_repeated_rows(mirror, tmp_path):
    table = open_table("T1B-open", mirror, tmp_path)
    assert label_counts(table) == [831, 419]
    assert len(set(table.text_a)) == 1243
    assert max(map(len, table.text_a)) == 533
    assert not any("\r" in text or text.startswith("'") for text in table.text_a)


@pytest.mark.mirror
def test_factnews_bias_joins_facts_and_quotes(mirror, tmp_path):
    table = open_table("T2A-open", mirror, tmp_path)
    assert label_counts(table) == [5633, 558]
    assert len(set(table.text_a)) == 6081
    assert (len(set(table.groups)), table.groups[0]) == (299, "c1e")


@pytest.mark.mirror
def test_factnews_factuality_is_upstreams_own_design(mirror, tmp_path):
    table = open_table("T2B-open", mirror, tmp_path)
    assert label_counts(table) == [4242, 1949]
    assert table.text_a[0].startswith('"Não houve')


@pytest.mark.mirror
def test_fakebr_has_pairs_without_marks_and_outer_line_ends(mirror, tmp_path):
    table = open_table("T3-open", mirror, tmp_path)
    assert label_counts(table) == [3600, 3600]
    assert table.labels[:3600].tolist() == [1] * 3600  # fake before true
    assert table.groups[:3600] == table.groups[3600:]  # a pair has one number
    assert set(map(str, range(1, 3603))) - set(table.groups) == {"586", "1607"}
    assert table.groups[:3] == ["1", "2", "3"]  # by number, not by letter
    assert not any("\ufeff" in text or text != text.strip() for text in table.text_a)
    inner = ["\n" in text for text in table.text_a]
    assert (sum(inner[:3600]), sum(inner[3600:])) == (212, 53)
    true = dict(zip(table.groups[3600:], table.text_a[3600:], strict=True))
    same = true["61"] == true["69"]
    assert same
    assert len(set(table.text_a)) == 7199


@pytest.mark.mirror
@pytest.mark.parametrize(
    ("task_name", "counts"),
    [
        ("SICK-E", [2536, 1299, 665]),
        ("ASSIN2-entailment", [3250, 3250]),
        ("Korean-questions", [2138, 4750]),
        ("TMUP-paraphrases", [292, 363]),
    ],
)
def test_pairs_of_sentences_of_the_mirror_have_their_classes(mirror, tmp_path, task_name, counts):
    table = open_table(task_name, mirror, tmp_path)
    assert label_counts(table) == counts
    assert table.info.layout == "pair"
    assert not any(text.endswith("\r") for text in (*table.text_a, *table.text_b))
