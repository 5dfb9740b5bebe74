"""A target that no rule makes: what is said instead of Snakemake's own message alone."""

import logging
from types import SimpleNamespace

import pytest

from sentflow.errors import ConfigError
from sentflow.graph.unknown_targets import (
    explained,
    refuse_results_as_settings,
    told_of_unknown_targets,
)


@pytest.fixture
def logger():
    found = logging.getLogger("tests.unknown_targets")
    found.handlers.clear()
    found.propagate = True
    return found


def test_a_misspelt_target_is_told_with_the_nearest(logger, caplog):
    rules = [
        SimpleNamespace(name="scores", output=[]),
        SimpleNamespace(name="tables", output=[]),
        SimpleNamespace(name="probe", output=["results/…"]),
    ]
    told_of_unknown_targets(logger, SimpleNamespace(rules=rules))
    logger.error("MissingRuleException:\nNo rule to produce scroes (if you use input functions make sure …).")
    assert [message for message in caplog.messages if message.startswith("error:")] == [
        "error: there is no target 'scroes'. Did you mean scores? Write one of: scores, tables."
    ]


def test_other_errors_are_left_alone(logger, caplog):
    told_of_unknown_targets(logger, SimpleNamespace(rules=[]))
    logger.error("WorkflowError: something else")
    logger.info("No rule to produce scroes")
    assert [message for message in caplog.messages if message.startswith("error:")] == []


def test_a_file_is_told_to_be_of_another_selection():
    told = explained("results/scores/T1A/none.json", ["scores"])
    assert "does not make the file results/scores/T1A/none.json" in told
    assert "not selected" in told


def test_a_result_behind_the_settings_is_told_to_be_a_target(tmp_path):
    result = tmp_path / "results/scores/T1A/random.json"
    with pytest.raises(ConfigError, match=r"--configfile FILE -- results/scores/T1A/random\.json"):
        refuse_results_as_settings([tmp_path / "mine.yaml", result], tmp_path)


def test_settings_are_no_targets_wherever_they_are(tmp_path):
    elsewhere = [
        tmp_path / "mine.json",
        tmp_path / "results/record/config.yaml",
        tmp_path / "other/results/a.json",
    ]
    refuse_results_as_settings(elsewhere, tmp_path)
