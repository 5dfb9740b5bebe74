"""Against torch itself: orders are the same, weights the same numbers up to their last rounding."""

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset
from torch_weights import assert_torchs_weights

from sentflow.probing.protocol.torch_draws import EpochOrders, TorchGenerator, linear_weights

SEEDS = [0, 7, 4_123_456_789]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("n_inputs", "n_outputs"), [(1, 1), (7, 3), (384, 1), (1536, 256), (12_000, 5)])
def test_weights_of_a_linear_layer_are_torchs(seed, n_inputs, n_outputs):
    torch.manual_seed(seed)
    layer = torch.nn.Linear(n_inputs, n_outputs)
    weights = linear_weights(TorchGenerator(seed), n_inputs, n_outputs)
    assert_torchs_weights(weights, layer)


def test_layers_are_drawn_one_after_the_other():
    torch.manual_seed(3)
    layers = [torch.nn.Linear(9, 4, bias=False), torch.nn.Linear(4, 2)]
    generator = TorchGenerator(3)
    for layer in layers:
        ours = linear_weights(generator, layer.in_features, layer.out_features)
        assert_torchs_weights(ours, layer)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("n_rows", [128, 300, 511])
def test_orders_are_those_of_a_torch_loader_epoch_after_epoch(seed, n_rows):
    """Holds only if the discarded draws are made too, and wherever the blocks of drawn orders end."""
    loader = DataLoader(
        TensorDataset(torch.arange(n_rows)),
        batch_size=128,
        shuffle=True,
        drop_last=True,
        generator=torch.Generator().manual_seed(seed),
    )
    orders = EpochOrders(seed=seed, n_rows=n_rows)
    for epochs in (40, 1, 1, 30, 3):
        for order in orders.next(epochs):
            visited = torch.cat([rows for (rows,) in loader]).numpy()
            np.testing.assert_array_equal(order[: len(visited)], visited)


def test_every_order_is_a_permutation():
    orders = EpochOrders(seed=7, n_rows=33).next(2)
    assert [sorted(order) for order in orders.tolist()] == [list(range(33))] * 2
