"""`sentflow search`: new questions, answered by a retriever of an experiment that was run.

New questions are one more question set on a corpus of the experiment. So the family of retrieval says which files and
settings their jobs have, as it says it of every other set. Their files go into a folder of their own.
"""

import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any

import typer

from sentflow.cli.configuration import (
    ConfigFiles,
    ResultsRead,
    in_folder,
    processors,
    read_experiment,
    refuse_missing,
    run_job,
)
from sentflow.cli.terminal import Block, beginning, listing, quiet, show_blocks
from sentflow.config.entries import AllEntries
from sentflow.config.experiment import Experiment
from sentflow.config.problems.common import made_of_seeds, unknown
from sentflow.config.retrievers import BY_VECTORS, FUSION, QUESTIONS, RUN, all_retrievers, decided_by
from sentflow.errors import ConfigError, DataError, instead
from sentflow.exports.submission import submission, submission_text
from sentflow.families.retrieval.family import Retrieval
from sentflow.files.io import read_json, write_text
from sentflow.files.parquet import read_described
from sentflow.flow import paths
from sentflow.flow.family import pick
from sentflow.flow.provenance import signature
from sentflow.flow.targets import Targets
from sentflow.report.numbers import counted
from sentflow.report.table.table import Table
from sentflow.retrieval.decisions import read_decided
from sentflow.retrieval.ranking import Ranked, Run, read_run, write_run
from sentflow.retrieval.trec import run_lines
from sentflow.texts.corpora import KEEP, CorpusFile, read_ids, whole_text
from sentflow.texts.formats.raw import decode

ASKED = "new questions"  # names of a configuration have no spaces, so that none is this
_OF_ROLE = ("prompts", "prompt_names", "terms")  # those of questions differ from those of documents
_OF_ENCODER = ("kind", "revision", "files_sha256", "model_settings", "encode_settings")

# A job, and its parameters: files by their names in the results, everything else as its command line has it
_Step = tuple[str, Mapping[str, Any]]
_SUBMISSION, _TABLE = ".json", ".parquet"
_SHOWN = 5  # documents
_CHALLENGE = {"format": "law-questions", "id": "question_id", "text": "question"}
_BEIR = {"format": "jsonl", "id": "_id", "text": "text"}


def search(
    questions: Annotated[
        Path | None,
        typer.Argument(
            help="Questions: .json as in the Zalo challenge, .jsonl as in BEIR, or text with one per line."
        ),
    ] = None,
    ask: Annotated[
        str | None, typer.Option(help="One question instead of a file; its answers are printed.")
    ] = None,
    configfile: ConfigFiles = None,
    results: ResultsRead = Path("results"),
    retriever: Annotated[
        str | None,
        typer.Option(
            help="Retriever; by default the first selected fusion, else the first selected retriever."
        ),
    ] = None,
    corpus: Annotated[
        str | None, typer.Option(help="Corpus to search, if the experiment has several.")
    ] = None,
    decision: Annotated[
        str | None, typer.Option(help="A selected decision, which chooses the returned documents.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            help="File to write: .json for a submission of the Zalo challenge (with --decision), .parquet for a run of "
            "the pipeline, else a run in TREC's form."
        ),
    ] = None,
) -> None:
    """Answer new questions with a retriever of a finished experiment.

    Reads documents, vectors, trained encoders and tuned weights from the results. Only the questions are
    embedded.
    """
    _check_options(questions, ask, decision, output)
    family = Retrieval(experiment := read_experiment(configfile))
    searched = _corpus(corpus, family)
    name = _retriever(retriever, decision, family)
    names = {"questions": ASKED, "retriever": name}
    with tempfile.TemporaryDirectory() as folder, quiet():
        work = Path(folder)
        file, source = _source(questions, work) if questions else _written({"asked": ask or ""}, work)
        answering = Answering(experiment, searched, source, file, retriever=name, decision=decision)
        answering.refuse_missing(results, configfile)
        for job in answering.run(results, work):
            if questions:
                sys.stderr.write(f"{job}\n")
        _, asked = read_ids(in_folder(work, paths.QUESTIONS.format(**names)))
        _, ids = read_ids(in_folder(results, paths.CORPUS.format(corpus=searched)))
        _, answers = read_run(in_folder(work, paths.RUN.format(**names)), ids)
        if decision:
            file = in_folder(work, paths.DECIDED.format(**names, decision=decision))
            answers = _decided(answers, read_decided(file).documents)
        notes = _cut_off(work, name, family)
    title = str(family.retrievers[name].get("title", name))
    blocks: list[Block] = []
    if ask is not None:
        file = in_folder(results, paths.CORPUS.format(corpus=searched))
        caption = f"{title}: {ask}"
        blocks.append(_shown(answers, asked[0], file, caption=caption, decided=decision is not None))
    if output is not None:
        write_answers(output, answers, asked, retriever=name)
        n_empty = sum(not len(answers.ranked.get(one, ())) for one in asked)
        blocks.append(
            f"{output}: {counted(len(asked), 'question')} by {title}, {n_empty} without a document."
        )
    show_blocks(*blocks, *notes)


