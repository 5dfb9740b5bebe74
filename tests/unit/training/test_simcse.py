import math

import pytest
import tiny_training as tiny
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Dense, Normalize, Pooling, Transformer

from sentflow.errors import ConfigError
from sentflow.training.draws import Draws
from sentflow.training.dropout import set_dropout
from sentflow.training.export import write_dense

STEP = Draws(1, ("step", 4))
TEXTS = ["ação projeto lei não", "lei"]


@pytest.fixture
def encoder(tmp_path):
    return tiny.encoder(tmp_path)


def ids(view):
    return [example["input_ids"] for example in view]


# --- views


def test_positives_of_single_texts_are_the_texts(encoder):
    anchors, positives = tiny.recipe("simcse", encoder).views(tiny.TEXTS, STEP)
    assert ids(anchors) == ids(positives)
    assert ids(anchors)[1] == encoder.tokenizer("lei")["input_ids"]


def test_pairs_and_triplets_have_views_of_their_own(encoder):
    objective = tiny.recipe("simcse", encoder)
    for rows, keys in ((tiny.PAIRS, ("text", "other")), (tiny.TRIPLETS, ("text", "other", "negative"))):
        expected = [[objective.tokens(row[key]) for row in rows] for key in keys]
        assert [ids(view) for view in objective.views(rows, STEP)] == expected


def test_views_are_functions_of_seed_and_step(encoder):
    objective = tiny.recipe("simcse", encoder, permute=["tokenizer", "whitespace"])
    assert objective.views(tiny.TEXTS, STEP) == objective.views(tiny.TEXTS, STEP)
    assert objective.views(tiny.TEXTS, STEP) != objective.views(tiny.TEXTS, Draws(1, ("step", 5)))
    assert objective.views(tiny.TEXTS, STEP) != objective.views(tiny.TEXTS, Draws(2, ("step", 4)))


def test_white_space_mode_permutes_the_positive_in_the_same_way_in_every_step(encoder):
    objective = tiny.recipe("simcse", encoder, permute=["whitespace"])
    views = [objective.views(tiny.TEXTS, Draws(1, ("step", step))) for step in range(5)]
    assert all(view == views[0] for view in views)
    assert ids(views[0][0]) != ids(views[0][1])
    assert list(map(sorted, ids(views[0][0]))) == list(map(sorted, ids(views[0][1])))
    assert ids(views[0][0])[1] == ids(views[0][1])[1]  # one word
    orders = {
        str(tiny.recipe("simcse", encoder, seed, permute=["whitespace"]).views(tiny.TEXTS, STEP))
        for seed in range(9)
    }
    assert len(orders) > 3


def test_white_space_mode_permutes_before_texts_are_cut(encoder):
    long = [{"text": " ".join(["lei"] * 14 + ["saúde"] * 14)}]
    objective = tiny.recipe("simcse", encoder, permute=["whitespace"])
    anchors, positives = (ids(view)[0] for view in objective.views(long, STEP))
    assert len(anchors) == len(positives) == 16
    assert anchors[1:15] == [objective.tokens("lei")[1]] * 14
    assert set(positives[1:15]) == set(objective.tokens("lei saúde")[1:3])


def test_tokenizer_mode_permutes_the_anchor_anew_in_every_step_special_tokens_too(encoder):
    objective = tiny.recipe("simcse", encoder, permute=["tokenizer"])
    plain = ids(tiny.recipe("simcse", encoder).views(tiny.TEXTS, STEP)[0])
    steps = [objective.views(tiny.TEXTS, Draws(1, ("step", step))) for step in range(12)]
    assert len({str(anchors) for anchors, _ in steps}) == 12
    assert all(ids(positives) == plain for _, positives in steps)
    assert all(list(map(sorted, ids(anchors))) == list(map(sorted, plain)) for anchors, _ in steps)
    assert len({ids(anchors)[0][0] for anchors, _ in steps}) > 1  # not always [CLS]
    masks = {str(objective.padded(anchors)["attention_mask"].tolist()) for anchors, _ in steps}
    assert len(masks) == 1


def test_tokenizer_inside_keeps_special_tokens_in_place(encoder):
    objective = tiny.recipe("simcse", encoder, permute=["tokenizer-inside"])
    steps = [ids(objective.views(tiny.TEXTS, Draws(1, ("step", step)))[0]) for step in range(12)]
    assert {(view[0][0], view[0][-1]) for view in steps} == {(2, 3)}
    assert len({str(view[0]) for view in steps}) > 3


# --- dropout


