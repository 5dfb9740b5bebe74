"""Files and settings of the exports of retrieval: runs and judgements in TREC's form, results in MTEB's."""

import hashlib
from pathlib import Path
from typing import Any

from sentflow.config.entries import Entry
from sentflow.config.retrievers import DENSE, parts_of, task_of_mteb, tuned_on
from sentflow.exports.identity import (
    OWNER,
    REVISION_DIGITS,
    ModelFacts,
    QuestionSetName,
    RetrievalExport,
    RunExport,
    model_facts,
)
from sentflow.families.retrieval.selection import Selection
from sentflow.flow import paths
from sentflow.flow.family import each, json_text, pick, pick_known

_TEST = {
    "name": "paired t-test over questions, sign flips if differences are few",
    "correction method": "Holm, all pairs of a question set",
}
_DATA_KEYS = ("title", "licence", "citation", "homepage")
_PLAIN_KEYS = {"title", "kind", "model"}  # of a retriever that takes an encoder as it comes


class RetrievalExports:
    """What retrieval exports of the question sets and retrievers of an experiment."""

    def __init__(self, family: Selection) -> None:
        self._family = family
        self._entries = family.experiment.entries
        # The selected retrievers that are an encoder's vectors alone
        self.dense = [name for name in family.shown if family.retrievers[name]["kind"] == DENSE]
        self.law_corpora = [name for name in family.corpora if family.holds_laws(name)]

    def files(self) -> list[str]:
        sets = self._family.question_sets
        trec = [file.format(questions=name) for name in sets for file in (*self.runs(), paths.TREC_QRELS)]
        patterns = (paths.LAW_TEXT, paths.LAW_DICTIONARY, paths.LAW_ARTICLES)
        laws = [pattern.format(corpus=name) for name in self.law_corpora for pattern in patterns]
        return [*trec, *self.mteb_files(), *laws]

    def runs(self) -> list[str]:
        return each(paths.TREC_RUN, questions=["{questions}"], retriever=self._family.shown)

    def benchmarks(self, wildcards: Any) -> list[str]:
        """What the searches took whose runs are exported, as far as it is known: no search runs again for it.

        A run that was merged was searched in many jobs.
        """
        family = self._family
        merged = family.in_shards if wildcards.questions in family.sharded_sets() else ()
        files = {
            paths.benchmark("search", f"{wildcards.questions}/{name}"): paths.RUN.format(
                questions=wildcards.questions, retriever=name
            )
            for name in family.shown
            if name not in merged
        }
        return [file for file, run in files.items() if Path(file).exists() or not Path(run).exists()]

    def trec_settings(self, wildcards: Any) -> str:
        config = self._family.experiment.config
        corpus = self._family.question_sets[wildcards.questions]["corpus"]
        test = _TEST | {"measure": config.retrieval.main, "alpha": config.statistics.alpha}
        return RunExport(
            shown=tuple(self._family.shown),
            goal=config.experiment,
            evaluation={"reported measures": config.retrieval.measures, "significance test": [test]},
            collection=self._collection(wildcards.questions),
            retrievers={name: self._method(name, corpus) for name in self._family.retrievers},
        ).as_json()

    # --- MTEB -----------------------------------------------------------------------------------------------

    def mteb_files(self) -> list[str]:
        """Result files of MTEB: one per question set and dense retriever, and two about each of the latter."""
        if not self._family.judged_sets:
            return []
        tasks = [f"{task_of_mteb(name, entry)}.json" for name, entry in self._family.judged_sets.items()]
        names = [*tasks, "model_meta.json", "run_settings.jsonl"]
        folders = dict.fromkeys(self.outside(name).folder for name in self.dense)
        return [f"{paths.MTEB_RETRIEVAL_RESULTS}/{folder}/{name}" for folder in folders for name in names]

    def mteb_runs(self, pattern: str) -> list[str]:
        """A file of the run of each dense retriever, question set after question set."""
        return each(pattern, questions=self._family.judged_sets, retriever=self.dense)

    def of_sets(self, pattern: str) -> list[str]:
        """A file of each question set, or of its corpus, if there are dense retrievers; a corpus may come twice."""
        sets = self._family.judged_sets if self.dense else {}
        return [pattern.format(questions=name, corpus=entry["corpus"]) for name, entry in sets.items()]

    def manifests(self) -> list[str]:
        return each(paths.MANIFEST, model=[self._family.retrievers[name]["model"] for name in self.dense])

    def mteb_settings(self, _wildcards: Any) -> str:
        return RetrievalExport(
            question_sets={
                name: QuestionSetName(task=task_of_mteb(name, entry), language=entry["language"])
                for name, entry in self._family.judged_sets.items()
            },
            retrievers={name: self.outside(name) for name in self.dense},
        ).as_json()

    def outside(self, retriever: str) -> ModelFacts:
        """What an export says about a dense retriever.

        It is the encoder where it compares whole documents by cosine, and else a model of its own.
        """
        entry = self._family.retrievers[retriever]
        model = model_facts(entry["model"], self._family.experiment.fetched_models[entry["model"]])
        settings = {key: value for key, value in entry.items() if key not in _PLAIN_KEYS}
        if settings in ({}, {"similarity": "cosine"}):
            return model
        method = {key: value for key, value in self._method(retriever, "").items() if key != "title"}
        text = json_text({"model": pick(model, "name", "revision"), "retriever": method})
        changes = {
            "name": f"{OWNER}/{retriever}",
            "revision": hashlib.sha256(text.encode()).hexdigest()[:REVISION_DIGITS],
            "adapted_from": model.adapted_from or model.name,
        }
        return model.model_copy(update=changes)

    # --- files of the Zalo challenge ------------------------------------------------------------------------

    def law_questions(self, wildcards: Any) -> list[str]:
        """The question sets whose texts follow the articles of a corpus.

        First those that something is trained or tuned on, then those without judgements. None that is measured on: a
        language model that has read it would know the tests.
        """
        family = self._family
        tuned = [name for entry in family.retrievers.values() for name in tuned_on(entry)]
        tuned += [name for entry in family.decisions.values() for name in entry.get("tuned_on", [])]
        names = dict.fromkeys([*family.training_sets, *tuned, *family.question_sets])
        own = [name for name in names if family.prepared[name]["corpus"] == wildcards.corpus]
        return each(paths.QUESTIONS, questions=[name for name in own if name not in family.judged_sets])

    # --- helpers --------------------------------------------------------------------------------------------

    def _collection(self, name: str) -> Entry:
        entry = self._family.question_sets[name]
        corpus = self._family.corpora[entry["corpus"]]
        datasets = {one["dataset"] for one in (entry, corpus)}
        return {
            "name": entry["title"],
            "question set": name,
            "corpus": entry["corpus"],
            "qrels": paths.TREC_QRELS.rsplit("/", 1)[-1],
            "relevant from grade": entry.get("relevant_grade", 1),
            "language": entry["language"],
            "data version": entry["data_version"],
            "source": [
                pick_known(self._entries["datasets"][dataset], *_DATA_KEYS) for dataset in sorted(datasets)
            ],
        }

    def _method(self, name: str, corpus: str) -> Entry:
        """The entry of a retriever with what it names, under the words of ir_metadata where it has one."""
        entry = dict(self._family.retrievers[name])
        method = {"method": entry.pop("kind"), "title": entry.pop("title", name)}
        if "analyser" in entry:
            analyser = self._family.analyser_of(entry, corpus)
            entry.pop("analyser")
            method["indexing"] = {"analyser": analyser, **self._entries["analysers"][analyser]}
        if "model" in entry:
            model = entry.pop("model")
            outside = model_facts(model, self._family.experiment.fetched_models[model])
            method["model"] = pick(outside, "name", "revision", "adapted_from")
        if "passages" in entry:
            method["passages"] = self._entries["passages"][entry.pop("passages")]
        if "of" in entry:
            reranks = isinstance(entry["of"], str)
            method["reranks" if reranks else "interpolates"] = entry["of"] if reranks else parts_of(entry)
            entry.pop("of")
        entry.pop("files", None)
        return method | entry
