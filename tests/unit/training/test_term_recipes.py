"""Recipes of sparse encoders: their weights, vectors, losses and starts, and what they leave."""

import numpy as np
import pytest
import tiny_training as tiny
import torch
from sentence_transformers import SparseEncoder
from transformers import AutoModelForMaskedLM

from sentflow.encoders.kinds.table import MADE_BY
from sentflow.errors import ConfigError, DataError
from sentflow.sparse.activations import splade_weights
from sentflow.sparse.folder import load_sparse_embed
from sentflow.sparse.ranking_losses import kl_divergence, margin_mse
from sentflow.sparse.regularisers import flops
from sentflow.sparse.term_vectors import TermVectors, candidate_scores
from sentflow.sparse.utils import scores as mean_scores
from sentflow.training.cache import chunks_by_length, gradients
from sentflow.training.cards.uses import USES
from sentflow.training.contract import target_of
from sentflow.training.draws import Draws
from sentflow.training.optimiser import make_optimiser
from sentflow.training.settings import TrainingSettings

STEP = Draws(1, ("step", 1))
RECIPES = ("splade", "sparse-embed")
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


@pytest.mark.parametrize("kind", ["masked-bert", "masked-distilbert"])
@pytest.mark.parametrize("pooling", ["max", "sum"])
def test_splade_weighs_terms_by_the_logits_of_the_model(tmp_path, kind, pooling):
    found = objective(tmp_path, "splade", kind=kind, pooling=pooling)
    model = AutoModelForMaskedLM.from_pretrained(tmp_path).double().eval()
    tokens = found.encoder.tokenizer(TEXTS, padding=True, truncation=True, max_length=16, return_tensors="pt")
    with torch.no_grad():
        expected = splade_weights(model(**tokens).logits, tokens["attention_mask"], pooling=pooling)
    torch.testing.assert_close(represented(found, tiny.PAIRS)[0].detach(), expected, rtol=1e-9, atol=1e-12)


def test_terms_are_pruned_by_side(tmp_path):
    found = objective(tmp_path, "splade", question_terms=2, document_terms=3)
    queries, documents = represented(found, tiny.PAIRS)
    assert ((queries > 0).sum(dim=1) <= 2).all() and ((documents > 0).sum(dim=1) <= 3).all()


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


def test_false_negatives_have_no_part_in_the_loss(tmp_path):
    found = objective(tmp_path, "splade", question_flops=0, document_flops=0)
    rows = [{"text": "a", "other": "x"}, {"text": "a", "other": "y"}, {"text": "b", "other": "z"}]
    weights = torch.rand(3, 20, dtype=torch.float64), torch.rand(3, 20, dtype=torch.float64)
    scores = weights[0] @ weights[1].T
    scores[0, 1] = scores[1, 0] = -torch.inf
    expected = torch.nn.functional.cross_entropy(scores, torch.arange(3))
    assert found.loss(weights, rows).item() == pytest.approx(expected.item(), rel=1e-12)


def test_scores_of_sparse_embed_are_those_of_search(tmp_path):
    found = objective(tmp_path, "sparse-embed", ranking="margin-mse", question_flops=0, document_flops=0)
    views = represented(found, tiny.SCORED)
    (query_terms, queries), *documents = [found._unpacked(view) for view in views]
    stacked = TermVectors(
        torch.stack([each.ids for _, each in documents], dim=1),
        torch.stack([each.embeddings for _, each in documents], dim=1),
    )
    teacher = torch.tensor([[row["score"], row["negative_score"]] for row in tiny.SCORED]).double()
    weights = [terms.dense(found.weigher.n_terms) for terms, _ in documents]
    by_weights = torch.stack(
        [(query_terms.dense(found.weigher.n_terms) * each).sum(dim=1) for each in weights], dim=1
    )
    expected = margin_mse(candidate_scores(queries, stacked), teacher) + 0.1 * margin_mse(by_weights, teacher)
    assert found.loss(views, tiny.SCORED).item() == pytest.approx(expected.item(), rel=1e-6)


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("ranking", ["kl", "margin-mse"])
def test_cosines_of_a_teacher_are_the_scores_of_all_documents_of_a_batch(tmp_path, recipe, ranking):
    found = objective(tmp_path, recipe, ranking=ranking, teacher="other", teacher_scale=5.0)
    generator = np.random.default_rng(1)
    rows = [
        {**row, **{target_of(name): generator.normal(size=6) for name in ("text", "other", "negative")}}
        for row in tiny.TRIPLETS
    ]
    unit = [
        np.stack([row[target_of(name)] / np.linalg.norm(row[target_of(name)]) for row in rows])
        for name in ("text", "other", "negative")
    ]
    teacher = torch.from_numpy(5 * unit[0] @ np.concatenate(unit[1:]).T)
    scores = torch.rand(4, 8, dtype=torch.float64)
    torch.testing.assert_close(found.teacher_scores(rows, torch.device("cpu")), teacher)
    if ranking == "kl":
        assert found.candidates(scores, rows) is scores
        expected = kl_divergence(scores, teacher)
    else:
        first = torch.stack([torch.cat([row[[i]], row[:i], row[i + 1 :]]) for i, row in enumerate(scores)])
        assert torch.equal(found.candidates(scores, rows), first)
        expected = margin_mse(first, found.candidates(teacher, rows))
    assert expected.isfinite()
    loss = found.loss(represented(found, rows), rows)
    assert loss.isfinite() and loss.item() > 0


