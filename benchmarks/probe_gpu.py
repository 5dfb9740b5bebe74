"""Folds side by side against one fold after the other, on an accelerator: python benchmarks/probe_gpu.py

One line per shape of `probe_speed.py`: all 50 folds together, one fold after the other on the same device, and one
fold after the other on the processor. The last two are run on some folds and scaled; all scores are compared.
`--device cpu --quick` shows in a minute that it works; its times mean nothing.
"""

import argparse
import time
from collections.abc import Iterator

import numpy as np
import torch

from probe_speed import SHAPES, rows
from sentflow.probing.accelerator.devices import usable_device
from sentflow.probing.accelerator.together import Together
from sentflow.probing.features.sources import FixedFeatures
from sentflow.probing.kernels.threads import one_thread
from sentflow.probing.protocol.design import ProbeDesign
from sentflow.probing.protocol.draws import FoldPlan, plan_folds
from sentflow.probing.settings import PUBLISHED
from sentflow.probing.training.folds import train_planned
from sentflow.probing.training.result import FoldResult

QUICK = PUBLISHED.but(repetitions=1, learning_rates=(1e-3,), beta1s=(0.8, 0.9), search_epochs=2, max_epochs=8)


def main() -> None:
    """Print one line per shape."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda", help="of torch")
    parser.add_argument(
        "--quick", action="store_true", help="a tenth of the rows and columns, five short folds"
    )
    parser.add_argument("--folds", type=int, default=5, help="that the other two ways train")
    parser.add_argument("shapes", nargs="*", default=list(SHAPES), help=f"of {', '.join(SHAPES)}")
    args = parser.parse_args()
    # the processor by the way of accelerators has a number; the bare name is that of its own engine
    device = "cpu:0" if args.device == "cpu" else usable_device(args.device)
    protocol = QUICK if args.quick else PUBLISHED
    n_folds = protocol.repetitions * protocol.folds
    print(f"{_name_of(device)}, torch {torch.__version__}; seconds of {n_folds} folds")
    print(
        "| shape | rows × features | together | one by one | processor | one by one / together |"
        " processor / together | peak on the device | largest difference of a score |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for name in args.shapes:
        n_rows, width, n_classes, hidden, _ = SHAPES[name]
        if args.quick:
            n_rows, width = max(n_rows // 10, 400), width // 10
        features, labels = rows(n_rows, width, n_classes)
        metric = "mcc" if n_classes == 2 else "adjusted_macro_f1"
        there = ProbeDesign(metric, n_classes, hidden, protocol, device=device)
        here = there.on("cpu")
        plans = list(plan_folds(labels, protocol))
        some = plans[: args.folds]
        with one_thread(torch=True):
            for design in (there, here):  # first calls are not the subject
                list(_one_by_one(features, labels, plans[:1], design))
            if device.startswith("cuda"):
                torch.cuda.reset_peak_memory_stats(device)
            seconds, together = _timed(Together(there).train(features, labels, plans))
            peak = torch.cuda.max_memory_allocated(device) if device.startswith("cuda") else None
            alone_seconds, alone = _timed(_one_by_one(features, labels, some, there))
            processor_seconds, processor = _timed(_one_by_one(features, labels, some, here))
        scale = len(plans) / len(some)
        difference = max(
            abs(mine.test_metric - other.test_metric)
            for others in (alone, processor)
            for mine, other in zip(together, others, strict=False)
        )
        print(
            f"| {name} | {n_rows} × {width} | {seconds:.2f} s | {alone_seconds * scale:.2f} s"
            f" | {processor_seconds * scale:.2f} s | {alone_seconds * scale / seconds:.1f}"
            f" | {processor_seconds * scale / seconds:.1f}"
            f" | {'–' if peak is None else f'{peak / 1e6:.0f} MB'} | {difference:.0e} |",
            flush=True,
        )


def _one_by_one(
    features: np.ndarray, labels: np.ndarray, plans: list[FoldPlan], design: ProbeDesign
) -> Iterator[FoldResult]:
    source = FixedFeatures(features)
    for plan in plans:
        yield from train_planned(source, labels, [plan], design)


def _timed(folds: Iterator[FoldResult]) -> tuple[float, list[FoldResult]]:
    start = time.perf_counter()
    results = list(folds)  # scores are on the host, so the device has done its work
    return time.perf_counter() - start, results


def _name_of(device: str) -> str:
    return torch.cuda.get_device_name(device) if device.startswith("cuda") else device


if __name__ == "__main__":
    main()
