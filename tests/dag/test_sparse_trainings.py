"""Which jobs sparse encoders have that are trained here, and which of them run again."""

import pytest
from made_once import made_once
from small_collection import CONFIG, new_project
from workflow_copy import planned, pretend_to_run, rules_of

MODELS = {
    "masked": {
        "kind": "trained", "recipe": "mlm", "start": "minilm-l6", "data": "texts", "seed": 1,
        "training": {"steps": 4, "batch_size": 2, "learning_rate": 1e-4},
    },
    "weighing": {
        "kind": "trained", "recipe": "splade", "start": "masked", "data": "pairs", "seeds": [1, 2],
        "training": {"steps": 4, "batch_size": 2, "learning_rate": 1e-4},
    },
    "ordering": {
        "kind": "trained", "recipe": "sparse-embed", "start": "weighing", "data": "pairs", "seeds": [1, 2],
        "training": {"steps": 4, "batch_size": 2, "learning_rate": 1e-4},
    },
}  # fmt: skip
DATA = {"title": "T", "language": "en", "data_version": "raw", "collections": {"corpora": ["mine"]}}
TRAINED = {
    **CONFIG,
    "models": {**CONFIG.get("models", {}), **MODELS},
    "training_data": {"texts": {**DATA, "form": "texts"}, "pairs": {**DATA, "form": "pairs"}},
    "retrievers": {
        **CONFIG.get("retrievers", {}),
        "weighed": {"kind": "sparse", "model": "weighing"},
        "ordered": {"kind": "sparse", "model": "ordering", "candidates": 1000},
    },
    "select": {**CONFIG["select"], "retrievers": ["bm25", "weighed", "ordered"]},
}


def with_model(name, **changes):
    return {**TRAINED, "models": {**TRAINED["models"], name: {**MODELS[name], **changes}}}


def of_training(jobs):
    return {job for job in jobs if job.split()[0] in ("train", "embed_sparse", "search_sparse")}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    def make(folder):
        pretend_to_run(new_project(folder), TRAINED)

    return made_once(tmp_path_factory, "sparse-trained", make) / "project"


def test_every_seed_is_trained_from_that_seed_and_searched(tmp_path):
    found = of_training(planned(new_project(tmp_path), TRAINED))
    seeds = [f"{name}-seed-{seed}" for name in ("weighing", "ordering") for seed in (1, 2)]
    assert {job for job in found if job.startswith("train ")} == {
        f"train {name}" for name in ("masked", *seeds)
    }
    assert "embed_sparse ordering-seed-2/mine/documents" in found
    assert "search_sparse mine/weighed-seed-1" in found and "search_sparse mine/ordered-seed-2" in found


def test_nothing_runs_again_for_nothing(trained):
    assert planned(trained, TRAINED) == set()


def test_a_setting_of_a_recipe_trains_its_encoders_alone(trained):
    found = of_training(planned(trained, with_model("ordering", settings={"width": 8})))
    assert {job for job in found if job.startswith("train ")} == {
        f"train ordering-seed-{seed}" for seed in (1, 2)
    }


def test_terms_in_use_embed_again_and_train_nothing(trained):
    found = rules_of(planned(trained, with_model("weighing", terms={"documents": 8})))
    assert "train" not in found and "embed_sparse" in found


def test_another_number_of_candidates_embeds_nothing(trained):
    retrievers = {
        **TRAINED["retrievers"],
        "ordered": {**TRAINED["retrievers"]["ordered"], "candidates": 2000},
    }
    found = of_training(planned(trained, {**TRAINED, "retrievers": retrievers}))
    assert found == {f"search_sparse mine/ordered-seed-{seed}" for seed in (1, 2)}
