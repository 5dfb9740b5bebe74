"""A plug-in of Snakemake for its terminal: a line per job, progress and time left, why a job failed.

Snakemake finds it by its name wherever it can be imported, and imports it at every start, before it has read any
workflow. So it is light, and imports nothing of `sentflow`: the workflow may be another copy than the installed one.
"""

import atexit
import json
import logging
import os
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.settings import LogHandlerSettingsBase

# Said between jobs; who reads along learns nothing by it.
_UNTOLD = re.compile(
    r"Select jobs to execute|Using shell: |Building DAG of jobs|Assuming unrestricted shared filesystem"
    r"|Provided cores|Rules claiming more threads|Conda environments: ignored|Using workflow specific profile"
    r"|Config file .* is extended by additional config|Complete log\(s\): |Elapsed time: |Migrati"
)
# Said at the end of a run in which jobs failed, before `close` lists them
_INTERRUPTED = re.compile("Terminating processes on user request|Cancelling snakemake on user request")
_ENDED = re.compile("Exiting because a job execution failed|At least one job did not complete successfully")
# Names of wildcards that say less than the field's word; the others are words already.
_WORDS = {
    "data": "training data",
    "model": "encoder",
    "pairs": "pair set",
    "questions": "question set",
    "rep": "repetition",
}
_TAIL_BYTES = 64 * 1024
# Of a log that ends neither in `error:` nor in a traceback, and of a traceback
_LINES = 15
_TRACEBACK = "Traceback (most recent call last)"
# A process of this machine that was ended by signal 9
_KILLED = re.compile(r"CalledProcessError(?s:.*)(exit status 137|SIGKILL)")
# States of SLURM and Kubernetes, as their executors give them, and what SLURM writes into the logs of jobs
_MEMORY = re.compile(r"OUT_OF_ME|OOMKilled|exceeded memory limit|oom_kill|oom-kill")
_TIME = re.compile(r"'TIMEOUT'|DUE TO TIME LIMIT|DeadlineExceeded")
_BENCHMARKS = Path("results/benchmarks")
# Of thousands of folds, these say as much.
_FILES = 50


@dataclass
class LogHandlerSettings(LogHandlerSettingsBase):
    """Options of Snakemake's command line."""

    jobs: Path | None = field(
        default=None, metadata={"help": "File to which a dry run adds a line of JSON per job.", "type": Path}
    )


