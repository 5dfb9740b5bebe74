"""Options of any recipe: Matryoshka and LoRA."""

import numpy as np
import pytest
import torch
from trainable import ROWS, WIDTH, trainable_encoder

from sentflow.errors import ConfigError
from sentflow.training.cache import chunks_by_length, gradients
from sentflow.training.draws import Draws
from sentflow.training.options.apply import with_options
from sentflow.training.options.matryoshka import truncated
from sentflow.training.options.table import OPTIONS
from sentflow.training.recipes import ct, sg_bert, simcse, tsdae
from sentflow.training.recipes.table import RECIPES
from sentflow.training.settings import TrainingSettings

DRAWS = Draws(5)
MODULES = {"simcse": simcse, "sg-bert": sg_bert, "tsdae": tsdae, "ct": ct}
LORA = {"rank": 2, "alpha": 4, "dropout": 0.1, "targets": ["query", "value"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("bert")


@pytest.fixture
def build(folder):
    def built(recipe="simcse", *, encoder=None, settings=None, **options):
        encoder = trainable_encoder(folder) if encoder is None else encoder
        whole = {**RECIPES[recipe].settings, **(settings or {})}
        if recipe == "sg-bert":
            whole["head_width"] = 16
        training = TrainingSettings(learning_rate=1e-3, steps=1, **options)

        def of_recipe():
            return MODULES[recipe].build(encoder, whole, DRAWS, max_tokens=12)

        return with_options(of_recipe, encoder, training, DRAWS).train()

    return built


def step(objective, number=0):
    return gradients(
        objective,
        ROWS,
        DRAWS.of("step", number),
        chunks=lambda examples: chunks_by_length(examples, 24),
        cached=False,
    ).loss


def trained(objective, steps=2):
    optimiser = torch.optim.AdamW([p for p in objective.parameters() if p.requires_grad], lr=1e-2)
    for number in range(steps):
        optimiser.zero_grad()
        step(objective, number)
        optimiser.step()
    return objective


def test_an_option_is_a_key_of_the_training_settings():
    fields = TrainingSettings(learning_rate=1.0, steps=1, **{name: {} for name in OPTIONS})
    assert list(fields.options) == list(OPTIONS)
    assert TrainingSettings(learning_rate=1.0, steps=1).options == {}


# --- Matryoshka


def test_cosines_of_truncated_vectors_are_those_of_their_first_numbers():
    vectors = torch.randn(4, WIDTH, generator=torch.Generator().manual_seed(0)).double()
    cut = truncated(vectors, 8)
    expected = torch.cosine_similarity(vectors[:2, :8], vectors[2:, :8])
    torch.testing.assert_close(torch.cosine_similarity(cut[:2], cut[2:]), expected, rtol=1e-12, atol=0)
    torch.testing.assert_close(cut.norm(dim=1), vectors.norm(dim=1), rtol=1e-12, atol=0)
    torch.testing.assert_close(truncated(vectors, WIDTH), vectors, rtol=1e-12, atol=0)
    assert not cut[:, 8:].any()


def test_the_loss_is_the_weighted_sum_over_widths(build):
    dimensions, weights = [WIDTH, 8, 2], [1.0, 0.5, 0.25]
    settings = {"head": "none"}
    whole = build(settings=settings, matryoshka={"dimensions": dimensions, "weights": weights})
    plain = build(settings=settings)
    views = [torch.randn(5, WIDTH, generator=torch.Generator().manual_seed(n)) for n in range(2)]
    expected = sum(
        weight * plain.loss([view[:, :dimension] for view in views], ROWS).item()
        for dimension, weight in zip(dimensions, weights, strict=True)
    )
    assert whole.loss(views, ROWS).item() == pytest.approx(expected, rel=1e-5)  # single precision


@pytest.mark.parametrize("recipe", MODULES)
def test_full_width_alone_changes_no_loss(build, recipe):
    plain, whole = step(build(recipe)), step(build(recipe, matryoshka={"dimensions": [WIDTH]}))
    assert whole == pytest.approx(plain, rel=1e-5)  # single precision


@pytest.mark.parametrize("recipe", MODULES)
def test_every_recipe_can_be_trained_in_several_widths(build, recipe):
    objective = build(recipe, matryoshka={"dimensions": [WIDTH, 4]})
    start = {name: value.clone() for name, value in objective.exported().state_dict().items()}
    trained(objective)
    assert any(not torch.equal(start[name], v) for name, v in objective.exported().state_dict().items())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"dimensions": [WIDTH + 1]}, f"at most {WIDTH}"),
        ({"dimensions": [8, 4], "weights": [1.0]}, "2 dimensions and 1 weights"),
    ],
)
def test_widths_and_weights_that_do_not_fit_are_told(build, settings, message):
    with pytest.raises(ConfigError, match=message):
        build(matryoshka=settings)


