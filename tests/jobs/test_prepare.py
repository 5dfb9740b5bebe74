"""The jobs that make the tables of a dataset: what they write, and what is told of several that are wrong."""

from pathlib import Path

import pytest

from sentflow.config.tasks import TaskSettings
from sentflow.errors import DataError, parts
from sentflow.texts.jobs import prepare
from sentflow.texts.settings import TaskChecks
from sentflow.texts.table import read_task


def run(folder: Path, **texts: str) -> list[Path]:
    """Prepare tasks of one file each, of these texts; returns their tables, in the order of names."""
    for name, text in texts.items():
        lines = [f"{text},{row % 2}" for row in range(20)]
        (folder / f"{name}.csv").write_text("\n".join(["t,y", *lines]), encoding="utf-8")
    tables = [folder / "tasks" / f"{name}.parquet" for name in sorted(texts)]
    prepare(
        raw=[folder / f"{name}.csv" for name in texts],
        settings={name: settings(f"{name}.csv") for name in texts},
        checks=dict.fromkeys(texts, TaskChecks(metric="mcc", folds=2, batch_rows=1)),
        tables=tables,
    )
    return tables


def settings(file: str) -> TaskSettings:
    reader = {"format": "csv", "file": file, "text_a": "t", "label": "y"}
    return TaskSettings.model_validate({"reader": reader, "layout": "columns", "data_version": "mine"})


def test_each_table_has_the_rows_of_its_task_and_a_digest(tmp_path):
    tables = [read_task(table) for table in run(tmp_path, second="dois", first="um")]
    assert [(table.info.task, set(table.text_a)) for table in tables] == [
        ("first", {"um"}),
        ("second", {"dois"}),
    ]
    assert (tmp_path / "tasks/first.json").is_file()


def test_all_tasks_that_are_wrong_are_told_at_once(tmp_path):
    with pytest.raises(DataError) as error:
        run(tmp_path, first=" ", second="um", third="")
    told = [line.partition(":")[0] for line in str(error.value).splitlines() if line[0] != " "]
    assert told == ["tasks.first", "tasks.third"]


def test_what_fails_in_one_part_is_told_with_the_others_and_they_are_made(caplog):
    made = []
    with pytest.raises(DataError) as error, parts() as part:
        for name, problem in (("a", DataError("no rows")), ("b", None), ("c", KeyError("x")), ("d", None)):
            with part(name):
                if problem:
                    raise problem
                made.append(name)
    assert str(error.value) == "a: no rows\nc: KeyError: 'x'"
    assert made == ["b", "d"]
    assert "Traceback" in caplog.text  # of the defect, for its author
    with pytest.raises(MemoryError), parts() as part, part("a"):
        raise MemoryError
