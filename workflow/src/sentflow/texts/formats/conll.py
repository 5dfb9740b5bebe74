"""An archive of documents whose tokens stand one in a line, as corpora of named entities are published."""

import re

from sentflow.errors import DataError
from sentflow.files.archives.members import member_names, read_members
from sentflow.texts.decoding import decode
from sentflow.texts.formats.raw_file import RawFile
from sentflow.texts.formats.records import Records, numbered

_ENDING = ".conll"
_BEFORE = re.compile(r" ([.,;:!?)\]”])")
_AFTER = re.compile(r"([(\[“]) ")


def read_conll_archive(file: RawFile) -> Records:
    """The documents of a zip or tar: columns document (name of the member, without its ending) and text.

    The first field of a line is a token; tokens are joined by spaces, but none stands before a mark that ends
    something, or after one that opens it. How words stood in lines is not known any more.
    """
    names = [name for name in member_names(file.path) if name.endswith(_ENDING)]
    if not names:
        raise DataError(f"{file.name}: the archive holds no member {_ENDING}.")
    texts = []
    for name, content in read_members(file.path, names):
        lines = decode(content, file.encoding, where=f"{file.name}, {name}").splitlines()
        texts.append(_joined([line.split()[0] for line in lines if line.split()]))
    documents = [name.removesuffix(_ENDING) for name in names]
    return Records(file.name, ["document", "text"], [documents, texts], numbered(len(names)))


def _joined(tokens: list[str]) -> str:
    return _AFTER.sub(r"\1", _BEFORE.sub(r"\1", " ".join(tokens)))
