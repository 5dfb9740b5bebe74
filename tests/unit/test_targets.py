import copy
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from sentflow.errors import ConfigError
from sentflow.graph import paths
from sentflow.graph.config.experiment import load_experiment
from sentflow.graph.job_settings import one_of
from sentflow.graph.provenance import code
from sentflow.graph.targets import Targets
from sentflow.probing.protocol.design import ACCELERATOR, REGULARISED_PROBES

REPOSITORY = Path(__file__).parents[2]
BASE = yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8"))
BASE["select"] = {"models": ["tfidf", "random"], "tasks": ["T1A-sample", "F3-sample", "T2A-open"]}
BASE["probe"] |= {"repetitions": 2, "folds": 5}

PLACES = SimpleNamespace(
    task="T1A-sample",
    model="random",
    dataset="sample-tasks",
    collection="sample-tasks",
    file="hatebr_offensive_lang.csv",
    table="published",
    check="complete",
)
SETTINGS = [
    "download_settings",
    "prepare_settings",
    "prepare_checks",
    "fetch_settings",
    "encode_settings",
    "probe_settings",
    "score_settings",
    "summarise_settings",
    "table_settings",
    "check_settings",
    "report_settings",
    "record_settings",
]


def targets(**changes: Any) -> Targets:
    """Of the base configuration with values set: ``probe__job=…`` sets ``probe.job``."""
    config = copy.deepcopy(BASE)
    for place, value in changes.items():
        *parents, key = place.split("__")
        section = config
        for parent in parents:
            section = section[parent]
        section[key] = value
    return Targets(load_experiment(config, REPOSITORY / "workflow"))


def settings_of(chosen: Targets, places: SimpleNamespace = PLACES) -> dict[str, Any]:
    parts = (chosen, chosen.encoders, chosen.families["probing"])
    owner = {name: next(part for part in parts if hasattr(part, name)) for name in SETTINGS}
    return {name: getattr(owner[name], name)(places) for name in SETTINGS}


def changed(places: SimpleNamespace = PLACES, **changes: Any) -> set[str]:
    """Settings that a change of the configuration touches."""
    before, after = settings_of(targets(), places), settings_of(targets(**changes), places)
    return {name for name in SETTINGS if before[name] != after[name]}


# --- lists of files


def test_scores_come_task_after_task():
    assert targets().families["probing"].scores() == [
        "results/scores/T1A-sample/tfidf.json",
        "results/scores/T1A-sample/random.json",
        "results/scores/F3-sample/tfidf.json",
        "results/scores/F3-sample/random.json",
        "results/scores/T2A-open/tfidf.json",
        "results/scores/T2A-open/random.json",
    ]


def test_score_tables_are_in_the_order_of_the_scores():
    chosen = targets()
    assert [
        name.replace(".parquet", ".json") for name in chosen.families["probing"].score_tables()
    ] == chosen.families["probing"].scores()


def test_lazy_encoders_have_no_embeddings():
    assert targets().embeddings() == [
        f"results/embeddings/random/{dataset}.npy" for dataset in ("sample-tasks", "factnews")
    ]


def test_every_fold_of_every_task_and_encoder_is_asked_for_once():
    files = targets().families["probing"].probes()
    assert len(files) == len(set(files)) == 3 * 2 * 2 * 5
    assert files[0] == "results/probes/T1A-sample/tfidf/rep-1/fold-1.parquet"


def test_tables_and_figures_come_in_every_format():
    chosen = targets(report__tables=["scores"], report__figures=["heatmap"])
    forms = (".csv", ".md", ".tex", "-wide.csv", "-compact.tex")
    assert chosen.tables() == [f"results/tables/scores{ending}" for ending in forms]
    assert chosen.figures() == [f"results/figures/heatmap.{ending}" for ending in ("pdf", "png", "svg")]


# --- jobs


@pytest.mark.parametrize(
    ("job", "n_outputs", "n_jobs"), [("fold", 1, 10), ("repetition", 5, 2), ("task", 10, 1)]
)
def test_jobs_of_a_task_write_each_fold_once(job, n_outputs, n_jobs):
    chosen = targets(probe__job=job)
    outputs = chosen.families["probing"].fold_outputs()
    assert len(outputs) == n_outputs
    jobs = {
        tuple(pattern.format(task="T1A-sample", model="random", rep=rep, fold=fold) for pattern in outputs)
        for rep in (1, 2)
        for fold in range(1, 6)
    }
    assert len(jobs) == n_jobs
    wanted = chosen.families["probing"].folds(PLACES)
    assert sorted(file for files in jobs for file in files) == sorted(wanted)


