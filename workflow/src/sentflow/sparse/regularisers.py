"""What keeps the terms of texts few: the FLOPS of a batch, and how its weight rises."""

import torch

from sentflow.errors import ConfigError


def flops(weights: torch.Tensor) -> torch.Tensor:
    """Σ_j (mean over the batch of |w_j|)²: how many products a query and a document of this batch would need.

    Parameters
    ----------
    weights
        (B, V) of one side, queries or documents. **All rows of the step**: with several processes the caller gathers
        them first, because the square of a mean over all is not the mean of the squares, and sparsity would depend on
        the number of processes (texttron/tevatron#36).

    Returns
    -------
    torch.Tensor
        A scalar, >= 0; 0 only if no text has a term. There is no threshold below which it would act otherwise.

    Notes
    -----
    Paria et al. 2020 (arXiv 2004.05665), equation 4; Formal et al. 2021 (arXiv 2107.05720).
    """
    return weights.abs().mean(dim=0).square().sum()


def quadratic_weight(weight: float, step: int, rise_steps: int) -> float:
    """λ(t) = λ · min(1, t / T)²: the weight of `flops` at a step.

    Parameters
    ----------
    weight
        λ, >= 0; queries and documents have one each.
    step
        t, from 0.
    rise_steps
        T, after which it is constant; 0 is constant from the beginning.

    Raises
    ------
    ConfigError
        One of them is negative.

    Notes
    -----
    Formal et al. 2021 (arXiv 2107.05720), section 3.3.
    """
    for name, value in (("weight", weight), ("step", step), ("rise_steps", rise_steps)):
        if not value >= 0:
            raise ConfigError(f"{name} of FLOPS is {value}. Write a number of at least 0.")
    share = 1.0 if rise_steps == 0 else min(1.0, step / rise_steps)
    return weight * share**2
