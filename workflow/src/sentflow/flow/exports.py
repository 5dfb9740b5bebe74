"""Files and settings of exports: the scores of tasks in external formats, and the run as an RO-Crate."""

from collections.abc import Mapping
from typing import Any

from sentflow.config.entries import Entries
from sentflow.config.experiment import Experiment
from sentflow.exports.identity import Crate, ScoreExport, data_name, model_facts
from sentflow.flow import paths
from sentflow.flow.job_settings import pick, pick_known

_DATASET_KEYS = ("title", "licence", "citation", "homepage", "language", "note")


class TaskExports:
    """Scores of tasks as MTEB, the Hugging Face hub and LaTeX have them."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment

    def files(self) -> list[str]:
        """Every file; none without tasks."""
        found = [*self.mteb_files(), *self.huggingface_files(), paths.NUMBERS]
        return found if self.experiment.selected["tasks"] else []

    def mteb_files(self) -> list[str]:
        """Result files of MTEB: one per task and model, and two about each model."""
        tasks = [f"{task}.json" for task in self.experiment.selected["tasks"]]
        names = [*tasks, "model_meta.json", "run_settings.jsonl"]
        # two entries of the same model as it comes have one folder there
        folders = dict.fromkeys(
            model_facts(model, entry).folder for model, entry in self.experiment.models.items()
        )
        return [f"{paths.MTEB_RESULTS}/{folder}/{name}" for folder in folders for name in names]

    def huggingface_files(self) -> list[str]:
        """Files for the repository of each model on the Hugging Face hub."""
        names = [*(f".eval_results/{task}.yaml" for task in self.experiment.selected["tasks"]), "README.md"]
        models = self.experiment.models
        return [f"{paths.HUGGINGFACE_RESULTS}/{model}/{name}" for model in models for name in names]

    def settings(self, _wildcards: Any) -> str:
        """What tasks and models are called outside this project."""
        datasets, models = self.experiment.entries["datasets"], self.experiment.models
        tasks = {
            name: {
                "language": entry["language"],
                "data": data_name(entry["dataset"], datasets[entry["dataset"]]),
            }
            for name, entry in self.experiment.selected["tasks"].items()
        }
        named = {name: model_facts(name, entry) for name, entry in models.items()}
        return ScoreExport.model_validate({"tasks": tasks, "models": named}).as_json()


def crate_settings(experiment: Experiment, datasets: Entries, data: Mapping[str, Any]) -> str:
    """What the RO-Crate says besides its files; `data`: the tables that anything was measured on, see `Family.data`."""
    about_datasets = {
        name: {**pick_known(entry, *_DATASET_KEYS), "checksums": _checksums(entry)}
        for name, entry in datasets.items()
    }
    models = {
        name: {
            **pick(model_facts(name, entry), "name", "revision", "licence"),
            "title": entry.get("title", name),
            "citation": entry.get("citation", "none"),
        }
        for name, entry in {**experiment.models, **experiment.further_models}.items()
    }
    about = dict(experiment.config.experiment)
    return Crate(**about, tables=dict(data), datasets=about_datasets, models=models).as_json()


def _checksums(dataset: Mapping[str, Any]) -> dict[str, str]:
    """Raw file → SHA-256 of its bytes, or of the texts in it, where the catalog pins them."""
    pinned = {name: file.get("sha256", file.get("members_sha256")) for name, file in dataset["files"].items()}
    return {name: digest for name, digest in pinned.items() if digest}