@pytest.mark.parametrize("job", ["fold", "repetition", "task"])
def test_outputs_and_log_of_a_job_have_the_same_wildcards(job):
    chosen = targets(probe__job=job)
    wildcards = {
        frozenset(re.findall(r"{(\w+)}", name)) for name in chosen.families["probing"].fold_outputs()
    }
    assert wildcards == {frozenset(re.findall(r"{(\w+)}", chosen.families["probing"].job_key()))}


def test_files_and_settings_of_a_fold_do_not_depend_on_the_job():
    assert changed(probe__job="fold") == set()
    assert targets(probe__job="fold").families["probing"].probes() == targets().families["probing"].probes()


# --- inputs


def test_inputs_of_a_task_are_those_of_its_dataset():
    chosen = targets()
    assert chosen.families["probing"].raw_files_of_task(PLACES) == [
        "results/data/raw/sample-tasks/hatebr_offensive_lang.csv"
    ]
    assert chosen.families["probing"].texts(PLACES) == "results/data/texts/sample-tasks.parquet"
    assert chosen.families["probing"].embeddings(PLACES) == "results/embeddings/random/sample-tasks.npy"
    assert chosen.families["probing"].embeddings_info(PLACES) == "results/embeddings/random/sample-tasks.json"


def test_texts_of_a_dataset_come_from_tasks_that_are_not_selected_too():
    tasks = targets().tables_of_collection(SimpleNamespace(collection="factnews"))
    assert tasks == ["results/data/tasks/T2A-open.parquet", "results/data/tasks/T2B-open.parquet"]
    unselected = SimpleNamespace(task="T2B-open")
    (file,) = targets().families["probing"].raw_files_of_task(unselected)
    assert file.endswith("factnews_dataset_factuality_design.csv")


def test_costs_are_read_by_what_shows_costs_alone():
    chosen = targets()
    assert chosen.files_of("table")(SimpleNamespace(table="costs")) == [paths.COSTS]
    assert paths.SUMMARY in chosen.files_of("table")(SimpleNamespace(table="scores"))
    of_figure = chosen.files_of("figure")
    sources = [of_figure(SimpleNamespace(figure=name)) for name in ("curves", "costs", "forest")]
    assert sources == [[paths.SUMMARY, paths.CURVES], [paths.COSTS], [paths.SUMMARY]]
    assert of_figure(SimpleNamespace(figure="score-and-cost")) == [paths.ENCODERS, paths.RANKS]


def test_comparisons_are_read_by_what_shows_them_alone():
    chosen = targets()
    read = {
        name: chosen.files_of("table")(SimpleNamespace(table=name))
        for name in ("scores", "power", "tasks", "costs")
    }
    assert read == {
        "scores": [paths.SUMMARY, paths.PAIRS, paths.STANDINGS],
        "power": [paths.SUMMARY, paths.PAIRS, paths.POWER],
        "tasks": [paths.SUMMARY],
        "costs": [paths.COSTS],
    }
    assert chosen.files_of("figure")(SimpleNamespace(figure="differences")) == [paths.SUMMARY, paths.PAIRS]
    assert paths.SUMMARY in chosen.files_of("figure")(SimpleNamespace(figure="ranks"))


def test_the_check_of_figures_reads_what_was_measured_of_each():
    chosen = targets()
    check = SimpleNamespace(check="figures")
    read = chosen.files_of("check")(check)
    assert read == [paths.FIGURE_INSPECTION.format(figure=name) for name in chosen.selected("figures")]
    assert set(read) <= set(chosen.summaries_of_page())
    assert json.loads(chosen.check_settings(check)) == {"random_models": ["random"]}


def test_without_figures_there_is_no_check_of_them():
    assert "figures" not in targets(report={"tables": [], "figures": [], "checks": ["figures"]}).selected(
        "checks"
    )


