"""How many jobs of the default experiment an edit schedules: python benchmarks/scheduled_by_edits.py [CHECKOUT]

After a complete run, which is pretended, one line of code is added to a module (or a word of a message is changed), and
Snakemake is asked what it would run. The modules are found by what they define, so that checkouts of any layout can be
compared; a module that has none of it is left out.
"""

import argparse
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ADDED = "\n_ADDED_BY_A_BENCHMARK = 1\n"


@dataclass(frozen=True)
class Edit:
    """A kind of edit.

    Attributes
    ----------
    name
        Of the kind.
    defines
        Regular expressions of a line that the module has; the first that one module alone has counts.
    replaces
        Text of the module and what it becomes; None adds a line of code.
    """

    name: str
    defines: Sequence[str]
    replaces: tuple[str, str] | None = None


EDITS = (
    Edit("a message of an error", (r"^class ConfigError",)),
    Edit("the log", (r"^def start_log\(",), ("error: ", "mistake: ")),
    Edit("one kind of encoder (random vectors)", (r"^class RandomEncoder",)),
    Edit("a kind of encoder that is not selected (a service)", (r"^class ApiEncoder",)),
    Edit("a check of the configuration of encoders", (r"^def service_problems\(", r"^def entry_problems\(")),
    Edit("how JSON is written", (r"^def json_document\(",)),
    Edit("how a finished file gets its name", (r"^def not_written\(",), ("Make room", "Free some room")),
    Edit("a kernel of the probes", (r"^def adamw_schedule\(",)),
    Edit("one table", (r"^def encoders_table\(", r"^def encoders\(inputs")),
    Edit("one figure", (r"^HEATMAP = ",)),
    Edit("the statistics of scores", (r"^class CorrectedT\(",)),
    Edit("a measure of geometry", (r"^def average_cosine\(",)),
)  # fmt: skip


def main() -> None:
    """Print a line per kind of edit, the most frequent rules last."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", nargs="?", type=Path, default=Path(__file__).parents[1])
    checkout = parser.parse_args().checkout.resolve()
    sys.path.insert(0, str(checkout / "tests" / "fixtures"))
    import workflow_copy

    with tempfile.TemporaryDirectory() as folder:
        finished = workflow_copy.copy_workflow(Path(folder) / "finished")
        # laid over the default configuration: nothing
        empty = Path(folder) / "empty.yaml"
        empty.write_text("{}\n", encoding="utf-8")
        workflow_copy.TINY = empty
        options = {"configfiles": (empty,)}
        workflow_copy.pretend_to_run(finished, **options)
        n_jobs = len(workflow_copy._in_a_fresh_process(_planned, finished, empty, True))
        print(f"| edit | module | jobs of {n_jobs} | of which |\n|---|---|---|---|")
        for edit in EDITS:
            project = Path(shutil.copytree(finished, Path(folder) / "edited", symlinks=True))
            module = find(project / workflow_copy.PACKAGE, edit)
            if module is None:
                print(f"| {edit.name} | not found | | |", flush=True)
            else:
                apply(module, edit)
                jobs = workflow_copy._in_a_fresh_process(_planned, project, empty, False)
                where = module.relative_to(project / workflow_copy.PACKAGE).as_posix()
                print(f"| {edit.name} | {where} | {len(jobs)} | {by_rule(jobs)} |", flush=True)
            shutil.rmtree(project)


def find(package: Path, edit: Edit) -> Path | None:
    """The first module of a package that defines what an edit is about."""
    sources = {file: file.read_text(encoding="utf-8") for file in sorted(package.rglob("*.py"))}
    for pattern in edit.defines:
        found = [file for file, text in sources.items() if re.search(pattern, text, re.MULTILINE)]
        if found:
            return found[0]
    return None


def apply(module: Path, edit: Edit) -> None:
    """Change a module."""
    text = module.read_text(encoding="utf-8")
    if edit.replaces and edit.replaces[0] in text:
        text = text.replace(*edit.replaces)
    else:
        text += ADDED
    module.write_text(text, encoding="utf-8")


def by_rule(jobs: set[str]) -> str:
    """How many jobs of each rule, the most frequent first."""
    counts = Counter(job.split()[0] for job in jobs).most_common()
    return ", ".join(f"{count} {rule}" for rule, count in counts[:6]) + (", …" if len(counts) > 6 else "")


def _planned(project: Path, configfile: Path, everything: bool) -> set[str]:  # noqa: FBT001 - called by name of the pool
    import workflow_copy

    workflow = workflow_copy._execute(project, {}, "dryrun", (configfile,), forceall=everything)
    jobs = workflow.dag.jobs if everything else workflow.dag.needrun_jobs(exclude_finished=False)
    return {workflow_copy._label(job) for job in jobs if job.output}


if __name__ == "__main__":
    # Not in the processes that plan, for it imports the package of this checkout
    import needs

    needs.run(main)
