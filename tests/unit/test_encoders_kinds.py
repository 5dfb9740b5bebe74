"""The keys of model entries: which rule reads them, and what is said about wrong ones."""

import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml

from sentflow.encoders.checks import values
from sentflow.encoders.checks.entries import entry_problems
from sentflow.encoders.entries import connection_settings, encode_settings, fetch_settings, is_lazy
from sentflow.encoders.kinds import api, model2vec, word_vectors
from sentflow.encoders.kinds.embeddings_service import Connection
from sentflow.encoders.kinds.neural.settings import BACKENDS, DTYPES, POOLINGS, TRUNCATIONS, Settings
from sentflow.encoders.kinds.settings import EncoderSettings
from sentflow.encoders.kinds.table import DESCRIPTIVE_KEYS, KINDS, TRAINED, TRAINED_KINDS
from sentflow.encoders.roles import SIDES, TEXT
from sentflow.errors import ConfigError
from sentflow.graph.config.schema import load_schema

ROOT = Path(__file__).parents[2]
CATALOG = yaml.safe_load((ROOT / "workflow/catalog/models.yaml").read_text(encoding="utf-8"))
SCHEMA = load_schema(ROOT / "workflow", "models")
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def schema_errors(entry):
    validator = jsonschema.Draft202012Validator(SCHEMA)
    return [error.message for error in validator.iter_errors({"my-model": entry})]


def hub_entry(**source):
    return {"kind": "sentence-transformers", "source": {"hub": "lab/model", **source}}


def test_catalog_fits_its_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(CATALOG, SCHEMA)


@pytest.mark.parametrize("name", CATALOG)
def test_catalog_entry_has_no_problems_and_every_key_belongs_to_a_rule_or_a_caption(name):
    entry = CATALOG[name]
    assert entry_problems(name, entry) == []
    shared = {**fetch_settings(entry), **encode_settings(entry)}
    assert set(entry) - set(shared) <= {*DESCRIPTIVE_KEYS, *KINDS[entry["kind"]].choice_keys}


def test_every_key_of_the_schema_has_a_description():
    def undescribed(node, path):
        if not isinstance(node, dict):
            return []
        here = [] if "description" in node or "$ref" in node else [path]
        return here + [
            bad
            for key, value in node.get("properties", {}).items()
            for bad in undescribed(value, f"{path}.{key}")
        ]

    definitions = SCHEMA["$defs"]
    assert undescribed({"description": "", **definitions["model"]}, "model") == []
    assert undescribed(definitions["source"], "source") == []


def test_schema_and_code_know_the_same_keys_per_kind():
    for rule in SCHEMA["$defs"]["model"]["allOf"]:
        if "if" not in rule:  # settings of recipes, in a file of their own
            continue
        kind = rule["if"]["properties"]["kind"]["const"]
        in_code = {*KINDS[kind].keys, *DESCRIPTIVE_KEYS}
        if kind == TRAINED:  # whatever its recipe makes
            in_code |= {key for made in TRAINED_KINDS.values() for key in made.keys}
        names = rule["then"]["propertyNames"]
        names = SCHEMA["$defs"][names["$ref"].rpartition("/")[2]] if "$ref" in names else names
        assert set(names["enum"]) == in_code


def test_defaults_of_the_schema_are_those_of_the_settings():
    properties = SCHEMA["$defs"]["model"]["properties"]
    for settings in (Settings, api.Settings, Connection, model2vec.Settings, word_vectors.Settings):
        for key, value in settings().as_dict().items():
            if key != "timeout_seconds":  # another default for each of its two meanings, told in words
                assert properties[key]["default"] == value
    assert f"({Connection().timeout_seconds:g} if left out)" in properties["timeout_seconds"]["description"]
    assert properties["tokens"]["enum"] == list(values.TOKENS) == list(word_vectors.TOKENS)


@pytest.mark.parametrize(
    ("entry", "part_of_message"),
    [
        ({"kind": "word2vec"}, "'word2vec' is not one of"),
        ({"kind": "random", "dimension": 8, "seed": 0, "sead": 1}, "'sead'"),
        ({"kind": "random", "dimension": 8, "seed": 0, "prompt": "x"}, "'prompt' is not one of"),
        ({"kind": "random", "dimension": 8}, "'seed' is a required property"),
        ({"kind": "sentence-transformers"}, "'source' is a required property"),
        (hub_entry(), "'revision' is a required property"),
        (hub_entry(revision="main"), "'main' does not match"),
        (hub_entry(revision=COMMIT, folder="here"), "'folder' is not one of"),
        ({"kind": "transformers"}, "'source' is a required property"),
        ({**hub_entry(revision=COMMIT), "pooling": "median"}, "'median' is not one of"),
        ({**hub_entry(revision=COMMIT), "device": "gpu"}, "'gpu' is not valid under any"),
        ({**hub_entry(revision=COMMIT), "prompt_names": {"roles": {"passage": "p"}}}, "'passage'"),
        ({"kind": "sentence-transformers", "source": {"folder": "x", "module": "m"}}, "'package'"),
    ],
)
def test_schema_refuses(entry, part_of_message):
    assert any(part_of_message in message for message in schema_errors(entry))


