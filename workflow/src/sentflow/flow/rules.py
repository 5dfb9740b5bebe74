"""What rules have in common: their log, benchmark and environment, tables as inputs, requests of memory and threads."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cmp_to_key
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

from sentflow.flow import paths
from sentflow.flow.provenance import about, signature
from sentflow.jobs.job import option_of

Request = Callable[..., int]
ROWS, ENCODER_PAIRS = "rows", "pairs"
# What a job of the default experiment takes where it grows: rows of a task; pairs of encoders × tasks
SIZE = {ROWS: 800, ENCODER_PAIRS: 5 * 4 / 2 * 18}


class Cost(NamedTuple):
    """What a job of a rule takes; it grows with some of `SIZE`, with none where it was measured on the experiment."""

    seconds: float  # by the clock, the mean
    memory_mb: float | None  # the largest; None where it was never measured
    grows: tuple[str, ...] = ()
    outputs: int | None = None  # that it makes, e.g. folds or scores, where it grows with their number


# From the benchmark files of Snakemake, 2026-11, on two cores of an AMD EPYC with AVX-512. Seconds are those of the
# default experiment, 2 × 5 folds of about 800 rows, two jobs at a time. MB are the largest resident memory of a job
# there, on HateBR (7,000 rows) and STS Benchmark, and in a training of MiniLM; of probe_lazy of 6,000 pairs of texts,
# of clean_pairs and combine_pairs of 100,000 pairs (docs/performance.md and docs/measurements).
COSTS: Mapping[str, Cost] = {
    "embed": Cost(7.5, 1185, (ROWS,)),
    "embed_sparse": Cost(7.2, 576, (ROWS,)),
    "featurise": Cost(2.4, 1185, (ROWS,)),
    "fetch_model": Cost(3.3, 513),
    "describe_model": Cost(0.6, 513),
    "probe": Cost(2.4, 306, (ROWS,), outputs=10),
    "probe_featurised": Cost(2.4, 306, (ROWS,), outputs=10),
    "probe_lazy": Cost(3.7, 983, (ROWS,), outputs=10),
    "score": Cost(3.0, 256, (ROWS,), outputs=3 * 18),
    "audit": Cost(5.0, 247, (ROWS,), outputs=18),
    "compare": Cost(3.0, 340, (ENCODER_PAIRS,)),
    "compare_documents": Cost(3.0, 340, (ENCODER_PAIRS,)),
    "similarity": Cost(2.8, 308, outputs=2 * 6 + 1),
    "overlap": Cost(0.8, 250, outputs=2 * 12),
    "geometry": Cost(1.3, 379, outputs=5 + 2),
    "search": Cost(0.4, 369),
    "explain": Cost(3.0, 409),
    "evaluate": Cost(1.5, 202),
    "clean_pairs": Cost(122, 496),
    "combine_pairs": Cost(32, 400),
    "train": Cost(7.0, 1427),  # to start; what follows is by its settings
    "choose_snapshot": Cost(1.0, 511),
    "make_products_probing": Cost(8.0, 250),
    "make_products_similarity": Cost(6.5, 250),
    "make_products_retrieval": Cost(3.0, 250),
    "make_products_run": Cost(3.0, 250),
    "report": Cost(2.0, 309),
}
OTHERS = Cost(0.5, 250)
"""Of a rule that `COSTS` does not name."""
HEADROOM, MARGIN_MB = 1.5, 300
"""A job requests so many times the memory that was measured, and so much more."""
Value = TypeVar("Value")
Files: TypeAlias = str | Sequence[str] | Callable[[Any], str | Sequence[str]]
"""A pattern, files, or what gives either of the wildcards of a job."""


def complete(workflow: Any, environment: str) -> None:
    """Give the rules of a Snakefile what all have: a log, a benchmark, the environment of ``--sdm conda``, a docstring.

    Log and benchmark are named by the wildcards of the first output, ``results/logs/probe/TASK/MODEL.log``, behind the
    resources ``dataset`` and ``part`` of rules that have them. In a module of another workflow, where rules have other
    names, they are those of the rules here. A rule with a number at its end shares those of the first, and what a
    profile says of its resources.
    """
    before, _, after = workflow.modifier.modify_rulename("*").partition("*")
    requested = workflow.resource_settings._parsed_overwrite_resources
    for rule in workflow.modifier.rules:
        if not rule.norun:
            name = without_number(rule.name.removeprefix(before).removesuffix(after))
            for named in (f"{before}{name}{after}", rule.name):
                rule.resources.update(requested.get(named, {}))
            parts = [rule.resources.get(resource).value for resource in ("dataset", "part")]
            key = "/".join(filter(None, [*parts, *map(_key, rule.output[:1])])) or "all"
            rule.log_modifier = rule.benchmark_modifier = rule.output_modifier
            rule.set_log(paths.log(name, key))
            rule.benchmark = paths.benchmark(name, key)
            rule.conda_env = environment
            rule.docstring = rule.docstring or about(name)


def numbered(rule: str, number: int) -> str:
    """The name of one of the rules that differ in their outputs alone: ``train``, ``train_2`` and so on."""
    return rule if number == 1 else f"{rule}_{number}"


def without_number(rule: str) -> str:
    """The first of rules that differ in their outputs alone, e.g. ``train`` of ``train_2``."""
    return re.sub(r"_\d+$", "", rule)


def _key(output: str) -> str:
    from snakemake.io import strip_wildcard_constraints

    parts = re.findall(r"(?<![\w-])[\w-]*(?:\{\w+\})+", strip_wildcard_constraints(output))
    # The value of a study ends with a slash, or is empty
    return "/".join(parts).replace("{study}/", "{study}")


def benchmarks_of(workflow: Any, files: Sequence[str]) -> Callable[[Any], list[Any]]:
    """The benchmark of every job on the way to some files, in the order of their paths; for an input of a rule.

    None that is lost while what the job made is there: no job runs again because its time is not known.
    """
    modifier, order = workflow.modifier, workflow._ruleorder.compare

    def benchmarks(_wildcards: Any) -> list[Any]:
        from snakemake.output_index import OutputIndex

        makers = OutputIndex(modifier.rules)
        waiting = [modifier.path_modifier.modify(file, property="input") for file in files]
        seen, followed, lost, found = set(), set(), set(), {}
        while waiting:
            file = str(waiting.pop())
            if file in seen:
                continue
            seen.add(file)
            for rule in sorted(makers.match_producers(file), key=cmp_to_key(order))[-1:]:
                wildcards = rule.get_wildcards(file)
                seen.update(map(str, rule.expand_output(wildcards)[0]))  # of the same job, e.g. its folds
                benchmark = rule.expand_benchmark(wildcards)
                found[str(benchmark)] = benchmark
                if not benchmark.is_storage and Path(file).exists() and not Path(benchmark).exists():
                    lost.add(str(benchmark))
                # All folds of a task and an encoder are made of the same files
                job = (
                    rule.name,
                    *(value for name, value in wildcards.items() if name not in ("rep", "fold")),
                )
                if job not in followed:
                    followed.add(job)
                    waiting += rule.expand_input(wildcards)[0]
        return [found[name] for name in sorted(found.keys() - lost)]

    return benchmarks


def with_digest(**table: str | list[str]) -> dict[str, str | list[str]]:
    """An output, or several, by their name, and their ``digest``."""
    (files,) = table.values()
    return {**table, "digest": paths.digest(files) if isinstance(files, str) else [*map(paths.digest, files)]}


def digested(**tables: Files) -> dict[str, Any]:
    """Inputs by name, whose dates count for nothing, and ``digests``, which Snakemake compares in their stead."""
    from snakemake.io import ancient

    def digests(wildcards: Any) -> list[str]:
        return list(
            dict.fromkeys(
                paths.digest(file) for given in tables.values() for file in _files(given, wildcards)
            )
        )

    patterns = [paths.digest(given) for given in tables.values() if isinstance(given, str)]
    return {
        "digests": patterns if len(patterns) == len(tables) else digests,
        **{name: ancient(given) for name, given in tables.items()},
    }


def _files(given: Files, wildcards: Any) -> Iterator[str]:
    files = given(wildcards) if callable(given) else given
    for pattern in [files] if isinstance(files, str) else files:
        yield pattern.format_map(dict(wildcards.items()))


def asks(
    rule: str | Callable[[Any], str],
    minutes: float | Callable[[Any], float],
    *,
    per_input: float | Callable[[Any], float] | Mapping[str, float | Callable[[Any], float]] = 0.0,
    per_largest: Mapping[str, float] = {},
) -> dict[str, Request]:
    """The resources ``mem_mb`` and ``runtime`` of a rule; each attempt requests as much again as the first.

    Arguments are values, or functions of the wildcards. `rule`: its memory is that of `COSTS`, with headroom.
    `per_input`: MB for each MB of input files beside it, which is rows × width × 4 bytes of vectors, as often as the
    job holds them; nothing where the files are not there yet, as in a plan: Snakemake asks again before the job starts.
    By the names of inputs, where not all count alike. `per_largest`: the same for each MB of the largest file of an
    input, where the job holds one at a time.
    """

    def memory(wildcards: Any, input: Any, attempt: int) -> int:
        named = per_input if isinstance(per_input, Mapping) else {"": per_input}
        inputs = sum(
            _value(each, wildcards) * _size_mb(input, _counted(input, name))
            for name, each in named.items()
            if each
        )
        inputs += sum(
            each * max((_size_mb(input, [file]) for file in _counted(input, name)), default=0.0)
            for name, each in per_largest.items()
        )
        base = HEADROOM * (COSTS.get(_value(rule, wildcards), OTHERS).memory_mb or 0) + MARGIN_MB
        return math.ceil(base + inputs) * attempt

    def runtime(wildcards: Any, attempt: int) -> int:
        return math.ceil(_value(minutes, wildcards)) * attempt

    return {"mem_mb": memory, "runtime": runtime}


def _value(given: Value | Callable[[Any], Value], wildcards: Any) -> Value:
    return given(wildcards) if callable(given) else given


def beside_others(threads: Callable[[Any], int], cores: int | None) -> Callable[[Any], int]:
    """Threads of a rule that leaves half of the `cores` of this machine to other jobs; None: they go to other machines.

    Two jobs that each load a library for seconds on one core end sooner side by side than one after the other.
    """
    if cores is None:
        return threads
    return lambda wildcards: max(1, min(threads(wildcards), cores // 2))


def _counted(files: Any, name: str) -> Sequence[Any]:
    counted = files.get(name) if name else files
    return [counted] if isinstance(counted, str) else counted


def _size_mb(files: Any, counted: Sequence[Any]) -> float:
    if any(file.is_storage for file in counted):
        # What Snakemake gives by name is a list without a size of its own; it starts an event loop for every job.
        return _size_in_storage_mb(type(files)(toclone=counted))
    try:
        return sum(Path(file).stat().st_size for file in counted) / 2**20
    except FileNotFoundError:
        return 0.0


def _size_in_storage_mb(files: Any) -> float:
    # Loaded already: only Snakemake calls this.
    from snakemake_interface_storage_plugins.exceptions import FileOrDirectoryNotFoundError

    try:
        return float(files.size_mb)
    except FileOrDirectoryNotFoundError:
        return 0.0


def command(
    name: str, *, replaces_shell: bool = False, is_checked: bool = True, first_words: str = ""
) -> str:
    """The command of a job for ``shell:``, with everything in it quoted, and its output in the log.

    Files are inputs and outputs of the rule under the names of the parameters (``output`` stands for all outputs), a
    `Wildcard` is one of its wildcards, a `Resource` one of its resources, and everything else one of its params. A job
    that says nothing of ``threads`` has its libraries keep to those of the rule.

    `replaces_shell`: signals reach the job itself, and not a shell around it (``exec``). `is_checked`: the job is given
    the digest of its code, the param ``code``, and refuses to be other code. `first_words`: see
    `sentflow.flow.environment.first_words_of_jobs`; none where all shells have them.
    """
    parameters = signature(name)
    before = "exec " if replaces_shell else ""
    limited = "" if "threads" in parameters else "OMP_NUM_THREADS={threads} "
    words = [f"{before}{limited}python -m sentflow.jobs {name}"]
    words += ["--code={params.code:q}"] if is_checked else []
    words += [
        _given(name, set(kinds))
        for name, kinds in parameters.items()
        if "Manual" not in kinds and name != "code"
    ]
    return first_words + " ".join(words) + " > {log:q} 2>&1"


def _given(parameter: str, kinds: set[str]) -> str:
    option = option_of(parameter)
    if parameter == "threads":
        return f"{option} {{threads}}"
    for kind, place in (("In", "input"), ("Out", "output")):
        if kind in kinds:
            given = place if parameter == place else f"{place}.{parameter}"
            return f"{option} {{{given}:q}}"
    place = "wildcards" if "Wildcard" in kinds else "resources" if "Resource" in kinds else "params"
    # with a sign between them, because a value may begin with a dash, or be empty
    return f"{option}={{{place}.{parameter}:q}}"
