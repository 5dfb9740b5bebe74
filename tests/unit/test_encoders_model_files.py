"""What the files of a model say, read without loading it."""

import json

import numpy as np
import pytest
from safetensors.numpy import save_file

from sentflow.encoders.fetch.descriptions import describe, describe_plain
from sentflow.encoders.fetch.file_names import is_model_file, model_files
from sentflow.encoders.fetch.model_size import check_transformer_size
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
    (folder / "model.safetensors").write_bytes(b"")
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
    description = describe(model, allow_pickle=False)
    assert (description.dimension, description.pooling, description.max_tokens) == (32, "cls", 128)


def test_several_poolings_are_joined_and_widen_the_vectors(tmp_path):
    pooling = {"embedding_dimension": 32, "pooling_mode": ["cls", "max"]}
    model = make_model(
        tmp_path, ("Transformer", ""), ("Pooling", "1_Pooling"), **{"1_Pooling__config": pooling}
    )
    assert describe(model, allow_pickle=False).dimension == 64
    assert describe(model, allow_pickle=False).pooling == "cls+max"


def test_dense_layer_sets_the_dimension(tmp_path):
    model = make_model(
        tmp_path,
        ("Transformer", ""),
        ("Pooling", "1_Pooling"),
        ("Dense", "2_Dense"),
        **{"1_Pooling__config": {"word_embedding_dimension": 32}, "2_Dense__config": {"out_features": 8}},
    )
    description = describe(model, allow_pickle=False)
    assert (description.dimension, description.pooling) == (8, "mean")


def test_modules_in_folders_of_their_own(tmp_path):
    model = make_model(
        tmp_path,
        ("Transformer", "0_Transformer"),
        ("Pooling", "1_Pooling"),
        **{
            "0_Transformer__config": {"dim": 24, "max_position_embeddings": 512},
            "0_Transformer__sentence_distilbert_config": {"max_seq_length": 64},
            "1_Pooling__config": {"word_embedding_dimension": 24, "pooling_mode_mean_tokens": True},
        },
    )
    description = describe(model, allow_pickle=False)
    assert (description.dimension, description.max_tokens) == (24, 64)


def test_plain_transformer_is_pooled_by_the_mean_and_reads_what_tokenizer_and_positions_allow(tmp_path):
    write(tmp_path, "config.json", {"hidden_size": 16, "max_position_embeddings": 514})
    write(tmp_path, "tokenizer_config.json", {"model_max_length": 512})
    description = describe(tmp_path, allow_pickle=False)
    assert (description.dimension, description.pooling, description.max_tokens) == (16, "mean", 512)


def test_a_tokenizer_without_limit_is_no_limit(tmp_path):
    write(tmp_path, "config.json", {"hidden_size": 16})
    write(tmp_path, "tokenizer_config.json", {"model_max_length": 10**30})
    assert describe(tmp_path, allow_pickle=False).max_tokens is None


def test_static_embeddings_are_as_wide_as_their_table(tmp_path):
    model = make_model(tmp_path, ("StaticEmbedding", ""))
    save_file({"embedding.weight": np.zeros((100, 48), np.float32)}, model / "model.safetensors")
    assert describe(model, allow_pickle=False).dimension == 48


def test_an_unknown_module_leaves_the_dimension_open(tmp_path):
    model = make_model(tmp_path, ("Transformer", ""), ("BoW", "1_BoW"))
    assert describe(model, allow_pickle=False).dimension is None


def test_code_that_comes_with_a_model_is_refused(tmp_path):
    write(tmp_path, "modules.json", [{"type": "modeling_own.Transformer", "path": ""}])
    with pytest.raises(ConfigError, match="modeling_own.Transformer are none of sentence-transformers"):
        describe(tmp_path, allow_pickle=False)


@pytest.mark.parametrize("name", ["sentence_bert_config", "sentence_xlm-roberta_config"])
def test_what_a_model_asks_of_its_own_loading_is_refused_without_loading_it(tmp_path, name):
    model = make_model(
        tmp_path, ("Transformer", ""), **{name: {"model_args": {"weights_only": False, "dtype": "float16"}}}
    )
    with pytest.raises(ConfigError, match=rf"{name}\.json: model_args\.weights_only would change how"):
        describe(model, allow_pickle=False)


def test_settings_of_a_transformer_that_are_no_map_are_damaged(tmp_path):
    model = make_model(tmp_path, ("Transformer", ""), sentence_bert_config=["max_seq_length"])
    with pytest.raises(DataError, match=r"sentence_bert_config\.json is missing or damaged"):
        describe(model, allow_pickle=False)


