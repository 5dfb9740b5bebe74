"""Options of any recipe: Matryoshka and LoRA."""

import numpy as np
import pytest
import torch
from trainable import ROWS, WIDTH, trainable_encoder

from sentflow.training.contract import build_objective
from sentflow.training.draws import Draws
from sentflow.training.gradients import Passes
from sentflow.training.recipes.settings import SimCSE
from sentflow.training.settings import TrainingSettings

DRAWS = Draws(5)
LORA = {"rank": 2, "alpha": 4, "dropout": 0.1, "targets": ["query", "value"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("bert")


@pytest.fixture
def build(folder):
    def built(*, settings=None, **options):
        encoder = trainable_encoder(folder)
        training = TrainingSettings(learning_rate=1e-3, steps=1, max_tokens=12, **options)
        return build_objective("simcse", encoder, SimCSE(**(settings or {})), training, DRAWS).train()

    return built


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


def test_what_is_exported_needs_no_peft_and_is_what_was_trained(build, folder, tmp_path):
    pytest.importorskip("peft", reason="peft is optional: envs/requirements-lora.txt")
    from sentence_transformers import SentenceTransformer

    objective, settings = build(lora=LORA), TrainingSettings(learning_rate=1e-3, steps=1, chunk_tokens=24)
    optimiser = torch.optim.AdamW([p for p in objective.parameters() if p.requires_grad], lr=1e-2)
    for number in range(2):
        optimiser.zero_grad()
        Passes(objective, settings).gradients(ROWS, DRAWS.of("step", number))
        optimiser.step()
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
