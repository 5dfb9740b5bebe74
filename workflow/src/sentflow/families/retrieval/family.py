"""Retrieval: questions are searched in a corpus, and what was found is compared with judgements."""

from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import Any

from sentflow.config.entries import Entry
from sentflow.config.experiment import Experiment
from sentflow.families.retrieval.exports import RetrievalExports
from sentflow.families.retrieval.parts import (
    BM25,
    DENSE,
    EXPLAINED,
    FUSION,
    RANDOM,
    RERANK,
    RUN,
    SPARSE,
    parts_of,
)
from sentflow.families.retrieval.products import PRODUCTS
from sentflow.families.retrieval.published import published_of
from sentflow.families.retrieval.tuned import TunedRetrieval
from sentflow.graph import paths
from sentflow.graph.job_settings import one_of
from sentflow.texts.corpus_files import raw_files_of
from sentflow.texts.shards import SUFFIX_PATTERN

_RULES = {
    BM25: "search_terms",
    DENSE: "search_vectors",
    SPARSE: "search_sparse",
    FUSION: "fuse",
    RERANK: "rerank",
    RUN: "read_run",
    RANDOM: "search_randomly",
}
_COMPARED = (
    paths.RETRIEVAL_PAIRS,
    paths.RETRIEVAL_DOCUMENT_PAIRS,
    paths.RETRIEVAL_GROUP_PAIRS,
    paths.RETRIEVAL_CLUSTERS,
    paths.RETRIEVAL_GROUPS,
    paths.RETRIEVAL_SEEDS,
)
_SUMMARIES = (
    paths.SUMMARY_RETRIEVAL,
    *_COMPARED,
    paths.RECALL,
    paths.QUESTION_DIFFERENCES,
    paths.RETRIEVAL_COSTS,
)