def test_dropout_is_the_only_difference_of_two_passes(encoder):
    first, second = tiny.vectors(
        tiny.recipe("simcse", encoder), tiny.recipe("simcse", encoder).views(tiny.TEXTS, STEP)
    )
    assert not torch.equal(first, second)
    objective = tiny.recipe("simcse", encoder, dropout=0)
    first, second = tiny.vectors(objective, objective.views(tiny.TEXTS, STEP))
    assert torch.equal(first, second)


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_no_dropout_turns_off_that_of_the_attention_too(tmp_path, kind, attention):
    encoder = tiny.encoder(tmp_path, kind=kind)
    network = encoder[0].auto_model
    network.set_attn_implementation(attention)
    for module in network.modules():  # all but that of the attention
        if isinstance(module, torch.nn.Dropout) and "SelfAttention" not in type(module).__name__:
            module.p = 0.0
    for layer in network.encoder.layer:
        layer.attention.self.dropout.p = 0.5
    objective = tiny.recipe("simcse", encoder)
    views = objective.views(tiny.LETTERS, STEP)
    assert not torch.equal(*tiny.vectors(objective, views))
    set_dropout(encoder, 0.0, Draws(1))
    assert torch.equal(*tiny.vectors(objective, views))


def test_a_probability_replaces_every_dropout_and_stays_out_of_the_configuration(encoder):
    tiny.recipe("simcse", encoder, dropout=0.25)
    found = {module.p for module in encoder.modules() if isinstance(module, torch.nn.Dropout)}
    assert found == {0.25}
    assert encoder[0].auto_model.config.hidden_dropout_prob == 0.1


def test_other_random_parts_of_an_encoder_are_told(encoder):
    class Noise(torch.nn.Module):
        def forward(self, features):
            return {**features, "sentence_embedding": features["sentence_embedding"] + torch.rand(1)}

    encoder.append(Noise())
    with pytest.raises(ConfigError, match="two passes over the same text differ"):
        tiny.recipe("simcse", encoder, dropout=0)


# --- heads and vectors


def test_a_head_in_training_only_changes_no_vector_of_the_exported_encoder(encoder):
    before = encoder.encode(TEXTS)
    objective = tiny.recipe("simcse", encoder)
    assert [type(module) for module in objective.exported().children()] == [Transformer, Pooling]
    with torch.no_grad():
        objective.head.linear.weight.add_(1.0)
    assert (objective.exported().encode(TEXTS) == before).all()
    assert "head.linear.weight" in dict(objective.named_parameters())


def test_a_kept_head_is_a_module_of_the_exported_encoder_that_loads_as_it_is(encoder, tmp_path):
    encoder.append(Normalize())
    objective = tiny.recipe("simcse", encoder, head="kept")
    exported = objective.exported()
    assert [type(module) for module in exported.children()] == [Transformer, Pooling, Dense, Normalize]
    before = exported.encode(TEXTS)
    with torch.no_grad():
        exported[2].linear.weight.add_(1.0)
    assert not (exported.encode(TEXTS) == before).all()

    write_dense(exported, tmp_path / "saved")
    read = SentenceTransformer(str(tmp_path / "saved"), device="cpu")
    assert isinstance(read[2].activation_function, torch.nn.Tanh)
    assert (read.encode(TEXTS) == exported.encode(TEXTS)).all()
    # and is what the training compared, but for its length
    trained = objective.eval().represent([{"input_ids": objective.tokens(text)} for text in TEXTS], 0)
    unit = torch.nn.functional.normalize(trained).detach().numpy()
    assert read.encode(TEXTS) == pytest.approx(unit, abs=1e-6)


def test_heads_are_functions_of_the_draws(tmp_path):
    heads = [
        tiny.recipe("simcse", tiny.encoder(tmp_path / str(number)), seed).head.linear.weight
        for number, seed in enumerate((1, 1, 2))
    ]
    assert torch.equal(heads[0], heads[1]) and not torch.equal(heads[0], heads[2])


def test_making_an_objective_leaves_torchs_generator_alone(encoder):
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    tiny.recipe("simcse", encoder, dropout=0, mlm_weight=0.1)
    assert torch.equal(torch.rand(1), expected)


def test_vectors_of_parts_of_a_batch_are_those_of_the_whole(tmp_path):
    objective = tiny.recipe("simcse", tiny.encoder(tmp_path, double=True), dropout=0, permute=["tokenizer"])
    views = objective.views(tiny.TRIPLETS, STEP)
    whole, parts = (tiny.vectors(objective, views, chunk=chunk) for chunk in (100, 1))
    for one, other in zip(whole, parts, strict=True):
        assert torch.allclose(
            one, other, rtol=0, atol=1e-12
        )  # padding is masked, so only the order of sums differs


@pytest.mark.parametrize("rows", [tiny.TEXTS, tiny.PAIRS, tiny.TRIPLETS], ids=["texts", "pairs", "triplets"])
def test_the_loss_reaches_every_weight_but_the_pooler(encoder, rows):
    objective = tiny.recipe("simcse", encoder, hard_negative_weight=1.0)
    loss = objective.loss(tiny.vectors(objective, objective.views(rows, STEP)), rows)
    assert math.isfinite(loss.item())
    loss.backward()
    without = {name for name, value in objective.named_parameters() if value.grad is None}
    assert all(".pooler." in name for name in without)


def test_identical_texts_without_dropout_lose_the_logarithm_of_their_number(encoder):
    objective = tiny.recipe("simcse", encoder, dropout=0)
    rows = [tiny.TEXTS[0]] * 5
    loss = objective.loss(tiny.vectors(objective, objective.views(rows, STEP)), rows)
    assert loss.item() == pytest.approx(math.log(5), rel=1e-5)
