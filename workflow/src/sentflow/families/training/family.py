"""Training: encoders that are made here, the data that they are trained on, and what is said of the way there."""

from collections.abc import Mapping
from typing import Any

from sentflow.config.experiment import Experiment
from sentflow.families.training.data import DataOfTraining
from sentflow.families.training.models import TrainedModels
from sentflow.families.training.products import PRODUCTS
from sentflow.families.training.reports import ReportsOfTraining
from sentflow.families.training.study import StudyOfTrainings
from sentflow.graph import paths
from sentflow.graph.family import Collection, Family
from sentflow.graph.job_settings import one_of


class Training(Family):
    """The trained encoders of an experiment; what they are worth is measured like that of any other."""

    name = "training"
    products = PRODUCTS
    has_section = True

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(experiment)
        self.data_of = DataOfTraining(experiment)
        self.models = TrainedModels(experiment)
        self.study = StudyOfTrainings(experiment)
        self.reports = ReportsOfTraining(experiment, self.models, self.data_of, self.study)

    def raw_files(self) -> list[tuple[str, str]]:
        """See `Family.raw_files`."""
        return self.data_of.raw_files()

    def collections(self) -> list[Collection]:
        """See `Family.collections`."""
        return self.models.collections()

    def audits(self) -> list[str]:
        """See `Family.audits`."""
        return self.data_of.audits()

    def results(self) -> list[str]:
        """See `Family.results`."""
        records = self.models.of_all(paths.TRAINING_RECORD)
        chosen = self.models.of_all(paths.CHOSEN_SNAPSHOT)
        return [*records, *chosen, *self.audits(), *self.study.comparisons()]

    def summaries(self) -> list[str]:
        """See `Family.summaries`."""
        if not self.models.models:
            return []
        return [paths.SUMMARY_TRAINING, *self.study.comparisons(), *self.reports.summaries()]

    def exports(self) -> list[str]:
        """See `Family.exports`."""
        return [*self.reports.cards(), *self.data_of.exports()]

    def documents(self) -> list[str]:
        """See `Family.documents`."""
        return self.reports.documents()

    def available(self) -> Mapping[str, bool]:
        """See `Family.available`."""
        there = bool(self.models.models)
        return {
            "trainings": there,
            "sweeps": there and bool(self.study.sweeps),
            "training seeds": bool(self.study.comparisons()),
        }

    def told(self) -> dict[str, Any]:
        """See `Family.told`."""
        return {"training_data": dict(self.data_of.entries)} if self.models.models else {}

    def published(self) -> Mapping[str, Any]:
        """See `Family.published`."""
        return self.study.published()

    def constraints(self) -> Mapping[str, str]:
        """See `Family.constraints`."""
        return {
            "data": one_of(self.data_of.entries),
            "relation": self.data_of.relations(),
            "step": "[0-9]+",
        }

    def kept(self, output: Any, temporary: Any) -> Any:
        """Snapshots stay, or are deleted when the encoder is chosen."""
        return output if self.experiment.config.training.keep_snapshots else temporary(output)
