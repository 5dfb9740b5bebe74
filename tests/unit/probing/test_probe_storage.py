import numpy as np
import pyarrow as pa
import pytest

from sentflow.probing.fold import FoldInfo, FoldResult, write_result
from sentflow.probing.scores import read_folds
from sentflow.probing.settings import PUBLISHED, ProbeSettings

INFO = FoldInfo(
    setting={"learning_rate": 5e-4, "beta1": 0.8, "beta2": 0.99},
    n_train=153,
    n_evaluation=39,
    n_test=3,
    dimension=8,
    settings='{"metric":"mcc","protocol":{}}',
)


FOLD = FoldResult(
    repetition=2,
    fold=3,
    setting=PUBLISHED.grid[0],
    train_losses=[0.7, 0.6],
    evaluation_losses=[0.8, 0.65],
    evaluation_metrics=[0.1, 0.2],
    test_loss=0.66,
    test_metric=0.25,
    test_rows=np.array([7, 2, 5]),
    truth=np.array([1, 0, 1]),
    predicted=np.array([1, 1, 0]),
    scores=np.array([0.9, 0.6, 0.4], np.float32),
    n_train=153,
    n_evaluation=39,
    dimension=8,
)


def test_fold_comes_back_as_it_was_written(tmp_path):
    write_result(tmp_path / "fold.parquet", FOLD, ProbeSettings(metric="mcc", protocol=PUBLISHED))
    found = read_folds([tmp_path / "fold.parquet"])
    assert found.infos == [INFO]
    table = found.scores
    assert table.column_names == ["kfold_repetition", "kfold_partition", "train_epoch", "metric", "value"]
    rows = list(zip(*(table[name].to_pylist() for name in table.column_names), strict=True))
    assert rows == [
        (2, 3, 1, "loss_per_epoch_train", 0.7),
        (2, 3, 2, "loss_per_epoch_train", 0.6),
        (2, 3, 1, "loss_per_epoch_eval", 0.8),
        (2, 3, 2, "loss_per_epoch_eval", 0.65),
        (2, 3, 1, "metric_per_epoch_eval", 0.1),
        (2, 3, 2, "metric_per_epoch_eval", 0.2),
        (2, 3, -1, "loss_test", 0.66),
        (2, 3, -1, "metric_test", 0.25),
    ]
    assert found.predictions.schema.field("score").type == pa.float32()
    assert [tuple(row.values()) for row in found.predictions.to_pylist()] == [
        (2, 3, 2, 0, 1, pytest.approx(0.6)),
        (2, 3, 5, 1, 0, pytest.approx(0.4)),
        (2, 3, 7, 1, 1, pytest.approx(0.9)),
    ]
