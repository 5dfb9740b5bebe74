"""Against torch: linear → batch norm → ReLU → linear under autograd."""

import pytest
import torch
from torch.nn import functional

from sentflow.probing.mlp import MlpStack, initial_parameters

N, D, HIDDEN, SEED = 60, 7, 5, 4_123_456_789


def rows_and_labels(n_outputs: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(n_outputs)
    features = torch.randn(N, D, generator=generator)
    return features, torch.randint(0, max(2, n_outputs), (N,), generator=generator)


def torch_network(n_outputs: int) -> torch.nn.Sequential:
    """As the published evaluator makes it."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        network = torch.nn.Sequential(
            torch.nn.Linear(D, HIDDEN, bias=False),
            torch.nn.BatchNorm1d(HIDDEN),
            torch.nn.ReLU(),
            torch.nn.Linear(HIDDEN, n_outputs),
        )
        torch.nn.init.zeros_(network[-1].bias)
    return network


def torch_loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    if logits.shape[-1] == 1:
        return functional.binary_cross_entropy_with_logits(logits.squeeze(-1), labels.double())
    return functional.cross_entropy(logits, labels)


def flat(tensors) -> torch.Tensor:
    return torch.cat([tensor.detach().flatten() for tensor in tensors])


def stack_of(size: int, n_outputs: int) -> MlpStack:
    features, labels = rows_and_labels(n_outputs)
    initial = initial_parameters(D, n_outputs, hidden=HIDDEN, seed=SEED)
    return MlpStack(features, labels, initial, hidden=HIDDEN, n_outputs=n_outputs, size=size)


def batch_rows(seed: int) -> torch.Tensor:
    return torch.randperm(N, generator=torch.Generator().manual_seed(seed))[:20]


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_initial_weights_are_torchs_with_a_last_bias_of_zero(n_outputs):
    expected = flat(torch_network(n_outputs).parameters())
    assert torch.equal(initial_parameters(D, n_outputs, hidden=HIDDEN, seed=SEED), expected)


def test_initial_weights_leave_the_global_generator_alone():
    state = torch.random.get_rng_state()
    initial_parameters(D, 2, hidden=HIDDEN, seed=SEED)
    assert torch.equal(torch.random.get_rng_state(), state)


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("n_outputs", [1, 4])
def test_gradient_of_each_probe_is_that_of_autograd_on_its_own_batch(n_outputs, size):
    stack, (features, labels) = stack_of(size, n_outputs), rows_and_labels(n_outputs)
    batches = torch.stack([batch_rows(k) for k in range(size)])
    losses = stack.compute_gradient(batches)
    for probe, rows in enumerate(batches):
        network = torch_network(n_outputs)
        loss = torch_loss(network(features[rows]), labels[rows])
        loss.backward()
        expected = flat(parameter.grad for parameter in network.parameters())
        torch.testing.assert_close(stack.gradient[probe], expected, rtol=1e-4, atol=1e-6)
        torch.testing.assert_close(losses[probe], loss.double().detach(), rtol=1e-5, atol=0)


@pytest.mark.parametrize("n_outputs", [1, 4])
def test_logits_use_the_running_statistics_of_the_batches_seen(n_outputs):
    stack, (features, _) = stack_of(2, n_outputs), rows_and_labels(n_outputs)
    network = torch_network(n_outputs)
    for seed in range(4):
        rows = batch_rows(seed)
        stack.compute_gradient(torch.stack([batch_rows(seed + 10), rows]))
        network(features[rows])
    expected = network.eval()(features).detach()
    logits = stack.logits(features)
    assert logits.shape == (2, N, n_outputs)
    torch.testing.assert_close(logits[1], expected, rtol=1e-4, atol=1e-6)
    assert not torch.allclose(logits[0], expected)  # met other batches


def test_logits_do_not_depend_on_the_other_rows():
    stack, (features, _) = stack_of(1, 1), rows_and_labels(1)
    stack.compute_gradient(batch_rows(0)[None])
    torch.testing.assert_close(stack.logits(features)[:, :5], stack.logits(features[:5]))
