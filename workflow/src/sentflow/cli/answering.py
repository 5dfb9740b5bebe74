"""New questions through the jobs of the workflow, whose files go into a folder of their own, not into the results.

New questions are one more question set on a corpus of the experiment. So the family of retrieval says which files and
settings their jobs have, as it says it of every other set, and the jobs are those of the rules.
"""

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sentflow.config.entries import AllEntries
from sentflow.config.experiment import Experiment
from sentflow.errors import DataError
from sentflow.families.retrieval.family import Retrieval
from sentflow.families.retrieval.parts import BY_VECTORS, QUESTIONS, all_retrievers
from sentflow.files.io import read_json
from sentflow.flow import paths
from sentflow.flow.job_settings import pick
from sentflow.flow.targets import Targets
from sentflow.jobs.job import job_named, option_of
from sentflow.report.numbers import counted

ASKED = "new questions"  # names of a configuration have no spaces, so that none is this
_VECTORS = ("documents_info", "queries_info")
_OF_ROLE = ("prompts", "prompt_names", "terms")  # those of questions differ from those of documents
_OF_ENCODER = ("kind", "revision", "files_sha256", "model_settings", "encode_settings")


@dataclass(frozen=True)
class _Step:
    """A job: its name, and parameter → files of the results that it reads, file that it writes, or other value.

    A file that it writes beside another one has no parameter.
    """

    job: str
    reads: Mapping[str, Sequence[str]]
    writes: Mapping[str, str]
    values: Mapping[str, str] = field(default_factory=dict)


class Answering:
    """The jobs that answer new questions."""

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
        self._made = {file for step in self._steps for file in step.writes.values()}

    def missing(self, results: Path) -> list[str]:
        """The files of the results that the jobs read and that are not there, as Snakemake calls them."""
        files = dict.fromkeys(file for step in self._steps for names in step.reads.values() for file in names)
        return [file for file in files if file not in self._made and not in_folder(results, file).is_file()]

    def run(self, results: Path, work: Path) -> Iterator[str]:
        """Run the jobs one after the other, into a folder that is laid out like the results."""

        def place(file: str) -> Path:
            return in_folder(work if file in self._made else results, file)

        for step in self._steps:
            yield step.job
            if step.reads.get(_VECTORS[0]):
                _refuse_other_encoder(*(place(step.reads[name][0]) for name in _VECTORS))
            job = job_named(step.job)
            values = {**step.values, **{name: str(place(file)) for name, file in step.writes.items() if name}}
            # with a sign between them, because a value may begin with a dash
            words = [f"{option_of(name)}={value}" for name, value in values.items()]
            for name, files in step.reads.items():
                words += [option_of(name), *(str(place(file)) for file in files)] if files else []
            job.function(**job.values(words))

    def _all(self, retriever: str, decision: str | None) -> Iterator[_Step]:
        """In their order: the questions, their vectors, what is fused or reranked, search, decision."""
        retrievers = self._family.retrievers
        names = all_retrievers([retriever], retrievers)
        models = dict.fromkeys(
            retrievers[name]["model"] for name in names if retrievers[name]["kind"] in BY_VECTORS
        )
        yield self._prepare()
        if models:
            texts = paths.TEXTS.format(**vars(self._of_texts))
            roles = self._targets.of_collection("roles")(self._of_texts)
            yield _Step("collect", {"tables": [_asked(paths.QUESTIONS)]}, {"texts": texts}, {"roles": roles})
        yield from map(self._embed, models)
        for name in names:
            yield from self._searches(name)
        if decision:
            yield self._decide(retriever, decision)

    def _prepare(self) -> _Step:
        job = SimpleNamespace(questions=ASKED)
        values = {
            "questions": ASKED,
            "raw": str(self._file),
            "settings": self._family.question_settings(job),
            "limits": self._targets.limits,
        }
        writes = {"table": _asked(paths.QUESTIONS), "judgements": _asked(paths.JUDGEMENTS)}
        return _Step("prepare_questions", {"corpus": [self._family.corpus(job)]}, writes, values)

    def _embed(self, model: str) -> _Step:
        job = SimpleNamespace(model=model, **vars(self._of_texts))
        encoders, names = self._targets.encoders, vars(job)
        reads = {"manifest": [paths.MANIFEST.format(**names)], "texts": [paths.TEXTS.format(**names)]}
        writes = {
            "embeddings": encoders.vectors(model).format(**names),
            "info": paths.EMBEDDINGS_INFO.format(**names),
            "": paths.EMBEDDINGS_TOKENS.format(**names),
        }
        values = {
            "collection": job.collection,
            "task": self._targets.of_collection("task")(job),
            "settings": self._targets.encode_settings(job),
            "connection": encoders.connection(job),
            "device": encoders.device(job),
            "call_seconds": str(encoders.call_seconds(job)),
            "limits": self._targets.limits,
            "threads": _threads(encoders.threads(job)),
        }
        return _Step("embed", reads, writes, values)

    def _searches(self, retriever: str) -> Iterator[_Step]:
        """The search, or those in all shards of the corpus and what merges them."""
        searches = self._family.searches_of(_job(retriever))
        yield from map(self._search, searches)
        if searches != [retriever]:
            runs = self._family.runs_of_shards(paths.RUN)(_job(retriever))
            reads = {"runs": runs, "questions": [_asked(paths.QUESTIONS)]}
            yield _Step("merge_shards", reads, {"run": _asked(paths.RUN, retriever=retriever)})

    def _search(self, name: str) -> _Step:
        job, family = _job(name), self._family
        reads = {
            **self._judged(job),
            "terms": family.terms(job),
            "counts": family.counts(job),
            "passages": family.passages(job),
            "documents": family.document_vectors(job),
            "documents_info": family.document_info(job),
            "queries": family.question_vectors(job),
            "queries_info": family.question_info(job),
            "index": family.index(paths.INDEX)(job),
            "runs": family.runs_of_parts(job),
            "weights": family.chosen_weights(job),
            "manifest": family.cross_encoder(job),
        }
        values = {
            "settings": family.search_settings(job),
            "device": family.search_device(job),
            "threads": _threads(family.search_threads(job)),
        }
        return _Step("search", reads, {"run": _asked(paths.RUN, retriever=name)}, values)

    def _decide(self, retriever: str, decision: str) -> _Step:
        job = SimpleNamespace(decision=decision, **vars(_job(retriever)))
        training = self._family.decision_training
        reads = {
            **self._judged(job),
            "run": [_asked(paths.RUN, retriever=retriever)],
            "training_corpora": training(paths.CORPUS)(job),
            "training_questions": training(paths.QUESTIONS)(job),
            "training_judgements": training(paths.JUDGEMENTS)(job),
            "training_runs": training(paths.RUN)(job),
        }
        decided = {"decided": _asked(paths.DECIDED, retriever=retriever, decision=decision)}
        return _Step("decide", reads, decided, {"settings": self._family.decide_settings(job)})

    def _judged(self, job: SimpleNamespace) -> dict[str, list[str]]:
        return {
            "corpus": [self._family.corpus(job)],
            "questions": [_asked(paths.QUESTIONS)],
            "judgements": [_asked(paths.JUDGEMENTS)],
        }


