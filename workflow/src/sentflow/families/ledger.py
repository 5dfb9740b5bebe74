"""The ledger: every published number of the catalog beside what the other families of a run found."""

from sentflow.config.experiment import Experiment
from sentflow.files.io import file_sha256
from sentflow.flow import paths
from sentflow.flow.family import Family, json_text

ANSWERING = (
    paths.SUMMARY,
    paths.SUMMARY_SIMILARITY,
    paths.SUMMARY_ALIGNMENTS,
    paths.SUMMARY_RETRIEVAL,
    paths.SUMMARY_DECISIONS,
)
"""The summaries that answer claims."""
_NAMES = (
    "ledger published_similarity published_training published_retrieval published_values sweeps question_sets"
)
CATALOG = tuple(f"catalog/{name}.yaml" for name in _NAMES.split())
"""Files below the folder of the workflow that hold claims and what is said of them."""


class Ledger(Family):
    """A summary of verdicts where the table of that name is selected; it measures nothing itself."""

    name = "ledger"

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(experiment)
        is_selected = "ledger" in experiment.config.report.tables
        self.summaries = [paths.SUMMARY_LEDGER] if is_selected else []
        self.available = {"ledger": is_selected}
        # File of the catalog → its SHA-256: it is part of the workflow, and lies in no results
        self.catalog = json_text({name: file_sha256(experiment.workflow / name) for name in CATALOG})
