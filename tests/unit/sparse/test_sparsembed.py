"""`SparsEmbed`: its parts against the formulas, batches and padding, both kinds of heads, gradients, bad input."""

import pytest
import torch
from masked_models import KINDS, TEXTS, masked_model, sparse_encoder
from tiny_bert import save_tiny_phobert

from sentflow.errors import ConfigError, DataError
from sentflow.sparse import SparsEmbed
from sentflow.sparse.activations import NO_TERM
from sentflow.sparse.checks import check_vocabularies

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


@pytest.mark.parametrize("kind", KINDS)
def test_padding_and_the_order_of_a_batch_change_nothing(kind, tmp_path):
    encoder, texts = sparse_encoder(tmp_path, kind).double(), TEXTS[kind]
    whole, turned = encoder.encode(texts, 6), encoder.encode(texts[::-1], 6)
    alone = [encoder.encode([text], 6) for text in texts]
    for key in ALL:
        torch.testing.assert_close(turned[key].flip(0), whole[key], rtol=0, atol=1e-6)
        torch.testing.assert_close(torch.cat([each[key] for each in alone]), whole[key], rtol=0, atol=1e-6)


def test_chunks_of_positions_change_nothing(tmp_path):
    whole, chunks = (sparse_encoder(tmp_path, chunk_size=size).double() for size in (None, 2))
    found = [each(TEXTS["bert"], 6) for each in (whole, chunks)]
    for key in ALL:
        torch.testing.assert_close(found[0][key], found[1][key], rtol=0, atol=1e-6)
    for outputs in found:
        (outputs["sparse_activations"].sum() + outputs["embeddings"].sum()).backward()
    for one, other in zip(whole.parameters(), chunks.parameters(), strict=True):
        torch.testing.assert_close(one.grad, other.grad, rtol=1e-5, atol=1e-5)


def test_more_terms_than_are_active(tmp_path):
    encoder = sparse_encoder(tmp_path)
    with torch.no_grad():
        encoder.head("query").decoder.bias -= 1
    found = encoder.encode(TEXTS["bert"], 10_000)
    active = found["activations"] != NO_TERM
    assert found["activations"].shape == (5, encoder.n_terms)
    assert 0 < active.sum() < active.numel()
    assert torch.equal(active.sum(1), (found["sparse_activations"] > 0).sum(1))


def test_pruned_terms_have_no_gradient(tmp_path):
    encoder = sparse_encoder(tmp_path)
    found = encoder(["lei", "saúde não"], 2)
    kept = set(found["activations"].flatten().tolist())
    found["sparse_activations"].sum().backward()
    gradient = encoder.head("query").decoder.bias.grad
    assert set(torch.nonzero(gradient).flatten().tolist()) == kept
    assert len(kept) < encoder.n_terms


def test_two_heads_begin_alike_share_the_encoder_and_are_trained_apart(tmp_path):
    encoder = sparse_encoder(tmp_path, heads="two")
    texts = TEXTS["bert"]
    before = [encoder.encode(texts, 4, side) for side in ("query", "document")]
    for key in ALL:
        assert torch.equal(before[0][key], before[1][key])
    found = encoder(texts, 4, "query")
    (found["embeddings"].sum() + found["sparse_activations"].sum()).backward()
    document = [encoder.head("document").decoder.bias, *encoder.head("document").transform.parameters()]
    document += encoder.projections["document"].parameters()
    assert all(value.grad is None for value in document)
    assert (encoder.head("query").decoder.bias.grad != 0).any()
    assert encoder.head("query").decoder.weight is encoder.head("document").decoder.weight
    untied = sparse_encoder(tmp_path, heads="two", tied=False)
    weights = [untied.head(side).decoder.weight for side in ("query", "document")]
    assert len({value.data_ptr() for value in [*weights, untied.encoder.get_input_embeddings().weight]}) == 3


def test_a_shared_head_is_one(tmp_path):
    encoder = sparse_encoder(tmp_path)
    assert encoder.head("query") is encoder.head("document") is encoder.head(None)
    n_heads = len([name for name, _ in encoder.named_parameters() if name.endswith("decoder.bias")])
    assert n_heads == 1


def test_two_heads_are_asked_by_side(tmp_path):
    encoder = sparse_encoder(tmp_path, heads="two", k_query=2, k_documents=5)
    with pytest.raises(ConfigError, match="side is None.*query, document"):
        encoder(["lei"], 4)
    with pytest.raises(ConfigError, match="side is 'documents'.*Did you mean document"):
        encoder(["lei"], 4, "documents")
    with pytest.raises(ConfigError, match="neither k nor side"):
        encoder(["lei"])
    assert [encoder(["lei"], side=side)["activations"].shape[1] for side in ("query", "document")] == [2, 5]


