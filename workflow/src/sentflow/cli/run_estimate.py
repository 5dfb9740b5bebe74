"""What a run would take, estimated before it: time by seconds of measured jobs, memory as rules ask for it."""

import math
from collections.abc import Mapping
from pathlib import Path

from sentflow.cli.configuration import workflow_folder
from sentflow.cli.measured_jobs import benchmark_folder, measured_rules
from sentflow.cli.rule_requests import rule_requests
from sentflow.errors import DataError
from sentflow.graph import paths
from sentflow.graph.config.experiment import Experiment
from sentflow.graph.plan import Plan
from sentflow.report.numbers import duration

# Mean seconds of a job in the default experiment, 2 × 5 folds of about 800 rows, two at a time on two cores of an AMD
# EPYC with AVX-512 (2026-11-24); of rules that are not named, the last.
_SECONDS: Mapping[str, float] = {
    "embed": 12.9,
    "embed_sparse": 7.2,
    "probe_lazy": 3.7,
    "compare": 3.0,
    "probe": 2.4,
    "figure": 2.4,
    "regress": 2.3,
    "audit": 1.1,
}
_OTHERS = 0.5
_FOLDS, _ROWS = 10, 800
_PROBES = ("probe", "probe_lazy", "probe_featurised")
_BY_ROWS = (*_PROBES, "embed", "embed_sparse", "audit")
_TRAINING = "train"  # its time follows from its settings, see `training_estimate`


def run_estimate(experiment: Experiment, plan: Plan, rows: Mapping[str, int]) -> list[tuple[str, str]]:
    """What `sentflow validate` says of time and memory.

    Parameters
    ----------
    experiment, plan
        What is run, and how many jobs that is from the beginning.
    rows
        Task → its rows, where they are known.
    """
    measured = _measured_here()
    folds = _folds_of_a_job(experiment) / _FOLDS
    size = max(1.0, sum(rows.values()) / len(rows) / _ROWS) if rows else 1.0

    def seconds(rule: str) -> float:
        name = rule.removesuffix("_study")
        if name in measured:
            return measured[name]
        factor = (folds if name in _PROBES else 1.0) * (size if name in _BY_ROWS else 1.0)
        return factor * _SECONDS.get(name, _OTHERS)

    work = math.fsum(n * seconds(rule) for rule, n in plan.jobs.items() if rule != _TRAINING)
    basis = (
        f"by the jobs in {paths.RESULTS}" if measured else "by the seconds of jobs of the default experiment"
    )
    known = f"rows of {len(rows)} of {len(experiment.selected['tasks'])} tasks known"
    said = [f"about {duration(work)} of one core, {basis}; {known}. Large encoders take longer"]
    if plan.jobs.get(_TRAINING):
        said.append("trainings are not in it: sentflow resources --configfile")
    return [("time", "; ".join(said)), ("memory", _memory(plan))]


def _measured_here() -> dict[str, float]:
    """Mean seconds of the jobs of each rule in the results of this folder; nothing where there are none."""
    try:
        found = measured_rules(benchmark_folder(Path()))
    except DataError:
        return {}
    return {rule: measured.mean_seconds for rule, measured in found.items()}


def _folds_of_a_job(experiment: Experiment) -> int:
    probe = experiment.config.probe
    counts = {"fold": 1, "repetition": probe.folds, "task": probe.folds * probe.repetitions}
    return counts[probe.job]


def _memory(plan: Plan) -> str:
    """The jobs that ask for most, and what comes on top."""
    asked = rule_requests(workflow_folder() / "rules")
    known = {rule: asked[rule] for rule in plan.jobs if rule in asked and asked[rule].memory_mb}
    if not known:
        return "no job asks for any"
    most = max(known, key=lambda rule: known[rule].memory_mb or 0)
    said = f"up to {known[most].memory_mb:,} MB for a job ({most})"
    return said + (", more where its input is large" if any(one.per_input for one in known.values()) else "")
