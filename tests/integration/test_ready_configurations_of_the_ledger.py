"""Every configuration that the ledger names can be run: it is valid and has a plan, once the user's files are there.

Stand-ins lie where those files would: empty ones, and commits that do not exist. Nothing of them is read.
"""

import hashlib
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner
from workflow_copy import REPOSITORY, copy_workflow, snakemake

from sentflow.cli.app import app
from sentflow.cli.training_estimate import TOKENS_PER_SECOND, estimated
from sentflow.graph.config.entries import laid_over
from sentflow.graph.config.experiment import load_experiment
from sentflow.graph.config.schema import read_yaml

WORKFLOW = REPOSITORY / "workflow"
SYSTEMS = read_yaml(WORKFLOW / "catalog/ledger.yaml")["systems"]
STUDY, ZALO = "experiments/contrastive-study.yaml", "experiments/zalo-bm25.yaml"
SPARSE = "experiments/sparse.yaml"
EXPERIMENTS = sorted({system["experiment"] for system in SYSTEMS.values() if "experiment" in system})
CORPORA = (
    "wiki1m", "nli-for-simcse", "all-nli-labelled", "korean-news-1m", "korean-news-normalized-1m",
    "korean-wiki-len15-1m", "snli-ko-texts",
)  # fmt: skip
TRAININGS = [
    (STUDY, "SimCSE", ("simcse-",)),
    (STUDY, "ConSERT", ("consert-",)),
    (STUDY, "SG-BERT", ("sg-bert-",)),
    (STUDY, "Korean/English contrastive study", ("contrastive-", "self-guided-")),
    (SPARSE, "SparseEmbed on MS MARCO passages", ("splade", "sparse-embed-s", "sparse-embed-l")),
]


def stand_ins(experiment: str, folder: Path) -> dict:
    """What a user would write and bring for an experiment, nothing of it real."""
    if experiment == ZALO:
        file = folder / "stop-list.txt"
        file.write_text("thì\n", encoding="utf-8")
        found = {"file": str(file), "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
        return {"analysers": {name: {"stop_words": found} for name in ("vietnamese-zalo", "words-zalo")}}
    if experiment == STUDY:
        files = {name: folder / f"{name}.tsv" for name in CORPORA}
        for file in files.values():
            file.touch()
        return {
            "models": {name: {"source": {"revision": "0" * 40}} for name in ("ko-bert", "kr-bert", "m-bert")},
            "training_data": {name: {"file": str(file)} for name, file in files.items()},
        }
    if experiment == SPARSE:
        files = {name: folder / f"{name}.tsv" for name in ("msmarco-scored", "msmarco-labelled")}
        for file in files.values():
            file.touch()
        return {
            "models": {name: {"source": {"revision": "0" * 40}} for name in ("bert-base", "distilbert-base")},
            "training_data": {name: {"file": str(file)} for name, file in files.items()},
        }
    return {}


def test_the_ledger_names_the_experiments_that_are_tested_here():
    assert set(EXPERIMENTS) >= {STUDY, ZALO, SPARSE}


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_it_passes_validate(experiment, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mine = tmp_path / "mine.yaml"
    mine.write_text(yaml.safe_dump(stand_ins(experiment, tmp_path)), encoding="utf-8")
    told = CliRunner().invoke(app, ["validate", str(REPOSITORY / experiment), str(mine)])
    assert told.exit_code == 0, told.output
    assert "no mistakes" in told.output


@pytest.mark.slow
@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_it_has_a_plan(experiment, tmp_path):
    """Of the study one training: to plan all 49,876 jobs takes Snakemake four minutes."""
    project = copy_workflow(tmp_path / "project")
    mine = project / "mine.yaml"
    less = (
        {"select": {"models": ["bert-base", "klue-bert", "simcse-unsup"], "sweeps": []}}
        if experiment == STUDY
        else {}
    )
    mine.write_text(yaml.safe_dump(stand_ins(experiment, tmp_path) | less), encoding="utf-8")
    named = ("--configfile", str(REPOSITORY / experiment), str(mine))
    outcome = snakemake(project, "--dry-run", "--cores", "1", *named)
    assert outcome.code == 0, outcome.text[-3000:]
    assert "total" in outcome.text


@pytest.mark.parametrize(("experiment", "system", "prefixes"), TRAININGS)
def test_what_trainings_take_is_what_sentflow_resources_estimates(tmp_path, experiment, system, prefixes):
    whole = laid_over(read_yaml(REPOSITORY / "config.yaml"), read_yaml(REPOSITORY / experiment))
    found = estimated(load_experiment(laid_over(whole, stand_ins(experiment, tmp_path)), WORKFLOW))
    own = [one for name, one in found.items() if name.startswith(prefixes)]
    known = [one for one in own if one is not None]
    tokens = sum(one.tokens for one in known)
    hours = {device: tokens / speed / 3600 for device, (speed, _) in TOKENS_PER_SECOND.items()}
    takes = SYSTEMS[system]["takes"]
    assert takes.startswith(f"{len(known)} trainings, {tokens / 1e6:,.0f} million tokens at most")
    assert f"; {hours['gpu']:,.0f} hour" in takes and f"or {hours['cpu']:,.0f} of one CPU thread" in takes
    assert (f"{len(own) - len(known)} more of an unknown" in takes) == (len(own) > len(known))