class LogHandler(LogHandlerBase):
    """Tells a run to whoever reads along."""

    writes_to_stream = True  # in the place of Snakemake's own output
    writes_to_file = False  # Snakemake's log file keeps everything
    has_filter = False  # Snakemake's holds: --quiet, --verbose
    has_formatter = False  # Snakemake's words are used for what is no news of jobs
    needs_rulegraph = False

    def __post_init__(self) -> None:
        """Begin without any job."""
        settings = self.common_settings
        self._stream = sys.stdout if settings.stdout else sys.stderr
        # A line at the bottom that is written over, where somebody sees it
        dumb = os.environ.get("CI") or os.environ.get("TERM") == "dumb"
        self._has_status = self._stream.isatty() and not dumb and not settings.dryrun
        self._begun, self._done, self._total = time.monotonic(), 0, 0
        self._time_left = TimeLeft({})
        self._planned: Path | None = getattr(self.settings, "jobs", None)
        self._jobs: dict[int, Any] = {}
        self._failed: dict[int, str] = {}
        self._errors: list[str] = []
        self._is_interrupted = False

    def emit(self, record: logging.LogRecord) -> None:
        """Tell one thing."""
        tell = getattr(self, f"_{getattr(record, 'event', None) or 'anything'}", self._anything)
        try:
            (self._anything if self.common_settings.verbose else tell)(record)
        except Exception:  # noqa: BLE001 - a run does not end because it could not be told
            self.handleError(record)

    def close(self) -> None:
        """List what failed, or say how an interrupted run goes on."""
        if self._is_interrupted:
            self._failed.clear()
            self._total = self._done  # no line of progress below
            self._say("Interrupted; run the same command to go on.")
            self._is_interrupted = False
        if self._failed:
            count = f"{len(self._failed)} of {self._total:,} steps failed, {self._done:,} are done."
            self._say("\n  ".join([count, *self._failed.values()]))
            self._failed.clear()
        if self._has_status:
            self._stream.write("\r\x1b[K")
        super().close()

    def _run_info(self, record: Any) -> None:
        if self.common_settings.dryrun:
            self._anything(record)
            return
        jobs: Counter[str] = Counter()
        for rule, n in record.stats.items():
            if rule not in ("total", "all"):
                jobs[_first(rule)] += n
        self._total, self._time_left = record.stats.get("total", 0), TimeLeft(jobs)
        most_first = sorted(jobs.items(), key=lambda pair: -pair[1])
        counts = [f"{n:,} {rule.replace('_', ' ')}" for rule, n in most_first]
        self._say(f"{self._total:,} steps: {', '.join(counts)}.")

    def _job_info(self, record: Any) -> None:
        if not record.output:  # a target, which has nothing to do
            return
        self._failed.pop(record.jobid, None)
        self._jobs[record.jobid] = record
        if self.common_settings.dryrun:
            self._say(_words(record))
            if self._planned is not None:
                with self._planned.open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps(_facts(record)) + "\n")
        else:
            self._time_left.begin(record.jobid, _first(record.rule_name))
            if not self._has_status:
                self._say(f"{time.strftime('%H:%M:%S')} {_words(record)} ({self._progress_words()})")
        if not any(each.name.lower() == "reason" for each in self.common_settings.quiet or ()):
            self._say(f"  because: {record.reason}")

    def _job_started(self, record: Any) -> None:
        """How many at a time, which nobody asks."""

    def _job_finished(self, record: Any) -> None:
        job, seconds = self._jobs.pop(record.job_id, None), self._time_left.end(record.job_id)
        if job is not None and seconds is not None and self._has_status:
            self._say(
                f"{self._done + 1:>{len(str(self._total))}}/{self._total} {_words(job)} ({seconds:.1f} s)"
            )

    def _progress(self, record: Any) -> None:
        self._done, self._total = record.done, record.total
        if self._done == self._total:
            self._say(f"All {self._total:,} steps done in {_minutes(time.monotonic() - self._begun)}.")

    def _error(self, record: Any) -> None:
        # Snakemake says how a command ended before it says which job failed, whose own words follow.
        text = record.getMessage()
        if "CalledProcessError" in text:
            self._errors = [*self._errors[-9:], text]
        else:
            self._anything(record)

    def _job_error(self, record: Any) -> None:
        job = self._jobs.pop(record.jobid, None)
        self._time_left.end(record.jobid, failed=True)
        words = _words(job) if job else record.rule_name.replace("_", " ")
        logs = [path for name in record.log or [] if (path := Path(name.partition(" (")[0])).is_file()]
        self._failed[record.jobid] = ", ".join([words, *map(str, logs)])
        said = [record.rule_msg] if record.rule_msg else []  # by what ran it, e.g. a cluster
        ended = [text for text in self._errors if record.shellcmd and record.shellcmd.strip() in text]
        ends = list(map(end_of, logs))
        own = [text for end in ends if (text := paragraph(end))]
        rule, requested = _first(record.rule_name), getattr(job, "resources", None)
        why = killed_for("\n".join([*said, *ended, *ends]), rule, requested)
        also = [f"log: {log}" for log in logs] + [f"{name}: {value}" for name, value in record.aux.items()]
        self._say("\n".join([f"Failed: {words}", *(own + said or ["It wrote no log."]), *why, *also]))

    def _group_error(self, record: Any) -> None:
        logs = [Path(name) for name in record.aux_logs if Path(name).is_file()]
        own = [line for log in logs for line in (paragraph(end_of(log)), f"log: {log}")]
        self._say("\n".join([f"Failed: a group of {len(record.job_error_info)} jobs", *own]))

    def _anything(self, record: logging.LogRecord) -> None:
        if _INTERRUPTED.match(record.getMessage()) and not self._is_interrupted:
            self._is_interrupted = True
            atexit.register(os._exit, 130)  # in the place of Snakemake's 1, after it has unlocked the folder
        if (
            record.levelno != logging.INFO
            or self.common_settings.verbose
            or not _UNTOLD.match(record.getMessage())
        ):
            text = _config_error(self.format(record))
            if text and text != "None" and not (self._failed and _ENDED.search(text)):
                self._say(text)

    def _say(self, text: str) -> None:
        above = "\r\x1b[K" if self._has_status else ""
        running = self._has_status and self._done < self._total
        below = f"{self._progress_words()}, {len(self._jobs)} running" if running else ""
        self._stream.write(f"{above}{visible(text)}\n{below}")
        self._stream.flush()

    def _progress_words(self) -> str:
        done = f"{self._done:,} of {self._total:,} steps done"
        left, is_least = self._time_left.seconds() or 0, self._time_left.is_least
        if left < (60 if is_least else 1e-9):  # of a run of minutes, "more than 20 s" would mislead
            return done
        return f"{done}, {'more than' if is_least else 'about'} {_minutes(left)} left"


