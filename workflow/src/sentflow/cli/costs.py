"""`sentflow costs`: the jobs of a dry run × what jobs of their rule take."""

import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, NamedTuple

import typer

from sentflow.cli.configuration import ConfigFiles, read_experiment
from sentflow.cli.local_files import read_local_files, rows_of_tasks
from sentflow.cli.run import complete
from sentflow.cli.terminal import listing, show_blocks
from sentflow.config.entries import AllEntries, Entries, Entry
from sentflow.config.experiment import Experiment
from sentflow.encoders.settings import TRAINED
from sentflow.errors import ConfigError, DataError
from sentflow.files.io import read_json
from sentflow.flow import paths
from sentflow.flow.rules import COSTS, ENCODER_PAIRS, OTHERS, ROWS, SIZE, Cost, without_number
from sentflow.report.costs.summary import job_of, read_records
from sentflow.report.numbers import duration
from sentflow.report.table.table import Table
from sentflow.training.data.entries import (
    corpora_of,
    is_asked,
    is_collected,
    labeller_of,
    question_sets_of,
)
from sentflow.training.data.forms import ALL, LABELLED, PAIRS, RANKS, SCORED, SPANS, TEXTS, TRIPLETS
from sentflow.training.settings import TrainingSettings

_TRAIN = "train"
_TOKENS_PER_SECOND = 80.0  # of BERT-base, on one thread of a CPU


class PlannedJob(NamedTuple):
    """A job of a dry run, see `planned_jobs`; requests are None where the rule has none."""

    rule: str
    wildcards: Mapping[str, str]
    outputs: int
    mem_mb: int | None = None
    runtime: int | None = None


def costs(
    configfile: ConfigFiles = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also count finished jobs, as for an empty folder.")
    ] = False,
    tokens_per_second: Annotated[
        float | None,
        typer.Option(
            help="Speed of trainings. Left out, it is that of trainings from the same start that ended in this "
            "folder, or else 80, of BERT-base on one thread of a CPU."
        ),
    ] = None,
) -> None:
    """Estimate the jobs of an experiment: their number, time, memory and requests.

    The jobs are those of a dry run in this folder. Time and memory of a rule were measured here, or else in the
    default experiment. Trainings count by their settings. Estimates can be off by a factor of several.
    """
    if tokens_per_second is not None and not (math.isfinite(tokens_per_second) and tokens_per_second > 0):
        raise ConfigError(f"--tokens-per-second {tokens_per_second:g}: write a number above 0.")
    experiment = read_experiment(configfile)
    jobs = planned_jobs(configfile or [], everything=everything)
    if not jobs:
        show_blocks("Nothing to do. --all also counts finished jobs.")
        return
    rows = rows_of_tasks(experiment, read_local_files(experiment))
    n_encoders, n_tasks = len(experiment.models), len(experiment.selected["tasks"])
    n_pairs = n_encoders * (n_encoders - 1) / 2 * n_tasks
    tokens = {name: _tokens(entry, experiment) for name, entry in experiment.trained_models.items()}
    speeds = {} if tokens_per_second else speeds_here(tokens, experiment.entries["models"])
    trainings = {
        name: None
        if n is None
        else COSTS[_TRAIN].seconds + n / (speeds.get(name) or tokens_per_second or _speed(name, experiment))
        for name, n in tokens.items()
    }
    here = _measured_here()
    seconds = [seconds_of(job, here, rows, n_pairs, trainings) for job in jobs]
    show_blocks(_listing(jobs, seconds, here, [name for name, one in trainings.items() if one is None]))