def test_code_behind_a_router_is_refused(tmp_path):
    types = {"query_0": "modeling_own.Transformer"}
    model = make_model(tmp_path, ("Router", ""), router_config={"types": types})
    with pytest.raises(ConfigError, match=r"modeling_own\.Transformer are none of sentence-transformers"):
        describe(model, allow_pickle=False)
    write(model, "router_config.json", {"types": ["query_0"]})
    with pytest.raises(DataError, match="Router needs types"):
        describe(model, allow_pickle=False)


def test_pickled_weights_are_refused_unless_allowed(tmp_path):
    write(tmp_path, "config.json", {"hidden_size": 16})
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(ConfigError, match=r"as a pickle only.*allow_pickle: true"):
        describe(tmp_path, allow_pickle=False)
    assert describe(tmp_path, allow_pickle=True).dimension == 16


def test_a_folder_without_a_model_is_an_error(tmp_path):
    with pytest.raises(DataError, match="neither modules.json nor config.json"):
        describe(tmp_path, allow_pickle=False)


def test_damaged_json_is_named(tmp_path):
    (tmp_path / "modules.json").write_text("[")
    with pytest.raises(DataError, match=r"modules\.json is missing or damaged"):
        describe(tmp_path, allow_pickle=False)


@pytest.mark.parametrize(
    ("name", "is_read"),
    [
        ("model.safetensors", True),
        ("1_Pooling/config.json", True),
        ("sentencepiece.bpe.model", True),
        ("vocab.txt", True),
        ("pytorch_model.bin", False),
        ("onnx/config.json", False),
        ("modeling_own.py", False),
        ("README.md", False),
        (".cache/huggingface/x.json", False),
    ],
)
def test_files_that_are_read(name, is_read):
    assert is_model_file(name, allow_pickle=False) is is_read


def test_pickles_are_files_of_the_model_only_where_allowed(tmp_path):
    for name in ("config.json", "pytorch_model.bin", "training_args.bin"):
        (tmp_path / name).write_text("{}")
    assert model_files(tmp_path, allow_pickle=False) == ["config.json"]
    assert model_files(tmp_path, allow_pickle=True) == ["config.json", "pytorch_model.bin"]


# --- numbers that do not fit the weights ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "config",
    [
        {"num_hidden_layers": 10**7},
        {"n_layer": 10**7, "hidden_size": 1},
        {"block_sizes": [4, 10**7]},
        {"text_config": {"num_hidden_layers": 10**7}},
        {"model_type": "albert", "num_hidden_groups": 10**7},
        {"num_hidden_layers": 900, "num_experts": 900},
        {"hidden_size": 10**6},
        {"hidden_size": 768, "vocab_size": 10**9},
        {"hidden_size": 768, "type_vocab_size": 10**9},
        {"hidden_size": 768, "intermediate_size": 10**9},
        {"hidden_size": 4096, "num_hidden_layers": 900},
        {"vocab_size": 10**400},
    ],
    ids=str,
)
def test_settings_that_ask_for_far_more_memory_than_the_weights_have_are_refused(tmp_path, config):
    model = make_model(tmp_path, ("Transformer", ""), config=config)
    with pytest.raises(DataError, match=r"more than any model has|describes a model of about \d+ MB"):
        describe(model, allow_pickle=False)
    with pytest.raises(DataError, match=r"config\.json.* fill the memory"):
        describe_plain(model, allow_pickle=False)


def test_dense_layer_that_does_not_fit_its_weights_is_refused(tmp_path):
    dense = {"in_features": 10**6, "out_features": 10**6, "bias": True}
    model = make_model(tmp_path, ("Transformer", ""), ("Dense", "2_Dense"), **{"2_Dense__config": dense})
    with pytest.raises(DataError, match="2_Dense/config.json describes a model of about 4000000 MB"):
        describe(model, allow_pickle=False)


def test_settings_of_a_later_module_fit_its_weights_whatever_their_file_is_called(tmp_path):
    huge = {"2_LSTM__lstm_config": {"embedding_dimension": 8, "hidden_dim": 20_000, "num_layers": 100}}
    model = make_model(tmp_path, ("Transformer", ""), ("LSTM", "2_LSTM"), **huge)
    with pytest.raises(DataError, match=r"2_LSTM/lstm_config\.json describes a model of about \d+ MB"):
        describe(model, allow_pickle=False)


