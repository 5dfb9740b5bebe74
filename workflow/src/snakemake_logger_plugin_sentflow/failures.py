"""Why a job failed: from the end of its log, and from how Snakemake or its executor says that it ended."""

import re
from collections.abc import Mapping
from pathlib import Path

_TAIL_BYTES = 64 * 1024
# Of a log that ends neither in `error:` nor in a traceback, and of a traceback
_LINES = 15
_TRACEBACK = "Traceback (most recent call last)"
# A process of this machine that was ended by signal 9
_ENDED = re.compile(r"CalledProcessError(?s:.*)(exit status 137|SIGKILL)")
# States of SLURM and Kubernetes, as their executors give them, and what SLURM writes into the logs of jobs
_MEMORY = re.compile(r"OUT_OF_ME|OOMKilled|exceeded memory limit|oom_kill|oom-kill")
_TIME = re.compile(r"'TIMEOUT'|DUE TO TIME LIMIT|DeadlineExceeded")


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
    if _ENDED.search(said):
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
