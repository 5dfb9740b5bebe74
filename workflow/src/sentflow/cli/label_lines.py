"""The line ``labels:`` that a task lacks whose labels are words."""

import json
from pathlib import Path

from sentflow.texts.readers import Reader, read_rows

_MOST = 20  # of so many labels nobody wants a line


def labels_line(path: Path, reader: Reader) -> str:
    """The line to write, with the labels in the order of the alphabet; nothing where all are integers, or one is given.

    Parameters
    ----------
    path, reader
        The file, and how to read it.

    Raises
    ------
    DataError
        The file cannot be read.
    """
    if reader.labels:
        return ""
    found = sorted(set(read_rows(path, reader).labels))
    # an empty label is missing, and told as such
    words = [label for label in found if label.strip()]
    if len(words) < 2 or len(words) > _MOST or all(map(_is_integer, words)):
        return ""
    listed = ", ".join(json.dumps(label, ensure_ascii=False) for label in words)
    return f"Or with the labels of {path.name}, the first as class 0:\n  labels: [{listed}]"


def _is_integer(label: str) -> bool:
    try:
        int(label)
    except ValueError:
        return False
    return True