class Retrieval(TunedRetrieval):
    """Question sets, each over a corpus, and retrievers: lexical, dense, sparse, fused, of other engines, random."""

    name = "retrieval"
    products = PRODUCTS
    has_section = True

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(experiment)
        self.exported = RetrievalExports(self, self.rule_of)

    # --- what it needs --------------------------------------------------------------------------------------

    def raw_files(self) -> list[tuple[str, str]]:
        """See `Family.raw_files`."""
        used = [*self.prepared_corpora.values(), *self.prepared.values()]
        return [(entry["dataset"], file) for entry in used for file in raw_files_of(entry)]

    def data(self) -> dict[str, list[str]]:
        """See `Family.data`."""
        corpora = {
            paths.CORPUS_DIGEST.format(corpus=name): [f"corpus {name}", entry["dataset"]]
            for name, entry in self.corpora.items()
        }
        asked = {
            paths.QUESTIONS_DIGEST.format(questions=name): [f"question set {name}", entry["dataset"]]
            for name, entry in self.searched.items()
        }
        return corpora | asked

    # --- what it makes --------------------------------------------------------------------------------------

    def runs(self) -> list[str]:
        """The run of every retriever on every question set, those that are only fused included."""
        return [
            path for name, needed in self.needed.items() for path in self._each(paths.RUN, needed, [name])
        ]

    def run_costs(self) -> list[str]:
        """What each of `runs` on question sets with judgements cost."""
        return [
            path
            for name in self.judged_sets
            for path in self._each(paths.RUN_MADE, self.needed[name], [name])
        ]

    def scores(self) -> list[str]:
        """One JSON per question set and selected retriever, question set after question set."""
        return self._each(paths.RETRIEVAL, self.shown, self.judged_sets)

    def rows(self) -> list[str]:
        """The values per question, in the order of `scores`."""
        return self._each(paths.RETRIEVAL_ROWS, self.shown, self.judged_sets)

    def results(self) -> list[str]:
        """Scores, tests between retrievers, audits, decisions; the runs of question sets without judgements."""
        unjudged = [name for name in self.question_sets if name not in self.judged_sets]
        runs = self._each(paths.RUN, self.shown, unjudged)
        tests = _COMPARED if self.scores() else []
        return [*self.scores(), *tests, *self.certificates(), *self.audits(), *runs, *self.chosen()]

    def audits(self) -> list[str]:
        """What is to be known about each question set, its judgements and what encoders were trained on."""
        return [paths.QUESTION_AUDIT.format(questions=name) for name in self.question_sets]

    def summaries(self) -> list[str]:
        """The summaries of scores, questions and costs, and the tests; nothing if nothing is measured."""
        indexes = [paths.SUMMARY_INDEXES] if self.certificates() else []
        stages = [paths.SUMMARY_STAGES] if self.has_stages() else []
        found = [*_SUMMARIES, *stages, *indexes] if self.scores() else []
        return [*found, *self.summaries_of_chosen()]

    def certificates(self) -> list[str]:
        """What each approximate index costs and saves, on each question set with judgements."""
        return self._each(paths.CERTIFICATE, self._indexed(), self.judged_sets)

    def excerpts(self) -> list[str]:
        """Questions worth reading, of each set, and the terms by which their documents are found."""
        return [*self._hard_questions(), *self._shared_terms()]

    def summary_of_scores(self) -> list[str]:
        """See `Family.summary_of_scores`."""
        return self.summaries()[:1]

    def exports(self) -> list[str]:
        """See `Family.exports`."""
        return [*self.exported.files(), *self.submissions()]

    def available(self) -> Mapping[str, bool]:
        """See `Family.available`."""
        there = bool(self.scores())
        sets = self.judged_sets.values()
        grouped = any("group" in source for entry in sets for source in entry["questions"])
        clustered = any("cluster" in entry for entry in sets)
        seeded = any(len(members) > 1 for members in self.seed_families().values())
        return {
            "retrieval": there,
            "retrieval-clusters": there and clustered,
            "retrieval-groups": there and grouped,
            "retrieval-seeds": there and seeded,
            "retrieval-terms": bool(self._shared_terms()),
            "retrieval-stages": there and self.has_stages(),
            "retrieval-indexes": bool(self.certificates()),
            "retrieval-published": bool(self._published()),
            "decisions": bool(self.decision_scores()),
            "tuned fusions": bool(self.weighed()),
        }

    def published(self) -> Mapping[str, Any]:
        """See `Family.published`."""
        return {"retrieval-published": self._published()} if self._published() else {}

    def asked(self) -> dict[str, Any]:
        """See `Family.asked`."""
        return {"question_sets": list(self.judged_sets), "retrievers": list(self.shown)}

    def told(self) -> dict[str, Any]:
        """See `Family.told`."""
        if not self.scores():
            return {}
        return {
            "question_sets": self.judged_sets,
            "corpora": self.corpora,
            "retrievers": self.retrievers,
            "retrievers_left_out": self.left_out,
        }

    def constraints(self) -> Mapping[str, str]:
        """Corpora, question sets, ways to cut and to analyse that are used."""
        return {
            "corpus": f"(?:{one_of(self.prepared_corpora)}){SUFFIX_PATTERN}",
            "questions": one_of(self.prepared),
            "retriever": f"(?:{one_of(self.retrievers)}){SUFFIX_PATTERN}",
            "decision": one_of(self.decisions),
            "analyser": one_of(
                {
                    self.analyser_of(entry, corpus)
                    for entry in self._of_kind(BM25).values()
                    for corpus in self.corpora
                }
            ),
            "passages": one_of(self._cuts()),
        }

    def rule_of(self, retriever: str) -> str:
        """The rule that searches by a retriever."""
        entry = self.retrievers[retriever]
        return "search_index" if "index" in entry else _RULES[entry["kind"]]

    def indexed(self) -> str:
        """Regular expression of the retrievers with an approximate index."""
        return one_of(self._indexed())

    # --- inputs that depend on wildcards --------------------------------------------------------------------

    def raw_files_of_corpus(self, wildcards: Any) -> list[str]:
        """The raw files that hold the documents of a corpus."""
        return _raw_paths(self.prepared_corpora[wildcards.corpus])

    def raw_files_of_questions(self, wildcards: Any) -> list[str]:
        """The raw files that hold the questions of a set and their judgements."""
        return _raw_paths(self.prepared[wildcards.questions])

    def of_training(self, pattern: str) -> Callable[[Any], list[str]]:
        """Function of a job: a file of each question set that encoders were trained on."""
        return lambda wildcards: [pattern.format(questions=name) for name in self._training(wildcards)]

    def of_training_corpora(self, pattern: str) -> Callable[[Any], list[str]]:
        """Function of a job: a file of the corpus of each of them; one that several share comes once."""
        return lambda wildcards: list(
            dict.fromkeys(
                pattern.format(corpus=self.prepared[name]["corpus"]) for name in self._training(wildcards)
            )
        )

    def leaks(self, wildcards: Any) -> list[str]:
        """What says which questions are known from training; nothing where no training set is named."""
        return (
            [paths.QUESTION_AUDIT.format(questions=wildcards.questions)] if self._training(wildcards) else []
        )

    def runs_of_parts(self, wildcards: Any) -> list[str]:
        """The runs that are fused, in the order of their weights, or the one that is reranked."""
        names = parts_of(self._retriever(wildcards))
        return [paths.RUN.format(questions=wildcards.questions, retriever=name) for name in names]

    def shown_runs(self, wildcards: Any) -> list[str]:
        """The runs of the retrievers that are shown, in their order."""
        return self._shown(paths.RUN, wildcards)

    def shown_run_digests(self, wildcards: Any) -> list[str]:
        """The digests of `shown_runs`."""
        return self._shown(paths.RUN_DIGEST, wildcards)

    def shown_scores(self, wildcards: Any) -> list[str]:
        """Their means."""
        return self._shown(paths.RETRIEVAL, wildcards)

    def shown_rows(self, wildcards: Any) -> list[str]:
        """Their values per question."""
        return self._shown(paths.RETRIEVAL_ROWS, wildcards)

    def digests_of_parts(self, wildcards: Any) -> list[str]:
        """The digests of `runs_of_parts`."""
        names = parts_of(self._retriever(wildcards))
        return [paths.RUN_DIGEST.format(questions=wildcards.questions, retriever=name) for name in names]

    def of_index(self, pattern: str) -> Callable[[Any], str]:
        """Function of a job: a file of the index that it searches."""
        return lambda wildcards: pattern.format(corpus=self._corpus(wildcards), retriever=wildcards.retriever)

    def manifest(self, wildcards: Any) -> str:
        """What was fetched of the encoder of a retriever."""
        return paths.MANIFEST.format(model=self._retriever(wildcards)["model"])

    def run_file(self, wildcards: Any) -> str:
        """The run of another engine, in TREC's form."""
        return str(self._retriever(wildcards)["files"][wildcards.questions])

    # --- helpers --------------------------------------------------------------------------------------------

    def _hard_questions(self) -> list[str]:
        asked = self.judged_sets if self.scores() else {}
        return [paths.HARD_QUESTIONS.format(questions=name) for name in asked]

    def _shared_terms(self, *kinds: str) -> list[str]:
        """The shared terms of the questions worth reading, by the shown retrievers of these kinds, or of any kind."""
        found = [name for name in self.shown if self.retrievers[name]["kind"] in (kinds or EXPLAINED)]
        return self._each(paths.SHARED_TERMS, found, self.judged_sets)

    def _published(self) -> list[dict[str, Any]]:
        """What is reported of the question sets, each entry with the name of its set."""
        return published_of(self.judged_sets if self.scores() else {}, self.experiment.workflow)

    def _each(self, pattern: str, retrievers: Iterable[str], question_sets: Iterable[str]) -> list[str]:
        names = product(question_sets, retrievers)
        return [pattern.format(questions=questions, retriever=retriever) for questions, retriever in names]

    def _shown(self, pattern: str, wildcards: Any) -> list[str]:
        return [pattern.format(questions=wildcards.questions, retriever=name) for name in self.shown]


def _raw_paths(entry: Entry) -> list[str]:
    return [paths.RAW_FILE.format(dataset=entry["dataset"], file=file) for file in raw_files_of(entry)]
