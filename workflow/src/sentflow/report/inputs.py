"""What tables, figures, checks and the page are made of: files of results, read when somebody asks for them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

from sentflow.errors import DataError
from sentflow.files.rows import read_rows

Row = TypeVar("Row", bound="RowOfAFile")
Together = TypeVar("Together")


class RowOfAFile(Protocol):
    """A row that knows what the file of its kind is called, without ending."""

    FILE: ClassVar[str]


class Inputs:
    """Files of results, told apart by their names; each is read once.

    `files`: of ``summary/``, ``comparisons/``, ``similarity/`` and ``protocols/``. `published`: values of papers that
    a table shows beside ours, as the catalog has them.
    """

    def __init__(self, files: Sequence[Path] = ()) -> None:
        self.files = tuple(files)
        self.published: Sequence[Mapping[str, Any]] = ()
        self._found: dict[type, Any] = {}

    @classmethod
    def of(cls, results: Path) -> "Inputs":
        """The summaries and comparisons of a results folder."""
        folders = ("summary", "comparisons", "similarity", "retrieval")
        files = [file for folder in folders for file in sorted((results / folder).glob("*.*"))]
        return cls([file for file in files if file.suffix == ".parquet" or file.stem == "omnibus"])

    @classmethod
    def holding(cls, found: Mapping[type, Any]) -> "Inputs":
        """Inputs without files: the rows of each kind, and what is made of several files by its class."""
        inputs = cls()
        inputs._found.update(found)
        return inputs

    def quoting(self, published: Sequence[Mapping[str, Any]]) -> "Inputs":
        """The same, with values of papers."""
        inputs = Inputs(self.files)
        inputs.published, inputs._found = published, self._found
        return inputs

    def rows(self, kind: type[Row], *, may_be_empty: bool = False) -> list[Row]:
        """The rows of all files of a kind; a file that stands alone may have any name.

        Raises DataError: there is no such file, or it is not one of that kind, see `sentflow.files.rows.read_rows`.
        """
        if kind not in self._found:
            files = self._files(kind.FILE) or self.files[: len(self.files) == 1]
            if not files:
                self.refuse_missing([kind.FILE])
            self._found[kind] = [
                row for file in files for row in read_rows(file, kind, may_be_empty=may_be_empty)
            ]
        found: list[Row] = self._found[kind]
        return found

    def refuse_missing(self, stems: Sequence[str]) -> None:
        """Raise DataError where no file is called one of these names, without ending."""
        there = {file.stem for file in self.files}
        for stem in stems:
            if stem not in there:
                raise DataError(
                    f"there is no file {stem} among {', '.join(map(str, self.files))}. Give that of summary/ or "
                    "comparisons/, or one file alone: the data of the figure itself (docs/report.md)."
                )

    def has(self, kind: type[RowOfAFile]) -> bool:
        """Whether there is a file of a kind."""
        return kind in self._found or bool(self._files(kind.FILE))

    def rows_if_there(self, kind: type[Row]) -> list[Row]:
        """The rows of all files of a kind; none where there is no file."""
        return self.rows(kind, may_be_empty=True) if self.has(kind) else []

    def together(self, kind: type[Together]) -> Together:
        """What a class makes of several files: `kind.read` tells them apart by their names."""
        if kind not in self._found:
            self._found[kind] = kind.read(self.files)  # type: ignore[attr-defined]
        found: Together = self._found[kind]
        return found

    def _files(self, stem: str) -> tuple[Path, ...]:
        return tuple(file for file in self.files if (file.stem, file.suffix) == (stem, ".parquet"))
