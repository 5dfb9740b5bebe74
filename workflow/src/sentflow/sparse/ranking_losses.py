"""Losses of SPLADE and SparseEmbed: ranking by scores of queries and documents, and FLOPS, which keep terms few."""

from dataclasses import dataclass

import torch
from torch.nn.functional import cross_entropy, kl_div, mse_loss

from sentflow.errors import ConfigError, DataError, instead


def flops(weights: torch.Tensor) -> torch.Tensor:
    """Σ_j (mean over the batch of |w_j|)²: how many products a query and a document of this batch would need.

    `weights`: (B, V) of one side, **all rows of the step**: with several processes the caller gathers them first
    (texttron/tevatron#36). Paria et al. 2020 (arXiv 2004.05665), equation 4; Formal et al. 2021 (arXiv 2107.05720).
    """
    return weights.abs().mean(dim=0).square().sum()


def quadratic_weight(weight: float, step: int, rise_steps: int) -> float:
    """λ(t) = λ · min(1, t / T)²: the weight of `flops` at step t, from 0; Formal et al. 2021 (arXiv 2107.05720), 3.3.

    `rise_steps`: T, after which it is constant. Raises ConfigError: one of the numbers is negative.
    """
    for name, value in (("weight", weight), ("step", step), ("rise_steps", rise_steps)):
        if not value >= 0:
            raise ConfigError(f"{name} of FLOPS is {value}. Write a number of at least 0.")
    share = 1.0 if rise_steps == 0 else min(1.0, step / rise_steps)
    return weight * share**2


MARGIN_MSE, KL, CONTRASTIVE = "margin-mse", "kl", "contrastive"
RANKINGS = (MARGIN_MSE, KL, CONTRASTIVE)


def in_batch_negatives(scores: torch.Tensor) -> torch.Tensor:
    """Mean cross-entropy of finding the document of each query among those of all; ln C of equal scores.

    `scores`: (B, C), C >= B; column i < B is the document of query i, further columns are hard negatives.
    """
    n_queries, n_documents = scores.shape
    if n_documents < n_queries:
        raise ValueError(f"{n_queries} queries have {n_documents} documents; each needs its own")
    return cross_entropy(scores, torch.arange(n_queries, device=scores.device))


def margin_mse(scores: torch.Tensor, teacher: torch.Tensor) -> torch.Tensor:
    """Mean of ((s⁺ − s⁻) − (t⁺ − t⁻))² over queries and negatives; Hofstätter et al. 2020 (arXiv 2010.02666), eq. 8.

    `scores`, `teacher`: (B, 1 + m), m >= 1: of the relevant document of each query, then of its negatives. Raises
    DataError: the teacher's scores are not finite, or of another shape.
    """
    teacher = _checked_teacher(scores, teacher)
    own, others = (each[:, :1] - each[:, 1:] for each in (scores, teacher))
    return mse_loss(own, others)


def kl_divergence(scores: torch.Tensor, teacher: torch.Tensor, *, temperature: float = 1.0) -> torch.Tensor:
    """KL(teacher ‖ student) of the softmax over the candidates of each query; mean over queries, times temperature².

    `scores`, `teacher`: (B, C), C >= 2, candidates in the same order. `temperature`: what both are divided by, > 0; its
    square keeps gradients of one size (Hinton et al. 2015, arXiv 1503.02531). Raises ConfigError: it is not above 0.
    Raises DataError: see `margin_mse`.
    """
    if not temperature > 0:
        raise ConfigError(f"temperature is {temperature}. Write a number above 0.")
    teacher = _checked_teacher(scores, teacher)
    student, target = ((each / temperature).log_softmax(dim=1) for each in (scores, teacher))
    return kl_div(student, target, reduction="batchmean", log_target=True) * temperature**2


def _checked_teacher(scores: torch.Tensor, teacher: torch.Tensor) -> torch.Tensor:
    if scores.ndim != 2 or scores.shape[1] < 2:
        raise ValueError(f"scores are {tuple(scores.shape)}, not (B, C) with C of at least 2")
    if scores.shape != teacher.shape:
        raise DataError(
            f"scores are {tuple(scores.shape)}, and those of the teacher {tuple(teacher.shape)}. Give the teacher's "
            "score of every candidate."
        )
    if not torch.isfinite(teacher).all():
        raise DataError(
            "scores of the teacher are not finite (NaN or infinity). Score the pairs again, or drop them."
        )
    return teacher.detach().to(scores)


