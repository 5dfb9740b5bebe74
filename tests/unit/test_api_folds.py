import os
import subprocess
import sys
from dataclasses import replace

import pandas as pd
import pytest
from api_stubs import QUICK, WordEncoder
from small_tasks import make_task, task_features

import sentflow
from sentflow.api.arguments import ArgumentError
from sentflow.api.folds import trained_folds
from sentflow.errors import SentflowError
from sentflow.probing.cross_validation import CrossValidation
from sentflow.probing.features.sources import FixedFeatures
from sentflow.probing.protocol.design import ProbeDesign
from sentflow.probing.protocol.draws import plan_folds
from sentflow.probing.protocol.settings import PUBLISHED
from sentflow.probing.training.result import FoldResult


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


SCRIPT = """
import sys
import torch
torch.ones(600, 600) @ torch.ones(600, 600)  # torch has its threads now
import numpy as np
import sentflow as ulysses_senteval
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer

class Model:
    def encode(self, texts):
        return HashingVectorizer(n_features=16).transform(texts).toarray()

class Own(ulysses_senteval.UlyssesSentEval):
    def embed(self, X_a, X_b, task, data_split, **kwargs):
        return super().embed(X_a, X_b, task, data_split, **kwargs) * 2

for evaluator in (
    Own(Model(), tasks=["T1B-sample", "F3-sample"], data_dir_path=sys.argv[1]),
    ulysses_senteval.UlyssesSentEvalLazy(
        TfidfVectorizer(max_features=40), tasks="G3-sample", data_dir_path=sys.argv[1]
    ),
):
    results = [
        evaluator.evaluate(
            kwargs_train={"n_processes": n, "n_repeats": 1, "k_fold": 3, "n_epochs": 5, "device": "cpu"},
            return_all_results=True,
        )[1]
        for n in (1, 2)
    ]
    assert results[0].equals(results[1])
print("started", __name__)
"""


@pytest.mark.slow
@pytest.mark.timeout(1800)  # processes that wait for each other wait for ever
def test_processes_change_nothing_and_a_script_needs_no_guard(tmp_path):
    """With a class and a model of the script itself, after torch has started threads."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path)], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["started", "__main__"]  # once: no process ran the script again
    assert "Task: T1B-sample" in done.stderr
    assert "3/3" in done.stderr


def small_design(metric: str = "mcc") -> ProbeDesign:
    return ProbeDesign(metric, 2, None, replace(PUBLISHED, repetitions=1, folds=2, max_epochs=3))


def folds_of(design: ProbeDesign, *, n_processes: int) -> list[FoldResult]:
    table = make_task(420)
    plans = plan_folds(table.labels, design.protocol)
    source = FixedFeatures(task_features(table))
    return list(trained_folds(source, table.labels, plans, design, n_processes=n_processes))


def test_two_processes_give_every_fold_once_with_the_numbers_of_one():
    one, two = (
        sorted(
            folds_of(small_design(), n_processes=n),
            key=lambda fold: (fold.repetition, fold.fold),
        )
        for n in (1, 2)
    )
    assert [(fold.repetition, fold.fold) for fold in two] == [(1, 1), (1, 2)]
    pd.testing.assert_frame_equal(CrossValidation(one).scores, CrossValidation(two).scores)
    pd.testing.assert_frame_equal(CrossValidation(one).predictions, CrossValidation(two).predictions)


class Deadly(str):
    """Kills the process that unpickles it."""

    def __reduce__(self):
        return os._exit, (9,)


@pytest.mark.timeout(1800)  # processes that wait for each other wait for ever
def test_a_killed_process_ends_in_an_error_not_in_waiting():
    with pytest.raises(SentflowError, match="'n_processes': 1"):
        folds_of(small_design(Deadly("mcc")), n_processes=2)


def test_disabled_multiprocessing_starts_no_process(data, monkeypatch):
    monkeypatch.setattr(
        "sentflow.api.folds._processes", lambda *_, **__: pytest.fail("processes were started")
    )
    evaluator = sentflow.UlyssesSentEval(
        WordEncoder(), tasks="T1B-sample", data_dir_path=data, disable_multiprocessing=True
    )
    settings = {key: value for key, value in QUICK.items() if key != "n_processes"}
    evaluator.evaluate(kwargs_train=settings)
    with pytest.raises(ArgumentError, match="disable_multiprocessing"):
        evaluator.evaluate(kwargs_train=QUICK)


def test_the_progress_bar_counts_folds_and_can_be_silenced(data, capsys):
    evaluator = sentflow.UlyssesSentEval(WordEncoder(), tasks="T1B-sample", data_dir_path=data)
    evaluator.evaluate(kwargs_train=QUICK)
    assert "Task" not in capsys.readouterr().err
    evaluator.evaluate(kwargs_train={**QUICK, "show_progress_bar": True})
    shown = capsys.readouterr().err
    assert "Task: T1B-sample" in shown
    assert "2/2" in shown
