"""Which jobs run again after a change of the configuration: exactly those that read what was changed."""

from pathlib import Path
from typing import Any

import pytest
from workflow_copy import copy_workflow, planned, pretend_to_run, rules_of

TABLES_OF_SCORES = ("scores", "intervals", "differences", "ranks", "matches", "power")
TABLES = (*TABLES_OF_SCORES, "tasks", "encoders", "costs")
FIGURES_OF_COMPARISONS = ("ranks", "wins", "differences", "differences-to-best", "score-and-cost")
FIGURES = ("heatmap", "forest", "family-means", *FIGURES_OF_COMPARISONS, "curves", "costs")
SUMMARIES = {
    "compare",
    "summarise",
    "summarise_costs",
    *(f"table {name}" for name in TABLES),
    *(f"figure {name}" for name in FIGURES),
    *(f"check {name}" for name in ("complete", "no_missing", "intervals", "controls", "tables", "figures")),
    "report",
}
AFTER_COMPARE = {
    *(f"table {name}" for name in TABLES_OF_SCORES),
    *(f"figure {name}" for name in FIGURES_OF_COMPARISONS),
    "check tables",
    "check figures",
}
AFTER_COMPARE_SIMILARITY = {"table sts", "table sts-differences", "check similarity"}
COSTS = {
    "summarise_costs",
    *(f"table {name}" for name in ("encoders", "costs")),
    *(f"figure {name}" for name in ("score-and-cost", "costs")),
    "check figures",
}
TABLES_OF_MEASURES = ("sts", "sts-subsets", "sts-differences", "regressions", "alignments", "geometry")
FIGURES_OF_MEASURES = ("alignment-uniformity", "similarity-histograms", "spectrum", "truncation")
# What shows similarity, alignment and geometry.
AFTER_MEASURES = {
    "summarise_similarity",
    "summarise_geometry",
    *COSTS,
    *(f"table {name}" for name in TABLES_OF_MEASURES),
    *(f"figure {name}" for name in FIGURES_OF_MEASURES),
    "check similarity",
    "report",
}
# The record tells the configuration.
SUMMARIES_AND_RECORD = SUMMARIES | {"record"}
TASKS = ("T1B-tiny", "G3-tiny", "F3-tiny")
DATASETS = ("tiny-public", "tiny-exams")
FAMILIES = ("tiny-sentences", "tiny-sentences-permuted")
PAIR_SETS = ("STS12-tiny", "STSB-tiny")
PINNED = {
    "kind": "sentence-transformers",
    "source": {"hub": "somebody/encoder", "revision": "a" * 40},
    "title": "Pinned",
    "licence": "MIT",
    "citation": "none",
}
MODELS = ["bag-of-words", "tfidf", "random"]
CONTROLS = {"bag-of-words", "random"}


def embedded(model: str) -> set[str]:
    return {f"embed {model}/{dataset}" for dataset in (*DATASETS, *FAMILIES)}


def scored(model: str) -> set[str]:
    return {f"similarity {pairs}/{model}" for pairs in PAIR_SETS}


def described(model: str) -> set[str]:
    return {f"align STSB-tiny/{model}", f"geometry tiny-sentences/{model}"}


def measured(model: str) -> set[str]:
    """What is made of a model's vectors of pair sets, and what follows."""
    own = scored(model) | described(model) | {f"regress STSB-tiny/{model}"}
    return own | {"compare_similarity"} | AFTER_MEASURES


def probed(model: str) -> set[str]:
    rule = "probe_lazy" if model == "tfidf" else "probe"
    probes = {f"{name} {task}/{model}" for task in TASKS for name in (rule, "score")}
    # controls are not asked which texts are hard
    return probes if model in CONTROLS else probes | all_hardest()


def all_hardest() -> set[str]:
    return {f"hardest {task}" for task in TASKS}


def all_audits() -> set[str]:
    return {f"audit {task}" for task in TASKS}


def all_scores() -> set[str]:
    return {f"score {task}/{model}" for task in TASKS for model in MODELS}


def all_probes_and_scores() -> set[str]:
    return set().union(*(probed(model) for model in MODELS))


