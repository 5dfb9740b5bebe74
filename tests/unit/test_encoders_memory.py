"""Batches that the memory does not hold, whatever the number that is computed at a time."""

import numpy as np
import pytest
import torch

from sentflow.encoders.neural.encoder import BatchRunner, is_out_of_memory
from sentflow.errors import DataError

ERRORS = [
    torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB."),
    RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes."),
    MemoryError(),
]


def runner(forward):
    return BatchRunner([None], forward, threads=1)


class Small:
    """Holds as many tokens as it is told, and counts what it was asked."""

    def __init__(self, holds: int, error: Exception = ERRORS[0]) -> None:
        self.holds, self.error = holds, error
        self.asked: list[tuple[int, ...]] = []

    def __call__(self, features, model):
        ids = features["input_ids"]
        self.asked.append(tuple(ids.shape))
        if ids.numel() > self.holds:
            raise self.error
        assert len(features["texts"]) == len(ids)
        return ids.float().numpy()


def batch(n_rows: int, n_tokens: int = 4):
    ids = torch.arange(n_rows * n_tokens).reshape(n_rows, n_tokens)
    return {
        "input_ids": ids,
        "attention_mask": torch.ones_like(ids),
        "texts": ["x"] * n_rows,
        "modality": "text",
    }


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_a_batch_is_halved_until_it_fits_and_its_rows_keep_their_order(error):
    small = Small(holds=12, error=error)
    vectors = runner(small).compute(batch(8), None)
    assert vectors == pytest.approx(np.arange(32, dtype=np.float32).reshape(8, 4))
    assert small.asked == [(8, 4), (4, 4), (2, 4), (2, 4), (2, 4), (2, 4)]


def test_what_did_not_fit_once_is_not_tried_again():
    small = Small(holds=12)
    halver = runner(small)
    halver.compute(batch(8), None)
    small.asked.clear()
    halver.compute(batch(6), None)
    assert small.asked == [(3, 4), (3, 4)]
    assert halver.n_halved == 4  # the eight, its two fours, the six


def test_one_text_that_does_not_fit_is_told_with_a_way_out():
    with pytest.raises(DataError, match="one text of 20 tokens.*max_tokens"):
        runner(Small(holds=12)).compute(batch(2, n_tokens=20), None)


def test_other_errors_are_not_hidden():
    halver = runner(Small(holds=0, error=RuntimeError("mat1 and mat2 shapes cannot be multiplied")))
    with pytest.raises(RuntimeError, match="mat1"):
        halver.compute(batch(2), None)
    assert not is_out_of_memory(ValueError("length 3"))
