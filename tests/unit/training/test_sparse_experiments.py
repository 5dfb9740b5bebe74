"""Experiments and entries of sparse encoders: what they train, what the user must write, and what is refused."""

from pathlib import Path

import pytest
import yaml

from sentflow.encoders.entries import kind_of
from sentflow.encoders.kinds.table import MADE_BY, TRAINED_KINDS
from sentflow.errors import ConfigError
from sentflow.graph.config.entries import laid_over
from sentflow.graph.config.experiment import load_experiment
from sentflow.training.recipes.table import RECIPES

REPOSITORY = Path(__file__).parents[3]
WHOLE, SMALL = "experiments/sparse.yaml", "experiments/sparse-small.yaml"
PUBLISHED = {  # width, λ_Q, λ_D: Kong et al. 2023, table 1
    "sparse-embed-s32": (32, 0.04, 0.05),
    "sparse-embed-l16": (16, 0.004, 0.005),
    "sparse-embed-l32": (32, 0.004, 0.005),
    "sparse-embed-l64": (64, 0.004, 0.005),
}
ENTRY = {
    "kind": "trained",
    "recipe": "splade",
    "start": "minilm-l6",
    "data": "law-titles-sample",
    "seed": 1,
    "training": {"steps": 4, "batch_size": 8, "learning_rate": 1e-4},
}
OWN = {
    "select": {"models": ["minilm-l6"], "tasks": [], "pair_sets": [], "alignments": [], "regressions": []},
    "retrievers": {"mine": {"kind": "sparse", "model": "mine"}},
}


def read(name):
    return yaml.safe_load((REPOSITORY / name).read_text(encoding="utf-8"))


def loaded(*more):
    config = read("config.yaml")
    for one in more:
        config = laid_over(config, one)
    return load_experiment(config, REPOSITORY / "workflow")


def own(retriever=None, **changes):
    """An experiment whose only sparse retriever has an encoder of one's own."""
    entry = {key: value for key, value in {**ENTRY, **changes}.items() if value is not None}
    select = {**OWN["select"], "question_sets": ["municipal-laws-sample"], "retrievers": ["bm25", "mine"]}
    mine = {**OWN["retrievers"]["mine"], **(retriever or {})}
    return loaded({"select": select, "models": {"mine": entry}, "retrievers": {"mine": mine}})


def test_the_published_trainings_ask_for_commits_and_rows(tmp_path):
    with pytest.raises(ConfigError) as told:
        loaded(read(WHOLE))
    text = str(told.value)
    for key in ("models.bert-base.source.revision", "models.distilbert-base.source.revision"):
        assert f"{key}: the catalog knows no commit" in text
    for data in ("msmarco-scored", "msmarco-labelled"):
        assert f"training_data.{data}.file: " in text
    assert "4 mistakes" in text


def test_the_published_trainings_have_the_settings_of_the_papers(tmp_path):
    for name in ("scored", "labelled"):
        (tmp_path / name).touch()
    found = loaded(
        read(WHOLE),
        {
            "models": {name: {"source": {"revision": "0" * 40}} for name in ("bert-base", "distilbert-base")},
            "training_data": {
                f"msmarco-{name}": {"file": str(tmp_path / name)} for name in ("scored", "labelled")
            },
        },
    )
    trained = found.trained_models
    assert found.entries["training_data"]["msmarco-scored"]["form"] == "scored"
    for name, (width, query, document) in PUBLISHED.items():
        settings = {**RECIPES["sparse-embed"].settings, **trained[name]["settings"]}
        assert (settings["width"], settings["question_flops"], settings["document_flops"]) == (
            width, query, document,
        )  # fmt: skip
        assert (settings["question_terms"], settings["document_terms"], settings["heads"]) == (64, 256, "two")
        assert (settings["ranking"], settings["weights_share"]) == ("margin-mse", 0.1)
        training = trained[name]["training"]
        assert (training["steps"], training["batch_size"]) == (150_000, 128)
        assert settings["flops_rise"] * training["steps"] == 50_000
    splade = trained["splade"]
    assert (splade["settings"]["question_flops"], splade["settings"]["document_flops"]) == (0.5, 0.4)
    assert splade["training"]["warm_up"] * splade["training"]["steps"] == 6_000
    replicated = trained["sparse-embed-replicated"]
    assert replicated["settings"]["ranking"] == "labels"
    assert {key: replicated["training"][key] for key in ("learning_rate", "batch_size", "epochs")} == {
        "learning_rate": 2e-6, "batch_size": 32, "epochs": 20,
    }  # fmt: skip


