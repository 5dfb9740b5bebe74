"""What a run says in the terminal: a line per job, how far it is, how long it takes yet, why a job failed."""

import io
import logging
from types import SimpleNamespace

import pytest
from workflow_copy import REPOSITORY, snakemake

from sentflow.console.display import Lines, Screen, is_screen
from sentflow.console.failures import paragraph
from sentflow.console.former_runs import mean_seconds
from sentflow.console.handler import VARIABLE, Console, take_over
from sentflow.console.run import Run
from sentflow.console.time_left import Estimator
from sentflow.console.words import job_words
from sentflow.errors import ConfigError

# A job with fifty inputs, one that fails and explains itself, and a target.
SNAKEFILE = f"""
import sys
sys.path.insert(0, {str(REPOSITORY / "workflow" / "src")!r})
from snakemake.logging import logger
from sentflow.console.handler import take_over
from sentflow.graph.failed_jobs import told_to

take_over(logger, workflow)

rule all:
    input: "scores/T1/minilm.txt", "bad.txt"

rule score_all:
    input: expand("folds/{{n}}.txt", n=range(50))
    output: "scores/{{task}}/{{model}}.txt"
    log: "logs/{{task}}/{{model}}.log"
    shell: "echo some log > {{log}}; touch {{output}}"

rule bad:
    output: "bad.txt"
    log: "bad.log"
    retries: 2
    shell: "printf 'INFO versions\\n\\nerror: no such task.\\nWrite T1.\\n' > {{log}}; exit 2"

onstart:
    told_to(logger, workflow)
"""


class Terminal(io.StringIO):
    """A terminal that keeps what is written."""

    def isatty(self) -> bool:
        return True


def run_at(*times: float) -> Run:
    """A run whose clock is read at these times."""
    return Run(iter(times).__next__, lambda rule: None)


# --- words ---------------------------------------------------------------------------------------


def test_a_job_is_named_by_the_words_of_the_field():
    words = {"task": "T1B-sample", "model": "minilm-l6", "rep": "1", "fold": "2"}
    assert (
        job_words("probe_lazy", words)
        == "probe lazy: task T1B-sample, encoder minilm-l6, repetition 1, fold 2"
    )
    assert job_words("table", {"table": "scores"}) == "table: scores"
    assert job_words("compare", {}) == "compare"


# --- time left -----------------------------------------------------------------------------------


def test_the_time_left_is_that_of_the_jobs_left_at_the_pace_of_those_that_ended():
    estimator = Estimator({"probe": 10}, lambda rule: None)
    assert estimator.left(0.0) is None  # nobody has measured a probe
    for job, begun in ((1, 0.0), (2, 0.0), (3, 60.0), (4, 60.0)):
        if begun:
            estimator.end(job - 2, 60.0)
        estimator.begin(job, "probe", begun)
    # two at a time, a minute each: 6 wait, 2 are half done
    left = estimator.left(90.0)
    assert left.seconds == pytest.approx((6 * 60 + 2 * 30) / 2)
    assert str(left) == "about 4 min left"


def test_a_job_that_takes_longer_than_all_before_leaves_no_negative_time():
    estimator = Estimator({"probe": 2}, lambda rule: None)
    estimator.begin(1, "probe", 0.0)
    estimator.end(1, 10.0)
    estimator.begin(2, "probe", 10.0)
    assert estimator.left(1000.0).seconds == 0.0
    assert str(estimator.left(1000.0)) == "less than 1 min left"


def test_rules_that_nobody_has_measured_make_it_a_least_time_or_none():
    jobs = {"probe": 101, "report": 1}
    estimator = Estimator(jobs, lambda rule: None)
    estimator.begin(1, "probe", 0.0)
    estimator.end(1, 5.0)
    assert str(estimator.left(5.0)) == "more than 8 min left"  # 100 × 5 s
    few = Estimator({"probe": 3, "report": 1}, lambda rule: None)
    few.begin(1, "probe", 0.0)
    few.end(1, 5.0)
    assert few.left(5.0) is None


def test_former_runs_count_until_a_job_of_the_rule_has_ended():
    estimator = Estimator({"train": 3}, {"train": 600.0}.get)
    assert str(estimator.left(0.0)) == "about 30 min left"
    estimator.begin(1, "train", 0.0)
    estimator.end(1, 6000.0)
    assert str(estimator.left(6000.0)) == "about 3 h 20 min left"


