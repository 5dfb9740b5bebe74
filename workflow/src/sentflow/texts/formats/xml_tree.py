"""XML as a tree, without what XML can do to a machine."""

from typing import Any

from sentflow.errors import DataError
from sentflow.texts.formats.raw_file import RawFile


def xml_root(file: RawFile) -> Any:
    """The root element of a file; names keep their prefixes.

    Raises DataError: the file is no XML, or declares a document type, which could define entities that grow without
    end, or name files of this machine.
    """
    import xml.etree.ElementTree as ElementTree
    from xml.parsers import expat

    def refuse(*_: Any) -> None:
        raise DataError(
            f"{file.name} declares a document type; files of this format have none. It is not read."
        )

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
    return builder.close()
