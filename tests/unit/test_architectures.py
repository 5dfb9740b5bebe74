"""One tiny model of each architecture, embedded as sentence-transformers embeds it, texts beyond its limit included."""

import json

import numpy as np
import pytest
import torch
import transformers
from safetensors.numpy import save_file
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Dense, Normalize, Pooling, Transformer
from tiny_bert import save_tiny_phobert
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from sentflow.encoders.kind import Context
from sentflow.encoders.kinds.sentence_transformers import SentenceTransformerEncoder
from sentflow.encoders.safety import describe_modules
from sentflow.encoders.settings import VectorSettings
from sentflow.errors import ConfigError

WORDS = ["lei", "ação", "projeto", "não", "saúde", "voto"]
TEXTS = [
    "lei",
    "ação projeto lei não",
    " ".join(WORDS * 12),
    "saúde não",
    " ".join(WORDS[::-1] * 5 + ["lei"]),
]
LIMIT = 32  # tokens
WIDE = {"vocab_size": 12, "hidden_size": 16, "num_hidden_layers": 2, "intermediate_size": 16}
WIDE["num_attention_heads"] = 2
GROUPED = {**WIDE, "num_key_value_heads": 1, "head_dim": 8, "max_position_embeddings": LIMIT}
# Name of the classes → what its configuration says; positions that begin behind the padding are two more
ARCHITECTURES = {
    "Bert": {**WIDE, "max_position_embeddings": 32},
    "Roberta": {**WIDE, "max_position_embeddings": 34},
    "XLMRoberta": {**WIDE, "max_position_embeddings": 34},
    "MPNet": {**WIDE, "max_position_embeddings": 34},
    "DistilBert": {
        **{"vocab_size": 12, "dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 16},
        "max_position_embeddings": 32,
    },
    "DebertaV2": {
        **{**WIDE, "max_position_embeddings": 32, "relative_attention": True, "pos_att_type": ["p2c", "c2p"]},
        "position_biased_input": False,
    },
    "Electra": {**WIDE, "embedding_size": 16, "max_position_embeddings": 32},
    "T5": {"vocab_size": 12, "d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 2, "num_heads": 2},
    "ModernBert": {**WIDE, "max_position_embeddings": 32, "local_attention": 8},
    "Qwen3": GROUPED,
    "Gemma3Text": {**GROUPED, "sliding_window": 8, "query_pre_attn_scalar": 8},
}
CLASSES = {"T5": "T5EncoderModel", "Gemma3Text": "Gemma3TextModel"}


def save_tokenizer(folder, **settings):
    special = {"bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    vocabulary = {word: number for number, word in enumerate([*special.values(), *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, cls_token="<s>", sep_token="</s>", **special, **settings
    ).save_pretrained(folder)


def saved(name, folder):
    """The folder of a model of sentence-transformers, in which no file states a limit."""
    plain = folder / "plain"
    if name == "PhoBERT":
        save_tiny_phobert(plain, WORDS, width=16)
    else:
        save_tokenizer(plain, padding_side="left" if name == "Qwen3" else "right")
        config = getattr(transformers, f"{name}Config")(
            **ARCHITECTURES[name], pad_token_id=1, bos_token_id=0, eos_token_id=2, initializer_range=0.5
        )
        torch.manual_seed(0)
        getattr(transformers, CLASSES.get(name, f"{name}Model"))(config).save_pretrained(plain)
    dense = [Dense(16, 24, bias=False), Dense(24, 8, bias=False)] if name == "Gemma3Text" else []
    pooling = Pooling(16, "lasttoken" if name == "Qwen3" else "mean")
    SentenceTransformer(modules=[Transformer(str(plain)), pooling, *dense, Normalize()], device="cpu").save(
        str(folder / "model")
    )
    path = folder / "model/tokenizer_config.json"
    stated = {key: value for key, value in json.loads(path.read_text()).items() if key != "model_max_length"}
    path.write_text(json.dumps(stated))
    return folder / "model"


@pytest.mark.parametrize("name", [*ARCHITECTURES, "PhoBERT"])
def test_vectors_are_those_of_the_library_and_long_texts_are_cut_where_positions_end(tmp_path, name):
    folder = saved(name, tmp_path)
    limit = {"T5": None, "PhoBERT": 64}.get(name, LIMIT)
    assert describe_modules({}, folder).max_tokens == limit
    library = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    if limit is not None:
        library.max_seq_length = limit
    ours = SentenceTransformerEncoder.of_folder(folder, VectorSettings(), Context())
    found = ours.encode(TEXTS, role="text", task=None)
    assert np.abs(found - library.encode(TEXTS, batch_size=1)).max() < 2e-6
    assert ours.reading.lost.any() == (limit is not None)


@pytest.mark.parametrize(
    ("config", "stated"),
    [
        ({"model_type": "xlm-roberta", "max_position_embeddings": 514, "pad_token_id": 1}, 514),
        ({"model_type": "mpnet", "max_position_embeddings": 514, "pad_token_id": 0}, 513),
        ({"model_type": "bert", "max_position_embeddings": 512}, 1024),
        ({"model_type": "deberta-v2", "max_position_embeddings": 512}, 10**6),
    ],
)
def test_a_stated_limit_beyond_the_positions_is_refused_with_both_numbers(tmp_path, config, stated):
    save_file({"weights": np.zeros(1)}, tmp_path / "model.safetensors")
    (tmp_path / "config.json").write_text(json.dumps(config | {"hidden_size": 8}))
    (tmp_path / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": stated}))
    with pytest.raises(ConfigError, match=f"max_seq_length is {stated}, .* positions for 512 tokens"):
        describe_modules({}, tmp_path)


def test_a_stated_limit_of_computed_positions_is_taken(tmp_path):
    save_file({"weights": np.zeros(1)}, tmp_path / "model.safetensors")
    config = {"model_type": "deberta-v2", "max_position_embeddings": 512, "position_biased_input": False}
    (tmp_path / "config.json").write_text(json.dumps(config | {"hidden_size": 8}))
    (tmp_path / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 1024}))
    assert describe_modules({}, tmp_path).max_tokens == 1024
