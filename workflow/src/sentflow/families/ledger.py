"""The ledger: every published number of the catalog beside what the other families of a run found."""

from collections.abc import Mapping

from sentflow.flow import paths
from sentflow.flow.family import Family

TABLE_NAME = "ledger"
ANSWERING = (
    paths.SUMMARY,
    paths.SUMMARY_SIMILARITY,
    paths.SUMMARY_ALIGNMENTS,
    paths.SUMMARY_RETRIEVAL,
    paths.SUMMARY_DECISIONS,
)
"""The summaries that answer claims."""
CATALOG = tuple(
    f"catalog/{name}.yaml"
    for name in (
        "ledger",
        "published_similarity",
        "published_training",
        "published_retrieval",
        "published_values",
        "sweeps",
        "question_sets",
    )
)
"""Files below the folder of the workflow that hold claims and what is said of them."""


class Ledger(Family):
    """A summary of verdicts where the table of that name is selected; it measures nothing itself."""

    name = "ledger"

    def summaries(self) -> list[str]:
        """The verdicts."""
        return [paths.SUMMARY_LEDGER] if self._selected else []

    def available(self) -> Mapping[str, bool]:
        """Whether the table was selected, which is made of nothing else."""
        return {"ledger": self._selected}

    def catalog_files(self) -> list[str]:
        """`CATALOG`, where this workflow has it."""
        return [str(self.experiment.workflow / name) for name in CATALOG]

    @property
    def _selected(self) -> bool:
        return TABLE_NAME in self.experiment.config.report.tables
