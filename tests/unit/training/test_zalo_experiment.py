"""The published pipeline for Zalo 2021: every number that its programs and README state, and what users must write.

CuongNN218/zalo_ltr_2021@b63aa805, luyug/Condenser@74880ab8.
"""

from pathlib import Path

import pytest
import yaml

from sentflow.cli.training_estimate import estimated
from sentflow.errors import ConfigError
from sentflow.graph.config.entries import laid_over
from sentflow.graph.config.experiment import load_experiment
from sentflow.graph.targets import Targets
from sentflow.training.settings import TrainingSettings

REPOSITORY = Path(__file__).parents[3]
STARTS = ("phobert-large", "phobert-base", "vibert", "velectra", "phobert-large-raw")
ROUNDS = ("phobert-round", "vibert-round", "condenser-round", "cocondenser-round")
VARIANTS = {
    "models": [
        *(f"{name}-{end}" for name in ROUNDS for end in ("3", "2-top-50")),
        *("phobert-round-2-raw", "condenser-round-2-raw", "cocondenser-round-2-raw"),
        "phobert-pseudo",
        *("phobert-base-round-2", "velectra-round-2"),
    ],
    "retrievers": [
        *("published-round-3", "published-top-50", "published-raw", "published-pseudo"),
        *("phobert-base-round-2", "velectra-round-2"),
    ],
}


def read(name):
    return yaml.safe_load((REPOSITORY / name).read_text(encoding="utf-8"))


# What a user writes: a commit of each start, and the stop words
MINE = {
    "models": {name: {"source": {"revision": "0" * 40}} for name in STARTS},
    "analysers": {"vietnamese-zalo": {"stop_words": ["khoản"]}},
}


def loaded(*more):
    config = laid_over(read("config.yaml"), read("experiments/zalo.yaml"))
    for one in more:
        config = laid_over(config, one)
    return load_experiment(config, REPOSITORY / "workflow")


@pytest.fixture(scope="module")
def zalo():
    return loaded(MINE)


@pytest.fixture(scope="module")
def variants():
    selected = read("experiments/zalo.yaml")["select"]
    return loaded(MINE, {"select": {key: [*selected[key], *more] for key, more in VARIANTS.items()}})


def training_of(experiment, name):
    return TrainingSettings.of(experiment.entries["models"][name]["training"])


def settings_of(experiment, name):
    return experiment.entries["models"][name]["settings"]


def test_the_experiment_asks_for_the_commits_and_the_stop_list_that_are_not_here():
    with pytest.raises(ConfigError) as told:
        loaded()
    text = str(told.value)
    assert "models.phobert-large.source.revision: the catalog knows no commit" in text
    assert "models.vibert.source.revision: the catalog knows no commit" in text
    assert "analysers.vietnamese-zalo.stop_words.file: there is no file zalo-stopwords.txt" in text
    assert "3 mistakes" in text


def test_the_language_models_are_trained_as_published(zalo):
    for name in ("phobert-mlm", "vibert-mlm"):
        training = training_of(zalo, name)
        assert (training.epochs, training.batch_size, training.learning_rate) == (20, 32, 5e-5)
        assert (training.max_tokens, training.schedule, training.warm_up) == (256, "linear", 0)
        assert training.held_out == 0.05
        assert settings_of(zalo, name)["packing"] == "lines"
        assert settings_of(zalo, name)["masking"] == "tokens"
    assert zalo.entries["models"]["phobert-mlm"]["start"] == "phobert-large"
    assert zalo.entries["models"]["vibert-mlm"]["start"] == "vibert"
    assert zalo.entries["training_data"]["lines"]["collections"] == {
        "corpora": ["zalo-2021"], "question_sets": ["zalo-learnt"]
    }  # fmt: skip


