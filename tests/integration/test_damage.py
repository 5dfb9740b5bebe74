"""A file that was damaged or swapped is refused by the job that reads it, with its name and what to do."""

import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
import yaml
from workflow_copy import TINY, Outcome, command, copy_workflow, snakemake

pytestmark = pytest.mark.slow


def empty(file: Path, _: Path) -> None:
    file.write_bytes(b"")


def flip(file: Path, _: Path) -> None:
    content = bytearray(file.read_bytes())
    content[place_of_values(file) if file.suffix == ".parquet" else len(content) // 3] ^= 0x10
    file.write_bytes(bytes(content))


def place_of_values(file: Path) -> int:
    """The last byte of the values of the first column: much of the end of a Parquet file is read by nobody."""
    with pq.ParquetFile(file) as parquet:
        column = parquet.metadata.row_group(0).column(0)
        start = column.dictionary_page_offset or column.data_page_offset
        return start + column.total_compressed_size - 1


def swap(file: Path, other: Path) -> None:
    shutil.copy2(other, file)


def replace_by_folder(file: Path, _: Path) -> None:
    file.unlink()
    file.mkdir()


PAIR = "T1B-tiny/random"
OTHER = "T1B-tiny/bag-of-words"
PROBE = f"probe/{PAIR}/rep-1/fold-1"
# What is done to which file, the log of a job that reads it, and another file that has its form.
CASES = [
    (flip, "data/tasks/T1B-tiny.parquet", PROBE, ""),
    (swap, "data/tasks/T1B-tiny.json", PROBE, "data/tasks/G3-tiny.json"),
    (empty, "models/random/manifest.json", "embed/random/tiny-public", ""),
    (flip, "embeddings/random/tiny-public.npy", PROBE, ""),
    (swap, "embeddings/random/tiny-public.json", PROBE, "embeddings/bag-of-words/tiny-public.json"),
    (swap, f"probes/{PAIR}/rep-1/fold-2.parquet", "score/random", f"probes/{OTHER}/rep-1/fold-2.parquet"),
    (replace_by_folder, f"scores/{PAIR}.parquet", "summarise/all", ""),
]


@pytest.fixture(scope="module")
def project(undisturbed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(undisturbed, tmp_path_factory.mktemp("damage") / "project"))


@pytest.mark.parametrize(("damage", "name", "log", "other"), CASES)
def test_a_damaged_file_is_refused_with_its_name(project, damage: Callable, name, log, other):
    file = project / "results" / name
    before = file.read_bytes()
    try:
        damage(file, project / "results" / other)
        done = again(project, log)
    finally:
        shutil.rmtree(file) if file.is_dir() else file.unlink()
        file.write_bytes(before)
    assert done.code == 2, done.text
    assert "Traceback" not in done.text
    message = done.text.rpartition("error: ")[2]
    assert Path(name).name in message
    assert "again" in message


def again(project: Path, log: str) -> Outcome:
    """The command of a job as its log has it."""
    line = (project / f"results/logs/{log}.log").read_text(encoding="utf-8").splitlines()[0]
    words = shlex.split(line)
    return command(project, *words[words.index("-m") + 1 :])


SETS = "municipal-laws-sample"
# Every kind of measurement, and the log of a job that reads it
MEASUREMENTS = {
    f"probes/{PAIR}/rep-1/fold-2.parquet": "score/random",
    f"scores/{PAIR}.json": "summarise/all",
    f"scores/{PAIR}.parquet": "summarise/all",
    f"scores/{PAIR}.predictions.parquet": "hardest/all",
    "comparisons/pairs.parquet": "report/all",
    "comparisons/omnibus.json": "report/all",
    "audit/T1B-tiny.json": "report/all",
    "items/hardest/T1B-tiny.parquet": "report/all",
    "similarity/STSB-tiny/random.json": "summarise_similarity/all",
    "similarity/STSB-tiny/jaccard-words.json": "summarise_similarity/all",
    "similarity/STSB-tiny/random.parquet": "compare_similarity/all",
    "similarity/comparisons.parquet": "report/all",
    "regressions/STSB-tiny/random.json": "summarise_similarity/all",
    "alignments/STSB-tiny/random.json": "summarise_geometry/all",
    "geometry/tiny-sentences/random.json": "summarise_geometry/all",
    f"runs/{SETS}/bm25.parquet": f"evaluate/{SETS}",
    f"retrieval/{SETS}/bm25.json": "summarise_retrieval/all",
    f"retrieval/{SETS}/bm25.parquet": "compare_retrieval/all",
    f"audit/retrieval/{SETS}.json": f"evaluate/{SETS}",
    "retrieval/differences.parquet": "make_products_retrieval/all",
    f"decisions/{SETS}/bm25/first.parquet": f"evaluate_decisions/{SETS}",
    f"decisions/{SETS}.json": "summarise_decisions/all",
    f"decisions/{SETS}.parquet": "compare_decisions/all",
    "summary/scores.parquet": "make_products_probing/all",
    "summary/retrieval.parquet": "make_products_retrieval/all",
}
MEASURED = {
    "select": {
        "models": ["bag-of-words", "random"],
        "tasks": ["T1B-tiny"],
        "question_sets": [SETS],
        "retrievers": ["bm25", "random-order"],
        "decisions": ["first"],
    },
    "report": {"tables": ["scores", "retrieval"], "figures": [], "checks": []},
}


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a file of every kind."""
    made = copy_workflow(tmp_path_factory.mktemp("measured") / "project")
    (made / "measured.yaml").write_text(yaml.safe_dump(MEASURED), encoding="utf-8")
    done = snakemake(made, "all", "--cores", "2", "--configfile", str(TINY), "measured.yaml")
    assert done.code == 0, done.text[-6000:]
    return made


def edit(file: Path) -> None:
    """Change one number of a file as a program would that knows nothing of us."""
    if file.suffix == ".json":
        text = file.read_text(encoding="utf-8")
        edited = re.sub(r"(?<=[ \[])\d", lambda digit: str((int(digit[0]) + 1) % 10), text, count=1)
        assert edited != text
        file.write_text(edited, encoding="utf-8")
        return
    frame = pd.read_parquet(file)
    frame[frame.select_dtypes("number").columns[-1]] += 1
    frame.to_parquet(file)


@pytest.mark.parametrize(("name", "log"), MEASUREMENTS.items())
def test_a_changed_number_of_any_measurement_is_refused_by_the_job_that_reads_it(measured, name, log):
    file = measured / "results" / name
    before = file.read_bytes()
    try:
        edit(file)
        done = again(measured, log)
    finally:
        file.write_bytes(before)
    assert done.code == 2, done.text
    assert "Traceback" not in done.text
    message = done.text.rpartition("error: ")[2]
    assert name in message and "Delete" in message


@pytest.mark.parametrize("log", sorted(set(MEASUREMENTS.values())))
def test_untouched_measurements_are_read(measured, log):
    assert again(measured, log).code == 0
