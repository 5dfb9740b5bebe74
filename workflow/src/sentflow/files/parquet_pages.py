"""How large the pages of a Parquet file are, by their own headers.

The end of the file says it too, but may lie; a reader makes room for what the header of each page says. Headers are
structs of Thrift's compact protocol: https://github.com/apache/parquet-format, https://github.com/apache/thrift.
"""

from mmap import mmap
from typing import Any

_FALSE, _TRUE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = (
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
    12,
)
_UNCOMPRESSED, _COMPRESSED = 2, 3  # numbers of the fields of a page header
_DEPTH = 8  # structs inside each other; a page header has two


def page_bytes(content: mmap, column: Any) -> int:
    """Bytes of the pages of one column in one row group, unpacked.

    Parameters
    ----------
    content
        The whole file.
    column
        What the end of the file says of it: a ``ColumnChunkMetaData``.

    Raises
    ------
    ValueError
        A header is damaged.
    """
    place = column.data_page_offset
    if column.has_dictionary_page and 0 < column.dictionary_page_offset < place:
        place = column.dictionary_page_offset
    end = min(place + column.total_compressed_size, len(content))
    total = 0
    try:
        while 0 <= place < end:
            fields: dict[int, int] = {}
            place = _struct(content, place, fields, depth=0)
            total += max(0, fields[_UNCOMPRESSED])
            place += max(0, fields[_COMPRESSED])
    except (IndexError, KeyError, ValueError) as error:
        raise ValueError(f"the header of a page is damaged ({type(error).__name__})") from error
    return total


def _struct(content: mmap, place: int, fields: dict[int, int], *, depth: int) -> int:
    """Where a struct ends; its whole numbers go into `fields`."""
    if depth > _DEPTH:
        raise ValueError("too deep")
    number = 0
    while head := content[place]:
        place += 1
        kind, step = head & 0x0F, head >> 4
        if step:
            number += step
        else:
            zigzag, place = _varint(content, place)
            number = (zigzag >> 1) ^ -(zigzag & 1)
        if kind in (_I16, _I32, _I64):
            zigzag, place = _varint(content, place)
            fields[number] = (zigzag >> 1) ^ -(zigzag & 1)
        else:
            place = _skipped(content, place, kind, depth=depth)
    return place + 1


def _skipped(content: mmap, place: int, kind: int, *, depth: int, in_list: bool = False) -> int:
    if kind in (_FALSE, _TRUE):
        return place + in_list
    if kind == _BYTE:
        return place + 1
    if kind == _DOUBLE:
        return place + 8
    if kind in (_I16, _I32, _I64):
        return _varint(content, place)[1]
    if kind == _BINARY:
        length, place = _varint(content, place)
        return place + length
    if kind == _STRUCT:
        return _struct(content, place, {}, depth=depth + 1)
    if kind in (_LIST, _SET) and depth <= _DEPTH:
        head, place = content[place], place + 1
        n_items, kind = head >> 4, head & 0x0F
        if n_items == 15:
            n_items, place = _varint(content, place)
        for _ in range(min(n_items, len(content))):
            place = _skipped(content, place, kind, depth=depth + 1, in_list=True)
        return place
    raise ValueError("no such type, or nested too deep")


def _varint(content: mmap, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = content[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return value, place
        if shift > 63:
            raise ValueError("a number is too long")