def _config_error(text: str) -> str:
    """The error for a file that Snakemake could not read as configuration; Snakemake names neither file nor line."""
    if "not valid JSON or YAML" not in text and "load_configfile" not in text:
        return text
    try:
        from sentflow.errors import SentflowError
        from sentflow.files.settings_files import read_settings
    except ImportError:
        return text
    for word in sys.argv[1:]:
        try:
            if word.endswith((".yaml", ".yml", ".json")):
                read_settings(Path(word))
        except SentflowError as error:
            return f"error: {error}"
    return text


def _facts(record: Any) -> dict[str, Any]:
    """A planned job: what it requests, and how many files it writes."""
    facts = {"rule": record.rule_name, "wildcards": dict(record.wildcards), "outputs": len(record.output)}
    requests = {key: record.resources.get(key) for key in ("mem_mb", "runtime")}
    return facts | {key: value for key, value in requests.items() if isinstance(value, int)}


def _words(record: Any) -> str:
    """E.g. ``probe: task T1B-sample, encoder minilm-l6``, or ``table: scores``."""
    name = _first(record.rule_name).replace("_", " ")
    # of a job that makes all of a dataset, or of a part of what its encoder has
    named = {key: record.resources.get(key) for key in ("dataset", "part")}
    parts = [
        value if key == name else f"{_WORDS.get(key, key)} {value}"
        for key, value in {**named, **record.wildcards}.items()
        if value  # that of a study is empty where there is none
    ]
    return f"{name}: {', '.join(parts)}" if parts else name


def _first(rule: str) -> str:
    """The first of rules that differ in their outputs alone, e.g. ``train`` of ``train_2``."""
    return re.sub(r"_\d+$", "", rule)


def _minutes(seconds: float) -> str:
    minutes = round(seconds / 60)
    if minutes < 2:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60:02d} min"


def end_of(log: Path) -> str:
    """The end of a log file, as much as says why its job failed."""
    with log.open("rb") as stream:
        stream.seek(max(0, log.stat().st_size - _TAIL_BYTES))
        return stream.read().decode("utf-8", errors="replace")


def paragraph(log: str) -> str:
    """The ``error:`` paragraph of a log, else its last traceback, else its last lines; empty for an empty log."""
    lines = log.rstrip().splitlines()
    if lines[-1:] == ["KeyboardInterrupt"]:
        return "It was interrupted (Ctrl-C)."
    for beginning in ("error: ", _TRACEBACK):
        found = [n for n, line in enumerate(lines) if line.startswith(beginning)]
        if found:
            lines = lines[found[-1] :]
            break
    is_long_trace = len(lines) > _LINES and lines[0].startswith(_TRACEBACK)
    if is_long_trace:
        return "\n".join([lines[0], "  …", *lines[1 - _LINES :]])
    return "\n".join(lines if found else lines[-_LINES:])