def test_labels_are_learnt_as_in_the_replication(tmp_path):
    found = objective(
        tmp_path, "sparse-embed", ranking="labels", question_flops=0.004, document_flops=0.004, flops_rise=0.0
    )
    rows = [{**row, "label": label} for row, label in zip(tiny.PAIRS, (1, 0, 1, 0), strict=True)]
    views = represented(found, rows)
    (terms, queries), (other_terms, documents) = [found._unpacked(view) for view in views]
    weights = [each.dense(found.weigher.n_terms) for each in (terms, other_terms)]
    labels = torch.tensor([1.0, 0, 1, 0], dtype=torch.float64)
    means = mean_scores(queries.ids, queries.embeddings, documents.ids, documents.embeddings)
    cosines = torch.nn.functional.cosine_similarity(*weights)
    expected = (means - labels).square().mean() + 0.1 * (cosines - labels).square().mean()
    expected = expected + 0.004 * (flops(weights[0]) + flops(weights[1]))
    assert found.loss(views, rows).item() == pytest.approx(expected.item(), rel=1e-9)
    with pytest.raises(DataError, match="labels 0 and 1"):
        found.loss(views, [{**row, "label": 2} for row in rows])


@pytest.mark.parametrize("recipe", RECIPES)
def test_chunks_and_the_gradient_cache_change_no_gradient(tmp_path, recipe):
    found = objective(tmp_path, recipe, dropout=0.1, flops_rise=0.0)

    def step(cached, most):
        found.zero_grad(set_to_none=True)
        sums = gradients(
            found, tiny.TRIPLETS, STEP, chunks=lambda one: chunks_by_length(one, most), cached=cached
        )
        return sums.loss, {
            name: value.grad for name, value in found.named_parameters() if value.grad is not None
        }

    loss, expected = step(cached=False, most=24)
    other_loss, other = step(cached=True, most=24)
    assert other_loss == pytest.approx(loss, rel=1e-12)
    assert other.keys() == expected.keys()
    for name, value in expected.items():
        # Double precision: sums in another order
        torch.testing.assert_close(other[name], value, rtol=1e-9, atol=1e-12)
    assert any("projections" in name for name in expected) == (recipe == "sparse-embed")


