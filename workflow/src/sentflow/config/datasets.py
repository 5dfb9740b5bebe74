"""Datasets, and what own files have in common: entries of the catalog."""

import re
from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from sentflow.config.model import (
    Count,
    FileName,
    Homepage,
    Int,
    LanguageIfKnown,
    Maybe,
    Note,
    Path,
    Settings,
    Several,
    Sha256,
    Text,
    Title,
)

OwnerAndName = Annotated[str, Field(pattern=r"^[^/\s]+/[^/\s]+\z")]
FROM_NETWORK = re.compile("(https?|mirror)://", re.IGNORECASE)


class Checksum(Settings):
    """What the bytes of a file are."""

    sha256: Maybe[Sha256] = Field(
        None,
        description="SHA-256 of the file. Needed for every file from the network; without it a local file "
        "is used as it is.",
    )
    bytes: Maybe[Count] = Field(
        None, description="Size of the file; another announced size is refused before the download."
    )


class File(Checksum):
    """A raw file: where it comes from and what its bytes are."""

    generator: Maybe[Text] = Field(
        None,
        description="Official task or pair set whose shape the sample-data generator imitates, file of its "
        "collection of laws, or file of texts to train on; the file is written, not downloaded.",
    )
    urls: Maybe[Several[Text]] = Field(
        None,
        min_length=1,
        description="Addresses in the order to try: http(s) or file://, or a path of this machine (relative"
        " to the working folder). Mirrors are tried before them. A file without a public address is "
        "mirror://PATH, its place in a mirror.",
    )
    members_sha256: Maybe[Sha256] = Field(
        None,
        description="Instead of sha256, for an archive that several places pack differently: SHA-256 over "
        'one line "path NUL SHA-256 newline" per member below the folder members_under, sorted by path.',
    )
    members_under: Maybe[Text] = Field(
        None, description="Folder whose members members_sha256 covers, wherever it is in the archive."
    )

    def wrong(self) -> Iterator[tuple[str, str]]:
        """Whether the content of a file from the network is known."""
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
    files: dict[FileName, File] = Field(
        min_length=1, description="Name of each raw file → where it comes from and what its bytes are."
    )
    seed: Maybe[Int] = Field(
        None,
        ge=0,
        description="Seed of the sample-data generator, which then writes every file; another seed gives "
        "other texts.",
    )
    licence: Text = Field(description='Terms of use, "not stated" where upstream gives none.')
    citation: Text = Field(
        description='What to cite in a paper that uses the data, "none" where there is nothing.'
    )
    language: LanguageIfKnown
    homepage: Maybe[Homepage] = None
    source: Maybe[Text] = Field(
        None,
        description="What several datasets were made from; their tasks then count as of one source in tests"
        " over tasks. The dataset itself if left out.",
    )
    hub: Maybe[OwnerAndName] = Field(
        None,
        description="Owner and name of the data on the Hugging Face hub, for exports; sentflow/<name> if "
        "left out.",
    )
    note: Maybe[Note] = None

    def wrong(self) -> Iterator[tuple[Path, str]]:
        """Whether every file is written by the generator, or comes from somewhere."""
        key = "urls" if self.seed is None else "generator"
        for name, file in self.files.items():
            if getattr(file, key) is None:
                yield (
                    ("files", name),
                    f"{key!r} is missing, {'addresses' if key == 'urls' else 'what is imitated'}.",
                )


class OwnData(Settings):
    """What entries that name files of the user say of them."""

    title: Maybe[Text] = Field(
        None, description="Name for tables and captions; the name of the entry if left out."
    )
    data_version: Maybe[Text] = Field(
        None, description="What the texts are, in every table and figure; the title if left out."
    )
    licence: Text = Field("not stated", description='Terms of use, "not stated" if left out.')
    citation: Text = Field("none", description="What to cite, none if left out.")
    note: Maybe[Note] = None