def test_a_failed_attempt_is_not_a_duration():
    estimator = Estimator({"probe": 2}, lambda rule: None)
    estimator.begin(1, "probe", 0.0)
    estimator.drop(1)
    assert estimator.left(100.0) is None
    assert estimator.end(1, 200.0) is None


def test_durations_of_former_runs_are_read_from_benchmark_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert mean_seconds("score") is None
    files = {
        "T1/a.jsonl": '{"s": 2.0}',
        "T1/b.jsonl": '{"s": 9.0}\n{"s": 4.0}',
        "T1/c.jsonl": "",
        "T1/d.jsonl": "{",
    }
    for name, text in files.items():
        path = tmp_path / "results/benchmarks/score" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert mean_seconds("score") == 3.0


# --- failures ------------------------------------------------------------------------------------


def test_of_a_log_the_last_error_paragraph_is_told():
    log = "2026 INFO command\n\nerror: of an attempt before\n2026 INFO again\n\nerror: a.csv:\n  - row 3\n  - row 4\n"
    assert paragraph(log) == "error: a.csv:\n  - row 3\n  - row 4"


def test_without_one_it_is_the_traceback_or_the_last_lines():
    trace = "INFO x\nTraceback (most recent call last):\n" + "  File y\n" * 40 + "ValueError: z\n"
    told = paragraph(trace).splitlines()
    assert (told[0], told[-1], len(told)) == ("Traceback (most recent call last):", "ValueError: z", 16)
    assert paragraph("\n".join(f"line {n}" for n in range(40))).splitlines() == [
        f"line {n}" for n in range(25, 40)
    ]
    assert paragraph("") == ""
    assert (
        paragraph("Traceback (most recent call last):\n  File y\nKeyboardInterrupt\n")
        == "It was interrupted (Ctrl-C)."
    )


def test_a_log_cannot_control_the_terminal():
    assert paragraph("error: \x1b[2J gone") == r"error: \x1b[2J gone"


# --- a whole Snakemake ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """A folder, and what a run in it said."""
    folder = tmp_path_factory.mktemp("ran")
    (folder / "Snakefile").write_text(SNAKEFILE, encoding="utf-8")
    (folder / "folds").mkdir()
    for n in range(50):
        (folder / f"folds/{n}.txt").touch()
    return folder, snakemake(folder, "--cores", "1", "--keep-going", "--show-failed-logs")


def test_a_job_is_one_line_and_a_failed_one_its_message_then_its_log(ran):
    _, done = ran
    lines = done.text.splitlines()
    assert done.code == 1
    assert {"3 steps: 1 score all, 1 bad.", "3 steps: 1 bad, 1 score all."} & set(lines)
    (job,) = [line for line in lines if "score all: task T1" in line]
    assert "score all: task T1, encoder minilm (" in job and "of 3 steps done" in job
    place = lines.index("Failed: bad")
    assert lines[place + 1 : place + 4] == ["error: no such task.", "Write T1.", "log: bad.log"]
    assert "folds/" not in done.text and "versions" not in done.text and "CalledProcessError" not in done.text
    place = lines.index("1 of 3 steps failed, 1 are done.")
    assert lines[place + 1] == "  bad, bad.log"


def test_a_job_that_explains_itself_is_not_repeated(ran):
    _, done = ran
    assert done.text.count("Failed: bad\n") == 1  # of three attempts that the rule allows
    assert "It is not repeated: its message says what to do." in done.text


def test_the_log_file_of_snakemake_keeps_everything(ran):
    folder, _ = ran
    (log,) = folder.glob(".snakemake/log/*.log")
    said = log.read_text(encoding="utf-8")
    assert (
        "input: folds/0.txt, folds/1.txt" in said
        and "Finished jobid: " in said
        and "Error in rule bad:" in said
    )


def test_a_dry_run_has_no_time_and_says_why_if_asked(ran):
    folder, _ = ran
    dry = snakemake(folder, "-n", "scores/T2/minilm.txt")
    assert "score all: task T2, encoder minilm\n  because: Missing output files" in dry.text
    assert "steps done" not in dry.text and "Job stats:" in dry.text


