"""What Snakemake's graph costs as the work grows: python benchmarks/graph.py

For 18 tasks and a growing number of encoders, with one probe job per task and with one per fold: a dry run of
everything, then Snakemake's answer that nothing is to be done, each in a process of its own. The complete run before
the second is pretended: stand-ins for files, and the metadata that Snakemake keeps of every job.
"""

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
sys.path.insert(0, str(REPOSITORY / "tests" / "fixtures"))

import workflow_copy  # noqa: E402


@dataclass(frozen=True)
class Cost:
    """What one call of Snakemake took.

    Attributes
    ----------
    seconds, cpu_seconds
        On the clock; of all processors together.
    megabytes
        Largest resident memory.
    """

    seconds: float
    cpu_seconds: float
    megabytes: float


def main() -> None:
    """Print one line per number of encoders and kind of job."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, nargs="+", default=[1, 5, 20])
    parser.add_argument("--jobs", nargs="+", default=["task", "fold"], help="values of probe.job")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    arguments = parser.parse_args()
    print(
        "| models | probe.job | probe jobs | all jobs | dry run: clock, CPU, memory |"
        " nothing to do: clock, CPU, memory |"
    )
    print("|---|---|---|---|---|---|")
    lines = []
    for job in arguments.jobs:
        for n_models in arguments.models:
            lines.append(measure(n_models, job))
            print(told(lines[-1]), flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(lines, indent=1) + "\n", encoding="utf-8")


def measure(n_models: int, job: str) -> dict[str, object]:
    """Costs of one experiment."""
    folder = Path(tempfile.mkdtemp())
    try:
        project = workflow_copy.copy_workflow(folder / "project")
        config = folder / "models.json"
        config.write_text(json.dumps(experiment(n_models, job)), encoding="utf-8")
        counts, dry = call(project, config, "rules")
        pretend_to_run(project, config)
        done, nothing = call(project, config)
        if "Nothing to be done" not in done:
            raise SystemExit(f"the pretended run is not complete:\n{done[-3000:]}")
        return {
            "models": n_models,
            "job": job,
            "probe_jobs": jobs_of(counts, "probe"),
            "jobs": jobs_of(counts, "total"),
            "dry_run": asdict(dry),
            "nothing_to_do": asdict(nothing),
        }
    finally:
        shutil.rmtree(folder)


def experiment(n_models: int, job: str) -> dict[str, object]:
    """The default experiment with that many encoders in place of its four."""
    names = [f"random-{number}" for number in range(1, n_models + 1)]
    models = {
        name: {"kind": "random", "dimension": 64, "seed": seed, "licence": "none", "citation": "none"}
        for seed, name in enumerate(names)
    }
    return {"models": models, "select": {"models": names}, "probe": {"job": job}}


def call(project: Path, config: Path, *quiet: str) -> tuple[str, Cost]:
    """Let Snakemake say what it would do; what it said, and what that cost."""
    words = workflow_copy.snakemake_words("-n", "--cores", "2", "--configfile", str(config))
    if quiet:
        words += ["-q", *quiet]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    # A process between, for the largest memory of children is that of the largest so far
    code = (
        "import resource, subprocess, sys; r = subprocess.run(sys.argv[1:]).returncode; "
        "print('KILOBYTES', resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(r)"
    )
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
    return said, Cost(seconds, cpu, kilobytes / 1024)


def pretend_to_run(project: Path, config: Path) -> None:
    """Leave everything as after a complete run of exactly this experiment."""
    workflow_copy.pretend_to_run(project, configfiles=[config])


def jobs_of(counts: str, rule: str) -> int:
    """Number of jobs of a rule in Snakemake's table of counts, which a dry run prints twice."""
    return next(int(line.split()[1]) for line in counts.splitlines() if line.split()[:1] == [rule])


def told(line: dict[str, object]) -> str:
    """One line of the printed table."""
    costs = [
        "{seconds:.1f} s, {cpu_seconds:.1f} s, {megabytes:.0f} MB".format(**line[key])  # type: ignore[arg-type]
        for key in ("dry_run", "nothing_to_do")
    ]
    head = (line["models"], line["job"], line["probe_jobs"], line["jobs"])
    return "| " + " | ".join([*map(str, head), *costs]) + " |"


if __name__ == "__main__":
    main()