def test_the_small_experiment_trains_two_seeds_of_each_kind():
    found = loaded(read(SMALL))
    recipes = [entry["recipe"] for entry in found.trained_models.values()]
    assert sorted(recipes) == ["mlm", *["sparse-embed"] * 2, *["splade"] * 2]
    for entry in found.trained_models.values():
        if entry["recipe"] == "sparse-embed":
            assert entry["start"] == f"splade-seed-{entry['seed']}"


@pytest.mark.parametrize("recipe", MADE_BY)
def test_an_encoder_is_of_the_kind_that_its_recipe_makes(recipe):
    kind = kind_of({"kind": "trained", "recipe": recipe})
    assert kind is TRAINED_KINDS[recipe]
    assert "pooling" not in kind.encode_keys and "data" in kind.fetch_keys
    assert kind_of({"kind": "trained", "recipe": "simcse"}).gives == "dense"


def test_the_encoder_of_a_retriever_is_trained_with_what_it_starts_from():
    found = own(start="masked-sample")
    assert list(found.trained_models) == ["mine", "masked-sample"]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"settings": {"teacher": "minilm-l6"}}, "settings.teacher: with these settings nothing is learnt"),
        ({"settings": {"ranking": "kl"}}, "settings.teacher: write the encoder .* data of the form scored"),
        ({"settings": {"ranking": "kl", "teacher": "tfidf"}}, "tfidf gives a text no vector"),
        ({"data": "laws-sample"}, "reads pairs or triplets, but laws-sample has texts"),
        ({"recipe": "sparse-embed", "settings": {"ranking": "labels"}}, "reads labelled, but"),
        ({"start": "sparse-embed-sample"}, "is made by sparse-embed, and nothing is trained on from there"),
        ({"start": "simcse-sample"}, "made by simcse, so that it has no layer that predicts masked tokens"),
        ({"start": {"like": "minilm-l6", "configuration": {"num_hidden_layers": 1}}}, "its weights are drawn"),
        ({"recipe": "cross-encoder", "data": "tri", "device": ["cuda:0", "cuda:1"]}, "scores pairs on one device"),
        ({"pooling": "cls"}, "models.mine.pooling"),
        ({"selection": {"pairs": "STSB-dev-sample"}}, "models.mine.selection"),
        ({"settings": {"question_terms": 0}}, "question_terms"),
        ({"recipe": "sparse-embed", "settings": {"width": 0}}, "width"),
        ({"recipe": "sparse-embed", "settings": {"heads": "shared", "start_question_terms": 5}}, "start_question"),
        ({"training": {**ENTRY["training"], "matryoshka": {"dimensions": [8]}}}, "makes no vectors whose first"),
        ({"training": {**ENTRY["training"], "batch_size": 1}}, "Write 2 or more"),
    ],
)  # fmt: skip
def test_entries_that_cannot_be_trained_are_refused(changes, told):
    with pytest.raises(ConfigError, match=told):
        own(**changes)


def test_candidates_need_vectors_of_terms_and_a_cross_encoder_compares_pairs():
    with pytest.raises(ConfigError, match="candidates"):
        own({"candidates": 1000})
    assert own({"candidates": 1000}, recipe="sparse-embed").trained_models


def test_cells_of_a_sweep_are_dense():
    grid = {"method": {"own": {"recipe": "splade"}}, "learning_rate": [1e-4, 1e-5], "seed": [1]}
    with pytest.raises(ConfigError, match="sweeps.mine: .* splade makes no dense vectors"):
        loaded(
            {
                "sweeps": {
                    "mine": {
                        "title": "Mine", "start": "masked-sample", "data": "law-titles-sample",
                        "training": ENTRY["training"], "grid": grid,
                    }
                }
            }
        )  # fmt: skip
