"""Against torch: a linear layer under autograd, by the way for processors and by the one for accelerators."""

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array
from torch.nn import functional

from sentflow.probing.kernels.columns import Problem
from sentflow.probing.kernels.logistic import LogisticTraining
from sentflow.probing.kernels.schedule import adamw_schedule
from sentflow.probing.kernels.sparse import ShiftedSparse
from sentflow.probing.kernels.sparse_logistic import SparseLogisticTraining
from sentflow.probing.protocol.torch_draws import logistic_parameters
from sentflow.probing.settings import PUBLISHED

N, D, SEED = 60, 7, 4_123_456_789


def rows_and_labels(n_outputs: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(n_outputs)
    features = torch.randn(N, D, generator=generator)
    return features, torch.randint(0, max(2, n_outputs), (N,), generator=generator)


def with_ones(features: torch.Tensor) -> torch.Tensor:
    return functional.pad(features, (0, 1), value=1.0)


def torch_loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    if logits.shape[-1] == 1:
        return functional.binary_cross_entropy_with_logits(logits.squeeze(-1), labels.double())
    return functional.cross_entropy(logits, labels)


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
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_training_on_a_processor_is_that_of_torch(kind, n_outputs, copies):
    size = 12
    ours, losses, logits = trained_pair(kind, n_outputs, size, copies=copies)
    np.testing.assert_allclose(ours.losses(), losses, rtol=2e-6)
    features = kind[1](with_ones(rows_and_labels(n_outputs)[0]).numpy())
    assert ours.logits(features).shape == (size, N, n_outputs)
    np.testing.assert_allclose(ours.logits(features), logits, atol=2e-6)


@pytest.mark.parametrize("batch", [3, 18])
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_batches_need_not_be_a_multiple_of_what_is_computed_together(kind, n_outputs, batch):
    ours, _, logits = trained_pair(kind, n_outputs, 2, batch=batch)
    features = kind[1](with_ones(rows_and_labels(n_outputs)[0]).numpy())
    np.testing.assert_allclose(ours.logits(features), logits, atol=2e-6)
