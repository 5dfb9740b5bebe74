"""What no name, text or number of a configuration may be: told in one paragraph that shows it."""

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from sentflow.cli.configuration import read_configuration
from sentflow.errors import ConfigError
from sentflow.files.limits import SETTINGS_DEPTH
from sentflow.files.settings_files import parse_settings
from sentflow.graph.config.entries import laid_over
from sentflow.graph.config.experiment import load_experiment
from sentflow.graph.config.values import MAX_LENGTH
from sentflow.graph.targets import Targets

REPOSITORY = Path(__file__).parents[2]
WORKFLOW = REPOSITORY / "workflow"
DEFAULT = yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8"))
RANDOM = {"kind": "random", "dimension": 8, "seed": 1}
DATASET = {"files": {}, "licence": "MIT", "citation": "none", "language": "pt"}


def loaded(*changes: dict[str, Any]) -> Any:
    config = copy.deepcopy(DEFAULT)
    for change in changes:
        config = laid_over(config, change)
    return load_experiment(config, WORKFLOW)


def told(*changes: dict[str, Any]) -> str:
    with pytest.raises(ConfigError) as error:
        loaded(*changes)
    text = str(error.value)
    assert all(sign.isprintable() or sign == "\n" for sign in text)
    return text


# A carriage return, an escape sequence, a NUL, a delete, one of C1, a line separator, three that turn text around, and
# half of a sign
HIDDEN = ["\r", "\x1b]0;x\x07", "\0", "\x7f", "\x9b", "\u2028", "\u202e", "\u2066", "\u2069", "\ud800"]


@pytest.mark.parametrize("sign", HIDDEN, ids=ascii)
@pytest.mark.parametrize(
    ("place", "change"),
    [
        ("experiment.title", lambda text: {"experiment": {"title": text}}),
        ("experiment.description", lambda text: {"experiment": {"description": text}}),
        ("models.random.title", lambda text: {"models": {"random": {"title": text}}}),
        ("tasks.T1A-sample.data_version", lambda text: {"tasks": {"T1A-sample": {"data_version": text}}}),
        (
            "datasets.mine.files",
            lambda text: {"datasets": {"mine": {**DATASET, "title": "x", "files": {text: {}}}}},
        ),
        ("mirrors.0", lambda text: {"mirrors": [text]}),
        ("select.models.0", lambda text: {"select": {"models": [text]}}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_hidden_signs_are_refused_wherever_they_stand(place, change, sign):
    text = told(change(f"a{sign}b"))
    assert f"config.{place}" in text
    assert f"character 2 is {sign[0].encode('unicode_escape').decode()}" in text


@pytest.mark.parametrize(("sign", "kind"), [("\n", "line break"), ("\t", "tab")])
def test_a_title_is_one_line(sign, kind):
    assert f"config.experiment.title: it contains a {kind}" in told({"experiment": {"title": f"a{sign}b"}})


def test_descriptions_and_prompts_may_have_lines():
    loaded({"experiment": {"description": "One.\n\n\tTwo."}})


@pytest.mark.parametrize("title", ["{x}", "a {title} of {", "}{", "{{x}}", "{wildcards.model}"])
def test_braces_in_titles_are_signs_like_any_other(title):
    experiment = loaded({"experiment": {"title": title}, "models": {"random": {"title": title}}})
    assert Targets(experiment).title(None) == title


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
def test_numbers_are_finite(value):
    assert "config.statistics.rope" in told({"statistics": {"rope": value}})


@pytest.mark.parametrize("value", [10**400, -(10**5000), 2**63], ids=["400", "5000", "19"])
def test_numbers_that_no_file_can_hold_are_refused(value):
    assert "config.models.random.seed: a number of more than 18 digits" in told(
        {"models": {"random": {"seed": value}}}
    )


def test_a_map_that_contains_itself_is_refused():
    circle: dict[str, Any] = {"title": "x"}
    circle["description"] = [circle]
    assert "contains itself" in told({"experiment": circle})


def test_a_key_of_thousands_of_digits_is_refused():
    assert "a key is a number of more than 18 digits" in told({"tasks": {16**5000: 1}})


def test_nesting_that_is_too_deep_is_refused():
    nested: Any = "x"
    for _ in range(100_000):
        nested = [nested]
    config = {**DEFAULT, "mirrors": nested}
    with pytest.raises(ConfigError, match=f"more than {SETTINGS_DEPTH} levels"):
        load_experiment(config, WORKFLOW)
    while isinstance(nested, list):  # one level at a time: Python itself would fall over it
        nested = nested.pop()


def test_levels_behind_aliases_count():
    values: list[Any] = [[]]
    for _ in range(SETTINGS_DEPTH + 5):
        values.append([values[-1]])
    with pytest.raises(ConfigError, match="levels deep"):
        load_experiment({**DEFAULT, "mirrors": values}, WORKFLOW)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("experiment: &a {title: x, description: *a}", "contains itself"),
        ("mirrors: " + "[" * 5000 + "]" * 5000, "levels deep"),
        ("probe: {seed: " + "1" * 5000 + "}", "a value that YAML cannot read"),
        ("experiment: {title: 2001-99-99}", "a value that YAML cannot read"),
        ("experiment: {title: !!timestamp x}", "a value that YAML cannot read"),
        ("experiment: {title: !!bool x}", "a value that YAML cannot read"),
    ],
    ids=lambda text: text[:40],
)
def test_yaml_that_has_no_end_or_no_value_is_one_paragraph(tmp_path, text, message):
    file = tmp_path / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=message) as error:
        read_configuration([file])
    assert str(file) in str(error.value)


