"""Two processes that train one encoder give the gradients of one."""

import multiprocessing
import os
import socket

import pytest
import torch
from trainable import ROWS, trainable_encoder
from two_views import DRAWS, FrozenGuide, TwoViews

from sentflow.training.cache import chunks_by_length, gradients
from sentflow.training.processes import ALONE, SeveralProcesses


def _gradients(folder, kind, processes, *, cached):
    encoder = trainable_encoder(folder, double=True)
    torch.manual_seed(0)  # the head
    objective = kind(encoder)
    found = gradients(
        objective,
        ROWS,
        DRAWS,
        chunks=lambda examples: chunks_by_length(examples, 12),
        cached=cached,
        processes=processes,
    )
    return found.loss, {
        name: value.grad for name, value in objective.named_parameters() if value.grad is not None
    }


def _one_of_two(rank, port, folder, kind, cached, answers):
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "RANK": str(rank), "WORLD_SIZE": "2"}
    torch.set_num_threads(1)
    loss, found = _gradients(folder, kind, SeveralProcesses(torch.device("cpu")), cached=cached)
    answers.put((rank, loss, {name: value.numpy() for name, value in found.items()}))


@pytest.mark.slow
@pytest.mark.parametrize("kind", [TwoViews, FrozenGuide])
@pytest.mark.parametrize("cached", [False, True])
def test_two_processes_have_the_gradients_of_one(tmp_path, kind, cached):
    loss, expected = _gradients(tmp_path, kind, ALONE, cached=cached)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    started = [
        context.Process(target=_one_of_two, args=(rank, port, tmp_path, kind, cached, answers))
        for rank in range(2)
    ]
    for process in started:
        process.start()
    found = [answers.get(timeout=600) for _ in started]
    for process in started:
        process.join()
    for _, other_loss, other in found:
        assert other_loss == pytest.approx(loss, rel=1e-12)
        for name, value in expected.items():
            # Double precision: sums in another order
            assert other[name] == pytest.approx(value.numpy(), rel=1e-9, abs=1e-12)
