import pytest

from sentflow.api.arguments import ArgumentError, TrainArguments, train_arguments
from sentflow.errors import ConfigError
from sentflow.probing.catalog import changed_settings, job_settings
from sentflow.probing.fold import ProbeDesign
from sentflow.probing.settings import PUBLISHED

LOGISTIC, MLP = (
    {"metric": "mcc", "classifier": name, "layout": "single", "reader": {}} for name in ("logistic", "mlp")
)


def parsed(given) -> TrainArguments:
    return train_arguments(given, protocol=PUBLISHED, one_process=False)


def hidden_of(arguments: TrainArguments, task: dict) -> int | None:
    settings = job_settings(arguments.protocol, task, lazy=False)
    return ProbeDesign.of(settings, 2).hidden


def test_every_published_name_reaches_the_protocol():
    given = {
        **{"n_repeats": 2, "k_fold": 3, "random_state": 5, "batch_size": 16, "n_epochs": 7, "tenacity": 1},
        **{"eval_frac": 0.3, "early_stopping_rel_improv": 0.1, "device": "cpu"},
    }
    protocol = parsed(given).protocol
    assert (protocol.repetitions, protocol.folds, protocol.seed) == (2, 3, 5)
    assert (protocol.batch_size, protocol.max_epochs, protocol.patience) == (16, 7, 1)
    assert (protocol.evaluation_share, protocol.min_improvement) == (0.3, 0.1)
    changed = changed_settings(protocol, LOGISTIC)
    assert len(changed) == 8 and changed["batch_size"] == {"here": 16, "published": 128}


@pytest.mark.parametrize(
    ("given", "logistic_task", "mlp_task"),
    [({}, None, 256), ({"hidden_dims": [32]}, 32, 32), ({"hidden_dims": None}, None, None)],
)
def test_only_hidden_dims_changes_the_classifier(given, logistic_task, mlp_task):
    arguments = parsed(given)
    assert [hidden_of(arguments, task) for task in (LOGISTIC, MLP)] == [logistic_task, mlp_task]
    assert bool(changed_settings(arguments.protocol, LOGISTIC)) == (logistic_task is not None)
    assert bool(changed_settings(arguments.protocol, MLP)) == (mlp_task != 256)


def test_a_device_changes_nothing_and_is_told(caplog):
    expected = parsed({})
    assert parsed({"device": "cpu"}) == expected and not caplog.records
    assert parsed({"device": "cuda:0"}) == expected
    assert "device has no effect" in caplog.text


def test_all_mistakes_are_told_at_once_with_the_repair():
    with pytest.raises(ArgumentError) as told:
        parsed({"n_process": 2, "k_fold": 1, "hidden_dims": [256, 128], "eval_frac": 1.5})
    assert isinstance(told.value, ConfigError)
    assert isinstance(told.value, ValueError)
    message = str(told.value)
    assert "Did you mean n_processes?" in message
    for name in ("n_process", "k_fold", "hidden_dims", "eval_frac"):
        assert f"kwargs_train.{name}: " in message
