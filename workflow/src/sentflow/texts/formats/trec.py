"""TREC's documents and topics: tags as in SGML, of which any may be missing, or stand inside each other."""

import html
import re
from collections.abc import Mapping, Sequence

from sentflow.errors import DataError
from sentflow.texts.formats.raw_file import RawFile
from sentflow.texts.formats.records import Records, listed, numbered

_DOCUMENT = re.compile(r"<DOC\s*>", re.IGNORECASE)
_END = re.compile(r"</DOC\s*>", re.IGNORECASE)
_NAME = re.compile(r"<DOCNO\s*>\s*([^<\s]+)\s*(?:</DOCNO\s*>)?", re.IGNORECASE)
_TITLES = ("TITLE", "HEADLINE", "HEAD", "HL", "TI")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")  # not every <: 3 < 4 is text
_TOPIC = re.compile(r"<(?:top|topic)\b[^<>]*>", re.IGNORECASE)
_FIELD = re.compile(r"<(num|title|desc|narr)\s*>", re.IGNORECASE)
_LABEL = re.compile(r"\s*(?:Number|Topic|Description|Narrative)\s*:", re.IGNORECASE)


def read_trec_documents(file: RawFile) -> Records:
    """Documents between ``<DOC>`` and ``</DOC>`` or the next ``<DOC>``; columns id (``DOCNO``), title and text.

    The title is the first of TITLE, HEADLINE, HEAD, HL, TI; the text is all of TEXT, or, without one, all but the
    identifier and the title. Tags inside are dropped, entities (``&amp;``) read, white space joined.
    """
    rows, nameless = [], []
    for number, part in enumerate(_DOCUMENT.split(file.text())[1:], start=1):
        body = _END.split(part, maxsplit=1)[0]
        name = _NAME.search(body)
        if name is None:
            nameless.append(str(number))
            continue
        rest = body[: name.start()] + body[name.end() :]
        titles = [tag for tag in _TITLES if _contents(tag, rest)]
        title = _contents(titles[0], rest)[0] if titles else ""
        texts = _contents("TEXT", rest) or [_without(titles[0], rest) if titles else rest]
        rows.append((name[1], _plain(title), _plain(" ".join(texts))))
    if nameless:
        raise DataError(f"{file.name}: no <DOCNO> in document {listed(nameless, limit=10)}.")
    if not rows:
        raise DataError(f"{file.name} is empty: no document (<DOC>).")
    return _records(file, ("id", "title", "text"), rows)


def read_trec_topics(file: RawFile) -> Records:
    """Topics; columns id, title, description, narrative and title_description.

    Fields end at the next one, whether they are closed or not; their labels (``Number:``, ``Description:``) are
    dropped, and zeros before a number, which judgements do not have.
    """
    rows, nameless = [], []
    for place, part in enumerate(_TOPIC.split(file.text())[1:], start=1):
        fields = _fields(part)
        number = fields.get("num", "")
        if not number:
            nameless.append(str(place))
            continue
        title, description = fields.get("title", ""), fields.get("desc", "")
        both = f"{title} {description}".strip()
        rows.append((number.lstrip("0") or "0", title, description, fields.get("narr", ""), both))
    if nameless:
        raise DataError(f"{file.name}: no <num> in topic {listed(nameless, limit=10)}.")
    if not rows:
        raise DataError(f"{file.name} is empty: no topic (<top>).")
    return _records(file, ("id", "title", "description", "narrative", "title_description"), rows)


def _contents(tag: str, body: str) -> list[str]:
    """What stands in each element of a tag; one that is not closed goes to the end."""
    starts = re.split(rf"<{tag}\b[^<>]*>", body, flags=re.IGNORECASE)[1:]
    return [re.split(rf"</{tag}\s*>", part, maxsplit=1, flags=re.IGNORECASE)[0] for part in starts]


def _without(tag: str, body: str) -> str:
    first = _contents(tag, body)[0]
    return body.replace(first, " ", 1)


def _fields(part: str) -> Mapping[str, str]:
    pieces = _FIELD.split(part)[1:]
    found: dict[str, str] = {}
    for name, content in zip(pieces[::2], pieces[1::2], strict=True):
        label = _LABEL.match(content)
        found.setdefault(name.lower(), _plain(content[label.end() :] if label else content))
    return found


def _plain(text: str) -> str:
    return " ".join(html.unescape(_TAG.sub(" ", text)).split())


def _records(file: RawFile, names: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Records:
    columns = [list(column) for column in zip(*rows, strict=True)]
    return Records(file.name, list(names), columns, numbered(len(rows)))