def test_in_the_end_it_says_how_many_also_where_jobs_are_not_told(ran):
    folder, _ = ran
    done = snakemake(folder, "--cores", "1", "scores/T3/minilm.txt", "--quiet", "rules")
    assert "All 1 steps done in " in done.text and "score all: task" not in done.text


# --- what is replaced ----------------------------------------------------------------------------


def replaced(
    *, verbose: bool = False, is_main_process: bool = True, name: str = "DefaultStreamHandler"
) -> bool:
    """Whether a handler of this name is replaced."""
    log, before = logging.Logger("of a test"), logging.StreamHandler(io.StringIO())
    before.name = name
    log.addHandler(before)
    settings = SimpleNamespace(verbose=verbose, dryrun=False)
    take_over(log, SimpleNamespace(output_settings=settings, is_main_process=is_main_process))
    return log.handlers != [before]


def test_snakemakes_own_output_stays_where_it_is_wanted(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert replaced()
    assert not replaced(verbose=True)
    assert not replaced(is_main_process=False)  # a job on a cluster
    assert not replaced(name="")  # --logger took its place
    monkeypatch.setenv(VARIABLE, "snakemake")
    assert not replaced()


def test_another_value_of_the_variable_is_refused(monkeypatch):
    monkeypatch.setenv(VARIABLE, "off")
    with pytest.raises(ConfigError, match="SENTFLOW_CONSOLE is 'off'. Write lines"):
        replaced()


def test_of_a_job_on_a_cluster_its_log_the_reason_of_the_cluster_and_its_number_there_are_told(tmp_path):
    stream = io.StringIO()
    before = logging.StreamHandler(stream)
    settings = SimpleNamespace(verbose=False, dryrun=False, quiet=None)
    console = Console(before, SimpleNamespace(output_settings=settings, rules=[]), only_lines=True)
    log, of_slurm = tmp_path / "probe.log", tmp_path / "5.log"
    log.write_text("INFO fold 3\n", encoding="utf-8")
    of_slurm.write_text("slurmstepd: error: exceeded memory limit\n", encoding="utf-8")
    record = logging.LogRecord("x", logging.ERROR, "", 0, "Error in rule probe, jobid: 5", None, None)
    record.__dict__.update(
        event="job_error", jobid=5, rule_name="probe", rule_msg="SLURM status is: 'OUT_OF_MEMORY'",
        log=[f"{log} (check log file(s) for error details)", str(of_slurm)], aux={"external_jobid": "77"},
    )  # fmt: skip
    console.handle(record)
    assert stream.getvalue().splitlines() == [
        "Failed: probe",
        "INFO fold 3",
        "slurmstepd: error: exceeded memory limit",
        "SLURM status is: 'OUT_OF_MEMORY'",
        f"log: {log}",
        f"log: {of_slurm}",
        "external_jobid: 77",
    ]


# --- the display ---------------------------------------------------------------------------------


def job(number: int, rule: str, **wildcards: str) -> SimpleNamespace:
    return SimpleNamespace(jobid=number, rule_name=rule, wildcards=wildcards)


def test_below_the_lines_of_a_terminal_stand_the_steps_and_what_runs(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    run = run_at(*[0.0] * 1000)
    run.plan({"probe": 9, "total": 9})
    for number in range(8):
        run.begin(job(number, "probe", task=f"T{number}"))
    terminal = Terminal()
    screen = Screen(terminal, run, no_color=True)
    screen.say("error: [bold]not markup[/bold]", "red")
    screen.close()
    said = terminal.getvalue()
    assert "error: [bold]not markup[/bold]" in said
    assert "0 of 9 steps done" in said and "probe: task T0 (0.0 s)" in said and "and 2 more" in said
    assert "task T6" not in said
    assert said.rindex("\x1b[?25h") > said.rindex("\x1b[?25l")  # the cursor is there in the end


def test_a_display_is_for_terminals_that_somebody_sees(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("CI", raising=False)
    assert is_screen(Terminal()) and not is_screen(io.StringIO())
    monkeypatch.setenv("CI", "true")
    assert not is_screen(Terminal())
    monkeypatch.delenv("CI")
    monkeypatch.setenv("TERM", "dumb")
    assert not is_screen(Terminal())


def test_lines_of_a_file_have_no_colours():
    stream = io.StringIO()
    Lines(stream).say("Failed: probe", "bold red")
    assert stream.getvalue() == "Failed: probe\n"
