"""TSDAE: what is deleted, what the decoder shares, and that the loss is that of sentence-transformers."""

import copy

import pytest
from sentence_transformers.sentence_transformer.losses import DenoisingAutoEncoderLoss
from trainable import ROWS, trainable_encoder

from sentflow.training.draws import Draws
from sentflow.training.recipes import tsdae
from sentflow.training.recipes.settings import TSDAE
from sentflow.training.recipes.tsdae import without_words

DRAWS = Draws(5)


def test_words_are_deleted_one_by_one_and_keep_their_order():
    text = " ".join(map(str, range(2000)))
    kept = without_words(text, DRAWS, share=0.6).split()
    assert kept == sorted(kept, key=int)
    assert len(set(kept)) == len(kept)
    assert abs(len(kept) - 800) < 100  # standard deviation √(2000 · .6 · .4) = 22
    assert without_words(text, DRAWS, share=0.6).split() == kept
    assert without_words(text, DRAWS.of("next"), share=0.6).split() != kept


def test_the_loss_is_that_of_sentence_transformers(tmp_path):
    objective = tsdae.TSDAE(trainable_encoder(tmp_path), TSDAE(), DRAWS, max_tokens=12).eval()
    encoder = copy.deepcopy(objective.encoder)
    theirs = DenoisingAutoEncoderLoss(encoder, tie_encoder_decoder=True).eval()
    theirs.decoder.load_state_dict(objective.decoder.state_dict())
    (damaged,) = objective.views(ROWS, DRAWS)
    whole = [{"input_ids": objective.tokens(row["text"])} for row in ROWS]
    expected = theirs([objective.padded(damaged), objective.padded(whole)], None)
    found = objective.loss([objective.represent(damaged, 0)], ROWS)
    # Sums of other shapes may round otherwise
    assert found.item() == pytest.approx(expected.item(), rel=1e-5)