def planned_jobs(files: Sequence[Path], *, everything: bool) -> list[PlannedJob]:
    with tempfile.TemporaryDirectory() as name:
        file = Path(name, "jobs.jsonl")
        words = ["--dry-run", "--cores", "1", "--quiet", "host", "reason", "--logger", "sentflow"]
        words += ["--logger-sentflow-jobs", str(file), *(["--forceall"] if everything else [])]
        words += ["--configfile", *map(str, files)] if files else []
        # The plug-in that writes the file lies beside this package, also where that is not installed.
        found = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
        done = subprocess.run(
            [sys.executable, "-P", "-m", "snakemake", *complete(words)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(found)},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise DataError(f"Snakemake cannot plan the experiment:\n{(done.stdout + done.stderr)[-3000:]}")
        lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    jobs = [PlannedJob(**json.loads(line)) for line in lines]
    return [job._replace(rule=without_number(job.rule)) for job in jobs]


def _measured_here() -> dict[str, Cost]:
    """What the jobs of each rule took in the results of this folder; nothing where there are none."""
    folder = Path(paths.BENCHMARKS)
    records: dict[str, list[Mapping[str, object]]] = {}
    for file in folder.rglob("*.jsonl"):
        records.setdefault(job_of(file)[0], []).extend(read_records(file)[-1:])
    costs_here = {}
    for rule, ones in records.items():
        if ones:
            memory = [float(value) for one in ones if isinstance(value := one.get("max_rss"), int | float)]
            costs_here[rule] = Cost(fmean(float(str(one["s"])) for one in ones), max(memory, default=None))
    return costs_here


def seconds_of(
    job: PlannedJob,
    here: Mapping[str, Cost],
    rows: Mapping[str, int],
    n_pairs: float,
    trainings: Mapping[str, float | None],
) -> float:
    """What a job takes; a training of unknown length counts nothing.

    `here`: as measured in this folder. `rows`: of the tasks whose rows are known. `n_pairs`: of encoders, times tasks.
    """
    if job.rule == _TRAIN:
        return trainings.get(job.wildcards["model"]) or 0.0
    mean_rows = fmean(rows.values()) if rows else SIZE[ROWS]
    size = {
        ROWS: rows.get(job.wildcards.get("task", ""), mean_rows),
        ENCODER_PAIRS: n_pairs,
    }
    cost = _cost(job.rule, here)
    files = job.outputs / cost.outputs if cost.outputs else 1.0
    return cost.seconds * files * math.prod(size[one] / SIZE[one] for one in cost.grows)


def _listing(
    jobs: Sequence[PlannedJob], seconds: Sequence[float], here: Mapping[str, Cost], unknown: Sequence[str]
) -> Table:
    """A line per rule, the longest first; `unknown`: trainings of unknown length."""
    by_rule: dict[str, list[PlannedJob]] = {}
    totals: dict[str, float] = {}
    for job, one in zip(jobs, seconds, strict=True):
        by_rule.setdefault(job.rule, []).append(job)
        totals[job.rule] = totals.get(job.rule, 0.0) + one
    lines = []
    for rule, total in sorted(totals.items(), key=lambda one: -one[1]):
        own, memory = by_rule[rule], _cost(rule, here).memory_mb
        lines.append(
            (
                f"{rule} *" if rule in here else rule,
                f"{len(own):,}",
                duration(total / len(own)),
                f"{total / 3600:,.2f}",
                "" if memory is None else f"{memory:,.0f}",
                _largest(job.mem_mb for job in own),
                _largest(job.runtime for job in own),
            )
        )
    whole = math.fsum(seconds)
    notes = (
        f"About {duration(whole)} one after the other. * as measured in {paths.RESULTS}; the others as in the default "
        "experiment, times files, rows and pairs of encoders where a rule grows with them. Large encoders take longer.",
        "Memory and requests are those of the largest job; a request may grow with its input. For more or less of "
        "them, write in the profile, under set-resources: RULE: { mem_mb: … * attempt, runtime: … * attempt }.",
        f"Trainings with an unknown number of rows per epoch: {', '.join(unknown)}." if unknown else "",
    )
    return listing(
        ("Rule", "Jobs", "Each", "Hours", "MB", "Requested MB", "Requested min"),
        [*lines, ("all", f"{len(jobs):,}", "", f"{whole / 3600:,.2f}", "", "", "")],
        alignment="lrrrrrr",
        notes=notes,
    )


def _cost(rule: str, here: Mapping[str, Cost]) -> Cost:
    return here.get(rule) or COSTS.get(rule, OTHERS)


def _largest(requests: Iterable[int | None]) -> str:
    return f"{max(numbers):,}" if (numbers := [n for n in requests if n is not None]) else ""


# --- trainings ----------------------------------------------------------------------------------------------

# Texts that a step represents for a row, at most: two views of a text, two spans of a document, or one view of each
# text of a row, and of labelled rows two views of both
_VIEWS = {TEXTS: 2, PAIRS: 2, SPANS: 2, TRIPLETS: 3, SCORED: 3, LABELLED: 4}
# Recipes that have fewer: a language model reads a text once, a cross-encoder two texts together, and others both texts
# of a labelled row
_FEWER_VIEWS = {
    ("mlm", TEXTS): 1,
    ("condenser", TEXTS): 1,
    ("bi-encoder", LABELLED): 2,
    ("sparse-embed", LABELLED): 2,
    ("cross-encoder", LABELLED): 1,
    ("cross-encoder", TRIPLETS): 2,
}


def _tokens(entry: Mapping[str, Any], experiment: Experiment) -> int | None:
    """What a training represents, if every text is as long as the limit; None where the rows of an epoch are unknown.

    Texts that are shorter make it less; the gradient cache, which computes a text twice, makes it more.
    """
    training = TrainingSettings.model_validate(entry["training"])
    data = experiment.entries["training_data"][entry["data"]]
    rows_of_step = training.batch_size * training.accumulate
    steps = training.steps
    if steps is None:
        n_rows = data.get("rows", data.get("limit", _collected_rows(data, experiment.entries)))
        if n_rows is None or training.epochs is None:
            return None
        steps = math.ceil(n_rows * training.epochs / rows_of_step)
    views = _FEWER_VIEWS.get((entry["recipe"], data["form"]), _VIEWS[data["form"]])
    return steps * rows_of_step * views * training.max_tokens


def speeds_here(tokens: Mapping[str, int | None], models: Entries) -> dict[str, float]:
    """Training → tokens per second of those from the same start that ended in this folder; nothing where none did.

    `tokens`: of each training, as an estimate. The start is that of the first of several stages.
    """
    origin = {name: str(_first_start(models[name], models)) for name in tokens}
    done: dict[str, list[tuple[int, float]]] = {}
    for name, n in tokens.items():
        file = Path(paths.TRAINING_MADE.format(model=name))
        if n is not None and file.is_file():
            done.setdefault(origin[name], []).append((n, float(read_json(file)["seconds"])))
    speed = {start: sum(n for n, _ in ones) / sum(s for _, s in ones) for start, ones in done.items()}
    return {name: speed[start] for name, start in origin.items() if start in speed}


def _speed(name: str, experiment: Experiment) -> float:
    """That of BERT-base, or as much more as a network of drawn weights has smaller layers."""
    start = _first_start(experiment.trained_models[name], experiment.entries["models"])
    drawn = start.get("configuration", {}) if isinstance(start, Mapping) else {}
    size = drawn.get("num_hidden_layers", 12) * drawn.get("hidden_size", 768) ** 2
    return _TOKENS_PER_SECOND * 12 * 768**2 / float(size)


def _first_start(entry: Entry, models: Entries) -> Any:
    while isinstance(start := entry["start"], str) and models[start]["kind"] == TRAINED:
        entry = models[start]
    return start


def _collected_rows(data: Entry, entries: AllEntries) -> int | None:
    """Rows at most of training data from corpora and question sets; None where these state no numbers.

    Documents without two spans, and negatives that are not found or not taken, are counted all the same.
    """
    corpora = [entries["corpora"][name] for name in corpora_of(data)]
    sets = [entries["question_sets"][name] for name in question_sets_of(data)]
    if not is_asked(data):
        return _total(corpora + sets, "rows") if is_collected(data) else None
    # a pseudo-label is one document of a question
    relevant, n_questions = _total(sets, "rows" if labeller_of(data) else "judged"), _total(sets, "rows")
    if relevant is None or n_questions is None:
        return None
    negatives = data.get("negatives", {})
    first, last = negatives.get("ranks", RANKS)
    number = negatives.get("number", 1)
    most = last - first + 1 if number == ALL else int(number)
    rows = {PAIRS: relevant, TRIPLETS: relevant * most, SCORED: relevant * most}
    return rows.get(data["form"], relevant + n_questions * most)


def _total(entries: Sequence[Entry], key: str) -> int | None:
    return sum(entry[key] for entry in entries) if all(key in entry for entry in entries) else None