@pytest.mark.parametrize(
    ("entry", "parts"),
    [
        ({"kind": "word2vec"}, ["models.my-model.kind", "'word2vec'", "Write one of: api, bag-of-words"]),
        (
            {"kind": "random", "dimension": 8, "seed": 0, "sead": 1},
            ["models.my-model.sead", "no such key", "seed"],
        ),
        ({"kind": "random", "dimension": 8}, ["the key seed is missing"]),
        ({"kind": "sentence-transformers"}, ["models.my-model.source", "archive, folder, hub, package"]),
        (hub_entry(), ["source.revision: is missing", "40 hexadecimal digits", "History", "lab/model"]),
        (hub_entry(revision="main"), ["'main' can point to other weights tomorrow"]),
        (hub_entry(revision=COMMIT, folder="x"), ["source.folder", "one origin, here hub"]),
        ({**hub_entry(revision=COMMIT), "max_length": 8}, ["no such key. Here it is called max_tokens"]),
        ({**hub_entry(revision=COMMIT), "dtype": "half"}, ["models.my-model.dtype: 'half'", "float16"]),
        ({**hub_entry(revision=COMMIT), "device": "gpu"}, ["models.my-model.device: 'gpu' is not a device"]),
        ({**hub_entry(revision=COMMIT), "device": ["cpu", "cuda:0"]}, ["different ones of one kind"]),
        ({**hub_entry(revision=COMMIT), "device": ["cpu", "cpu"]}, ["A processor is named once"]),
        (
            {"kind": "sentence-transformers", "source": {"package": "p", "folder": "x"}},
            ["needs the key module", "needs the key sha256"],
        ),
    ],
)
def test_problems_say_what_and_what_to_write_instead(entry, parts):
    told = "\n".join(entry_problems("my-model", entry))
    for part in parts:
        assert part in told


def test_schema_and_code_know_the_same_choices():
    properties = SCHEMA["$defs"]["model"]["properties"]
    assert set(properties["pooling"]["enum"]) == {None, *POOLINGS, *values.TERM_POOLINGS}
    assert properties["dtype"]["enum"] == list(DTYPES)
    assert set(properties["backend"]["enum"]) == set(BACKENDS) == set(KINDS["transformers"].backend_libraries)
    assert properties["truncation"]["enum"] == list(TRUNCATIONS)
    assert set(SCHEMA["$defs"]["prompt_names_of_roles"]["properties"]) == {TEXT, *SIDES}


def test_a_device_is_not_part_of_what_decides_vectors():
    entry = {**hub_entry(revision=COMMIT), "device": ["cuda:0", "cuda:1"]}
    assert entry_problems("my-model", entry) == schema_errors(entry) == []
    assert encode_settings(entry) == {} and "device" not in fetch_settings(entry)


def test_another_task_s_prompt_is_not_part_of_a_task_s_settings():
    prompts = {"law": "Lei: ", "hate": "Ódio: ", "query": "Busca: "}
    names = {"roles": {"text": "law"}, "tasks": {"T1A": "hate", "G3": {"query": "query", "document": None}}}
    entry = {**hub_entry(revision=COMMIT), "prompts": prompts, "prompt_names": names}
    assert entry_problems("my-model", entry) == schema_errors(entry) == []
    law = {"prompts": {"law": "Lei: "}, "prompt_names": {"roles": {"text": "law"}}}
    hate = {"prompts": {"hate": "Ódio: "}, "prompt_names": {"roles": {"text": "hate"}}}
    assert encode_settings(entry) == encode_settings(entry, task="G1") == law
    sides = {"tasks": {"G3": {"query": "query", "document": None}}}
    assert encode_settings(entry, roles=("query", "document"), task="G3") == {
        "prompts": {"query": "Busca: "},
        "prompt_names": sides,
    }
    assert encode_settings(entry, task="T1A") == hate