def with_pinned(**changes: Any) -> dict[str, Any]:
    return {"models": {"pinned": {**PINNED, **changes}}, "select": {"models": [*MODELS, "pinned"]}}


@pytest.mark.parametrize(
    "config",
    [
        {"mirrors": ["https://mirror.example.org", "/a/folder"]},
        {"limits": {"unpacked_bytes": 8_000_000_000, "answer_bytes": 10}},
        {"probe": {"job": "fold"}},
        {"probe": {"job": "repetition"}},
    ],
    ids=str,
)
def test_what_changes_no_result_runs_nothing(finished, config):
    assert planned(finished, config) == set()


def test_entries_that_are_not_selected_change_only_the_record(finished):
    config = {"models": {"minilm-l6": {"title": "Other"}}, "tasks": {"T1A": {"title": "Other"}}}
    assert planned(finished, config) == {"record", "report"}


@pytest.mark.parametrize("key", [{"classifier": "mlp"}, {"metric": "adjusted_macro_f1"}], ids=str)
def test_a_setting_of_one_task_runs_only_its_probes(finished, key):
    own = {
        f"{rule} T1B-tiny/{model}"
        for model in MODELS
        for rule in ("score", "probe_lazy" if model == "tfidf" else "probe")
    }
    own.add("hardest T1B-tiny")
    assert planned(finished, {"tasks": {"T1B-tiny": key}}) == own | SUMMARIES_AND_RECORD


def test_what_a_task_says_of_its_texts_runs_only_what_reads_it(finished):
    config = {"tasks": {"T1B-tiny": {"language": "en", "offensive": False}}}
    assert planned(finished, config) == {"audit T1B-tiny", "hardest T1B-tiny", "record", "report"}


@pytest.mark.parametrize("key", [{"folds": 3}, {"repetitions": 3}, {"seed": 1}], ids=str)
def test_the_cross_validation_runs_probes_but_embeds_nothing(finished, key):
    # the audit says what the folds tear apart
    expected = all_audits() | all_probes_and_scores() | SUMMARIES_AND_RECORD
    assert planned(finished, {"probe": key}) == expected


def test_the_kind_of_device_runs_every_probe_again_and_its_number_none(project):
    every = all_probes_and_scores() | SUMMARIES_AND_RECORD
    assert planned(project, {"probe": {"device": "cuda:0"}}) == every
    pretend_to_run(project, {"probe": {"device": "cuda:0"}})
    assert planned(project, {"probe": {"device": "cuda:1"}}) == {"record", "report"}


@pytest.mark.parametrize("key", [{"n_item_resamples": 300}, {"n_resamples": 300}, {"level": 0.9}], ids=str)
def test_statistics_run_no_probe(finished, key):
    expected = all_scores() | all_hardest() | SUMMARIES_AND_RECORD
    if "n_resamples" not in key:  # that of the published bootstrap
        expected |= {f"overlap {pairs}/jaccard-words" for pairs in PAIR_SETS} | {"compare_similarity"}
        expected |= AFTER_MEASURES.union(*(scored(model) | described(model) for model in CONTROLS))
    assert planned(finished, {"statistics": key}) == expected


@pytest.mark.parametrize("key", [{"rope": 0.02}, {"alpha": 0.01}], ids=str)
def test_settings_of_tests_run_the_comparison_alone(finished, key):
    expected = AFTER_COMPARE | {"compare", "record", "report"}
    if "alpha" in key:
        expected |= AFTER_COMPARE_SIMILARITY | {"compare_similarity"}
    assert planned(finished, {"statistics": key}) == expected


def test_a_setting_of_one_model_runs_only_its_jobs(finished):
    config = {"models": {"random": {"seed": 1}}}
    own = {"fetch_model random"} | embedded("random") | probed("random") | measured("random")
    assert planned(finished, config) == own | SUMMARIES_AND_RECORD


def test_a_setting_of_a_lazy_model_runs_only_its_jobs(finished):
    config = {"models": {"tfidf": {"max_features": 100}}}
    assert planned(finished, config) == {"fetch_model tfidf"} | probed("tfidf") | SUMMARIES_AND_RECORD


