"""Datasets, and what own files have in common: entries of the catalog."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path as FilePath
from pathlib import PurePosixPath
from typing import Annotated, Any, ClassVar

from pydantic import Field

from sentflow.config.model import (
    Count,
    DataVersion,
    Encoding,
    FileName,
    Homepage,
    Int,
    Language,
    LanguageIfKnown,
    Like,
    Maybe,
    Names,
    Note,
    Path,
    Settings,
    Several,
    Sha256,
    Text,
    Title,
)
from sentflow.errors import instead
from sentflow.files.archives.limits import without_ending

Files = Annotated[
    Names,
    Field(
        min_length=1,
        description="Names of files in the dataset, read one after the other. An archive (zip or tar) can be given "
        "instead of the one text file in it.",
    ),
]
OwnerAndName = Annotated[str, Field(pattern=r"^[^/\s]+/[^/\s]+\z")]
FROM_NETWORK = re.compile("(https?|mirror)://", re.IGNORECASE)
SAMPLES = "sample://"
"""What the address of a file of sample texts begins with; its path is one below ``catalog/samples``."""
GENERATED = "generated texts"
"""The source of all sample texts."""
# Ending of a file → settings of its reader
FORMAT_OF_ENDING: Mapping[str, Mapping[str, str]] = {
    ".csv": {"format": "csv"},
    ".tsv": {"format": "csv", "delimiter": "\t"},
    ".tab": {"format": "csv", "delimiter": "\t"},
    ".jsonl": {"format": "jsonl"},
    ".ndjson": {"format": "jsonl"},
    ".parquet": {"format": "parquet"},
}


class Checksum(Settings):
    """What the bytes of a file are."""

    sha256: Maybe[Sha256] = None
    """Needed for every file from the network."""
    bytes: Maybe[Count] = None
    """Size; another announced size is refused before the download."""


class File(Checksum):
    """A raw file: where it comes from and what its bytes are."""

    generator: Maybe[Text] = None
    """Name of a file of sample texts, which come with sentflow: what it imitates."""
    urls: Maybe[Several[Text]] = Field(None, min_length=1)
    """Addresses in the order to try: http(s) or file://, or a path of this machine (beside the configuration file or in
    the working folder). Mirrors are tried before them. A file without a public address is mirror://PATH, its place
    in a mirror.
    """
    members_sha256: Maybe[Sha256] = None
    """Of an archive, instead of sha256: SHA-256 over "path NUL SHA-256 newline" of each member, sorted by path."""
    members_under: Maybe[Text] = None
    """Folder whose members members_sha256 covers, wherever it is in the archive."""

    @property
    def has_checksum(self) -> bool:
        """Whether the content is known; only a file of this machine may do without."""
        return self.sha256 is not None or self.members_sha256 is not None

    def wrong(self) -> Iterator[tuple[str, str]]:
        if (self.members_sha256 is None) != (self.members_under is None):
            yield "", "members_sha256 and members_under belong together. Write both, or none."
        n_checksums = (self.sha256 is not None) + (self.members_sha256 is not None)
        if self.urls and any(FROM_NETWORK.match(url) for url in self.urls) and n_checksums != 1:
            yield (
                "",
                "a file from the network needs a checksum. Write sha256, or members_sha256 for an archive.",
            )


class Dataset(Settings):
    """What the data are and where their files come from."""

    title: Title
    files: dict[FileName, File] = Field(min_length=1)
    """Name of each raw file → where it comes from and what its bytes are."""
    seed: Maybe[Int] = Field(None, ge=0)
    """Number of the set of sample texts that files are from; of set 1 where another lacks one."""
    licence: Text
    """Terms of use, "not stated" where upstream gives none."""
    citation: Text
    """What to cite in a paper that uses the data, "none" where there is nothing."""
    language: LanguageIfKnown
    homepage: Maybe[Homepage] = None
    source: Maybe[Text] = None
    """What several datasets were made from, so that tests over tasks count them as one; itself if left out."""
    hub: Maybe[OwnerAndName] = None
    """Owner and name of the data on the Hugging Face hub, for exports; sentflow/<name> if left out."""
    note: Maybe[Note] = None

    def wrong(self) -> Iterator[tuple[Path, str]]:
        key = "urls" if self.seed is None else "generator"
        for name, file in self.files.items():
            if getattr(file, key) is None:
                yield (
                    ("files", name),
                    f"{key!r} is missing, {'addresses' if key == 'urls' else 'what is imitated'}.",
                )


def sample_files(name: str, entry: Mapping[str, Any], samples: FilePath) -> tuple[dict[str, Any], list[str]]:
    """A dataset of sample texts with the addresses of its files in the folder `samples`, and its problems."""
    problems, files = [], {}
    known = {path.stem: f"1/{path.name}" for path in samples.joinpath("1").glob("*.*")}
    known |= {
        path.stem: f"{entry['seed']}/{path.name}" for path in samples.joinpath(str(entry["seed"])).glob("*.*")
    }
    for file, settings in entry["files"].items():
        if (sample := settings["generator"]) not in known:
            problems.append(
                f"datasets.{name}.files.{file}.generator: there are no sample texts {sample!r}. "
                f"{instead(sample, sorted(known))}"
            )
        files[file] = {**settings, "urls": [SAMPLES + known.get(sample, sample)]}
    return {"source": GENERATED, **entry, "files": files}, problems


class OfDataset(Settings):
    """What entries say that are read from files of a dataset."""

    like: Maybe[Like] = None
    title: Title
    dataset: Text
    """Name of the dataset whose files it is read from."""
    language: Language
    data_version: DataVersion
    note: Maybe[Note] = None


class Counted(Settings):
    """How many rows there must be."""

    rows: Maybe[Count] = None
    """Number of rows (documents, questions, scored pairs) that there must be; another number is an error."""


class Checks(Settings):
    """What is checked of a table, and changes no byte of it."""

    files: dict[str, dict[str, Any]] = {}
    """Raw file → its entry in the catalog: what has a checksum there is verified again before it is read."""


class Written(Settings):
    """How a file of texts is written."""

    member: Maybe[Text] = None
    """Name of the file in an archive of several."""
    delimiter: str = Field(",", min_length=1, max_length=1)
    """Character between the columns of a CSV."""
    encoding: Encoding = "utf-8"
    quoting: bool = True
    """Whether double quotes enclose fields of a CSV; otherwise they belong to the text."""


class Table(Written):
    """How a file with columns is written."""

    header: bool = True
    """Whether the first line names the columns; otherwise they have numbers from 1."""


class OwnData(Settings):
    """What entries that name files of the user say of them."""

    title: Maybe[Text] = None
    """Name in tables and captions; the entry's name if left out."""
    data_version: Maybe[Text] = None
    """Description of the texts in every caption; the title if left out."""
    licence: Text = "not stated"
    """Terms of use."""
    citation: Text = "none"
    """What to cite."""
    note: Maybe[Note] = None


