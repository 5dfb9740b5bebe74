"""The reduction of a sweep: of each group the member with the best development score."""

import math
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

Member = TypeVar("Member")


def best_of_groups(
    members: Iterable[Member], *, group: Callable[[Member], Hashable], score: Callable[[Member], float]
) -> list[Member]:
    """One member per group, in the order of the groups; the first of equal ones.

    The best of k is too high an estimate of its own score, the more so the more it depends on the seed: only trainings
    with seeds that were not in the choice say what the winner is worth.
    """
    best: dict[Hashable, Member] = {}
    for member in members:
        held = best.get(group(member))
        if score(member) > (-math.inf if held is None else score(held)):  # never where it is NaN
            best[group(member)] = member
    return list(best.values())