def killed_for(said: str, rule: str, requested: Mapping[str, object] | None) -> list[str]:
    """A sentence if a job was ended for want of memory or time, with what to write; none for any other failure.

    `said`: by Snakemake or the executor, of how the job ended, and the ends of its logs. `requested`: resources of the
    attempt.
    """
    requested = requested or {}
    profile = f"For more, write in the profile, under set-resources: {rule}: {{ %s: {'%s'} * attempt }}."
    if _KILLED.search(said):
        return [
            "Killed: the system ended it, as it does when this machine runs out of memory. Run fewer jobs at a time: "
            "--cores 1, or --resources mem_mb=N with the memory that jobs may fill together, in MB (this one requests "
            f"{requested.get('mem_mb', 'none')})."
        ]
    for pattern, key, words in (
        (_MEMORY, "mem_mb", "it needed more memory than the {} MB it requested"),
        (_TIME, "runtime", "it took longer than the {} minutes it requested"),
    ):
        if pattern.search(said):
            value = requested.get(key)
            return [f"Killed: {words.format(value)}. {profile % (key, value)}"]
    return []


def visible(text: str) -> str:
    """The text with characters written out that would control the terminal or turn the direction of text."""
    return "".join(sign if sign.isprintable() or sign in "\n\t" else ascii(sign)[1:-1] for sign in text)


class TimeLeft:
    """Jobs of a run by rule, as they begin and end.

    A job takes as long as those of its rule did in this run, before any has ended as they did in former runs of the
    folder. As many run side by side as did so far. Rules that nobody has measured count nothing: see `is_least`.
    """

    def __init__(self, jobs: Mapping[str, int]) -> None:
        self._left = Counter(jobs)
        # seconds of single jobs by rule: of former runs, and of those that ended in this one
        self._former = {rule: _former_seconds(rule) for rule in jobs}
        self._ended: dict[str, list[float]] = defaultdict(list)
        self._running: dict[int, tuple[str, float]] = {}
        self._begun = time.monotonic()

    def begin(self, job: int, rule: str) -> None:
        """A job begins, perhaps not for the first time."""
        self._running[job] = (rule, time.monotonic())

    def end(self, job: int, *, failed: bool = False) -> float | None:
        """A job is done; its seconds, if its beginning was seen. One that failed says nothing of the others."""
        if job not in self._running:
            return None
        rule, begun = self._running.pop(job)
        seconds = time.monotonic() - begun
        if not failed:
            self._left[rule] -= 1
            self._ended[rule].append(seconds)
        return seconds

    @property
    def is_least(self) -> bool:
        """Whether jobs are left of rules that nobody has measured, so that the rest takes longer than `seconds`."""
        return any(n > 0 and rule not in self._means() for rule, n in self._left.items())

    def seconds(self) -> float | None:
        """What the rest will take; None where no rule of it was ever measured."""
        means = self._means()
        known = [rule for rule, n in self._left.items() if n > 0 and rule in means]
        if not known:
            return None
        now = time.monotonic()
        work = sum(self._left[rule] * means[rule] for rule in known)
        busy = sum(map(sum, self._ended.values())) + sum(now - begun for _, begun in self._running.values())
        return work / max(1.0, busy / max(now - self._begun, 1e-9))

    def _means(self) -> dict[str, float]:
        return {rule: fmean(known) for rule, known in (self._former | self._ended).items() if known}


def _former_seconds(rule: str) -> list[float]:
    found = []
    for file in islice((_BENCHMARKS / rule).rglob("*.jsonl"), _FILES):
        # not of a job that was killed, or being written
        with suppress(OSError, ValueError, LookupError, TypeError):
            found.append(float(json.loads(file.read_text(encoding="utf-8").splitlines()[-1])["s"]))
    return found