BERT = {"num_hidden_layers": 12, "hidden_size": 768, "intermediate_size": 3072, "vocab_size": 30_522}
# Settings of published models and the bytes of their weights
PUBLISHED = {
    "bert-base, half precision": ({**BERT, "max_position_embeddings": 512}, 219e6),
    "xlm-roberta-base": ({**BERT, "vocab_size": 250_002, "max_position_embeddings": 514}, 1.11e9),
    "multilingual-e5-small": (
        {
            **BERT,
            "hidden_size": 384,
            "intermediate_size": 1536,
            "vocab_size": 250_037,
            "tokenizer_class": "x",
        },
        471e6,
    ),
    "albert-xxlarge": (
        {
            "model_type": "albert",
            "num_hidden_layers": 12,
            "num_hidden_groups": 1,
            "hidden_size": 4096,
            "embedding_size": 128,
            "intermediate_size": 16384,
            "vocab_size": 30_000,
            "inner_group_num": 1,
        },
        890e6,
    ),
    "qwen3-embedding-0.6b": (
        {
            "num_hidden_layers": 28,
            "hidden_size": 1024,
            "intermediate_size": 3072,
            "vocab_size": 151_669,
            "max_position_embeddings": 32768,
            "rope_theta": 1_000_000,
            "max_window_layers": 28,
            "head_dim": 128,
        },
        1.19e9,
    ),
    "e5-mistral-7b": (
        {
            "num_hidden_layers": 32,
            "hidden_size": 4096,
            "intermediate_size": 14336,
            "vocab_size": 32_000,
            "max_position_embeddings": 32768,
            "rope_theta": 10000.0,
        },
        14.2e9,
    ),
    "the same in four bits": (
        {"num_hidden_layers": 32, "hidden_size": 4096, "intermediate_size": 14336, "vocab_size": 32_000},
        4.1e9,
    ),
    "nomic-embed-v2-moe": (
        {"n_layer": 12, "n_embd": 768, "n_inner": 3072, "num_experts": 8, "vocab_size": 250_048},
        1.9e9,
    ),
    "a static model": ({"model_type": "model2vec", "hidden_dim": 64, "seq_length": 1_000_000}, 9e5),
    "distilbert": ({"n_layers": 6, "dim": 768, "hidden_dim": 3072, "vocab_size": 119_547}, 542e6),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_settings_of_published_models_fit_their_weights(tmp_path, name):
    config, n_bytes = PUBLISHED[name]
    with (tmp_path / "model.safetensors").open("wb") as file:
        file.truncate(int(n_bytes))  # takes no room
    check_transformer_size(tmp_path, config)


@pytest.mark.parametrize("name", ["config", "sentence_bert_config"])
def test_settings_that_never_end_are_not_read(tmp_path, name):
    model = make_model(tmp_path, ("Transformer", ""))
    (tmp_path / f"{name}.json").unlink(missing_ok=True)
    (tmp_path / f"{name}.json").symlink_to("/dev/zero")
    with pytest.raises(DataError, match="holds no settings: it is a pipe or a device"):
        describe(model, allow_pickle=False)


# --- files that say what no model says

MODULE = {"type": f"{PREFIX}.Transformer", "path": ""}
DEEP = "[" * 2000 + "]" * 2000


@pytest.mark.parametrize(
    "content",
    [
        "{}",
        "[]",
        "1",
        "[1]",
        '[{"type": "x"}]',
        '[{"type": 1, "path": ""}]',
        '[{"type": "sentence_transformers.models.Pooling", "path": null}]',
        '[{"type": "sentence_transformers.models.Pooling", "path": "../../elsewhere"}]',
        '[{"type": "sentence_transformers.models.Pooling", "path": "/etc"}]',
        DEEP,
        '["\\ud800"]',
    ],
    ids=lambda text: text[:40],
)
def test_a_broken_list_of_modules_is_one_paragraph(tmp_path, content):
    model = make_model(tmp_path, ("Transformer", ""))
    (model / "modules.json").write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=r"modules\.json is missing or damaged: .*Fetch the model again"):
        describe(model, allow_pickle=False)


