"""An archive with one folder of text files per label."""

from pathlib import Path, PurePosixPath

from sentflow.errors import DataError
from sentflow.files.archives.members import members_under, read_members
from sentflow.texts.decoding import decode
from sentflow.texts.formats.records import Records, listed

_LONGEST_NUMBER = 18  # digits; what is longer is a name like any other


def read_text_folders(path: Path, root: str, *, encoding: str) -> Records:
    """Each file is one text, stripped of outer white space, in the order of folders and of the numbers in names.

    Returns: columns ``text``, ``folder`` and ``name`` (of the file, without its ending).
    """
    try:
        found = members_under(path, root)
        paths = {PurePosixPath(below_root): member for below_root, member in found.items()}
        if odd := [str(below) for below in paths if len(below.parts) != 2 or below.suffix != ".txt"]:
            raise DataError(f"{listed(map(repr, odd))} in {root} is not of the form <label>/<name>.txt")
        ordered = sorted(paths, key=lambda below: (below.parts[0], _natural(below.stem)))
        contents = list(read_members(path, [paths[below] for below in ordered]))
    except DataError as error:
        raise DataError(f"{path.name}: {error}") from error
    texts = [
        decode(content, encoding, where=f"{path.name}, {member}").strip() for member, content in contents
    ]
    folders, names = [below.parts[0] for below in ordered], [below.stem for below in ordered]
    return Records(path.name, ("text", "folder", "name"), (texts, folders, names), list(map(str, ordered)))


def _natural(stem: str) -> tuple[bool, int, str]:
    """Sort key: numbers by value, before all other names."""
    is_number = stem.isdecimal() and len(stem) <= _LONGEST_NUMBER
    return (False, int(stem), stem) if is_number else (True, 0, stem)
