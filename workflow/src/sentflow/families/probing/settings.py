"""What decides the jobs of tasks, probes, scores and studies of protocols: settings, digests, versions."""

from collections.abc import Callable
from functools import cache
from typing import Any

from sentflow.config.entries import Entries, Entry
from sentflow.config.experiment import Experiment
from sentflow.config.model import descriptions
from sentflow.encoders.entries import kind_of
from sentflow.families.probing.task_protocols import protocol_name
from sentflow.families.training.needs import held_out_tasks
from sentflow.graph.family import Family
from sentflow.graph.job_settings import described_models, json_text, pick, pick_known
from sentflow.graph.provenance import code, versions
from sentflow.probing.protocol.catalog import (
    DOCUMENTS,
    about_protocol,
    changed_settings,
    classifier_of,
    job_settings,
    keeping_documents,
    names_documents,
    protocol_of,
)
from sentflow.probing.protocol.design import ACCELERATOR, REGULARISED_PROBES
from sentflow.probing.settings import REGULARISED, ProbeProtocol, not_comparable_text, switch_text
from sentflow.texts.task_files import files_of

HARDEST_TEXTS = 100
_PREPARE_KEYS = ("reader", "layout", "data_version", "rows", "class_counts", "documents")


class ProbingSettings(Family):
    """The tasks and protocols of an experiment, and the settings of their jobs; a part of the family of probes."""

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(experiment)
        self.tasks = experiment.selected["tasks"]
        # Tasks whose texts are not trained on have a table, selected or not.
        selected = {section: list(names) for section, names in experiment.selected.items()}
        self.held_out_tasks = held_out_tasks(experiment.entries, selected)
        # Every task that reads a dataset, so that its texts, and with them the vectors, do not depend on the selection.
        datasets = dict.fromkeys(
            entry["dataset"] for entry in [*self.tasks.values(), *self.held_out_tasks.values()]
        )
        every_task = experiment.entries["tasks"].items()
        self.tasks_of_dataset = {
            dataset: {name: entry for name, entry in every_task if entry["dataset"] == dataset}
            for dataset in datasets
        }
        probe = experiment.config.probe
        self._protocol_names = {
            name: protocol_name(entry, probe.protocol)
            for tasks in self.tasks_of_dataset.values()
            for name, entry in tasks.items()
        }
        # That of the experiment, those of its tasks, and those that a study compares with the first.
        self.study: list[str] = list(dict.fromkeys(experiment.config.study.protocols))
        names = dict.fromkeys([probe.protocol, *self._protocol_names.values(), *self.study])
        entries = experiment.entries["protocols"]
        self.protocols = {name: protocol_of(name, entries[name], dict(probe)) for name in names}
        self._asked_protocols = list(names)
        self.protocol = self.protocols[probe.protocol]
        self.study_tasks = {
            name: entry for name, entry in self.tasks.items() if self.task_protocol(name) == self.protocol
        }
        # Tasks that say of which document a row is, and the protocols that say how scores are on new documents.
        self.document_tasks: Entries = {}
        if probe.documents:
            self.document_tasks = {
                name: task
                for name, task in self.tasks.items()
                if names_documents(task) and not self.task_protocol(name).switches.group_folds
            }
        for task in self.document_tasks:
            twin = self.document_protocol(task)
            self.protocols.setdefault(twin.name, twin)
        counts = self.protocol.cross_validation
        self.repetitions = range(1, counts["repetitions"] + 1)
        self.folds_of_repetition = range(1, counts["folds"] + 1)
        # Equal for all folds and encoders of a task, which are thousands of jobs.
        self._settings_of_probes = cache(self._find_settings_of_probes)

    # --- settings -------------------------------------------------------------------------------------------

    def prepare_settings(self, wildcards: Any) -> str:
        """What decides a task table."""
        return json_text(pick_known(self.task(wildcards.task), *_PREPARE_KEYS))

    def prepare_checks(self, wildcards: Any) -> str:
        """What a task table must allow: checked early, but it changes no byte and runs nothing again."""
        entry = self.task(wildcards.task)
        known = self.experiment.entries["datasets"][entry["dataset"]]["files"]
        pinned = {name: known[name] for name in files_of(entry["reader"]) if "generator" not in known[name]}
        protocol = self.task_protocol(wildcards.task)
        checks = {"metric": entry["metric"], **protocol.needs()}
        asked = [protocol, *(self.protocols[name] for name in self.study)]
        needed = names_documents(entry) and any(one.switches.group_folds for one in asked)
        if needed or wildcards.task in self.document_tasks:
            checks["document_folds"] = {**protocol.cross_validation, "needed": needed}
        return json_text({**checks, "files": pinned} if pinned else checks)

    @property
    def probe_device(self) -> str:
        """Where probes are trained; its kind alone is among the settings."""
        return self.experiment.config.probe.device

    def probe_code(self, command: str) -> Callable[[Any], str]:
        """Digest of a command that probes, with the code for what is not trained as published on a processor."""
        return lambda wildcards: code(command, *self._trainers(wildcards))

    def lazy_code(self, wildcards: Any) -> str:
        """Digest of what fits a model inside each fold and probes it: with the module of the model's kind."""
        module = kind_of(self.experiment.models[wildcards.model]).module
        return code("probe_lazy", module, *self._trainers(wildcards))

    def _trainers(self, wildcards: Any) -> list[str]:
        if self._is_regularised(wildcards):
            return [REGULARISED_PROBES]
        return [] if self.probe_device == "cpu" else [ACCELERATOR]

    def _is_regularised(self, wildcards: Any) -> bool:
        return classifier_of(self._protocol(wildcards), self.task(wildcards.task)) == REGULARISED

    def probe_settings(self, wildcards: Any) -> str:
        """What decides a probe's numbers beside its features."""
        return self._probe_settings(self._protocol(wildcards), wildcards).as_json()

    def probe_versions(self, wildcards: Any) -> str:
        """Versions of the libraries that can change the probes of features that do not depend on the fold."""
        if self._is_regularised(wildcards):
            return versions("numpy", "scikit-learn", "scipy")
        return versions("numba", "numpy", *([] if self.probe_device == "cpu" else ["torch"]))

    def score_settings(self, wildcards: Any) -> str:
        """What decides a score beside its folds."""
        about = about_protocol(self._protocol(wildcards), self.task(wildcards.task))
        statistics = pick(self.experiment.config.statistics, "level", "n_item_resamples", "n_resamples")
        probe = self._probe_settings(self._folds_from(wildcards), wildcards)
        return ScoreSettings(probe=probe, statistics=ScoreStatistics(**statistics), protocol=about).as_json()

    def audit_settings(self, wildcards: Any) -> str:
        """What decides an audit beside the rows: the draws of the protocol, and the language that texts should have."""
        protocol = self.task_protocol(wildcards.task)
        settings = self._probe_settings(protocol, wildcards)
        group_folds = settings.protocol.switches.group_folds
        language = self.task(wildcards.task)["language"]
        draws = protocol.cross_validation
        return json_text({**draws, "group_folds": group_folds, "language": language})

    def hardest_settings(self, wildcards: Any) -> str:
        """Whose predictions count, and how many texts are kept."""
        offensive = self.task(wildcards.task).get("offensive", False)
        return json_text({"models": self._real_models(), "limit": HARDEST_TEXTS, "offensive": offensive})

    def summarise_settings(self, _wildcards: Any) -> str:
        """Titles, groups of tasks, which models are controls; and the order, for Snakemake sees sets of inputs."""
        return json_text(self._titles(self.tasks))

    def comparison_settings(self, _wildcards: Any) -> str:
        """Titles and order as in `summarise_settings`, sources of the tasks, and how models are compared."""
        return self._comparison_settings(self.tasks)

    def document_comparison_settings(self, _wildcards: Any) -> str:
        """The same of the tasks that name documents."""
        return self._comparison_settings(self.document_tasks)

    def _comparison_settings(self, tasks: Entries) -> str:
        statistics = pick(
            self.experiment.config.statistics,
            *("adjustment", "alpha", "level", "n_item_resamples", "rope", "test"),
        )
        sources = {name: self._source(entry) for name, entry in tasks.items()}
        return json_text({**self._titles(tasks), "sources": sources, "statistics": statistics})

    def effect_settings(self, wildcards: Any) -> str:
        """The protocol whose effects are measured; titles as in `summarise_settings`."""
        protocol = self.protocols[wildcards.protocol]
        return json_text(
            {**self._titles(self.study_tasks), "protocol": {"name": protocol.name, "title": protocol.title}}
        )

    # --- tasks, models and protocols -------------------------------------------------------------------------

    def task(self, name: str) -> Entry:
        """The entry of a task that is selected or held out of training, or shares its dataset with one that is."""
        if name in self.tasks:
            return self.tasks[name]
        return next(tasks[name] for tasks in self.tasks_of_dataset.values() if name in tasks)

    def task_protocol(self, task: str) -> ProbeProtocol:
        """The protocol that the scores of a task are made by."""
        return self.protocols[self._protocol_names[task]]

    def document_protocol(self, task: str) -> ProbeProtocol:
        """The same with the documents of the task kept together."""
        return keeping_documents(self.task_protocol(task))

    def protocols_of(self, task: str) -> list[str]:
        """Names of the protocols that a task is probed by: its own, those of the study, that of new documents."""
        own = self.task_protocol(task).name
        study = self.study if task in self.study_tasks else []
        documents = [self.document_protocol(task).name] if task in self.document_tasks else []
        return list(dict.fromkeys([own, *study, *documents]))

    def _real_models(self) -> list[str]:
        """The models that are no controls, by name; all of them if there are only controls."""
        entries = self.experiment.models
        real = [name for name, entry in entries.items() if not entry.get("control", False)]
        return sorted(real or entries)

    def _source(self, task: Entry) -> str:
        """What tasks have in common: their dataset, what it was made from, or that their texts are generated."""
        dataset = self.experiment.entries["datasets"][task["dataset"]]
        generated = any("generator" in file for file in dataset["files"].values())
        return "generated texts" if generated else str(dataset.get("source", task["dataset"]))

    def _titles(self, of_tasks: Entries) -> dict[str, Any]:
        tasks = {name: pick(entry, "title", "family") for name, entry in of_tasks.items()}
        lazy = self.experiment.lazy_models
        models = {
            name: {**about, "fitted": name in lazy}
            for name, about in described_models(self.experiment.models).items()
        }
        return {"tasks": tasks, "models": models, "order": [list(tasks), list(models)]}

    def _protocol(self, wildcards: Any) -> ProbeProtocol:
        """The protocol of a job: named by its wildcard in a study, else that of its task."""
        name = getattr(wildcards, "protocol", None)
        return self.protocols[name] if name else self.task_protocol(wildcards.task)

    def _probe_settings(self, protocol: ProbeProtocol, wildcards: Any) -> ProbeSettings:
        lazy = getattr(wildcards, "model", None) in self.experiment.lazy_models
        return self._settings_of_probes(protocol.name, wildcards.task, lazy)

    def _find_settings_of_probes(self, protocol: str, task: str, lazy: bool) -> ProbeSettings:
        return job_settings(
            self.protocols[protocol],
            self.task(task),
            lazy=lazy,
            # its kind: which one of several alike trains changes no number
            device=self.probe_device.partition(":")[0],
            folds_optional=protocol not in self._asked_protocols,
        )

    def _folds_from(self, wildcards: Any) -> ProbeProtocol:
        """Whose folds a job scores: those of the task's own protocol, if they would be trained no other way."""
        own, base = self._protocol(wildcards), self.task_protocol(wildcards.task)
        here, there = (self._probe_settings(protocol, wildcards) for protocol in (own, base))
        return base if here.trains_like(there) else own

    def _description(self, protocol: str) -> str:
        entries = self.experiment.entries["protocols"]
        if protocol in entries:
            return str(entries[protocol].get("description", ""))
        return f"As {protocol.removesuffix(DOCUMENTS)}, and no document is both trained on and tested on."

    def _told_protocol(self, name: str) -> Entry:
        """What the page says about a protocol."""
        protocol = self.protocols[name]
        probed = [task for key, task in self.tasks.items() if name in self.protocols_of(key)]
        changed = [not_comparable_text(changed_settings(protocol, task)) for task in probed]
        return {
            "name": name,
            "title": protocol.title,
            "description": self._description(name),
            "tasks": [task for task in self.tasks if self.task_protocol(task).name == name],
            "switches": {
                switch: {
                    "value": switch_text({switch: value}),
                    "note": descriptions(Switches)[switch],
                }
                for switch, value in protocol.switches.changes().items()
            },
            "not_comparable": sorted({text for text in changed if text}),
        }
