"""`sentflow explain`: the terms of a text with their weights, and the terms behind the scores of a run."""

import math
import sys
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, Literal

import typer

from sentflow.cli.configuration import (
    AsJson,
    ConfigFiles,
    ResultsRead,
    fetched_manifest,
    in_folder,
    read_catalog,
    read_experiment,
    refuse_missing,
)
from sentflow.cli.terminal import Block, beginning, listing, quiet, show_blocks
from sentflow.config.problems.common import made_of_seeds, unknown
from sentflow.config.retrievers import EXPLAINED
from sentflow.encoders.entries import encode_settings, has_term_vectors, weighs_terms
from sentflow.encoders.settings import TRAINED, WEIGHING
from sentflow.errors import ConfigError, instead
from sentflow.families.retrieval.family import Retrieval
from sentflow.files.io import json_document
from sentflow.flow import paths
from sentflow.jobs.machine import prepare_environment
from sentflow.report.numbers import counted, share
from sentflow.report.table.table import Table
from sentflow.texts.formats.raw import decode

_OF_VECTORS = (
    "A term adds the product of its vectors, which is 0 where these have no value above 0 in common; weights only "
    "chose the candidates and are no factor of it."
)


def explain(
    model: Annotated[str | None, typer.Option(help="Encoder with weights of terms.")] = None,
    text: Annotated[str | None, typer.Option(help="Text whose terms are shown; - is standard input.")] = None,
    role: Annotated[
        Literal["document", "query"],
        typer.Option(help="Role of the text, for its number of terms and prompt."),
    ] = "document",
    retriever: Annotated[str | None, typer.Option(help="Retriever of kind bm25 or sparse.")] = None,
    questions: Annotated[str | None, typer.Option(help="Question set of the run.")] = None,
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
    most: Annotated[int, typer.Option(min=1, help="Most terms of a table; JSON has all.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Show the terms of a text, or the terms that found a document.

    With --model and --text: weights of the terms of a text. With --retriever, --questions and --question: what
    each common term adds to the score of a document in a finished run, without loading a model.
    """
    of_text = {"--model": model, "--text": text}
    of_run = {"--retriever": retriever, "--questions": questions, "--question": question}
    in_text, in_run = any(of_text.values()), any(of_run.values()) or bool(document)
    if in_text == in_run:
        raise ConfigError(
            "write --model NAME --text TEXT for the terms of a text, or --retriever NAME --questions SET --question ID "
            f"for those behind scores{': one of both' if in_text else ''}."
        )
    options = of_text if in_text else of_run
    if lacking := [name for name, value in options.items() if value is None]:
        raise ConfigError(
            f"{' and '.join(sorted({*options} - {*lacking}))}: write {' and '.join(lacking)}, too."
        )
    if in_text:
        record = _explained_text(str(model), _read(str(text)), role, configfile, results)
        blocks: Sequence[Block] = [_terms(record, most)]
    else:
        record = _explained_run(
            str(retriever), str(questions), str(question), document or [], configs=configfile, results=results
        )
        head = f"{retriever}, {questions}, {question}: {beginning(record['text'])}"
        blocks = [head, *(_document_table(one, most) for one in record["documents"]), *record["notes"]]
    if as_json:
        sys.stdout.write(json_document(record))
    else:
        show_blocks(*blocks)


# --- a text -------------------------------------------------------------------------------------------------


def _read(text: str) -> str:
    if text == "-":
        text = decode(sys.stdin.buffer.read(), "utf-8", where="standard input")
    if not text.strip():
        raise ConfigError("--text: there is no text. Write one, or - to read it from standard input.")
    return text.strip()


def _explained_text(
    model: str, text: str, role: str, configs: Sequence[Path] | None, results: Path
) -> dict[str, Any]:
    entry = _entry(model, configs)
    prepare_environment(1)
    from sentflow.encoders.kind import Context, load_encoder
    from sentflow.encoders.neural.tokenizer import term_names

    with quiet():
        manifest, model_files = fetched_manifest(model, entry, before="its terms are shown", results=results)
        encoder = load_encoder(manifest, encode_settings(entry, roles=(role,)), Context(model_files))
        encoded: Any = encoder.encode([text], role=role, task=None)
        reading = encoder.reading
        name = term_names(manifest, model_files)
    weights = encoded.weights if has_term_vectors(entry) else encoded
    terms = zip(weights.indices.tolist(), weights.data.tolist(), strict=True)
    return {
        "model": model,
        "role": role,
        "text": text,
        "tokens_cut_off": 0 if reading is None else int(reading.lost[0]),
        "terms": [
            {"term": name(column), "weight": weight}
            for column, weight in sorted(terms, key=lambda term: (-term[1], term[0]))
        ],
    }


def _terms(record: Mapping[str, Any], most: int) -> Table:
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
    return listing(("#", "Term", "Weight"), rows, "rlr", caption=caption, notes=notes)


def _entry(model: str, configs: Sequence[Path] | None) -> Mapping[str, Any]:
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


# --- a finished run -----------------------------------------------------------------------------------------


def _explained_run(
    retriever: str,
    questions: str,
    question: str,
    documents: Sequence[str],
    *,
    configs: Sequence[Path] | None,
    results: Path,
) -> dict[str, Any]:
    """What a retriever ranked for a question, and what the scores of documents are sums of; no model is loaded."""
    from sentflow.retrieval.explanation import (
        ExplainInputs,
        Pair,
        agreeing,
        best_ranked,
        explain,
        rank_of,
    )
    from sentflow.retrieval.ranking import read_run
    from sentflow.retrieval.settings import SearchSettings, Sparse
    from sentflow.texts.corpora import CorpusFile, read_ids, read_questions, whole_text

    family = Retrieval(read_experiment(configs))
    job = _job(retriever, questions, family)
    patterns = (paths.QUESTIONS, paths.JUDGEMENTS, paths.RUN)
    common = [family.corpus(job), *(pattern.format(**vars(job)) for pattern in patterns)]
    read = {
        **family.explained_files,
        **family.explained_vectors,
        "manifest": family.manifest,
        "model_files": family.model_files,
    }
    inputs = {name: files_of(job) for name, files_of in read.items()}
    inputs["queries"] += inputs.pop("queries_info")
    files = [*common, *(file for names in inputs.values() for file in names)]
    why = "Nothing is searched, embedded or downloaded here"
    refuse_missing(files, results, configs, needed_by="the explanations", why=why)
    corpus_file, questions_file, judgements, run_file = (in_folder(results, file) for file in common)
    (corpus, ids), asked = read_ids(corpus_file), read_questions(questions_file, judgements)
    _, run = read_run(run_file, ids)
    _refuse_unknown("--question", f"question {question!r} in {questions}", question, asked.ids)
    for name in documents:
        _refuse_unknown("--document", f"document {name!r} in {corpus}", name, ids)
    grades = asked.by_question()[question]
    relevant = [name for name, grade in grades.items() if grade >= asked.relevant_grade]
    chosen, notes = list(dict.fromkeys(documents)), []
    if not documents:
        ranked = run.documents(question) if question in run.ranked else []
        best = best_ranked(question, run, asked, relevant=True)
        chosen = list(dict.fromkeys([*ranked[:1], *([best] if best else [])]))
        if not len(ranked):
            notes.append("Nothing was found for this question.")
        elif not relevant:
            notes.append("No document is known to be relevant.")
        elif not best:
            others = f" and {len(relevant) - 1} more" if len(relevant) > 1 else ""
            notes.append(
                "No relevant document is ranked. See what it shares with the question by --document "
                f"{relevant[0]}{others}."
            )
    settings = SearchSettings.model_validate_json(family.search_settings(job))
    if isinstance(settings.by, Sparse) and settings.by.candidates:
        notes.append(_OF_VECTORS)
    with quiet():
        prepare_environment(1)
        places: dict[str, Any] = {
            name: [in_folder(results, file) for file in names] for name, names in inputs.items()
        }
        for name in ("manifest", "model_files"):
            places[name] = next(iter(places[name]), None)
        pairs = [Pair(question, name) for name in chosen]
        found = explain(pairs, asked, settings, ExplainInputs(corpus=corpus_file, **places))
        explained = agreeing(pairs, found, run, where=run_file)
    shown = CorpusFile(corpus_file).at(map(ids.index, chosen))
    texts = {name: whole_text(title, text) for name, title, text in shown.values()}
    return {
        "retriever": retriever,
        "questions": questions,
        "question": question,
        "text": asked.texts[asked.ids.index(question)],
        "documents": [
            {
                "document": pair.document,
                "text": texts[pair.document],
                "rank": rank_of(pair, run) or None,
                "grade": grades.get(pair.document),
                "is_relevant": pair.document in relevant,
                "score": one.score,
                "rest": one.rest,
                "terms": [{**term._asdict(), "share": one.share(term.addend)} for term in one.shared],
            }
            for pair, one in explained.items()
        ],
        "notes": notes,
    }


def _document_table(document: Mapping[str, Any], most: int) -> Table:
    terms, rest, score = document["terms"], document["rest"], document["score"]
    rows = [
        (
            one["term"],
            *(f"{one[key]:.4g}" for key in ("in_question", "in_document", "addend")),
            share(one["share"]),
        )
        for one in terms[:most]
    ]

    def part(addend: float) -> str:
        return f"{addend:.4g}, {share(addend / score if score else math.nan)}."

    notes = [] if rows else ["No shared term."]
    if left := terms[most:]:
        addend = sum(one["addend"] for one in left)
        notes.append(f"{counted(len(left), 'further shared term')}: {part(addend)}")
    if rest:
        notes.append(f"Terms of the question that the document lacks: {part(rest)}")
    ranked = f"rank {document['rank']}" if document["rank"] else "not ranked"
    judged = "not judged" if document["grade"] is None else "not relevant"
    judged = "relevant" if document["is_relevant"] else judged
    caption = f"{document['document']}, {ranked}, score {score:.6g}, {judged}: {beginning(document['text'])}"
    header = ("Shared term", "In question", "In document", "Adds", "Share")
    return listing(header, rows, "lrrrr", caption=caption, notes=notes)


def _job(retriever: str, questions: str, family: Retrieval) -> SimpleNamespace:
    if questions not in family.needed:
        raise ConfigError(
            f"--questions: {questions!r} is not searched in this experiment. {instead(questions, family.needed)}"
        )
    searched = {name: family.retrievers[name] for name in family.needed[questions]}
    known = [name for name, entry in searched.items() if entry["kind"] in EXPLAINED]
    if made_of_seeds(retriever, searched):
        raise ConfigError(unknown("--retriever", "retriever", retriever, searched))
    if retriever not in searched:
        raise ConfigError(
            f"--retriever: {retriever!r} does not search {questions}. {instead(retriever, known or searched)}"
        )
    if retriever not in known:
        other = (
            f"Write one of: {', '.join(known)}." if known else f"Select one of kind {' or '.join(EXPLAINED)}."
        )
        raise ConfigError(
            f"--retriever: {retriever} is of kind {searched[retriever]['kind']}, whose scores are no sums over shared "
            f"terms. {other}"
        )
    return SimpleNamespace(questions=questions, retriever=retriever)


def _refuse_unknown(option: str, what: str, name: str, known: Sequence[str]) -> None:
    """Refuse a name that is not there; there may be too many others to list them."""
    if name not in known:
        near = get_close_matches(name, known, n=1) or known[:1]
        raise ConfigError(
            f"{option}: there is no {what}. Write one of its {len(known)} names, say {near[0]}."
        )