def test_the_projection_is_drawn_by_the_seed_alone(tmp_path):
    weights = []
    for seed, noise in ((0, 1), (0, 2), (1, 1)):
        torch.manual_seed(noise)
        weights.append(sparse_encoder(tmp_path, seed=seed).projections["query"].weight)
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


def test_encode_has_neither_gradients_nor_dropout_and_leaves_the_mode(tmp_path):
    encoder = sparse_encoder(tmp_path).train()
    encoder.encoder.embeddings.eval()
    found = [encoder.encode(TEXTS["bert"], 4) for _ in range(2)]
    assert all(torch.equal(found[0][key], found[1][key]) for key in ALL)
    assert not found[0]["embeddings"].requires_grad
    assert encoder.training
    assert not encoder.encoder.embeddings.training


@pytest.mark.parametrize("kind", KINDS)
def test_long_texts_are_cut_to_the_positions_of_the_model(kind, tmp_path):
    encoder = sparse_encoder(tmp_path, kind)
    assert encoder.max_tokens == 32
    long = " ".join(["lei" if kind != "roberta" else "a b c"] * 50)
    assert torch.isfinite(encoder.encode([long], 3)["embeddings"]).all()
    with pytest.raises(ConfigError, match="max_tokens is 33.*32 positions"):
        sparse_encoder(tmp_path, kind, max_tokens=33)


def test_a_tokenizer_that_is_written_in_python_will_do(tmp_path):
    words = ["luật", "đất", "đai"]
    save_tiny_phobert(tmp_path, words)
    model, tokenizer = masked_model(tmp_path)
    encoder = SparsEmbed(model, tokenizer, embedding_size=4).eval().double()
    assert encoder.max_tokens == 64
    whole = encoder.encode(["luật đất đai", "đai"], 5)
    alone = encoder.encode(["đai"], 5)
    torch.testing.assert_close(whole["embeddings"][1:], alone["embeddings"], rtol=0, atol=1e-6)
    assert encoder.without_tokens(["", "luật"]) == [0]


def test_nan_of_vectors_is_told(tmp_path):
    encoder = sparse_encoder(tmp_path)
    with torch.no_grad():
        encoder.projections["query"].bias[0] = torch.nan
    with pytest.raises(DataError, match="vectors of terms: values of 2 of 2 texts are not finite"):
        encoder(["lei", "não"], 4)


def test_nan_of_weights_is_told(tmp_path):
    encoder = sparse_encoder(tmp_path)
    with torch.no_grad():
        encoder.head("query").decoder.bias[3] = torch.nan
    with pytest.raises(DataError, match="weights of terms: values of 2 of 2 texts are not finite"):
        encoder(["lei", "não"], 4)


@pytest.mark.parametrize(
    ("texts", "told"), [([], "at least one text"), ("lei", "Give a list"), ([3], "Give a list")]
)
def test_texts_are_a_list(texts, told, tmp_path):
    with pytest.raises(DataError, match=told):
        sparse_encoder(tmp_path)(texts, 4)


def test_a_text_without_tokens_is_named(tmp_path):
    encoder = sparse_encoder(tmp_path)
    assert encoder.without_tokens(["lei", "", "  "]) == [1, 2]
    with pytest.raises(DataError, match=r"text 1 \(' '\) has no token"):
        encoder(["lei", " "], 4)


def test_bad_options_are_named(tmp_path):
    model, tokenizer = masked_model(tmp_path)
    with pytest.raises(ConfigError, match="model first and its tokenizer second|AutoModelForMaskedLM first"):
        SparsEmbed(tokenizer, model)
    with pytest.raises(ConfigError, match="heads is 'three'.*shared, two"):
        SparsEmbed(model, tokenizer, heads="three")
    with pytest.raises(ConfigError, match="embedding_size is 0"):
        SparsEmbed(model, tokenizer, embedding_size=0)


def test_vocabularies_must_be_one(tmp_path):
    model, tokenizer = masked_model(tmp_path / "bert")
    _, letters = masked_model(tmp_path / "roberta", "roberta")
    with pytest.raises(ConfigError, match=r"ids up to 21, and the model predicts 11 terms"):
        SparsEmbed(model, letters)
    check_vocabularies(tokenizer, 11, tokenizer)
    with pytest.raises(ConfigError, match="vocabularies of model and teacher differ in 33 tokens"):
        check_vocabularies(tokenizer, 11, letters)
