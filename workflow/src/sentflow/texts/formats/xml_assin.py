"""Pairs of ASSIN's XML files: two sentences, how similar they are, and whether one follows from the other."""

from typing import Any

from sentflow.errors import DataError
from sentflow.texts.formats.raw_file import RawFile
from sentflow.texts.formats.records import Records, listed, numbered
from sentflow.texts.formats.xml_tree import xml_root

_COLUMNS = ("t", "h", "similarity", "entailment")


def read_assin(file: RawFile) -> Records:
    """The ``pair`` elements of an ``entailment-corpus``; what an attribute says is as written.

    Returns: columns ``t`` and ``h`` (the sentences), ``similarity`` and ``entailment``.
    """
    return _pairs(file.name, list(xml_root(file).iter("pair")))


def _pairs(name: str, elements: list[Any]) -> Records:
    if not elements:
        raise DataError(f"{name} is empty: it has no element pair.")
    rows = [
        (pair.findtext("t"), pair.findtext("h"), pair.get("similarity"), pair.get("entailment"))
        for pair in elements
    ]
    if odd := [str(row) for row, parts in enumerate(rows, start=1) if None in parts]:
        raise DataError(f"{name}: no similarity, entailment, t or h in pair {listed(odd, limit=10)}.")
    return Records(name, _COLUMNS, [list(column) for column in zip(*rows, strict=True)], numbered(len(rows)))