def test_condenser_is_trained_as_published(zalo):
    training, settings = training_of(zalo, "condenser"), settings_of(zalo, "condenser")
    assert (settings["skip_from"], settings["layers"], settings["late_mlm"]) == (6, 2, True)
    assert (settings["masking"], settings["packing"]) == ("words", "packed")
    assert (training.batch_size, training.accumulate, training.epochs) == (32, 4, 8)
    assert (training.learning_rate, training.warm_up, training.weight_decay) == (5e-5, 0.1, 0.01)
    assert (training.max_tokens, training.precision) == (256, "float16-autocast")
    assert zalo.entries["models"]["condenser"]["start"] == "phobert-mlm"


def test_cocondenser_is_trained_as_published(zalo):
    training, settings = training_of(zalo, "cocondenser"), settings_of(zalo, "cocondenser")
    assert (training.batch_size, training.accumulate, training.epochs) == (32, 1, 10)
    assert (training.learning_rate, training.last_batch, training.gradient_cache) == (5e-5, "drop", True)
    assert training.chunk_tokens == 32 * 256  # cache_chunk_size 32
    assert (settings["skip_from"], settings["layers"], settings["late_mlm"]) == (6, 2, True)
    assert settings["defects"] == ["language-model-twice"]
    assert zalo.entries["models"]["cocondenser"]["start"] == "condenser"


@pytest.mark.parametrize(
    ("name", "start", "pooling"),
    [
        ("phobert", "phobert-mlm", "mean"),
        ("vibert", "vibert-mlm", "mean"),
        ("condenser", "condenser", "cls"),
        ("cocondenser", "cocondenser", "cls"),
    ],
)
@pytest.mark.parametrize(
    ("ending", "most", "rounds"),
    # 1,000 steps of warm-up among the steps that 2,992 relevant articles and the negatives of 2,897 questions give
    [
        ("", 20, {"round-1": (10, 0.05), "round-2": (5, 0.1)}),
        ("-top-50", 50, {"round-1": (10, 0.02), "round-2": (5, 0.04)}),
    ],
)
def test_bi_encoders_are_trained_as_published(variants, name, start, pooling, ending, most, rounds):
    starts = {"round-1": start, "round-2": f"{name}-round-1{ending}"}
    miners = {"round-1": "bm25plus-zalo", "round-2": f"{name}-round-1{ending}"}
    for turn, (epochs, warm_up) in rounds.items():
        entry = variants.entries["models"][f"{name}-{turn}{ending}"]
        training = TrainingSettings.of(entry["training"])
        assert (entry["start"], entry["pooling"], entry["max_tokens"]) == (starts[turn], pooling, 256)
        assert entry["settings"] == {"loss": "contrastive", "margin": 0.5}
        assert (training.epochs, training.batch_size, training.learning_rate) == (epochs, 32, 1e-5)
        assert (training.weight_decay, training.schedule, training.max_tokens) == (0.01, "linear", 256)
        assert (training.precision, training.warm_up) == ("float16-autocast", warm_up)
        n_steps = (2992 + most * 2897) * epochs / 32
        assert warm_up * n_steps == pytest.approx(1000, rel=0.1)
        data = variants.entries["training_data"][entry["data"]]
        assert (data["form"], data["questions"]) == ("labelled", ["zalo-learnt"])
        assert data["negatives"] == {
            "retriever": miners[turn], "ranks": [1, most], "number": "all", "choice": "first"
        }  # fmt: skip
        assert variants.entries["retrievers"][f"{name}-{turn}{ending}"]["model"] == f"{name}-{turn}{ending}"


def test_bm25_the_ensemble_and_the_window_are_the_published_ones(zalo):
    retrievers = zalo.entries["retrievers"]
    bm25 = retrievers["bm25plus-zalo"]
    assert (bm25["variant"], bm25["k1"], bm25["b"], bm25["delta"]) == ("bm25+", 0.4, 0.6, 1)
    published = retrievers["published"]
    assert dict(zip(published["of"], published["weights"], strict=True)) == {
        "phobert-round-2": 0.1, "condenser-round-2": 0.3, "cocondenser-round-2": 0.4, "vibert-round-2": 0.2
    }  # fmt: skip
    assert (published["rule"], published["normalise"]) == ("sum", "none")
    assert published["times"] == "bm25plus-zalo"
    window = zalo.entries["decisions"]["published-window"]
    assert (window["retrievers"], window["window"], window["most"]) == (["published"], 2.6, 5)


