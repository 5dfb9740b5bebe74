"""Active terms before training: counted, spread, shifted to a named number; models that cannot start are refused."""

import pytest
import torch
from masked_models import TEXTS, sparse_encoder

from sentflow.errors import ConfigError, DataError
from sentflow.sparse.calibration import (
    calibrate,
    check_start,
    shift_for,
    starting_statistics,
    term_statistics,
)


def drawn(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def test_statistics_by_hand():
    weights = torch.tensor([[1.0, 0.0, 0.0], [3.0, 4.0, 0.0], [0.0, 0.0, 0.0]])
    found = term_statistics([weights[:2], weights[2:]])
    assert (found.n_texts, found.n_terms, found.most) == (3, 3, 2)
    assert found.mean == pytest.approx(1.0)
    assert found.standard_deviation == pytest.approx((2 / 3) ** 0.5)  # of 1, 2, 0
    assert found.cosine == pytest.approx(0.6 / 3)  # 3/5, 0, 0


def test_too_few_texts_and_nan_are_refused():
    with pytest.raises(DataError, match="1 texts say nothing"):
        term_statistics([torch.ones(1, 3)])
    with pytest.raises(DataError, match="of 1 of 2 texts are not finite.*first at 1"):
        term_statistics([torch.tensor([[1.0], [torch.inf]])])


@pytest.mark.parametrize("n_active", [0.5, 17.25])
def test_a_shift_hits_the_named_number_of_terms(n_active):
    greatest = drawn(8, 200) * 3 + 5
    found = shift_for(greatest, n_active, tolerance=0.05)
    counted = float((greatest + found.shift > 0).sum()) / 8
    assert counted == found.after == pytest.approx(n_active, abs=1 / 8)
    assert found.before == float((greatest > 0).sum()) / 8


def test_a_shift_is_as_far_as_can_be_from_both_logits():
    greatest = torch.tensor([[5.0, 1.0, 2.0, -7.0]])
    found = shift_for(greatest, 2, tolerance=0)
    assert found.shift == -1.5  # between 2 and 1
    assert (found.before, found.after) == (3.0, 2.0)


@pytest.mark.parametrize("n_active", [0, 10, float("nan")])
def test_the_number_is_between_0_and_the_vocabulary(n_active):
    with pytest.raises(ConfigError, match="above 0 and below the 10 terms"):
        shift_for(drawn(3, 10), n_active, tolerance=0.05)


def test_a_calibrated_model_has_so_many_terms(tmp_path):
    encoder, texts = sparse_encoder(tmp_path), TEXTS["bert"]
    with torch.no_grad():
        encoder.head(None).decoder.bias += 5
    before = starting_statistics(encoder, texts)
    found = calibrate(encoder, [*texts, texts[0]], 3, batch_size=2)
    after = starting_statistics(encoder, texts, batch_size=3)
    assert before.mean == found.before == encoder.n_terms
    assert after.mean == found.after == pytest.approx(3, rel=0.05)
    counted = (encoder.encode(texts, encoder.n_terms)["sparse_activations"] > 0).sum(1).float().mean()
    assert counted.item() == pytest.approx(after.mean)


def test_a_model_whose_texts_are_parallel_is_refused(tmp_path):
    encoder = sparse_encoder(tmp_path)
    with torch.no_grad():
        encoder.head(None).decoder.bias += 1000  # as heads whose bias outweighs what they read
    with pytest.raises(ConfigError, match=r"5 texts are nearly parallel \(mean cosine .*11 of 11 terms"):
        check_start(encoder, TEXTS["bert"])
    calibrate(encoder, TEXTS["bert"], 3)
    assert check_start(encoder, TEXTS["bert"]).cosine < 0.99
