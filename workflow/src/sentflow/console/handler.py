"""A line per job in place of Snakemake's ten, on its standard error; its log file keeps everything.

No plugin of Snakemake's: that would have to be installed before the Snakefile is read, which needs no installation.
"""

import logging
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sentflow.console.display import Display, Lines, Screen, is_screen
from sentflow.console.failures import paragraph
from sentflow.console.former_runs import mean_seconds
from sentflow.console.run import Run
from sentflow.errors import ConfigError
from sentflow.graph.failed_jobs import end_of, logs_of
from sentflow.report.numbers import duration

VARIABLE = "SENTFLOW_CONSOLE"
_SNAKEMAKE, _LINES = "snakemake", "lines"
# The handler that every Snakemake has unless a plugin writes to the terminal (snakemake/logging.py).
_REPLACED = "DefaultStreamHandler"
# Said between jobs; who reads along learns nothing by it.
_UNTOLD = re.compile(
    r"Select jobs to execute|Using shell: |Rules claiming more threads|Conda environments: ignored"
    r"|Assuming unrestricted shared filesystem|Building DAG of jobs"
)
_REPEATED = re.compile(r"Trying to restart job (?P<number>\d+)\.")
_FAILED = "Exiting because a job execution failed"
_COMMAND = "CalledProcessError in file"


def take_over(snakemake_logger: logging.Logger, workflow: Any) -> None:
    """Replace what Snakemake writes to the terminal.

    Parameters
    ----------
    workflow
        Of the Snakefile. Where it is a job on a cluster, is asked to be verbose, or has a logger of the user's choice
        (``--logger``), nothing is replaced.

    Raises
    ------
    ConfigError
        The environment variable `VARIABLE` has another value than those it may have.
    """
    chosen = os.environ.get(VARIABLE, "")
    if chosen not in ("", _SNAKEMAKE, _LINES):
        raise ConfigError(
            f"the environment variable {VARIABLE} is {chosen!r}. Write {_LINES} (no display at the bottom), "
            f"{_SNAKEMAKE} (Snakemake's own output), or unset it."
        )
    replaced = next((each for each in snakemake_logger.handlers if each.name == _REPLACED), None)
    if (
        replaced is None
        or chosen == _SNAKEMAKE
        or workflow.output_settings.verbose
        or not workflow.is_main_process
    ):
        return
    snakemake_logger.removeHandler(replaced)
    snakemake_logger.addHandler(Console(replaced, workflow, only_lines=chosen == _LINES))


