"""The shortcuts through Snakemake's graph: written for the pinned version, and each gives what it replaces gives."""

import pkgutil
import re
import subprocess
import sys
from itertools import product
from types import SimpleNamespace

import pytest
import snakemake.api
from snakemake.common import get_function_params
from snakemake.common.tbdstring import TBDString
from snakemake.io import IOFile, flag
from snakemake.iocontainers import Wildcards
from snakemake.jobs import Job
from snakemake.output_index import OutputIndex
from snakemake.persistence import PersistenceBase
from snakemake.settings.enums import Quietness
from workflow_copy import REPOSITORY

from sentflow.graph.shortcuts import (
    WRITTEN_FOR,
    OutputLookup,
    is_storage,
    one_per_job,
    plain_first,
    remembering,
    take_shortcuts,
    unless_unheard,
)

REPLACED = (
    "snakemake.dag:OutputIndex",
    "snakemake.dag:DAG.cache_job",
    "snakemake.common:get_function_params",
    "snakemake.rules:get_function_params",
    "snakemake.rules:Wildcards",
    "snakemake.io:_IOFile.is_storage",
    "snakemake.jobs:Job.log_info",
    "snakemake.persistence:PersistenceBase._serialize_param_pandas",
)


class FakeRule:
    """A rule with these patterns of outputs, logs or benchmarks."""

    def __init__(self, *patterns: str) -> None:
        self.patterns = [IOFile(pattern) for pattern in patterns]

    def products(self):
        return self.patterns

    def is_producer(self, file):
        return any(pattern.match(file) for pattern in self.patterns)


def test_the_pinned_snakemake_is_the_one_they_were_written_for():
    pins = (REPOSITORY / "envs" / "requirements.txt").read_text(encoding="utf-8")
    (pinned,) = re.findall(r"^snakemake==(\S+)", pins, flags=re.MULTILINE)
    assert pinned == WRITTEN_FOR, (
        "read what sentflow.graph.shortcuts replaces in the new Snakemake, run tests/dag/test_shortcuts.py, "
        "then write its version into WRITTEN_FOR"
    )


def test_under_another_version_nothing_is_replaced(monkeypatch):
    before = [pkgutil.resolve_name(name) for name in REPLACED]
    monkeypatch.setattr(snakemake, "__version__", "99.0.0")
    take_shortcuts()
    assert [pkgutil.resolve_name(name) for name in REPLACED] == before


