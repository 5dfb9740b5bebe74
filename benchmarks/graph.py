"""What Snakemake's graph costs as the work grows: python benchmarks/graph.py

For 18 tasks and a growing number of encoders, with one probe job per task and with one per fold: a dry run of all jobs
in an empty folder, then the answer that nothing is to be done after a complete run, which is pretended. Two programs in
turn, each call in a process of its own: the workflow; and Snakemake alone, a graph of the same jobs with the same
files, logs, benchmarks and number of params, without any code of the package.
"""

import argparse
import asyncio
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import needs

REPOSITORY = Path(__file__).parents[1]
sys.path.insert(0, str(REPOSITORY / "tests" / "fixtures"))

import workflow_copy  # noqa: E402

OURS, ALONE = "workflow", "Snakemake alone"
PROGRAMS = (OURS, ALONE)
CALLS = {"dry run": ("-q", "rules"), "nothing to do": ()}


@dataclass(frozen=True)
class Cost:
    """What calls of Snakemake took, the median of some turns.

    Attributes
    ----------
    encoders, job
        Of the experiment: how many encoders, and `probe.job`.
    probe_jobs, jobs
        Of the graph.
    program
        One of the two.
    call
        ``"dry run"`` or ``"nothing to do"``.
    seconds, cpu_seconds
        On the clock; user and system time of all threads.
    megabytes
        Largest resident memory.
    """

    encoders: int
    job: str
    probe_jobs: int
    jobs: int
    program: str
    call: str
    seconds: float
    cpu_seconds: float
    megabytes: float


def main() -> None:
    """Measure, print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--encoders", type=int, nargs="+", default=[4, 20])
    parser.add_argument("--jobs", nargs="+", default=["task", "fold"], help="values of probe.job")
    parser.add_argument("--programs", nargs="+", default=list(PROGRAMS), choices=PROGRAMS)
    parser.add_argument("--calls", nargs="+", default=list(CALLS), choices=CALLS)
    parser.add_argument("--turns", type=int, default=1, help="calls of each kind; the median counts")
    parser.add_argument("--default", action="store_true", help="only the default experiment")
    arguments = parser.parse_args()
    sizes = [(n, job) for job in arguments.jobs for n in arguments.encoders]
    print(
        "| encoders | `probe.job` | jobs | program | call | clock | CPU | memory |\n|--:|---|--:|---|---|--:|--:|--:|"
    )
    for n_encoders, job in [(0, "default")] if arguments.default else sizes:
        for cost in measured(n_encoders, job, arguments.programs, arguments.calls, arguments.turns):
            print(told(cost), flush=True)


def measured(
    n_encoders: int, job: str, programs: Sequence[str], calls: Sequence[str], turns: int
) -> Iterator[Cost]:
    """Costs of one experiment by every program; no encoders for the default experiment as it is."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        config = folder / "experiment.json"
        config.write_text(json.dumps(experiment(n_encoders, job)), encoding="utf-8")
        jobs = in_a_fresh_process(copies, folder, config, list(programs), list(calls))
        n_probes = sum(n for rule, n in jobs.items() if rule.startswith("probe"))
        for call in calls:
            costs: dict[str, list[tuple[float, float, float]]] = {program: [] for program in programs}
            for _ in range(turns):
                for program in programs:
                    said, cost = called(folder / call / program, config, *CALLS[call])
                    if call == "nothing to do" and "Nothing to be done" not in said:
                        raise SystemExit(f"the pretended run is not complete:\n{said[-3000:]}")
                    costs[program].append(cost)
            for program, found in costs.items():
                medians = [statistics.median(values) for values in zip(*found, strict=True)]
                yield Cost(n_encoders, job, n_probes, sum(jobs.values()), program, call, *medians)


def experiment(n_encoders: int, job: str) -> dict[str, object]:
    """The default experiment with that many encoders in place of its four."""
    if not n_encoders:
        return {}
    names = [f"random-{number}" for number in range(1, n_encoders + 1)]
    models = {
        name: {"kind": "random", "dimension": 64, "seed": seed, "licence": "none", "citation": "none"}
        for seed, name in enumerate(names)
    }
    # 10 repetitions of 5 folds, as on real data
    probe = {"job": job, "repetitions": 10, "folds": 5}
    return {"models": models, "select": {"models": names}, "probe": probe}


