"""Folders of sentence-transformers' other models, given as sentence encoders."""

import json

import pytest
from sentence_transformers import CrossEncoder, MultiVectorEncoder, SparseEncoder
from sentence_transformers.multi_vector_encoder.modules import MultiVectorMask
from sentence_transformers.sentence_transformer.modules import Dense, Transformer
from sentence_transformers.sparse_encoder.modules import SpladePooling
from tiny_bert import save_tiny_bert, save_tiny_cross_encoder, save_tiny_masked_bert

from sentflow.encoders.kind import Context
from sentflow.encoders.kinds.sentence_transformers import SentenceTransformerEncoder
from sentflow.encoders.safety import describe_modules
from sentflow.encoders.settings import VectorSettings
from sentflow.errors import ConfigError


def many_vectors(folder):
    transformer = Transformer(str(save_tiny_bert(folder)))
    token = {"module_input_name": "token_embeddings", "module_output_name": "token_embeddings"}
    return MultiVectorEncoder(modules=[transformer, Dense(8, 4, bias=False, **token), MultiVectorMask()])


def weighs_terms(folder):
    transformer = Transformer(str(save_tiny_masked_bert(folder)), transformer_task="fill-mask")
    return SparseEncoder(modules=[transformer, SpladePooling("max")])


def compares_pairs(folder):
    return CrossEncoder(str(save_tiny_cross_encoder(folder)))


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (many_vectors, "is a MultiVectorEncoder.* does not compute MultiVectorMask. No kind does"),
        (weighs_terms, "is a SparseEncoder.* does not compute SpladePooling. Write kind: splade"),
        (compares_pairs, "is a CrossEncoder.* Write kind: cross-encoder"),
    ],
)
def test_a_model_of_another_kind_is_refused_by_name(tmp_path, make, problem):
    make(tmp_path / "start").save(str(tmp_path / "model"))
    with pytest.raises(ConfigError, match=problem):
        SentenceTransformerEncoder.of_folder(tmp_path / "model", VectorSettings(), Context())


@pytest.mark.parametrize("name", ["MultiVectorMask", "TokenPooling", "CLIPModel", "ModuleOfTomorrow"])
def test_a_module_that_is_not_computed_is_refused_whatever_the_model_is_called(tmp_path, name):
    modules = [{"type": "sentence_transformers.models.Transformer", "path": ""}]
    modules.append({"type": f"sentence_transformers.models.{name}", "path": "1"})
    (tmp_path / "modules.json").write_text(json.dumps(modules))
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ConfigError, match=f"{name}"):
        describe_modules({}, tmp_path)