class OwnFile(Checksum, OwnData):
    """Entries of one file of the user, whose ending gives the format."""

    endings: ClassVar[Mapping[str, Mapping[str, str]]]

    file: Text
    """Path of the file, beside the configuration file or in the working folder, or an http(s) address."""
    format: Maybe[Text] = None
    """Format of the file, if its ending does not show it."""
    homepage: Maybe[Homepage] = None

    @classmethod
    def reader_of(cls, file: str) -> Mapping[str, str]:
        """Settings of a reader that the ending of a file tells; none for endings that are not among the known."""
        ending = PurePosixPath(without_ending(file.partition("?")[0])).suffix.lower()
        return cls.endings.get(ending, {})

    def wrong(self) -> Iterator[tuple[str | Path, str]]:
        yield from super().wrong()
        if self.sha256 is None and FROM_NETWORK.match(self.file):
            yield (
                "sha256",
                "a file from the network needs its checksum. Write sha256: <64 digits>, as sha256sum prints them.",
            )
        if self.format is None and not self.reader_of(self.file):
            formats = dict.fromkeys(reader["format"] for reader in self.endings.values())
            yield (
                "file",
                f"the ending of {PurePosixPath(self.file).name!r} is not that of a known format. Write format: "
                f"{', '.join(formats)} next to it; known endings are {', '.join(self.endings)}.",
            )
