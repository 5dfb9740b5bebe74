"""How numbers are written for people: three decimals, a true minus sign, a dash where nothing is."""

import math
from collections.abc import Sequence

MISSING = "—"
MINUS = "−"


def decimal(value: float, digits: int = 3) -> str:
    """A number with fixed decimals; NaN is a dash, and what rounds to zero has no sign."""
    if math.isnan(value):
        return MISSING
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.removeprefix("-")
    return text.replace("-", MINUS)


def signed(value: float, digits: int = 3) -> str:
    """`decimal` with a plus before what is above zero as printed."""
    text = decimal(value, digits)
    return f"+{text}" if value > 0 and float(text) else text


def three_digits(value: float) -> str:
    """A cost with its first three digits: ``0.570``, ``12.3``, ``1,536``; NaN is a dash."""
    if math.isnan(value):
        return MISSING
    return f"{value:#.3g}".removesuffix(".") if value < 100 else count(round(value))  # noqa: PLR2004


def interval(low: float, high: float, digits: int = 3) -> str:
    """``[0.479, 0.533]``, or a dash if a limit is undefined."""
    if math.isnan(low) or math.isnan(high):
        return MISSING
    return f"[{decimal(low, digits)}, {decimal(high, digits)}]"


def places(low: float, high: float) -> str:
    """``2–4``, or ``2``; a dash if undefined."""
    if math.isnan(low):
        return MISSING
    return f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"


def percent(level: float) -> str:
    """``99 %``; a narrow space keeps number and sign together."""
    return f"{100 * level:g}\u202f%"


def share(value: float) -> str:
    """A part of a whole in whole percent: ``41 %``, ``<1 %`` for less than half a percent; NaN is a dash."""
    if 0 < value < 0.005:
        return f"<{percent(0.01)}"
    text = decimal(100 * value, 0)
    return text if text == MISSING else f"{text}\u202f%"


def count(value: int) -> str:
    """Whole number with a comma between thousands."""
    return f"{value:,}"


def about(value: float) -> str:
    """An estimated number of things, rounded up to two digits: ``85``, ``1,300``; NaN is a dash."""
    if math.isnan(value):
        return MISSING
    step = 10 ** max(len(str(math.ceil(value))) - 2, 0)
    return count(math.ceil(value / step) * step)


def duration(seconds: float) -> str:
    """Seconds as people say them: ``0.4 s``, ``38 s``, ``12 min``, ``3 h 05 min``."""
    if math.isnan(seconds):
        return MISSING
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if seconds < 119.5:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60:02d} min"


def memory(mebibytes: float) -> str:
    """Memory as people say it: ``820 MiB``, ``1.4 GiB``."""
    if math.isnan(mebibytes):
        return MISSING
    return f"{mebibytes:.0f} MiB" if mebibytes < 1000 else f"{mebibytes / 1024:.1f} GiB"


def p_number(value: float | None) -> str:
    """A probability of a test as it stands in a column: ``0.031``, ``<0.001``, a dash where it is undefined."""
    if value is None or math.isnan(value):
        return MISSING
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def file_size(n_bytes: float) -> str:
    """Sizes of an axis: ``300 B``, ``3 kB``, ``0.3 GB``; a kilobyte has 1,000 bytes."""
    return _scaled(n_bytes, ("GB", "MB", "kB"), " B")


def short_count(value: float) -> str:
    """``300``, ``30 k``, ``100 M``, ``7 B``."""
    return _scaled(value, ("B", "M", "k"))


def _scaled(value: float, units: tuple[str, str, str], unit: str = "") -> str:
    found = next(
        ((size, one) for size, one in zip((1e9, 1e6, 1e3), units, strict=True) if value >= size), None
    )
    return f"{value / found[0]:g} {found[1]}" if found else f"{value:g}{unit}"


def seconds_each(seconds: float) -> str:
    """Times of an axis: ``30 µs``, ``3 ms``, ``0.3 s``, ``10 s``."""
    if seconds < 1e-3:
        return f"{1e6 * seconds:g} µs"
    return f"{1000 * seconds:g} ms" if seconds < 0.1 else f"{seconds:g} s"


def counted(n: int, what: str) -> str:
    """``1 task``, ``2 tasks``."""
    return f"{n} {what}{'' if n == 1 else 's'}"


def listed(items: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``; empty for none."""
    return ", ".join(items[:-1]) + " and " + items[-1] if len(items) > 1 else "".join(items)
