"""Cells of tables: names and scores without their markup, and what says that there is none."""

import html
import math
import re
from numbers import Real
from typing import Any

import pandas as pd

from sentflow.errors import DataError


def name_of(value: Any) -> str:
    """A name, whatever the type that a file gave it: 3.0 is ``3``, and what is absent is empty."""
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


# Rows and columns over the others, by their whole names
_AGGREGATE = re.compile(
    r"((naive|weighted|simple|macro|micro|grand|total|overall|geometric)[ _-]*)*(avg|average|mean|overall|total)s?"
    r"(?![ _-]*(reciprocal|absolute|squared?|precision|error))\b.*"
    r"|.*[ _-](avg|average|mean|overall)\.?|ave\.?|median|sum|hm|all|#"
    r"|(mean[ _-]*)?rank(ing)?|borda.*|(mean[ _-]*)?win[ _-]?rates?",
    re.IGNORECASE,
)
_NUMBER_OF_TASKS = re.compile(r" ?\([^()]*\)$")


def is_aggregate(name: str) -> bool:
    """Whether a task (or column) is named like an average, a rank or a win rate over others."""
    return _AGGREGATE.fullmatch(_NUMBER_OF_TASKS.sub("", name)) is not None


_MISSING = frozenset({"", "-", "–", "—", "−", "--", "---", "n/a", "na", "nan", "null", "none", "<na>"})


def is_missing(value: Any) -> bool:
    """Whether a cell says that there is no score: absent, null, NaN, empty, a dash or N/A."""
    if value is None or value is pd.NA:
        return True
    return math.isnan(value) if isinstance(value, float) else str(value).strip().lower() in _MISSING


_VALUE = re.compile(
    r"(?P<value>[+-]?(?:\d+(?:,\d{3})+(?:\.\d+)?|\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(?P<percent>%?)"
    # what may stand behind it: marks, errors, and ranks or errors in brackets
    r"\s*(?:[*†‡§¶♣♠♦∗]|[↑↓▲▼△▽]\s*[\d.]*|(?:±|\+/-|\+-)\s*[\d.]+\s*%?"
    r"|\(\s*(?:±|\+/-|[+-])?\s*[\d.]+\s*%?\s*\)|\[[^\[\]]*\]|\s)*"
)


_TOO_LARGE = 1e100  # of which squares and their sums are still finite


def number(value: Any, where: str, *, decimal_comma: bool = False) -> float:
    """The score of a cell, without its error and marks; NaN where it is missing.

    `where`: file, row and column, for the message. Raises DataError: it is no finite number.
    """
    if isinstance(value, Real) and not is_missing(value):
        found = float(value)
    elif is_missing(value):
        return math.nan
    else:
        text = plain(str(value)).replace("−", "-")  # the sign of a minus
        if is_missing(text):
            return math.nan
        parsed = _VALUE.fullmatch(_with_point(text) if decimal_comma else text)
        found = float(parsed["value"].replace(",", "")) if parsed else math.inf
    if not abs(found) < _TOO_LARGE:
        raise DataError(
            f"{where}: {str(value)[:60]!r} is no number. Write a number, or leave the cell empty."
        )
    return found


def _with_point(text: str) -> str:
    """A number with a decimal comma in the usual form; as no number where a point may be one for thousands."""
    if re.match(r"[+-]?[1-9]\d{0,2}\.\d{3}(?![\d.,])", text):
        return "?"
    return re.sub(r"(\d),(\d)", r"\1.\2", re.sub(r"(\d)\.(?=\d{3}(\.\d{3})*,)", r"\1", text))


_LATEX_DROPPED = re.compile(
    r"\\footnotemark(?:\[\d*\])?|\\(?:cite\w*|footnote(?:text)?|tnote|label|ref|cellcolor|rowcolor|color|textcolor|vspace|hspace)\*?"
    r"(?:\[[^\]]*\])*\{[^{}]*\}|\^\{[^{}]*\}|\^(?:\\[A-Za-z]+|.)|_\{\s*(?:\\pm\s*)?[\d.]+\s*\}"
)
_LATEX_NAMES = r"\pm \uparrow \downarrow \dagger \ddagger \times \ast \star"
_LATEX_SIGNS = dict(zip(_LATEX_NAMES.split(), "±↑↓†‡×**", strict=True))
_LATEX_COMMAND = re.compile(r"\\(?:[A-Za-z]+\*?|[,;:! ])\s*")
_MARKDOWN_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?:\([^()]*\)[^()]*)?\)")


def plain(text: str) -> str:
    """A name or number without the markup of HTML, Markdown or LaTeX: bold, links, citations, footnotes."""
    if "<" in text or "&" in text:
        text = html.unescape(re.sub(r"<sup>.*?</sup>|</?[A-Za-z][^<>]*>", "", text))
    if "](" in text:
        text = _MARKDOWN_LINK.sub(r"\1", text)
    text = re.sub(r"\[\^[^\]]*\]", "", text)  # a footnote
    if any(sign in text for sign in "\\${"):
        text = re.sub(r"\\multi(?:row|column)\*?(?:\[[^\]]*\])?\{[^{}]*\}(?:\{[^{}]*\})?", "", text)
        text = _LATEX_DROPPED.sub("", text)
        text = re.sub(r"\\[A-Za-z]+", lambda found: _LATEX_SIGNS.get(found[0], found[0]), text)
        text = re.sub(r"\\([%&_#$])", lambda found: {"_": "\0"}.get(found[1], found[1]), text)
        text = re.sub(r"[{}$]", "", _LATEX_COMMAND.sub("", text)).replace("~", " ").replace("\0", "_")
    text = re.sub(r"(\*\*|__|`|~~)(.+?)\1", r"\2", text.strip())
    text = re.sub(r"^\*([^*]+)\*$|^_([^_]+)_$", lambda found: found[1] or found[2], text)
    return re.sub(r"\s+", " ", text).strip()
