"""Texts in figures: how wide they are, and how they are cut, wrapped and kept apart."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import ceil
from os.path import commonprefix
from typing import Any, TypeVar

from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

LINE = 1.2  # height of a line, in sizes of its letters
PLACE_SIZE = 6.5  # points, of names on an axis
_SAFETY = 1.03  # a renderer rounds the widths of letters
_SEPARATORS = " -_/.,;:()|"

Fits = Callable[[str], bool]
Key = TypeVar("Key")


@cache
def width(text: str, size: float, *, bold: bool = False) -> float:
    """Inches of the longest line of a text in letters of `size` points."""
    font = FontProperties(size=size, weight="bold" if bold else "normal")
    lines = [text_to_path.get_text_width_height_descent(line, font, False)[0] for line in text.split("\n")]
    return float(_SAFETY * max(lines) / 72)


def widest(texts: Sequence[str], size: float) -> float:
    """Inches of the widest of some texts; 0 for none."""
    return max((width(text, size) for text in texts), default=0.0)


def into(inches: float, size: float, *, bold: bool = False) -> Fits:
    """Whether a text has room in that many inches."""
    return lambda text: width(text, size, bold=bold) <= inches


def cut(text: str, fits: Fits) -> str:
    """As much of the beginning of a text as fits; a cut is shown by an ellipsis."""
    if fits(text):
        return text
    return _most(lambda n: text[:n].rstrip(_SEPARATORS) + "…", len(text) - 1, fits)


def words(text: str, fits: Fits) -> list[str]:
    """Lines of a text, broken at spaces; a word that does not fit alone stands in a line of its own."""
    lines: list[str] = []
    for word in text.split():
        if lines and fits(f"{lines[-1]} {word}"):
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def wrap(text: str, fits: Fits) -> list[str]:
    """Lines of a text that all fit, broken at spaces, and inside a word, best behind a sign, where it does not fit."""
    lines: list[str] = []
    for line in words(text, fits):
        rest = line
        while not fits(rest) and len(rest) > 1:
            n_signs = max((n for n in range(1, len(rest)) if fits(rest[:n])), default=1)
            n_signs = len(_whole_words(rest[:n_signs])) or n_signs
            lines.append(rest[:n_signs])
            rest = rest[n_signs:]
        lines.append(rest)
    return lines


def broken(text: str, inches: float, size: float) -> str:
    """A text in as few lines of that width as its spaces allow, all of them about as long."""
    tried = [words(text, into(inches * part / 10, size)) for part in range(10, 3, -1)]
    return "\n".join([lines for lines in tried if len(lines) == len(tried[0])][-1])


def distinct(names: Mapping[Key, str], fits: Fits) -> dict[Key, str]:
    """Names of a set of things, no two alike, cut where they do not fit.

    What the names share goes first: the owner before a slash, then the middle; where this would make two alike, what
    tells them apart stays. Where nothing else does, numbers tell them apart.

    `fits`: whether a name has room.
    """
    count = Counter(names.values())
    whole = [name if count[name] == 1 else f"{name} ({key})" for key, name in names.items()]
    bare = [name.rsplit("/", 1)[-1] for name in whole]
    if not all(map(fits, whole)) and len(set(bare)) == len(bare):
        whole = bare
    short = [_without_middle(name, fits) for name in whole]
    for label in [label for label, n in Counter(short).items() if n > 1]:
        members = [place for place, other in enumerate(short) if other == label]
        apart = _what_differs([whole[place] for place in members], fits)
        for place, other in zip(members, apart, strict=True):
            short[place] = other
    if len(set(short)) < len(short):
        short = [_numbered(name, number, fits) for number, name in enumerate(whole, 1)]
    return dict(zip(names, short, strict=True))


def stacked(
    names: Mapping[str, str], inches: float, size: float, *, bold: bool = False, lines: int = 3
) -> dict[str, str]:
    """`distinct` names in lines of that width, each in as few as it needs."""
    fits = into(inches, size, bold=bold)
    short = distinct(names, lambda name: len(wrap(name, fits)) <= lines)
    return {key: "\n".join(wrap(name, fits)) for key, name in short.items()}


def _without_middle(name: str, fits: Fits) -> str:
    if fits(name):
        return name

    def kept(n_signs: int) -> str:
        tail = name[len(name) - n_signs // 2 :]
        return f"{name[: ceil(n_signs / 2)].rstrip(_SEPARATORS)}…{tail.lstrip(_SEPARATORS)}"

    return _most(kept, len(name) - 1, fits)


def _what_differs(names: Sequence[str], fits: Fits) -> list[str]:
    """Each name without the part of its start and end that all of these share, as far as it does not fit."""
    n_start = len(_whole_words(commonprefix(names)))
    n_end = len(_whole_words(commonprefix([name[n_start:][::-1] for name in names])))
    found = []
    for name in names:
        start, end = name[:n_start], name[len(name) - n_end :]
        core = name[n_start : len(name) - n_end]

        def around(n_signs: int, start: str = start, core: str = core, end: str = end) -> str:
            n_left = min(len(start), max(ceil(n_signs / 2), n_signs - len(end)))
            left, right = start[:n_left], end[len(end) - (n_signs - n_left) :]
            before = left if left == start else left.rstrip(_SEPARATORS) + "…"
            after = right if right == end else "…" + right.lstrip(_SEPARATORS)
            return before + core + after

        found.append(cut(_most(around, n_start + n_end, fits), fits))
    return found


def _whole_words(start: str) -> str:
    """A common start up to its last separator, so that words stay whole."""
    last = max(start.rfind(character) for character in _SEPARATORS)
    return start[: last + 1]


def _numbered(name: str, number: int, fits: Fits) -> str:
    end = f" ({number})"
    return _most(
        lambda n: (name if n == len(name) else name[:n].rstrip(_SEPARATORS) + "…") + end, len(name), fits
    )


def _most(made: Callable[[int], str], most: int, fits: Fits) -> str:
    """What is made of as many characters as fit, at least of none."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(made(middle)) else (low, middle - 1)
    return made(low)


def name_places(
    axes: Axes,
    titles: Mapping[Any, str],
    inches: float,
    room: float,
    *,
    most_lines: int,
    turned: tuple[float, int],
) -> None:
    """Names of places on the horizontal axis: in some lines of `room` at most, or, where one does not fit, all turned.

    `inches`: at which lines are broken. `turned`: inches of turned names at most, and degrees.
    """
    names = {place: broken(title, inches, PLACE_SIZE) for place, title in titles.items()}
    is_level = all(
        width(name, PLACE_SIZE) <= room and name.count("\n") < most_lines for name in names.values()
    )
    if not is_level:
        names = distinct(titles, into(turned[0], PLACE_SIZE))
    axes.set_xticks(list(names), list(names.values()), fontsize=PLACE_SIZE)
    for label in [] if is_level else axes.get_xticklabels():
        side = "right" if turned[1] == 90 else "left"
        label.set(rotation=turned[1], rotation_mode="anchor", ha=side, va="center")