def write_answers(path: Path, answers: Run, asked: Sequence[str], *, retriever: str) -> None:
    if path.suffix == _SUBMISSION:
        documents = {name: answers.documents(name) for name in answers.ranked}
        write_text(path, submission_text(submission(asked, documents)))
    elif path.suffix == _TABLE:
        write_run(path, answers, {"questions": ASKED, "retriever": retriever})
    else:
        write_text(path, "".join(f"{line}\n" for line in run_lines(answers, retriever, {})))


def _check_options(
    questions: Path | None, ask: str | None, decision: str | None, output: Path | None
) -> None:
    if (questions is None) == (ask is None):
        raise ConfigError("write a file of questions, or one question with --ask: one of both.")
    if ask is not None and not ask.strip():
        raise ConfigError("--ask: there is no question. Write a text.")
    if output is None and ask is None:
        raise ConfigError(
            "write with --output where the answers go: a file that ends in .parquet, .run or .json."
        )
    if output is not None and output.suffix == _SUBMISSION and decision is None:
        raise ConfigError(
            f"--output {output}: a submission holds what was decided. Write --decision NAME, or a file that ends in "
            ".parquet or .run for all that is ranked."
        )


def _source(path: Path, folder: Path) -> tuple[Path, dict[str, Any]]:
    """The file of questions to read, and how, as a source of ``question_sets`` says it; text is rewritten."""
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
    return _written(asked, folder)


def _written(asked: dict[str, str], folder: Path) -> tuple[Path, dict[str, Any]]:
    path = folder / "questions.jsonl"
    rows = [json.dumps({"_id": name, "text": text}) for name, text in asked.items()]
    path.write_text("\n".join(rows), encoding="utf-8")
    return path, {**_BEIR, "files": [path.name]}


def _corpus(asked: str | None, family: Retrieval) -> str:
    known = list(dict.fromkeys(entry["corpus"] for entry in family.question_sets.values()))
    if not family.shown:
        raise ConfigError(
            "the configuration selects no question set with retrievers, so nothing can be searched. Write the file "
            "that the results were made with, as --configfile."
        )
    if asked is None and len(known) > 1:
        raise ConfigError(f"there are several corpora. Write --corpus and one of: {', '.join(known)}.")
    name = known[0] if asked is None else asked
    if name not in known:
        raise ConfigError(f"--corpus: there is no corpus {name!r} in this experiment. {instead(name, known)}")
    return name


def _retriever(asked: str | None, decision: str | None, family: Retrieval) -> str:
    """The retriever that was asked for, also one that is only fused; or the default of those that are decided."""
    entry = {} if decision is None else family.decisions.get(decision)
    if entry is None:
        raise ConfigError(
            f"--decision: {decision!r} is not selected. {instead(str(decision), family.decisions)}"
        )
    shown = decided_by(entry, family.shown)
    known = {one: family.retrievers[one] for one in all_retrievers(family.shown, family.retrievers)}
    fusions = (name for name in shown if known[name]["kind"] == FUSION)
    name = next(fusions, shown[0]) if asked is None else asked
    if made_of_seeds(name, known):
        raise ConfigError(unknown("--retriever", "retriever", name, known))
    if name not in known:
        raise ConfigError(f"--retriever: {name!r} is not selected. {instead(name, known)}")
    if decision is not None and name not in shown:
        raise ConfigError(
            f"--decision: {decision} does not decide on {name}. Write --retriever {', '.join(shown)}."
        )
    if files := [part for part in all_retrievers([name], known) if known[part]["kind"] == RUN]:
        raise ConfigError(
            f"--retriever: {name} needs runs of another engine ({', '.join(files)}), which there are none of for new "
            "questions. Write another retriever."
        )
    return name


def _decided(ranked: Run, decided: Mapping[str, Sequence[str]]) -> Run:
    kept = {name: slice(len(decided.get(name, ()))) for name in ranked.ranked}
    return Run(
        ranked.document_ids,
        {name: Ranked(one.rows[kept[name]], one.scores[kept[name]]) for name, one in ranked.ranked.items()},
    )


