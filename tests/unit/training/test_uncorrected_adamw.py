"""AdamW of ConSERT: transformers' own of versions 2 to 4, with ``correct_bias=False``."""

import pytest
import torch

from sentflow.training.optimiser import UncorrectedAdamW


def test_a_weight_is_decayed_after_the_step():
    weight = torch.nn.Parameter(torch.tensor([2.0]))
    weight.grad = torch.tensor([0.5])
    UncorrectedAdamW([weight], lr=0.1, betas=(0.9, 0.99), eps=0.0, weight_decay=0.5).step()
    # moments 0.05 and 0.0025: a step of 0.1 · 0.05 / 0.05 from 2 to 1.9, which is then decayed by 0.1 · 0.5
    assert weight.item() == pytest.approx(1.9 * 0.95)
