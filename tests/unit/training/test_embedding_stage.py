"""What the views of ConSERT change between the embeddings and the first layer, and nothing else."""

import pytest
import tiny_training as tiny
import torch

from sentflow.training.draws import Draws
from sentflow.training.recipes.consert import EmbeddingStage, adversarial_noise
from sentflow.training.recipes.consert import drawn as draw
from sentflow.training.recipes.settings import View

WIDTH = 8
FEATURES = View(name="feature-cutoff", rate=0.3)


@pytest.fixture(scope="module", params=["bert", "roberta"])
def model(request, tmp_path_factory):
    """An objective whose encoder has no dropout now, and examples; two of unlike lengths, so that there is padding."""
    encoder = tiny.encoder(tmp_path_factory.mktemp(request.param), kind=request.param).eval()
    texts = {"bert": ("ação projeto lei não : saúde", "lei"), "roberta": ("ab cde fg", "h")}[request.param]
    objective = tiny.recipe("consert", encoder, dropout=None)
    encoder.eval()
    return objective, [{"input_ids": encoder.tokenizer(text)["input_ids"]} for text in texts]


def passes(model, view: View, seed: int = 1) -> tuple[torch.Tensor, torch.Tensor, list]:
    """The embeddings without and with an augmentation, and what was drawn."""
    objective, examples = model
    encoder, features = objective.encoder, objective.padded(examples)
    stage = EmbeddingStage(encoder)
    lengths = [len(example["input_ids"]) for example in examples]
    drawn = [draw(view, n, WIDTH, Draws(seed, (row,))) for row, n in enumerate(lengths)]
    with tiny.embeddings_of(encoder) as outputs, torch.no_grad():
        encoder({**features})
        with stage.augmented(view.name, drawn, lengths):
            encoder({**features})
        encoder({**features})
    assert torch.equal(outputs[0], outputs[2])  # nothing stays
    return outputs[0], outputs[1], drawn


def n_tokens(model) -> list[int]:
    return [len(example["input_ids"]) for example in model[1]]


def test_token_cutoff_empties_so_many_tokens_rounded_down(model):
    rate = 0.3
    before, after, _ = passes(model, View(name="token-cutoff", rate=rate))
    for row, n in enumerate(n_tokens(model)):
        empty = (after[row] == 0).all(dim=-1)
        assert int(empty.sum()) == int(n * rate)
        assert torch.equal(after[row][~empty], before[row][~empty])
        assert not empty[n:].any()


def test_feature_cutoff_empties_the_same_features_of_all_tokens_of_a_sentence(model):
    before, after, drawn = passes(model, FEATURES)
    for row, n in enumerate(n_tokens(model)):
        empty = (after[row, :n] == 0).all(dim=0)
        assert int(empty.sum()) == int(WIDTH * 0.3) == 2
        assert torch.equal(after[row, :n][:, ~empty], before[row, :n][:, ~empty])
        assert torch.equal(after[row, n:], before[row, n:])
    sets = {tuple(draw(FEATURES, 5, WIDTH, Draws(seed))) for seed in range(6)}
    assert len(sets) > 1


def test_shuffle_permutes_the_positions_of_a_sentence_and_leaves_those_of_padding(model):
    encoder = model[0].encoder
    table = encoder[0].auto_model.embeddings.position_embeddings
    seen = []
    handle = table.register_forward_hook(lambda _module, inputs, _output: seen.append(inputs[0].clone()))
    try:
        _, _, drawn = passes(model, View(name="shuffle"))
    finally:
        handle.remove()
    plain, shuffled, _ = (ids.expand(2, -1) for ids in seen)
    for row, n in enumerate(n_tokens(model)):
        assert sorted(drawn[row]) == list(range(n))
        assert shuffled[row, :n].tolist() == plain[row, :n][drawn[row]].tolist()
        assert torch.equal(shuffled[row, n:], plain[row, n:])
    assert not torch.equal(shuffled, plain)


def test_adversarial_noise_has_the_same_length_at_every_token_that_has_a_gradient():
    gradient = torch.tensor([[[3.0, 4.0], [0.0, 1e-3], [0.0, 0.0]]])
    noise = adversarial_noise(gradient, norm=2.0)
    assert noise[0, 0].tolist() == pytest.approx([1.2, 1.6])
    assert noise[0, 1].tolist() == pytest.approx([0.0, 2.0], rel=1e-6)
    assert noise[0, 2].tolist() == [0, 0]
