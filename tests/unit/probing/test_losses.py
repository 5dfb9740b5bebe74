import math

import numpy as np
import pytest
import torch
from torch.nn import functional

from sentflow.probing.probes import class_scores, mean_losses, predicted_classes

N, N_PROBES = 37, 3


def torch_loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """The published losses of one probe: (n, outputs) logits and (n,) labels."""
    if logits.shape[-1] == 1:
        return functional.binary_cross_entropy_with_logits(logits.squeeze(-1), labels.double())
    return functional.cross_entropy(logits, labels)


@pytest.mark.parametrize("n_outputs", [1, 2, 3, 7])
def test_losses_are_those_of_torch(n_outputs):
    generator = torch.Generator().manual_seed(n_outputs)
    logits = 4 * torch.randn(N_PROBES, N, n_outputs, generator=generator)
    labels = torch.randint(0, max(2, n_outputs), (N_PROBES, N), generator=generator)
    expected = [torch_loss(logits[k], labels[k]).item() for k in range(N_PROBES)]
    losses = mean_losses(logits.numpy(), labels.numpy())
    assert losses.dtype == np.float64
    np.testing.assert_allclose(losses, expected, rtol=1e-6)


def test_logits_that_all_lie_between_0_and_1_are_taken_for_probabilities():
    # 0.4 is a positive logit, but no probability above one half
    assert predicted_classes(np.float32([[0.0], [0.4], [0.6], [1.0]])).tolist() == [0, 0, 1, 1]


def test_tiny_positive_logit_is_no_half_in_single_precision():
    # sigmoid(3e-8) rounds to 0.5 exactly, which is not above 0.5
    assert predicted_classes(np.float32([[3e-8], [-1.0]])).tolist() == [0, 0]


def test_many_classes_take_the_largest_logit_and_the_first_of_equals():
    assert predicted_classes(np.float32([[0.1, 0.2, 0.0], [0.5, 0.5, 0.1]])).tolist() == [1, 0]


def test_scores_are_probabilities_of_class_1_or_of_the_predicted_class():
    two = np.float32([[-1.0], [2.0]])
    expected = [1 / (1 + math.e), 1 / (1 + math.e**-2)]
    assert class_scores(two, predicted_classes(two)).tolist() == pytest.approx(expected)
    three = np.float32([[1.0, 2.0, 3.0]])
    share = math.e**3 / (math.e + math.e**2 + math.e**3)
    assert class_scores(three, predicted_classes(three)).tolist() == pytest.approx([share])
