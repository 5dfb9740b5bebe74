"""One thread while probes are trained: the order of sums, and with it the last bits, depends on their number."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from threadpoolctl import threadpool_limits


@contextmanager
def one_thread(*, torch: bool) -> Iterator[None]:
    """Hold BLAS to one thread, and torch where it is used."""
    with ExitStack() as stack:
        stack.enter_context(threadpool_limits(1))
        if torch:
            stack.enter_context(one_torch_thread())
        yield


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """Hold torch to one thread."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
