"""New questions through the jobs of the workflow, whose files go into a folder of their own, not into the results.

New questions are one more question set on a corpus of the experiment. So the family of retrieval says which files and
settings their jobs have, as it says it of every other set, and the jobs are those of the rules.
"""

import os
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from sentflow.graph import paths
from sentflow.graph.job_settings import pick
from sentflow.graph.provenance import signature
from sentflow.graph.targets import Targets
from sentflow.jobs.job import job_named, option_of
from sentflow.report.numbers import counted
from sentflow.texts.shards import whole_of

ASKED = "new questions"  # names of a configuration have no spaces, so that none is this
_VECTORS = ("documents_info", "asked_info")
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
    """The jobs that answer new questions.

    Parameters
    ----------
    experiment
        That the results are of.
    corpus
        Name of what is searched.
    source, file
        Of the questions, as in ``question_sets``, and where its file is.
    retriever, decision
        Names; None decides nothing.
    """

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
        """Run the jobs one after the other, into a folder that is laid out like the results.

        Yields
        ------
        str
            The name of each, before it is run.

        Raises
        ------
        SentflowError
            That of the job; or the documents were embedded by another encoder, or with other settings, than the
            questions.
        """

        def place(file: str) -> Path:
            return in_folder(work if file in self._made else results, file)

        for step in self._steps:
            yield step.job
            if _VECTORS[0] in step.reads:
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
            roles = self._targets.roles_of_collection(self._of_texts)
            yield _Step("collect", {"tables": [_asked(paths.QUESTIONS)]}, {"texts": texts}, {"roles": roles})
        yield from map(self._embed, models)
        for name in names:
            yield from self._searches(name)
        if decision:
            job = SimpleNamespace(questions=ASKED, retriever=retriever, decision=decision)
            settings = {"settings": self._family.decide_settings(job)}
            decided = {"decided": _asked(paths.DECIDED, retriever=retriever, decision=decision)}
            yield _Step("decide", self._reads("decide", job), decided, settings)

    def _prepare(self) -> _Step:
        job = SimpleNamespace(questions=ASKED)
        values = {
            "questions": ASKED,
            "raw": str(self._file),
            "settings": self._family.question_settings(job),
            "limits": self._targets.limits(),
        }
        writes = {"table": _asked(paths.QUESTIONS), "judgements": _asked(paths.JUDGEMENTS)}
        return _Step(
            "prepare_questions", {"corpus": [self._family.of_corpus(paths.CORPUS)(job)]}, writes, values
        )

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
            "task": self._targets.task_of_collection(job),
            "settings": self._targets.encode_settings(job),
            "connection": encoders.connection(job),
            "device": encoders.device(job),
            "call_seconds": str(encoders.call_seconds(job)),
            "limits": self._targets.limits(),
            "threads": _threads(encoders.threads(job)),
        }
        return _Step("embed", reads, writes, values)

    def _searches(self, retriever: str) -> Iterator[_Step]:
        """The search, or those in all shards of the corpus and what merges them."""
        searches = self._family.searches_of(SimpleNamespace(questions=ASKED, retriever=retriever))
        for name in searches:
            job = SimpleNamespace(questions=ASKED, retriever=name)
            rule = self._family.rule_of(whole_of(name))
            values = {"settings": self._family.search_settings(job)}
            if rule == "rerank":
                values["device"] = self._family.reranking_device(job)
                values["threads"] = _threads(self._family.reranking_threads(job))
            yield _Step(rule, self._reads(rule, job), {"run": _asked(paths.RUN, retriever=name)}, values)
        if searches != [retriever]:
            job = SimpleNamespace(questions=ASKED, retriever=retriever)
            reads = self._reads("merge_shards", job)
            yield _Step("merge_shards", reads, {"run": _asked(paths.RUN, retriever=retriever)})

    def _reads(self, rule: str, job: SimpleNamespace) -> dict[str, list[str]]:
        """What a search, or a decision, reads: parameters of its function → files."""
        family = self._family
        training = family.training_runs
        known: dict[str, Callable[[Any], str | Sequence[str]]] = {
            "corpus": family.of_corpus(paths.CORPUS),
            "questions": lambda _: _asked(paths.QUESTIONS),
            "judgements": lambda _: _asked(paths.JUDGEMENTS),
            "terms": family.terms(paths.TERMS),
            "counts": family.counts(paths.TERM_COUNTS),
            "index": family.of_index(paths.INDEX),
            "documents": family.document_vectors,
            "documents_info": family.document_info,
            "asked": family.question_vectors,
            "asked_info": family.question_info,
            "passages": family.passages,
            "runs": family.runs_of_shards(paths.RUN) if rule == "merge_shards" else family.runs_of_parts,
            "base": family.runs_of_parts,
            "chosen": family.chosen_weights(paths.CHOSEN_WEIGHTS),
            "manifest": family.manifest,
            "run": lambda job: _asked(paths.RUN, retriever=job.retriever),
            "training_corpora": training(paths.CORPUS),
            "training_questions": training(paths.QUESTIONS),
            "training_judgements": training(paths.JUDGEMENTS),
            "training_runs": training(paths.RUN),
        }
        files = {name: known[name](job) for name, words in signature(rule).items() if "In" in words}
        return {name: [found] if isinstance(found, str) else list(found) for name, found in files.items()}


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
