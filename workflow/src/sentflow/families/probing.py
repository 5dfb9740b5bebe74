"""Probes on frozen vectors: tasks, the folds of their cross-validation, scores, comparisons, studies of protocols."""

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import product
from typing import Any

from sentflow.audit.settings import AuditSettings, HardestSettings
from sentflow.compare.settings import (
    ComparedProtocol,
    ComparedTasks,
    ComparisonSettings,
    ModelTitle,
    TaskTitle,
    Titles,
)
from sentflow.config.entries import Entry
from sentflow.config.experiment import Experiment
from sentflow.config.model import descriptions
from sentflow.encoders.entries import kind_of
from sentflow.encoders.prompts import prompted_tasks, roles_of_texts
from sentflow.encoders.settings import SIDES
from sentflow.families.training.needs import held_out_tasks
from sentflow.flow import paths
from sentflow.flow.exports import TaskExports
from sentflow.flow.family import Collection, Family
from sentflow.flow.job_settings import described_models, one_of, pick
from sentflow.flow.provenance import code, versions
from sentflow.probing.protocol.catalog import (
    DOCUMENTS,
    about_protocol,
    changed_settings,
    job_settings,
    keeping_documents,
    names_documents,
    protocol_name,
    protocol_of,
)
from sentflow.probing.protocol.design import REGULARISED_PROBES
from sentflow.probing.settings import (
    REGULARISED,
    ProbeProtocol,
    ProbeSettings,
    ScoreSettings,
    ScoreStatistics,
    Switches,
    not_comparable_text,
    switch_text,
)
from sentflow.texts.settings import DocumentFolds, TaskChecks, TaskSettings
from sentflow.texts.task_files import files_of

_COMPARISON_KEYS = ("adjustment", "alpha", "level", "n_item_resamples", "rope", "test")


