"""What an archive from outside may hold: members with names that stay inside. How much it may hold is in `limits`.

Standard library only, and little of it: the Snakefile imports this module in every job.
"""

import posixpath
import re
from dataclasses import dataclass

ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")


@dataclass(frozen=True)
class Member:
    """One entry of an archive."""

    name: str  # as the archive writes it
    size: int  # bytes, unpacked
    is_folder: bool  # whether it is a folder, which has no content
    fault: str | None  # what is wrong with it, as the end of a sentence; None for a good one


def is_archive_name(name: str) -> bool:
    """Whether a file of this name ought to be an archive."""
    return name.lower().endswith(ENDINGS)


def without_ending(name: str) -> str:
    """The name without the ending of an archive: ``a.csv.zip`` and ``a.csv.tar.gz`` give ``a.csv``."""
    ending = max((ending for ending in ENDINGS if name.lower().endswith(ending)), key=len, default="")
    return name[: len(name) - len(ending)]


def name_fault(name: str) -> str | None:
    """What is wrong with the name of a member: it leaves the folder of the archive, or is none."""
    parts = re.split(r"[/\\]", name)
    if not name or "\0" in name:
        return "has no valid name"
    if parts[0] == "" or re.match(r"[A-Za-z]:", name):
        return "has an absolute path"
    if ".." in parts:
        return "leads out of its folder"
    return None


def place(name: str) -> str:
    """The path that a name means: ``a``, ``./a`` and ``a/`` would all lie at the same place."""
    return posixpath.normpath(name.replace("\\", "/"))