def test_what_splade_leaves_is_read_by_sentence_transformers(tmp_path):
    found = objective(tmp_path / "start", "splade", double=False, pooling="sum")
    found.begin(tiny.PAIRS)
    found.write(found.exported(), tmp_path / "saved")
    expected = represented(found, tiny.PAIRS)[0].detach()
    read = SparseEncoder(str(tmp_path / "saved"), device="cpu")
    torch.testing.assert_close(read.encode(TEXTS).to_dense(), expected, rtol=1e-4, atol=1e-5)
    again = tiny.recipe("splade", _loaded(tmp_path / "saved"), pooling="sum").eval()
    found = represented(again, tiny.PAIRS)[0].detach()
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("settings", [{}, {"tied": False}, {"heads": "shared"}])
def test_what_sparse_embed_leaves_is_what_was_trained(tmp_path, settings):
    found = objective(tmp_path / "start", "sparse-embed", double=False, **settings)
    with torch.no_grad():  # sides differ
        for parameter in found.weigher.parameters():
            parameter.add_(0.01 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(3)))
    found.write(found.exported(), tmp_path / "saved")
    read = load_sparse_embed(tmp_path / "saved", "cpu")
    for view, side in zip(represented(found, tiny.PAIRS), ("query", "document"), strict=True):
        texts = [row["text" if side == "query" else "other"] for row in tiny.PAIRS]
        expected, vectors = found._unpacked(view)
        other = read.encode(texts, side=side)
        assert torch.equal(other["activations"], expected.ids)
        torch.testing.assert_close(other["embeddings"], vectors.embeddings.detach(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("recipe", [*RECIPES, "cross-encoder"])
def test_what_a_card_says_of_the_use_of_an_encoder_works(tmp_path, recipe, capsys):
    start = tiny.encoder(tmp_path / "start", kind="masked-bert")
    found = tiny.recipe(recipe, start, **SMALL.get(recipe, {}))
    found.write(found.exported(), tmp_path / "saved")
    code = USES[MADE_BY[recipe]].code.format(folder=tmp_path / "saved")
    assert "# the folder of this card" in code
    exec(code, {})


@pytest.mark.parametrize("recipe", RECIPES)
def test_products_of_lora_are_in_what_is_left(tmp_path, recipe):
    pytest.importorskip("peft", reason="peft is optional: envs/requirements-lora.txt")
    from sentflow.training.options import lora

    encoder = tiny.encoder(tmp_path / "start", kind="masked-bert")
    lora.prepare(encoder, {"rank": 2, "alpha": 4}, STEP)
    found = lora.wrap(tiny.recipe(recipe, encoder, **SMALL[recipe]), {})
    with torch.no_grad():
        for name, value in found.named_parameters():
            if "lora_" in name:
                value.add_(0.3)
    found.at_step(0, 1)
    found.write(found.exported(), tmp_path / "saved")
    view = represented(found, tiny.PAIRS)[0]
    if recipe == "splade":
        other = SparseEncoder(str(tmp_path / "saved"), device="cpu").encode(TEXTS).to_dense()
        expected = view.detach()
    else:
        model = load_sparse_embed(tmp_path / "saved", "cpu")
        other, expected = (
            model.encode(TEXTS, side="query")["sparse_activations"],
            found.inner.term_weights(view).detach(),
        )
    torch.testing.assert_close(other, expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("recipe", RECIPES)
def test_the_start_is_calibrated_on_its_rows(tmp_path, recipe):
    found = objective(tmp_path, recipe, start_terms=5)
    rows = [{"text": row["other"], "other": row["text"]} for row in tiny.PAIRS]
    found.begin(rows)
    active = (found.weigher.greatest_logits([row["other"] for row in rows], "document") > 0).sum(dim=1)
    assert active.double().mean().item() == pytest.approx(5, rel=0.05)


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_start_without_a_head_is_refused(tmp_path, recipe):
    with pytest.raises(ConfigError, match="no layer that predicts masked tokens.*recipe mlm"):
        objective(tmp_path, recipe, kind="bert")


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_start_whose_texts_are_parallel_is_refused(tmp_path, recipe):
    found = objective(tmp_path, recipe)
    with torch.no_grad():
        for head in found.weigher.heads.values():
            head.transform.dense.weight.zero_()
            head.decoder.bias.add_(5.0)
    with pytest.raises(ConfigError, match="nearly parallel"):
        found.begin(tiny.PAIRS)


@pytest.mark.parametrize("recipe", RECIPES)
def test_measures_are_of_the_loss_and_of_active_terms(tmp_path, recipe):
    found = objective(tmp_path, recipe)
    views = represented(found, tiny.TRIPLETS)
    measures = found.measures(views, tiny.TRIPLETS)
    assert measures["loss"] == (pytest.approx(found.loss(views, tiny.TRIPLETS).item()), 1)
    active = [int((found.term_weights(view) > 0).sum()) for view in views]
    assert measures["query_terms"] == (active[0], 4)
    assert measures["document_terms"] == (sum(active[1:]), 8)
    assert ("embeddings_loss" in measures) == (recipe == "sparse-embed")


def _loaded(folder):
    from sentflow.encoders.kinds.neural.load import load_model
    from sentflow.encoders.kinds.neural.settings import Settings

    return load_model(folder, Settings(), "cpu", threads=1, allow_pickle=False, plain=True).train()


@pytest.mark.parametrize("recipe", RECIPES)
def test_values_that_are_no_number_reach_the_loss_and_stop_no_single_process(tmp_path, recipe):
    found = objective(tmp_path, recipe)
    with torch.no_grad():
        found.weigher.head("query").decoder.bias.fill_(torch.nan)
    assert not found.loss(represented(found, tiny.PAIRS), tiny.PAIRS).isfinite()


@pytest.mark.parametrize("kind", ["masked-bert", "masked-distilbert", "masked-roberta"])
def test_normalisations_of_heads_are_not_decayed(tmp_path, kind):
    found = objective(tmp_path, "sparse-embed", kind=kind)
    settings = TrainingSettings(learning_rate=1.0, steps=1, weight_decay=0.1)
    decayed = {id(value) for value in make_optimiser(found, settings).param_groups[0]["params"]}
    names = {
        name
        for head in found.weigher.heads.values()
        for name, value in head.transform.named_parameters()
        if id(value) in decayed
    }
    assert names and all(
        dict(found.weigher.head("query").transform.named_parameters())[name].ndim == 2 for name in names
    )
