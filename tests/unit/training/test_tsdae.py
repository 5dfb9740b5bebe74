"""TSDAE: what is deleted, what the decoder shares, and that the loss is that of sentence-transformers."""

import copy

import numpy as np
import pytest
import torch
from sentence_transformers.sentence_transformer.losses import DenoisingAutoEncoderLoss
from trainable import ROWS, trainable_encoder

from sentflow.errors import ConfigError
from sentflow.training.cache import chunks_by_length, gradients
from sentflow.training.draws import Draws
from sentflow.training.recipes import tsdae
from sentflow.training.recipes.table import RECIPES
from sentflow.training.views.deletion import without_words

DRAWS = Draws(5)
SETTINGS = RECIPES["tsdae"].settings


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("bert")


def built(folder, double=False):
    objective = tsdae.build(trainable_encoder(folder, double=double), SETTINGS, DRAWS, max_tokens=12)
    return objective.double() if double else objective


def test_words_are_deleted_one_by_one_and_keep_their_order():
    text = " ".join(map(str, range(2000)))
    kept = without_words(text, DRAWS, share=0.6).split()
    assert kept == sorted(kept, key=int)
    assert len(set(kept)) == len(kept)
    assert abs(len(kept) - 800) < 100  # standard deviation √(2000 · .6 · .4) = 22
    assert without_words(text, DRAWS, share=0.6).split() == kept
    assert without_words(text, DRAWS.of("next"), share=0.6).split() != kept


@pytest.mark.parametrize("text", ["lei", "lei não"])
def test_one_word_at_least_is_left(text):
    left = {without_words(text, DRAWS.of(number), share=0.99) for number in range(60)}
    assert set(text.split()) <= left <= {*text.split(), text}


def test_nothing_is_deleted_from_a_text_without_words():
    assert without_words("  ", DRAWS, share=0.6) == "  "


def test_the_decoder_is_made_of_the_tensors_of_the_encoder(folder):
    objective = built(folder)
    encoder = {id(p) for p in objective.encoder.parameters()}
    new = {name for name, p in objective.decoder.named_parameters() if id(p) not in encoder}
    # 2 layers × (query, key, value, output with weight and bias, and a normalisation), and the head on the vocabulary
    assert all("crossattention" in name or name.startswith("cls.") for name in new)
    assert sum("crossattention" in name for name in new) == 2 * (4 * 2 + 2)
    words = objective.encoder[0].auto_model.get_input_embeddings().weight
    assert objective.decoder.get_output_embeddings().weight is words


def test_the_loss_is_that_of_sentence_transformers(folder):
    objective = built(folder).eval()
    encoder = copy.deepcopy(objective.encoder)
    theirs = DenoisingAutoEncoderLoss(encoder, tie_encoder_decoder=True).eval()
    theirs.decoder.load_state_dict(objective.decoder.state_dict())
    (damaged,) = objective.views(ROWS, DRAWS)
    whole = [{"input_ids": objective.tokens(row["text"])} for row in ROWS]
    expected = theirs([objective.padded(damaged), objective.padded(whole)], None)
    found = objective.loss([objective.represent(damaged, 0)], ROWS)
    # Sums of other shapes may round otherwise
    assert found.item() == pytest.approx(expected.item(), rel=1e-5)


def test_a_cache_changes_no_gradient_of_shared_weights(folder):
    found = []
    for cached in (False, True):
        objective = built(folder, double=True)
        gradients(
            objective,
            ROWS,
            DRAWS.of("step", 1),
            chunks=lambda examples: chunks_by_length(examples, 10),
            cached=cached,
        )
        found.append(torch.cat([p.grad.flatten() for p in objective.parameters() if p.grad is not None]))
    assert ((found[1] - found[0]).norm() / found[0].norm()).item() < 1e-12


def test_the_decoder_is_not_exported(folder):
    objective = built(folder)
    start = trainable_encoder(folder)
    assert objective.exported().state_dict().keys() == start.state_dict().keys()
    assert np.array_equal(objective.exported().eval().encode(["lei não"]), start.eval().encode(["lei não"]))


def test_an_encoder_without_such_a_decoder_is_refused(tmp_path):
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from tiny_bert import save_tiny_bert
    from transformers import MPNetConfig, MPNetModel

    save_tiny_bert(tmp_path)
    config = MPNetConfig(
        vocab_size=16,
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=8,
        max_position_embeddings=40,
    )
    MPNetModel(config).save_pretrained(tmp_path)
    encoder = SentenceTransformer(modules=[Transformer(str(tmp_path)), Pooling(8, "cls")], device="cpu")
    with pytest.raises(ConfigError, match=r"decoder for a mpnet.*Start from a BERT"):
        tsdae.build(encoder, SETTINGS, DRAWS, max_tokens=12)
