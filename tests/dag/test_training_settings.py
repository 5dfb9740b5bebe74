"""Which jobs run again after an edit: an encoder is trained again only where what it was trained by has changed."""

import shutil
from pathlib import Path

import pytest
from made_once import made_once
from workflow_copy import PACKAGE, copy_workflow, planned, pretend_to_run, rules_of

ENTRY = {
    "kind": "trained",
    "recipe": "simcse",
    "start": "minilm-l6",
    "data": "sentences-sample",
    "seeds": [1, 2],
    "pooling": "cls",
    "training": {"steps": 4, "batch_size": 8, "learning_rate": 1e-4, "snapshots": 2},
    "selection": {"pairs": "STSB-dev-sample"},
}
CONFIG = {
    "select": {
        "models": ["bag-of-words", "own", "second"],
        "tasks": [],
        "pair_sets": ["STSB-tiny"],
        "alignments": [],
        "regressions": [],
    },
    "models": {
        "own": ENTRY,
        # trained from one that is trained itself
        "second": {
            **{key: ENTRY[key] for key in ("kind", "recipe", "data", "training")},
            "start": "own-seed-1",
            "seed": 1,
        },
    },
}


def with_model(name, **changes):
    """The configuration with some keys of a trained encoder changed; those below ``training`` are merged."""
    entry = {**CONFIG["models"][name], **changes}
    if "training" in changes:
        entry["training"] = {**CONFIG["models"][name]["training"], **changes["training"]}
    return {**CONFIG, "models": {**CONFIG["models"], name: entry}}


def trainings(jobs):
    return {job for job in jobs if job.startswith("train ")}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    def make(folder: Path) -> None:
        pretend_to_run(copy_workflow(folder / "project"), CONFIG)

    return made_once(tmp_path_factory, "trained", make) / "project"


@pytest.fixture
def edited(trained, tmp_path):
    return Path(shutil.copytree(trained, tmp_path / "project"))


def edit(project, module):
    file = project / PACKAGE / module
    file.write_text(file.read_text(encoding="utf-8") + "\n\nEDITED = True\n", encoding="utf-8")


def test_every_seed_is_an_encoder_and_every_snapshot_is_scored(tmp_path):
    jobs = planned(copy_workflow(tmp_path / "project"), CONFIG)
    assert trainings(jobs) == {"train own-seed-1", "train own-seed-2", "train second"}
    scored = {job for job in jobs if job.startswith("score_snapshot ")}
    assert scored == {
        f"score_snapshot own-seed-{seed}/{step}" for seed in (1, 2) for step in ("000000", "000002", "000004")
    }
    # The start is fetched and measured by nothing
    assert "fetch_model minilm-l6" in jobs
    assert not any(job.startswith("embed minilm-l6") for job in jobs)


def test_nothing_is_trained_again_without_an_edit(trained):
    assert planned(trained, CONFIG) == set()


def test_an_edit_of_evaluation_of_selection_or_of_another_recipe_trains_nothing(edited):
    kept = {**CONFIG, "training": {"keep_snapshots": True}}
    pretend_to_run(edited, kept)
    for module in (
        "similarity/correlations.py",
        "training/selection.py",
        "training/development.py",
        "training/recipes/consert.py",
        "report/families/training/scores.py",
        "commands/score_snapshot.py",
    ):
        edit(edited, module)
    # What starts from a chosen snapshot may start from another one now
    assert trainings(planned(edited, kept)) <= {"train second"}


@pytest.mark.parametrize(
    "module",
    [
        "training/recipes/simcse.py",
        pytest.param("training/loop.py", marks=pytest.mark.slow),
        pytest.param("training/cache.py", marks=pytest.mark.slow),
    ],
)
def test_an_edit_of_the_recipe_or_of_the_loop_trains_its_encoders_again(edited, module):
    edit(edited, module)
    assert trainings(planned(edited, CONFIG)) == {"train own-seed-1", "train own-seed-2", "train second"}


def test_another_learning_rate_trains_that_encoder_and_what_starts_from_it(trained):
    changed = planned(trained, with_model("second", training={"learning_rate": 2e-4}))
    assert trainings(changed) == {"train second"}
    changed = planned(trained, with_model("own", training={"learning_rate": 2e-4}))
    assert trainings(changed) == {"train own-seed-1", "train own-seed-2", "train second"}


def test_one_more_seed_trains_that_one_alone(trained):
    assert trainings(planned(trained, with_model("own", seeds=[1, 2, 3]))) == {"train own-seed-3"}


def test_another_title_or_device_trains_nothing(trained):
    changed = planned(trained, with_model("own", title="Other", device="cpu"))
    assert not {"train", "embed", "score_snapshot"} & rules_of(changed)


def test_the_gpus_that_an_entry_names_are_asked_of_the_cluster():
    from sentflow.families.training.models import TrainedModels

    models = TrainedModels.__new__(TrainedModels)
    models.models = {"one": {"device": "cuda"}, "two": {"device": ["cuda:0", "cuda:1"]}, "none": {}}

    class Wildcards:
        model = "two"

    assert models.gpus(Wildcards) == 2
    Wildcards.model = "one"
    assert models.gpus(Wildcards) == 1
    Wildcards.model = "none"
    assert models.gpus(Wildcards) == 0