def test_only_the_check_of_tables_reads_tables():
    chosen = targets()
    assert chosen.tables_of_check(SimpleNamespace(check="complete")) == []
    read = chosen.tables_of_check(SimpleNamespace(check="tables"))
    assert "results/tables/scores.md" in read
    assert "results/tables/scores.tex" in read
    assert not any(file.endswith(".csv") for file in read)


PROMPTED = {
    "kind": "sentence-transformers",
    "source": {"folder": "x"},
    "prompts": {"law": "Lei: ", "query": "Busca: "},
    "prompt_names": {"tasks": {"T1A-sample": "law"}},
    "device": "cuda:1",
    "backend": "onnx",
}


def prompted() -> Targets:
    return targets(models={"prompted": PROMPTED}, select__models=["tfidf", "random", "prompted"])


def test_texts_of_a_task_with_a_prompt_of_its_own_have_embeddings_of_their_own():
    chosen = prompted()
    names = [name for name in chosen.embeddings() if "/prompted/" in name]
    assert names == [
        "results/embeddings/prompted/sample-tasks.npy",
        "results/embeddings/prompted/sample-tasks/T1A-sample.npy",
        "results/embeddings/prompted/factnews.npy",
    ]
    place = SimpleNamespace(task="T1A-sample", model="prompted")
    probing = chosen.families["probing"]
    assert probing.embeddings(place) == names[1]
    assert probing.embeddings_info(place) == names[1].replace(".npy", ".json")
    assert probing.texts(place) == "results/data/texts/sample-tasks/T1A-sample.parquet"


def test_first_and_second_texts_with_a_prompt_each_are_a_collection_with_two_roles():
    sides = {"query": "query", "document": "law"}
    entry = {**PROMPTED, "prompt_names": {"tasks": {"G3-sample": sides}}}
    chosen = targets(models={"prompted": entry}, select={"models": ["prompted"], "tasks": ["G3-sample"]})
    found = [(item.name, item.roles, item.task) for item in chosen.collections.values()]
    assert found == [("sample-tasks/G3-sample/sides", ("query", "document"), "G3-sample")]
    place = SimpleNamespace(task="G3-sample", model="prompted")
    assert chosen.families["probing"].embeddings(place) == chosen.embeddings()[0]
    tables = chosen.tables_of_collection(SimpleNamespace(collection=found[0][0]))
    assert tables == ["results/data/tasks/G3-sample.parquet"]


def test_a_job_has_the_prompt_of_its_task_only():
    shared, own = (
        SimpleNamespace(collection=name, model="prompted")
        for name in ("sample-tasks", "sample-tasks/T1A-sample")
    )
    assert json.loads(prompted().encode_settings(shared)) == {"backend": "onnx"}
    assert json.loads(prompted().encode_settings(own)) == {
        "backend": "onnx",
        "prompts": {"law": "Lei: "},
        "prompt_names": {"roles": {"text": "law"}},
    }


def test_device_and_libraries_of_a_model_reach_its_jobs():
    place = SimpleNamespace(model="prompted")
    assert (prompted().encoders.device(place), prompted().encoders.device(PLACES)) == ('"cuda:1"', "null")
    assert "onnxruntime=" in prompted().encoders.versions(place)
    assert "onnxruntime=" not in prompted().encoders.versions(PLACES)


# --- settings


def test_settings_are_json_with_sorted_keys():
    for name, text in settings_of(targets()).items():
        assert text == json.dumps(json.loads(text), sort_keys=True, ensure_ascii=False), name


def test_probe_settings_are_what_the_command_reads():
    assert json.loads(targets().families["probing"].probe_settings(SimpleNamespace(task="F3-sample"))) == {
        "protocol": "published",
        "repetitions": 2,
        "folds": 5,
        "seed": 9847706,
        "metric": "adjusted_macro_f1",
        "classifier": "mlp",
    }


