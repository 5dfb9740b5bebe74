"""What a user may write wrongly in an entry of kind trained: one sentence for each mistake, at the entry as written."""

from experiments import experiment, mistakes

from sentflow.config.entries import merge
from sentflow.config.removed import without_removed
from sentflow.config.trained import chosen_by_tests
from sentflow.training.snapshots import scored_steps

SELECT = {
    "models": ["minilm-l6", "mine"],
    "tasks": [],
    "pair_sets": ["STSB-test-sample"],
    **dict.fromkeys(("alignments", "regressions", "question_sets", "retrievers"), []),
}
ENTRY = {
    "kind": "trained",
    "recipe": "simcse",
    "start": "minilm-l6",
    "data": "sentences-sample",
    "seeds": [1, 2],
    "training": {"steps": 60, "batch_size": 16, "learning_rate": 1.0e-3, "snapshot_every": 20},
    "selection": {"pairs": "STSB-dev-sample"},
}


def problems_of(own):
    return mistakes({"select": SELECT, **own})


# Entry as it is laid over a right one, where None leaves a key out; and what is told
MISTAKES = [
    ({"start": "nope"}, "start: there is no model 'nope'"),
    ({"start": "tfidf"}, "start: tfidf is of kind tfidf"),
    ({"start": "simcse-sample/step-000015"}, "start: simcse-sample/step-000015 names a snapshot"),
    ({"recipe": "simsce"}, "recipe: there is no recipe 'simsce'. Did you mean simcse?"),
    ({"data": "nope"}, "data: there is no training data 'nope'"),
    ({"seeds": [1, 1]}, "seeds: write a list"),
    ({"training": {"batch_size": 1}}, "training.batch_size: simcse with these settings compares"),
    ({"training": {"step": 60}}, "training.step: there is no such key. Did you mean steps?"),
    ({"training": {"snapshot_every": 60}}, "training.snapshot_every: there is only one snapshot"),
    ({"selection": {"pairs": "STSB-dve"}}, "selection.pairs: there is no pair set 'STSB-dve'"),
    ({"settings": {"temperature": 0}}, "settings.temperature: 0 should be greater than 0"),
    ({"recipe": "distillation"}, "settings: 'teacher' is missing"),
    ({"recipe": "consert", "settings": {"objective": "joint"}}, "data: the recipe consert"),
    ({"recipe": "mlm", "training": {"matryoshka": {"dimensions": [8]}}}, "training.matryoshka: mlm"),
]


def test_each_mistake_is_told_once_at_the_entry_as_it_is_written():
    entries = {
        f"mine-{number}": {key: value for key, value in merge(ENTRY, own).items() if value is not None}
        for number, (own, _) in enumerate(MISTAKES)
    }
    found = problems_of({"models": entries, "select": {**SELECT, "models": ["minilm-l6", *entries]}})
    assert len(found) == len(MISTAKES), found
    for number, (_, told) in enumerate(MISTAKES):
        assert any(problem.startswith(f"models.mine-{number}.{told}") for problem in found), (told, found)


def test_snapshots_is_a_synonym_of_snapshot_every():
    training = {**ENTRY["training"], "snapshots": 30}
    training.pop("snapshot_every")
    given = {
        "models": {"mine": {**ENTRY, "training": training}},
        "sweeps": {"s": {"grid": {"snapshots": [10]}}},
    }
    assert without_removed(given)["sweeps"] == {"s": {"grid": {"snapshot_every": [10]}}}
    found = experiment({"select": SELECT, "models": given["models"]})
    assert [scored_steps(entry) for entry in found.trained_models.values()] == [[0, 30, 60]] * 2


def test_an_entry_that_starts_from_itself_or_has_no_data_is_told():
    (circular,) = problems_of({"models": {"mine": {**ENTRY, "start": "mine"}}})
    assert circular.startswith("models.mine: mine → mine is circular")
    without = {key: value for key, value in ENTRY.items() if key != "data"}
    assert problems_of({"models": {"mine": without}})[0].startswith("models.mine: 'data' is missing.")


def test_reported_pair_sets_that_choose_snapshots_are_named():
    def named(**selection):
        entry = merge(ENTRY, {"selection": {"pairs": "STSB-test-sample", **selection}})
        return chosen_by_tests(experiment({"select": SELECT, "models": {"mine": entry}}))

    assert named() == {"STSB-test-sample": ["mine"]}
    assert named(rule="last", patience=2) == {"STSB-test-sample": ["mine"]}
    assert named(rule="last") == named(pairs="STSB-dev-sample") == {}


def test_another_read_out_after_condenser_is_refused():
    short = {**ENTRY, "training": {"steps": 2, "learning_rate": 1.0e-3, "batch_size": 8}}
    del short["selection"], short["seeds"]
    short["seed"] = 1
    first = {**short, "recipe": "condenser"}
    (later,) = problems_of(
        {"models": {"first": first, "mine": {**short, "start": "first", "pooling": "mean"}}}
    )
    assert later.startswith("models.mine.pooling: the recipe condenser, by which first was trained before,")
