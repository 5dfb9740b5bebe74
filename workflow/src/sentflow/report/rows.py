"""What rows of summaries have in common: they say what data they are of."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, ClassVar, Protocol, TypeVar

from sentflow.config.model import Settings
from sentflow.errors import DataError

Row = TypeVar("Row")

SAMPLE_DATA = "sample data"
SAMPLE_NOTE = "Made from sample data: generated texts, so the numbers do not apply to real ones."


class DataRow(Protocol):
    """Whatever says what data it was made from."""

    @property
    def data_version(self) -> str:
        """What the texts are."""


class Stored:
    """A row of a file of that name, without ending."""

    FILE: ClassVar[str]

    def __init_subclass__(cls, file: str = "") -> None:
        cls.FILE = file or cls.FILE


@dataclass(frozen=True)
class MeasuredRow:
    """What the rows of all summaries of scores say: which encoder was measured, on what data."""

    model: str
    model_title: str
    is_control: bool
    data_version: str
    is_baseline: bool = False


def unique(values: Iterable[str]) -> list[str]:
    """Distinct values in the order of their first appearance."""
    return list(dict.fromkeys(values))


def grouped(rows: Iterable[Row], *names: str) -> dict[Any, list[Row]]:
    """Value of an attribute, or of several together, → its rows; both in the order of the rows."""
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(attrgetter(*names)(row), []).append(row)
    return groups


def titles_of(rows: Iterable[Any], name: str) -> dict[str, str]:
    """Value of an attribute of rows, say ``model``, → what people call it, of the attribute ``model_title``."""
    return {getattr(row, name): getattr(row, f"{name}_title") for row in rows}


def data_versions(rows: Iterable[DataRow]) -> list[str]:
    """Distinct data versions of the rows, in order of appearance; a row over several tasks joins theirs by ``; ``."""
    return unique(version for row in rows for version in row.data_version.split("; "))


def is_sample(version: str) -> bool:
    """Whether a data version says that the texts are made up, also as one of several versions."""
    return SAMPLE_DATA in version


def is_sample_data(rows: Iterable[DataRow]) -> bool:
    """Whether all texts are made up."""
    return all(is_sample(version) for version in data_versions(rows))


def data_note(rows: Sequence[DataRow]) -> str:
    """What the texts are; made-up texts are called so first and plainly."""
    versions = data_versions(rows)
    if is_sample_data(rows):
        return SAMPLE_NOTE
    if not any(is_sample(version) for version in versions):
        return f"Data: {'; '.join(versions)}."
    by_version = []
    for version in versions:
        tasks = unique(getattr(row, "task", "") for row in rows if row.data_version == version)
        of = ", ".join(filter(None, tasks))
        by_version.append(f"{version} ({of})" if of else version)
    return f"Partly made from sample data (generated texts). Data: {'; '.join(by_version)}."


def described(settings: Settings, section: str, name: str) -> Any:
    """What the settings of a job say of a task, encoder, pair set …."""
    entries: Mapping[str, Any] = getattr(settings, section)
    if name not in entries:
        raise DataError(
            f"there are results of {name!r}, but the settings under {section!r} know only: "
            f"{', '.join(entries) or 'nothing'}."
        )
    return entries[name]
