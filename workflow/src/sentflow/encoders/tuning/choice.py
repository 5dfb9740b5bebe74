"""Which of several programs to take, where times are noisy."""

from collections.abc import Mapping

from sentflow.encoders.tuning.measure import Name, Timing


def told_apart(a: Timing, b: Timing) -> bool:
    """Whether the medians differ by more than either of the spreads; else no difference was seen."""
    return abs(a.median - b.median) > max(a.spread, b.spread)


def fastest(timings: Mapping[Name, Timing]) -> Name:
    """The first program that no other is seen to be faster than.

    `timings`: program → its times, in the order of preference; at least one.
    """
    return next(
        name
        for name, timing in timings.items()
        if not any(other.median < timing.median and told_apart(other, timing) for other in timings.values())
    )
