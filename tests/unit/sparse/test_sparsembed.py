"""`SparsEmbed`: its parts against the formulas, batches and padding, both kinds of heads, gradients, bad input."""

import pytest
import torch
from masked_models import KINDS, TEXTS, masked_model, sparse_encoder

from sentflow.errors import DataError
from sentflow.sparse import SparsEmbed
from sentflow.sparse.weigher import NO_TERM

ALL = ("activations", "embeddings", "sparse_activations")


@pytest.mark.parametrize("kind", KINDS)
def test_terms_and_vectors_are_those_of_the_formulas(kind, tmp_path):
    """One text at a time, without padding, out of the logits of transformers."""
    model, tokenizer = masked_model(tmp_path, kind)
    encoder = SparsEmbed(model, tokenizer, embedding_size=4).eval()
    k = 5
    found = encoder.encode(TEXTS[kind], k)
    for row, text in enumerate(TEXTS[kind]):
        with torch.no_grad():
            read = tokenizer([text], return_tensors="pt")
            out = model(**read, output_hidden_states=True)
            logits, tokens = out.logits[0], out.hidden_states[-1][0]
            weights = torch.log(1 + torch.relu(logits)).max(dim=0).values
            best = [term for term in weights.argsort(descending=True)[:k].tolist() if weights[term] > 0]
            vectors = [
                torch.relu(encoder.projections["query"](logits[:, j].softmax(0) @ tokens)) for j in best
            ]
        assert found["activations"][row].tolist() == best + [NO_TERM] * (k - len(best))
        torch.testing.assert_close(
            found["embeddings"][row, : len(best)], torch.stack(vectors), rtol=0, atol=1e-5
        )
        assert (found["embeddings"][row, len(best) :] == 0).all()
        expected = torch.zeros_like(weights).index_put((torch.tensor(best),), weights[best])
        torch.testing.assert_close(found["sparse_activations"][row], expected, rtol=0, atol=1e-5)


def test_padding_and_the_order_of_a_batch_change_nothing(tmp_path):
    encoder, texts = sparse_encoder(tmp_path).double(), TEXTS["bert"]
    whole, turned = encoder.encode(texts, 6), encoder.encode(texts[::-1], 6)
    alone = [encoder.encode([text], 6) for text in texts]
    for key in ALL:
        torch.testing.assert_close(turned[key].flip(0), whole[key], rtol=0, atol=1e-6)
        torch.testing.assert_close(torch.cat([each[key] for each in alone]), whole[key], rtol=0, atol=1e-6)


def test_nan_of_vectors_is_told(tmp_path):
    encoder = sparse_encoder(tmp_path)
    with torch.no_grad():
        encoder.projections["query"].bias[0] = torch.nan
    with pytest.raises(DataError, match="vectors of terms: values of 2 of 2 texts are not finite"):
        encoder(["lei", "não"], 4)


def test_a_text_without_tokens_is_named(tmp_path):
    encoder = sparse_encoder(tmp_path)
    assert encoder.without_tokens(["lei", "", "  "]) == [1, 2]
    with pytest.raises(DataError, match=r"text 1 \(' '\) has no token"):
        encoder(["lei", " "], 4)
