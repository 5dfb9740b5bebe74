"""New questions through the jobs of the workflow, whose files go into a folder of their own, not into the results.

New questions are one more question set on a corpus of the experiment. So the family of retrieval says which files and
settings their jobs have, as it says it of every other set, and the jobs are those of the rules.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sentflow.cli.here import in_folder, processors, refuse_missing, run_job
from sentflow.config.entries import AllEntries
from sentflow.config.experiment import Experiment
from sentflow.errors import DataError
from sentflow.families.retrieval.family import Retrieval
from sentflow.families.retrieval.parts import BY_VECTORS, QUESTIONS, all_retrievers
from sentflow.files.io import read_json
from sentflow.flow import paths
from sentflow.flow.job_settings import pick
from sentflow.flow.provenance import signature
from sentflow.flow.targets import Targets

ASKED = "new questions"  # names of a configuration have no spaces, so that none is this
_OF_ROLE = ("prompts", "prompt_names", "terms")  # those of questions differ from those of documents
_OF_ENCODER = ("kind", "revision", "files_sha256", "model_settings", "encode_settings")

# A job, and its parameters: files by their names in the results, everything else as its command line has it
_Step = tuple[str, Mapping[str, Any]]


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
        why = "Nothing is trained, downloaded or embedded here but the questions"
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
                "settings": family.question_settings(job),
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
        for name in searches:
            job = _job(name)
            yield (
                "search",
                {
                    **judged,
                    "corpus": family.corpus(job),
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
    """The files that a job reads (``In``) or writes (``Out``)."""
    job, parameters = step
    for name, kinds in signature(job).items():
        if kind in kinds and (files := parameters.get(name)):
            yield from [files] if isinstance(files, str) else files
    if (job, kind) == ("embed", "Out"):
        yield parameters["info"].replace(".json", ".tokens.npy")


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
    known = pick(described, *_OF_ENCODER)
    settings = {key: value for key, value in known["encode_settings"].items() if key not in _OF_ROLE}
    return known | {"encode_settings": settings}
