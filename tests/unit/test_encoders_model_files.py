"""What the files of a model say, read without loading it."""

import json

import pytest

from sentflow.encoders.safety import describe_modules, model_files
from sentflow.errors import ConfigError, DataError

PREFIX = "sentence_transformers.models"


def write(folder, name, value):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def make_model(folder, *modules, **files):
    """Modules are (class, path); files are JSON by name, with / written as __."""
    write(folder, "modules.json", [{"type": f"{PREFIX}.{name}", "path": path} for name, path in modules])
    write(folder, "config.json", {"hidden_size": 32, "max_position_embeddings": 512})
    (folder / "model.safetensors").write_bytes(of_header("{}"))
    for name, value in files.items():
        write(folder, name.replace("__", "/") + ".json", value)
    return folder


def test_transformer_with_pooling(tmp_path):
    pooling = {
        "word_embedding_dimension": 32,
        "pooling_mode_cls_token": True,
        "pooling_mode_mean_tokens": False,
    }
    model = make_model(
        tmp_path,
        ("Transformer", ""),
        ("Pooling", "1_Pooling"),
        ("Normalize", "2_Normalize"),
        **{"1_Pooling__config": pooling, "sentence_bert_config": {"max_seq_length": 128}},
    )
    description = describe_modules({}, model)
    assert (description.dimension, description.pooling, description.max_tokens) == (32, "cls", 128)


def test_code_behind_a_router_is_refused(tmp_path):
    types = {"query_0": "modeling_own.Transformer"}
    model = make_model(tmp_path, ("Router", ""), router_config={"types": types})
    with pytest.raises(ConfigError, match=r"modeling_own\.Transformer are none of sentence-transformers"):
        describe_modules({}, model)
    write(model, "router_config.json", {"types": ["query_0"]})
    with pytest.raises(DataError, match="Router needs types"):
        describe_modules({}, model)


def test_pickles_are_files_of_the_model_only_where_allowed(tmp_path):
    for name in ("config.json", "pytorch_model.bin", "training_args.bin"):
        (tmp_path / name).write_text("{}")
    assert model_files(tmp_path, allow_pickle=False) == ["config.json"]
    assert model_files(tmp_path, allow_pickle=True) == ["config.json", "pytorch_model.bin"]


DEEP = "[" * 2000 + "]" * 2000


@pytest.mark.parametrize(
    "content",
    [
        "{}",
        '[{"type": "x"}]',
        '[{"type": "sentence_transformers.models.Pooling", "path": "../../elsewhere"}]',
        DEEP,
    ],
    ids=lambda text: text[:40],
)
def test_a_broken_list_of_modules_is_one_paragraph(tmp_path, content):
    model = make_model(tmp_path, ("Transformer", ""))
    (model / "modules.json").write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=r"modules\.json is missing or damaged: .*Fetch the model again"):
        describe_modules({}, model)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("config", {"hidden_size": "32"}),
        ("config", {"hidden_size": 10**400}),
        ("config", {"hidden_size": 32, "num_hidden_layers": 10**7}),
        ("2_Dense__config", {"out_features": 0}),
        ("1_Pooling__config", {"embedding_dimension": 3.5, "pooling_mode": "mean"}),
    ],
    ids=["text", "400 digits", "layers", "zero", "part"],
)
def test_a_size_that_is_none_is_refused(tmp_path, name, content):
    good = {"1_Pooling__config": {"embedding_dimension": 32}, "2_Dense__config": {"out_features": 8}}
    modules = (("Transformer", ""), ("Pooling", "1_Pooling"), ("Dense", "2_Dense"))
    model = make_model(tmp_path, *modules, **{**good, name: content})
    message = "must be a whole number|describes a model of about|num_hidden_layers is"
    with pytest.raises(DataError, match=message):
        describe_modules({}, model)


def of_header(header: str) -> bytes:
    return len(header.encode()).to_bytes(8, "little") + header.encode()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        (10**9).to_bytes(8, "little") + b"{}",
        of_header(DEEP),
        of_header('{"embeddings": {"dtype": "F32", "shape": [1, -2]}}'),
    ],
    ids=range(4),
)
def test_a_broken_header_of_safetensors_is_one_paragraph(tmp_path, content):
    model = make_model(tmp_path, ("StaticEmbedding", ""))
    (model / "model.safetensors").write_bytes(content)
    with pytest.raises(DataError, match=r"model\.safetensors is missing or damaged: .*Fetch the model again"):
        describe_modules({}, model)
    (model / "model.safetensors").unlink()
    with pytest.raises(DataError, match=r"model\.safetensors is missing or damaged: "):
        describe_modules({}, model)