def test_only_encoders_that_are_fitted_per_fold_are_lazy():
    assert [name for name, entry in CATALOG.items() if is_lazy(entry)] == ["tfidf"]


def test_a_new_title_or_prompt_fetches_nothing_again():
    entry = hub_entry(revision=COMMIT)
    changed = {**entry, "title": "New", "prompt": "query: ", "licence": "MIT", "control": False}
    assert fetch_settings(changed) == fetch_settings(entry)
    assert encode_settings(changed) == {"prompt": "query: "}


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (
            '{"max_token": 8}',
            "max_token: an encoder of kind transformers has no such key. Did you mean max_tokens",
        ),
        ('{"max_tokens": 0}', "max_tokens: 0 is not a number of tokens >= 1"),
        ('{"batch_tokens": true}', "batch_tokens: True is not a number"),
        ('{"normalise": "yes"}', "normalise: 'yes' is neither true nor false"),
        ('{"prompt": 3}', "prompt: 3 is not a text"),
        ('{"batch_size": 0}', "batch_size: 0 is not a number of texts >= 1"),
        ('{"truncate_dim": 1.5}', "truncate_dim: 1.5 is not a number of values >= 1"),
        (
            '{"truncation": "left"}',
            "truncation: 'left' is none that is known. Write one of: end, refuse, start",
        ),
        ('{"pooling": "first_last"}', "Write one of: cls, embedding-last, first-last, last-token, last-two"),
        (
            '{"dtype": "int8"}',
            "dtype: 'int8' is none that is known. Write one of: bfloat16, bfloat16-autocast, float16, float32",
        ),
        ('{"backend": "tensorrt"}', "Write one of: onnx, onnx-int8, openvino, torch"),
        ('{"backend": "onnx", "dtype": "float16"}', "dtype: the backend onnx computes in float32"),
        ('{"backend": "onnx", "dtype": "bfloat16-autocast"}', "dtype: the backend onnx computes in float32"),
        ('{"backend": "onnx", "pooling": "last-two"}', "pooling: last-two reads inner layers"),
        ('{"prompts": {"query": 1}}', "is no map of names to texts"),
        ('{"prompt_names": {"query": "query"}}', "holds two maps, roles and tasks"),
        ('{"prompt_names": {"role": {}}}', "prompt_names.role: there is no such part"),
        (
            '{"prompt_names": {"roles": {"passage": "p"}}}',
            "prompt_names.roles.passage: all texts have the role text",
        ),
        ('{"prompt_names": {"tasks": {"F1A": 3}}}', "prompt_names.tasks.F1A: 3 is no name of a prompt"),
        ('{"prompt": "", "prompts": {"a": "b"}}', "prompt: is put before every text, whatever its role"),
    ],
)
def test_wrong_encode_settings_are_named(text, part):
    entry = {"kind": "transformers", "source": {"folder": "x"}, **json.loads(text)}
    assert any(part in problem for problem in entry_problems("my-model", entry))


def test_settings_of_no_kind_are_named_when_texts_are_embedded():
    with pytest.raises(
        ConfigError, match=r"settings of the encoder: max_token: no such setting\. Known: backend"
    ):
        Settings.from_entry({"max_token": 8})
    with pytest.raises(ConfigError, match=r"prompt: no such setting\. Known: none"):
        EncoderSettings.from_entry({"prompt": "x"})


def test_settings_left_out_are_the_models_own():
    expected = Settings(
        max_tokens=None, normalise=False, prompt=None, batch_tokens=2048, pooling=None, dtype="float32"
    )
    assert Settings.from_entry({}) == expected


SERVICE = {"kind": "api", "url": "https://api.example.org/v1/embeddings", "model": "m", "dimension": 8}


@pytest.mark.parametrize(
    ("entry", "part"),
    [
        (
            {**SERVICE, "key_variable": "sk-secret123"},
            "key_variable: write the name of an environment variable",
        ),
        ({**SERVICE, "key_variable": "secret123"}, "not the key itself"),
        ({**SERVICE, "key_variable": "SENTFLOW_KEY_secret123"}, "not the key itself"),
        ({**SERVICE, "url": "https://me:secret123@api.example.org/v1"}, "without user, password, query"),
        ({**SERVICE, "url": "https://api.example.org/v1?key=secret123"}, "A key belongs into an environment"),
        ({**SERVICE, "url": "ftp://secret123"}, "write the http(s) address"),
        ({**SERVICE, "url": 3}, "write the http(s) address"),
        ({"kind": "api", "url": SERVICE["url"]}, "the key model is missing"),
    ],
)
def test_a_service_with_a_key_in_its_entry_is_refused_and_the_key_not_repeated(entry, part):
    told = "\n".join(entry_problems("my-model", entry))
    assert part in told and "secret123" not in told
    assert schema_errors(entry) != []


