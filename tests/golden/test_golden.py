"""Results of the published evaluator: ulysses-camara/ulysses-senteval@f2a12c2 on torch 2.13, one CPU thread.

Only what stops it from running on current libraries was changed in it; nothing that touches a number. Folds are held to
the contract of probes; the intervals are the same float64 arithmetic (1e-9 is asked for, 1e-14 was seen).
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from probe_contract import assert_same_curves, assert_same_losses, assert_same_metrics

from sentflow.probing.cross_validation import CrossValidation, cross_validate
from sentflow.probing.fold import ProbeDesign
from sentflow.probing.settings import PUBLISHED
from sentflow.probing.training import FixedFeatures, train_folds
from sentflow.stats.repeatability import summarise

BESIDE_THE_REPOSITORY = Path(__file__).parents[3] / "shared" / "golden"
KEY = ["kfold_repetition", "kfold_partition", "train_epoch", "metric"]


@dataclass(frozen=True)
class GoldenRun:
    """One run of the published evaluator."""

    name: str
    rows: str
    metric: str
    repetitions: int
    hidden: int | None = None
    paired: bool = False


RUNS = [
    GoldenRun("offcombr2.logistic", "offcombr2", "mcc", repetitions=10),
    GoldenRun("offcombr2.mlp256", "offcombr2", "mcc", repetitions=2, hidden=256),
    GoldenRun("offcombr2_pairs.logistic", "offcombr2", "mcc", repetitions=3, paired=True),
    GoldenRun("factnews3.logistic", "factnews3", "adjusted_macro_f1", repetitions=5),
    GoldenRun("factnews3.mlp256", "factnews3", "adjusted_macro_f1", repetitions=3, hidden=256),
]
every_run = pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)


@pytest.fixture(scope="module")
def golden() -> Path:
    """The folder of golden results: environment variable SENTFLOW_GOLDEN, or ../shared/golden."""
    folder = Path(os.environ.get("SENTFLOW_GOLDEN", BESIDE_THE_REPOSITORY))
    if not folder.is_dir():
        pytest.skip(f"no golden results at {folder}; name their folder in SENTFLOW_GOLDEN")
    return folder


def published_folds(golden: Path, run: GoldenRun, wanted: set[tuple[int, int]] | None = None) -> pd.DataFrame:
    """All folds, or some by repetition and partition."""
    folds = pd.read_csv(golden / f"{run.name}.folds.csv").sort_values(KEY, ignore_index=True)
    keys = zip(folds["kfold_repetition"], folds["kfold_partition"], strict=True)
    return folds[[wanted is None or key in wanted for key in keys]].reset_index(drop=True)


def some_folds(run: GoldenRun, features, labels, wanted) -> pd.DataFrame:
    protocol = PUBLISHED.but(repetitions=run.repetitions)
    design = ProbeDesign(run.metric, len(np.unique(labels)), run.hidden, protocol)
    folds = train_folds(FixedFeatures(features), labels.astype(np.int64), design, wanted=wanted)
    return CrossValidation(list(folds)).scores.sort_values(KEY, ignore_index=True)


def inputs(golden: Path, run: GoldenRun) -> tuple[np.ndarray, np.ndarray]:
    features = np.load(golden / f"{run.rows}.embeddings.npy")
    labels = np.load(golden / f"{run.rows}.labels.npy")
    if run.paired:  # rows i and i + 1 as a pair; the label says whether theirs differ
        first, second = features[:-1], features[1:]
        features = np.hstack([first, second, np.abs(first - second), first * second])
        labels = (labels[:-1] != labels[1:]).astype(np.int64)
    return features, labels


def assert_same_folds(ours: pd.DataFrame, published: pd.DataFrame) -> None:
    # the rows say how many epochs each fold was trained, so the early stopping is the same
    pd.testing.assert_frame_equal(ours[KEY], published[KEY], check_dtype=False)
    same = {"metric_test": assert_same_metrics, "metric_per_epoch_eval": assert_same_curves}
    for name in published["metric"].unique():
        of_name = published["metric"] == name
        assert_values = same.get(name, assert_same_losses)
        assert_values(ours["value"][of_name].to_numpy(), published["value"][of_name].to_numpy())


@every_run
def test_first_and_last_fold_are_the_published_ones(golden, run):
    features, labels = inputs(golden, run)
    wanted = {(1, 1), (run.repetitions, 5)}
    assert_same_folds(some_folds(run, features, labels, wanted), published_folds(golden, run, wanted))


@pytest.mark.nightly
@every_run
def test_every_fold_is_the_published_one(golden, run):
    features, labels = inputs(golden, run)
    result = cross_validate(
        features, labels, metric=run.metric, hidden=run.hidden, repetitions=run.repetitions
    )
    assert_same_folds(result.scores.sort_values(KEY, ignore_index=True), published_folds(golden, run))


@every_run
def test_summary_of_the_published_folds_is_the_published_one(golden, run):
    published = json.loads((golden / f"{run.name}.summary.json").read_text(encoding="utf-8"))
    ours = summarise(published_folds(golden, run))
    assert set(ours) == set(published)
    for name, value in published.items():
        np.testing.assert_allclose(ours[name], value, rtol=0, atol=1e-9, err_msg=name)
