"""What the table of training data depends on: its sources and how they are read, which rows stay, what is checked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sentflow.texts.pair_readers import PairReader
from sentflow.texts.preparation import picked_settings, verified_files
from sentflow.training.data.reader import Rows, TrainingReader, read_pairs_as_rows

FileEntries = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class TrainingSource:
    """Files of one dataset, and how to read them.

    Attributes
    ----------
    dataset
        Name of the folder that holds its raw files.
    where
        Place of the reader, for messages.
    reader
        Of files with columns, or of a pair set.
    """

    dataset: str
    where: str
    reader: TrainingReader | PairReader

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], *, data: str) -> "TrainingSource":
        """A source as `sentflow.training.data.sources.sources_of` gives it; see `TrainingReader.from_settings`."""
        where = f"{settings['where'] or f'training_data.{data}'}.reader"
        reader: TrainingReader | PairReader
        if "pairs" in settings:
            reader = PairReader.from_settings(settings["pairs"], where=where)
        else:
            reader = TrainingReader.from_settings(settings["rows"], where=where)
        return cls(settings["dataset"], where, reader)

    def batches(
        self, raw_files: Sequence[Path], files: FileEntries, *, unscored: bool, rows: int
    ) -> Iterator[Rows]:
        """The rows of its files, which are found by folder and name and verified; see `TrainingReader.batches`."""
        given = [path for path in raw_files if path.parent.name == self.dataset]
        if isinstance(self.reader, PairReader):
            paths = verified_files(self.reader.file_names(), given, files, where=self.where)
            yield read_pairs_as_rows(paths, self.reader, unscored=unscored)
        else:
            paths = verified_files(self.reader.records.files, given, files, where=self.where)
            yield from self.reader.batches(paths, where=self.where, rows=rows)

    @property
    def labels(self) -> Mapping[str, int]:
        """Label as written → class."""
        return {} if isinstance(self.reader, PairReader) else self.reader.labels


@dataclass(frozen=True)
class TrainingDataSettings:
    """The part of a catalog entry that its table depends on, and what is checked on the way.

    Attributes
    ----------
    form
        Of `FORMS`.
    sources
        Read one after the other; none where rows come from corpora and question sets.
    nli
        How rows with labels of inference are made triplets or pairs; see `sentflow.training.data.nli`.
    unscored
        Whether pairs of pair sets that nobody scored are taken, too.
    least_characters
        Rows with a shorter text are left out.
    drop_repeated
        Whether rows that are equal to an earlier one are left out.
    limit
        At most so many rows, the first ones.
    shuffled_positives
        Seed; gives each row the other text of another row, as a control without meaning.
    rows
        Expected number of rows, or None. Changes no byte, as does the next.
    files
        Dataset → name → catalog entry of raw files: what has a checksum there is verified again before it is read.
    """

    form: str
    sources: tuple[TrainingSource, ...] = ()
    nli: str | None = None
    unscored: bool = False
    least_characters: int = 1
    drop_repeated: bool = False
    limit: int | None = None
    shuffled_positives: int | None = None
    rows: int | None = None
    files: Mapping[str, FileEntries] = field(default_factory=dict)

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], *, data: str) -> "TrainingDataSettings":
        """Pick the settings out of an entry with its sources written out; its other keys are not this stage's.

        Raises
        ------
        ConfigError
            A key is missing, or has a value that does not fit.
        """
        picked = picked_settings(cls, settings, where=f"training_data.{data}")
        picked["sources"] = tuple(
            TrainingSource.from_settings(source, data=data) for source in settings.get("sources", ())
        )
        return cls(**picked)

    @property
    def labels(self) -> Mapping[str, int]:
        """Label as written → class; empty where labels are classes already."""
        return self.sources[0].labels if self.sources else {}
