import numpy as np
import pandas as pd
import pytest
from scipy.stats import bootstrap

from sentflow.stats.repeatability import (
    PUBLISHED_SEED,
    QUANTITIES,
    bootstrap_seed,
    published_intervals,
    quantity_seeds,
    summarise,
)

SEED = 3_000_000_019
SAMPLES = {
    "skewed": np.random.default_rng(0).gamma(1.5, 0.1, 50),
    "small": np.random.default_rng(1).normal(0.4, 0.05, 5),
    "ties": np.array([0.0, 0.0, 0.0, 0.25, 0.25, 0.5, 0.0]),  # clipped scores: many resampled means are equal
    "two": np.array([0.1, 0.3]),
}


def our_interval(sample, *, n_resamples=2000, level=0.99):
    (interval,) = published_intervals([sample], seed=SEED, n_resamples=n_resamples, level=level)
    return interval


def scipy_interval(sample, statistic, *, level=0.99):
    """SciPy's BCa interval from the same resamples: both draw them from a RandomState of the seed."""
    return bootstrap(
        (sample,),
        statistic,
        n_resamples=2000,
        confidence_level=level,
        method="BCa",
        vectorized=True,
        random_state=np.random.RandomState(SEED),  # noqa: NPY002
    ).confidence_interval


@pytest.mark.parametrize("level", [0.9, 0.99])
@pytest.mark.parametrize("name", SAMPLES)
def test_interval_is_scipys_of_the_deviation_added_to_the_mean(name, level):
    sample = SAMPLES[name]
    expected = scipy_interval(
        sample, lambda values, axis: sample.mean() - values.mean(axis=axis), level=level
    )
    deviations = (expected.low, expected.high)
    assert our_interval(sample, level=level) == pytest.approx(sample.mean() + deviations, abs=1e-12)


def test_equal_values_have_no_interval():
    assert np.isnan(our_interval(np.full(50, 0.1))).all()


def test_samples_of_one_length_share_their_resamples():
    together = published_intervals(
        [SAMPLES["small"], SAMPLES["skewed"], SAMPLES["small"] * 2], seed=SEED, n_resamples=500, level=0.99
    )
    alone = [our_interval(SAMPLES[name], n_resamples=500) for name in ("small", "skewed")]
    assert together[:2] == alone
    assert together[2][0] == pytest.approx(2 * together[0][0], abs=1e-12)


def folds_table(*, repetitions: int = 2, seed: int = 0) -> pd.DataFrame:
    """Five folds per repetition; the folds of partition 1 were trained for three epochs, the others for two."""
    generator = np.random.default_rng(seed)
    rows = []
    for repetition in range(1, repetitions + 1):
        for partition in range(1, 6):
            epochs = range(1, 4 if partition == 1 and repetition == 1 else 3)
            for name in QUANTITIES:
                for epoch in epochs if "epoch" in name else [-1]:
                    rows.append((repetition, partition, epoch, name, generator.random()))
    return pd.DataFrame(
        rows, columns=["kfold_repetition", "kfold_partition", "train_epoch", "metric", "value"]
    )


@pytest.fixture(scope="module")
def summary():
    return summarise(folds_table(), n_resamples=300)


def test_mean_and_deviation_are_those_of_the_folds(summary):
    values = folds_table().query("metric == 'metric_test'")["value"]
    assert summary["avg_metric_test"] == pytest.approx(values.mean())
    assert summary["std_metric_test"] == pytest.approx(values.std(ddof=1))


def test_curves_have_one_value_per_epoch_over_the_folds_that_reached_it(summary):
    values = folds_table().query("metric == 'loss_per_epoch_eval' and train_epoch == 2")["value"]
    assert len(summary["avg_loss_per_epoch_eval"]) == 3
    assert summary["avg_loss_per_epoch_eval"][1] == pytest.approx(values.mean())


def test_epoch_that_one_fold_reached_has_no_width(summary):
    (value,) = folds_table().query("metric == 'loss_per_epoch_eval' and train_epoch == 3")["value"]
    columns = [f"{prefix}_loss_per_epoch_eval" for prefix in ("avg", "std", "ci99_low", "ci99_high")]
    assert [summary[column][2] for column in columns] == [value, 0.0, value, value]


def test_number_of_repetitions_decides_the_bootstrap_seed():
    """The seed is the master generator's draw after those of the repetitions."""
    draws = np.random.RandomState(PUBLISHED_SEED).randint(0, 2**32 - 1, size=4).tolist()  # noqa: NPY002
    assert [bootstrap_seed(PUBLISHED_SEED, repetitions=n) for n in (1, 2, 3)] == draws[1:]


def test_seeds_are_drawn_in_the_sorted_order_of_the_quantities():
    assert list(QUANTITIES) == sorted(QUANTITIES)
    draws = np.random.RandomState(SEED).randint(0, 2**32 - 1, size=5).tolist()  # noqa: NPY002
    assert quantity_seeds(SEED) == dict(zip(sorted(QUANTITIES), draws, strict=True))
