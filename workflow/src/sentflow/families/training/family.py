"""Training: encoders that are made here, and the data that they are trained on."""

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from sentflow.families.training.config import TRAINING
from sentflow.families.training.products import PRODUCTS
from sentflow.families.training.settings import known_files, prepared_by, selected_data, tested_sets
from sentflow.families.training.studies import Studies
from sentflow.graph import paths
from sentflow.graph.config.experiment import Experiment
from sentflow.graph.family import Family
from sentflow.graph.job_settings import json_text, one_of, pick_known
from sentflow.training.data.sources import raw_files_of, sources_of

# Section → what one entry of it is called, the table of what is tested, and the wildcard of its name
_TABLES = {
    "tasks": ("task", paths.TASK, "task"),
    "pair_sets": ("pair set", paths.PAIR_SET, "pairs"),
    "question_sets": ("question set", paths.QUESTIONS, "questions"),
}


class Training(Family):
    """The data of the selected trained encoders, and what they have in common with what is tested."""

    name = "training"
    config = TRAINING
    position = 5
    products = PRODUCTS

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(experiment)
        self.training_data = selected_data(experiment)
        self.test_sets = tested_sets(experiment.selected)
        self.studies = Studies(experiment)

    # --- what it needs and makes ----------------------------------------------------------------------------

    def raw_files(self) -> list[tuple[str, str]]:
        """See `Family.raw_files`."""
        return [file for name in self.training_data for file in self._raw_files(name)]

    def audits(self) -> list[str]:
        """What training data and tests have in common, per training data."""
        names = self.training_data if self.test_sets else ()
        return [paths.TRAINING_AUDIT.format(data=name) for name in names]

    def results(self) -> list[str]:
        """See `Family.results`."""
        return [*self.audits(), *self.studies.comparisons()]

    def summaries(self) -> list[str]:
        """See `Family.summaries`."""
        return [paths.SUMMARY_TRAINING, *self.studies.comparisons()] if self.studies.groups else []

    def available(self) -> Mapping[str, bool]:
        """See `Family.available`."""
        return self.studies.available()

    def published(self) -> Mapping[str, Any]:
        """See `Family.published`."""
        return self.studies.published()

    def jobs(self) -> Mapping[str, int]:
        """See `Family.jobs`."""
        return {
            "prepare_training": len(self.training_data),
            "audit_training": len(self.audits()),
            "compare_training": len(self.studies.comparisons()),
        }

    def constraints(self) -> Mapping[str, str]:
        """The data that are needed."""
        return {"data": one_of(self.training_data)}

    # --- inputs that depend on wildcards --------------------------------------------------------------------

    def raw_files_of_data(self, wildcards: Any) -> list[str]:
        """The raw files that hold the rows of training data."""
        return [
            paths.RAW_FILE.format(dataset=dataset, file=file)
            for dataset, file in self._raw_files(wildcards.data)
        ]

    def tables_of_tests(self, _wildcards: Any) -> list[str]:
        """The tables of everything that encoders are tested on."""
        return [_TABLES[section][1].format(**{_TABLES[section][2]: name}) for section, name in self.test_sets]

    def digests_of_tests(self, wildcards: Any) -> list[str]:
        """The digests of these tables."""
        return [str(PurePath(table).with_suffix(".json")) for table in self.tables_of_tests(wildcards)]

    # --- settings -------------------------------------------------------------------------------------------

    def data_settings(self, wildcards: Any) -> str:
        """What decides the table of training data."""
        entry = self.training_data[wildcards.data]
        sources = sources_of(entry, self.experiment.entries["pair_sets"])
        return json_text({**prepared_by(entry), "sources": sources})

    def data_checks(self, wildcards: Any) -> str:
        """How many rows there must be, and the checksums of raw files: checked, but they change no byte."""
        known = known_files(self._raw_files(wildcards.data), self.experiment.entries["datasets"])
        rows = pick_known(self.training_data[wildcards.data], "rows")
        return json_text({**rows, **({"files": known} if known else {})})

    def audit_settings(self, wildcards: Any) -> str:
        """What the audit says of training data and tests beside their texts."""
        return json_text(
            {
                "declared": bool(self.training_data[wildcards.data].get("contains_test_texts", False)),
                "tests": [[_TABLES[section][0], name] for section, name in self.test_sets],
            }
        )

    # --- helpers --------------------------------------------------------------------------------------------

    def _raw_files(self, data: str) -> list[tuple[str, str]]:
        return raw_files_of(self.training_data[data], self.experiment.entries["pair_sets"])


FAMILY = Training
