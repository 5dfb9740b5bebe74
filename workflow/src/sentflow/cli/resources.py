"""`sentflow resources`: what jobs took → what they should ask a cluster for."""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path

from sentflow.cli.configuration import workflow_folder
from sentflow.cli.measured_jobs import (
    SNAKEMAKES_MB,
    Largest,
    MeasuredRule,
    benchmark_folder,
    measured_rules,
    requested_mb,
    requested_minutes,
)
from sentflow.cli.rule_requests import RuleRequest, rule_requests
from sentflow.cli.terminal import show_blocks
from sentflow.errors import ConfigError, DataError

PROFILE = "profiles/slurm/profile.yaml"
# Rules with a block of their own in the profile: the variable that switches it on, and its keys. Of two blocks of one
# rule only the later one holds.
MERGED: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(("embed", "embed_sparse", "featurise"), ("gpu_partition", "gpu and slurm_partition")),
    **dict.fromkeys(
        (
            "probe",
            "probe_featurised",
            "probe_lazy",
            "probe_study",
            "probe_featurised_study",
            "probe_lazy_study",
        ),
        ("folds_per_job", "batch_slot"),
    ),
}


def resources(path: Path, *, margin: float) -> None:
    """Print a block ``set-resources`` for the profile of SLURM, from the benchmark files of a run.

    Parameters
    ----------
    path
        A results folder, or the folder that holds one; the run may be unfinished.
    margin
        At least 1; requests are so many times what was measured.

    Raises
    ------
    ConfigError
        The margin is below 1, or no number.
    DataError
        There are no benchmark files, or only some of rules that are never submitted, or one is damaged.
    """
    if not (math.isfinite(margin) and margin >= 1):
        raise ConfigError(
            f"--margin {margin:g}: jobs would request less than they used. Write 1 or more, e.g. 1.5."
        )
    folder = benchmark_folder(path)
    lines = block_lines(
        measured_rules(folder), rule_requests(workflow_folder() / "rules"), margin=margin, source=str(folder)
    )
    show_blocks(["\n".join(lines)])


def block_lines(
    measured: Mapping[str, MeasuredRule], asked: Mapping[str, RuleRequest], *, margin: float, source: str
) -> list[str]:
    """Lines of YAML with comments: rules in the order of `asked`, local ones left out.

    Parameters
    ----------
    measured
        Rule → what its jobs took.
    asked
        Rule → what it asks for, of all rules.
    margin
        See `resources`.
    source
        Where it was measured, for the comment.

    Raises
    ------
    DataError
        No rule that is submitted was measured.
    """
    submitted = [rule for rule, request in asked.items() if not request.is_local]
    known = [rule for rule in submitted if rule in measured]
    if not known:
        raise DataError(
            f"{source} has only {', '.join(measured)}, which are never submitted to a cluster. Let the "
            "run continue, "
            "or give the results of another one."
        )
    lines = [
        *_heading({rule: measured[rule] for rule in known}, margin=margin, source=source),
        "set-resources:",
    ]
    for rule in known:
        lines += _rule_lines(rule, measured[rule], asked[rule], margin=margin)
    if missing := [rule for rule in submitted if rule not in measured]:
        lines.append(f"# Not measured, so they request what their rules say: {', '.join(missing)}.")
    if strange := [rule for rule in measured if rule not in asked]:
        lines.append(f"# Measured, but these rules do not exist (any more): {_one_line(', '.join(strange))}.")
    return lines


def _heading(measured: Mapping[str, MeasuredRule], *, margin: float, source: str) -> list[str]:
    n_jobs = sum(rule.n_jobs for rule in measured.values())
    return [
        f"# Write these rules below set-resources of {PROFILE}, after the entries there.",
        f"# Measured in {_one_line(source)}: {_counted(n_jobs, 'job')} of {_counted(len(measured), 'rule')}.",
        f"# mem_mb is the largest job × {margin:g} + {SNAKEMAKES_MB} MB for the two Snakemake processes "
        "in a SLURM job; "
        f"runtime the longest × {margin:g}, in minutes.",
        "# The second attempt requests twice as much. TOO LITTLE: the rule itself requests less than this.",
    ]


def _rule_lines(rule: str, measured: MeasuredRule, asked: RuleRequest, *, margin: float) -> Iterator[str]:
    yield f"  {rule}:  # {_counted(measured.n_jobs, 'job')}"
    if rule in MERGED:
        variable, keys = MERGED[rule]
        yield (
            f"    # MERGE: if {variable} is set, copy {keys} of this rule here; of two blocks only the "
            "later one is used."
        )
    named = measured.n_jobs > 1
    if measured.memory_mb is None:
        yield "    # mem_mb: every job ended before its memory was measured; the rule's own request is used"
    else:
        value = requested_mb(measured.memory_mb.value, margin=margin)
        said = f"measured {measured.memory_mb.value:,.0f} MB{_of(measured.memory_mb, named)}"
        yield f"    mem_mb: {value} * attempt  # {said}; {_compared(value, asked.memory_mb, asked.per_input)}"
    minutes = requested_minutes(measured.seconds.value, margin=margin)
    said = f"measured {measured.seconds.value:,.0f} s{_of(measured.seconds, named)}"
    yield f"    runtime: {minutes} * attempt  # {said}; {_compared(minutes, asked.minutes)}"


def _of(largest: Largest, named: bool) -> str:
    return f" ({_one_line(largest.job)})" if named else ""


def _compared(value: int, asked: int | None, per_input: float = 0.0) -> str:
    if asked is None:
        return "the rule requests nothing"
    if per_input:  # how large the input of the job was, its benchmark file does not say
        return f"the rule requests {asked} and {per_input:g} times its input"
    return f"the rule requests {'TOO LITTLE, ' if asked < value else ''}{asked}"


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _one_line(text: str) -> str:
    """Names of files must not end a comment."""
    return " ".join(text.splitlines())