@pytest.mark.parametrize(
    "value",
    ["32", -1, 0, 3.5, None, [32], 10**400, True],
    ids=["text", "negative", "zero", "part", "null", "list", "400 digits", "truth"],
)
@pytest.mark.parametrize("key", ["hidden_size", "out_features", "embedding_dimension"])
def test_a_size_that_is_none_is_refused(tmp_path, key, value):
    files = {
        "hidden_size": ("config", {"hidden_size": value}),
        "out_features": ("2_Dense__config", {"out_features": value}),
        "embedding_dimension": ("1_Pooling__config", {"embedding_dimension": value, "pooling_mode": "mean"}),
    }
    good = {"1_Pooling__config": {"embedding_dimension": 32}, "2_Dense__config": {"out_features": 8}}
    name, content = files[key]
    modules = (("Transformer", ""), ("Pooling", "1_Pooling"), ("Dense", "2_Dense"))
    model = make_model(tmp_path, *modules, **{**good, name: content})
    with pytest.raises(DataError, match=f"{key} must be a whole number|describes a model of about"):
        describe(model, allow_pickle=False)


@pytest.mark.parametrize(
    "content", ["[]", '"x"', "1e400", DEEP, "{", '{"text_config": 1}'], ids=lambda text: text[:20]
)
def test_a_broken_config_is_one_paragraph(tmp_path, content):
    model = make_model(tmp_path, ("Transformer", ""))
    (model / "config.json").write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=r"config\.json is missing or damaged"):
        describe(model, allow_pickle=False)


@pytest.mark.parametrize("limit", [float("inf"), float("nan"), 10**30])
def test_no_limit_of_tokens_may_be_written_in_any_way(tmp_path, limit):
    model = make_model(tmp_path, ("Transformer", ""))
    write(model, "tokenizer_config.json", {"model_max_length": limit})
    assert describe(model, allow_pickle=False).max_tokens == 512


def test_a_limit_of_tokens_that_is_no_number_is_refused(tmp_path):
    model = make_model(tmp_path, ("Transformer", ""))
    write(model, "tokenizer_config.json", {"model_max_length": "many"})
    with pytest.raises(DataError, match="model_max_length of tokenizer_config.json"):
        describe(model, allow_pickle=False)


@pytest.mark.parametrize("modes", [1, {"a": 1}, [1], [["cls"]]])
def test_pooling_that_is_no_text_is_refused(tmp_path, modes):
    pooling = {"embedding_dimension": 32, "pooling_mode": modes}
    model = make_model(
        tmp_path, ("Transformer", ""), ("Pooling", "1_Pooling"), **{"1_Pooling__config": pooling}
    )
    with pytest.raises(DataError, match="pooling_mode is neither a text nor a list of texts"):
        describe(model, allow_pickle=False)


def of_header(header: str) -> bytes:
    return len(header.encode()).to_bytes(8, "little") + header.encode()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff" * 8,
        (10**9).to_bytes(8, "little") + b"{}",
        of_header("[]"),
        of_header("{"),
        of_header(DEEP),
        of_header('{"embeddings": 1}'),
        of_header('{"embeddings": {"dtype": "F32"}}'),
        of_header('{"embeddings": {"dtype": "F32", "shape": [1]}}'),
        of_header('{"embeddings": {"dtype": "F32", "shape": ["1", 2]}}'),
        of_header('{"embeddings": {"dtype": "F32", "shape": [1, -2]}}'),
        of_header('{"embeddings": {"dtype": "F32", "shape": [1, 1' + "0" * 5000 + "]}}"),
    ],
    ids=range(12),
)
def test_a_broken_header_of_safetensors_is_one_paragraph(tmp_path, content):
    model = make_model(tmp_path, ("StaticEmbedding", ""))
    (model / "model.safetensors").write_bytes(content)
    with pytest.raises(DataError, match=r"model\.safetensors is missing or damaged: .*Fetch the model again"):
        describe(model, allow_pickle=False)


@pytest.mark.parametrize("value", ["32", -1, 0, 3.5, [32]])
def test_a_limit_of_the_model_that_is_none_is_refused(tmp_path, value):
    model = make_model(tmp_path, ("Transformer", ""), sentence_bert_config={"max_seq_length": value})
    with pytest.raises(DataError, match="max_seq_length must be a whole number"):
        describe(model, allow_pickle=False)


@pytest.mark.parametrize("value", [10**30, 10**400, 1e300])
def test_a_limit_of_the_model_beyond_all_texts_is_none(tmp_path, value):
    model = make_model(tmp_path, ("Transformer", ""), sentence_bert_config={"max_seq_length": value})
    assert describe(model, allow_pickle=False).max_tokens is None
