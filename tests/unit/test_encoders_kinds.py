"""The keys of model entries: which rule reads them, and what is said about wrong ones."""

import json
from pathlib import Path

import pytest
import yaml

from sentflow.config.model import mistakes
from sentflow.encoders.entries import encode_settings, fetch_settings
from sentflow.encoders.kinds.table import DESCRIPTIVE_KEYS, OTHER_KEYS, PLACE_KEYS
from sentflow.encoders.settings import Model

ROOT = Path(__file__).parents[2]
CATALOG = yaml.safe_load((ROOT / "workflow/catalog/models.yaml").read_text(encoding="utf-8"))
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def wrong(entry):
    return [str(mistake) for mistake in mistakes(Model, entry, where="models.my-model")]


def hub_entry(**source):
    return {"kind": "sentence-transformers", "source": {"hub": "lab/model", **source}}


def test_entries_of_the_catalog_have_no_problems_and_every_key_belongs_to_a_rule_or_a_caption():
    for name, entry in CATALOG.items():
        assert wrong(entry) == [], name
        shared = {**fetch_settings(entry), **encode_settings(entry)}
        assert set(entry) - set(shared) <= DESCRIPTIVE_KEYS | OTHER_KEYS | PLACE_KEYS


@pytest.mark.parametrize(
    ("entry", "parts"),
    [
        ({"kind": "word2vec"}, ["models.my-model.kind", "'word2vec'", "Write one of:", "bag-of-words"]),
        ({"kind": "random", "dimension": 8, "seed": 0, "sead": 1}, ["models.my-model.sead", "seed"]),
        ({"kind": "random", "dimension": 8}, ["'seed' is missing"]),
        ({"kind": "sentence-transformers"}, ["'source' is missing"]),
        (hub_entry(revision="main"), ["'main' can point to other weights tomorrow"]),
        (hub_entry(revision=COMMIT, folder="x"), ["source.folder", "one origin, here hub"]),
        ({**hub_entry(revision=COMMIT), "max_length": 8}, ["max_tokens"]),
        ({**hub_entry(revision=COMMIT), "device": ["cpu", "cpu"]}, ["A processor is named once"]),
    ],
)
def test_problems_say_what_and_what_to_write_instead(entry, parts):
    told = "\n".join(wrong(entry))
    for part in parts:
        assert part in told


def test_another_task_s_prompt_is_not_part_of_a_task_s_settings():
    prompts = {"law": "Lei: ", "hate": "Ódio: ", "query": "Busca: "}
    names = {"roles": {"text": "law"}, "tasks": {"T1A": "hate", "G3": {"query": "query", "document": None}}}
    entry = {**hub_entry(revision=COMMIT), "prompts": prompts, "prompt_names": names}
    assert wrong(entry) == []
    law = {"prompts": {"law": "Lei: "}, "prompt_names": {"roles": {"text": "law"}}}
    hate = {"prompts": {"hate": "Ódio: "}, "prompt_names": {"roles": {"text": "hate"}}}
    assert encode_settings(entry) == encode_settings(entry, task="G1") == law
    sides = {"tasks": {"G3": {"query": "query", "document": None}}}
    assert encode_settings(entry, roles=("query", "document"), task="G3") == {
        "prompts": {"query": "Busca: "},
        "prompt_names": sides,
    }
    assert encode_settings(entry, task="T1A") == hate


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ('{"max_tokens": 0}', "max_tokens: 0 should be greater"),
        ('{"normalise": "yes"}', "normalise: 'yes'"),
        ('{"pooling": "first_last"}', "Did you mean first-last?"),
        ('{"backend": "onnx", "dtype": "float16"}', "dtype: the backend onnx computes in float32"),
        ('{"prompt_names": {"tasks": {"F1A": 3}}}', "prompt_names.tasks.F1A: 3"),
        ('{"prompt": "", "prompts": {"a": "b"}}', "prompt: is put before every text, whatever its role"),
    ],
)
def test_wrong_encode_settings_are_named(text, part):
    entry = {"kind": "transformers", "source": {"folder": "x"}, **json.loads(text)}
    assert any(part in problem for problem in wrong(entry))
