"""Pairs of ASSIN's XML files: two sentences, how similar they are, and whether one follows from the other."""

from typing import Any

from sentflow.errors import DataError
from sentflow.texts.formats.raw_file import RawFile
from sentflow.texts.formats.records import Records, listed, numbered

_COLUMNS = ("t", "h", "similarity", "entailment")


def read_assin(file: RawFile) -> Records:
    """The ``pair`` elements of an ``entailment-corpus``; what an attribute says is as written.

    Returns
    -------
    Records
        Columns ``t`` and ``h`` (the sentences), ``similarity`` and ``entailment``.

    Raises
    ------
    DataError
        The file is no XML, declares a document type (which could define entities that grow without end, or name
        files of this machine), has no pairs, or pairs without similarity, entailment, t or h.
    """
    import xml.etree.ElementTree as ElementTree
    from xml.parsers import expat

    def refuse(*_: Any) -> None:
        raise DataError(f"{file.name} declares a document type; ASSIN files have none. It is not read.")

    builder = ElementTree.TreeBuilder()
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    try:
        parser.Parse(file.content(), True)
    except expat.ExpatError as error:
        raise DataError(f"{file.name} is not readable XML: {error}") from error
    return _pairs(file.name, list(builder.close().iter("pair")))


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
