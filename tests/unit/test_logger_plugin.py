"""What a run says in the terminal, by the plug-in that Snakemake finds where sentflow is installed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from workflow_copy import PACKAGE, REPOSITORY, environment

from snakemake_logger_plugin_sentflow import TimeLeft, killed_for, paragraph

TRACE = "Traceback (most recent call last)"
RUN = [sys.executable, "-m", "snakemake", "--cores", "1", "--logger", "sentflow"]
# As where the package is installed: Snakemake finds the plug-in by its name
FOUND = {"PYTHONPATH": str(REPOSITORY / PACKAGE.parent)}
SNAKEFILE = """
rule all:
    input: "a.txt", "wrong.txt", "killed.txt"
rule fine:
    output: "{n}.txt"
    wildcard_constraints: n="a"
    shell: "touch {output}"
rule wrong:
    output: "wrong.txt"
    log: "wrong.log"
    retries: 1
    shell: "printf 'before\\nerror: row 3 is wrong\\x1b[31m' > {log}; exit 2"
rule killed:
    output: "killed.txt"
    resources: mem_mb=600
    shell: "python -c 'import os; os.kill(os.getpid(), 9)'"
"""


def test_a_run_tells_how_far_it_is_and_why_its_jobs_failed(tmp_path):
    (tmp_path / "Snakefile").write_text(SNAKEFILE, encoding="utf-8")
    variables = environment() | FOUND
    words = [*RUN, "--keep-going"]
    done = subprocess.run(words, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "fine: n a (" in done.stderr and " of 4 steps done" in done.stderr
    # it is repeated
    assert done.stderr.count("Failed: wrong\nerror: row 3 is wrong\\x1b[31m\nlog: wrong.log\n") == 2
    assert "before" not in done.stderr
    (why,) = [line for line in done.stderr.splitlines() if line.startswith("Killed: ")]
    assert "--cores 1" in why and "600" in why
    assert "2 of 4 steps failed, 1 are done." in done.stderr


def test_ctrl_c_says_how_to_go_on_and_exits_as_a_shell_does(tmp_path):
    lines = 'rule all:\n    output: "a"\n    shell: "touch began; sleep 60"\n'
    (tmp_path / "Snakefile").write_text(lines, encoding="utf-8")
    run = subprocess.Popen(
        RUN,
        cwd=tmp_path,
        env=environment() | FOUND,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not (tmp_path / "began").exists():
        time.sleep(0.1)
    os.killpg(run.pid, signal.SIGINT)
    assert run.communicate(timeout=60)[1].rstrip().endswith("Interrupted; run the same command to go on.")
    assert run.returncode == 130
    assert not list((tmp_path / ".snakemake/locks").glob("*"))


def test_the_profile_names_the_plugin_only_where_snakemake_can_find_it():
    code = (
        "import yte, pathlib; print('logger' in yte.process_yaml(pathlib.Path('profile.yaml').read_text()))"
    )
    # without what .pth files add, such as an installed sentflow
    libraries = [folder for folder in sys.path if Path(folder).name == "site-packages"]
    words = [sys.executable, "-S", "-c", f"import sys; sys.path += {libraries!r}; {code}"]
    for named, variables in (
        ("False", {}),
        ("True", FOUND),
        ("False", {**FOUND, "SENTFLOW_CONSOLE": "snakemake"}),
    ):
        kept = {name: value for name, value in environment().items() if name != "SENTFLOW_CONSOLE"}
        folder = REPOSITORY / "profiles" / "default"
        assert subprocess.check_output(words, cwd=folder, env=kept | variables, text=True).strip() == named


@pytest.mark.parametrize(
    ("log", "told"),
    [
        ("many\nerror: one\nmore\nerror: two\nmore\n", "error: two\nmore"),
        (f"x\n{TRACE}\n  a\nValueError: b", f"{TRACE}\n  a\nValueError: b"),
        (f"x\n{TRACE}\nKeyboardInterrupt", "It was interrupted (Ctrl-C)."),
        ("\n".join(map(str, range(40))), "\n".join(map(str, range(25, 40)))),
        ("", ""),
    ],
)
def test_of_a_log_its_last_paragraph_is_told(log, told):
    assert paragraph(log) == told


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("SLURM status is: 'OUT_OF_MEMORY'.", ["600 MB", "probe: { mem_mb: 600 * attempt }"]),
        ("SLURM status is: 'TIMEOUT'.", ["20 minutes", "probe: { runtime: 20 * attempt }"]),
        (
            "CalledProcessError: Command 'python x' died with <Signals.SIGKILL: 9>.",
            ["--resources mem_mb=N", "600"],
        ),
    ],
)
def test_a_job_ended_for_memory_or_time_says_what_to_write(said, words):
    (told,) = killed_for(said, "probe", {"mem_mb": 600, "runtime": 20})
    assert [word for word in words if word not in told] == []
    assert killed_for("Command 'python x' returned non-zero exit status 2.", "probe", {}) == []


def test_time_left_is_that_of_the_jobs_left_at_the_mean_of_their_rule(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, records in (("a", '{"s": 9}\n{"s": 1}'), ("deep/b", '{"s": 4}'), ("killed", '{"s": ')):
        file = Path("results/benchmarks/probe", f"{name}.jsonl")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(records, encoding="utf-8")
    now = [0.0]
    monkeypatch.setattr("snakemake_logger_plugin_sentflow.time.monotonic", lambda: now[0])
    left = TimeLeft({"probe": 4, "score": 2})
    assert left.seconds() == pytest.approx(4 * 2.5)  # of former runs
    assert left.is_least  # of scores nothing is known
    left.begin(1, "probe")
    left.begin(2, "probe")
    now[0] = 10.0
    assert (left.end(1), left.end(2), left.end(3)) == (10.0, 10.0, None)
    assert left.seconds() == pytest.approx(2 * 10 / 2)  # two side by side
