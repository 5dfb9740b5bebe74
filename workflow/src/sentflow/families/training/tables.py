"""The tables of training data in the graph: what they are made of, and what they share with the tests."""

from collections.abc import Callable, Mapping
from typing import Any

from sentflow.config.experiment import Experiment
from sentflow.config.retrievers import RERANK, RERANKED
from sentflow.config.trained import named_data, selected_data
from sentflow.exports.identity import Credit, PairCorpus
from sentflow.flow import paths
from sentflow.flow.family import Files, each, one_of, pick, raw_paths
from sentflow.training.data.entries import (
    NEAR,
    UNKNOWN_LANGUAGE,
    are_read_by_row,
    corpora_of,
    held_out_of,
    held_out_sets,
    is_asked,
    is_collected,
    is_combined,
    labeller_of,
    question_sets_of,
    raw_files_of_data,
    relations_of,
    retriever_of,
    sources_of,
)
from sentflow.training.data.forms import SCORED
from sentflow.training.data.settings import (
    AuditedData,
    CleanedPairs,
    CollectedRows,
    MinedNegatives,
    MinedRows,
    PreparedRows,
    RowChecks,
)

# Section → what one entry of it is called, the table of what is tested, and the wildcard of its name
_TABLES = {
    "tasks": ("task", paths.TASK, "task"),
    "pair_sets": ("pair set", paths.PAIR_SET, "pairs"),
    "question_sets": ("question set", paths.QUESTIONS, "questions"),
}
Test = tuple[str, str]
"""Section and name of what encoders are tested on."""
Entry = Mapping[str, Any]


