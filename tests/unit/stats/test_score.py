import numpy as np
import pandas as pd
import pytest

from sentflow.probing.settings import Switches
from sentflow.stats.effective import Documents
from sentflow.stats.paired import CorrectedT
from sentflow.stats.repeatability import QUANTITIES, summarise
from sentflow.stats.score import score

SEED = 9847706


def folds_table(values: np.ndarray) -> pd.DataFrame:
    """Five folds per repetition with these test metrics; every other value is 0.5 or near it."""
    rows = []
    for index, value in enumerate(values):
        for name in QUANTITIES:
            epoch = 1 if "epoch" in name else -1
            filler = 0.5 + index / 1000
            rows.append(
                (1 + index // 5, 1 + index % 5, epoch, name, value if name == "metric_test" else filler)
            )
    return pd.DataFrame(
        rows, columns=["kfold_repetition", "kfold_partition", "train_epoch", "metric", "value"]
    )


VALUES = np.random.default_rng(4).normal(0.4, 0.05, 10)


@pytest.fixture(scope="module")
def result():
    return score(folds_table(VALUES), n_folds=5, seed=SEED, level=0.95, n_resamples=400)


def test_score_is_the_published_mean_and_deviation(result):
    assert result["published"] == summarise(folds_table(VALUES), n_resamples=400, seed=SEED)
    assert result["mean"] == pytest.approx(VALUES.mean())
    assert result["std"] == pytest.approx(VALUES.std(ddof=1))


def test_documents_that_are_kept_together_stand_in_the_interval():
    kept = Documents(20, 6.5, 7)
    found = score(folds_table(VALUES), n_folds=5, seed=SEED, level=0.95, n_resamples=400, documents=kept)
    low, high = CorrectedT(VALUES, 5, 6.5).interval(0.95)
    assert found["intervals"]["generalisation"] == {
        "level": 0.95,
        "low": low,
        "high": high,
        "degenerate": False,
        "documents": {"n": 20, "effective": 6.5, "with_rarest_class": 7},
    }


def test_unclipped_score_tells_the_clipped_mean_beside_it(result):
    values = np.array([-0.1, 0.1, 0.2, -0.3, 0.1])
    free = Switches(clip_metric=False)
    found = score(folds_table(values), n_folds=5, seed=1, level=0.99, n_resamples=200, switches=free)
    assert (found["mean"], found["mean_clipped"]) == (pytest.approx(0.0), pytest.approx(0.4 / 5))
    assert "mean_clipped" not in result
