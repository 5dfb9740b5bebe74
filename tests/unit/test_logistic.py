"""Against torch: a linear layer under autograd."""

import pytest
import torch
from torch.nn import functional

from sentflow.probing import logistic
from sentflow.probing.logistic import LogisticStack, initial_parameters, with_ones

N, D, SEED = 60, 7, 4_123_456_789


def rows_and_labels(n_outputs: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(n_outputs)
    features = torch.randn(N, D, generator=generator)
    return features, torch.randint(0, max(2, n_outputs), (N,), generator=generator)


def torch_layer(n_outputs: int) -> torch.nn.Linear:
    """As the published evaluator makes it."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        layer = torch.nn.Linear(D, n_outputs)
        torch.nn.init.zeros_(layer.bias)
    return layer


def torch_loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    if logits.shape[-1] == 1:
        return functional.binary_cross_entropy_with_logits(logits.squeeze(-1), labels.double())
    return functional.cross_entropy(logits, labels)


def stack_of(size: int, n_outputs: int) -> LogisticStack:
    features, labels = rows_and_labels(n_outputs)
    initial = initial_parameters(D, n_outputs, seed=SEED)
    return LogisticStack(with_ones(features), labels, initial, n_outputs=n_outputs, size=size)


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_initial_weights_are_torchs_with_a_bias_of_zero(n_outputs):
    layer = torch_layer(n_outputs)
    weights = initial_parameters(D, n_outputs, seed=SEED).view(n_outputs, D + 1)
    assert torch.equal(weights[:, :-1], layer.weight)
    assert not weights[:, -1].any()


def test_initial_weights_leave_the_global_generator_alone():
    state = torch.random.get_rng_state()
    initial_parameters(D, 2, seed=SEED)
    assert torch.equal(torch.random.get_rng_state(), state)


@pytest.fixture(params=["from batches", "from all rows"])
def product(request, monkeypatch):
    """Both ways of computing the same gradient, whatever the sizes."""
    monkeypatch.setattr(logistic, "WHOLE_BATCHES", 0 if request.param == "from batches" else 99)


@pytest.mark.parametrize("size", [1, 4])
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_gradient_of_each_probe_is_that_of_autograd_on_its_own_batch(product, n_outputs, size):
    stack, (features, labels) = stack_of(size, n_outputs), rows_and_labels(n_outputs)
    batches = torch.stack(
        [torch.randperm(N, generator=torch.Generator().manual_seed(k))[:20] for k in range(size)]
    )
    losses = stack.compute_gradient(batches)
    for probe, rows in enumerate(batches):
        layer = torch_layer(n_outputs)
        loss = torch_loss(layer(features[rows]), labels[rows])
        loss.backward()
        expected = torch.cat([layer.weight.grad, layer.bias.grad[:, None]], dim=1).flatten()
        torch.testing.assert_close(stack.gradient[probe], expected, rtol=1e-5, atol=1e-7)
        torch.testing.assert_close(losses[probe], loss.double().detach(), rtol=1e-6, atol=0)


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_logits_are_those_of_the_layer(n_outputs):
    features, _ = rows_and_labels(n_outputs)
    logits = stack_of(2, n_outputs).logits(with_ones(features))
    assert logits.shape == (2, N, n_outputs)
    torch.testing.assert_close(logits[1], torch_layer(n_outputs)(features).detach())


def test_changing_one_probe_leaves_the_others():
    stack = stack_of(3, 1)
    stack.parameters[1] += 1
    logits = stack.logits(with_ones(rows_and_labels(1)[0]))
    assert torch.equal(logits[0], logits[2])
    assert not torch.equal(logits[0], logits[1])
