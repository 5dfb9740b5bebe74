"""BEIR's folders: documents, questions and judgements as JSON lines, TSV or Parquet."""

from sentflow.errors import DataError
from sentflow.texts.formats.delimited import read_delimited
from sentflow.texts.formats.json_records import read_json_lines
from sentflow.texts.formats.parquet import read_parquet_columns
from sentflow.texts.formats.raw_file import RawFile
from sentflow.texts.formats.records import Column, Records

_IDS = ("_id", "id")
_TEXTS = (*_IDS, "title", "text")
_JUDGED = ("query-id", "corpus-id", "score")


def read_beir_texts(file: RawFile) -> Records:
    """Documents or questions; columns id, title (empty where the file has none) and text.

    The identifier is ``_id`` in JSON lines and ``id`` in most Parquet files; both are taken from either.
    """
    found = _read(file, _TEXTS)
    own = next((name for name in _IDS if name in found.header), None)
    if own is None or "text" not in found.header:
        columns = ", ".join(map(str, found.header))
        raise DataError(
            f'{file.name} has the columns {columns}; expected {{"_id": …, "title": …, "text": …}}.'
        )
    picked = found.pick({"id": own, "text": "text"})
    titles = found.pick({"title": "title"})["title"] if "title" in found.header else [""] * len(found)
    return Records(file.name, ["id", "title", "text"], [picked["id"], titles, picked["text"]], found.names)


def read_beir_judgements(file: RawFile) -> Records:
    """Judgements of a split; columns query-id, corpus-id and score."""
    found = _read(file, _JUDGED)
    picked = found.pick({name: name for name in _JUDGED})
    return Records(file.name, list(_JUDGED), list(picked.values()), found.names)


def _read(file: RawFile, wanted: tuple[Column, ...]) -> Records:
    if file.name.endswith(".parquet"):
        return read_parquet_columns(file.path, wanted)
    if file.name.endswith(".tsv"):
        return read_delimited(file, "\t", quoting=False)
    return read_json_lines(file, wanted, gaps=True)