@dataclass(frozen=True)
class LossParts:
    """A loss and what it is the sum of, scalars that are not yet weighted.

    `weights`, `embeddings`: the ranking loss of the dot products of weights, and of the scores by term vectors; None
    where terms have none. `query_flops`, `document_flops`: `flops` of both sides.
    """

    total: torch.Tensor
    weights: torch.Tensor
    query_flops: torch.Tensor
    document_flops: torch.Tensor
    embeddings: torch.Tensor | None = None


@dataclass(frozen=True)
class SparseEmbedLoss:
    """L = R(s) + share · R(w_q · w_d) + λ_Q(t) FLOPS(w_q) + λ_D(t) FLOPS(w_d); SPLADE has R(w_q · w_d) alone.

    `query_flops`, `document_flops`: λ_Q and λ_D, >= 0. Those of papers (.5 and .4 for SPLADE++, .004 and .005 for
    SparseEmbed) belong to MarginMSE. `rise_steps`: see `quadratic_weight`; 50,000 in the papers. `ranking`: R:
    ``"margin-mse"``, ``"kl"``, or ``"contrastive"`` without a teacher. `weights_share`: .1 in the paper.

    Kong et al. 2023 (doi 10.1145/3539618.3592065), equation 4; Formal et al. 2021 and 2022 (arXiv 2109.10086, arXiv
    2205.04733).
    """

    query_flops: float
    document_flops: float
    rise_steps: int
    ranking: str = MARGIN_MSE
    temperature: float = 1.0
    weights_share: float = 0.1

    def __post_init__(self) -> None:
        if self.ranking not in RANKINGS:
            raise ConfigError(f"ranking is {self.ranking!r}. {instead(str(self.ranking), RANKINGS)}")

    def __call__(
        self,
        embedding_scores: torch.Tensor | None,
        weight_scores: torch.Tensor,
        query_weights: torch.Tensor,
        document_weights: torch.Tensor,
        *,
        step: int,
        teacher: torch.Tensor | None = None,
    ) -> LossParts:
        """The loss of a step, from 0.

        `embedding_scores`, `weight_scores`, `teacher`: (B, C) scores by term vectors, None where terms have none; dot
        products of weights; and those of a teacher, not with ``"contrastive"``. `query_weights`, `document_weights`:
        (·, V) after pruning, of all processes. Raises ConfigError: scores of a teacher are missing, or given and not
        read.
        """
        embeddings = None if embedding_scores is None else self.ranked(embedding_scores, teacher)
        weights = self.ranked(weight_scores, teacher)
        ranking = weights if embeddings is None else embeddings + self.weights_share * weights
        total = ranking + self.regulariser(query_weights, document_weights, step)
        return LossParts(total, weights, flops(query_weights), flops(document_weights), embeddings)

    def regulariser(
        self, query_weights: torch.Tensor, document_weights: torch.Tensor, step: int
    ) -> torch.Tensor:
        """λ_Q(t) FLOPS(w_q) + λ_D(t) FLOPS(w_d)."""
        query, document = (
            quadratic_weight(weight, step, self.rise_steps)
            for weight in (self.query_flops, self.document_flops)
        )
        return query * flops(query_weights) + document * flops(document_weights)

    def ranked(self, scores: torch.Tensor, teacher: torch.Tensor | None) -> torch.Tensor:
        """R of (B, C) scores; see `__call__`."""
        if (teacher is None) != (self.ranking == CONTRASTIVE):
            problem = "needs scores of a teacher" if teacher is None else "has no use for scores of a teacher"
            raise ConfigError(
                f"ranking: {self.ranking} {problem}. Give them with {MARGIN_MSE} and {KL} only."
            )
        if teacher is None:
            return in_batch_negatives(scores)
        if self.ranking == MARGIN_MSE:
            return margin_mse(scores, teacher)
        return kl_divergence(scores, teacher, temperature=self.temperature)
