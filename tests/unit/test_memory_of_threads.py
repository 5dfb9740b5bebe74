"""Which batches are halved does not depend on how many are computed at a time."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Lock

import torch

from sentflow.encoders.vectors.memory import BatchHalver


class Shared:
    """Holds one batch of 32 tokens, and no second one beside it; the first two are there at once."""

    def __init__(self):
        self.lock, self.met, self.n_asked, self.held = Lock(), Barrier(2), 0, 0

    def __call__(self, features, model):
        ids = features["input_ids"]
        with self.lock:
            self.n_asked += 1
            self.held += ids.numel()
            first = self.n_asked <= 2
        try:
            if first:
                self.met.wait(60)
            with self.lock:
                if self.held > 40:
                    raise torch.OutOfMemoryError
            return ids.float().numpy()
        finally:
            if first:
                self.met.wait(60)
            with self.lock:
                self.held -= ids.numel()


def test_a_batch_that_fits_alone_is_computed_whole():
    halver = BatchHalver(Shared())
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(halver, [{"input_ids": torch.full((8, 4), n)} for n in range(4)], [None] * 4))
    assert [vectors.mean() for vectors in found] == [0, 1, 2, 3]
    assert halver.n_halved == 0
