"""The tables of training data in the graph: what they are made of, and what they share with the tests."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import PurePath
from typing import Any

from sentflow.config.experiment import Experiment
from sentflow.families.retrieval.parts import RERANK, RERANKED
from sentflow.families.training.needs import named_data, selected_data
from sentflow.flow import paths
from sentflow.flow.job_settings import json_text, one_of, pick, pick_known
from sentflow.training.data.entries import (
    NEAR,
    UNKNOWN_LANGUAGE,
    corpora_of,
    held_out_of,
    held_out_sets,
    is_asked,
    is_collected,
    is_combined,
    labeller_of,
    question_sets_of,
    relations_of,
    retriever_of,
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
from sentflow.training.data.sources import are_read_by_row, raw_files_of, sources_of

# Section → what one entry of it is called, the table of what is tested, and the wildcard of its name
_TABLES = {
    "tasks": ("task", paths.TASK, "task"),
    "pair_sets": ("pair set", paths.PAIR_SET, "pairs"),
    "question_sets": ("question set", paths.QUESTIONS, "questions"),
}
# What decides rows wherever they are from
_CHOICE = ("form", "nli", "least_characters", "drop_repeated", "limit", "shuffled_positives")

Test = tuple[str, str]
"""Section and name of what encoders are tested on."""
Files = Callable[[Any], list[str]]
"""Function of a job: its files."""


class TrainingTables:
    """Files and settings of the jobs that make tables of training data and audit them."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.entries = selected_data(experiment)
        self.tests = [(section, name) for section in _TABLES for name in experiment.selected[section]]
        self.collected = self._where(is_collected)
        self.mined = self._where(is_asked)
        self.combined = self._where(is_combined)
        self.of_files = [
            name for name in self.entries if name not in (*self.collected, *self.mined, *self.combined)
        ]

    def _where(self, condition: Callable[[Mapping[str, Any]], bool]) -> list[str]:
        return [name for name, entry in self.entries.items() if condition(entry)]

    def raw_files(self) -> list[tuple[str, str]]:
        """(dataset, file) of every raw file."""
        return [file for name in self.entries for file in self._raw_files(name)]

    def audits(self) -> list[str]:
        """What training data and tests have in common, per training data."""
        names = named_data(self.experiment.trained_models)
        return [paths.TRAINING_AUDIT.format(data=name) for name in names if self._audited(name)]

    def exports(self) -> list[str]:
        """The cards of training data that are put together of others, beside which are their shards."""
        return [paths.PAIR_CORPUS_CARD.format(data=data) for data in self.combined]

    def relation_names(self) -> str:
        """Regular expression of the training data that others are put together of."""
        return one_of(name for data in self.combined for name in relations_of(self.entries[data]))

    # --- files of a job -------------------------------------------------------------------------------------

    def raw_files_of(self, wildcards: Any) -> list[str]:
        """The raw files that hold its rows."""
        named = self._raw_files(wildcards.data)
        return [paths.RAW_FILE.format(dataset=dataset, file=file) for dataset, file in named]

    def copies_of_raw_files(self, wildcards: Any) -> float:
        """Memory for each byte of these; of rows read by row only digests are kept."""
        return 0.5 if are_read_by_row(self.entries[wildcards.data]) else 12

    def corpora(self, pattern: str) -> Files:
        """A file of each corpus whose documents are rows, or that its questions search."""
        return self._each(pattern, "corpus", self._corpora)

    def questions(self, pattern: str) -> Files:
        """A file of each question set."""
        return self._each(pattern, "questions", question_sets_of)

    def held_out(self, pattern: str) -> Files:
        """A file of each question set whose judged documents are in no row."""
        return self._each(pattern, "questions", held_out_sets)

    def relations(self, pattern: str) -> Files:
        """A file of each of the training data that it is put together of."""
        return self._each(pattern, "relation", relations_of)

    def runs(self, pattern: str) -> Files:
        """A file of the run of each question set that negatives are taken from."""
        return partial(self._searches, pattern, retriever_of)

    def labels(self, pattern: str) -> Files:
        """A file of the run of each question set whose first documents count as relevant."""
        return partial(self._searches, pattern, labeller_of)

    def audit(self, wildcards: Any) -> list[str]:
        """The audit of training data, where there is one."""
        file = paths.TRAINING_AUDIT.format(data=wildcards.data)
        return [file] if file in self.audits() else []

    def tables_of_tests(self, wildcards: Any) -> list[str]:
        """The tables of everything that encoders are tested on, and of what is held out of their data."""
        return _tables(self._audited(wildcards.data))

    def digests_of_tests(self, wildcards: Any) -> list[str]:
        """The digests of these tables."""
        return _digests(self.tables_of_tests(wildcards))

    def held_out_tables(self, wildcards: Any) -> list[str]:
        """The tables of everything whose texts are in no row."""
        return _tables(held_out_of(self.entries[wildcards.data]))

    def held_out_digests(self, wildcards: Any) -> list[str]:
        """The digests of these tables."""
        return _digests(self.held_out_tables(wildcards))

    # --- settings of a job ----------------------------------------------------------------------------------

    def prepare_settings(self, wildcards: Any) -> str:
        """What decides the table of rows of files."""
        name, entry = wildcards.data, self.entries[wildcards.data]
        sources = sources_of(name, entry, self.experiment.entries["pair_sets"])
        return PreparedRows(sources=tuple(sources), **pick_known(entry, *_CHOICE, "unscored")).as_json()

    def collect_settings(self, wildcards: Any) -> str:
        """What decides the table beside corpora and questions."""
        entry = self.entries[wildcards.data]
        return CollectedRows(**pick_known(entry, *_CHOICE, "split", "neighbours")).as_json()

    def mine_settings(self, wildcards: Any) -> str:
        """What decides the table beside questions, documents and runs."""
        entry = self.entries[wildcards.data]
        searcher = self.experiment.entries["retrievers"].get(retriever_of(entry) or "", {})
        is_cut = entry["form"] == SCORED and searcher.get("kind") == RERANK
        negatives = MinedNegatives(
            **entry.get("negatives", {}), scored_ranks=searcher.get("depth", RERANKED) if is_cut else None
        )
        margin = entry["pseudo_labels"]["margin"] if labeller_of(entry) else None
        return MinedRows(negatives=negatives, pseudo_margin=margin, **pick_known(entry, *_CHOICE)).as_json()

    def clean_settings(self, wildcards: Any) -> str:
        """What decides the cleaned pairs of a relation beside its rows and the tests."""
        language = self.entries[wildcards.relation]["language"]
        known = {} if language == UNKNOWN_LANGUAGE else {"language": language}
        return CleanedPairs(tests=_named(held_out_of(self.entries[wildcards.data])), **known).as_json()

    def near(self, wildcards: Any) -> float:
        """Similarity from which two pairs are near copies."""
        return float(self.entries[wildcards.data]["combined"].get("near", NEAR))

    def audit_settings(self, wildcards: Any) -> str:
        """What the audit says of training data and tests beside their texts."""
        declared = bool(self.entries[wildcards.data].get("contains_test_texts", False))
        return AuditedData(declared=declared, tests=_named(self._audited(wildcards.data))).as_json()

    def checks(self, wildcards: Any) -> str:
        """How many rows there must be, and the checksums of raw files that are not written by the project."""
        files: dict[str, dict[str, Any]] = {}
        for dataset, file in self._raw_files(wildcards.data):
            entry = self.experiment.entries["datasets"][dataset]["files"][file]
            if "generator" not in entry:
                files.setdefault(dataset, {})[file] = entry
        return RowChecks(files=files, **pick_known(self.entries[wildcards.data], "rows")).as_json()

    def export_settings(self, wildcards: Any) -> str:
        """What the card of training data that are put together of others says of them and their sources."""
        entry, known = self.entries[wildcards.data], self.experiment.entries
        relations = relations_of(entry)
        return json_text(
            {
                **pick(entry, "title", "language"),
                "near": self.near(wildcards),
                "shards": entry["combined"].get("shards", 1),
                "relations": {name: known["training_data"][name]["title"] for name in relations},
                "datasets": {
                    name: [
                        pick(known["datasets"][dataset], "title", "licence", "citation")
                        for dataset in self._datasets(name)
                    ]
                    for name in relations
                },
            }
        )

    # --- helpers --------------------------------------------------------------------------------------------

    def _each(self, pattern: str, key: str, names: Callable[[Mapping[str, Any]], list[str]]) -> Files:
        return lambda wildcards: [
            pattern.format(**{"data": wildcards.data, key: name})
            for name in names(self.entries[wildcards.data])
        ]

    def _searches(
        self, pattern: str, searcher: Callable[[Mapping[str, Any]], str | None], wildcards: Any
    ) -> list[str]:
        entry = self.entries[wildcards.data]
        retriever = searcher(entry)
        names = question_sets_of(entry) if retriever else []
        return [pattern.format(questions=name, retriever=retriever) for name in names]

    def _audited(self, data: str) -> list[Test]:
        """What training data are compared with: what is tested, and what is held out of them."""
        return list(dict.fromkeys([*self.tests, *held_out_of(self.entries[data])]))

    def _datasets(self, data: str) -> list[str]:
        """The datasets that the rows of training data are from."""
        entry, known = self.entries[data], self.experiment.entries
        sets = [known["question_sets"][name] for name in question_sets_of(entry)]
        corpora = [known["corpora"][name] for name in [*corpora_of(entry), *(one["corpus"] for one in sets)]]
        of_files = [dataset for dataset, _ in self._raw_files(data)]
        return list(dict.fromkeys([*of_files, *(one["dataset"] for one in [*corpora, *sets])]))

    def _corpora(self, entry: Mapping[str, Any]) -> list[str]:
        sets = self.experiment.entries["question_sets"]
        searched = [sets[name]["corpus"] for name in question_sets_of(entry)] if is_asked(entry) else []
        return list(dict.fromkeys([*corpora_of(entry), *searched]))

    def _raw_files(self, data: str) -> list[tuple[str, str]]:
        return raw_files_of(self.entries[data], self.experiment.entries["pair_sets"])


def _tables(tests: list[Test]) -> list[str]:
    return [_TABLES[section][1].format(**{_TABLES[section][2]: name}) for section, name in tests]


def _digests(tables: list[str]) -> list[str]:
    return [str(PurePath(table).with_suffix(".json")) for table in tables]


def _named(tests: list[Test]) -> tuple[tuple[str, str], ...]:
    """What each is, and its name."""
    return tuple((_TABLES[section][0], name) for section, name in tests)