def test_half_a_sign_in_a_yaml_file_is_refused(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text('experiment: {title: "a\\uD800b"}', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"character 2 is .+ud800|invalid Unicode character"):
        load_experiment(read_configuration([file]), WORKFLOW)


@pytest.mark.parametrize("key", ["2001-01-01", "null", "[a, b]", "1.5"])
def test_keys_that_are_no_texts_are_told(key):
    with pytest.raises(ConfigError):
        load_experiment(
            laid_over(DEFAULT, parse_settings(f"models: {{? {key} : {{}}}}", where="mine")), WORKFLOW
        )


def test_texts_that_only_look_like_yaml_are_quoted_back():
    assert "config.probe.folds" in told({"probe": {"folds": "2001-99-99"}})
    assert "config.probe.folds" in told({"probe": {"folds": "[" * 3000}})


# --- names that become paths


@pytest.mark.parametrize(
    ("section", "entry"),
    [
        ("models", RANDOM),
        ("tasks", {"like": "T1A-sample"}),
        ("datasets", {**DATASET, "title": "x"}),
        ("protocols", {"like": "published"}),
        ("pair_sets", {"like": "STS12-sample"}),
    ],
)
def test_a_name_that_ends_in_a_line_break_is_refused(section, entry):
    assert "line break" in told({section: {"mine\n": entry}})


@pytest.mark.parametrize("schema", sorted((WORKFLOW / "schemas").rglob("*.yaml")), ids=lambda path: path.stem)
def test_no_pattern_of_a_schema_ends_before_a_line_break(schema):
    # for Python, $ also matches before the last line break
    patterns = [line for line in schema.read_text(encoding="utf-8").splitlines() if "pattern:" in line]
    assert not [line for line in patterns if line.rstrip().endswith('$"')]


def test_the_files_of_two_models_are_told_apart():
    text = told({"models": {"x": RANDOM, "x.predictions": RANDOM}})
    assert "models.x.predictions: the files of this model would be mistaken for the predictions of x" in text


def test_names_differ_in_more_than_capital_letters():
    text = told({"tasks": {"Mine": {"like": "T1A-sample"}, "MINE": {"like": "T1A-sample"}}})
    assert "tasks.MINE: it differs from Mine only in upper and lower case" in text


def test_files_of_a_dataset_differ_in_more_than_capital_letters():
    file = {"urls": ["a.csv"]}
    text = told({"datasets": {"mine": {**DATASET, "title": "x", "files": {"a.csv": file, "A.csv": file}}}})
    assert "datasets.mine.files.A.csv: it differs from a.csv" in text


def test_a_name_fits_into_the_name_of_a_file():
    name = "x" * (MAX_LENGTH + 1)
    assert f"has at most {MAX_LENGTH} characters, not {MAX_LENGTH + 1}" in told({"models": {name: RANDOM}})


def test_permuted_texts_of_a_family_are_no_family():
    pair_sets = {
        "One": {"like": "STS12-sample", "family": "mine"},
        "Two": {"like": "STS12-sample", "family": "mine-permuted"},
    }
    text = told({"pair_sets": pair_sets, "select": {"pair_sets": ["One", "Two"]}})
    assert "pair_sets.One.family: 'mine-permuted' is also a family" in text


def test_two_entries_of_one_hub_model_have_one_folder_of_exports():
    entry = {"kind": "sentence-transformers", "source": {"hub": "owner/name", "revision": "a" * 40}}
    described = {**entry, "licence": "MIT", "citation": "none"}
    experiment = loaded(
        {"models": {"one": described, "two": described}, "select": {"models": ["one", "two"]}}
    )
    files = Targets(experiment).families["probing"].exported.mteb_files()
    assert len(files) == len(set(files))


@pytest.mark.parametrize(
    ("place", "change"),
    [
        (
            "datasets.mine.files.a.csv.urls.0",
            {
                "datasets": {
                    "mine": {**DATASET, "title": "x", "files": {"a.csv": {"urls": ["da{x}ta/a.csv"]}}}
                }
            },
        ),
        (
            "tasks.MINE.file",
            {"tasks": {"MINE": {"file": "a{b}.csv", "text": "t", "label": "l", "metric": "mcc"}}},
        ),
        ("models.mine.custom", {"models": {"mine": {"kind": "custom", "custom": "a{b}.py:Mine"}}}),
    ],
)
def test_braces_in_the_path_of_an_input_are_refused(place, change):
    text = told(change)
    assert f"config.{place}: Snakemake reads braces in the path of a file as names to fill in" in text
    assert "Rename" in text
