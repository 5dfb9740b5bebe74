"""The default experiment by two checkouts in turn: python benchmarks/default_experiment.py BEFORE [AFTER]

BEFORE and AFTER are checkouts with their environments in `.venv` (AFTER: this one). Each runs everything in a new
folder of its own, with the imports told (`PYTHONPROFILEIMPORTTIME=1`, which makes both a little slower). Printed are
of both: jobs, seconds of jobs (on the clock, summed over jobs, which run side by side), how many of them are imports
and the interpreter, the clock, and the CPU time of Snakemake and all jobs; then the same of each rule. Other work on
the machine falsifies all but the numbers of jobs; the share of imports and the CPU time suffer least.
"""

import argparse
import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import needs
from startup import Rule, rules_of

THIS = Path(__file__).parents[1]


@dataclass(frozen=True)
class Run:
    """One run of everything.

    Attributes
    ----------
    clock, cpu
        Seconds from the start of Snakemake to its end; of all processes.
    rules
        What the jobs of each rule took.
    """

    clock: float
    cpu: float
    rules: dict[str, Rule]

    @property
    def whole(self) -> Rule:
        """All rules together."""
        rules = self.rules.values()
        return Rule(
            jobs=sum(rule.jobs for rule in rules),
            clock=sum(rule.clock for rule in rules),
            imports=sum(rule.imports for rule in rules),
        )


def main() -> None:
    """Run both, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path, nargs="?", default=THIS)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument(
        "--configfile", type=Path, nargs="*", default=[], help="laid over config.yaml, for both"
    )
    parser.add_argument(
        "--folder", type=Path, help="where the results stay, in before/ and after/; not there yet"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        configs = [path.resolve() for path in arguments.configfile]
        before, after = (
            run(checkout.resolve(), folder / name, cores=arguments.cores, configs=configs)
            for name, checkout in (("before", arguments.before), ("after", arguments.after))
        )
    print_tables(before, after)


def run(checkout: Path, folder: Path, *, cores: int, configs: Sequence[Path]) -> Run:
    """Everything that a checkout makes, in a new folder."""
    folder.mkdir(parents=True)
    words = ["--snakefile", str(checkout / "Snakefile"), "--directory", str(folder), "--cores", str(cores)]
    if configs:
        words += ["--configfile", *map(str, configs)]
    start, used = time.perf_counter(), _cpu_of_children()
    with (folder / "snakemake.log").open("wb") as log:
        done = subprocess.run(
            [checkout / ".venv/bin/snakemake", *words],
            env={**os.environ, "PYTHONPROFILEIMPORTTIME": "1"},
            stdout=log,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if done.returncode:
        raise SystemExit(f"{checkout}: snakemake failed, see {log.name} (kept with --folder)")
    return Run(
        time.perf_counter() - start,
        _cpu_of_children() - used,
        rules_of(folder / "results"),
    )


def print_tables(before: Run, after: Run) -> None:
    """Both runs side by side, as Markdown."""
    print("| | before | after | before / after |")
    print("|---|---|---|---|")
    old, new = before.whole, after.whole
    for name, one, other in (
        ("jobs", old.jobs, new.jobs),
        ("seconds of jobs", old.clock, new.clock),
        ("of them starting", old.startup, new.startup),
        ("clock, seconds", before.clock, after.clock),
        ("CPU, seconds", before.cpu, after.cpu),
    ):
        print(f"| {name} | {one:.0f} | {other:.0f} | {one / other:.2f} |")
    print("\n| rule | jobs | seconds | of them starting |")
    print("|---|---|---|---|")
    names = sorted(before.rules | after.rules, key=lambda name: -before.rules.get(name, Rule()).clock)
    for name in names:
        one, other = before.rules.get(name, Rule()), after.rules.get(name, Rule())
        print(
            f"| {name} | {one.jobs} → {other.jobs} | {one.clock:.1f} → {other.clock:.1f} "
            f"| {one.startup:.1f} → {other.startup:.1f} |"
        )


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    needs.run(main)