# --- LoRA


@pytest.fixture
def lora(build):
    pytest.importorskip("peft", reason="peft is optional: envs/requirements-lora.txt")
    return lambda recipe="simcse", **more: build(recipe, **{"lora": LORA, **more})


def test_only_thin_matrices_of_the_encoder_are_trained(lora):
    objective = lora(settings={"head": "none"})
    names = {name for name, p in objective.encoder.named_parameters() if p.requires_grad}
    assert all("lora_" in name for name in names)
    # 2 layers × query and value × two matrices of rank 2
    assert len(names) == 8
    assert sum(p.numel() for p in objective.encoder.parameters() if p.requires_grad) == 8 * 2 * WIDTH


@pytest.mark.parametrize("recipe", MODULES)
def test_what_is_exported_needs_no_peft_and_is_what_was_trained(lora, folder, recipe, tmp_path):
    from sentence_transformers import SentenceTransformer

    objective = trained(lora(recipe))
    objective.write(objective.exported(), tmp_path / "saved")
    saved = SentenceTransformer(str(tmp_path / "saved"), device="cpu")
    plain = trainable_encoder(folder)
    assert saved.state_dict().keys() == plain.state_dict().keys()
    assert not list((tmp_path / "saved").rglob("*adapter*"))
    texts = [row["text"] for row in ROWS]
    found, own = saved.encode(texts), objective.encoder.eval().encode(texts)
    # W x + B A x and (W + B A) x round differently
    np.testing.assert_allclose(found, own, atol=1e-4 * np.abs(own).max())
    assert np.abs(found - plain.eval().encode(texts)).max() > 1e-3 * np.abs(own).max()
    objective.train()
    assert any("lora_" in name for name, _ in objective.named_parameters())  # a snapshot ends nothing


def test_a_training_goes_on_from_its_state(lora, tmp_path):
    from safetensors.torch import load_file, save_file

    objective = trained(lora("sg-bert"))
    tensors = {name: value.clone() for name, value in objective.state_dict().items()}
    save_file(tensors, tmp_path / "state.safetensors")
    objective.zero_grad()
    again = lora("sg-bert")
    again.load_state_dict(load_file(tmp_path / "state.safetensors"))
    assert step(again, 9) == step(objective, 9)
    assert all(
        torch.equal(one.grad, other.grad)
        for one, other in zip(again.parameters(), objective.parameters(), strict=True)
        if one.grad is not None
    )


def test_a_second_training_starts_from_the_first(lora, build, tmp_path):
    from sentence_transformers import SentenceTransformer

    first = trained(lora())
    first.write(first.exported(), tmp_path / "first")
    start = SentenceTransformer(str(tmp_path / "first"), device="cpu").train()
    second = trained(lora(encoder=start))
    second.write(second.exported(), tmp_path / "second")
    one, two = (
        SentenceTransformer(str(tmp_path / name), device="cpu").encode(["lei não"])
        for name in ("first", "second")
    )
    assert not np.allclose(one, two)


def test_both_options_go_together(lora):
    objective = trained(lora(matryoshka={"dimensions": [WIDTH, 8]}))
    assert not any("lora_" in name for name in objective.exported().state_dict())


def test_new_matrices_depend_on_the_seed_alone(lora):
    torch.manual_seed(1)
    one = lora().state_dict()
    torch.manual_seed(2)
    two = lora().state_dict()
    assert all(torch.equal(one[name], two[name]) for name in one)


def test_layers_that_are_not_there_are_told_with_those_that_are(lora):
    with pytest.raises(ConfigError, match=r"\['q_proj'\].*Write some of: dense, key, query, value"):
        lora(lora={**LORA, "targets": ["q_proj"]})
