"""The experiments of the contrastive study: what they train, and what the user must write."""

from pathlib import Path

import pytest
import yaml

from sentflow.errors import ConfigError
from sentflow.graph.config.entries import laid_over
from sentflow.graph.config.experiment import load_experiment
from sentflow.graph.targets import Targets

REPOSITORY = Path(__file__).parents[3]
WORKFLOW = REPOSITORY / "workflow"
STARTS = ("ko-bert", "kr-bert", "m-bert")  # the experiment pins BERT-base and KLUE-BERT
CORPORA = (
    "wiki1m", "nli-for-simcse", "all-nli-labelled", "korean-news-1m", "korean-news-normalized-1m",
    "korean-wiki-len15-1m", "snli-ko-texts",
)  # fmt: skip


def read(name):
    return yaml.safe_load((REPOSITORY / name).read_text(encoding="utf-8"))


def loaded(*more):
    config = read("config.yaml")
    for one in more:
        config = laid_over(config, one)
    return load_experiment(config, WORKFLOW)


@pytest.fixture
def mine(tmp_path):
    """A dummy commit of each start, and an empty file for each corpus."""
    files = {name: tmp_path / f"{name}.tsv" for name in CORPORA}
    for file in files.values():
        file.touch()
    return {
        "models": {name: {"source": {"revision": "0" * 40}} for name in STARTS},
        "training_data": {name: {"file": str(file)} for name, file in files.items()},
    }


def test_the_study_asks_for_every_commit_and_every_corpus_that_nobody_published():
    with pytest.raises(ConfigError) as told:
        loaded(read("experiments/contrastive-study.yaml"))
    text = str(told.value)
    for start in STARTS:
        assert (
            f"models.{start}.source.revision: the catalog knows no commit of this model. Write the 40" in text
        )
    for corpus in CORPORA:
        assert f"training_data.{corpus}.file: " in text
    assert f"{len(STARTS) + len(CORPORA)} mistakes" in text


def test_with_commits_and_paths_the_study_trains_every_cell_and_every_recipe_with_six_seeds(mine):
    study = loaded(read("experiments/contrastive-study.yaml"), mine)
    cells = [entry for entry in study.models.values() if "cell" in entry]
    assert len(cells) == 8 + 72 + 4
    assert {entry["seed"] for entry in cells} == {42}
    seeds = [
        entry["seed"] for entry in study.models.values() if entry.get("seed_of", "").startswith("consert-")
    ]
    assert sorted(set(seeds)) == [1, 2, 3, 4, 5, 6] and len(seeds) == 5 * 6
    whitespace = study.models[
        "contrastive-korean.whitespace-no-dropout.korean-news-1m.kr-bert.lr-1e-5.length-32.seed-42"
    ]
    assert whitespace["settings"]["permute"] == ["whitespace"] and whitespace["settings"]["dropout"] == 0
    assert (whitespace["training"]["learning_rate"], whitespace["training"]["steps"]) == (1e-5, 15625)
    tables = Targets(study).selected("tables")
    assert tables == read("experiments/contrastive-study.yaml")["report"]["tables"]


def test_published_lines_name_entries_of_the_study(mine):
    lines = read("workflow/catalog/published_similarity.yaml")["sts"]
    study = loaded(read("experiments/contrastive-study.yaml"), mine)
    groups = {entry.get("seed_of", name) for name, entry in study.models.items()}
    assert {line["trained"] for line in lines if "trained" in line} <= groups


def test_a_start_without_commit_is_asked_for_also_where_it_is_not_selected_itself():
    trained = {
        "kind": "trained", "recipe": "simcse", "start": "kr-bert", "data": "wiki-10k", "seed": 1,
        "training": {"steps": 3, "learning_rate": 1e-5},
    }  # fmt: skip
    own = {
        "models": {"first": trained, "second": {**trained, "start": "first"}},
        "select": {"models": ["second"]},
    }
    with pytest.raises(ConfigError, match=r"1 mistake:\n +- models\.kr-bert\.source\.revision"):
        loaded(own)


def test_a_published_sweep_that_there_is_not_is_named(mine):
    study = loaded(read("experiments/contrastive-study.yaml"), mine, {
        "sweeps": {"contrastive-english": {"published": {"name": "korean-english-2023"}}}
    })  # fmt: skip
    with pytest.raises(
        ConfigError, match=r"no published sweep 'korean-english-2023'\. Did you mean korean-english-2022"
    ):
        Targets(study).families["training"].published()


def test_the_small_experiment_has_six_recipes_with_six_seeds_each():
    small = loaded(read("experiments/contrastive-small.yaml"))
    trained = [entry for entry in small.models.values() if entry["kind"] == "trained"]
    assert len(trained) == 36 and len({entry["seed_of"] for entry in trained}) == 6
    for entry in trained:
        assert (entry["training"]["steps"], entry["training"]["batch_size"]) == (60, 32)
        assert "selection" not in entry
