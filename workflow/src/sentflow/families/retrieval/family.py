"""Retrieval: questions are searched in a corpus, and what was found is compared with judgements."""

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

from sentflow.config.experiment import Experiment
from sentflow.families.retrieval.exports import RetrievalExports
from sentflow.families.retrieval.parts import BM25, EXPLAINED
from sentflow.families.retrieval.published import published_of
from sentflow.families.retrieval.settings import JobSettings
from sentflow.flow import paths
from sentflow.flow.job_settings import one_of
from sentflow.texts.corpus_files import raw_files_of
from sentflow.texts.shards import SUFFIX_PATTERN

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


class Retrieval(JobSettings):
    """Question sets, each over a corpus, and retrievers: lexical, dense, sparse, fused, of other engines, random."""

    name = "retrieval"

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(experiment)
        self.exported = RetrievalExports(self)

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
        questions = {
            paths.QUESTIONS_DIGEST.format(questions=name): [f"question set {name}", entry["dataset"]]
            for name, entry in self.searched.items()
        }
        return corpora | questions

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
        decided = [
            *(file for name in self.question_sets for file in self._each_system(paths.DECIDED, name)),
            *self.decision_scores(),
            *self._decision_pairs(),
        ]
        measured = [*self.scores(), *tests, *self.certificates(), *self.audits()]
        return [*measured, *runs, *self.choices(), *decided]

    def audits(self) -> list[str]:
        """What is to be known about each question set, its judgements and what encoders were trained on."""
        return [paths.QUESTION_AUDIT.format(questions=name) for name in self.question_sets]

    def summaries(self) -> list[str]:
        """The summaries of scores, questions and costs, and the tests; nothing if nothing is measured."""
        indexes = [paths.SUMMARY_INDEXES] if self.certificates() else []
        stages = [paths.SUMMARY_STAGES] if self.has_stages() else []
        measured = [*_SUMMARIES, *stages, *indexes] if self.scores() else []
        decisions = [paths.SUMMARY_DECISIONS, *self._decision_pairs()] if self.decision_scores() else []
        return [*measured, *decisions, *([paths.SUMMARY_WEIGHTS] if self.weighed() else [])]

    def certificates(self) -> list[str]:
        """What each approximate index costs and saves, on each question set with judgements."""
        return self._each(paths.CERTIFICATE, self.indexed(), self.judged_sets)

    def excerpts(self) -> list[str]:
        """Questions worth reading, of each set, and the terms by which their documents are found."""
        return [*self._hard_questions(), *self._shared_terms()]

    def summary_of_scores(self) -> list[str]:
        """See `Family.summary_of_scores`."""
        return self.summaries()[:1]

    def exports(self) -> list[str]:
        """See `Family.exports`."""
        laws = [name for name, entry in self.question_sets.items() if self.holds_laws(entry["corpus"])]
        submissions = [file for name in laws for file in self._each_system(paths.SUBMISSION, name)]
        return [*self.exported.files(), *submissions]

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
                    for entry in self.of_kind(BM25).values()
                    for corpus in self.corpora
                }
            ),
            "passages": one_of(self.cuts()),
        }

    # --- for the rules --------------------------------------------------------------------------------------

    def has_stages(self) -> bool:
        """Whether the configuration names the stages of a chain."""
        return self.experiment.config.retrieval.stages is not None

    def weighed(self) -> list[str]:
        """What each weight reaches: on the sets that are shown, then on the other training sets."""
        return [
            paths.WEIGHED.format(questions=name, retriever=retriever)
            for retriever, training in self.tuned.items()
            for name in dict.fromkeys([*self.judged_sets, *training])
            if name in training or retriever in self.needed[name]
        ]

    def choices(self) -> list[str]:
        """The weights that were chosen for each fusion."""
        return [paths.CHOSEN_WEIGHTS.format(retriever=name) for name in self.tuned]

    def decision_scores(self, pattern: str = paths.DECISIONS) -> list[str]:
        """What the decisions on each question set are worth, where there are judgements."""
        return [pattern.format(questions=name) for name in self.judged_sets] if self.systems else []

    def submissions_of_set(self) -> list[str]:
        """Files for the Zalo challenge of the wildcard ``{questions}``, in the order of `decided_on`."""
        return self._each_system(paths.SUBMISSION, "{questions}")

    # --- helpers --------------------------------------------------------------------------------------------

    def _decision_pairs(self) -> list[str]:
        return [paths.DECISION_PAIRS] if self.decision_scores() else []

    def _hard_questions(self) -> list[str]:
        sets = self.judged_sets if self.scores() else {}
        return [paths.HARD_QUESTIONS.format(questions=name) for name in sets]

    def _shared_terms(self, *kinds: str) -> list[str]:
        """The shared terms of the questions worth reading, by the shown retrievers of these kinds, or of any kind."""
        names = [name for name in self.shown if self.retrievers[name]["kind"] in (kinds or EXPLAINED)]
        return self._each(paths.SHARED_TERMS, names, self.judged_sets)

    def _published(self) -> list[dict[str, Any]]:
        """What is reported of the question sets, each entry with the name of its set."""
        return published_of(self.judged_sets if self.scores() else {}, self.experiment.workflow)

    def _each(self, pattern: str, retrievers: Iterable[str], question_sets: Iterable[str]) -> list[str]:
        names = product(question_sets, retrievers)
        return [pattern.format(questions=questions, retriever=retriever) for questions, retriever in names]
