"""How many folds reached each epoch, from an unaggregated score table."""

from collections import Counter
from pathlib import Path

import pyarrow as pa

from sentflow.errors import DataError
from sentflow.files.parquet import read_parquet

_TEST_EPOCH = -1  # the published table marks test values so


def folds_per_epoch(path: Path | str) -> dict[str, list[int]]:
    """Per quantity the number of folds with a value at epoch 1, 2, … (the published numbering).

    Raises
    ------
    DataError
        The file is not a score table, or an epoch is left out.
    """
    try:
        table = read_parquet(path, ["metric", "train_epoch"])
    except (OSError, KeyError, pa.ArrowException) as error:
        raise DataError(
            f"{path} is not a readable score table ({error}). Delete it and run again."
        ) from error
    pairs = zip(table["metric"].to_pylist(), table["train_epoch"].to_pylist(), strict=True)
    counts: dict[str, Counter[int]] = {}
    for quantity, epoch in pairs:
        if epoch != _TEST_EPOCH:
            counts.setdefault(quantity, Counter())[epoch] += 1
    for quantity, by_epoch in counts.items():
        if sorted(by_epoch) != list(range(1, len(by_epoch) + 1)):
            raise DataError(f"{path}: the epochs of {quantity} do not run from 1 without gaps.")
    return {
        quantity: [by_epoch[epoch] for epoch in sorted(by_epoch)] for quantity, by_epoch in counts.items()
    }
