"""Question sets, training sets and retrievers in a configuration: what is told of mistakes, and what is left out."""

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from sentflow.errors import ConfigError
from sentflow.families.retrieval.family import Retrieval
from sentflow.graph.config.entries import laid_over
from sentflow.graph.config.experiment import Experiment, load_experiment
from sentflow.graph.targets import Targets

REPOSITORY = Path(__file__).parents[3]
DEFAULT = yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8"))
LAWS = "municipal-laws-sample"
NOTHING_ELSE = {"tasks": [], "pair_sets": [], "alignments": [], "regressions": []}


def experiment(select: dict[str, Any] | None = None, **changes: Any) -> Experiment:
    chosen = {"select": {**NOTHING_ELSE, **(select or {})}, **changes}
    return load_experiment(laid_over(copy.deepcopy(DEFAULT), chosen), REPOSITORY / "workflow")


def mistake(select: dict[str, Any] | None = None, **changes: Any) -> str:
    with pytest.raises(ConfigError) as error:
        experiment(select, **changes)
    (only,) = str(error.value).splitlines()[1:]
    return only.removeprefix("  - ")


def test_training_sets_are_prepared_but_neither_embedded_nor_searched():
    family = Retrieval(experiment())
    assert (list(family.question_sets), list(family.prepared)) == (
        [LAWS],
        [LAWS, "municipal-laws-training-sample"],
    )
    assert {name for name in Targets(experiment()).collections if "training" in name} == set()
    assert all("training" not in file for file in family.runs())
    jobs = family.jobs()
    assert (jobs["prepare_corpus"], jobs["prepare_questions"], jobs["audit_questions"]) == (1, 2, 1)


def test_the_corpus_of_a_training_set_is_prepared_too():
    entry = {LAWS: {"training": ["faquad-train"]}}
    family = Retrieval(experiment(question_sets=entry))
    assert (list(family.corpora), list(family.prepared_corpora)) == ([LAWS], [LAWS, "faquad"])
    assert {dataset for dataset, _ in family.raw_files()} == {"sample-laws", "faquad"}


@pytest.mark.parametrize(
    ("training", "said"),
    [
        (["municipal-laws-trainin-sample"], "there is no question set 'municipal-laws-trainin-sample'. Did you mean"),
        ([LAWS], "it names itself. Write other question sets."),
    ],
)  # fmt: skip
def test_training_sets_that_cannot_be_meant(training, said):
    told = mistake(question_sets={LAWS: {"training": training}})
    assert told.startswith(f"question_sets.{LAWS}.training: {said}")


def test_retrievers_whose_encoder_is_not_selected_are_left_out_with_what_fuses_them():
    family = Retrieval(experiment({"models": ["bag-of-words"]}))
    assert (family.shown, family.left_out) == (
        ["bm25", "sparse-embed-sample", "random-order"],
        ["minilm", "bm25-x-minilm", "rrf"],
    )
    assert family.told()["retrievers_left_out"] == family.left_out
    assert {model for one in family.collections() for model in one.models} == {"sparse-embed-sample"}


def test_an_encoder_of_terms_that_learnt_from_sample_data_searches_no_other_collections():
    family = Retrieval(experiment({"models": ["bag-of-words"], "question_sets": ["npl"]}))
    assert family.shown == ["bm25", "random-order"]
    assert "sparse-embed-sample" in family.left_out
    assert not family.experiment.trained_models


def test_nothing_is_left_to_search_with():
    told = mistake({"models": ["bag-of-words"], "retrievers": ["minilm", "rrf"]})
    assert told == (
        "config.select.retrievers: the encoders of all are not selected. Write minilm-l6 in select.models."
    )


@pytest.mark.parametrize(
    "retrievers",
    [
        {"mine": {"kind": "fusion", "of": ["bm25", "mine"], "rule": "sum"}},
        {"mine": {"kind": "fusion", "of": ["bm25", "other"], "rule": "sum"},
         "other": {"kind": "fusion", "of": ["bm25", "mine"], "rule": "sum"}},
    ],
)  # fmt: skip
def test_a_retriever_that_fuses_itself_is_refused(retrievers):
    with pytest.raises(ConfigError, match="retrievers.mine.of: it fuses itself. Write other retrievers"):
        experiment({"retrievers": ["mine"]}, retrievers=retrievers)


def test_files_of_runs_must_be_there(tmp_path):
    path = tmp_path / "run.trec"
    entry = {"mine": {"kind": "run", "files": {LAWS: str(path)}}}
    told = mistake({"retrievers": ["mine"]}, retrievers=entry)
    assert told.startswith(f"retrievers.mine.files.{LAWS}: there is no file {path} (searched for in")
    path.write_text("q Q0 d 1 1 t\n", encoding="utf-8")
    assert Retrieval(experiment({"retrievers": ["mine"]}, retrievers=entry)).shown == ["mine"]


def test_retrievers_without_question_sets_measure_nothing():
    told = mistake({"question_sets": []})
    assert told.startswith("config.select: nothing is selected.")
