"""How large the columns of a Parquet file are, by its end and by the headers of its pages.

The end may lie; a reader makes room for what the header of each page says. Both are read here and not by pyarrow, which
ends the whole process ("Aborted") where some numbers of a damaged end make no sense. Numbers of fields are those of
https://github.com/apache/parquet-format (parquet.thrift).
"""

from collections.abc import Callable
from mmap import mmap
from typing import Any

from sentflow.files.thrift import read_struct

_MAGIC = b"PAR1"
_LENGTH_BYTES = 4
_ROW_GROUPS = 4  # of FileMetaData
_COLUMNS, _ROWS = 1, 3  # of RowGroup
_METADATA = 3  # of ColumnChunk
# of ColumnMetaData
_NAMES, _VALUES, _UNPACKED, _PACKED, _DATA_PLACE, _DICTIONARY_PLACE = 3, 5, 6, 7, 9, 11
_PAGE_UNPACKED, _PAGE_PACKED = 2, 3  # of PageHeader


def largest_part(content: mmap, belongs: Callable[[str], bool]) -> int:
    """Bytes of the largest column of a row group, unpacked: nothing larger is unpacked at once.

    `belongs`: whether a column counts, by its path in the schema, e.g. ``answers.list.element``. Raises ValueError:
    the end of the file or a header is damaged.
    """
    try:
        groups: Any = _end(content)[_ROW_GROUPS]
        # of a part without rows nothing is read
        columns = [column[_METADATA] for group in groups if group[_ROWS] for column in group[_COLUMNS]]
        return max(
            (
                max(page_bytes(content, column), column[_UNPACKED], 2 * column[_VALUES])
                for column in columns
                if belongs(b".".join(column[_NAMES]).decode())
            ),
            default=0,
        )
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"its metadata or the header of a page is damaged ({error!r})") from error


def page_bytes(content: mmap, column: Any) -> int:
    """Bytes of the pages of one column in one row group, unpacked.

    `column`: what the end of the file says of it: a ``ColumnMetaData``, by field numbers. Raises IndexError, KeyError,
    TypeError, ValueError: a header is damaged.
    """
    place = column[_DATA_PLACE]
    if 0 < column.get(_DICTIONARY_PLACE, 0) < place:
        place = column[_DICTIONARY_PLACE]
    end = min(place + column[_PACKED], len(content))
    total = 0
    while 0 <= place < end:
        header: Any
        header, place = read_struct(content, place)
        total += max(0, header[_PAGE_UNPACKED])
        place += max(0, header[_PAGE_PACKED])
    return total


def _end(content: mmap) -> dict[int, Any]:
    """FileMetaData: before the last eight bytes, which hold its length and a magic word."""
    place = len(content) - len(_MAGIC) - _LENGTH_BYTES
    if place < 0 or content[-len(_MAGIC) :] != _MAGIC:
        raise ValueError("no end of a Parquet file")
    length = int.from_bytes(content[place : place + _LENGTH_BYTES], "little")
    if length > place:
        raise ValueError("its end is longer than the file")
    return read_struct(content, place - length)[0]
