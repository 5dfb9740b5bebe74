"""Structs of Thrift's compact protocol, as far as Parquet files need them: https://github.com/apache/thrift.

Every step goes at least a byte on, and no list is longer than the bytes behind it, so reading ends with the file.
"""

from mmap import mmap
from typing import TypeAlias

# Whole numbers and truths are int, texts bytes, lists list, structs dict by field number; floats and maps are not read.
Value: TypeAlias = "int | bytes | list[Value] | dict[int, Value] | None"

_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = (*range(1, 11), 12)
_DEPTH = 12  # structs and lists inside each other; the end of a Parquet file has eight


def read_struct(content: bytes | mmap, place: int, *, depth: int = 0) -> tuple[dict[int, Value], int]:
    """The fields of a struct by their numbers, and where it ends.

    `place`: where the struct begins. Raises IndexError, ValueError: it is damaged, or ends after the file does.
    """
    if depth > _DEPTH:
        raise ValueError("nested too deep")
    fields: dict[int, Value] = {}
    number = 0
    while head := content[place]:
        place += 1
        kind, step = head & 0x0F, head >> 4
        if step:
            number += step
        else:
            number, place = _number(content, place)
        if kind in (_TRUE, _FALSE):  # a field has its truth in its type, an item of a list a byte of its own
            fields[number] = int(kind == _TRUE)
        else:
            fields[number], place = _value(content, place, kind, depth=depth + 1)
    return fields, place + 1


def _value(content: bytes | mmap, place: int, kind: int, *, depth: int) -> tuple[Value, int]:
    if kind in (_TRUE, _FALSE, _BYTE):
        return content[place], place + 1
    if kind in (_I16, _I32, _I64):
        return _number(content, place)
    if kind == _DOUBLE:
        return None, place + 8
    if kind == _BINARY:
        length, place = _varint(content, place)
        if length > len(content) - place:
            raise ValueError("a text is longer than the file")
        return content[place : place + length], place + length
    if kind == _STRUCT:
        return read_struct(content, place, depth=depth)
    if kind in (_LIST, _SET) and depth <= _DEPTH:
        return _list(content, place, depth=depth)
    raise ValueError("no such type, or nested too deep")


def _list(content: bytes | mmap, place: int, *, depth: int) -> tuple[list[Value], int]:
    head, place = content[place], place + 1
    n_items, kind = head >> 4, head & 0x0F
    if n_items == 15:
        n_items, place = _varint(content, place)
    if n_items > len(content) - place:
        raise ValueError("a list is longer than the file")
    items = []
    for _ in range(n_items):
        item, place = _value(content, place, kind, depth=depth + 1)
        items.append(item)
    return items, place


def _number(content: bytes | mmap, place: int) -> tuple[int, int]:
    zigzag, place = _varint(content, place)
    return (zigzag >> 1) ^ -(zigzag & 1), place


def _varint(content: bytes | mmap, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = content[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return value, place
        if shift > 63:
            raise ValueError("a number is too long")