class TrainingTables:
    """Files and settings of the jobs that make tables of training data and audit them."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.known = experiment.entries
        self.entries = selected_data(experiment)
        self.tests = [(section, name) for section in _TABLES for name in experiment.selected[section]]
        self.collected = [name for name, entry in self.entries.items() if is_collected(entry)]
        self.mined = [name for name, entry in self.entries.items() if is_asked(entry)]
        self.combined = [name for name, entry in self.entries.items() if is_combined(entry)]
        others = {*self.collected, *self.mined, *self.combined}
        self.of_files = [name for name in self.entries if name not in others]
        self.raw_files = [file for name in self.entries for file in self._raw_files(name)]
        audited = [name for name in named_data(experiment.trained_models) if self._audited(name)]
        self.audits = each(paths.TRAINING_AUDIT, data=audited)
        # The cards of training data that are put together of others, beside which are their shards
        self.exports = each(paths.PAIR_CORPUS_CARD, data=self.combined)
        relations = [name for data in self.combined for name in relations_of(self.entries[data])]
        self.constraints = {"data": one_of(self.entries), "relation": one_of(relations)}

    # --- files of a job -------------------------------------------------------------------------------------

    def raw_files_of(self, wildcards: Any) -> list[str]:
        return raw_paths(self._raw_files(wildcards.data))

    def copies_of_raw_files(self, wildcards: Any) -> float:
        """Memory for each byte of these; of rows read by row only digests are kept."""
        return 0.5 if are_read_by_row(self.entries[wildcards.data]) else 12

    def corpora(self, wildcards: Any) -> list[str]:
        """The corpora whose documents are rows, or that its questions search."""
        entry, sets = self.entries[wildcards.data], self.known["question_sets"]
        searched = [sets[name]["corpus"] for name in question_sets_of(entry)] if is_asked(entry) else []
        return each(paths.CORPUS, corpus=dict.fromkeys([*corpora_of(entry), *searched]))

    def questions(self, pattern: str) -> Files:
        return lambda wildcards: each(pattern, questions=question_sets_of(self.entries[wildcards.data]))

    def held_out(self, pattern: str) -> Files:
        return lambda wildcards: each(pattern, questions=held_out_sets(self.entries[wildcards.data]))

    def relations(self, wildcards: Any) -> list[str]:
        names = relations_of(self.entries[wildcards.data])
        return each(paths.CLEANED_PAIRS, data=[wildcards.data], relation=names)

    def runs(self, wildcards: Any) -> list[str]:
        """The run of each question set that negatives are taken from."""
        return self._searches(retriever_of, wildcards)

    def labels(self, wildcards: Any) -> list[str]:
        """The run of each question set whose first documents count as relevant."""
        return self._searches(labeller_of, wildcards)

    def _searches(self, searcher: Callable[[Entry], str | None], wildcards: Any) -> list[str]:
        entry = self.entries[wildcards.data]
        retriever = searcher(entry)
        return each(paths.RUN, questions=question_sets_of(entry) if retriever else [], retriever=[retriever])

    def audit(self, wildcards: Any) -> list[str]:
        file = paths.TRAINING_AUDIT.format(data=wildcards.data)
        return [file] if file in self.audits else []

    def tests_of(self, wildcards: Any) -> list[str]:
        """The tables of everything that encoders are tested on, and of what is held out of their data."""
        return _tables(self._audited(wildcards.data))

    def held_out_tables(self, wildcards: Any) -> list[str]:
        return _tables(held_out_of(self.entries[wildcards.data]))

    # --- settings of a job ----------------------------------------------------------------------------------

    def prepare_settings(self, wildcards: Any) -> str:
        name, entry = wildcards.data, self.entries[wildcards.data]
        sources = sources_of(name, entry, self.known["pair_sets"])
        return PreparedRows.from_parts(entry, sources=tuple(sources)).as_json()

    def collect_settings(self, wildcards: Any) -> str:
        return CollectedRows.from_parts(self.entries[wildcards.data]).as_json()

    def mine_settings(self, wildcards: Any) -> str:
        entry = self.entries[wildcards.data]
        searcher = self.known["retrievers"].get(retriever_of(entry) or "", {})
        is_cut = entry["form"] == SCORED and searcher.get("kind") == RERANK
        negatives = MinedNegatives(
            **entry.get("negatives", {}), scored_ranks=searcher.get("depth", RERANKED) if is_cut else None
        )
        margin = entry["pseudo_labels"]["margin"] if labeller_of(entry) else None
        return MinedRows.from_parts(entry, negatives=negatives, pseudo_margin=margin).as_json()

    def clean_settings(self, wildcards: Any) -> str:
        language = self.entries[wildcards.relation]["language"]
        known = {} if language == UNKNOWN_LANGUAGE else {"language": language}
        return CleanedPairs(tests=_named(held_out_of(self.entries[wildcards.data])), **known).as_json()

    def near(self, wildcards: Any) -> float:
        """Similarity from which two pairs are near copies."""
        return float(self.entries[wildcards.data]["combined"].get("near", NEAR))

    def audit_settings(self, wildcards: Any) -> str:
        declared = bool(self.entries[wildcards.data].get("contains_test_texts", False))
        return AuditedData(declared=declared, tests=_named(self._audited(wildcards.data))).as_json()

    def checks(self, wildcards: Any) -> str:
        files: dict[str, dict[str, Any]] = {}
        for dataset, file in self._raw_files(wildcards.data):
            files.setdefault(dataset, {})[file] = self.known["datasets"][dataset]["files"][file]
        return RowChecks.from_parts(self.entries[wildcards.data], files=files).as_json()

    def export_settings(self, wildcards: Any) -> str:
        entry, datasets = self.entries[wildcards.data], self.known["datasets"]
        relations = relations_of(entry)
        credits_of = {
            name: tuple(Credit.from_parts(datasets[one]) for one in self._datasets(name))
            for name in relations
        }
        return PairCorpus(
            **pick(entry, "title", "language"),
            near=self.near(wildcards),
            shards=entry["combined"].get("shards", 1),
            relations={name: self.known["training_data"][name]["title"] for name in relations},
            datasets=credits_of,
        ).as_json()

    # --- helpers --------------------------------------------------------------------------------------------

    def _audited(self, data: str) -> list[Test]:
        """What training data are compared with: what is tested, and what is held out of them."""
        return list(dict.fromkeys([*self.tests, *held_out_of(self.entries[data])]))

    def _datasets(self, data: str) -> list[str]:
        entry = self.entries[data]
        sets = [self.known["question_sets"][name] for name in question_sets_of(entry)]
        named = [*corpora_of(entry), *(one["corpus"] for one in sets)]
        corpora = [self.known["corpora"][name] for name in named]
        of_files = [dataset for dataset, _ in self._raw_files(data)]
        return list(dict.fromkeys([*of_files, *(one["dataset"] for one in [*corpora, *sets])]))

    def _raw_files(self, data: str) -> list[tuple[str, str]]:
        return raw_files_of_data(self.entries[data], self.known["pair_sets"])


def _tables(tests: list[Test]) -> list[str]:
    return [_TABLES[section][1].format(**{_TABLES[section][2]: name}) for section, name in tests]


def _named(tests: list[Test]) -> tuple[tuple[str, str], ...]:
    return tuple((_TABLES[section][0], name) for section, name in tests)
