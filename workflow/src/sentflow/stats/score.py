"""The score of a task and encoder from its folds: the published aggregation, and the interval for claims."""

import math
from dataclasses import asdict
from typing import Any

import numpy as np

from sentflow.probing.settings import PUBLISHED, Switches
from sentflow.stats.effective import Documents
from sentflow.stats.items import ItemInterval
from sentflow.stats.paired import CorrectedT
from sentflow.stats.repeatability import PUBLISHED_LEVEL, Columns, summarise


def score(
    folds: Columns,
    *,
    n_folds: int,
    seed: int,
    level: float,
    n_resamples: int,
    switches: Switches = PUBLISHED.switches,
    items: ItemInterval | None = None,
    documents: Documents | None = None,
) -> dict[str, Any]:
    """Mean, published aggregation and named intervals.

    `folds`: the unaggregated table of all folds (see `CrossValidation.scores`). `n_folds`: folds of one repetition.
    `seed`: of the protocol; seeds the published bootstrap. `level`: of the generalisation and item-level intervals, in
    (0, 1). `n_resamples`: of the published bootstrap, whose level is always 0.99. `switches`: of the protocol: whether
    that is mirrored, what it says where all folds are equal, whether scores are clipped. `items`: the item-level
    interval at the same level, where there are predictions. `documents`: those that the folds keep together; None where
    they are made of rows. Returns ``mean``, ``std``, ``published`` (see `summarise`) and ``intervals``: *repeatability*
    as published, for comparison with papers only; *generalisation*, for claims, and for claims of new documents where
    `documents` are given (they stand in it, and its limits are NaN if they are too few); *item* from `items`, if given.
    Scores that are not clipped have ``mean_clipped`` beside them, the mean of the fold scores cut at 0.
    """
    published = summarise(
        folds,
        n_resamples=n_resamples,
        seed=seed,
        reflect=switches.reflect_bca,
        undefined=switches.degenerate_interval == "undefined",
    )
    tested = np.asarray(folds["metric"]) == "metric_test"
    values = np.asarray(folds["value"], dtype=np.float64)[tested]
    generalisation = CorrectedT(values, n_folds, math.inf if documents is None else documents.effective)
    low, high = generalisation.interval(level)
    return {
        "mean": published["avg_metric_test"],
        "std": published["std_metric_test"],
        **({} if switches.clip_metric else {"mean_clipped": float(np.maximum(values, 0).mean())}),
        "published": published,
        "intervals": {
            "repeatability": {
                "level": PUBLISHED_LEVEL,
                "low": published["ci99_low_metric_test"],
                "high": published["ci99_high_metric_test"],
            },
            "generalisation": {
                "level": level,
                "low": low,
                "high": high,
                "degenerate": generalisation.degenerate,
                **({} if documents is None else {"documents": asdict(documents)}),
            },
            **({} if items is None else {"item": {"level": level, **asdict(items)}}),
        },
    }