def test_another_version_need_not_have_what_they_replace():
    program = "import sys, sentflow.graph.shortcuts; print('snakemake.persistence' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_under_the_pinned_version_all_are_replaced():
    program = (
        "import snakemake.api, pkgutil\n"
        "from sentflow.graph import shortcuts\n"
        "snakemake.__version__ = shortcuts.WRITTEN_FOR\n"
        f"before = [pkgutil.resolve_name(name) for name in {REPLACED}]\n"
        "shortcuts.take_shortcuts()\n"
        f"print([pkgutil.resolve_name(name) is not old for name, old in zip({REPLACED}, before)])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str([True] * len(REPLACED))


def test_rules_of_a_file_are_those_of_snakemake():
    rules = [
        FakeRule(*(f"results/{{task}}/rep-{rep}/fold-{fold}.txt" for rep, fold in product("12", "12"))),
        FakeRule("results/{task}/rep-{rep}/fold-{fold}.txt", "results/logs/{task}.log"),
        FakeRule("results/{task,[ab]}/rep-1/fold-1.txt"),
        FakeRule("results/a/rep-1/fold-1.txt"),
        FakeRule("{anything}"),
        FakeRule("results/{task}/{task}.txt"),
        FakeRule(),
    ]
    files = [f"results/{task}/rep-{rep}/fold-{fold}.txt" for task, rep, fold in product("abc", "123", "123")]
    files += ["results/logs/a.log", "results/a/a.txt", "results/a/b.txt", "results/", "other", "r", ""]
    theirs, ours = OutputIndex(rules), OutputLookup(rules)
    for file in [*files, *files]:
        assert ours.match_producers(IOFile(file)) == theirs.match_producers(IOFile(file)), file
    assert len(ours.match_producers("results/a/rep-1/fold-1.txt")) == 5


def test_a_pattern_that_is_no_regular_expression_is_told_by_its_rule():
    class Told(FakeRule):
        def is_producer(self, file):
            raise LookupError("the rule says where")

    with pytest.raises(LookupError, match="the rule says where"):
        OutputLookup([Told("results/{task,(}.txt")]).match_producers("results/a.txt")


def test_signatures_are_those_of_snakemake_and_asked_for_once():
    class Unhashable:
        __hash__ = None

        def __call__(self, wildcards, attempt): ...

    asked = []

    def counted(func):
        asked.append(func)
        return get_function_params(func)

    parameters = remembering(counted)
    for func in (one_per_job, OutputLookup([]).match_producers, lambda wildcards, attempt: 1, Unhashable()):
        assert list(parameters(func)) == list(parameters(func)) == list(get_function_params(func))
    assert len(asked) == 3 + 2
    with pytest.raises(TypeError):
        parameters("no function")


def test_wildcards_are_those_of_snakemake():
    made = one_per_job(Wildcards)
    first, again, other = (made(fromdict={"task": task, "model": "m"}) for task in ("a", "a", "b"))
    assert (first, first.task, first.model) == (Wildcards(fromdict={"task": "a", "model": "m"}), "a", "m")
    assert again is first
    assert other.task == "b"
    assert list(made(fromdict={"model": "m", "task": "a"}).keys()) == ["model", "task"]


@pytest.mark.parametrize("flags", [(), ("ancient",), ("temp", "storage_object"), ("storage_object",)])
def test_files_in_a_storage_are_known_by_their_flag(flags):
    name = "results/a.txt"
    for one in flags:
        name = flag(name, one, SimpleNamespace())
    assert is_storage(IOFile(name)) is ("storage_object" in flags)


def test_a_file_that_is_a_function_is_in_no_storage():
    assert is_storage(IOFile(lambda wildcards: "a")) is False


@pytest.mark.parametrize(
    ("dryrun", "quiet", "others", "is_said"),
    [
        (True, {Quietness.RULES}, {}, False),
        (True, {Quietness.RULES, Quietness.HOST}, {}, False),
        (True, {Quietness.HOST, Quietness.REASON}, {}, True),
        (True, None, None, True),
        (False, {Quietness.RULES}, {}, True),
        (True, {Quietness.RULES}, {"a-plugin": None}, True),
    ],
)
def test_a_job_is_described_unless_nobody_hears_it(dryrun, quiet, others, is_said):
    output = SimpleNamespace(quiet=quiet, log_handler_settings=others)
    job = SimpleNamespace(
        dag=SimpleNamespace(workflow=SimpleNamespace(dryrun=dryrun, output_settings=output))
    )
    said = []
    unless_unheard(lambda *arguments, **named: said.append((arguments, named)))(
        job, True, printshellcmd=False
    )
    assert said == ([((job, True), {"printshellcmd": False})] if is_said else [])
    assert Job.log_info.__code__.co_varnames[:3] == ("self", "indent", "printshellcmd")


def test_plain_params_are_compared_as_snakemake_does_without_pandas():
    theirs = PersistenceBase._serialize_param_pandas
    plain = SimpleNamespace(
        _serialize_param_builtin=lambda value: PersistenceBase._serialize_param_builtin(None, value)
    )
    asked = []
    ours = plain_first(lambda persistence, value: asked.append(value) or theirs(persistence, value))
    values = ["text", 1, 1.5, True, None]
    assert [ours(plain, value) for value in values] == [theirs(plain, value) for value in values]
    assert asked == []
    others = [["list"], {"a": 1}, TBDString(), object]
    assert [ours(plain, value) for value in others] == [theirs(plain, value) for value in others]
    assert asked == others
