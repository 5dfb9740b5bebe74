"""What a linear layer reads of the vectors of two texts, to tell how they are related."""

import torch

DIFFERENCE = "difference"
DIFFERENCE_AND_SQUARE = "difference-and-square"
BLOCKS = {DIFFERENCE: 3, DIFFERENCE_AND_SQUARE: 4}
"""Name of a form → how many vectors it joins."""


def pair_features(u: torch.Tensor, v: torch.Tensor, *, form: str) -> torch.Tensor:
    """The vectors of two texts beside one another.

    Parameters
    ----------
    u, v
        (n, d) float.
    form
        ``"difference"``: u, v and the absolute difference (Reimers and Gurevych 2019, section 3; the paper of ConSERT;
        `SoftmaxLoss` of sentence-transformers). ``"difference-and-square"``: the square of the greater value as a
        fourth block (the released scripts of yym6472/ConSERT@03c9e8ff).

    Returns
    -------
    torch.Tensor
        (n, 3 d) or (n, 4 d).
    """
    blocks = [u, v, (u - v).abs()]
    if form == DIFFERENCE_AND_SQUARE:
        blocks.append(torch.maximum(u, v) ** 2)
    return torch.cat(blocks, dim=1)
