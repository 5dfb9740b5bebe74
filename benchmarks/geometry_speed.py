"""Time and memory of alignment's and geometry's dear parts: python benchmarks/geometry_speed.py [--sentences 17256]

On random vectors, as many as STS-B has sentences. Uniformity is also computed the plain way, ``scipy``'s distances of
all pairs at once, which needs 8 bytes per pair; leave it out with --no-plain.
"""

import argparse
import resource
import time
from collections.abc import Callable

import numpy as np

import needs
from sentflow.geometry.facts import uniformity
from sentflow.geometry.measures import (
    average_cosine_interval,
    nearest,
    partition_ratio,
    unit_vectors,
    whitened,
)
from sentflow.stats.resampling import Bootstrap

NEIGHBOURS_AMONG = 10_000


def plain_uniformity(unit: np.ndarray) -> float:
    """All distances in one array."""
    from scipy.spatial.distance import pdist

    return float(np.log(np.exp(-2 * pdist(unit, "sqeuclidean")).mean()))


def show(what: str, run: Callable[[], object]) -> None:
    """Print CPU seconds of a call, and what the process has used of memory at most until then."""
    start = time.process_time()
    found = run()
    seconds = time.process_time() - start
    mebibytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    value = f"{found:.9f}" if isinstance(found, float) else ""
    print(f"{what:32} {seconds:8.2f} s CPU   at most {mebibytes:8.0f} MiB   {value}")


def main() -> None:
    """Print a line per part, the plain way last, for memory is counted up to each line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=17_256)
    parser.add_argument("--dimensions", type=int, default=384)
    parser.add_argument("--no-plain", action="store_true")
    args = parser.parse_args()
    vectors = np.random.default_rng(0).normal(size=(args.sentences, args.dimensions)).astype(np.float32)
    unit = unit_vectors(vectors)
    show("start", lambda: None)
    show("uniformity, all pairs", lambda: uniformity(unit)[0])
    show("average cosine, 1000 resamples", lambda: average_cosine_interval(unit, Bootstrap(0.99, 1000, 1)))
    show("partition ratio", lambda: partition_ratio(unit))
    show("whitening", lambda: whitened(vectors))
    some = unit[:NEIGHBOURS_AMONG]
    show(f"10 neighbours among {len(some)}", lambda: nearest(some, 10))
    if not args.no_plain:
        show("uniformity, the plain way", lambda: plain_uniformity(unit))


if __name__ == "__main__":
    needs.run(main)