def test_a_new_model_runs_only_its_jobs(finished):
    own = {"fetch_model pinned"} | embedded("pinned") | probed("pinned") | measured("pinned")
    assert planned(finished, with_pinned()) == own | SUMMARIES_AND_RECORD


def test_a_dropped_model_runs_only_summaries(finished):
    expected = SUMMARIES_AND_RECORD | AFTER_MEASURES | {"compare_similarity"}
    assert planned(finished, {"select": {"models": ["tfidf", "random"]}}) == expected


def test_without_another_model_controls_say_which_texts_are_hard(finished):
    config = {"select": {"models": ["bag-of-words", "random"]}}
    assert planned(finished, config) == all_hardest() | SUMMARIES_AND_RECORD


def test_another_order_runs_only_summaries(finished):
    measures = AFTER_MEASURES | {"compare_similarity"}
    assert planned(finished, {"select": {"models": MODELS[::-1]}}) == SUMMARIES_AND_RECORD | measures
    assert planned(finished, {"select": {"tasks": list(TASKS[::-1])}}) == SUMMARIES_AND_RECORD


def test_a_new_task_on_new_data_runs_only_its_jobs(finished):
    dataset = {"title": "New", "seed": 9, "licence": "MIT", "citation": "none", "language": "pt"}
    config = {
        "datasets": {"new": {**dataset, "files": {"new.csv": {"generator": "F1A"}}}},
        "tasks": {"F1A-new": {"like": "F1A-sample", "dataset": "new", "reader": {"file": "new.csv"}}},
        "select": {"tasks": [*TASKS, "F1A-new"]},
    }
    own = {"generate new/new.csv", "prepare F1A-new", "collect new"}
    own |= {"embed bag-of-words/new", "embed random/new", "probe_lazy F1A-new/tfidf"}
    own |= {"probe F1A-new/bag-of-words", "probe F1A-new/random"}
    own |= {f"score F1A-new/{model}" for model in MODELS} | {"audit F1A-new", "hardest F1A-new"}
    assert planned(finished, config) == own | SUMMARIES_AND_RECORD


def test_one_more_task_of_known_data_embeds_nothing(tmp_path):
    project = copy_workflow(tmp_path / "project")
    pretend_to_run(project, {"select": {"tasks": ["T1B-tiny", "F3-tiny"]}})
    own = {"probe G3-tiny/bag-of-words", "probe G3-tiny/random", "probe_lazy G3-tiny/tfidf"}
    own |= {f"score G3-tiny/{model}" for model in MODELS} | {"audit G3-tiny", "hardest G3-tiny"}
    assert planned(project) == own | SUMMARIES_AND_RECORD


def test_a_seed_of_sample_data_runs_only_that_dataset(finished):
    own = {"generate tiny-exams/exams.csv", "prepare F3-tiny", "collect tiny-exams"}
    own |= {"embed bag-of-words/tiny-exams", "embed random/tiny-exams", "probe_lazy F3-tiny/tfidf"}
    own |= {"probe F3-tiny/bag-of-words", "probe F3-tiny/random"}
    own |= {f"score F3-tiny/{model}" for model in MODELS} | {"audit F3-tiny", "hardest F3-tiny"}
    assert planned(finished, {"datasets": {"tiny-exams": {"seed": 5}}}) == own | SUMMARIES_AND_RECORD


def test_titles_run_only_what_prints_them(finished):
    of_experiment = {"experiment": {"title": "Another title"}}
    tables = {job for job in SUMMARIES | AFTER_MEASURES if job.startswith("table")}
    checks = {"check tables", "check similarity"}
    assert planned(finished, of_experiment) == tables | checks | {"record", "report"}
    assert planned(finished, {"models": {"tfidf": {"title": "TF-IDF"}}}) == SUMMARIES_AND_RECORD


@pytest.fixture(scope="module")
def finished_with_pinned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = copy_workflow(tmp_path_factory.mktemp("pinned") / "project")
    pretend_to_run(project, with_pinned())
    return project