class Probing(Family):
    """Tasks, each probed by cross-validated classifiers on the vectors of every encoder."""

    name = "probing"

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(experiment)
        self.exported = TaskExports(experiment)
        self.models = list(experiment.models)
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
        self._known = {name: entry for one in self.tasks_of_dataset.values() for name, entry in one.items()}
        probe = experiment.config.probe
        self._protocol_names = {
            name: protocol_name(entry, probe.protocol) for name, entry in self._known.items()
        }
        # That of the experiment, those of its tasks, and those that a study compares with the first.
        self.study = list(dict.fromkeys(experiment.config.study.protocols))
        self._named = list(dict.fromkeys([probe.protocol, *self._protocol_names.values(), *self.study]))
        entries = experiment.entries["protocols"]
        self.protocols = {name: protocol_of(name, entries[name], dict(probe)) for name in self._named}
        self.protocol = self.protocols[probe.protocol]
        self.study_tasks = [name for name in self.tasks if self.task_protocol(name) == self.protocol]
        # Tasks that say of which document a row is, and the protocols that say how scores are on new documents.
        self.document_tasks = [
            name
            for name, task in self.tasks.items()
            if probe.documents and names_documents(task) and not self.task_protocol(name).switches.group_folds
        ]
        for task in self.document_tasks:
            twin = self.document_protocol(task)
            self.protocols.setdefault(twin.name, twin)
        self._repetitions = range(1, self.protocol.repetitions + 1)
        self._folds_of_repetition = range(1, self.protocol.folds + 1)
        # Equal for all folds and encoders of a task, which are thousands of jobs.
        self._settings_of_probes = cache(self._find_settings_of_probes)
        self._collection_named = cache(lambda task, model: self._collection(task, model).name)

    # --- tasks and protocols --------------------------------------------------------------------------------

    def task_protocol(self, task: str) -> ProbeProtocol:
        """The protocol that the scores of a task are made by."""
        return self.protocols[self._protocol_names[task]]

    def document_protocol(self, task: str) -> ProbeProtocol:
        """The same with the documents of the task kept together."""
        return keeping_documents(self.task_protocol(task))

    def _protocols_of(self, task: str) -> list[str]:
        """Names of the protocols that a task is probed by: its own, those of the study, that of new documents."""
        study = self.study if task in self.study_tasks else []
        documents = [self.document_protocol(task).name] if task in self.document_tasks else []
        return list(dict.fromkeys([self.task_protocol(task).name, *study, *documents]))

    def _other_protocols(self) -> list[str]:
        """Those of the study and of new documents."""
        return list(dict.fromkeys(name for task in self.tasks for name in self._protocols_of(task)[1:]))

    # --- what it needs --------------------------------------------------------------------------------------

    def raw_files(self) -> list[tuple[str, str]]:
        """Of the selected tasks, those that share texts with them, and those that are held out of training."""
        embedded = {table for collection in self.collections() for table in collection.tables}
        sharing = {
            name: entry for name, entry in self._known.items() if paths.TASK.format(task=name) in embedded
        }
        entries = {**self.tasks, **sharing, **self.held_out_tasks}.values()
        return [(entry["dataset"], file) for entry in entries for file in files_of(entry["reader"])]

    def collections(self) -> list[Collection]:
        """The texts of each dataset, and those of single tasks for which an encoder has prompts.

        A dataset's are those of all tasks of the catalog that read it, so that the selection changes no vector.
        """
        models_of: dict[str, list[str]] = {}
        collections: dict[str, Collection] = {}
        for task, model in product(self.tasks, self.experiment.fixed_models):
            collection = self._collection(task, model)
            collections[collection.name] = collection
            models = models_of.setdefault(collection.name, [])
            models += [] if model in models else [model]
        return [
            Collection(**{**vars(collection), "models": models_of[name]})
            for name, collection in collections.items()
        ]

    def _collection(self, task: str, model: str) -> Collection:
        """The texts of a task as a model embeds them: with those of its dataset, or alone with prompts of their own."""
        entry, dataset = self.experiment.models[model], self._known[task]["dataset"]
        if task not in prompted_tasks(entry):
            tasks = self.tasks_of_dataset[dataset]
            tables, digests = (self.of_tasks(one, tasks) for one in (paths.TASK, paths.TASK_DIGEST))
            return Collection(dataset, tables, digests, [model])
        own = (self.of_tasks(paths.TASK, [task]), self.of_tasks(paths.TASK_DIGEST, [task]), [model])
        roles = roles_of_texts(entry.get("prompt_names", {}), task)
        ending = "/sides" if roles == SIDES else ""
        return Collection(f"{dataset}/{task}{ending}", *own, roles=roles, task=task)

    def data(self) -> dict[str, list[str]]:
        names = [[f"task table {name}", entry["dataset"]] for name, entry in self.tasks.items()]
        return dict(zip(self.of_tasks(paths.TASK_DIGEST, self.tasks), names, strict=True))

    # --- what it makes --------------------------------------------------------------------------------------

    def of_tasks(self, pattern: str, tasks: Iterable[str]) -> list[str]:
        """A file of each task."""
        return [pattern.format(task=task) for task in tasks]

    def each(self, pattern: str) -> list[str]:
        """A file per task and model, of the protocol of the task."""
        return self._each(pattern, dict.fromkeys(self.tasks, ""))

    def on_documents(self, pattern: str) -> list[str]:
        """A file per task with documents and model, with documents kept together."""
        protocols = {task: self.document_protocol(task).name for task in self.document_tasks}
        return self._each(pattern, {task: paths.study(name) for task, name in protocols.items()})

    def of_study(self, pattern: str, protocol: str = "") -> list[str]:
        """A file per task and model that a study is about; of one of its protocols, or of that of the scores."""
        study = paths.study(protocol) if protocol else ""
        return self._each(pattern, dict.fromkeys(self.study_tasks, study))

    def _each(self, pattern: str, studies: Mapping[str, str]) -> list[str]:
        names = product(studies.items(), self.models)
        return [pattern.format(study=study, task=task, model=model) for (task, study), model in names]

    def probes(self) -> list[str]:
        """Every fold of every task and model."""
        measured = product(self.tasks, self.models)
        return [file for task, model in measured for file in self._folds(task, model, "")]

    def comparisons(self) -> list[str]:
        """What is said of several models on tasks, and of new documents where tasks say of which document a row is."""
        of_tasks = [paths.PAIRS, paths.STANDINGS, paths.RANKS, paths.ACROSS, paths.OMNIBUS]
        of_documents = [paths.DOCUMENT_SCORES, paths.DOCUMENT_PAIRS, paths.DOCUMENT_STANDINGS]
        return [*(of_tasks if self.tasks else []), *(of_documents if self.document_tasks else [])]

    def results(self) -> list[str]:
        return [*self.each(paths.SCORES), *self.comparisons(), *self.audits()]

    def published_results(self) -> list[str]:
        """No texts, so not the hardest."""
        patterns = (paths.SCORES, paths.SCORE_TABLE)
        return [
            *(file for pattern in patterns for file in self.each(pattern)),
            *self.comparisons(),
            *(file for pattern in patterns for file in self.on_documents(pattern)),
            *self.of_tasks(paths.AUDIT, self.tasks),
        ]

    def exports(self) -> list[str]:
        return self.exported.files()

    def audits(self) -> list[str]:
        return [*self.of_tasks(paths.AUDIT, self.tasks), *self.of_tasks(paths.HARDEST, self.tasks)]

    def summaries(self) -> list[str]:
        effects = [paths.EFFECTS.format(protocol=protocol) for protocol in self.study]
        return [paths.SUMMARY, paths.CURVES, *self.comparisons(), *effects] if self.tasks else []

    def summary_of_scores(self) -> list[str]:
        return self.summaries()[:1]

    def available(self) -> Mapping[str, bool]:
        return {
            "scores": bool(self.tasks),
            "study": bool(self.study),
            "documents": bool(self.document_tasks),
        }

    def asked(self) -> dict[str, Any]:
        return {"tasks": list(self.tasks), "models": self.models}

    def published(self) -> Mapping[str, Any]:
        return {"published": [entry.model_dump() for entry in self.experiment.config.report.published]}

    def told(self) -> dict[str, Any]:
        """The tasks, and every protocol that one is probed by: first those of scores; without tasks the chosen."""
        own = [self.task_protocol(task).name for task in self.tasks] or [self.protocol.name]
        names = dict.fromkeys([*own, *self._other_protocols()])
        return {"tasks": self.tasks, "protocols": [self._about_protocol(name) for name in names]}

    def _about_protocol(self, name: str) -> Entry:
        protocol, entries = self.protocols[name], self.experiment.entries["protocols"]
        base = name.removesuffix(DOCUMENTS)
        of_documents = f"As {base}, and no document is both trained on and tested on."
        probed = [task for key, task in self.tasks.items() if name in self._protocols_of(key)]
        changed = [not_comparable_text(changed_settings(protocol, task)) for task in probed]
        return {
            "name": name,
            "title": protocol.title,
            "description": entries[name].get("description", "") if name in entries else of_documents,
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

    def constraints(self) -> Mapping[str, str]:
        """Tasks, also those that share a dataset with a selected one, and the protocols of the study."""
        others = self._other_protocols()
        return {
            "task": one_of(self._known),
            "protocol": one_of(others),
            "study": f"(?:{one_of(map(paths.study, others))})?",
            "rep": r"\d+",
            "fold": r"\d+",
        }

    # --- files of jobs --------------------------------------------------------------------------------------

    def collection_of(self, wildcards: Any) -> str:
        return self._collection_named(wildcards.task, wildcards.model)

    def raw_files_of_task(self, wildcards: Any) -> list[str]:
        """The raw files that hold a task's rows."""
        entry = self._known[wildcards.task]
        return [
            paths.RAW_FILE.format(dataset=entry["dataset"], file=file) for file in files_of(entry["reader"])
        ]

    def folds(self, wildcards: Any) -> list[str]:
        """Every fold of a task and model under a protocol, which are those of the task's own if they are the same."""
        own = self._folds_from(wildcards)
        study = "" if own == self.task_protocol(wildcards.task) else paths.study(own.name)
        return self._folds(wildcards.task, wildcards.model, study)

    def _folds(self, task: str, model: str, study: str) -> list[str]:
        names = {"study": study, "task": task, "model": model}
        numbers = product(self._repetitions, self._folds_of_repetition)
        return [paths.FOLD.format(**names, rep=rep, fold=fold) for rep, fold in numbers]

    def predictions_of_real_models(self, wildcards: Any) -> list[str]:
        """The predictions of a task, a file per model; controls are not counted when texts are ranked as hard."""
        names = {"study": "", "task": wildcards.task}
        return [paths.SCORE_PREDICTIONS.format(**names, model=model) for model in self._real_models()]

    def fold_outputs(self) -> list[str]:
        """The fold files that one probe job writes: those of a fold, repetition or task (``probe.job``)."""
        job = self.experiment.config.probe.job
        reps = [str(rep) for rep in self._repetitions] if job == "task" else ["{rep}"]
        folds = ["{fold}"] if job == "fold" else [str(fold) for fold in self._folds_of_repetition]
        names = {key: f"{{{key}}}" for key in ("study", "task", "model")}
        return [paths.FOLD.format(**names, rep=rep, fold=fold) for rep in reps for fold in folds]

    # --- settings of jobs -----------------------------------------------------------------------------------

    def prepare_settings(self, wildcards: Any) -> str:
        """What decides a task table."""
        return TaskSettings.from_parts(self._known[wildcards.task]).as_json()

    def prepare_checks(self, wildcards: Any) -> str:
        """What a task table must allow: checked early, but it changes no byte and runs nothing again."""
        return self.task_checks(wildcards.task).as_json()

    def task_checks(self, task: str) -> TaskChecks:
        """The same as a model."""
        entry = self._known[task]
        known = self.experiment.entries["datasets"][entry["dataset"]]["files"]
        pinned = {name: known[name] for name in files_of(entry["reader"]) if "generator" not in known[name]}
        protocol = self.task_protocol(task)
        named = [protocol, *(self.protocols[name] for name in self.study)]
        needed = names_documents(entry) and any(one.switches.group_folds for one in named)
        checks = TaskChecks(metric=entry["metric"], **protocol.needs(), files=pinned)
        if needed or task in self.document_tasks:
            folds = DocumentFolds(**protocol.cross_validation, needed=needed)
            checks = checks.model_copy(update={"document_folds": folds})
        return checks

    def probe_params(self, job: str) -> dict[str, Any]:
        """The params of a rule that probes: what is trained as published has no further code."""

        def digest(wildcards: Any) -> str:
            modules = [REGULARISED_PROBES] if self._is_regularised(wildcards) else []
            if wildcards.model in self.experiment.lazy_models:
                modules.append(kind_of(self.experiment.models[wildcards.model]).module())
            return code(job, *modules)

        def settings(wildcards: Any) -> str:
            return self._probe_settings(self._protocol(wildcards), wildcards).as_json()

        return {"code": digest, "env": self._probe_versions, "settings": settings}

    def _probe_versions(self, wildcards: Any) -> str:
        """Versions of the libraries that can change the probes."""
        if wildcards.model in self.experiment.lazy_models:
            return versions(
                *{"numba", "numpy", *kind_of(self.experiment.models[wildcards.model]).distributions}
            )
        if self._is_regularised(wildcards):
            return versions("numpy", "scikit-learn", "scipy")
        return versions("numba", "numpy")

    def score_settings(self, wildcards: Any) -> str:
        """What decides a score beside its folds."""
        statistics = pick(self.experiment.config.statistics, "level", "n_item_resamples", "n_resamples")
        return ScoreSettings(
            probe=self._probe_settings(self._folds_from(wildcards), wildcards),
            statistics=ScoreStatistics(**statistics),
            protocol=about_protocol(self._protocol(wildcards), self._known[wildcards.task]),
        ).as_json()

    def audit_settings(self, wildcards: Any) -> str:
        """What decides an audit beside the rows: the draws of the protocol, and the language that texts should have."""
        probe = self._probe_settings(self.task_protocol(wildcards.task), wildcards)
        return AuditSettings(
            **probe.protocol.cross_validation,
            group_folds=probe.protocol.switches.group_folds,
            language=self._known[wildcards.task]["language"],
        ).as_json()

    def hardest_settings(self, wildcards: Any) -> str:
        """Whose predictions count."""
        offensive = self._known[wildcards.task].get("offensive", False)
        return HardestSettings(models=tuple(self._real_models()), offensive=offensive).as_json()

    def summarise_settings(self, _wildcards: Any) -> str:
        """Titles, groups of tasks, which models are controls; and the order, for Snakemake sees sets of inputs."""
        return Titles(**self._titles(self.tasks)).as_json()

    def comparison_settings(self, tasks: Iterable[str]) -> str:
        """Titles and order as in `summarise_settings`, sources of the tasks, and how models are compared."""
        statistics = pick(self.experiment.config.statistics, *_COMPARISON_KEYS)
        sources = {task: self._source(task) for task in tasks}
        return ComparedTasks(
            **self._titles(tasks), sources=sources, statistics=ComparisonSettings(**statistics)
        ).as_json()

    def effect_settings(self, wildcards: Any) -> str:
        """The protocol whose effects are measured; titles as in `summarise_settings`."""
        protocol = self.protocols[wildcards.protocol]
        return ComparedProtocol(
            **self._titles(self.study_tasks), protocol=protocol.name, protocol_title=protocol.title
        ).as_json()

    def _real_models(self) -> list[str]:
        """The models that are no controls, by name; all of them if there are only controls."""
        entries = self.experiment.models
        real = [name for name, entry in entries.items() if not entry.get("control", False)]
        return sorted(real or entries)

    def _source(self, task: str) -> str:
        """What tasks have in common: their dataset, what it was made from, or that their texts are generated."""
        name = self.tasks[task]["dataset"]
        dataset = self.experiment.entries["datasets"][name]
        generated = any("generator" in file for file in dataset["files"].values())
        return "generated texts" if generated else str(dataset.get("source", name))

    def _titles(self, tasks: Iterable[str]) -> dict[str, Any]:
        lazy = self.experiment.lazy_models
        models = described_models(self.experiment.models).items()
        return {
            "tasks": {task: TaskTitle(**pick(self.tasks[task], "title", "family")) for task in tasks},
            "models": {name: ModelTitle(**about, fitted=name in lazy) for name, about in models},
        }

    def _protocol(self, wildcards: Any) -> ProbeProtocol:
        """The protocol of a job: named by its wildcard in a study, else that of its task."""
        study = wildcards.study
        return self.protocols[paths.protocol_of(study)] if study else self.task_protocol(wildcards.task)

    def _probe_settings(self, protocol: ProbeProtocol, wildcards: Any) -> ProbeSettings:
        lazy = getattr(wildcards, "model", None) in self.experiment.lazy_models
        return self._settings_of_probes(protocol.name, wildcards.task, lazy)

    def _find_settings_of_probes(self, protocol: str, task: str, lazy: bool) -> ProbeSettings:
        return job_settings(
            self.protocols[protocol],
            self._known[task],
            lazy=lazy,
            folds_optional=protocol not in self._named,
        )

    def _is_regularised(self, wildcards: Any) -> bool:
        settings = self._probe_settings(self._protocol(wildcards), wildcards)
        return settings.protocol.classifier == REGULARISED

    def _folds_from(self, wildcards: Any) -> ProbeProtocol:
        """Whose folds a job scores: those of the task's own protocol, if they would be trained no other way."""
        own, base = self._protocol(wildcards), self.task_protocol(wildcards.task)
        here, there = (self._probe_settings(protocol, wildcards) for protocol in (own, base))
        return base if here.trains_like(there) else own
