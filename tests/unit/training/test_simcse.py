import pytest
import tiny_training as tiny
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Dense, Normalize, Pooling, Transformer

from sentflow.training.contract import write_dense
from sentflow.training.draws import Draws

STEP = Draws(1, ("step", 4))
TEXTS = ["ação projeto lei não", "lei"]


@pytest.fixture
def encoder(tmp_path):
    return tiny.encoder(tmp_path)


def ids(view):
    return [example["input_ids"] for example in view]


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
