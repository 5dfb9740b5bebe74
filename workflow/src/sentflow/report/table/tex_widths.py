"""How wide a text is in TeX's own letters (Computer Modern), so that a table can be fitted before TeX reads it."""

import re
import unicodedata
from collections.abc import Iterator

CAPTION, TEXT, SMALL, RAISED = 10.0, 8.0, 7.0, 6.0
"""Sizes in points: of captions, cells, what stands below them, letters behind them."""

# thousandths of the size of the letters, from the metrics of cmr10; bold is that of cmbx10 at its widest
_WIDTHS = {
    letter: width
    for letters, width in (
        ("ijlI.,:;!|'[]`", 278),
        ("f-", 333),
        ("()rst", 392),
        ('cez"v{}/', 500),
        ("ago0123456789*?$", 500),
        ("qyxknS", 556),
        ("bdhpuFLPJTZEB#+=<>~^_", 700),
        ("ACGHDKNOQRUVXY%&@M–×±", 833),
        ("mwW—−", 1028),
    )
    for letter in letters
}
_SPACE, _OTHER = 333, 1028
# smaller letters of Computer Modern are wider for their size
_DESIGN = {CAPTION: 1.0, TEXT: 1.063, SMALL: 1.14, RAISED: 1.23}
_BOLD = 1.16
# a piece of a name without any place to break is broken after so many letters
_LONGEST_PIECE = 16
_BREAKS = re.compile(r"(?<=[-_/])(?=\w)|(?<=\.)(?=[^\W\d])")


def points(text: str, size: float = TEXT, *, bold: bool = False) -> float:
    """Width of a line of text in points; of letters that are not known, the width of the widest."""
    thousandths = sum(_width(letter) for letter in text)
    return thousandths / 1000 * size * _DESIGN[size] * (_BOLD if bold else 1.0)


def pieces(name: str) -> Iterator[str]:
    """The parts of a word between which a line may end: after what joins words, never within a number."""
    for part in _BREAKS.split(name):
        if len(part) <= _LONGEST_PIECE or " " in part:
            yield part
        else:
            yield from (part[at : at + _LONGEST_PIECE] for at in range(0, len(part), _LONGEST_PIECE))


def widest_piece(text: str, size: float = TEXT) -> float:
    """Width of the widest part of a text that stands in one line."""
    return max((points(piece, size) for word in text.split(" ") for piece in pieces(word)), default=0.0)


def _width(letter: str) -> int:
    if letter.isspace():
        return _SPACE
    base = unicodedata.normalize("NFKD", letter)[0]
    return _WIDTHS.get(letter, _WIDTHS.get(base, _OTHER))
