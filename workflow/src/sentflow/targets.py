"""Lists of files and settings of every job: what the rules ask for, tested without Snakemake.

Settings are JSON text with sorted keys, the only compound form that Snakemake compares reliably. Each holds
exactly what its rule reads, so that a change runs no other rule again.
"""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sentflow import paths
from sentflow.config import Entry, Experiment
from sentflow.encoders.kinds import connection_settings, custom_files, encode_settings, fetch_settings
from sentflow.provenance import versions

TABLE_FORMATS = ("csv", "md", "tex")
FIGURE_FORMATS = ("pdf", "png", "svg")
# Tables and figures of what the pipeline cost: they change with every run, so scores never depend on them.
COST_OUTPUTS = ("costs",)
_PREPARE_KEYS = ("reader", "layout", "data_version", "rows", "class_counts")


class Targets:
    """Files and settings of an experiment."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment

    # --- lists of files -------------------------------------------------------------------------------------

    def embeddings(self) -> list[str]:
        """Of every model that has them, on every dataset."""
        return [
            paths.EMBEDDINGS.format(model=model, dataset=dataset)
            for dataset in self.experiment.datasets
            for model in self._with_embeddings()
        ]

    def probes(self) -> list[str]:
        """Every fold of every task and model."""
        return [file for task, model in self._pairs() for file in self._folds(task, model)]

    def scores(self) -> list[str]:
        """One JSON per task and model, task after task."""
        return [paths.SCORES.format(task=task, model=model) for task, model in self._pairs()]

    def score_tables(self) -> list[str]:
        """One Parquet per task and model, in the order of `scores`."""
        return [paths.SCORE_TABLE.format(task=task, model=model) for task, model in self._pairs()]

    def tables(self) -> list[str]:
        """Every table in every format."""
        return _expand(paths.TABLE, "table", self._report("tables"), TABLE_FORMATS)

    def figures(self) -> list[str]:
        """Every figure in every format."""
        return _expand(paths.FIGURE, "figure", self._report("figures"), FIGURE_FORMATS)

    def checks(self) -> list[str]:
        """Every acceptance check."""
        return [paths.CHECK.format(check=check) for check in self._report("checks")]

    # --- inputs that depend on wildcards --------------------------------------------------------------------

    def raw_file_of_task(self, wildcards: Any) -> str:
        """The raw file that holds a task's rows."""
        entry = self._task(wildcards.task)
        return paths.RAW_FILE.format(dataset=entry["dataset"], file=entry["reader"]["file"])

    def local_files(self, wildcards: Any) -> list[str]:
        """The files of this machine that a raw file may be copied from: an edit there counts as one here."""
        addresses = self._file(wildcards.dataset, wildcards.file)["urls"]
        return [address for address in addresses if "://" not in address and Path(address).is_file()]

    def tasks_of_dataset(self, wildcards: Any) -> list[str]:
        """The task tables whose texts a dataset holds."""
        return [paths.TASK.format(task=task) for task in self.experiment.tasks_of_dataset[wildcards.dataset]]

    def task_digests_of_dataset(self, wildcards: Any) -> list[str]:
        """The digests of these tables."""
        tasks = self.experiment.tasks_of_dataset[wildcards.dataset]
        return [paths.TASK_DIGEST.format(task=task) for task in tasks]

    def texts_of_task(self, wildcards: Any) -> str:
        """The distinct texts of a task's dataset."""
        return paths.TEXTS.format(dataset=self._task(wildcards.task)["dataset"])

    def embeddings_of_task(self, wildcards: Any) -> str:
        """A model's vectors of a task's dataset."""
        return paths.EMBEDDINGS.format(model=wildcards.model, dataset=self._task(wildcards.task)["dataset"])

    def embeddings_info_of_task(self, wildcards: Any) -> str:
        """The description beside `embeddings_of_task`."""
        return paths.EMBEDDINGS_INFO.format(
            model=wildcards.model, dataset=self._task(wildcards.task)["dataset"]
        )

    def files_of_model(self, wildcards: Any) -> list[str]:
        """The code and other files of a user's own encoder: an edit there runs the model again."""
        return custom_files(self.experiment.models[wildcards.model])

    def folds_of_task(self, wildcards: Any) -> list[str]:
        """Every fold of a task and model."""
        return self._folds(wildcards.task, wildcards.model)

    def fold_outputs(self) -> list[str]:
        """The fold files that one probe job writes: those of a fold, repetition or task (``probe.job``)."""
        return self._job_outputs(paths.FOLD)

    def prediction_outputs(self) -> list[str]:
        """The prediction files beside `fold_outputs`."""
        return self._job_outputs(paths.PREDICTIONS)

    def probe_job_key(self) -> str:
        """Key of a probe job's log and benchmark files."""
        keys = {"task": "", "repetition": "/rep-{rep}", "fold": "/rep-{rep}-fold-{fold}"}
        return "{task}/{model}" + keys[self.experiment.config["probe"]["job"]]

    def summary_of_table(self, wildcards: Any) -> str:
        """The one Parquet file that a table is made of."""
        return paths.COSTS if wildcards.table in COST_OUTPUTS else paths.SUMMARY

    def data_of_figure(self, wildcards: Any) -> str:
        """The one Parquet file that a figure is drawn from."""
        return {"curves": paths.CURVES, "costs": paths.COSTS}.get(wildcards.figure, paths.SUMMARY)

    # --- settings -------------------------------------------------------------------------------------------

    def mirrors(self) -> str:
        """Mirrors of the config, as JSON. Not a setting of science: changing them runs nothing again."""
        return _json(self.experiment.config["mirrors"])

    def download_settings(self, wildcards: Any) -> str:
        """The catalog's entry of one raw file."""
        return _json(self._file(wildcards.dataset, wildcards.file))

    def downloaded_content(self, wildcards: Any) -> str:
        """What the bytes of one raw file are: another address of the same checksum runs nothing again."""
        entry = self._file(wildcards.dataset, wildcards.file)
        known = "sha256" in entry or "members_sha256" in entry
        return _json({key: value for key, value in entry.items() if key != "urls"} if known else entry)

    def generated_task(self, wildcards: Any) -> str:
        """The official task whose shape a sample file has."""
        return str(self._file(wildcards.dataset, wildcards.file)["generator"])

    def generator_seed(self, wildcards: Any) -> int:
        """Seed of a sample dataset."""
        return int(self.experiment.datasets[wildcards.dataset]["seed"])

    def prepare_settings(self, wildcards: Any) -> str:
        """What decides a task table."""
        entry = self._task(wildcards.task)
        return _json({key: entry[key] for key in _PREPARE_KEYS if key in entry})

    def prepare_checks(self, wildcards: Any) -> str:
        """What a task table must allow: told early, but it changes no byte and runs nothing again."""
        entry = self._task(wildcards.task)
        name = entry["reader"]["file"]
        file = self._file(entry["dataset"], name)
        checks = {"metric": entry["metric"], "folds": self.experiment.config["probe"]["folds"]}
        return _json(checks if "generator" in file else {**checks, "files": {name: file}})

    def fetch_settings(self, wildcards: Any) -> str:
        """What decides a model's files."""
        return _json(fetch_settings(self.experiment.models[wildcards.model]))

    def libraries_of_model(self, wildcards: Any) -> str:
        """Versions of the libraries that the entry of a user's own encoder names."""
        return versions(*self.experiment.models[wildcards.model].get("libraries", []))

    def encode_settings(self, wildcards: Any) -> str:
        """What decides a model's vectors beside its files."""
        return _json(encode_settings(self.experiment.models[wildcards.model]))

    def connection_settings(self, wildcards: Any) -> str:
        """How a model's service is reached. Not a setting of science: changing it runs nothing again."""
        return _json(connection_settings(self.experiment.models[wildcards.model]))

    def probe_settings(self, wildcards: Any) -> str:
        """What decides a probe's numbers beside its features."""
        entry, probe = self._task(wildcards.task), self.experiment.config["probe"]
        settings = {key: probe[key] for key in ("protocol", "repetitions", "folds", "seed")}
        return _json({**settings, "metric": entry["metric"], "classifier": entry["classifier"]})

    def score_settings(self, wildcards: Any) -> str:
        """What decides a score beside its folds."""
        probe = json.loads(self.probe_settings(wildcards))
        return _json({"probe": probe, "statistics": self.experiment.config["statistics"]})

    def summarise_settings(self, _wildcards: Any) -> str:
        """Titles, families, which models are controls; and the order, for Snakemake sees sets of inputs."""
        tasks = {name: _pick(entry, "title", "family") for name, entry in self.experiment.tasks.items()}
        models = {
            name: {"title": entry.get("title", name), "control": entry.get("control", False)}
            for name, entry in self.experiment.models.items()
        }
        return _json({"tasks": tasks, "models": models, "order": [list(tasks), list(models)]})

    def table_settings(self, _wildcards: Any) -> str:
        """How captions begin."""
        return _json({"caption": self.experiment.title})

    def check_settings(self, _wildcards: Any) -> str:
        """What was asked for, to compare with what is there."""
        return _json(self._asked())

    def report_settings(self, _wildcards: Any) -> str:
        """Everything the report tells about experiment, tasks, models and data."""
        experiment = self.experiment
        return _json(
            {
                "experiment": experiment.config["experiment"],
                "tasks": experiment.tasks,
                "models": experiment.models,
                "datasets": experiment.datasets,
                "selection": self._asked(),
            }
        )

    def record_settings(self, _wildcards: Any) -> str:
        """The configuration, less what changes neither files nor numbers."""
        config = {key: value for key, value in self.experiment.config.items() if key != "mirrors"}
        config["probe"] = {key: value for key, value in config["probe"].items() if key != "job"}
        return _json(config)

    # --- wildcard constraints -------------------------------------------------------------------------------

    def sample_datasets(self) -> str:
        """Regular expression of the datasets that the project writes itself."""
        return one_of(name for name, entry in self.experiment.datasets.items() if "seed" in entry)

    def real_datasets(self) -> str:
        """Regular expression of the datasets that are downloaded."""
        return one_of(name for name, entry in self.experiment.datasets.items() if "seed" not in entry)

    def tasks_known(self) -> str:
        """Regular expression of every task that shares a dataset with a selected one."""
        return one_of(task for tasks in self.experiment.tasks_of_dataset.values() for task in tasks)

    def lazy_models(self) -> str:
        """Regular expression of the models that are fitted inside each fold."""
        return one_of(self.experiment.lazy_models)

    def fixed_models(self) -> str:
        """Regular expression of the models that have embeddings."""
        return one_of(self._with_embeddings())

    def featurisers(self) -> str:
        """Regular expression of the models that make the features of a task's rows themselves, before the folds."""
        return one_of(self.experiment.featurisers)

    # --- helpers --------------------------------------------------------------------------------------------

    def _with_embeddings(self) -> list[str]:
        others = {*self.experiment.lazy_models, *self.experiment.featurisers}
        return [name for name in self.experiment.models if name not in others]

    def _task(self, name: str) -> Entry:
        if name in self.experiment.tasks:
            return self.experiment.tasks[name]
        # a task that is not selected but shares its dataset with one that is
        return next(tasks[name] for tasks in self.experiment.tasks_of_dataset.values() if name in tasks)

    def _file(self, dataset: str, name: str) -> Entry:
        entry: Entry = self.experiment.datasets[dataset]["files"][name]
        return entry

    def _pairs(self) -> list[tuple[str, str]]:
        return [(task, model) for task in self.experiment.tasks for model in self.experiment.models]

    def _folds(self, task: str, model: str) -> list[str]:
        return [
            paths.FOLD.format(task=task, model=model, rep=rep, fold=fold)
            for rep in self.experiment.repetitions
            for fold in self.experiment.folds
        ]

    def _job_outputs(self, pattern: str) -> list[str]:
        job = self.experiment.config["probe"]["job"]
        reps = [str(rep) for rep in self.experiment.repetitions] if job == "task" else ["{rep}"]
        folds = ["{fold}"] if job == "fold" else [str(fold) for fold in self.experiment.folds]
        return [
            pattern.format(task="{task}", model="{model}", rep=rep, fold=fold)
            for rep in reps
            for fold in folds
        ]

    def _report(self, key: str) -> list[str]:
        names: list[str] = self.experiment.config["report"][key]
        return names

    def _asked(self) -> dict[str, list[str]]:
        return {
            "tasks": list(self.experiment.tasks),
            "models": list(self.experiment.models),
            "random_models": self.experiment.random_models,
        }


def one_of(names: Iterable[str]) -> str:
    """Regular expression that matches exactly these names; nothing at all if there are none."""
    return "|".join(re.escape(name) for name in names) or "(?!)"


def _expand(pattern: str, key: str, names: Iterable[str], formats: Iterable[str]) -> list[str]:
    formats = list(formats)
    return [pattern.format(**{key: name, "format": ending}) for name in names for ending in formats]


def _pick(entry: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: entry[key] for key in keys}


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
