"""The data of trained encoders in the graph: their raw files, their tables, and what they share with the tests."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePath
from typing import Any

from sentflow.config.experiment import Experiment
from sentflow.families.retrieval.parts import RERANK, RERANKED
from sentflow.families.training.settings import (
    known_files,
    named_data,
    prepared_by,
    selected_data,
    tested_sets,
)
from sentflow.graph import paths
from sentflow.graph.job_settings import json_text, one_of, pick, pick_known
from sentflow.training.data.collected import (
    corpora_of,
    held_out_sets,
    is_asked,
    is_collected,
    labeller_of,
    question_sets_of,
    retriever_of,
)
from sentflow.training.data.combined import (
    NEAR,
    UNKNOWN_LANGUAGE,
    held_out_of,
    is_combined,
    relations_of,
)
from sentflow.training.data.forms import SCORED
from sentflow.training.data.sources import are_read_by_row, raw_files_of, sources_of

# Section → what one entry of it is called, the table of what is tested, and the wildcard of its name
_TABLES = {
    "tasks": ("task", paths.TASK, "task"),
    "pair_sets": ("pair set", paths.PAIR_SET, "pairs"),
    "question_sets": ("question set", paths.QUESTIONS, "questions"),
}


class DataOfTraining:
    """Files and settings of the jobs that prepare training data and audit them."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.entries = selected_data(experiment)
        self.test_sets = tested_sets(experiment.selected)

    # --- what it needs and makes ----------------------------------------------------------------------------

    def raw_files(self) -> list[tuple[str, str]]:
        """See `sentflow.graph.family.Family.raw_files`."""
        return [file for name in self.entries for file in self._raw_files(name)]

    def audits(self) -> list[str]:
        """What training data and tests have in common, per training data."""
        names = named_data(self.experiment.trained_models)
        return [paths.TRAINING_AUDIT.format(data=name) for name in names if self._audited(name)]

    def exports(self) -> list[str]:
        """The cards of training data that are put together of others, beside which are their shards."""
        return [paths.PAIR_CORPUS_CARD.format(data=data) for data in self._combined()]

    # --- inputs that depend on wildcards --------------------------------------------------------------------

    def audit_of(self, wildcards: Any) -> list[str]:
        """The audit of training data, where there is one."""
        audit = paths.TRAINING_AUDIT.format(data=wildcards.data)
        return [audit] if audit in self.audits() else []

    def raw_files_of_data(self, wildcards: Any) -> list[str]:
        """The raw files that hold the rows of training data."""
        return [
            paths.RAW_FILE.format(dataset=dataset, file=file)
            for dataset, file in self._raw_files(wildcards.data)
        ]

    def copies_of_raw_files(self, wildcards: Any) -> float:
        """Memory of the job that reads them for each byte of them; of rows read by row only digests are kept."""
        return 0.5 if are_read_by_row(self.entries[wildcards.data]) else 12

    def tables_of_tests(self, wildcards: Any) -> list[str]:
        """The tables of everything that encoders are tested on, and of what is held out of their data."""
        return _tables_of(self._audited(wildcards.data))

    def digests_of_tests(self, wildcards: Any) -> list[str]:
        """The digests of these tables."""
        return _digests(self.tables_of_tests(wildcards))

    def held_out_tables(self, wildcards: Any) -> list[str]:
        """The tables of everything whose texts are in no row of training data."""
        return _tables_of(held_out_of(self.entries[wildcards.data]))

    def held_out_digests(self, wildcards: Any) -> list[str]:
        """The digests of these tables."""
        return _digests(self.held_out_tables(wildcards))

    def of_relations(self, pattern: str) -> Callable[[Any], list[str]]:
        """Function of a job: a file of each of the training data that others are put together of."""
        return lambda wildcards: [
            pattern.format(data=wildcards.data, relation=name)
            for name in relations_of(self.entries[wildcards.data])
        ]

    def of_corpora(self, pattern: str) -> Callable[[Any], list[str]]:
        """Function of a job: a file of each corpus whose documents are rows, or that its questions search."""
        return lambda wildcards: [pattern.format(corpus=name) for name in self._corpora(wildcards)]

    def of_questions(self, pattern: str) -> Callable[[Any], list[str]]:
        """Function of a job: a file of each question set."""
        return lambda wildcards: [
            pattern.format(questions=name) for name in question_sets_of(self.entries[wildcards.data])
        ]

    def of_held_out(self, pattern: str) -> Callable[[Any], list[str]]:
        """Function of a job: a file of each question set whose judged documents are in no row."""
        return lambda wildcards: [
            pattern.format(questions=name) for name in held_out_sets(self.entries[wildcards.data])
        ]

    def of_runs(self, pattern: str) -> Callable[[Any], list[str]]:
        """Function of a job: a file of the run of each question set that negatives are taken from."""
        return lambda wildcards: self._of_searches(pattern, wildcards, retriever_of)

    def of_labels(self, pattern: str) -> Callable[[Any], list[str]]:
        """Function of a job: a file of the run of each question set whose first documents count as relevant."""
        return lambda wildcards: self._of_searches(pattern, wildcards, labeller_of)

    # --- which rule makes what ------------------------------------------------------------------------------

    def read_of_files(self) -> str:
        """Regular expression of the data whose rows are those of raw files."""
        others = {*self._collected(), *self._asked(), *self._combined()}
        return one_of(name for name in self.entries if name not in others)

    def collected(self) -> str:
        """The same, of corpora and question sets."""
        return one_of(self._collected())

    def asked(self) -> str:
        """The same, of questions with relevant documents."""
        return one_of(self._asked())

    def combined(self) -> str:
        """The same, of other training data."""
        return one_of(self._combined())

    def relations(self) -> str:
        """Regular expression of the training data that others are put together of."""
        return one_of(name for data in self._combined() for name in relations_of(self.entries[data]))

    # --- settings -------------------------------------------------------------------------------------------

    def data_settings(self, wildcards: Any) -> str:
        """What decides the table of training data."""
        entry = self.entries[wildcards.data]
        sources = sources_of(entry, self.experiment.entries["pair_sets"])
        return json_text({**prepared_by(entry), "sources": sources})

    def collected_settings(self, wildcards: Any) -> str:
        """What decides the table beside corpora and questions."""
        entry = self.entries[wildcards.data]
        return json_text({**prepared_by(entry), **pick_known(entry, "split", "neighbours")})

    def cleaned_settings(self, wildcards: Any) -> str:
        """What decides the cleaned pairs of a relation beside its rows and the tests."""
        tests = [[_TABLES[section][0], name] for section, name in held_out_of(self.entries[wildcards.data])]
        language = self.entries[wildcards.relation]["language"]
        return json_text({"tests": tests, "language": None if language == UNKNOWN_LANGUAGE else language})

    def combined_settings(self, wildcards: Any) -> str:
        """What decides the table of training data beside its cleaned relations."""
        return json_text({"near": self.entries[wildcards.data]["combined"].get("near", NEAR)})

    def mined_settings(self, wildcards: Any) -> str:
        """What decides the table beside questions, documents and runs."""
        entry = self.entries[wildcards.data]
        negatives = pick_known(entry.get("negatives", {}), "ranks", "number", "choice", "seed", "margin")
        searcher = self.experiment.entries["retrievers"].get(retriever_of(entry) or "", {})
        if entry["form"] == SCORED and searcher.get("kind") == RERANK:
            negatives["scored_ranks"] = searcher.get("depth", RERANKED)
        labels = {"pseudo_labels": pick(entry["pseudo_labels"], "margin")} if labeller_of(entry) else {}
        return json_text({**prepared_by(entry), "negatives": negatives, **labels})

    def data_checks(self, wildcards: Any) -> str:
        """How many rows there must be, and the checksums of raw files: checked, but they change no byte."""
        known = known_files(self._raw_files(wildcards.data), self.experiment.entries["datasets"])
        rows = pick_known(self.entries[wildcards.data], "rows")
        return json_text({**rows, **({"files": known} if known else {})})

    def audit_settings(self, wildcards: Any) -> str:
        """What the audit says of training data and tests beside their texts."""
        return json_text(
            {
                "declared": bool(self.entries[wildcards.data].get("contains_test_texts", False)),
                "tests": [[_TABLES[section][0], name] for section, name in self._audited(wildcards.data)],
            }
        )

    def export_settings(self, wildcards: Any) -> str:
        """What the card of training data that are put together of others says of them and their sources."""
        entry, known = self.entries[wildcards.data], self.experiment.entries
        relations = relations_of(entry)
        return json_text(
            {
                **pick(entry, "title", "language"),
                "near": entry["combined"].get("near", NEAR),
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

    def _audited(self, data: str) -> list[tuple[str, str]]:
        """Section and name of what training data are compared with: what is tested, and what is held out of them."""
        return list(dict.fromkeys([*self.test_sets, *held_out_of(self.entries[data])]))

    def _of_searches(
        self, pattern: str, wildcards: Any, searcher: Callable[[Mapping[str, Any]], str | None]
    ) -> list[str]:
        entry = self.entries[wildcards.data]
        retriever = searcher(entry)
        names = question_sets_of(entry) if retriever else []
        return [pattern.format(questions=name, retriever=retriever) for name in names]

    def _collected(self) -> list[str]:
        return [name for name, entry in self.entries.items() if is_collected(entry)]

    def _datasets(self, data: str) -> list[str]:
        """The datasets that the rows of training data are from."""
        entry, known = self.entries[data], self.experiment.entries
        corpora = corpora_of(entry) + [
            known["question_sets"][name]["corpus"] for name in question_sets_of(entry)
        ]
        found = [
            *(dataset for dataset, _ in self._raw_files(data)),
            *(known["corpora"][name]["dataset"] for name in corpora),
            *(known["question_sets"][name]["dataset"] for name in question_sets_of(entry)),
        ]
        return list(dict.fromkeys(found))

    def _combined(self) -> list[str]:
        return [name for name, entry in self.entries.items() if is_combined(entry)]

    def _asked(self) -> list[str]:
        return [name for name, entry in self.entries.items() if is_asked(entry)]

    def _corpora(self, wildcards: Any) -> list[str]:
        entry, sets = self.entries[wildcards.data], self.experiment.entries["question_sets"]
        searched = [sets[name]["corpus"] for name in question_sets_of(entry)] if is_asked(entry) else []
        return list(dict.fromkeys([*corpora_of(entry), *searched]))

    def _raw_files(self, data: str) -> list[tuple[str, str]]:
        return raw_files_of(self.entries[data], self.experiment.entries["pair_sets"])


def _tables_of(sets: Iterable[tuple[str, str]]) -> list[str]:
    """The table of each section and name."""
    return [_TABLES[section][1].format(**{_TABLES[section][2]: name}) for section, name in sets]


def _digests(tables: Iterable[str]) -> list[str]:
    return [str(PurePath(table).with_suffix(".json")) for table in tables]