def test_nothing_is_chosen_or_measured_on_questions_that_were_trained_on(zalo):
    sets = zalo.entries["question_sets"]
    learnt, held_out = sets["zalo-learnt"], sets["zalo-held-out"]
    assert not set(learnt["part"]["keep"]) & set(held_out["part"]["keep"])
    assert learnt["part"]["of"] == held_out["part"]["of"]
    assert learnt["rows"] + held_out["rows"] == sets["zalo-2021-train"]["rows"] == 3196
    assert learnt["judged"] + held_out["judged"] == sets["zalo-2021-train"]["judged"] == 3298
    for entry in zalo.entries["training_data"].values():
        assert "zalo-held-out" not in entry.get("questions", [])
    tuned = [
        zalo.entries["retrievers"][name]["weights"]["tuned_on"] for name in ("better", "published-tuned")
    ]
    tuned += [zalo.entries["decisions"][name]["tuned_on"] for name in ("tuned-window", "tuned-share")]
    assert tuned == [["zalo-held-out"]] * 4


def test_phobert_reads_words_marked_and_vibert_does_not(variants):
    reads = {name: entry.get("segment") for name, entry in variants.entries["models"].items()}
    trained = [name for name, entry in variants.entries["models"].items() if entry["kind"] == "trained"]
    plain = [name for name in trained if name.startswith(("vibert", "velectra")) or name.endswith("-raw")]
    of_file = read("experiments/zalo.yaml")["models"]
    for name in of_file:
        assert reads[name] == (None if name in plain or name == "phobert-large-raw" else "vietnamese-words")


def test_what_mines_and_is_not_shown_searches_the_questions_that_it_mines_for_alone(zalo):
    retrieval = Targets(zalo).families["retrieval"]
    searched = {path.removesuffix(".parquet") for path in retrieval.runs()}
    assert {path.removesuffix(".made.json") for path in retrieval.run_costs()} <= searched
    mining = {path for path in searched if "ranking-1" in path}
    assert mining and all("/zalo-learnt/" in path for path in mining)


def test_better_rounds_rank_and_keep_their_distance(zalo):
    for name in ("phobert", "vibert", "condenser", "cocondenser"):
        for turn, miner in ((1, "bm25plus-zalo"), (2, f"{name}-ranking-1")):
            entry = zalo.entries["models"][f"{name}-ranking-{turn}"]
            data = zalo.entries["training_data"][entry["data"]]
            assert (entry["settings"]["loss"], data["form"]) == ("ranking", "triplets")
            assert (data["negatives"]["retriever"], data["negatives"]["margin"]) == (miner, 0.05)


def test_a_third_round_pseudo_labels_and_raw_texts_are_defined_and_not_run(zalo, variants):
    arms = ("round-3", "raw", "pseudo")
    named = [name for name in read("experiments/zalo.yaml")["models"] if any(arm in name for arm in arms)]
    assert len(named) == 4 + 10 + 1
    assert not set(named) & set(zalo.fetched_models)
    assert set(named) <= set(variants.fetched_models)


@pytest.mark.parametrize("which", ["zalo", "variants"])
def test_everything_that_it_trains_is_planned_and_estimated(which, request):
    experiment = request.getfixturevalue(which)
    found = estimated(experiment)
    assert None not in found.values()
    jobs = Targets(experiment).families["training"].jobs()
    assert jobs["train"] == len(found) == {"zalo": 20, "variants": 47}[which]
    assert {entry["seed"] for entry in experiment.trained_models.values()} == {42}
