"""Shortcuts through Snakemake's graph: the same answers with less work.

A graph of thousands of jobs asks the same small questions again and again: what a function takes, which rule makes a
file, whether a file has a flag. Each shortcut replaces one function of the Snakemake that it was written for and gives
what that function gives, so the same jobs run. Under any other version nothing is replaced.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import snakemake

WRITTEN_FOR = "9.27.1"
_PLAIN = (str, int, float, bool, type(None))


class OutputLookup:
    """Which rules make a file, in place of `snakemake.output_index.OutputIndex`.

    That one tries every output of a rule when the beginning and end of one of them fit, and begins anew for every job
    that reads the file. Here an output is tried when its own beginning and end fit, and answers are kept.
    """

    def __init__(self, rules: Iterable[Any]) -> None:
        self._products: dict[str, dict[str, list[tuple[Any, Any]]]] = {}
        for rule in rules:
            for product in rule.products():
                by_end = self._products.setdefault(str(product.constant_prefix()), {})
                by_end.setdefault(str(product.constant_suffix()), []).append((rule, product))
        self._lengths = sorted({len(beginning) for beginning in self._products})
        self._known: dict[str, set[Any]] = {}

    def match_producers(self, targetfile: str) -> set[Any]:
        """All rules one of whose outputs, logs or benchmarks the file is."""
        target = str(targetfile)
        if target not in self._known:
            self._known[target] = {rule for rule, product in self._near(target) if _is(target, product, rule)}
        return self._known[target]

    def _near(self, target: str) -> Iterable[tuple[Any, Any]]:
        for length in self._lengths:
            for end, products in self._products.get(target[:length], {}).items():
                if target.endswith(end):
                    yield from products


def take_shortcuts() -> None:
    """Replace functions of this process's Snakemake, if it is the version that this module was written for."""
    if snakemake.__version__ == WRITTEN_FOR:
        _replace()


def _replace() -> None:
    # Not before: another version may not have them. The first of them first, for they import each other.
    import snakemake.api
    from snakemake.io import _IOFile
    from snakemake.jobs import Job
    from snakemake.persistence import PersistenceBase

    snakemake.dag.OutputIndex = OutputLookup
    signatures = remembering(snakemake.common.get_function_params)
    snakemake.common.get_function_params = snakemake.rules.get_function_params = signatures
    snakemake.rules.Wildcards = one_per_job(snakemake.rules.Wildcards)
    snakemake.dag.DAG.cache_job = cache_job
    _IOFile.is_storage = property(is_storage)
    Job.log_info = unless_unheard(Job.log_info)
    PersistenceBase._serialize_param_pandas = plain_first(PersistenceBase._serialize_param_pandas)


def remembering(parameters_of: Callable[..., Any]) -> Callable[..., Any]:
    """What a function takes, found out once: Snakemake asks before every call, three times."""
    remembered = lru_cache(maxsize=4096)(parameters_of)

    def parameters(func: Callable[..., Any]) -> Any:
        try:
            return remembered(func)
        except TypeError:  # a callable that cannot be a key, or that has no signature
            return parameters_of(func)

    return parameters


def one_per_job(wildcards: Callable[..., Any]) -> Callable[..., Any]:
    """The wildcards of a job, made once for all its functions, none of which changes them."""

    @lru_cache(maxsize=16)
    def made(items: tuple[tuple[str, str], ...]) -> Any:
        return wildcards(fromdict=dict(items))

    return lambda fromdict: made(tuple(fromdict.items()))


def cache_job(graph: Any, job: Any) -> None:
    """Remember who makes a file, without naming every job's log, which no job reads.

    A log that is asked for is found by the wildcards of its job, as all jobs are.
    """
    for file in job.output:
        graph.job_cache[(job.rule, file)] = job


def is_storage(file: Any) -> bool:
    """Whether a file lies in a storage, asked some twenty times per file."""
    flags: dict[str, Any] = getattr(file._file, "flags", {})
    return bool(flags.get("storage_object", False))


def unless_unheard(log_info: Callable[..., None]) -> Callable[..., None]:
    """Do not put together what is said of a job in a dry run with ``-q rules``, where nobody hears it."""
    from snakemake.settings.enums import Quietness

    def log_info_if_heard(job: Any, *arguments: Any, **named: Any) -> None:
        settings = job.dag.workflow.output_settings
        others_listen = bool(settings.log_handler_settings)
        if others_listen or not job.dag.workflow.dryrun or Quietness.RULES not in (settings.quiet or ()):
            log_info(job, *arguments, **named)

    return log_info_if_heard


def plain_first(serialized: Callable[..., Any]) -> Callable[..., Any]:
    """Compare params that are text or numbers without importing pandas, which is for tables among them."""

    def serialized_plainly(persistence: Any, value: Any) -> Any:
        if type(value) in _PLAIN:
            return persistence._serialize_param_builtin(value)
        return serialized(persistence, value)

    return serialized_plainly


def _is(target: str, product: Any, rule: Any) -> bool:
    try:
        return product.match(target) is not None
    except (re.error, ValueError):
        return bool(rule.is_producer(target))  # which says where the pattern is