def test_kind_of_device_is_a_setting_but_for_processors():
    place = SimpleNamespace(task="T1A-sample", model="random")
    on_cpu = targets().families["probing"]
    on_cuda = targets(probe__device="cuda:1").families["probing"]
    assert "device" not in json.loads(on_cpu.probe_settings(place))
    settings = json.loads(on_cuda.probe_settings(place))
    assert (settings["device"], on_cuda.probe_device) == ("cuda", "cuda:1")
    assert "torch=" in on_cuda.probe_versions(place)
    assert "torch=" not in on_cpu.probe_versions(place)
    assert "numba=" in on_cpu.probe_versions(place)
    for command in ("probe", "probe_lazy", "probe_featurised"):
        own = code(f"sentflow.commands.{command}")
        assert on_cpu.probe_code(command)(place) == own
        assert on_cuda.probe_code(command)(place) == code(f"sentflow.commands.{command}", ACCELERATOR) != own


def test_a_study_of_regularised_probes_changes_nothing_of_the_others():
    with_study = targets(study__protocols=["regularised"]).families["probing"]
    alone = targets().families["probing"]
    place = SimpleNamespace(task="F3-sample", model="random")
    regularised = SimpleNamespace(**vars(place), protocol="regularised")
    assert with_study.probe_code("probe")(place) == alone.probe_code("probe")(place)
    assert with_study.probe_versions(place) == alone.probe_versions(place)
    assert with_study.probe_settings(place) == alone.probe_settings(place)
    own = code("sentflow.commands.probe")
    assert (
        with_study.probe_code("probe")(regularised)
        == code("sentflow.commands.probe", REGULARISED_PROBES)
        != own
    )
    assert "scikit-learn=" in with_study.probe_versions(regularised)
    assert "numba=" not in with_study.probe_versions(regularised)
    settings = json.loads(with_study.probe_settings(regularised))
    assert settings["classifier"] == "regularised"
    assert "training" not in settings


@pytest.mark.parametrize("device", ["gpu", "cpu:0", "cuda:", "mps", 0])
def test_other_devices_are_refused(device):
    with pytest.raises(ConfigError, match=r"config\.probe\.device: "):
        targets(probe__device=device)


def test_downloaded_task_is_prepared_with_the_checksum_of_its_file():
    checks = json.loads(targets().families["probing"].prepare_checks(SimpleNamespace(task="T2A-open")))
    assert set(checks["files"]) == {"factnews_dataset.csv"}
    assert len(checks["files"]["factnews_dataset.csv"]["sha256"]) == 64


def test_written_task_is_prepared_without_one():
    assert "files" not in json.loads(targets().families["probing"].prepare_checks(PLACES))


PAPER = {"task": "T1A", "model": "random", "value": 0.01, "source": "a paper"}
REPORTS = {"report_settings", "record_settings"}  # the report and the record tell everything


@pytest.mark.parametrize(
    ("changes", "touched"),
    [
        ({"statistics__n_resamples": 500}, {"score_settings", "record_settings"}),
        ({"probe__seed": 1}, {"probe_settings", "score_settings", *REPORTS}),
        ({"probe__folds": 4}, {"prepare_checks", "probe_settings", "score_settings", *REPORTS}),
        ({"experiment__title": "Ensaio"}, {"table_settings", *REPORTS}),
        ({"experiment__description": "é outro"}, REPORTS),
        ({"report__tables": ["scores"]}, {"record_settings"}),
        ({"report__published": [PAPER]}, {"table_settings", *REPORTS}),
        ({"models": {"random": {"seed": 5}}}, {"fetch_settings", *REPORTS}),
        ({"models": {"random": {"title": "Ao acaso"}}}, {"summarise_settings", *REPORTS}),
        ({"models": {"bag-of-words": {"dimension": 9}}}, {"record_settings"}),
        ({"models": {"tfidf": {"max_features": 9}}}, REPORTS),
        ({"tasks": {"T1A-sample": {"title": "Ofensas"}}}, {"summarise_settings", *REPORTS}),
        ({"tasks": {"T1A-sample": {"note": "é ruído"}}}, REPORTS),
        (
            {"tasks": {"T1A-sample": {"classifier": "mlp"}}},
            {"probe_settings", "score_settings", *REPORTS},
        ),
        ({"tasks": {"F3-sample": {"classifier": "logistic"}}}, REPORTS),
        ({"datasets": {"factnews": {"note": "x"}}}, REPORTS),
    ],
)
def test_change_touches_the_settings_that_it_decides_and_no_others(changes, touched):
    assert changed(**changes) == touched


