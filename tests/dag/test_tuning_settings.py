"""Which jobs run again after a change of decisions and of fusions whose weights are tuned."""

import json

import pytest
from workflow_copy import copy_workflow, planned, pretend_to_run

TRAIN, TEST = "train", "test"
SOURCE = {"format": "jsonl", "id": "_id", "text": "text"}
ABOUT = {"dataset": "mine", "language": "en", "data_version": "raw"}
DATA = {
    "corpus.jsonl": [{"_id": "d1", "text": "one"}, {"_id": "d2", "text": "two"}],
    **{f"{name}.jsonl": [{"_id": f"{name}-1", "text": f"{name} one?"}] for name in (TRAIN, TEST)},
    **{f"{name}-gold.jsonl": [{"q": f"{name}-1", "d": "d1"}] for name in (TRAIN, TEST)},
}


def question_set(name):
    gold = {"format": "jsonl", "files": [f"{name}-gold.jsonl"], "question": "q", "document": "d"}
    questions = [{**SOURCE, "files": [f"{name}.jsonl"]}]
    return {"title": name, "corpus": "mine", **ABOUT, "questions": questions, "judgements": [gold]}


CONFIG = {
    "select": {
        "models": ["bag-of-words"],
        **dict.fromkeys(("tasks", "pair_sets", "alignments", "regressions"), []),
        "question_sets": [TEST],
        "retrievers": ["bm25", "both"],
        "decisions": ["one", "window"],
    },
    "datasets": {
        "mine": {
            "title": "Mine",
            "files": {name: {"urls": [name]} for name in DATA},
            "licence": "none",
            "citation": "none",
            "language": "en",
        }
    },
    "corpora": {"mine": {"title": "Mine", **ABOUT, "documents": [{**SOURCE, "files": ["corpus.jsonl"]}]}},
    "question_sets": {name: question_set(name) for name in (TRAIN, TEST)},
    "retrievers": {
        "other": {"kind": "bm25", "analyser": "words"},
        "both": {"kind": "fusion", "of": ["bm25", "other"], "rule": "sum", "weights": {"tuned_on": [TRAIN]}},
    },
    "decisions": {
        "one": {"most": 1},
        "window": {
            "window": {"from": 0, "to": 2, "step": 0.5}, "tuned_on": [TRAIN], "retrievers": ["bm25"],
        },
    },
    "report": {
        "tables": ["retrieval-decisions"], "figures": ["fusion-weights"], "checks": ["complete"],
    },
}  # fmt: skip
DECIDED = {
    "evaluate_decisions test", "compare_decisions", "summarise_decisions", "table retrieval-decisions", "report",
}  # fmt: skip


@pytest.fixture(scope="module")
def tuned(tmp_path_factory):
    project = copy_workflow(tmp_path_factory.mktemp("tuning") / "project")
    for name, lines in DATA.items():
        (project / name).write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    pretend_to_run(project, CONFIG)
    return project


def changed(section, name, **keys):
    return {**CONFIG, section: {**CONFIG[section], name: {**CONFIG[section][name], **keys}}}


def test_a_second_run_does_nothing(tuned):
    assert planned(tuned, CONFIG) == set()


def test_other_values_of_a_decision_decide_and_compare_and_search_nothing(tuned):
    wider = {"from": 0, "to": 4, "step": 0.5}
    found = planned(tuned, changed("decisions", "window", window=wider))
    assert found == {"decide test/bm25/window", *DECIDED, "record"}


def test_other_folds_choose_weights_and_search_by_this_fusion_alone(tuned):
    found = planned(tuned, changed("retrievers", "both", weights={"tuned_on": [TRAIN], "folds": 3}))
    assert {"choose_weights both", "fuse test/both", "evaluate test/both", "decide test/both/one"} <= found
    assert not {job for job in found if job.startswith(("search", "weigh", "analyse"))}


def test_a_decision_that_is_no_longer_selected_decides_nothing(tuned):
    fewer = {**CONFIG, "select": {**CONFIG["select"], "decisions": ["one"]}}
    assert planned(tuned, fewer) == {*DECIDED, "record"}
