"""Pairs of ASSIN's XML files: two sentences, how similar they are, and whether one follows from the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sentflow.errors import DataError


@dataclass(frozen=True)
class AssinPair:
    """One ``pair`` of an ``entailment-corpus``; what an attribute says is as written."""

    text_a: str
    text_b: str
    similarity: str
    entailment: str


def read_assin(path: Path) -> list[AssinPair]:
    """The pairs of a file, in its order.

    Raises
    ------
    DataError
        The file is no XML, declares a document type (which could define entities that grow without end, or name
        files of this machine), has no pairs, or pairs without similarity, entailment, t or h.
    """
    import xml.etree.ElementTree as ElementTree
    from xml.parsers import expat

    def refuse(*_: Any) -> None:
        raise DataError(f"{path.name} declares a document type; ASSIN files have none. It is not read.")

    builder = ElementTree.TreeBuilder()
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    try:
        parser.Parse(path.read_bytes(), True)
    except expat.ExpatError as error:
        raise DataError(f"{path.name} is not readable XML: {error}") from error
    return _pairs(path, list(builder.close().iter("pair")))


def _pairs(path: Path, elements: Sequence[Any]) -> list[AssinPair]:
    if not elements:
        raise DataError(f"{path.name} is empty: it has no element pair.")
    found = [
        (pair.findtext("t"), pair.findtext("h"), pair.get("similarity"), pair.get("entailment"))
        for pair in elements
    ]
    if odd := [str(row) for row, parts in enumerate(found, start=1) if None in parts]:
        listed = ", ".join(odd[:10]) + (f" and {len(odd) - 10} more" if len(odd) > 10 else "")
        raise DataError(f"{path.name}: no similarity, entailment, t or h in pair {listed}.")
    return [AssinPair(*parts) for parts in found]
