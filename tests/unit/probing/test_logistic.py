"""Against torch: a linear layer under autograd, by the way for processors and by the one for accelerators."""

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array
from torch.nn import functional
from torch_weights import assert_torchs_weights, unscaled

from sentflow.probing.accelerator.resident import TrainingRows
from sentflow.probing.accelerator.stacks import LogisticStack
from sentflow.probing.kernels.columns import Problem
from sentflow.probing.kernels.logistic import LogisticTraining
from sentflow.probing.kernels.schedule import adamw_schedule
from sentflow.probing.kernels.sparse import ShiftedSparse
from sentflow.probing.kernels.sparse_logistic import SparseLogisticTraining
from sentflow.probing.protocol.settings import PUBLISHED
from sentflow.probing.protocol.torch_draws import logistic_parameters

N, D, SEED = 60, 7, 4_123_456_789


def rows_and_labels(n_outputs: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(n_outputs)
    features = torch.randn(N, D, generator=generator)
    return features, torch.randint(0, max(2, n_outputs), (N,), generator=generator)


def with_ones(features: torch.Tensor) -> torch.Tensor:
    return functional.pad(features, (0, 1), value=1.0)


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
    initial = torch.from_numpy(logistic_parameters(D, n_outputs, seed=SEED))
    rows = TrainingRows(with_ones(features), labels, unscaled(D + 1), size=size)
    return LogisticStack(rows, initial[None], n_outputs=n_outputs)


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_initial_weights_are_torchs_with_a_bias_of_zero(n_outputs):
    layer = torch_layer(n_outputs)
    weights = logistic_parameters(D, n_outputs, seed=SEED).reshape(n_outputs, D + 1)
    assert_torchs_weights(weights[:, :-1], layer)
    assert not weights[:, -1].any()


@pytest.mark.parametrize("size", [1, 4])
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_gradient_of_each_probe_is_that_of_autograd_on_its_own_batch(n_outputs, size):
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
    logits = stack_of(2, n_outputs).logits(with_ones(features)[None])
    assert logits.shape == (2, N, n_outputs)
    torch.testing.assert_close(logits[1], torch_layer(n_outputs)(features).detach())


def test_changing_one_probe_leaves_the_others():
    stack = stack_of(3, 1)
    stack.parameters[1] += 1
    logits = stack.logits(with_ones(rows_and_labels(1)[0])[None])
    torch.testing.assert_close(logits[0], logits[2])
    assert not torch.allclose(logits[0], logits[1])


# --- the way for processors


def shifted(features: np.ndarray) -> ShiftedSparse:
    """The same numbers, of which some stand in the shift that all rows have in common."""
    shift = np.where(np.arange(features.shape[1]) % 2, np.float32(0.5), np.float32(0))
    return ShiftedSparse(csr_array(features + shift), shift)


@pytest.fixture(params=["dense", "sparse"])
def kind(request):
    """What trains, and the form of features that it is given."""
    return {"dense": (LogisticTraining, np.asarray), "sparse": (SparseLogisticTraining, shifted)}[
        request.param
    ]


def trained_pair(kind, n_outputs: int, size: int, *, batch: int = 20, copies: int = 1):
    """Three epochs of ours and of torch, probe by probe: the training, torch's losses and logits.

    With `copies` a weight stands for so many equal ones, whose columns add up to the one that is trained.
    """
    features, labels = rows_and_labels(n_outputs)
    initial = logistic_parameters(D, n_outputs, seed=SEED)
    multiplicity = None if copies == 1 else np.full(n_outputs * (D + 1), copies, np.float32)
    training, form = kind
    problem = Problem(form(with_ones(features).numpy()), [], initial, multiplicity)
    settings = PUBLISHED.grid[:size]
    ours = training(
        problem,
        labels.numpy(),
        adamw_schedule(settings, PUBLISHED, n_steps=9, warmup_steps=2),
        n_outputs=n_outputs,
    )
    epochs = three_epochs(size, batch=batch)
    for rows in epochs:
        ours.epoch(rows)
    columns = (with_ones(features) / copies).repeat(1, copies)
    weights = torch.from_numpy(initial).reshape(n_outputs, -1).repeat(1, copies)
    theirs = [
        torch_training(columns, labels, weights, [rows[probe] for rows in epochs], settings[probe])
        for probe in range(size)
    ]
    losses, logits = zip(*theirs, strict=True)
    return ours, np.stack(losses), np.stack(logits)


def torch_training(columns, labels, weights, epochs, setting) -> tuple[np.ndarray, np.ndarray]:
    """(epochs, batches) losses and (n, outputs) last logits of torch's optimiser under autograd."""
    weights = torch.nn.Parameter(weights.clone())
    optimiser = torch.optim.AdamW(
        [weights], lr=setting.learning_rate, betas=(setting.beta1, setting.beta2), weight_decay=0.01
    )
    warm_up = torch.optim.lr_scheduler.LinearLR(optimiser, 0.05, total_iters=2)
    losses = []
    for batch in torch.from_numpy(np.concatenate(epochs)):
        optimiser.zero_grad()
        loss = torch_loss(columns[batch] @ weights.T, labels[batch])
        loss.backward()
        torch.nn.utils.clip_grad_norm_([weights], 1.0)
        optimiser.step()
        warm_up.step()
        losses.append(loss.item())
    return np.reshape(losses, (len(epochs), -1)), (columns @ weights.T).detach().numpy()


def three_epochs(size: int, *, batch: int = 20) -> list[np.ndarray]:
    """Per epoch (S, 3, batch) row numbers."""
    generator = np.random.default_rng(11)
    orders = [np.stack([generator.permutation(N) for _ in range(size)]) for _ in range(3)]
    return [rows[:, : 3 * batch].reshape(size, 3, batch) for rows in orders]


@pytest.mark.parametrize("copies", [1, 2])
@pytest.mark.parametrize("size", [1, 12])
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_training_on_a_processor_is_that_of_torch(kind, n_outputs, size, copies):
    ours, losses, logits = trained_pair(kind, n_outputs, size, copies=copies)
    np.testing.assert_allclose(ours.losses(), losses, rtol=2e-6)
    features = kind[1](with_ones(rows_and_labels(n_outputs)[0]).numpy())
    assert ours.logits(features).shape == (size, N, n_outputs)
    np.testing.assert_allclose(ours.logits(features), logits, atol=2e-6)


@pytest.mark.parametrize("size", [1, 12])
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_what_joined_weights_differ_by_decays(kind, n_outputs, size):
    ours, _, logits = trained_pair(kind, n_outputs, size)
    features = kind[1](with_ones(rows_and_labels(n_outputs)[0]).numpy())
    rates = np.array([setting.learning_rate for setting in PUBLISHED.grid[:size]])
    # two steps of warm-up: 5 % and 52.5 % of the rate
    left = (1 - 0.01 * 0.05 * rates) * (1 - 0.01 * 0.525 * rates) * (1 - 0.01 * rates) ** 7
    offset = np.ones((N, n_outputs), np.float32)
    np.testing.assert_allclose(ours.logits(features, offset), logits + left[:, None, None], atol=2e-6)


@pytest.mark.parametrize("batch", [1, 3, 18, 19])
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_batches_need_not_be_a_multiple_of_what_is_computed_together(kind, n_outputs, batch):
    ours, _, logits = trained_pair(kind, n_outputs, 2, batch=batch)
    features = kind[1](with_ones(rows_and_labels(n_outputs)[0]).numpy())
    np.testing.assert_allclose(ours.logits(features), logits, atol=2e-6)
