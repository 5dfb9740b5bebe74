"""The keys of model entries: which rule reads them, what is said about wrong ones, and which prompt they choose."""

import json

import pytest

from sentflow.config.model import mistakes
from sentflow.encoders.entries import encode_settings
from sentflow.encoders.prompts import prompt_text, prompted_tasks, roles_of_texts
from sentflow.encoders.settings import Model

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def wrong(entry):
    return [str(mistake) for mistake in mistakes(Model, entry, where="models.my-model")]


def hub_entry(**source):
    return {"kind": "sentence-transformers", "source": {"hub": "lab/model", **source}}


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


def prompted(entry, **texts):
    settings = encode_settings(entry, **texts)
    return {key: settings[key] for key in ("prompts", "prompt_names")}


def test_another_task_s_prompt_is_not_part_of_a_task_s_settings():
    prompts = {"law": "Lei: ", "hate": "Ódio: ", "query": "Busca: "}
    names = {"roles": {"text": "law"}, "tasks": {"T1A": "hate", "G3": {"query": "query", "document": None}}}
    entry = {**hub_entry(revision=COMMIT), "prompts": prompts, "prompt_names": names}
    assert wrong(entry) == []
    law = {"prompts": {"law": "Lei: "}, "prompt_names": {"roles": {"text": "law"}}}
    hate = {"prompts": {"hate": "Ódio: "}, "prompt_names": {"roles": {"text": "hate"}}}
    assert prompted(entry) == prompted(entry, task="G1") == law
    sides = {"tasks": {"G3": {"query": "query", "document": None}}}
    assert prompted(entry, roles=("query", "document"), task="G3") == {
        "prompts": {"query": "Busca: "},
        "prompt_names": sides,
    }
    assert prompted(entry, task="T1A") == hate


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


OWN = {"default": "Texto: ", "query": "Pergunta: ", "document": "", "passage": "Trecho: "}


def text_for(role="text", task=None, prompts=None, default_name="default", **names):
    return prompt_text(prompts or {}, names, role=role, task=task, own=OWN, default_name=default_name)


def test_texts_get_the_models_default_prompt_if_it_has_one():
    assert text_for() == "Texto: "
    assert text_for(default_name=None) is None


def test_queries_and_documents_get_the_usual_names_and_never_the_default():
    assert text_for("query") == "Pergunta: "
    assert text_for("document") == "Trecho: "  # "document" is there and empty, so the next name counts
    assert prompt_text({}, {}, role="query", task=None, own={"d": "x"}, default_name="d") is None


def test_the_entrys_prompts_go_before_the_models_own():
    assert text_for("query", prompts={"query": "Q: "}) == "Q: "
    assert text_for(prompts={"default": "D: "}) == "Texto: "  # used by name only
    assert text_for(prompts={"default": "D: "}, roles={"text": "default"}) == "D: "


def test_a_task_goes_before_a_role_and_null_is_no_prompt():
    names = {"roles": {"text": "query"}, "tasks": {"F1A": "passage", "F1B": None, "G1": {"query": "passage"}}}
    assert text_for(**names) == "Pergunta: "
    assert text_for(task="F1A", **names) == "Trecho: "
    assert text_for(task="F1B", **names) is None
    # G1 says something about queries only
    assert text_for(task="G1", **names) == "Pergunta: "
    assert text_for("query", task="G1", **names) == "Trecho: "


def test_tasks_with_a_prompt_are_embedded_apart_and_may_tell_first_and_second_texts_apart():
    tasks = {"F1A": "law", "F1B": None, "G1": {"query": "law", "document": None}, "G2": {"text": "law"}}
    assert prompted_tasks({"prompt_names": {"tasks": tasks}}) == {"F1A", "F1B", "G1", "G2"}
    roles = {task: roles_of_texts({"tasks": tasks}, task) for task in [*tasks, None]}
    assert roles.pop("G1") == ("query", "document")
    assert set(roles.values()) == {("text",)}
    assert prompted_tasks({"prompt_names": {"roles": {"text": "law"}}}) == prompted_tasks({}) == set()