@pytest.mark.parametrize(
    ("changes", "first"),
    [
        ({"source": {"hub": "somebody/encoder", "revision": "b" * 40}}, {"fetch_model pinned"}),
        ({"max_tokens": 64}, set()),
        ({"prompt": "query: "}, set()),
        ({"pooling": "last-two"}, set()),
        ({"truncate_dim": 64}, set()),
        ({"dtype": "bfloat16"}, set()),
        ({"backend": "onnx"}, set()),
    ],
    ids=["revision", "max_tokens", "prompt", "pooling", "truncate_dim", "dtype", "backend"],
)
def test_a_revision_or_encode_setting_runs_only_that_model(finished_with_pinned, changes, first):
    expected = first | embedded("pinned") | probed("pinned") | measured("pinned") | SUMMARIES_AND_RECORD
    assert planned(finished_with_pinned, with_pinned(**changes)) == expected


def test_how_a_service_is_reached_asks_for_nothing_again(tmp_path):
    def config(**keys: Any) -> dict[str, Any]:
        service = {
            "kind": "api",
            "url": "https://api.example.org/v1/embeddings",
            "model": "m",
            "dimension": 4,
        }
        described = {"title": "Service", "licence": "none", "citation": "none"}
        models = {"service": {**service, **described, **keys}}
        return {"models": models, "select": {"tasks": ["T1B-tiny"], "models": ["random", "service"]}}

    project = copy_workflow(tmp_path / "project")
    pretend_to_run(project, config())
    assert planned(project, config(key_variable="SENTFLOW_KEY_LAB", batch_texts=8, attempts=2)) == {
        "record",
        "report",
    }
    asked_again = planned(project, config(prompt="query: "))
    assert "embed service/tiny-public" in asked_again and "fetch_model service" not in asked_again


def test_another_device_runs_only_what_prints_the_entry(finished_with_pinned):
    jobs = planned(finished_with_pinned, with_pinned(device=["cuda:0", "cuda:1"]))
    assert jobs == {"report", "record"}


def test_a_prompt_of_a_task_runs_only_that_task_of_that_model(finished_with_pinned):
    prompts = {"prompts": {"law": "Lei: ", "query": "Busca: "}}
    assert planned(finished_with_pinned, with_pinned(**prompts)) == {"report", "record"}
    prompts["prompt_names"] = {"tasks": {"G3-tiny": "law"}}
    own = {
        "collect tiny-public/G3-tiny",
        "embed pinned/tiny-public/G3-tiny",
        "probe G3-tiny/pinned",
        "score G3-tiny/pinned",
    }
    own.add("hardest G3-tiny")
    assert planned(finished_with_pinned, with_pinned(**prompts)) == own | SUMMARIES_AND_RECORD


def test_another_address_of_the_same_file_runs_nothing(tmp_path):
    def config(address: str, sha256: str) -> dict[str, Any]:
        file = {"urls": [address], "sha256": sha256}
        return {
            "datasets": {"offcombr-2": {"files": {"OffComBR2.arff": file}}},
            "select": {"tasks": ["T1B-open"], "models": ["random"]},
        }

    project = copy_workflow(tmp_path / "project")
    pretend_to_run(project, config("https://one.example.org/a.arff", "1" * 64))
    # the record tells the configuration, and the report tells where data come from
    other_address = config("https://two.example.org/b.arff", "1" * 64)
    assert planned(project, other_address) == {"record", "report"}
    other_bytes = planned(project, config("https://one.example.org/a.arff", "2" * 64))
    assert {"download offcombr-2/OffComBR2.arff", "prepare T1B-open", "probe T1B-open/random"} < other_bytes
    assert "fetch_model random" not in other_bytes


OWN = """
import beside

class Mine:
    lazy = LAZY
    def fit(self, texts): ...
    def METHOD(self, texts): ...
"""
OWN_MODEL = {"models": {"mine": {"kind": "custom", "custom": "mine.py:Mine"}}, "select": {"models": ["mine"]}}