def _cut_off(work: Path, retriever: str, family: Retrieval) -> list[str]:
    notes = []
    for name in all_retrievers([retriever], family.retrievers):
        about, _ = read_described(in_folder(work, paths.RUN.format(questions=ASKED, retriever=name)))
        reading = (about.get("reading") or {}).get("questions")
        if reading and reading["cut"]:
            notes.append(
                f"{name}: the encoder does not read the ends of {counted(reading['cut'], 'long question')}."
            )
    return notes


def _shown(answers: Run, question: str, corpus: Path, *, caption: str, decided: bool) -> Table:
    ranked = answers.ranked.get(question)
    places = list(zip(ranked.rows.tolist(), ranked.scores.tolist(), strict=True)) if ranked else []
    n_shown = len(places) if decided else min(len(places), _SHOWN)
    shown = places[:n_shown]
    documents = CorpusFile(corpus).at(row for row, _ in shown)
    rows = [
        (str(place), documents[row][0], f"{score:.4g}", beginning(whole_text(*documents[row][1:])))
        for place, (row, score) in enumerate(shown, start=1)
    ]
    left = len(places) - n_shown
    note = f"{counted(left, 'further document')} below them." if left else ""
    if not places:
        note = "No document is returned as an answer." if decided else "No document was found."
    return listing(("#", "Document", "Score", "Text"), rows, "rlrl", caption=caption, notes=(note,))


# --- the jobs ------------------------------------------------------------------------------------------------


class Answering:
    """The jobs that answer new questions, which stand in `file`, read as `source` says."""

    def __init__(
        self,
        experiment: Experiment,
        corpus: str,
        source: Mapping[str, Any],
        file: Path,
        *,
        retriever: str,
        decision: str | None,
    ) -> None:
        self._file = file
        self._targets = Targets(_with_questions(experiment, corpus, source))
        self._family: Retrieval = self._targets.families[Retrieval.name]
        self._of_texts = SimpleNamespace(collection=f"{corpus}/{QUESTIONS}")
        self._steps = list(self._all(retriever, decision))
        self._outputs = {file for step in self._steps for file in _files(step, "Out")}

    def refuse_missing(self, results: Path, configs: Sequence[Path] | None) -> None:
        """Refuse results that lack files that the jobs read."""
        files = [file for step in self._steps for file in _files(step, "In") if file not in self._outputs]
        why = "Only the questions are embedded here; nothing is trained or downloaded"
        refuse_missing(files, results, configs, needed_by="the answers", why=why)

    def run(self, results: Path, work: Path) -> Iterator[str]:
        """Run the jobs one after the other, into a folder that is laid out like the results."""

        def place(file: str) -> Path:
            return in_folder(work if file in self._outputs else results, file)

        for job, parameters in self._steps:
            yield job
            if parameters.get("documents_info"):
                _refuse_other_encoder(
                    *(place(parameters[name][0]) for name in ("documents_info", "queries_info"))
                )
            values = dict(parameters)
            for name, kinds in signature(job).items():
                if name in values and {"In", "Out"} & set(kinds):
                    files = values[name]
                    values[name] = place(files) if isinstance(files, str) else [*map(place, files)]
            if job == "prepare_questions":
                values["raw"] = [self._file]
            run_job(job, values)

    def _all(self, retriever: str, decision: str | None) -> Iterator[_Step]:
        """In their order: the questions, their vectors, what is fused or reranked, search, decision."""
        family, targets = self._family, self._targets
        job = _job(retriever)
        asked = {"questions": _asked(paths.QUESTIONS), "judgements": _asked(paths.JUDGEMENTS)}
        judged = {"corpus": family.corpus(job), **asked}
        yield (
            "prepare_questions",
            {
                "questions": ASKED,
                "corpus": judged["corpus"],
                "settings": family.question_files.settings(job),
                "limits": targets.limits,
                "table": asked["questions"],
                "judgements": asked["judgements"],
            },
        )
        names = all_retrievers([retriever], family.retrievers)
        entries = [family.retrievers[name] for name in names]
        if models := dict.fromkeys(entry["model"] for entry in entries if entry["kind"] in BY_VECTORS):
            texts = paths.TEXTS.format(**vars(self._of_texts))
            roles = targets.of_collection("roles")(self._of_texts)
            yield "collect", {"tables": [asked["questions"]], "roles": roles, "texts": texts}
        yield from map(self._embed, models)
        for name in names:
            yield from self._searches(name, judged)
        if decision:
            yield self._decide(retriever, decision, judged)

    def _embed(self, model: str) -> _Step:
        job = SimpleNamespace(model=model, **vars(self._of_texts))
        encoders, names = self._targets.encoders, vars(job)
        return "embed", {
            "manifest": paths.MANIFEST.format(**names),
            "model_files": encoders.model_files(job),
            "texts": paths.TEXTS.format(**names),
            "collection": job.collection,
            "task": self._targets.of_collection("task")(job),
            "settings": self._targets.encode_settings(job),
            "connection": encoders.connection(job),
            "device": encoders.device(job),
            "call_seconds": str(encoders.call_seconds(job)),
            "limits": self._targets.limits,
            "threads": _threads(encoders.threads(job)),
            "embeddings": encoders.vectors(model).format(**names),
            "info": paths.EMBEDDINGS_INFO.format(**names),
        }

    def _searches(self, retriever: str, judged: Mapping[str, str]) -> Iterator[_Step]:
        """The search, or those in all shards of the corpus and what merges them."""
        family = self._family
        searches = family.searches_of(_job(retriever))
        inputs = {**family.search_files, **family.vector_files}
        for name in searches:
            job = _job(name)
            yield (
                "search",
                {
                    **judged,
                    "corpus": family.corpus(job),
                    **{name: files(job) for name, files in inputs.items()},
                    "manifest": family.of_cross_encoder(family.manifest)(job),
                    "model_files": family.of_cross_encoder(family.model_files)(job),
                    "settings": family.search_settings(job),
                    "device": family.search_device(job),
                    "threads": _threads(family.search_threads(job)),
                    "run": _asked(paths.RUN, retriever=name),
                },
            )
        if searches != [retriever]:
            runs = family.runs_of_shards(paths.RUN)(_job(retriever))
            run = _asked(paths.RUN, retriever=retriever)
            yield "merge_shards", {"runs": runs, "questions": judged["questions"], "run": run}

    def _decide(self, retriever: str, decision: str, judged: Mapping[str, str]) -> _Step:
        job = SimpleNamespace(decision=decision, **vars(_job(retriever)))
        training = self._family.decision_training
        return "decide", {
            **judged,
            "run": _asked(paths.RUN, retriever=retriever),
            "training_corpora": training(paths.CORPUS)(job),
            "training_questions": training(paths.QUESTIONS)(job),
            "training_judgements": training(paths.JUDGEMENTS)(job),
            "training_runs": training(paths.RUN)(job),
            "settings": self._family.decide_settings(job),
            "decided": _asked(paths.DECIDED, retriever=retriever, decision=decision),
        }


