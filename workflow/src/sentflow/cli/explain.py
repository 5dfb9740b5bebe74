"""`sentflow explain`: the terms of a text with their weights, and the terms behind the scores of a run."""

import sys
from collections.abc import Sequence
from pathlib import Path

from sentflow.cli.explained_run import explained_run
from sentflow.cli.explained_tables import blocks_of_run, record_of_run
from sentflow.cli.explained_text import blocks_of_text, explained_text, record_of_text
from sentflow.cli.terminal import show_blocks
from sentflow.errors import ConfigError
from sentflow.files.io import json_document
from sentflow.texts.decoding import decode

STANDARD_INPUT = "-"


def explain(
    *,
    model: str | None,
    text: str | None,
    role: str,
    retriever: str | None,
    questions: str | None,
    question: str | None,
    documents: Sequence[str],
    configs: Sequence[Path],
    results: Path,
    most: int,
    as_json: bool,
) -> None:
    """Print the terms of a text, or those that a question shares with documents.

    Parameters
    ----------
    model, text, role
        An encoder that weighs terms, and what it reads: a text, or ``-`` for standard input; as a ``document`` or as a
        ``query``.
    retriever, questions, question, documents
        A retriever whose scores are sums over terms, a question set that it searched, and identifiers of a question
        and of documents; of none, the best ranked document and the best ranked relevant one.
    configs
        Those that the results were made with.
    results
        The results folder: nothing is written there.
    most
        Terms of a table at most, >= 1; JSON has all.
    as_json
        Whether to print JSON.

    Raises
    ------
    ConfigError
        Names that do not exist or cannot be explained, or options that do not fit together.
    DataError
        Files that the pipeline has not made yet, or that do not belong together.
    """
    of_text = {"--model": model, "--text": text}
    of_run = {"--retriever": retriever, "--questions": questions, "--question": question}
    given = [name for name, value in (*of_text.items(), *of_run.items()) if value is not None]
    given += ["--document"] * bool(documents)
    if given and set(given) <= {*of_text}:
        asked = _complete(of_text)
        found = explained_text(
            asked["--model"], _text(asked["--text"]), role=role, configs=configs, results=results
        )
        record, blocks = record_of_text(found), blocks_of_text(found, most=most)
    elif given and not set(given) & {*of_text}:
        asked = _complete(of_run)
        found_of_run = explained_run(
            asked["--retriever"],
            asked["--questions"],
            asked["--question"],
            documents,
            configs=configs,
            results=results,
        )
        record, blocks = record_of_run(found_of_run), blocks_of_run(found_of_run, most=most)
    else:
        raise ConfigError(
            "write --model NAME --text TEXT for the terms of a text, or --retriever NAME --questions SET --question ID "
            f"for those behind scores{': one of both' if given else ''}."
        )
    if as_json:
        sys.stdout.write(json_document(record))
    else:
        show_blocks(blocks)


def _complete(options: dict[str, str | None]) -> dict[str, str]:
    """The options, all of which are needed where one is given."""
    found = {name: value for name, value in options.items() if value is not None}
    if lacking := [name for name in options if name not in found]:
        raise ConfigError(f"{' and '.join(found)}: write {' and '.join(lacking)}, too.")
    return found


def _text(given: str) -> str:
    text = (
        decode(sys.stdin.buffer.read(), "utf-8", where="standard input") if given == STANDARD_INPUT else given
    )
    if not text.strip():
        raise ConfigError("--text: there is no text. Write one, or - to read it from standard input.")
    return text.strip()
