import logging
import shlex

import pytest

from sentflow.jobs.log import exit_with, start_log


@pytest.fixture(autouse=True)
def loggers():
    """Jobs set up the root logger of their process; other tests keep theirs."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


def test_log_begins_with_the_job_as_it_could_be_typed(capsys):
    words = ["probe", "--task", "a b/é.parquet", '--settings={"metric": "mcc"}', "--folds", "1.parquet", ""]
    start_log(words, ["numpy"])
    first, second = capsys.readouterr().err.splitlines()
    assert shlex.split(first.partition("python -P -m sentflow.jobs ")[2]) == words
    assert "numpy=" in second


def code_of(main) -> int:
    with pytest.raises(SystemExit) as exit_info:
        exit_with(main)
    return exit_info.value.code


def test_too_little_memory_is_told_without_a_traceback(capsys):
    def main():
        raise MemoryError("Unable to allocate 7.45 GiB for an array")

    assert code_of(main) == 2
    assert capsys.readouterr().err == "\nerror: not enough memory: Unable to allocate 7.45 GiB for an array\n"


def test_what_is_logged_does_not_steer_the_terminal(capsys):
    start_log(["x"])
    logging.getLogger("sentflow").warning("label %s", "\x1b[2J\u202e\r")
    assert r"label \x1b[2J\u202e\r" in capsys.readouterr().err