def test_mirrors_and_limits_are_no_settings_of_science():
    places = SimpleNamespace(
        task="T2A-open",
        model="random",
        dataset="factnews",
        collection="factnews",
        file="factnews_dataset.csv",
        table="scores",
        check="complete",
    )
    assert changed(places, mirrors=["/espelho"]) == set()
    assert targets(mirrors=["/espelho"]).mirrors() == '["/espelho"]'
    assert changed(places, limits={"download_bytes": 5}) == set()
    assert targets(limits={"download_bytes": 5}).limits() == '{"download_bytes": 5}'


def test_seed_of_sample_data_is_that_of_the_dataset():
    other = targets(datasets={"sample-tasks": {"seed": 2}})
    assert [chosen.generator_seed(PLACES) for chosen in (targets(), other)] == [1, 2]
    assert other.generated_task(PLACES) == "T1A"


FACTNEWS = SimpleNamespace(dataset="factnews", file="factnews_dataset.csv")


def of_factnews(**file: Any) -> Targets:
    return targets(datasets={"factnews": {"files": {FACTNEWS.file: file}}})


def test_another_address_of_the_same_bytes_is_the_same_content():
    moved = of_factnews(urls=["https://example.org/é.csv"])
    assert moved.download_settings(FACTNEWS) != targets().download_settings(FACTNEWS)
    assert moved.downloaded_content(FACTNEWS) == targets().downloaded_content(FACTNEWS)


def test_another_checksum_is_another_content():
    other = of_factnews(sha256="0" * 64)
    assert other.downloaded_content(FACTNEWS) != targets().downloaded_content(FACTNEWS)


# --- wildcard constraints


def test_datasets_are_either_written_or_downloaded():
    chosen = targets()
    assert chosen.sample_datasets() == r"sample\-tasks"
    assert chosen.real_datasets() == "factnews"


def test_encoders_are_either_lazy_or_have_embeddings():
    assert (targets().encoders.lazy(), targets().encoders.fixed()) == ("tfidf", "random")


def test_pattern_of_names_matches_them_alone():
    pattern = re.compile(one_of(["T1A", "v1.5"]))
    assert pattern.fullmatch("v1.5")
    assert not pattern.fullmatch("v1x5")
    assert not pattern.fullmatch("T1")


def test_pattern_of_no_names_matches_nothing():
    assert not re.fullmatch(one_of([]), "")


def test_controls_are_not_asked_which_texts_are_hard():
    assert json.loads(targets().families["probing"].hardest_settings(SimpleNamespace(task="T1A-sample"))) == {
        "models": ["tfidf"],
        "limit": 100,
        "offensive": True,
    }
    files = targets().families["probing"].predictions_of_real_models(SimpleNamespace(task="T2A-open"))
    assert files == ["results/scores/T2A-open/tfidf.predictions.parquet"]
    only_controls = targets(select__models=["random", "bag-of-words"])
    settings = json.loads(
        only_controls.families["probing"].hardest_settings(SimpleNamespace(task="T2A-open"))
    )
    assert (settings["models"], settings["offensive"]) == (["bag-of-words", "random"], False)


def test_an_audit_follows_the_draws_of_the_protocol():
    def of(protocol: str, task: str) -> Any:
        return json.loads(
            targets(probe__protocol=protocol).families["probing"].audit_settings(SimpleNamespace(task=task))
        )

    expected = {"repetitions": 2, "folds": 5, "seed": 9847706, "group_folds": False, "language": "pt"}
    assert of("published", "T2A-open") == expected
    assert of("corrected-documents", "T2A-open") == {**expected, "group_folds": True}
    assert of("corrected-documents", "T1A-sample") == expected


def test_no_file_with_texts_is_in_the_crate():
    files = targets().crate_files()
    assert {file.split("/")[1] for file in files} == {
        *("scores", "protocols", "comparisons", "audit", "summary", "tables", "figures", "checks", "record")
    }


def test_published_scores_are_settings_of_their_own_table_alone():
    scores, published = (SimpleNamespace(table=name) for name in ("scores", "published"))
    with_paper = targets(report__published=[PAPER])
    assert with_paper.table_settings(scores) == targets().table_settings(scores)
    assert json.loads(with_paper.table_settings(published))["published"] == [PAPER]
