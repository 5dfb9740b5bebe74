"""The same files under another name, without the room of a copy."""

import shutil
from pathlib import Path

from sentflow.jobs.lifeline import refuse_orphan


def link_files(folder: Path, target: Path) -> None:
    """Hard links to the files of a folder, or copies where the file system has none."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            place = target / path.relative_to(folder)
            refuse_orphan()
            place.parent.mkdir(parents=True, exist_ok=True)
            try:
                place.hardlink_to(path)
            except OSError:
                shutil.copyfile(path, place)
