"""Which jobs of a chain of trainings run again after an edit."""

import shutil
from pathlib import Path

import pytest
from made_once import made_once
from small_chain import TEST, chain
from workflow_copy import copy_workflow, planned, pretend_to_run, rules_of

BOTH = {"train round-1-seed-1", "train round-2-seed-1"}
MINED = {"mine_training of-bm25", "mine_training of-round-1-seed-1"}


@pytest.fixture(scope="module")
def finished_chain(tmp_path_factory):
    def make(folder: Path) -> None:
        pretend_to_run(copy_workflow(folder / "project"), chain())

    return made_once(tmp_path_factory, "chain", make) / "project"


def of(jobs, *rules):
    return {job for job in jobs if job.split()[0] in rules}


def test_every_stage_of_a_chain_is_planned(tmp_path):
    jobs = planned(copy_workflow(tmp_path / "project"), chain())
    assert of(jobs, "train") == BOTH
    assert of(jobs, "mine_training") == MINED
    assert of(jobs, "fuse") == {f"fuse {TEST}/bm25-x-round-2-seed-1"}


def test_nothing_is_planned_again(finished_chain):
    assert planned(finished_chain, chain()) == set()


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param({"fusion": {"rule": "sum", "weights": [0.5, 0.5]}}, id="another fusion"),
        pytest.param({"select": {"retrievers": ["bm25", "round-2"]}}, id="fewer retrievers"),
        pytest.param({"select": {"decisions": ["first"]}}, id="a decision"),
        pytest.param({"statistics": {"level": 0.9}}, id="other intervals"),
    ],
)
def test_an_edit_of_what_comes_after_trains_and_embeds_nothing(finished_chain, edit):
    config = chain()
    config["retrievers"]["bm25-x-round-2"].update(edit.pop("fusion", {}))
    for section, values in edit.items():
        config[section] = {**config.get(section, {}), **values}
    jobs = planned(finished_chain, config)
    assert jobs
    assert not of(jobs, "train", "mine_training", "embed", "search_vectors", "collect_training")


def test_another_depth_searches_tests_and_trains_nothing(finished_chain):
    jobs = planned(finished_chain, {**chain(), "retrieval": {"depth": 50}})
    assert of(jobs, "search_vectors") == {f"search_vectors {TEST}/round-{n}-seed-1" for n in (1, 2)}
    assert not of(jobs, "train", "mine_training", "embed")


def test_another_test_set_is_searched_and_trains_nothing(finished_chain):
    config = chain()
    config["question_sets"] = {"more": {"like": TEST, "title": "More questions", "mteb": "more"}}
    config["select"]["question_sets"] = [TEST, "more"]
    jobs = planned(finished_chain, config)
    assert "search_vectors more/round-1-seed-1" in jobs
    assert not of(jobs, "train", "mine_training", "choose_snapshot")


def test_other_negatives_of_the_second_round_train_that_alone(finished_chain):
    config = chain()
    config["training_data"]["of-round-1"]["negatives"]["ranks"] = [2, 10]
    jobs = planned(finished_chain, config)
    assert of(jobs, "train") == {"train round-2-seed-1"}
    assert of(jobs, "mine_training") == {"mine_training of-round-1-seed-1"}


def test_another_first_round_runs_the_rest_of_the_chain(finished_chain, tmp_path):
    project = Path(shutil.copytree(finished_chain, tmp_path / "project"))
    config = chain()
    config["models"]["round-1"]["training"] = {
        **config["models"]["round-1"]["training"],
        "learning_rate": 2e-3,
    }
    jobs = planned(project, config)
    assert of(jobs, "train") == BOTH
    assert of(jobs, "mine_training") == {"mine_training of-round-1-seed-1"}
    assert "fuse" in rules_of(jobs)