def _files(step: _Step, kind: str) -> Iterator[str]:
    job, parameters = step
    for name, kinds in signature(job).items():
        if kind in kinds and (files := parameters.get(name)):
            yield from [files] if isinstance(files, str) else files
    if (job, kind) == ("embed", "Out"):
        yield parameters["info"].replace(".json", ".tokens.npy")


def _with_questions(experiment: Experiment, corpus: str, source: Mapping[str, Any]) -> Experiment:
    """The experiment with one more question set, which nothing is judged on."""
    about = pick(experiment.entries["corpora"][corpus], "dataset", "data_version", "language")
    asked = {"questions": [source], "judgements": [], "same_ids": KEEP}
    entry = {"title": ASKED, "corpus": corpus, **asked, **about}

    def added(sections: AllEntries) -> AllEntries:
        return {**sections, "question_sets": {**sections["question_sets"], ASKED: entry}}

    return replace(experiment, entries=added(experiment.entries), selected=added(experiment.selected))


def _job(retriever: str) -> SimpleNamespace:
    return SimpleNamespace(questions=ASKED, retriever=retriever)


def _asked(pattern: str, **names: str) -> str:
    return pattern.format(questions=ASKED, **names)


def _threads(of_use: int) -> str:
    return str(min(of_use, processors()))


def _refuse_other_encoder(documents: Path, questions: Path) -> None:
    """Refuse vectors of documents that are not those of the encoder that the configuration describes now."""
    first, second = (_encoder(read_json(info)) for info in (documents, questions))
    if changed := [key for key in first if first[key] != second[key]]:
        raise DataError(
            f"{documents}: the documents were embedded by another encoder, or with other settings, than the "
            f"configuration says now ({', '.join(changed)} differ). Run snakemake again with this configuration first."
        )


def _encoder(described: Mapping[str, Any]) -> dict[str, Any]:
    """What a description of vectors says of the encoder and its settings, but for those of a role."""
    known = pick(described, *_OF_ENCODER)
    settings = {key: value for key, value in known["encode_settings"].items() if key not in _OF_ROLE}
    return known | {"encode_settings": settings}