@pytest.mark.parametrize(
    ("method", "lazy", "rules"),
    [
        ("encode", False, {"embed", "probe"}),
        pytest.param("encode", True, {"probe_lazy"}, marks=pytest.mark.slow),
        pytest.param("embed", True, {"probe_lazy"}, marks=pytest.mark.slow),
        pytest.param("embed", False, {"featurise", "probe_featurised"}, marks=pytest.mark.slow),
    ],
)
def test_an_edit_of_an_own_encoder_or_of_a_file_beside_it_runs_only_its_jobs(tmp_path, method, lazy, rules):
    project = copy_workflow(tmp_path / "project")
    code = OWN.replace("LAZY", str(lazy)).replace("METHOD", method)
    (project / "mine.py").write_text(code, encoding="utf-8")
    (project / "beside.py").write_text("", encoding="utf-8")
    (project / "other.py").write_text("", encoding="utf-8")
    pretend_to_run(project, OWN_MODEL)
    (project / "other.py").write_text("x = 1", encoding="utf-8")
    (project / "mine.py").touch()
    assert planned(project, OWN_MODEL) == set()
    expected = {"fetch_model", "score", "hardest", *rules} | rules_of(SUMMARIES)
    if "embed" in rules:
        expected |= rules_of(measured("mine"))
    for name in ("beside.py", "mine.py"):
        before = (project / name).read_text(encoding="utf-8")
        (project / name).write_text(before + "# edited\n", encoding="utf-8")
        assert rules_of(planned(project, OWN_MODEL)) == expected, name
        (project / name).write_text(before, encoding="utf-8")


STUDY = {
    "protocols": {"narrow": {"like": "published", "title": "Narrow", "switches": {"reflect_bca": False}}},
    "study": {"protocols": ["corrected", "narrow"]},
    "report": {"tables": [*TABLES, *TABLES_OF_MEASURES, "protocols"]},
}


def test_a_study_runs_its_own_protocols_and_nothing_of_the_scores(finished):
    own = {f"score_study corrected/{task}/{model}" for task in TASKS for model in MODELS}
    own |= {f"probe_study corrected/{task}/{model}" for task in TASKS for model in ("bag-of-words", "random")}
    own |= {f"probe_lazy_study corrected/{task}/tfidf" for task in TASKS}
    # a protocol that differs in its statistics scores the folds that are there
    own |= {f"score_study narrow/{task}/{model}" for task in TASKS for model in MODELS}
    own |= {"compare_protocol corrected", "compare_protocol narrow", "table protocols"}
    assert planned(finished, STUDY) == own | {"record", "report"}


def test_a_study_shares_the_vectors_of_prompts_and_own_encoders(tmp_path):
    """Whatever makes the features, a protocol more trains and scores, and embeds nothing."""
    code = OWN.replace("LAZY", "False").replace("METHOD", "embed")
    prompts = {"prompts": {"q": "Q: ", "d": "D: "}}
    prompts["prompt_names"] = {"tasks": {"G3-tiny": {"query": "q", "document": "d"}, "T1B-tiny": "q"}}
    base = {
        "models": {"pinned": {**PINNED, **prompts}, **OWN_MODEL["models"]},
        "select": {"models": ["pinned", "mine"], "tasks": ["T1B-tiny", "G3-tiny"]},
    }
    project = copy_workflow(tmp_path / "project")
    (project / "mine.py").write_text(code, encoding="utf-8")
    (project / "beside.py").write_text("", encoding="utf-8")
    pretend_to_run(project, base)
    study = {**STUDY, "study": {"protocols": ["corrected"]}}
    own = {
        f"{rule} corrected/{task}/{model}"
        for task in ("T1B-tiny", "G3-tiny")
        for model, probe in (("pinned", "probe_study"), ("mine", "probe_featurised_study"))
        for rule in (probe, "score_study")
    }
    own |= {"compare_protocol corrected", "table protocols", "record", "report"}
    assert planned(project, {**base, **study}) == own


def test_another_protocol_runs_every_probe_and_embeds_nothing(finished):
    changed = planned(finished, {"tasks": {task: {"protocol": "corrected"} for task in TASKS}})
    assert changed == all_probes_and_scores() | SUMMARIES_AND_RECORD


def test_the_protocol_of_a_task_runs_the_probes_of_that_task(finished):
    changed = planned(finished, {"tasks": {"T1B-tiny": {"protocol": "corrected"}}})
    own = {job for job in all_probes_and_scores() if "T1B-tiny" in job}
    assert own < changed
    assert changed - own <= SUMMARIES_AND_RECORD
    assert not changed & (all_probes_and_scores() - own)
