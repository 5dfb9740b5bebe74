"""ARFF, Weka's format: attributes, then one row per line."""

import re

from sentflow.errors import DataError
from sentflow.texts.formats.delimited import plain_lines
from sentflow.texts.formats.raw_file import RawFile
from sentflow.texts.formats.records import Records, numbered

_ATTRIBUTE = re.compile(r"\s*@attribute\s+(?:'(?P<quoted>[^']*)'|(?P<plain>\S+))\s", re.IGNORECASE)
# Possessive (*+), for nothing shorter would match: otherwise a long line without its last quote takes minutes
_FIELD = re.compile(r"""\s*+(?:'((?:[^'\\]|\\.)*+)'|"((?:[^"\\]|\\.)*+)"|([^,'"]*+))\s*+(,|\Z)""")


def read_arff(file: RawFile) -> Records:
    """The rows after ``@data``; blank lines and comments (%) may stand anywhere.

    Raises DataError: no ``@data``, no rows, or a row with another number of values than there are attributes.
    """
    header: list[str] = []
    rows: list[list[str]] = []
    in_data = False
    for number, line in enumerate(plain_lines(file.text()), start=1):
        if not line.strip() or line.lstrip().startswith("%"):
            continue
        if in_data:
            rows.append(_fields(line, f"{file.name}, line {number}", expected=len(header)))
        elif line.strip().lower() == "@data":
            in_data = True
        elif match := _ATTRIBUTE.match(line):
            header.append(match["quoted"] or match["plain"])
    if not in_data:
        raise DataError(f"{file.name}: no line @data. Is it an ARFF file?")
    if not rows:
        raise DataError(f"{file.name} is empty: no rows after @data.")
    columns: list[list[str] | None] = [[row[place] for row in rows] for place in range(len(header))]
    return Records(file.name, header, columns, numbered(len(rows)))


def _fields(line: str, where: str, *, expected: int) -> list[str]:
    found: list[str] = []
    position = 0
    while match := _FIELD.match(line, position):
        single, double, plain, end = match.groups()
        quoted = single if single is not None else double
        found.append(plain.strip() if quoted is None else re.sub(r"\\(.)", r"\1", quoted))
        position = match.end()
        if not end:
            break
    if position < len(line) or len(found) != expected:
        raise DataError(f"{where}: {len(found)} values, expected {expected}; or a quote is not closed.")
    return found
