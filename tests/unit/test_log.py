import argparse
import logging
import shlex

import pytest

from sentflow.commands import probe
from sentflow.errors import ConfigError, DataError
from sentflow.jobs.log import exit_with, start_log


@pytest.fixture(autouse=True)
def loggers():
    """The commands set up the root logger of their process; other tests keep theirs."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


def started(capsys, name: str, args: argparse.Namespace, libraries=()) -> str:
    start_log(name, args, libraries=libraries)
    return capsys.readouterr().err


def test_log_begins_with_the_command_as_it_could_be_typed(capsys):
    words = ["--task", "a b/é.parquet", "--texts", "t", "--embeddings", "e", "--info", "i"]
    words += ["--settings", '{"metric": "mcc"}', "--output", "rep-1/fold-1.parquet", "rep-1/fold-2.parquet"]
    args = probe.main.parser().parse_args(words)
    text = started(capsys, "probe", args)
    typed = text.splitlines()[0].partition("python -P -m sentflow.commands.probe ")[2]
    assert probe.main.parser().parse_args(shlex.split(typed)) == args


def code_of(main) -> int:
    with pytest.raises(SystemExit) as exit_info:
        exit_with(main)
    return exit_info.value.code


@pytest.mark.parametrize("error", [ConfigError, DataError])
def test_error_for_people_is_one_paragraph_without_a_traceback(capsys, error):
    def main():
        raise error("row 3 é ruim")

    assert code_of(main) == 2
    assert capsys.readouterr().err == "\nerror: row 3 é ruim\n"


def test_too_little_memory_is_told_without_a_traceback(capsys):
    def main():
        raise MemoryError("Unable to allocate 7.45 GiB for an array")

    assert code_of(main) == 2
    assert capsys.readouterr().err == "\nerror: not enough memory: Unable to allocate 7.45 GiB for an array\n"


def test_what_is_logged_does_not_steer_the_terminal(capsys):
    start_log("x", argparse.Namespace())
    logging.getLogger("sentflow").warning("label %s", "\x1b[2J\u202e\r")
    assert r"label \x1b[2J\u202e\r" in capsys.readouterr().err