def called(project: Path, config: Path, *also: str) -> tuple[str, tuple[float, float, float]]:
    """Let Snakemake say what it would do; what it said, and clock, CPU and memory."""
    words = workflow_copy.snakemake_words("-n", "--cores", "2", "--configfile", str(config), *also)
    # A process between, for the largest memory of children is that of the largest so far
    code = (
        "import resource, subprocess, sys; r = subprocess.run(sys.argv[1:]).returncode; "
        "print('KILOBYTES', resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(r)"
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=project,
        env=workflow_copy.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = done.stdout + done.stderr
    if done.returncode:
        raise SystemExit(said[-3000:])
    kilobytes = int(said.rsplit("KILOBYTES", 1)[1].split()[0])
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return said, (seconds, cpu, kilobytes / 1024)


# --- projects, written in a fresh process -------------------------------------------------------------------


def in_a_fresh_process(function: Any, *arguments: Any) -> Any:
    """Snakemake is run once per process."""
    return workflow_copy._in_a_fresh_process(function, *arguments)


def copies(folder: Path, config: Path, programs: list[str], calls: list[str]) -> dict[str, int]:
    """Write every program twice, in an empty folder and after a pretended run; the number of jobs by rule."""
    project = workflow_copy.copy_workflow(folder / "project")
    workflow = workflow_copy._execute(project, {}, "dryrun", [config], forceall=True)
    graph = workflow.dag
    counts: dict[str, int] = {}
    for job in graph.jobs:
        counts[job.rule.name] = counts.get(job.rule.name, 0) + 1
    alone = folder / "alone"
    alone.mkdir()
    write_alone(graph, alone)
    for program, source in ((OURS, project), (ALONE, alone)):
        if program in programs:
            shutil.copytree(source, folder / "dry run" / program)
            if "nothing to do" in calls:
                in_a_fresh_process(pretend, source, config)
                # A copy keeps the dates of files, so it is as finished as the project.
                shutil.copytree(source, folder / "nothing to do" / program)
    return counts


def pretend(project: Path, config: Path) -> None:
    """Leave a project as after a complete run: stand-ins for files, and what Snakemake notes of a finished job."""
    workflow = workflow_copy._execute(project, {}, "dryrun", [config], forceall=True)
    os.chdir(project)
    workflow.iocache.clear()

    async def finish() -> None:
        for level in workflow.dag.toposorted():
            for job in level:
                for file in (*job.output, *([job.benchmark] if job.benchmark else [])):
                    Path(file).parent.mkdir(parents=True, exist_ok=True)
                    Path(file).write_text(f"stand-in for {file}\n", encoding="utf-8")
                await workflow.persistence.finished(job)

    asyncio.run(finish())


def write_alone(graph: Any, folder: Path) -> None:
    """Write a workflow of the same jobs that computes nothing: what a job reads is looked up in a table."""
    inputs: dict[str, dict[str, list[str]]] = {}
    values: dict[str, dict[str, set[str]]] = {}
    for job in graph.jobs:
        name = job.rule.name
        inputs.setdefault(name, {})["\n".join(job.wildcards)] = [str(file) for file in job.input]
        for key, value in job.wildcards.items():
            values.setdefault(name, {}).setdefault(key, set()).add(value)
    (folder / "inputs.json").write_text(json.dumps(inputs), encoding="utf-8")
    rules = ["import json", "INPUTS = json.load(open('inputs.json'))"]
    # the target first, which Snakemake takes by default
    for rule in sorted({job.rule for job in graph.jobs}, key=lambda rule: (bool(rule.output), rule.name)):
        given = {
            "output": [str(file) for file in rule.output],
            "log": [str(file) for file in rule.log],
            "benchmark": [str(rule.benchmark)] if rule.benchmark else [],
        }
        rules.append(f"rule {rule.name}:")
        rules.append(f"    input: lambda wildcards: INPUTS[{rule.name!r}]['\\n'.join(wildcards)]")
        rules += [f"    {key}: {', '.join(map(repr, files))}" for key, files in given.items() if files]
        if values.get(rule.name):
            one_of = {key: "|".join(sorted(found)) for key, found in values[rule.name].items()}
            rules.append("    wildcard_constraints: " + ", ".join(f"{k}={v!r}" for k, v in one_of.items()))
        if len(rule.params):
            rules.append("    params: " + ", ".join(f"p{n}='{n}'" for n in range(len(rule.params))))
        if rule.output:
            rules += [
                "    threads: 1",
                "    resources: mem_mb=1000, runtime=10",
                "    shell: 'touch {output}'",
            ]
    (folder / "Snakefile").write_text("\n".join(rules) + "\n", encoding="utf-8")


# --- what is shown ------------------------------------------------------------------------------------------


def told(cost: Cost) -> str:
    """One line of the printed table."""
    words = (cost.encoders or "default", cost.job, f"{cost.jobs:,}", cost.program, cost.call)
    costs = (f"{cost.seconds:.1f} s", f"{cost.cpu_seconds:.1f} s", f"{cost.megabytes:.0f} MB")
    return "| " + " | ".join([*map(str, words), *costs]) + " |"


if __name__ == "__main__":
    needs.run(main)
