"""What is told of trainings: their summary for the page, and the model cards."""

from collections.abc import Mapping
from typing import Any

from sentflow.config.entries import Entry
from sentflow.config.experiment import Experiment
from sentflow.exports.identity import OWNER, model_name
from sentflow.families.training.data import DataOfTraining
from sentflow.families.training.models import TrainedModels
from sentflow.families.training.needs import start_of
from sentflow.families.training.study import StudyOfTrainings
from sentflow.graph import paths
from sentflow.graph.job_settings import json_text, pick_known
from sentflow.training.data.combined import UNKNOWN_LANGUAGE


class ReportsOfTraining:
    """Files and settings of the jobs that tell of trainings.

    Parameters
    ----------
    models, data, study
        The other parts of the family.
    """

    def __init__(
        self, experiment: Experiment, models: TrainedModels, data: DataOfTraining, study: StudyOfTrainings
    ) -> None:
        self.experiment = experiment
        self._models, self._data, self._study = models, data, study

    # --- what they make -------------------------------------------------------------------------------------

    def summaries(self) -> list[str]:
        """What the page and the figures are made of, beside the scores."""
        found = [
            paths.SUMMARY_TRAINING_JOBS,
            paths.SUMMARY_TRAINING_HISTORY,
            paths.SUMMARY_TRAINING_HELD_OUT,
            paths.SUMMARY_SWEEPS,
        ]
        return found if self._models.models else []

    def cards(self) -> list[str]:
        """The model card of every trained encoder."""
        return self._models.of_all(paths.MODEL_CARD)

    def documents(self) -> list[str]:
        """See `sentflow.graph.family.Family.documents`."""
        return [*self.cards(), *self.records(), *self._data.audits()]

    def records(self) -> list[str]:
        """What was trained."""
        return self._models.of_all(paths.TRAINING_RECORD)

    def made_beside(self) -> list[str]:
        """How it was made, what was chosen, every step, and what was measured on held-out rows."""
        patterns = (
            paths.TRAINING_MADE,
            paths.CHOSEN_SNAPSHOT,
            paths.TRAINING_HISTORY,
            paths.TRAINING_HELD_OUT,
        )
        return [file for pattern in patterns for file in self._models.of_all(pattern)]

    # --- inputs that depend on wildcards --------------------------------------------------------------------

    def audit(self, wildcards: Any) -> list[str]:
        """The audit of the training data of an encoder, where there is one."""
        audit = paths.TRAINING_AUDIT.format(data=self._models.models[wildcards.model]["data"])
        return [audit] if audit in self._data.audits() else []

    # --- settings -------------------------------------------------------------------------------------------

    def job_settings(self, _wildcards: Any) -> str:
        """What is told of trainings beside their records."""
        versions = self.experiment.entries["training_data"]
        models = {
            name: {
                "title": entry.get("title", name),
                "group": entry.get("seed_of", name),
                "control": bool(entry.get("control", False)),
                "data_version": versions[entry["data"]]["data_version"],
            }
            for name, entry in self._models.models.items()
        }
        sweeps = self._study.published().get("training-sweep", [])
        return json_text({"models": models, "sweeps": sweeps})

    def card_settings(self, wildcards: Any) -> str:
        """What a card says beside the files of its training, see `sentflow.training.cards.facts.About`."""
        name = wildcards.model
        entry = self._models.models[name]
        base, path = self._base(entry)
        told = self.experiment.entries["models"][base] if base else {}
        outside = model_name(base, told) if base else None
        on_hub = outside is not None and not outside.name.startswith(f"{OWNER}/")
        adapted = outside.adapted_from if outside and not on_hub else None
        return json_text(
            {
                "title": entry.get("title", name),
                "licence": entry.get("licence", ""),
                "read_out": entry.get("pooling", ""),
                "base": base,
                "base_title": told.get("title", base),
                "base_hub": outside.name if outside and on_hub else adapted or "",
                "base_revision": told.get("source", {}).get("revision", ""),
                "base_licence": told.get("licence", ""),
                "path": path,
                "siblings": self._siblings(name, entry),
                **pick_known(entry, "segment"),
                **self._about_data(entry["data"]),
            }
        )

    def _base(self, entry: Entry) -> tuple[str, list[str]]:
        """The first start that was not trained here, empty for random weights; and what lies between."""
        path: list[str] = []
        while True:
            start = start_of(entry)
            if "configuration" in start:
                return "", path
            name = str(start["name"])
            if name not in self._models.models:
                return name, path
            path.insert(0, name)
            entry = self._models.models[name]

    def _siblings(self, name: str, entry: Entry) -> dict[str, int]:
        if "seed_of" not in entry:
            return {name: entry["seed"]}
        return {
            other: its["seed"]
            for other, its in self._models.models.items()
            if its.get("seed_of") == entry["seed_of"]
        }

    def _about_data(self, data: str) -> Mapping[str, Any]:
        entry = self.experiment.entries["training_data"][data]
        dataset = self.experiment.entries["datasets"].get(entry.get("dataset", ""), {})
        language = entry.get("language", UNKNOWN_LANGUAGE)
        return {
            "languages": [] if language == UNKNOWN_LANGUAGE else [language],
            "data_title": entry["title"],
            "data_hub": dataset.get("hub", ""),
            "data_licence": dataset.get("licence", ""),
        }