class Console(logging.Handler):
    """Tells a run to whoever reads along.

    Parameters
    ----------
    replaced
        Snakemake's handler: what is no news of jobs is left to it.
    workflow
        Of the Snakefile.
    only_lines
        No display, also in a terminal.
    """

    def __init__(self, replaced: Any, workflow: Any, *, only_lines: bool) -> None:
        super().__init__(replaced.level)
        for each in replaced.filters:
            self.addFilter(each)
        self._snakemakes, self._workflow, self._settings = replaced, workflow, workflow.output_settings
        self._has_screen = not (only_lines or self._settings.dryrun) and is_screen(replaced.stream)
        self._run = Run(time.monotonic, mean_seconds)
        self._display: Display = Lines(replaced.stream)
        self._news: dict[str, Callable[[Any], None]] = {
            "run_info": self._run_info,
            "job_info": self._job_info,
            "job_started": lambda _record: None,  # how many at a time
            "job_finished": self._job_finished,
            "progress": self._progress,
            "job_error": self._job_error,
            "group_error": self._group_error,
            "error": self._error,
        }

    def emit(self, record: logging.LogRecord) -> None:
        """Tell one thing."""
        try:
            tell = self._news.get(str(getattr(record, "event", None)), self._anything)
            tell(record)
        except BrokenPipeError:
            raise
        except Exception:  # noqa: BLE001 - a run does not end because it could not be told
            self.handleError(record)

    def close(self) -> None:
        """Leave the terminal as it was."""
        self._display.close()
        super().close()

    def _run_info(self, record: Any) -> None:
        if self._settings.dryrun:
            self._snakemakes.emit(record)
            return
        self._run.plan(record.stats)
        if self._has_screen and self._run.total:
            self._display = Screen(self._snakemakes.stream, self._run, no_color=self._settings.nocolor)
        targets = {rule.name for rule in self._workflow.rules if not rule.output}
        numbers = {rule: n for rule, n in record.stats.items() if rule not in {"total", *targets}}
        largest_first = sorted(numbers.items(), key=lambda pair: -pair[1])
        rules = [f"{n:,} {rule.replace('_', ' ')}" for rule, n in largest_first]
        self._display.say(f"{self._run.total:,} steps: {', '.join(rules)}.")

    def _job_info(self, record: Any) -> None:
        if not record.output:  # a target, which has nothing to do
            return
        words = self._run.begin(record)
        if self._settings.dryrun:
            self._display.say(words)
        elif isinstance(self._display, Lines):
            self._display.say(f"{time.strftime('%H:%M:%S')} {words} ({self._run.progress()})")
        if not _is_quiet(self._settings, "reason"):
            self._display.say(f"  because: {record.reason}")

    def _job_finished(self, record: Any) -> None:
        ended = self._run.end(record.job_id)
        if ended and isinstance(self._display, Screen):
            words, seconds = ended
            place = f"{self._run.done + 1:>{len(str(self._run.total))}}/{self._run.total}"
            self._display.say(f"{place} {words} ({duration(seconds)})")

    def _progress(self, record: Any) -> None:
        self._run.done, self._run.total = record.done, record.total
        if record.done == record.total:
            self._close_screen()
            self._display.say(f"All {record.total:,} steps done in {duration(self._run.seconds())}.")

    def _job_error(self, record: Any) -> None:
        self._display.say(f"Failed: {self._run.fail(record)}", "bold red")
        logs = logs_of(record)
        told = [text for log in logs if (text := paragraph(end_of(log)))]
        said = [record.rule_msg] if record.rule_msg else []  # by what ran it, e.g. a cluster
        for text in told + said or ["It wrote no log."]:
            self._display.say(text, "red")
        for log in logs:
            self._display.say(f"log: {log}")
        for name, value in record.aux.items():  # e.g. the number of the job on the cluster
            self._display.say(f"{name}: {value}")

    def _group_error(self, record: Any) -> None:
        self._display.say(f"Failed: a group of {len(record.job_error_info)} jobs", "bold red")
        for name in record.aux_logs:
            log = Path(name)
            self._display.say(paragraph(end_of(log)) if log.is_file() else "", "red")
            self._display.say(f"log: {name}")

    def _error(self, record: Any) -> None:
        if _COMMAND not in record.getMessage():  # the job's own words follow
            self._anything(record)

    def _anything(self, record: logging.LogRecord) -> None:
        said = record.getMessage()
        if record.levelno == logging.INFO and _UNTOLD.match(said):
            return
        if repeated := _REPEATED.match(said):
            self._run.failed.pop(int(repeated["number"]), None)
            self._display.say("It is repeated.")
        elif said.startswith(_FAILED) and self._run.failed:
            self._close_screen()
            failed = [f"  {job}" for job in self._run.failed.values()]
            count = f"{len(failed)} of {self._run.total:,} steps failed, {self._run.done:,} are done."
            self._display.say("\n".join([count, *failed]), "red")
        elif isinstance(self._display, Lines):
            self._snakemakes.emit(record)
        elif text := self._snakemakes.format(record):
            self._display.say(text, _STYLES.get(record.levelno, ""))

    def _close_screen(self) -> None:
        self._display.close()
        self._display = Lines(self._snakemakes.stream)


_STYLES = {logging.WARNING: "yellow", logging.ERROR: "red", logging.CRITICAL: "red"}


def _is_quiet(settings: Any, about: str) -> bool:
    return any(each.name.lower() == about for each in settings.quiet or ())
