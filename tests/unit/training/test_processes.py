"""Two processes that train one encoder give the gradients of one."""

import multiprocessing
import queue
import socket

import pytest
from two_views import FrozenGuide, TwoViews, one_of_two, step_gradients

from sentflow.training.gradients import ALONE


def answers_of(started, answers):
    """What each process puts into the queue; an error as soon as one of them ends without."""
    found = []
    while len(found) < len(started):
        try:
            found.append(answers.get(timeout=1))
        except queue.Empty:
            assert not any(process.exitcode for process in started), "a process failed, see its error"
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "cached"), [(TwoViews, False), (FrozenGuide, True)])
def test_two_processes_have_the_gradients_of_one(tmp_path, kind, cached):
    loss, expected = step_gradients(tmp_path, kind, ALONE, cached=cached)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    started = [
        context.Process(target=one_of_two, args=(rank, port, tmp_path, kind, cached, answers), daemon=True)
        for rank in range(2)
    ]
    for process in started:
        process.start()
    found = answers_of(started, answers)
    for process in started:
        process.join()
    for other_loss, other in found:
        assert other_loss == pytest.approx(loss, rel=1e-12)
        for name, value in expected.items():
            # Double precision: sums in another order
            assert other[name] == pytest.approx(value, rel=1e-9, abs=1e-12)
