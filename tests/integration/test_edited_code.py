"""Code that is edited while a run is going on makes no result, whenever the edit is undone."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from workflow_copy import (
    PACKAGE,
    TINY,
    command,
    copy_workflow,
    environment,
    planned,
    snakemake,
    snakemake_words,
)

SCORES = tuple(f"results/scores/T1B-tiny/{model}.json" for model in ("bag-of-words", "random"))
OPTIONS = (*SCORES, "--cores", "1", "--quiet", "--configfile", str(TINY))
EDITED = "\n_ADDED_BY_A_TEST = 1\n"


def edit(module: Path, text: str = EDITED) -> None:
    with module.open("a", encoding="utf-8") as stream:
        stream.write(text)


def begin(project: Path, *arguments: str) -> "subprocess.Popen[str]":
    """Start a run and wait until its graph is built."""
    run = subprocess.Popen(
        snakemake_words(*arguments),
        cwd=project,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    while not (project / ".snakemake/sentflow-sources.json").exists() and run.poll() is None:
        time.sleep(0.01)
    return run


@pytest.mark.slow
def test_an_edit_during_a_run_stops_it_and_leaves_no_wrong_result_when_it_is_undone(tmp_path):
    project = copy_workflow(tmp_path / "project")
    module = project / PACKAGE / "stats/score.py"
    before = module.read_bytes()
    run = begin(project, *OPTIONS, "--keep-going")
    edit(module)
    logs = [project / f"results/logs/score/{model}.log" for model in ("bag-of-words", "random")]
    while not any(log.exists() and log.stat().st_size for log in logs) and run.poll() is None:
        time.sleep(0.01)
    module.write_bytes(before)
    run.communicate(timeout=300)
    stopped = [
        score for score, log in zip(SCORES, logs, strict=True) if "was edited" in log.read_text("utf-8")
    ]
    assert stopped and run.returncode == 1
    for score, log in zip(SCORES, logs, strict=True):
        assert (project / score).exists() == (score not in stopped), log.read_text("utf-8")
        assert "Traceback" not in log.read_text("utf-8")
    undone = planned(project, targets=list(SCORES))
    assert undone == {f"score {Path(score).stem}" for score in stopped}
    assert snakemake(project, *OPTIONS).code == 0
    assert planned(project, targets=list(SCORES)) == set()
    # as Snakemake begins a job of a cluster: a process of its own, after the run has begun
    words = ("--mode", "remote", "--nolock", "--target-jobs", "score:model=random")
    (project / SCORES[1]).unlink()
    edit(module)
    refused = snakemake(project, *words, "--cores", "1", "--force", "--configfile", str(TINY))
    assert refused.code == 1 and not (project / SCORES[1]).exists()
    assert "was edited" in logs[1].read_text("utf-8")


CHECKED = """
import sys
from pathlib import Path
from sentflow.flow.provenance import code
from sentflow.jobs.code_check import check_code
from sentflow.jobs.log import exit_with

def main():
    module, text, planned = sys.argv[1:]
    check_code("score", code("score") if planned == "now" else planned)
    with Path(module).open("a", encoding="utf-8") as stream:
        stream.write(text)
    import sentflow.stats.ranks
    import sentflow.stats.score
    print("imported")
    return 0

exit_with(main)
"""


@pytest.mark.parametrize(
    ("module", "text", "planned", "is_refused"),
    [
        ("stats/score.py", "", "now", False),
        ("stats/score.py", "", "0123456789abcdef", True),
        ("stats/score.py", "", "0123456789abcdef sentflow.gone", True),
        ("stats/score.py", EDITED, "now", True),
        ("stats/score.py", "\n# A comment.\n", "now", False),
        ("stats/ranks.py", EDITED, "now", False),
    ],
    ids=["same", "edited before", "module gone", "edited before its import", "comment", "of another job"],
)
def test_a_job_imports_the_code_of_its_digest_or_stops(tmp_path, module, text, planned, is_refused):
    project = copy_workflow(tmp_path / "project")
    arguments = [str(project / PACKAGE / module), text, planned]
    done = subprocess.run(
        [sys.executable, "-c", CHECKED, *arguments],
        env={**environment(), "PYTHONPATH": str(project / PACKAGE.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == ((2, "") if is_refused else (0, "imported\n")), done.stderr
    assert ("job score was edited" in done.stderr) == is_refused


def test_a_job_without_a_digest_is_not_checked(tmp_path):
    project = copy_workflow(tmp_path / "project")
    edit(project / PACKAGE / "downloads/download.py")
    words = ("download", '--settings=[{"urls": ["sample://1/T1A.csv"]}]', f"--output={tmp_path / 'a.csv'}")
    assert command(project, "sentflow.jobs", *words).code == 0
    assert command(project, "sentflow.jobs", *words, "--code=0123456789abcdef").code == 2
