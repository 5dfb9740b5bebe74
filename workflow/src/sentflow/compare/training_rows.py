"""What is said of trainings with several seeds on a pair set: one row per group of seeds, and per two groups."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class TrainingSeeds:
    """A group of trainings that differ in their seed alone: its mean score, or its difference from another group."""

    FILE: ClassVar[str] = "training-seeds"

    # unit_set, measure: pair set, and the correlation with its gold scores
    unit_set: str
    measure: str
    # group, other: name of the entry without its seed; empty `other` where `value` is the mean of the group.
    # Differences are seed by seed, over the seeds that both have.
    group: str
    other: str
    is_control: bool  # whether `other`, or the group where there is none, is a negative control
    value: float  # mean over seeds, in [-1, 1], or mean difference
    # seeds_low, seeds_high: interval for new seeds on the same pairs (t)
    seeds_low: float
    seeds_high: float
    # low, high: interval for new seeds and new pairs
    low: float
    high: float
    level: float  # of both
    # n_pairs, n_seeds: at least 2 each
    n_pairs: int
    n_seeds: int
    spread_of_seeds: float  # standard deviation between seeds
    # share_of_pairs, share_of_seeds: of the variance of `value`; the rest is what is peculiar to a seed on these pairs
    share_of_pairs: float
    share_of_seeds: float
    more: str  # of what twice as many would make the interval narrower: ``pairs``, ``seeds`` or ``either``
    seeds_unseen: bool  # whether seeds differ less than noise would; their part is then taken as 0
    # p, p_holm: exact sign-flip test over seeds, alone and adjusted for all pairs of groups of the pair set; NaN of a
    # mean
    p: float
    p_holm: float
    # least_p, least_p_holm: what these could be at least with so many seeds and groups
    least_p: float
    least_p_holm: float
    alpha: float
