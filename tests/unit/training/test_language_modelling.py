import numpy as np
import pytest
import tiny_training as tiny
import torch

from sentflow.errors import ConfigError
from sentflow.training.draws import Draws
from sentflow.training.masking import Vocabulary, masked

STEP = Draws(1, ("step", 4))
CLS, SEP, MASK, N = 2, 3, 4, 1000


def test_tokens_are_chosen_and_hidden_with_the_published_probabilities():
    ids = [CLS, *np.random.default_rng(0).integers(5, N, size=40_000).tolist(), SEP]
    hidden, expected = map(
        np.array, masked(ids, Draws(1), Vocabulary(mask=MASK, size=N, special=frozenset({CLS, SEP})))
    )
    given, chosen = np.array(ids), np.array(expected) != -100
    # four standard errors of shares of 40,000 and of 6,000
    assert chosen.mean() == pytest.approx(0.15, abs=0.007)
    assert (hidden[chosen] == MASK).mean() == pytest.approx(0.8, abs=0.021)
    assert (hidden[chosen] == given[chosen]).mean() == pytest.approx(0.1 + 0.1 / N, abs=0.016)
    assert (hidden[~chosen] == given[~chosen]).all()
    assert (expected[chosen] == given[chosen]).all()
    assert not chosen[[0, -1]].any()


def test_masks_are_functions_of_the_draws():
    first, again, other = (
        masked(range(5, 60), Draws(seed), Vocabulary(mask=MASK, size=N, special=frozenset()))
        for seed in (1, 1, 2)
    )
    assert first == again != other


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_the_terms_of_all_views_are_the_weighted_mean_over_masked_tokens(tmp_path, kind):
    encoder = tiny.encoder(tmp_path, kind=kind, double=True)
    objective = tiny.recipe("simcse", encoder, dropout=0, mlm_weight=0.3)
    rows = [*(tiny.TEXTS if kind == "bert" else tiny.LETTERS)] * 4
    terms = list(objective.further_losses(rows, STEP))
    assert len(terms) == 2
    logits, truth = [], []
    for view, examples in enumerate(objective.views(rows, STEP)):
        for place, example in enumerate(examples):
            ids, expected = objective.language.masked(example["input_ids"], STEP.of("mlm", view, place))
            tokens = encoder[0](objective.padded([{"input_ids": ids}]))["token_embeddings"][0]
            logits.append(objective.language.head(tokens))
            truth += expected
    mean = torch.nn.functional.cross_entropy(torch.cat(logits), torch.tensor(truth))
    assert sum(terms).item() == pytest.approx(0.3 * mean.item())
    sum(terms).backward()
    assert encoder[0].auto_model.get_input_embeddings().weight.grad.abs().sum() > 0


def test_there_is_no_term_without_a_weight_or_without_a_masked_token(tmp_path):
    encoder = tiny.encoder(tmp_path)
    assert list(tiny.recipe("simcse", encoder).further_losses(tiny.TEXTS, STEP)) == []
    objective = tiny.recipe("simcse", encoder, mlm_weight=0.1)
    assert list(objective.further_losses([{"text": ""}], STEP)) == []


def test_the_layer_is_that_of_the_pre_training_where_the_start_has_it(tmp_path):
    from transformers import BertForPreTraining

    encoder = tiny.encoder(tmp_path, kind="pretrained-bert").eval()
    objective = tiny.recipe("simcse", encoder, mlm_weight=0.1, dropout=None)
    features = objective.padded([{"input_ids": objective.tokens("lei projeto")}])
    theirs = BertForPreTraining.from_pretrained(tmp_path).eval()
    with torch.no_grad():
        expected = theirs(**features).prediction_logits
        found = objective.language.head(encoder.eval()[0](features)["token_embeddings"])
    assert torch.allclose(found, expected, atol=1e-5)


def test_a_new_layer_begins_with_the_vectors_of_the_vocabulary_and_is_not_exported(tmp_path):
    encoder = tiny.encoder(tmp_path)
    first, other = (tiny.recipe("simcse", encoder, seed, mlm_weight=0.1) for seed in (1, 2))
    words = encoder[0].auto_model.get_input_embeddings().weight
    assert torch.equal(first.language.head.decoder.weight, words)
    weights = [objective.language.head.transform.dense.weight for objective in (first, other)]
    assert not torch.equal(*weights)
    assert {name for name, _ in first.exported().named_parameters() if "language" in name} == set()


def test_an_encoder_that_predicts_no_tokens_says_what_to_write(tmp_path):
    encoder = tiny.encoder(tmp_path)
    encoder[0].auto_model.config.model_type = "t5"
    with pytest.raises(ConfigError, match="mlm_weight: 0"):
        tiny.recipe("simcse", encoder, mlm_weight=0.1)
