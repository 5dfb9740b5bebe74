"""Files, configurations and servers made to do harm: each ends in one message, in bounded time."""

import os
from functools import partial

import pytest
import yaml
from typer.testing import CliRunner

from sentflow.cli.app import app
from sentflow.cli.configuration import read_configuration
from sentflow.config.load import load_experiment
from sentflow.encoders.safety import check_own_modules
from sentflow.errors import ConfigError
from sentflow.flow.environment import workflow_folder


@pytest.fixture
def evaluate(tmp_path, monkeypatch):
    """Calls ``sentflow evaluate`` for a small run whose name and question a spreadsheet would run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "=cmd|calc.run").write_text("=q1 Q0 a 1 0.5 t\n")
    (tmp_path / "qrels.txt").write_text("=q1 0 a 1\n")
    invoke = partial(CliRunner().invoke, app)
    return lambda *words, run="=cmd|calc.run": invoke(["evaluate", run, "qrels.txt", *words])


@pytest.mark.parametrize("target", ["=cmd|calc.run", "./qrels.txt", "hard.csv", "link.csv", "dangling.csv"])
def test_values_replace_no_input_and_follow_no_link(evaluate, tmp_path, target):
    (tmp_path / "precious").write_text("precious")
    (tmp_path / "hard.csv").hardlink_to(tmp_path / "qrels.txt")
    (tmp_path / "link.csv").symlink_to(tmp_path / "precious")
    (tmp_path / "dangling.csv").symlink_to(tmp_path / "new")
    done = evaluate("--per-question", target)
    assert (
        done.exit_code and "is a link or one of the files that are read" in f"{done.output}{done.exception}"
    )
    assert (tmp_path / "precious").read_text() == "precious" and not (tmp_path / "new").exists()
    assert (tmp_path / "qrels.txt").read_text() == "=q1 0 a 1\n"


def test_names_are_no_formulas_in_tables(evaluate, tmp_path):
    done = evaluate("--per-question", "values.csv", "--csv", "--measures", "RR@10")
    assert done.exit_code == 0, done.output
    assert done.output.splitlines()[1].startswith("'=cmd|calc,RR@10,1.0,")
    assert (tmp_path / "values.csv").read_text().splitlines()[1] == "'=cmd|calc,'=q1,RR@10,1.0"


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_what_never_ends_is_no_run_and_nothing_to_show(evaluate, tmp_path, kind):
    os.mkfifo(tmp_path / "pipe.json")
    done = evaluate(run="pipe.json" if kind == "pipe" else "/dev/zero")
    assert "is a folder, a pipe or a device" in f"{done.output}{done.exception}"
    shown = CliRunner().invoke(app, ["show", "pipe.json"])
    assert "there is no pipe.json" in f"{shown.output}{shown.exception}"


def loaded(tmp_path, **config):
    (tmp_path / "a.yaml").write_text(yaml.safe_dump(config))
    return load_experiment(read_configuration([tmp_path / "a.yaml"]), workflow_folder())


def test_a_chain_of_fusions_is_told(tmp_path):
    fusion = {"kind": "fusion", "title": "t", "rule": "reciprocal-rank"}
    chain = {f"f{n}": {**fusion, "of": [f"f{n - 1}", "bm25"]} for n in range(1, 1500)}
    chain["f0"] = {**fusion, "of": ["bm25", "random-order"]}
    with pytest.raises(ConfigError, match="in a chain of hundreds"):
        loaded(tmp_path, retrievers=chain, select={"retrievers": ["f1499"], "question_sets": ["cranfield"]})


def test_too_many_seeds_are_told(tmp_path):
    entry = {"kind": "trained", "recipe": "simcse", "start": "minilm-l6", "data": "x"}
    entry |= {"seeds": [*range(20_000)]}
    with pytest.raises(ConfigError, match=r"models\.m: .* more than 2000 entries\. Write fewer seeds"):
        loaded(tmp_path, models={"m": entry}, select={"models": ["m"]})


@pytest.mark.parametrize(
    "name",
    [
        "sentence_transformers.base.model.pickle",
        "sentence_transformers.util.os",
        "own.Transformer",
        "Transformer",
        "",
    ],
)
def test_what_is_no_module_of_sentence_transformers_is_refused(tmp_path, name):
    known = ["sentence_transformers.models.Transformer", "sentence_transformers.base.modules.dense.Dense"]
    check_own_modules(known, tmp_path)
    with pytest.raises(ConfigError, match="are none of sentence-transformers"):
        check_own_modules([*known, name], tmp_path)
