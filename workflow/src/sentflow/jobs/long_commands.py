"""Command lines that are too long for the operating system: their words come through a pipe, see ``python.sh``."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

_FROM = "@"


def words_of(argv: Sequence[str] | None) -> list[str]:
    """The words of a command line.

    Parameters
    ----------
    argv
        The words themselves, or a single one, ``@FILE``, for a file with each word and a zero byte behind it; None for
        those of this process.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    if len(words) != 1 or not words[0].startswith(_FROM):
        return words
    content = Path(words[0].removeprefix(_FROM)).read_bytes()
    return [os.fsdecode(word) for word in content.split(b"\0")[:-1]]
