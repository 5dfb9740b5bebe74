"""JSON and YAML: lines, lists, nested records of published collections, conversations, and BEIR's folders."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import yaml

from sentflow.errors import DataError, listed
from sentflow.files.io import has_half, parse_json
from sentflow.texts.formats.delimited import delimited_batches
from sentflow.texts.formats.raw import (
    Column,
    RawFile,
    Records,
    parquet_batches,
    records_of,
    typed_records,
)

Object = Mapping[str, Any]


def read_json_lines(
    file: RawFile, wanted: Iterable[Column | None], *, gaps: bool = False, joined: str | None = None
) -> Records:
    """One JSON object per line; blank lines are skipped. See `read_json_list`."""
    return _records(file.name, list(json_objects(file)), wanted, gaps=gaps, joined=joined)


def json_line_batches(
    file: RawFile, wanted: Iterable[Column | None], *, joined: str | None = None, rows: int
) -> Iterator[Records]:
    """The objects of `read_json_lines` with gaps, of which `rows` at a time are in memory.

    A key that a batch lacks is empty in all its rows. Keys that no object has are missing in the header of the last,
    which has no rows, so that picking them is refused.
    """
    names = [str(column) for column in wanted if column is not None]
    objects, header, done = json_objects(file), dict.fromkeys(names, False), 0
    while batch := list(islice(objects, rows)):
        values = {name: [_value_at(found, name) for found in batch] for name in names}
        header |= {name: True for found in batch for name in found}
        header |= {name: True for name, cells in values.items() if any(present for present, _ in cells)}
        columns = {name: [value for _, value in cells] for name, cells in values.items()}
        yield typed_records(file.name, [*header], columns, joined=joined, after=done)
        done += len(batch)
    if not done:
        raise DataError(f"{file.name} is empty: it holds no object.")
    found = [name for name, is_there in header.items() if is_there]
    yield Records(file.name, found, [[] for _ in found], [])


def json_objects(file: RawFile) -> Iterator[Object]:
    """The objects of JSON lines."""
    # lines end at line feeds only: JSON may hold other characters that Python counts as line ends
    for number, line in enumerate(file.lines(), start=1):
        if not line.strip():
            continue
        try:
            found = parse_json(line)
            if not isinstance(found, dict):
                raise ValueError(f'{type(found).__name__}, not an object like {{"text": …}}')
        except ValueError as error:
            raise DataError(
                f"{file.name}, line {number}: {error}. Each line must be one JSON object (JSON line by line); a file "
                "that is one JSON list is rewritten by pandas.read_json(file).to_json(new_file, orient='records', "
                "lines=True)."
            ) from error
        yield found


def read_json_list(
    file: RawFile, wanted: Iterable[Column | None], *, gaps: bool = False, joined: str | None = None
) -> Records:
    """One list of JSON objects.

    `wanted`: names of the columns to read; ``a.b`` is the key b of the object at a, unless there is a key a.b. `gaps`:
    whether a key that an object does not have is empty there, as null is; otherwise it is an error.
    """
    try:
        found = parse_json(file.text())
    except ValueError as error:
        raise DataError(f"{file.name}: {error}. Is it JSON (json), or JSON line by line (jsonl)?") from error
    if not isinstance(found, list):
        raise DataError(f"{file.name}: {type(found).__name__}, expected a list of objects.")
    if odd := [str(row) for row, item in enumerate(found, start=1) if not isinstance(item, dict)]:
        raise DataError(f'{file.name}: row {listed(odd, limit=10)} is no object like {{"text": …}}.')
    return _records(file.name, found, wanted, gaps=gaps, joined=joined)


def _records(
    file: str, objects: Sequence[Object], wanted: Iterable[Column | None], *, gaps: bool, joined: str | None
) -> Records:
    if not objects:
        raise DataError(f"{file} is empty: it holds no object.")
    header = list(dict.fromkeys(name for found in objects for name in found))
    columns: dict[str, list[Any]] = {}
    for name in (str(column) for column in wanted if column is not None):
        values = [_value_at(found, name) for found in objects]
        missing = [str(row) for row, (present, _) in enumerate(values, start=1) if not present]
        if len(missing) == len(objects):
            continue
        if missing and not gaps:
            raise DataError(f"{file}: no key {name!r} in row {listed(missing, limit=10)}.")
        columns[name] = [value for _, value in values]
    return typed_records(file, list(dict.fromkeys([*header, *columns])), columns, joined=joined)


def _value_at(found: Object, name: str) -> tuple[bool, Any]:
    """Whether a key is there, and its value; see `read_json_list`."""
    if name in found:
        return True, found[name]
    first, dot, rest = name.partition(".")
    inner = found.get(first)
    return _value_at(inner, rest) if dot and isinstance(inner, dict) else (False, None)


Row = Mapping[str, str]
ARTICLE_SEPARATOR = "|"  # between law and article in the identifier of an article


def read_squad(file: RawFile) -> Records:
    """SQuAD's form: one row per question, with its paragraph.

    Columns: question_id, question, context, title (of the article).
    """

    def rows(found: Any) -> Iterator[Row]:
        for article in found["data"]:
            for paragraph in article["paragraphs"]:
                for question in paragraph["qas"]:
                    yield {
                        "question_id": str(question["id"]),
                        "question": question["question"],
                        "context": paragraph["context"],
                        "title": str(article.get("title", "")),
                    }

    return _read(
        file, rows, '{"data": [{"paragraphs": [{"context": …, "qas": [{"id": …, "question": …}]}]}]}'
    )


def read_laws(file: RawFile) -> Records:
    """Laws with their articles; columns id (``law|article``), law_id, article_id, title, text.

    The form of the Zalo challenge (``law_id``) and of ALQAC (``id``, articles without titles).
    """

    def rows(found: Any) -> Iterator[Row]:
        for law in found:
            law_id = law["law_id"] if "law_id" in law else law["id"]
            for article in law["articles"]:
                article_id = str(article["article_id"] if "article_id" in article else article["id"])
                yield {
                    "id": law_article(law_id, article_id),
                    "law_id": law_id,
                    "article_id": article_id,
                    "title": article.get("title", ""),
                    "text": article["text"],
                }

    return _read(file, rows, '[{"law_id": …, "articles": [{"article_id": …, "title": …, "text": …}]}]')


def read_law_questions(file: RawFile) -> Records:
    """Questions with the articles that answer them: a row per question and article, one without where there is none.

    Columns: question_id, question, document (``law|article``, empty without gold). The form of the Zalo challenge
    (an object with ``items``, or the list itself, ``question``) and of ALQAC (``text``; ``id`` in 2022).
    """

    def rows(found: Any) -> Iterator[Row]:
        for item in found["items"] if isinstance(found, dict) else found:
            about = {
                "question_id": str(item["question_id"] if "question_id" in item else item["id"]),
                "question": item["question"] if "question" in item else item["text"],
            }
            gold = item.get("relevant_articles") or [None]
            for article in gold:
                document = (
                    "" if article is None else law_article(article["law_id"], str(article["article_id"]))
                )
                yield {**about, "document": document}

    return _read(file, rows, '{"items": [{"question_id": …, "question": …, "relevant_articles": […]}]}')


def law_article(law_id: str, article_id: str) -> str:
    """Identifier of an article among the documents."""
    return f"{law_id}{ARTICLE_SEPARATOR}{article_id}"


def _read(file: RawFile, rows: Any, form: str) -> Records:
    try:
        found = [*rows(parse_json(file.text()))]
    except ValueError as error:
        raise DataError(f"{file.name}: {error}. Is it JSON?") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{file.name} is not of the form {form}: {type(error).__name__} {error}.") from error
    for number, row in enumerate(found, start=1):
        if odd := [name for name, value in row.items() if not isinstance(value, str)]:
            raise DataError(f"{file.name}: {', '.join(odd)} is no text in row {number}; expected {form}.")
    header = [*found[0]] if found else []
    return records_of(
        file.name, header, [[row[name] for name in header] for row in found], what=f"a row ({form})"
    )


_INTENT = re.compile(r"(?m)^## intent:(\S+)[ \t]*$")
_EXAMPLE = re.compile(r"(?m)^- ++(.*\S)")
_ANSWER = "utter_"


def read_turns(file: RawFile) -> Records:
    """Turns of questions or of their reference answers, as FastChat's benchmarks hold them: a row per turn.

    Columns: id (``question_id/turn``, from 1), question_id, category and statement (empty in answers), turn, and
    statement_and_turn. Questions have ``turns``, answers have them in the first of ``choices``.
    """
    rows: list[tuple[str, ...]] = []
    for number, line in enumerate(file.text().split("\n"), start=1):
        if not line.strip():
            continue
        try:
            found = parse_json(line)
            turns = found["choices"][0]["turns"] if "choices" in found else found["turns"]
            question = str(found["question_id"])
            category, statement = (str(found.get(key, "")) for key in ("category", "statement"))
            for place, turn in enumerate(map(str, turns), start=1):
                whole = f"{statement} {turn}".strip()
                rows.append((f"{question}/{place}", question, category, statement, turn, whole))
        except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
            raise DataError(
                f'{file.name}, line {number}: not of the form {{"question_id": …, "turns": […]}}: '
                f"{type(error).__name__} {error}."
            ) from error
    names = ("id", "question_id", "category", "statement", "turn", "statement_and_turn")
    return records_of(file.name, names, rows, what="a line with turns")


def read_rasa_intents(file: RawFile) -> Records:
    """What users say, by what they mean: columns intent and text, of lines ``- text`` under ``## intent:name``."""
    parts = _INTENT.split(file.text())[1:]
    rows = [
        (intent, text)
        for intent, body in zip(parts[::2], parts[1::2], strict=True)
        for text in _EXAMPLE.findall(body.partition("\n## ")[0])
    ]
    return records_of(file.name, ("intent", "text"), rows, what="a line '- text' under '## intent:name'")


