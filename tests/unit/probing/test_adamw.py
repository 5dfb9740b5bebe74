"""Against torch: its AdamW, its clipping and its linear warm-up, one probe at a time."""

import pytest
import torch

from sentflow.probing.loops import NO_MULTIPLICITY, clip_and_move
from sentflow.probing.probes import adamw_schedule, warmup_factors
from sentflow.probing.settings import PUBLISHED, ProbeProtocol, Setting

N_STEPS, N_PARAMETERS = 12, 50


def gradients() -> list[torch.Tensor]:
    """(P,) per step; the first are larger than the norm they are clipped to, the last smaller."""
    generator = torch.Generator().manual_seed(5)
    scales = torch.logspace(1, -3, N_STEPS)
    return [scale * torch.randn(N_PARAMETERS, generator=generator) for scale in scales]


def torch_result(initial: torch.Tensor, setting: Setting, steps: list[torch.Tensor], warmup_steps: int):
    parameter = torch.nn.Parameter(initial.clone())
    optimiser = torch.optim.AdamW(
        [parameter],
        lr=setting.learning_rate,
        betas=(setting.beta1, setting.beta2),
        eps=1e-8,
        weight_decay=0.01,
    )
    schedule = torch.optim.lr_scheduler.LinearLR(
        optimiser, start_factor=0.05, end_factor=1.0, total_iters=warmup_steps
    )
    for gradient in steps:
        parameter.grad = gradient.clone()
        torch.nn.utils.clip_grad_norm_([parameter], max_norm=1.0)
        optimiser.step()
        schedule.step()
    return parameter.detach()


def our_result(
    initial: torch.Tensor,
    setting: Setting,
    steps: list[torch.Tensor],
    warmup_steps: int,
    protocol: ProbeProtocol = PUBLISHED,
) -> torch.Tensor:
    """(P,) weights."""
    parameters = initial.clone()
    gradient = torch.empty_like(parameters)
    schedule = adamw_schedule([setting], protocol, n_steps=len(steps), warmup_steps=warmup_steps)
    moments = torch.zeros(1, len(initial)).numpy(), torch.zeros(1, len(initial)).numpy()
    for step, scalars in zip(steps, schedule.scalars[:, 0], strict=True):
        gradient.copy_(step)
        values = parameters.numpy()[None], gradient.numpy()[None], *moments
        clip_and_move(*values, NO_MULTIPLICITY, schedule.max_norm, scalars)
    return parameters


@pytest.fixture
def initial() -> torch.Tensor:
    return torch.randn(N_PARAMETERS, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("warmup_steps", [0, 5])
def test_every_probe_moves_as_torch_moves_it(initial, warmup_steps):
    for setting in PUBLISHED.grid:
        ours = our_result(initial, setting, gradients(), warmup_steps)
        expected = torch_result(initial, setting, gradients(), warmup_steps)
        torch.testing.assert_close(ours, expected, rtol=1e-6, atol=4e-7)


def test_learning_rate_warms_up_linearly():
    factors = warmup_factors(6, warmup_steps=4, start=0.05).tolist()
    assert factors == pytest.approx([0.05, 0.2875, 0.525, 0.7625, 1, 1])
    # Published: below 512 training rows there are floor(3 / 4) = 0 steps, and 5 % of the rate for ever
    assert warmup_factors(3, warmup_steps=0, start=0.05).tolist() == [0.05] * 3


def test_weight_decay_pulls_to_zero_without_a_gradient(initial):
    protocol = PUBLISHED.but(warmup_start=1.0)
    setting = Setting(learning_rate=1e-3, beta1=0.9, beta2=0.999)
    moved = our_result(initial, setting, [torch.zeros(N_PARAMETERS)], 0, protocol)
    torch.testing.assert_close(moved, initial * (1 - 1e-3 * 0.01))
