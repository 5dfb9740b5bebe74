"""Against torch: linear → batch norm → ReLU → linear under autograd; the ways for processors and accelerators."""

import numpy as np
import pytest
import torch
from torch.nn import functional
from torch_weights import assert_torchs_weights, unscaled

from sentflow.probing.accelerator.resident import TrainingRows
from sentflow.probing.accelerator.stacks import MlpStack
from sentflow.probing.kernels.columns import Problem
from sentflow.probing.kernels.mlp import MlpTraining
from sentflow.probing.kernels.schedule import adamw_schedule
from sentflow.probing.protocol.settings import PUBLISHED
from sentflow.probing.protocol.torch_draws import mlp_parameters

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
    initial = torch.from_numpy(mlp_parameters(D, n_outputs, hidden=HIDDEN, seed=SEED))
    rows = TrainingRows(features, labels, unscaled(D), size=size)
    return MlpStack(rows, initial[None], hidden=HIDDEN, n_outputs=n_outputs)


def batch_rows(seed: int) -> torch.Tensor:
    return torch.randperm(N, generator=torch.Generator().manual_seed(seed))[:20]


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_initial_weights_are_torchs_with_a_last_bias_of_zero(n_outputs):
    network = torch_network(n_outputs)
    ours = mlp_parameters(D, n_outputs, hidden=HIDDEN, seed=SEED)
    first, last = D * HIDDEN, D * HIDDEN + 2 * HIDDEN
    assert_torchs_weights(ours[:first].reshape(HIDDEN, D), network[0])
    np.testing.assert_array_equal(ours[first:last], flat(network[1].parameters()))
    assert_torchs_weights(ours[last:-n_outputs].reshape(n_outputs, HIDDEN), network[-1])
    assert not ours[-n_outputs:].any()


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
    logits = stack.logits(features[None])
    assert logits.shape == (2, N, n_outputs)
    torch.testing.assert_close(logits[1], expected, rtol=1e-4, atol=1e-6)
    assert not torch.allclose(logits[0], expected)  # met other batches


def test_logits_do_not_depend_on_the_other_rows():
    stack, (features, _) = stack_of(1, 1), rows_and_labels(1)
    stack.compute_gradient(batch_rows(0)[None])
    torch.testing.assert_close(stack.logits(features[None])[:, :5], stack.logits(features[None, :5]))


# --- the way for processors


def torch_epochs(
    network: torch.nn.Sequential,
    features: torch.Tensor,
    labels: torch.Tensor,
    epochs: list[np.ndarray],
    setting,
) -> list[list[float]]:
    """Losses per batch of torch's own layers and optimiser; the network is trained in place."""
    optimiser = torch.optim.AdamW(
        network.parameters(),
        lr=setting.learning_rate,
        betas=(setting.beta1, setting.beta2),
        weight_decay=0.01,
    )
    warm_up = torch.optim.lr_scheduler.LinearLR(optimiser, 0.05, total_iters=2)
    losses = []
    for rows in epochs:
        losses.append([])
        for batch in torch.from_numpy(rows):
            optimiser.zero_grad()
            loss = torch_loss(network(features[batch]), labels[batch])
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            warm_up.step()
            losses[-1].append(loss.item())
    network.eval()
    return losses


@pytest.mark.parametrize("copies", [1, 2])
@pytest.mark.parametrize("n_outputs", [1, 4])
def test_training_on_a_processor_is_that_of_torch(n_outputs, copies):
    """With `copies` a weight of the first layer stands for so many, whose columns add up to the one that is trained."""
    features, labels = rows_and_labels(n_outputs)
    generator = np.random.default_rng(2)
    epochs = [generator.permutation(N).reshape(3, 20) for _ in range(4)]
    setting = PUBLISHED.grid[7]
    initial = mlp_parameters(D, n_outputs, hidden=HIDDEN, seed=SEED)
    multiplicity = np.ones_like(initial)
    multiplicity[: D * HIDDEN] = copies
    problem = Problem(features.numpy(), [], initial, None if copies == 1 else multiplicity)
    schedule = adamw_schedule([setting], PUBLISHED, n_steps=12, warmup_steps=2)
    ours = MlpTraining(problem, labels.numpy(), schedule, n_outputs=n_outputs, hidden=HIDDEN)
    network, columns = torch_network(n_outputs), (features / copies).repeat(1, copies)
    network[0].weight = torch.nn.Parameter(network[0].weight.detach().repeat(1, copies))
    losses = torch_epochs(network, columns, labels, epochs, setting)
    for rows in epochs:
        ours.epoch(rows[None])
    np.testing.assert_allclose(ours.losses()[0], losses, rtol=1e-5)
    # before the batch norm comes what joined weights differ by, which decays
    offset = np.ones((N, HIDDEN), np.float32)
    for added, left in ((None, 0.0), (offset, float(schedule.decay[12, 0, 0]))):
        expected = network[1:](network[0](columns) + left).detach().numpy()
        np.testing.assert_allclose(ours.logits(features.numpy(), added)[0], expected, rtol=1e-4, atol=1e-5)
