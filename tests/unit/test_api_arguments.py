from dataclasses import replace

import pytest

from sentflow.api.arguments import DEFAULT_PROCESSES, ArgumentError, TrainArguments
from sentflow.errors import ConfigError
from sentflow.probing.protocol.catalog import changed_settings, job_settings
from sentflow.probing.protocol.design import ProbeDesign
from sentflow.probing.protocol.settings import PUBLISHED

LOGISTIC, MLP = (
    {"metric": "mcc", "classifier": name, "layout": "single", "reader": {}} for name in ("logistic", "mlp")
)


def parsed(given=None, *, one_process=False, training=None) -> TrainArguments:
    return TrainArguments.parse(
        given, protocol=replace(PUBLISHED, **(training or {})), one_process=one_process
    )


def changed_here(arguments: TrainArguments, task=LOGISTIC) -> dict:
    return {name: change["here"] for name, change in changed_settings(arguments.protocol, task).items()}


def hidden_of(arguments: TrainArguments, task: dict) -> int | None:
    settings = job_settings(arguments.protocol, task, lazy=False)
    return ProbeDesign.of_job(**settings, n_classes=2).hidden


@pytest.fixture
def no_cuda(monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    monkeypatch.setattr("torch.cuda.device_count", lambda: 0)


def test_without_arguments_everything_is_published_on_the_processor(no_cuda):
    arguments = parsed()
    assert arguments.protocol == PUBLISHED
    assert arguments.device == "cpu"
    assert arguments.show_progress_bar
    assert 1 <= arguments.n_processes <= DEFAULT_PROCESSES
    assert changed_settings(arguments.protocol, LOGISTIC) == {}


def test_cuda_is_used_where_there_is_some_by_one_process(monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    monkeypatch.setattr("torch.cuda.device_count", lambda: 1)
    assert (parsed().device, parsed().n_processes) == ("cuda:0", 1)
    assert parsed({"device": "cpu"}).device == "cpu"
    assert parsed({"n_processes": 3}).n_processes == 3


def test_no_more_processes_than_processors_without_the_callers_word(monkeypatch):
    monkeypatch.setattr("sentflow.api.arguments._usable_processors", lambda: 3)
    assert parsed({"device": "cpu"}).n_processes == 3
    monkeypatch.setattr("sentflow.api.arguments._usable_processors", lambda: 64)
    assert parsed({"device": "cpu"}).n_processes == DEFAULT_PROCESSES
    assert parsed({"device": "cpu", "n_processes": 7}).n_processes == 7


def test_every_published_name_reaches_the_protocol():
    given = {
        "n_repeats": 2,
        "k_fold": 3,
        "random_state": 5,
        "batch_size": 16,
        "n_epochs": 7,
        "tenacity": 1,
        "eval_frac": 0.3,
        "early_stopping_rel_improv": 0.1,
    }
    before = dict(given)
    arguments = parsed({**given, "device": "cpu"})
    protocol = arguments.protocol
    assert (protocol.repetitions, protocol.folds, protocol.seed) == (2, 3, 5)
    assert (protocol.batch_size, protocol.max_epochs, protocol.patience) == (16, 7, 1)
    assert (protocol.evaluation_share, protocol.min_improvement) == (0.3, 0.1)
    assert given == before
    assert changed_here(arguments) == {
        "repetitions": 2,
        "folds": 3,
        "seed": 5,
        "evaluation_share": 0.3,
        "batch_size": 16,
        "max_epochs": 7,
        "patience": 1,
        "min_improvement": 0.1,
    }
    assert changed_settings(arguments.protocol, LOGISTIC)["batch_size"] == {"here": 16, "published": 128}


def test_arguments_go_before_the_training_of_the_protocol():
    arguments = parsed({"batch_size": 16, "device": "cpu"}, training={"batch_size": 64, "patience": 2})
    assert changed_here(arguments) == {"batch_size": 16, "patience": 2}


def test_what_changes_no_number_is_no_change():
    arguments = parsed({"n_processes": 2, "show_progress_bar": False, "device": "cpu", "n_repeats": 10})
    assert changed_settings(arguments.protocol, LOGISTIC) == {}


@pytest.mark.parametrize(
    ("given", "logistic_task", "mlp_task"),
    [
        ({}, None, 256),
        ({"n_processes": 5}, None, 256),
        ({"hidden_dims": [32]}, 32, 32),
        ({"hidden_dims": None}, None, None),
        ({"hidden_dims": []}, None, None),
    ],
)
def test_only_hidden_dims_changes_the_classifier(given, logistic_task, mlp_task):
    arguments = parsed({**given, "device": "cpu"})
    assert [hidden_of(arguments, task) for task in (LOGISTIC, MLP)] == [logistic_task, mlp_task]
    assert bool(changed_settings(arguments.protocol, LOGISTIC)) == (logistic_task is not None)
    assert bool(changed_settings(arguments.protocol, MLP)) == (mlp_task != 256)


def test_all_mistakes_are_told_at_once_with_the_repair():
    with pytest.raises(ArgumentError) as told:
        parsed({"n_process": 2, "k_fold": 1, "hidden_dims": [256, 128], "eval_frac": 1.5})
    assert isinstance(told.value, ConfigError)
    assert isinstance(told.value, ValueError)
    message = str(told.value)
    assert "no key 'n_process'. Did you mean n_processes?" in message
    assert "k_fold is 1. Write a whole number of at least 2." in message
    assert "at most one hidden layer" in message
    assert "eval_frac is 1.5" in message


@pytest.mark.parametrize(
    "given",
    [
        {"n_repeats": 0},
        {"n_repeats": True},
        {"batch_size": 12.5},
        {"random_state": 2**32},
        {"n_processes": "two"},
        {"hidden_dims": 256},
        {"hidden_dims": [0]},
        {"eval_frac": "0.2"},
        {"early_stopping_rel_improv": float("nan")},
    ],
)
def test_a_value_that_does_not_fit_is_named(given):
    ((name, _),) = given.items()
    with pytest.raises(ArgumentError, match=f"kwargs_train.{name} is "):
        parsed(given)


def test_a_device_that_is_not_there_is_refused_before_any_work(no_cuda):
    with pytest.raises(
        ArgumentError, match="kwargs_train.device: 'cuda:0', but torch sees no CUDA device. Write cpu"
    ):
        parsed({"device": "cuda:0"})
    with pytest.raises(ArgumentError, match="kwargs_train.device: 'gpu' is not a device"):
        parsed({"device": "gpu"})


def test_processes_are_one_where_they_are_disabled():
    assert parsed({"device": "cpu"}, one_process=True).n_processes == 1
    with pytest.raises(ArgumentError, match="disable_multiprocessing"):
        parsed({"n_processes": 2}, one_process=True)
