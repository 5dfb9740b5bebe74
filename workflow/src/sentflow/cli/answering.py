"""New questions through the jobs of the workflow: which jobs these are, and what they read of the results.

New questions are one more question set on a corpus of the experiment. So the family of retrieval says which files and
settings their jobs have, as it says it of every other set, and the jobs are those of the rules.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sentflow.cli.steps import Step
from sentflow.config.entries import AllEntries
from sentflow.config.experiment import Experiment
from sentflow.families.retrieval.family import Retrieval
from sentflow.families.retrieval.parts import BY_VECTORS, QUESTIONS, all_retrievers
from sentflow.graph import paths
from sentflow.graph.job_settings import pick
from sentflow.graph.targets import Targets

ASKED = "new questions"  # names of a configuration have no spaces, so that none is this


class Answering:
    """The jobs that answer new questions.

    Parameters
    ----------
    experiment
        That the results are of.
    corpus
        Name of what is searched.
    source
        Of the questions, as in ``question_sets``; its file is `file`.
    file
        Holds the questions.
    """

    def __init__(self, experiment: Experiment, corpus: str, source: Mapping[str, Any], file: Path) -> None:
        self._file = file
        self._targets = Targets(_with_questions(experiment, corpus, source))
        self._family: Retrieval = self._targets.families[Retrieval.name]
        self._of_texts = SimpleNamespace(collection=f"{corpus}/{QUESTIONS}")

    def steps(self, retriever: str, decision: str | None) -> list[Step]:
        """The jobs in their order: the questions, their vectors, what is fused or reranked, search, decision."""
        retrievers = self._family.retrievers
        names = all_retrievers([retriever], retrievers)
        models = [retrievers[name]["model"] for name in names if retrievers[name]["kind"] in BY_VECTORS]
        return [
            self._prepare(),
            *([self._collect()] if models else []),
            *map(self._embed, dict.fromkeys(models)),
            *(step for name in names for step in self._searches(name)),
            *([self._decide(retriever, decision)] if decision else []),
        ]

    def _prepare(self) -> Step:
        job = SimpleNamespace(questions=ASKED)
        reads = {"corpus": [self._family.corpus(job)]}
        writes = {_asked(paths.QUESTIONS): "table", _asked(paths.JUDGEMENTS): "judgements"}
        given = {
            "questions": ASKED,
            "raw": str(self._file),
            "settings": self._family.question_settings(job),
            "limits": self._targets.limits,
        }
        return Step("prepare_questions", reads, writes, given)

    def _collect(self) -> Step:
        texts = paths.TEXTS.format(**vars(self._of_texts))
        roles = self._targets.of_collection("roles")(self._of_texts)
        return Step("collect", {"tables": [_asked(paths.QUESTIONS)]}, {texts: "texts"}, {"roles": roles})

    def _embed(self, model: str) -> Step:
        job = SimpleNamespace(model=model, **vars(self._of_texts))
        encoders, names = self._targets.encoders, vars(job)
        reads = {"manifest": [paths.MANIFEST.format(**names)], "texts": [paths.TEXTS.format(**names)]}
        writes = {
            encoders.vectors(model).format(**names): "embeddings",
            paths.EMBEDDINGS_INFO.format(**names): "info",
            paths.EMBEDDINGS_TOKENS.format(**names): "",
        }
        given = {
            "collection": job.collection,
            "task": self._targets.of_collection("task")(job),
            "settings": self._targets.encode_settings(job),
            "connection": encoders.connection(job),
            "device": encoders.device(job),
            "call_seconds": str(encoders.call_seconds(job)),
            "limits": self._targets.limits,
            "threads": _threads(encoders.threads(job)),
        }
        return Step("embed", reads, writes, given)

    def _searches(self, retriever: str) -> Iterator[Step]:
        """The search, or those in all shards of the corpus and what merges them."""
        job = _job(retriever)
        searches = self._family.searches_of(job)
        yield from map(self._search, searches)
        if searches != [retriever]:
            runs = self._family.runs_of_shards(paths.RUN)(job)
            reads = {"runs": runs, "questions": [_asked(paths.QUESTIONS)]}
            yield Step("merge_shards", reads, {_asked(paths.RUN, retriever=retriever): "run"})

    def _search(self, name: str) -> Step:
        job, family = _job(name), self._family
        given = {
            "settings": family.search_settings(job),
            "device": family.search_device(job),
            "threads": _threads(family.search_threads(job)),
        }
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
        return Step("search", reads, {_asked(paths.RUN, retriever=name): "run"}, given)

    def _decide(self, retriever: str, decision: str) -> Step:
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
        output = _asked(paths.DECIDED, retriever=retriever, decision=decision)
        return Step("decide", reads, {output: "decided"}, {"settings": self._family.decide_settings(job)})

    def _judged(self, job: SimpleNamespace) -> dict[str, list[str]]:
        return {
            "corpus": [self._family.corpus(job)],
            "questions": [_asked(paths.QUESTIONS)],
            "judgements": [_asked(paths.JUDGEMENTS)],
        }


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
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return str(min(of_use, there))
