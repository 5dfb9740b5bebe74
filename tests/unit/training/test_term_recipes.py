"""Recipes of sparse encoders: their weights, vectors, losses and starts, and what they leave."""

import pytest
import tiny_training as tiny
import torch
from sentence_transformers import SparseEncoder
from transformers import AutoModelForMaskedLM

from sentflow.errors import ConfigError
from sentflow.sparse.folder import load_sparse_embed
from sentflow.sparse.model import TermVectors, all_scores
from sentflow.sparse.ranking_losses import flops, margin_mse
from sentflow.sparse.weigher import pooled_weights
from sentflow.training.draws import Draws

STEP = Draws(1, ("step", 1))
SMALL = {"splade": {}, "sparse-embed": {"question_terms": 4, "document_terms": 6, "width": 3}}
TEXTS = [row["text"] for row in tiny.PAIRS]


def objective(folder, recipe, *, kind="masked-bert", double=True, seed=1, **settings):
    found = tiny.recipe(
        recipe, tiny.encoder(folder, kind=kind, double=double), seed, **{**SMALL[recipe], **settings}
    )
    found.at_step(0, 10)
    return found


def represented(found, rows, draws=STEP):
    return tiny.vectors(found.eval(), found.views(rows, draws))


@pytest.mark.parametrize(("kind", "pooling"), [("masked-bert", "max"), ("masked-distilbert", "sum")])
def test_splade_weighs_terms_by_the_logits_of_the_model(tmp_path, kind, pooling):
    found = objective(tmp_path, "splade", kind=kind, pooling=pooling)
    model = AutoModelForMaskedLM.from_pretrained(tmp_path).double().eval()
    tokens = found.encoder.tokenizer(TEXTS, padding=True, truncation=True, max_length=16, return_tensors="pt")
    with torch.no_grad():
        expected = pooled_weights(
            lambda logits: logits, model(**tokens).logits, tokens["attention_mask"], pooling=pooling
        )
    torch.testing.assert_close(represented(found, tiny.PAIRS)[0].detach(), expected, rtol=1e-9, atol=1e-12)


def test_the_loss_of_splade_is_that_of_its_parts(tmp_path):
    found = objective(tmp_path, "splade", question_flops=0.3, document_flops=0.7, flops_rise=1.0)
    found.at_step(5, 10)  # a quarter of the weights
    views = represented(found, tiny.TRIPLETS)
    queries, documents = views[0], torch.cat(views[1:])
    # Texts of rows that are relevant to no other one
    plain = [dict(row, negative=f"{row['negative']} saúde saúde") for row in tiny.TRIPLETS]
    scores = queries @ documents.T
    expected = torch.nn.functional.cross_entropy(scores, torch.arange(4))
    expected = expected + 0.25 * (0.3 * flops(queries) + 0.7 * flops(documents))
    assert found.loss(views, plain).item() == pytest.approx(expected.item(), rel=1e-9)
    assert found.measures(views, plain)["document_terms"] == (int((documents > 0).sum()), 8)


def test_scores_of_sparse_embed_are_those_of_search(tmp_path):
    found = objective(tmp_path, "sparse-embed", ranking="margin-mse", question_flops=0, document_flops=0)
    views = represented(found, tiny.SCORED)
    queries, *documents = views
    teacher = torch.tensor([[row["score"], row["negative_score"]] for row in tiny.SCORED]).double()
    of_queries, *weights = [found.term_weights(view) for view in views]
    by_weights = torch.stack([(of_queries * each).sum(dim=1) for each in weights], dim=1)
    terms, *others = [TermVectors(each["ids"], each["vectors"]) for each in (queries, *documents)]
    by_vectors = torch.stack([all_scores(terms, each).diagonal() for each in others], dim=1)
    expected = margin_mse(by_vectors, teacher) + 0.1 * margin_mse(by_weights, teacher)
    assert found.loss(views, tiny.SCORED).item() == pytest.approx(expected.item(), rel=1e-6)


def test_what_splade_leaves_is_read_by_sentence_transformers(tmp_path):
    found = objective(tmp_path / "start", "splade", double=False, pooling="sum")
    found.begin(tiny.PAIRS)
    found.write(found.exported(), tmp_path / "saved")
    expected = represented(found, tiny.PAIRS)[0].detach()
    read = SparseEncoder(str(tmp_path / "saved"), device="cpu")
    torch.testing.assert_close(read.encode(TEXTS).to_dense(), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("settings", [{}, {"tied": False, "heads": "shared"}])
def test_what_sparse_embed_leaves_is_what_was_trained(tmp_path, settings):
    found = objective(tmp_path / "start", "sparse-embed", double=False, **settings)
    with torch.no_grad():  # sides differ
        for parameter in found.weigher.parameters():
            parameter.add_(0.01 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(3)))
    found.write(found.exported(), tmp_path / "saved")
    read = load_sparse_embed(tmp_path / "saved", "cpu")
    for view, side in zip(represented(found, tiny.PAIRS), ("query", "document"), strict=True):
        texts = [row["text" if side == "query" else "other"] for row in tiny.PAIRS]
        other = read.encode(texts, side=side)
        assert torch.equal(other["activations"], view["ids"])
        torch.testing.assert_close(other["embeddings"], view["vectors"].detach(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("recipe", "settings", "remedy"),
    [
        ("splade", {}, r"settings\.start_terms, a number"),
        ("splade", {"start_terms": 3}, r"settings\.start_terms, another number than 3"),
        ("sparse-embed", {"start_terms": 3}, r"settings\.start_question_terms, a number"),
        (
            "sparse-embed",
            {"start_terms": 3, "heads": "shared"},
            r"settings\.start_terms, another number than 3",
        ),
    ],
)
def test_a_start_that_cannot_learn_is_refused_with_the_setting_that_is_still_to_be_written(
    tmp_path, monkeypatch, recipe, settings, remedy
):
    found = objective(tmp_path, recipe, **settings)
    monkeypatch.setattr("sentflow.sparse.calibration.PARALLEL", -2.0)
    with pytest.raises(ConfigError, match=rf"^start: .*{remedy}"):
        found.begin(tiny.PAIRS)
