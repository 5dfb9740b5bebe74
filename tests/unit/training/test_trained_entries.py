"""What a user may write wrongly in an entry of kind trained: one sentence for each mistake, at the entry as written."""

from types import SimpleNamespace

from experiments import experiment, mistakes
from small_chain import chain as small_chain

from sentflow.config.entries import merge
from sentflow.config.removed import without_removed
from sentflow.config.trained import chosen_by_tests
from sentflow.families.retrieval.family import Retrieval
from sentflow.families.training.family import Training
from sentflow.flow import paths
from sentflow.training.settings import TrainingSettings
from sentflow.training.snapshots import scored_steps, snapshot_steps

CHAIN = small_chain()

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


def asked(name, measure="RR@10"):
    return {"selection": {"pairs": None, "questions": name, "measure": measure}}


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
    ({"selection": {"questions": "municipal-laws-sample"}}, "selection: write either pairs or questions"),
    ({"selection": {"measure": "RR@10"}}, "selection.measure: 'RR@10' is no measure of pairs"),
    (asked("municipal-laws-sampel"), "selection.questions: there is no question set 'municipal-laws-sampel'"),
    (asked("zalo-2021-private"), "selection.questions: zalo-2021-private has no judgements"),
    (
        asked("municipal-laws-sample", measure="recall"),
        "selection.measure: 'recall' is no measure of questions",
    ),
    ({"selection": {"pairs": "held-out", "measure": "loss"}}, "training.held_out: the snapshot is chosen by"),
    ({"training": {"snapshot_every": "epoch"}}, "training.snapshot_every: steps have no epochs"),
    (
        {"training": {"held_out": 0.5}, "selection": {"pairs": "held-out", "measure": "average_precision"}},
        "selection.measure: average_precision is of a bi-encoder",
    ),
    ({"settings": {"temperature": 0}}, "settings.temperature: 0 should be greater than 0"),
    ({"recipe": "distillation"}, "settings: 'teacher' is missing"),
    ({"recipe": "consert", "settings": {"objective": "joint"}}, "data: the recipe consert"),
    ({"recipe": "mlm", "training": {"matryoshka": {"dimensions": [8]}}}, "training.matryoshka: mlm"),
]


def without_nulls(entry):
    if not isinstance(entry, dict):
        return entry
    return {key: without_nulls(value) for key, value in entry.items() if value is not None}


def test_each_mistake_is_told_once_at_the_entry_as_it_is_written():
    entries = {f"mine-{number}": without_nulls(merge(ENTRY, own)) for number, (own, _) in enumerate(MISTAKES)}
    found = problems_of({"models": entries, "select": {**SELECT, "models": ["minilm-l6", *entries]}})
    assert len(found) == len(MISTAKES), found
    for number, (_, told) in enumerate(MISTAKES):
        assert any(problem.startswith(f"models.mine-{number}.{told}") for problem in found), (told, found)


def test_a_sweep_whose_snapshots_no_pair_set_chooses_names_one_for_its_tables():
    sweep = {key: value for key, value in ENTRY.items() if key not in ("kind", "seeds")}
    sweep |= {"grid": {"method": {"plain": {}}, "seed": [1]}, "test": "STSB-test-sample"}
    chosen = {"questions": "municipal-laws-sample", "measure": "RR@10"}
    told = "sweeps.s.development: cells are compared by correlations"
    assert told in problems_of({"sweeps": {"s": {**sweep, "selection": chosen}}})[0]
    named = {**sweep, "selection": chosen, "development": "STSB-dev-sample"}
    experiment({"select": SELECT, "models": {"mine": ENTRY}, "sweeps": {"s": named}})


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


def test_the_questions_that_choose_are_searched_by_each_snapshot_and_are_neither_trained_on_nor_a_test():
    name, sets = "municipal-laws-training-sample", {"select": {"question_sets": ["municipal-laws-sample"]}}
    own = merge(
        CHAIN, {"models": {"round-1": {"training": {"steps": 4, "snapshot_every": 2}, **asked(name)}}}
    )
    own = without_nulls(own)
    assert any(f"selection.questions: of-bm25 trains on {name}" in one for one in mistakes(own))
    own["models"]["round-1"]["selection"]["questions"] = "municipal-laws-sample"
    shallow = {"retrieval": {"depth": 5}, **sets}
    assert any(
        "selection.measure: RR@10 is beyond retrieval.depth, 5" in one for one in mistakes(own, shallow)
    )
    found = experiment(own, sets)
    assert chosen_by_tests(found) == {"municipal-laws-sample": ["round-1"]}
    retrieval, training = Retrieval(found), Training(found)
    searches = retrieval.needed["municipal-laws-sample"]
    assert [one for one in searches if "/" in one] == [f"round-1-seed-1/step-00000{n}" for n in (0, 2, 4)]
    assert not any("/" in one for one in retrieval.shown)
    job = SimpleNamespace(model="round-1-seed-1", step="000002", questions="municipal-laws-sample")
    (run,) = training.of_development(paths.RUN)(job)
    assert run == "results/runs/municipal-laws-sample/round-1-seed-1/step-000002.parquet"
    job.retriever = "round-1-seed-1/step-000002"
    assert retrieval.vector_files["documents_info"](job)[0].startswith(f"results/embeddings/{job.retriever}/")


def test_an_epoch_ends_with_the_step_that_reads_its_last_row():
    settings = TrainingSettings(learning_rate=1.0, epochs=2.5, snapshot_every="epoch")
    assert snapshot_steps(settings, 25, 10) == [0, 10, 20, 25]
    assert snapshot_steps(settings, 8, 3) == [0, 3, 6, 8]
    accumulating = settings.model_copy(update={"epochs": 3, "accumulate": 3})
    assert snapshot_steps(accumulating, 10, 10) == [0, 4, 7, 10]


def test_another_read_out_after_condenser_is_refused():
    short = {**ENTRY, "training": {"steps": 2, "learning_rate": 1.0e-3, "batch_size": 8}}
    del short["selection"], short["seeds"]
    short["seed"] = 1
    first = {**short, "recipe": "condenser"}
    (later,) = problems_of(
        {"models": {"first": first, "mine": {**short, "start": "first", "pooling": "mean"}}}
    )
    assert later.startswith("models.mine.pooling: the recipe condenser, by which first was trained before,")
