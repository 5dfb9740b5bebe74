"""Labels as they are written → classes."""

from collections.abc import Mapping, Sequence

from sentflow.errors import DataError
from sentflow.texts.checks import named
from sentflow.training.data.reader import Rows

_LONGEST_NUMBER = 3  # digits of a class


def classes_of(data: str, rows: Rows, labels: Mapping[str, int]) -> list[int]:
    """The class of each row. Raises DataError: a label is none of the classes; names the rows."""
    written = rows.columns["label"]
    found = [labels.get(label) if labels else _number(label) for label in written]
    odd = [
        f"{name} ({label[:20]!r})"
        for name, label, known in zip(rows.names, written, found, strict=True)
        if known is None
    ]
    if odd:
        known = (
            f"one of {', '.join(map(repr, labels))}"
            if labels
            else f"a number of at most {_LONGEST_NUMBER} digits"
        )
        raise DataError(
            f"training_data.{data}: the label is not {known} in {named(odd)}. Write it in reader.labels, or in "
            "reader.missing if such rows are to be left out."
        )
    return [one for one in found if one is not None]


def class_names(labels: Mapping[str, int], classes: Sequence[int]) -> list[str]:
    """The label of each class; the first, where several are one class."""
    first: dict[int, str] = {}
    for label, number in labels.items():
        first.setdefault(number, str(label))
    return [first.get(number, str(number)) for number in range(max([*first, *classes]) + 1)]


def _number(label: str) -> int | None:
    is_number = label.isascii() and label.isdecimal() and len(label) <= _LONGEST_NUMBER
    return int(label) if is_number else None