def in_folder(folder: Path, file: str) -> Path:
    """A file of the results tree in this folder, whatever it is called."""
    return folder.joinpath(*Path(file).parts[1:]).absolute()


def to_make_first(absent: Sequence[str], configs: Sequence[Path], *, needed_by: str, why: str) -> str:
    """What to say where files of the results are missing, with the command that makes them."""
    config = ["--configfile", *map(str, configs)] if configs else []
    command = shlex.join(["sentflow", "run", "--cores", "all", *absent, *config])
    return (
        f"the results lack {counted(len(absent), 'file')} that {needed_by} need. {why}; make them with the pipeline "
        f"first:\n{command}"
    )


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _with_questions(experiment: Experiment, corpus: str, source: Mapping[str, Any]) -> Experiment:
    """The experiment with one more question set, which nothing is judged on."""
    about = pick(experiment.entries["corpora"][corpus], "data_version", "language")
    entry = {"title": ASKED, "corpus": corpus, "questions": [source], "judgements": [], **about}

    def added(sections: AllEntries) -> AllEntries:
        return {**sections, "question_sets": {**sections["question_sets"], ASKED: entry}}

    return replace(experiment, entries=added(experiment.entries), selected=added(experiment.selected))


def _job(retriever: str) -> SimpleNamespace:
    """Wildcards of a search for the new questions."""
    return SimpleNamespace(questions=ASKED, retriever=retriever)


def _asked(pattern: str, **names: str) -> str:
    return pattern.format(questions=ASKED, **names)


def _threads(of_use: int) -> str:
    """Threads that a job has use for, as far as there are processors."""
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
    found = pick(described, *_OF_ENCODER)
    settings = {key: value for key, value in found["encode_settings"].items() if key not in _OF_ROLE}
    return found | {"encode_settings": settings}
