"""Questions with their answers in two files: FastChat's turns, and the intents and templates of a Rasa chatbot."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from sentflow.errors import DataError
from sentflow.files.io import parse_json
from sentflow.texts.formats.raw_file import RawFile
from sentflow.texts.formats.records import Records, numbered

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
                rows.append(
                    (
                        f"{question}/{place}",
                        question,
                        category,
                        statement,
                        turn,
                        f"{statement} {turn}".strip(),
                    )
                )
        except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
            raise DataError(
                f'{file.name}, line {number}: not of the form {{"question_id": …, "turns": […]}}: '
                f"{type(error).__name__} {error}."
            ) from error
    names = ("id", "question_id", "category", "statement", "turn", "statement_and_turn")
    return _records(file, names, rows, "a line with turns")


def read_rasa_intents(file: RawFile) -> Records:
    """What users say, by what they mean: columns intent and text, of lines ``- text`` under ``## intent:name``."""
    parts = _INTENT.split(file.text())[1:]
    rows = [
        (intent, text)
        for intent, body in zip(parts[::2], parts[1::2], strict=True)
        for text in _EXAMPLE.findall(body.partition("\n## ")[0])
    ]
    return _records(file, ("intent", "text"), rows, "a line '- text' under '## intent:name'")


def read_rasa_templates(file: RawFile) -> Records:
    """What a chatbot answers: columns intent (the name of a template without ``utter_``) and text, the first one."""
    try:
        found: Any = yaml.safe_load(file.text())
    except yaml.YAMLError as error:
        raise DataError(f"{file.name}: {error}. Is it YAML?") from error
    templates = (found.get("templates") or found.get("responses")) if isinstance(found, Mapping) else None
    rows = [
        (name.removeprefix(_ANSWER), str(texts[0]["text"]))
        for name, texts in (templates.items() if isinstance(templates, Mapping) else ())
        if isinstance(texts, list) and texts and isinstance(texts[0], Mapping) and "text" in texts[0]
    ]
    return _records(file, ("intent", "text"), rows, "templates with a text")


def _records(file: RawFile, names: Sequence[str], rows: Sequence[Sequence[str]], what: str) -> Records:
    if not rows:
        raise DataError(f"{file.name}: there is not {what}. Is it this file?")
    return Records(
        file.name, list(names), [list(column) for column in zip(*rows, strict=True)], numbered(len(rows))
    )
