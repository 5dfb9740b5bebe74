"""What is said of trainings with several seeds on a pair set: one row per group of seeds, and per two groups."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class TrainingSeeds:
    """A group of trainings that differ in their seed alone: its mean score, or its difference from another group.

    Attributes
    ----------
    unit_set, measure
        Pair set, and the correlation with its gold scores.
    group, other
        Name of the entry without its seed; empty `other` where `value` is the mean of the group. Differences are seed
        by seed, over the seeds that both have.
    is_control
        Whether `other`, or the group where there is none, is a negative control.
    value
        Mean over seeds, in [-1, 1], or mean difference.
    seeds_low, seeds_high
        Interval for new seeds on the same pairs (t).
    low, high
        Interval for new seeds and new pairs.
    level
        Of both.
    n_pairs, n_seeds
        At least 2 each.
    spread_of_seeds
        Standard deviation between seeds.
    share_of_pairs, share_of_seeds
        Of the variance of `value`; the rest is what is peculiar to a seed on these pairs.
    more
        Of what twice as many would make the interval narrower: ``pairs``, ``seeds`` or ``either``.
    seeds_unseen
        Whether seeds differ less than noise would; their part is then taken as 0.
    p, p_holm
        Exact sign-flip test over seeds, alone and adjusted for all pairs of groups of the pair set; NaN of a mean.
    least_p, least_p_holm
        What these could be at least with so many seeds and groups.
    """

    FILE: ClassVar[str] = "training-seeds"

    unit_set: str
    measure: str
    group: str
    other: str
    is_control: bool
    value: float
    seeds_low: float
    seeds_high: float
    low: float
    high: float
    level: float
    n_pairs: int
    n_seeds: int
    spread_of_seeds: float
    share_of_pairs: float
    share_of_seeds: float
    more: str
    seeds_unseen: bool
    p: float
    p_holm: float
    least_p: float
    least_p_holm: float
    alpha: float
