"""Retrieval: questions are searched in a corpus, and what was found is compared with judgements."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from sentflow.config.entries import Entry, read_yaml
from sentflow.config.experiment import Experiment
from sentflow.config.retrievers import EXPLAINED, counts_terms
from sentflow.families.retrieval.exports import RetrievalExports
from sentflow.families.retrieval.files import raw_files
from sentflow.families.retrieval.settings import JobSettings
from sentflow.flow import paths
from sentflow.flow.family import each
from sentflow.flow.job_settings import one_of
from sentflow.texts.shards import SUFFIX_PATTERN

_COMPARED = (
    paths.RETRIEVAL_PAIRS,
    paths.RETRIEVAL_DOCUMENT_PAIRS,
    paths.RETRIEVAL_GROUP_PAIRS,
    paths.RETRIEVAL_CLUSTERS,
    paths.RETRIEVAL_GROUPS,
    paths.RETRIEVAL_SEEDS,
)
_ORIGINS = {
    "own": "",
    "re-implemented": "A re-implementation by the source.",
    "quoted": "Copied by the source from another one.",
}
_DIGITS = 6  # more than any source prints: 70.6 / 100 is not exactly 0.706


class Retrieval(JobSettings):
    """Question sets, each over a corpus, and retrievers: lexical, dense, sparse, fused, of other engines, random."""

    name = "retrieval"

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(experiment)
        self.exported = RetrievalExports(self)
        used = [*self.prepared_corpora.values(), *self.prepared.values()]
        self.raw_files = [file for entry in used for file in raw_files(entry)]
        self.collections = self.embedded()
        self.data = {
            paths.digest(paths.CORPUS).format(corpus=name): [f"corpus {name}", entry["dataset"]]
            for name, entry in self.corpora.items()
        } | {
            paths.digest(paths.QUESTIONS).format(questions=name): [f"question set {name}", entry["dataset"]]
            for name, entry in self.searched.items()
        }
        self._set_results()
        self.selection = {"question_sets": list(self.judged_sets), "retrievers": list(self.shown)}
        lexical = filter(counts_terms, self.retrievers.values())
        analysers = {self.analyser_of(entry, corpus) for entry in lexical for corpus in self.corpora}
        self.constraints = {
            "corpus": f"(?:{one_of(self.prepared_corpora)}){SUFFIX_PATTERN}",
            "questions": one_of(self.prepared),
            "retriever": f"(?:{one_of(self.retrievers)}){SUFFIX_PATTERN}",
            "decision": one_of(self.decisions),
            "analyser": one_of(analysers),
            "passages": one_of(self.cuts()),
        }

    def _set_results(self) -> None:
        judged, shown = self.judged_sets, self.shown
        # one JSON per question set and selected retriever, question set after question set; the values per question
        self.scores, self.rows = (
            each(pattern, questions=judged, retriever=shown)
            for pattern in (paths.RETRIEVAL, paths.RETRIEVAL_ROWS)
        )
        # what each approximate index costs and saves; the weights that were chosen for each fusion
        self.certificates = each(paths.CERTIFICATE, questions=judged, retriever=self.indexed)
        self.choices = each(paths.CHOSEN_WEIGHTS, retriever=self.tuned)
        self.weighed = [
            paths.WEIGHED.format(questions=name, retriever=retriever)
            for retriever, training in self.tuned.items()
            for name in dict.fromkeys([*judged, *training])
            if name in training or retriever in self.needed[name]
        ]
        decision_scores = self.decision_scores()
        decision_pairs = [paths.DECISION_PAIRS] if decision_scores else []
        self.audits = each(paths.QUESTION_AUDIT, questions=self.question_sets)
        unjudged = [name for name in self.question_sets if name not in judged]
        self.results = [
            *(*self.scores, *(_COMPARED if self.scores else ()), *self.certificates, *self.audits),
            *(*each(paths.RUN, questions=unjudged, retriever=shown), *self.choices),
            *(file for name in self.question_sets for file in self.of_systems(paths.DECIDED, name)),
            *(*decision_scores, *decision_pairs),
        ]
        has_stages = self.experiment.config.retrieval.stages is not None
        measured = [
            *(paths.SUMMARY_RETRIEVAL, *_COMPARED, paths.RECALL),
            *(paths.QUESTION_DIFFERENCES, paths.RETRIEVAL_COSTS),
            *([paths.SUMMARY_STAGES] if has_stages else []),
            *([paths.SUMMARY_INDEXES] if self.certificates else []),
        ]
        decisions = [paths.SUMMARY_DECISIONS, *decision_pairs] if decision_scores else []
        self.summaries = [
            *(measured if self.scores else []),
            *decisions,
            *([paths.SUMMARY_WEIGHTS] if self.weighed else []),
        ]
        self.summary_of_scores = self.summaries[:1]
        # questions worth reading, of each set, and the terms by which their documents are found
        explained = [name for name in shown if self.retrievers[name]["kind"] in EXPLAINED]
        terms = each(paths.SHARED_TERMS, questions=judged, retriever=explained)
        self.excerpts = [*each(paths.HARD_QUESTIONS, questions=judged if self.scores else []), *terms]
        laws = [name for name, entry in self.question_sets.items() if self.holds_laws(entry["corpus"])]
        submissions = [file for name in laws for file in self.of_systems(paths.SUBMISSION, name)]
        self.exports = [*self.exported.files(), *submissions]
        grouped = any("group" in source for entry in judged.values() for source in entry["questions"])
        clustered = any("cluster" in entry for entry in judged.values())
        seeded = any(len(members) > 1 for members in self.seed_families().values())
        there = bool(self.scores)
        self.available = {
            "retrieval": there,
            "retrieval-clusters": there and clustered,
            "retrieval-groups": there and grouped,
            "retrieval-seeds": there and seeded,
            "retrieval-terms": bool(terms),
            "retrieval-stages": there and has_stages,
            "retrieval-indexes": bool(self.certificates),
            "retrieval-published": bool(self.published),
            "decisions": bool(decision_scores),
            "tuned fusions": bool(self.weighed),
        }

    @cached_property
    def published(self) -> Mapping[str, Any]:
        """What the entries of question sets say, then the columns of published tables that are of the same sets.

        Each is the fields of `sentflow.config.collections.Published`, with the name of the set as ``questions``.
        """
        if not self.scores:
            return {}
        tables = read_yaml(self.experiment.workflow / "catalog" / "published_retrieval.yaml").values()
        values = [
            {"questions": name, **value}
            for name, entry in self.judged_sets.items()
            for value in [
                *entry.get("published", []),
                *(value for table in tables for value in _values(table, name)),
            ]
        ]
        return {"retrieval-published": values} if values else {}

    @cached_property
    def report_facts(self) -> Mapping[str, Any]:
        if not self.scores:
            return {}
        return {
            "question_sets": self.judged_sets,
            "corpora": self.corpora,
            "retrievers": self.retrievers,
            "retrievers_left_out": self.left_out,
        }

    # --- for the rules --------------------------------------------------------------------------------------

    def run_costs(self) -> list[str]:
        """What each run on a question set with judgements cost, of those that are only fused, too."""
        return [
            file
            for name in self.judged_sets
            for file in each(paths.RUN_MADE, questions=[name], retriever=self.needed[name])
        ]

    def decision_scores(self, pattern: str = paths.DECISIONS) -> list[str]:
        """What the decisions on each question set are worth, where there are judgements."""
        return each(pattern, questions=self.judged_sets if self.systems else [])

    def submissions_of_set(self) -> list[str]:
        """Files for the Zalo challenge of the wildcard ``{questions}``, in the order of `decided_on`."""
        return self.of_systems(paths.SUBMISSION, "{questions}")


def _values(table: Mapping[str, Any], question_set: str) -> Iterator[Entry]:
    for column, about in table["columns"].items():
        if about.get("question_set") != question_set:
            continue
        for row in table["rows"]:
            if column in row["values"]:
                remarks = (
                    _ORIGINS[row["origin"]],
                    row.get("remark", ""),
                    row.get("doubts", {}).get(column, ""),
                )
                yield {
                    "system": ", ".join(filter(None, (row["system"], row.get("setting")))),
                    "measure": about["measure"],
                    "value": round(row["values"][column] / about["scale"], _DIGITS),
                    "source": table["source"],
                    "remark": " ".join(filter(None, (*remarks, *table["remarks"]))),
                }
