"""How much of an experiment's time goes into starting processes: python benchmarks/startup.py RESULTS

RESULTS is the results folder of a run with the imports told:
PYTHONPROFILEIMPORTTIME=1 snakemake --cores 2 --directory FOLDER
Every job's log then holds the time of each import (the output of `python -X importtime`), so that imports inside
functions count too. Printed are, for each rule, its jobs, their time (Snakemake's benchmark files), the time of their
imports, and the packages that took most of it. Both times are on the clock: jobs that share a processor wait as often
while they import as later, so the share is that of CPU time; Snakemake's own CPU time misses the ends of short jobs.
With --rule, the slowest modules of one job of that rule.
"""

import argparse
import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import needs

# Before the first import that is told; `python -I -S -c pass` takes as long
INTERPRETER_SECONDS = 0.01
_LINE = re.compile(r"^import time:\s+(\d+) \|\s+\d+ \|\s*(\S+)$", re.MULTILINE)


@dataclass
class Rule:
    """What the jobs of one rule took, in seconds."""

    jobs: int = 0
    clock: float = 0.0
    imports: float = 0.0
    packages: Counter[str] = field(default_factory=Counter)

    @property
    def startup(self) -> float:
        """Imports, and the interpreter itself."""
        return self.imports + self.jobs * INTERPRETER_SECONDS


def main() -> None:
    """Print one line per rule, and the whole."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("--rule", help="print the slowest modules of a job of this rule")
    arguments = parser.parse_args()
    if arguments.rule:
        print_slowest(arguments.results, arguments.rule)
        return
    rules = rules_of(arguments.results)
    print("| rule | jobs | seconds | starting, seconds | share | most of it |")
    print("|---|---|---|---|---|---|")
    for name, rule in sorted(rules.items(), key=lambda item: -item[1].clock):
        most = ", ".join(
            f"{package} {seconds / rule.jobs:.2f} s" for package, seconds in rule.packages.most_common(3)
        )
        print_line(name, rule, most)
    whole = Rule(
        jobs=sum(rule.jobs for rule in rules.values()),
        clock=sum(rule.clock for rule in rules.values()),
        imports=sum(rule.imports for rule in rules.values()),
    )
    print_line("all", whole, "")


def rules_of(results: Path) -> dict[str, Rule]:
    """The rules of a finished run by name."""
    rules: dict[str, Rule] = defaultdict(Rule)
    for path in results.glob("benchmarks/**/*.jsonl"):
        name = path.relative_to(results / "benchmarks").parts[0]
        last = json.loads(path.read_text(encoding="utf-8").splitlines()[-1])
        rules[name].jobs += 1
        rules[name].clock += float(last["s"])
    for path in results.glob("logs/**/*.log"):
        rule = rules[path.relative_to(results / "logs").parts[0]]
        for seconds, module in imports_in(path):
            rule.imports += seconds
            rule.packages[module.split(".")[0]] += seconds
    if not any(rule.imports for rule in rules.values()):
        raise FileNotFoundError(f"{results}: no log tells its imports. Run with PYTHONPROFILEIMPORTTIME=1.")
    return rules


def imports_in(log: Path) -> list[tuple[float, str]]:
    """Seconds and name of every module that a job imported."""
    text = log.read_text(encoding="utf-8", errors="replace")
    return [(int(microseconds) / 1e6, module) for microseconds, module in _LINE.findall(text)]


def print_line(name: str, rule: Rule, most: str) -> None:
    """One line of the table."""
    share = 100 * rule.startup / rule.clock
    print(f"| {name} | {rule.jobs} | {rule.clock:.1f} | {rule.startup:.1f} | {share:.0f} % | {most} |")


def print_slowest(results: Path, rule: str, n: int = 15) -> None:
    """The modules of one job that took longest by themselves."""
    log = next(iter(sorted(results.glob(f"logs/{rule}/**/*.log"))), None)
    if log is None:
        raise SystemExit(f"{results} has no log of a rule {rule}")
    for seconds, module in sorted(imports_in(log), reverse=True)[:n]:
        print(f"{1000 * seconds:8.1f} ms  {module}")


if __name__ == "__main__":
    needs.run(main)
