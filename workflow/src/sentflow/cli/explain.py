"""`sentflow explain`: the terms of a text with their weights, and the terms behind the scores of a run."""

import sys
import tempfile
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from sentflow.cli.configuration import AsJson, ConfigFiles, ResultsRead, read_catalog
from sentflow.cli.explained_run import blocks_of_run, explained_run
from sentflow.cli.models import fetched_manifest
from sentflow.cli.terminal import Block, beginning, listing, quiet, show_blocks
from sentflow.encoders.entries import encode_settings, has_term_vectors, weighs_terms
from sentflow.encoders.kinds.table import TRAINED, WEIGHING
from sentflow.errors import ConfigError, instead
from sentflow.files.io import json_document
from sentflow.report.numbers import counted
from sentflow.report.table.table import Table
from sentflow.texts.decoding import decode


class Role(StrEnum):
    """As what an encoder reads a text."""

    DOCUMENT = "document"
    QUERY = "query"


def explain(
    model: Annotated[str | None, typer.Option(help="An encoder that weighs terms.")] = None,
    text: Annotated[
        str | None, typer.Option(help="What it reads: its terms are shown. - is standard input.")
    ] = None,
    role: Annotated[
        Role, typer.Option(help="As what the text is read: numbers of terms and prompts depend on it.")
    ] = Role.DOCUMENT,
    retriever: Annotated[
        str | None, typer.Option(help="Of kind bm25 or sparse: the terms behind its scores are shown.")
    ] = None,
    questions: Annotated[str | None, typer.Option(help="The question set that it searched.")] = None,
    question: Annotated[str | None, typer.Option(help="Identifier of a question.")] = None,
    document: Annotated[
        list[str] | None,
        typer.Option(
            help="Identifier; may be given several times. By default the best ranked document and the best ranked "
            "relevant one."
        ),
    ] = None,
    configfile: ConfigFiles = None,
    results: ResultsRead = Path("results"),
    most: Annotated[int, typer.Option(min=1, help="Terms of a table at most; JSON has all.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Show which terms a text has, or which of them found a document.

    Either --model and --text: weights of the terms of a text. Or --retriever, --questions and --question: what each
    term that question and document share adds to the score of a finished run. No model is loaded for the latter.
    """
    of_text = {"--model": model, "--text": text}
    of_run = {"--retriever": retriever, "--questions": questions, "--question": question}
    written = {name for name, value in (*of_text.items(), *of_run.items()) if value is not None}
    written |= {"--document"} if document else set()
    if written and written <= {*of_text}:
        name, words = _complete(of_text)
        record = _explained_text(name, _read(words), role, configfile, results)
        blocks: Sequence[Block] = [_terms(record, most)]
    elif written and not written & {*of_text}:
        by, among, name = _complete(of_run)
        record = explained_run(by, among, name, document or [], configs=configfile, results=results)
        blocks = blocks_of_run(record, most=most)
    else:
        raise ConfigError(
            "write --model NAME --text TEXT for the terms of a text, or --retriever NAME --questions SET --question ID "
            f"for those behind scores{': one of both' if written else ''}."
        )
    if as_json:
        sys.stdout.write(json_document(record))
    else:
        show_blocks(*blocks)


def _complete(options: Mapping[str, str | None]) -> list[str]:
    """The values of options, all of which are needed where one is given."""
    values = {name: value for name, value in options.items() if value is not None}
    if lacking := [name for name in options if name not in values]:
        raise ConfigError(f"{' and '.join(values)}: write {' and '.join(lacking)}, too.")
    return [*values.values()]


def _read(text: str) -> str:
    if text == "-":
        text = decode(sys.stdin.buffer.read(), "utf-8", where="standard input")
    if not text.strip():
        raise ConfigError("--text: there is no text. Write one, or - to read it from standard input.")
    return text.strip()


def _explained_text(
    model: str, text: str, role: Role, configs: Sequence[Path] | None, results: Path
) -> dict[str, Any]:
    """The weights that an encoder gives the terms of a text, the greatest first, equal ones by the vocabulary."""
    entry = _entry(model, configs)
    from sentflow.jobs.machine import prepare_environment

    prepare_environment(1)
    from sentflow.encoders.kinds.contract import Surroundings
    from sentflow.encoders.kinds.neural.term_names import term_names
    from sentflow.encoders.load import encode_settings as settings_of
    from sentflow.encoders.load import load_sparse_encoder

    with quiet(), tempfile.TemporaryDirectory() as temporary:
        manifest, folder = fetched_manifest(
            model, entry, Path(temporary), before="its terms are shown", results=results
        )
        settings = settings_of(manifest, encode_settings(entry, roles=(role.value,)))
        around = Surroundings(manifest_folder=folder, role=role.value)
        encoder = load_sparse_encoder(manifest, settings, around)
        encoded: Any = encoder.encode([text], role=role.value, task=None)
        reading = getattr(encoder, "reading", None)
        name = term_names(manifest, folder)
    weights = encoded.weights if has_term_vectors(entry) else encoded
    terms = zip(weights.indices.tolist(), weights.data.tolist(), strict=True)
    return {
        "model": model,
        "role": role.value,
        "text": text,
        "tokens_cut_off": 0 if reading is None else int(reading.lost[0]),
        "terms": [
            {"term": name(column), "weight": weight}
            for column, weight in sorted(terms, key=lambda term: (-term[1], term[0]))
        ],
    }


def _terms(record: Mapping[str, Any], most: int) -> Table:
    """A table of the first terms of a text."""
    terms, cut = record["terms"], record["tokens_cut_off"]
    rows = [
        (str(place), one["term"], f"{one['weight']:.4g}") for place, one in enumerate(terms[:most], start=1)
    ]
    notes = (
        "No term has a weight above 0." if not rows else "",
        f"{counted(len(terms) - most, 'further term')} of lower weights." if len(terms) > most else "",
        f"The encoder does not read the last {counted(cut, 'token')}." if cut else "",
    )
    about = f"{record['model']}, {counted(len(terms), 'term')} of a {record['role']}"
    caption = f"{about}: {beginning(record['text'])}"
    return listing(("#", "Term", "Weight"), rows, "rlr", caption=caption, notes=tuple(filter(None, notes)))


def _entry(model: str, configs: Sequence[Path] | None) -> Mapping[str, Any]:
    """The entry of a model that weighs terms."""
    models = read_catalog(configs)["models"]
    weighing = [name for name, entry in models.items() if weighs_terms(entry)]
    if model not in models:
        raise ConfigError(f"--model: there is no model {model!r}. {instead(model, weighing or models)}")
    entry = models[model]
    if model not in weighing:
        kind = entry["kind"]
        made_by = f"trained by recipe {entry['recipe']}" if kind == TRAINED else f"of kind {kind}"
        kinds = f"of kind {' or '.join(WEIGHING)}, as in docs/retrieval.md (Weights of terms)"
        raise ConfigError(
            f"--model: {model} is {made_by}, which gives no weights of terms. "
            + (f"Write one of: {', '.join(weighing)}." if weighing else f"Add a model {kinds}.")
        )
    return entry
