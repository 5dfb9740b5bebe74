"""Files of new questions, in the forms that people have them in, as sources that the pipeline reads."""

import json
from pathlib import Path
from typing import Any

from sentflow.errors import ConfigError, DataError
from sentflow.texts.decoding import decode

_CHALLENGE = {"format": "law-questions", "id": "question_id", "text": "question"}
_BEIR = {"format": "jsonl", "id": "_id", "text": "text"}


def question_source(path: Path, folder: Path) -> tuple[Path, dict[str, Any]]:
    """The file to read, and how, as a source of ``question_sets`` says it.

    Parameters
    ----------
    path
        ``.json`` in the form of the Zalo challenge or of ALQAC, ``.jsonl`` as BEIR's queries (``_id``, ``text``), or
        text with a question per line, which are called ``line-1``, ``line-2``, …; empty lines are skipped.
    folder
        Where text is rewritten.

    Raises
    ------
    ConfigError
        There is no such file.
    DataError
        Text is not UTF-8, or there is none.
    """
    if not path.is_file():
        raise ConfigError(
            f"there is no file {path} (searched for in {Path.cwd()}). Write the path of questions."
        )
    if path.suffix in (".json", ".jsonl"):
        form = _CHALLENGE if path.suffix == ".json" else _BEIR
        return path.absolute(), {**form, "files": [path.name]}
    lines = decode(path.read_bytes(), "utf-8", where=path.name).split("\n")
    asked = {f"line-{number}": line.strip() for number, line in enumerate(lines, start=1) if line.strip()}
    if not asked:
        raise DataError(f"{path} holds no question. Write one per line.")
    return written_source(asked, folder)


def written_source(asked: dict[str, str], folder: Path) -> tuple[Path, dict[str, Any]]:
    """Questions that are no file yet, each with its name; see `question_source`."""
    path = folder / "questions.jsonl"
    rows = [json.dumps({"_id": name, "text": text}) for name, text in asked.items()]
    path.write_text("\n".join(rows), encoding="utf-8")
    return path, {**_BEIR, "files": [path.name]}
