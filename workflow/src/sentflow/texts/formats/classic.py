"""Files of classic test collections: SMART, records that end with a slash, columns between spaces, and TREC."""

import html
import re
from collections.abc import Mapping, Sequence

from sentflow.errors import DataError, listed
from sentflow.texts.formats.raw import Column, RawFile, Records, numbered, records_of

_FIELD = re.compile(r"^\.([A-Z])(?:\s+(\S+))?\s*$")
_NUMBER = re.compile(r"^\s*(\d+)\s*$")
_NAMED = {"I": "id", "T": "title", "A": "author", "B": "source", "W": "text"}


def read_smart(file: RawFile) -> Records:
    """SMART's form: a record starts with ``.I number``; ``.T``, ``.A``, ``.B``, ``.W`` start fields of several lines.

    Lines of a field are joined by spaces. Columns: id, title, author, source, text, and order, the number of the
    record from 1, for files whose judgements count records instead of naming them. A last ``.I`` without a number is
    left out.

    Raises DataError: no record; a field before the first record; a field that is not one of these.
    """
    rows: list[dict[str, list[str]]] = []
    lines: list[str] | None = None
    for number, line in enumerate(file.text().splitlines(), start=1):
        field = _FIELD.match(line)
        if field is None:
            if lines is None and line.strip():
                raise DataError(
                    f"{file.name}, line {number}: {line[:40]!r} stands before the first record (.I)."
                )
            if lines is not None:
                lines.append(line.strip())
            continue
        name = _NAMED.get(field[1])
        if name is None:
            known = ", ".join(f".{key}" for key in _NAMED)
            raise DataError(f"{file.name}, line {number}: there is no field .{field[1]}. Known: {known}.")
        if name == "id":
            if field[2] is None:
                lines = []
                continue
            rows.append({"id": [field[2]]})
            lines = []
            continue
        if not rows:
            raise DataError(f"{file.name}, line {number}: a field before the first record (.I).")
        lines = rows[-1].setdefault(name, [])
    if not rows:
        raise DataError(f"{file.name} is empty: no record (.I).")
    columns = {
        name: [" ".join(filter(None, row.get(name, []))) for row in rows] for name in _NAMED.values()
    } | {"order": numbered(len(rows))}
    return Records(file.name, [*columns], [*columns.values()], numbered(len(rows)))


def read_slashed(file: RawFile) -> Records:
    """Records of a number on a line of its own, lines of text, and a line with a slash; columns id and text."""
    rows: list[tuple[str, str]] = []
    records: list[list[str]] = [[]]
    for line in file.text().split("\n"):
        if line.strip() == "/":
            records.append([])
        else:
            records[-1].append(line)
    for number, record in enumerate(records, start=1):
        lines = [line.strip() for part in record for line in part.splitlines() if line.strip()]
        if not lines:
            continue
        first = _NUMBER.match(lines[0])
        if first is None:
            raise DataError(f"{file.name}, record {number}: {lines[0][:40]!r} is no number.")
        rows.append((first[1], " ".join(lines[1:])))
    return records_of(file.name, ("id", "text"), rows, what="a record that ends with a line '/'")


def read_spaced(file: RawFile, names: Sequence[str]) -> Records:
    """Lines of fields between spaces or tabs, as TREC's judgements have them; blank lines are skipped.

    `names`: of its columns, in their order; every line has as many.
    """
    rows = [(number, line.split()) for number, line in enumerate(file.text().splitlines(), 1) if line.strip()]
    if not rows:
        raise DataError(f"{file.name} is empty: no rows.")
    if odd := [f"{number} ({len(row)})" for number, row in rows if len(row) != len(names)]:
        raise DataError(
            f"{file.name}: expected {len(names)} fields per line ({' '.join(names)}), found another number in line "
            f"{listed(odd, limit=10)}."
        )
    header: list[Column] = [*names]
    columns = [[row[place] for _, row in rows] for place in range(len(names))]
    return Records(file.name, header, columns, [str(number) for number, _ in rows])


_DOCUMENT = re.compile(r"<DOC\s*>", re.IGNORECASE)
_END = re.compile(r"</DOC\s*>", re.IGNORECASE)
_NAME = re.compile(r"<DOCNO\s*>\s*([^<\s]+)\s*(?:</DOCNO\s*>)?", re.IGNORECASE)
_TITLES = ("TITLE", "HEADLINE", "HEAD", "HL", "TI")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")  # not every <: 3 < 4 is text
_TOPIC = re.compile(r"<(?:top|topic)\b[^<>]*>", re.IGNORECASE)
_TREC_FIELD = re.compile(r"<(num|title|desc|narr)\s*>", re.IGNORECASE)
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
    return records_of(file.name, ("id", "title", "text"), rows, what="a document (<DOC>)")


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
    names = ("id", "title", "description", "narrative", "title_description")
    return records_of(file.name, names, rows, what="a topic (<top>)")


def _contents(tag: str, body: str) -> list[str]:
    """What stands in each element of a tag; one that is not closed goes to the end."""
    starts = re.split(rf"<{tag}\b[^<>]*>", body, flags=re.IGNORECASE)[1:]
    return [re.split(rf"</{tag}\s*>", part, maxsplit=1, flags=re.IGNORECASE)[0] for part in starts]


def _without(tag: str, body: str) -> str:
    first = _contents(tag, body)[0]
    return body.replace(first, " ", 1)


def _fields(part: str) -> Mapping[str, str]:
    pieces = _TREC_FIELD.split(part)[1:]
    found: dict[str, str] = {}
    for name, content in zip(pieces[::2], pieces[1::2], strict=True):
        label = _LABEL.match(content)
        found.setdefault(name.lower(), _plain(content[label.end() :] if label else content))
    return found


def _plain(text: str) -> str:
    return " ".join(html.unescape(_TAG.sub(" ", text)).split())
