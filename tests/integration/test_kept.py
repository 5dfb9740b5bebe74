"""A new task on known data: only its texts are embedded, although Snakemake deletes the array first."""

import re
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import yaml
from workflow_copy import TINY, copy_workflow, snakemake

pytestmark = pytest.mark.slow

SELECT = {"select": {"models": ["bag-of-words"], "tasks": ["T1B-tiny"]}}
ANOTHER_TASK = {
    "tasks": {"G3-more": {"like": "F6-sample", "dataset": "tiny-public", "reader": {"file": "more.csv"}}}
}
ANOTHER_FILE = {"datasets": {"tiny-public": {"files": {"more.csv": {"generator": "F6"}}}}}


def embedded(project: Path, **config: dict) -> tuple[list[str], np.ndarray, str]:
    """Texts, vectors and log of the embeddings of a configuration."""
    file = project / "own.yaml"
    file.write_text(yaml.safe_dump(config), encoding="utf-8")
    done = snakemake(project, "embeddings", "--cores", "1", "--configfile", str(TINY), str(file))
    assert done.code == 0, done.text[-6000:]
    texts = pq.read_table(project / "results/data/texts/tiny-public.parquet").column("text").to_pylist()
    log = (project / "results/logs/embed/bag-of-words/tiny-public.log").read_text(encoding="utf-8")
    return texts, np.load(project / "results/embeddings/bag-of-words/tiny-public.npy"), log


def test_a_new_task_has_only_its_own_texts_embedded(tmp_path):
    project = copy_workflow(tmp_path / "project")
    before, old, log = embedded(project, **SELECT)
    assert "from an earlier run" not in log
    after, new, log = embedded(project, **SELECT, **ANOTHER_TASK, **ANOTHER_FILE)
    assert len(after) > len(before) and set(before) < set(after)
    assert re.search(rf"{len(before)} of {len(after)} texts are there from an earlier run", log)
    row_of = {text: row for row, text in enumerate(after)}
    assert np.array_equal(new[[row_of[text] for text in before]], old)