@pytest.mark.parametrize(
    "variable",
    ["HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "OPENAI_API_KEY", "SENTFLOW_MIRROR", "MY_KEY"],
)
def test_a_secret_that_is_not_for_services_is_refused_with_what_to_write_instead(variable):
    entry = {**SERVICE, "key_variable": variable}
    (told,) = entry_problems("my-model", entry)
    assert told.startswith(f"models.my-model.key_variable: {variable} is not sent: ")
    assert "Write SENTFLOW_KEY_NAME" in told
    assert told.endswith("export SENTFLOW_KEY_NAME=… SENTFLOW_HOST_NAME=api.example.org")
    assert schema_errors(entry) != []


def test_how_a_service_is_reached_decides_neither_files_nor_vectors():
    entry = {
        **SERVICE,
        "key_variable": "SENTFLOW_KEY_LAB",
        "batch_texts": 8,
        "timeout_seconds": 5,
        "attempts": 2,
    }
    changed = {**entry, "normalise": True}
    assert entry_problems("my-model", changed) == [] and schema_errors(changed) == []
    assert fetch_settings(changed) == SERVICE
    assert encode_settings(changed) == {"normalise": True}
    assert connection_settings(changed) == {key: entry[key] for key in KINDS["api"].connection_keys}
    assert connection_settings({"kind": "random", "dimension": 8, "seed": 0}) == {}


@pytest.mark.parametrize(
    ("entry", "part"),
    [
        ({"kind": "word-vectors"}, "Write one of: archive, file"),
        ({"kind": "word-vectors", "source": {"folder": "x"}}, "Write one of: archive, file"),
        ({"kind": "word-vectors", "source": {"file": "x", "hub": "a/b"}}, "one origin, here file"),
        ({"kind": "model2vec", "source": {"file": "x"}}, "archive, folder, hub, package"),
        (
            {"kind": "model2vec", "source": {"hub": "a/b", "revision": "main"}},
            "'main' can point to other weights",
        ),
        ({"kind": "scikit-learn"}, "either class"),
        ({"kind": "scikit-learn", "class": "os.system"}, "'os.system' is no class that an entry may name"),
    ],
)
def test_problems_of_the_other_kinds(entry, part):
    assert any(part in problem for problem in entry_problems("my-model", entry))
    assert schema_errors(entry) != []


@pytest.mark.parametrize(
    ("kind", "text", "part"),
    [
        (
            "model2vec",
            '{"max_tokens": 0, "prompt": "x"}',
            "prompt: an encoder of kind model2vec has no such key",
        ),
        ("model2vec", '{"max_tokens": 0}', "max_tokens: 0 is not a number of tokens"),
        (
            "word-vectors",
            '{"tokens": "word"}',
            "tokens: 'word' is none that is known. Write one of: hyphenated-words",
        ),
        ("word-vectors", '{"lower_case": 1}', "lower_case: 1 is neither true nor false"),
        ("word-vectors", '{"tokens": ["words"]}', "tokens: ['words'] is none that is known"),
        ("api", '{"prompt": 3}', "prompt: 3 is not a text"),
        ("api", '{"batch_texts": 0}', "batch_texts: 0 is not a whole number >= 1"),
        ("api", '{"attempts": true}', "attempts: True is not a whole number >= 1"),
        ("api", '{"timeout_seconds": -1}', "timeout_seconds: -1 is not a number of seconds > 0"),
        ("api", '{"x": 1}', "x: an encoder of kind api has no such key"),
    ],
)
def test_wrong_settings_of_the_other_kinds_are_named(kind, text, part):
    problems = entry_problems("my-model", {"kind": kind, **json.loads(text)})
    assert any(part in problem for problem in problems)


DOCUMENTED = re.findall(
    r"```yaml\n(.*?)```", (ROOT / "docs/models.md").read_text(encoding="utf-8"), re.DOTALL
)


@pytest.mark.parametrize("block", DOCUMENTED)
def test_examples_of_the_docs_are_valid_entries(block):
    for name, entry in yaml.safe_load(block).get("models", {}).items():
        jsonschema.validate({name: entry}, SCHEMA)
        assert entry_problems(name, entry) == []


def test_docs_name_every_key():
    text = (ROOT / "docs/models.md").read_text(encoding="utf-8")
    assert [key for key in SCHEMA["$defs"]["model"]["properties"] if f"`{key}`" not in text] == []