def read_rasa_templates(file: RawFile) -> Records:
    """What a chatbot answers: columns intent (the name of a template without ``utter_``) and text, the first one."""
    found = _yaml_value(file)
    templates = (found.get("templates") or found.get("responses")) if isinstance(found, Mapping) else None
    rows = [
        (name.removeprefix(_ANSWER), str(texts[0]["text"]))
        for name, texts in (templates.items() if isinstance(templates, Mapping) else ())
        if isinstance(texts, list) and texts and isinstance(texts[0], Mapping) and "text" in texts[0]
    ]
    return records_of(file.name, ("intent", "text"), rows, what="templates with a text")


class _Loader(yaml.BaseLoader):
    """All values are texts as written. A few aliases can stand for any number of values, and a tag for any object."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        for what in ("anchor", "tag"):
            if mark := getattr(event, what, None):
                raise yaml.MarkedYAMLError(
                    problem=f"{what} {mark!r}; files of data have no anchors, aliases and tags. Write the value itself",
                    problem_mark=event.start_mark,
                )
        return super().compose_node(parent, index)


def _yaml_value(file: RawFile) -> Any:
    """What a YAML file holds: texts, lists of them, and maps."""
    text = file.text()
    try:
        found = yaml.load(text, Loader=_Loader)  # noqa: S506 - it makes texts, lists and maps only
        if "\\" in text and has_half(json.dumps(found, ensure_ascii=False)):
            raise ValueError("a text in it has half of a surrogate pair, which cannot be stored")
        return found
    except RecursionError:
        raise DataError(f"{file.name}: it is nested too deep.") from None
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise DataError(f"{file.name}: {error}. Is it YAML?") from error


def read_yaml(file: RawFile, wanted: Iterable[Column | None], *, joined: str | None = None) -> Records:
    """Maps and lists in each other.

    `wanted`: names of the columns to read; ``a.b`` is the key b of the map at a, or of each map of the list at a. Each
    map of a list is a row, which repeats what stands outside of the list; a key that is not there is empty. Values are
    texts as written. Raises DataError: a list with wanted columns stands beside another, or holds anything but maps.
    """
    names, header = {str(column) for column in wanted if column is not None}, dict[str, None]()
    rows = _nested_rows(_yaml_value(file), "", names, header, file.name)
    if not rows:
        raise DataError(f"{file.name} is empty: it holds no map.")
    columns = {name: [row.get(name) for row in rows] for name in names if name in header}
    return typed_records(file.name, [*header], columns, joined=joined)


def _nested_rows(
    found: Any, at: str, names: Collection[str], header: dict[str, None], file: str
) -> list[dict[str, Any]]:
    """The rows of a map or of a list of maps; `header` collects the columns that there are."""
    if isinstance(found, list):
        return [row for item in found for row in _nested_rows(item, at, names, header, file)]
    if not isinstance(found, dict):
        raise DataError(f"{file}: {at or 'the file'} holds the text {str(found)[:40]!r}, expected a map.")
    rows: list[dict[str, Any]] = [{}]
    for key, value in found.items():
        name = f"{at}.{key}" if at else key
        inner = any(one.startswith(f"{name}.") for one in names)
        if not inner or value == "":
            header[name] = None
            rows = [{**row, name: value} for row in rows] if name in names else rows
            continue
        others = _nested_rows(value, name, names, header, file)
        if len(rows) > 1 and len(others) > 1:
            raise DataError(f"{file}: {name} is a list beside another list. Read them in two sources.")
        rows = [{**row, **other} for row in rows for other in others]
    return rows


_IDS = ("_id", "id")
_BEIR_TEXTS = (*_IDS, "title", "text")
_JUDGED = ("query-id", "corpus-id", "score")


def beir_text_batches(file: RawFile, *, rows: int) -> Iterator[Records]:
    """Documents or questions, of which `rows` at a time are in memory.

    Columns id, title (empty where the file has none) and text. The identifier is ``_id`` in JSON lines and ``id`` in
    most Parquet files; either is taken, the first that the first rows have.
    """
    own = None
    for found in _beir_batches(file, _BEIR_TEXTS, rows):
        cells = found.pick({name: name for name in _BEIR_TEXTS if name in found.header})
        own = own or next((name for name in _IDS if any(cells.get(name, ()))), None)
        if own is None or "text" not in cells:
            columns = ", ".join(map(str, found.header))
            raise DataError(
                f'{file.name} has the columns {columns}; expected {{"_id": …, "title": …, "text": …}}.'
            )
        titles = cells.get("title", [""] * len(found))
        yield Records(file.name, ["id", "title", "text"], [cells[own], titles, cells["text"]], found.names)


def beir_judgement_batches(file: RawFile, *, rows: int) -> Iterator[Records]:
    """Judgements of a split, of which `rows` at a time are in memory; columns query-id, corpus-id and score."""
    for found in _beir_batches(file, _JUDGED, rows):
        picked = found.pick({name: name for name in _JUDGED})
        yield Records(file.name, list(_JUDGED), list(picked.values()), found.names)


def _beir_batches(file: RawFile, wanted: Sequence[Column], rows: int) -> Iterator[Records]:
    if file.name.endswith(".parquet"):
        return parquet_batches(file.path, wanted)
    if file.name.endswith(".tsv"):
        return delimited_batches(file, "\t", quoting=False, rows=rows)
    return json_line_batches(file, wanted, rows=rows)
