"""Probes on frozen vectors: tasks, the folds of their cross-validation, scores, comparisons, studies of protocols."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from itertools import product
from typing import Any, NamedTuple

from sentflow.audit.settings import AuditSettings, HardestSettings
from sentflow.compare.settings import ComparedProtocol, ComparedTasks, TaskTitle, Titles
from sentflow.config.configuration import ComparisonStatistics, ScoreStatistics
from sentflow.config.entries import Entries, Entry
from sentflow.config.experiment import Experiment
from sentflow.config.model import Settings, descriptions
from sentflow.config.tasks import TaskSettings
from sentflow.config.trained import held_out_tasks
from sentflow.encoders.entries import kind_of
from sentflow.encoders.prompts import prompted_tasks, roles_of_texts
from sentflow.encoders.settings import SIDES
from sentflow.exports.identity import ScoreExport, data_name, model_facts
from sentflow.flow import paths
from sentflow.flow.family import (
    Collection,
    Family,
    Files,
    FromFiles,
    described_models,
    each,
    json_text,
    one_of,
    pick,
    raw_files,
)
from sentflow.flow.provenance import code, versions
from sentflow.probing.catalog import (
    DOCUMENTS,
    about_protocol,
    changed_settings,
    job_settings,
    keeping_documents,
    names_documents,
    protocol_name,
    protocol_of,
)
from sentflow.probing.settings import (
    REGULARISED,
    REGULARISED_PROBES,
    ProbeProtocol,
    ProbeSettings,
    ScoreSettings,
    Switches,
    TaskScore,
    not_comparable_text,
    switch_text,
)
from sentflow.texts.settings import DocumentFolds, TaskChecks

# Snakemake records all inputs of a job with each of its outputs: what it does for a job grows with their product.
_FOLDS_OF_A_SCORE_JOB = 200


class ScoredTasks(NamedTuple):
    """Tasks that one job scores: all of a study (`paths.study`), or some of them where their folds are many."""

    study: str
    tasks: Sequence[str]
    part: str  # what names the job beside its encoder

    def files(self, pattern: str) -> list[str]:
        return each(pattern, study=[self.study], task=self.tasks, model=["{model}"])


class TaskFiles(FromFiles):
    """The same for tasks, whose rows must be enough for the folds of their protocols."""

    def __init__(self, probing: "Probing", entries: Entries) -> None:
        known = probing.experiment.entries["datasets"]
        super().__init__("tasks", "task", entries, known, (TaskSettings, TaskChecks))
        self._probing = probing

    def checks_of(self, name: str, **more: Any) -> Settings:
        """What a task table must allow: checked early, but it changes no byte and runs nothing again."""
        probing = self._probing
        protocol = probing.task_protocol(name)
        named = [protocol, *(probing.protocols[name] for name in probing.study)]
        needed = names_documents(self.entries[name]) and any(one.switches.group_folds for one in named)
        if needed or name in probing.document_tasks:
            more["document_folds"] = DocumentFolds(**protocol.cross_validation, needed=needed)
        return super().checks_of(name, **protocol.needs(), **more)


class Probing(Family):
    """Tasks, each probed by cross-validated classifiers on the vectors of every encoder."""

    name = "probing"

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(experiment)
        self.models = list(experiment.models)
        self.tasks = experiment.selected["tasks"]
        # Tasks whose texts are not trained on have a table, selected or not.
        held_out = held_out_tasks(experiment)
        # Every task that reads a dataset, so that its texts, and with them the vectors, do not depend on the selection.
        datasets = dict.fromkeys(entry["dataset"] for entry in [*self.tasks.values(), *held_out.values()])
        every_task = experiment.entries["tasks"].items()
        self.tasks_of_dataset = {
            dataset: {name: entry for name, entry in every_task if entry["dataset"] == dataset}
            for dataset in datasets
        }
        self._known = {name: entry for one in self.tasks_of_dataset.values() for name, entry in one.items()}
        self._set_protocols()
        self.from_files = TaskFiles(self, self._known)
        self.collections = self._collections()
        self.raw_files = [file for entry in self._known.values() for file in raw_files(entry)]
        self.data = {
            paths.digest(paths.TASK).format(task=name): [f"task table {name}", entry["dataset"]]
            for name, entry in self.tasks.items()
        }
        self._set_results()
        others = [name for task in self.tasks for name in self._protocols_of(task)[1:]]
        self._other_protocols = list(dict.fromkeys(others))
        self.scored_together = self._scored_together()
        self.constraints = {
            "task": one_of(self._known),
            "protocol": one_of(self._other_protocols),
            "study": f"(?:{one_of(map(paths.study, self._other_protocols))})?",
            "rep": r"\d+",
            "fold": r"\d+",
        }

    def _set_protocols(self) -> None:
        """The protocol of the experiment, those of its tasks, and those that a study compares with the first."""
        probe, entries = self.experiment.config.probe, self.experiment.entries["protocols"]
        self._protocol_names = {
            name: protocol_name(entry, probe.protocol) for name, entry in self._known.items()
        }
        self.study = list(dict.fromkeys(self.experiment.config.study.protocols))
        self._named = list(dict.fromkeys([probe.protocol, *self._protocol_names.values(), *self.study]))
        self.protocols = {name: protocol_of(name, entries[name], dict(probe)) for name in self._named}
        self.protocol = self.protocols[probe.protocol]
        self.study_tasks = [name for name in self.tasks if self.task_protocol(name) == self.protocol]
        # Tasks that say of which document a row is → the protocol that says how scores are on new documents
        self.document_tasks = {
            name: keeping_documents(self.task_protocol(name))
            for name, task in self.tasks.items()
            if probe.documents and names_documents(task) and not self.task_protocol(name).switches.group_folds
        }
        for twin in self.document_tasks.values():
            self.protocols.setdefault(twin.name, twin)
        # Equal for all folds and encoders of a task, which are thousands of jobs.
        self._settings_of_probes = cache(self._find_settings_of_probes)
        self._collection_named = cache(lambda task, model: self._collection(task, model).name)

    def _scored_together(self) -> list[ScoredTasks]:
        """What each job scores: those of a rule have the same outputs but for the encoder."""
        of_study = {"": list(self.tasks)} | {
            paths.study(name): [task for task in self.tasks if name in self._protocols_of(task)[1:]]
            for name in self._other_protocols
        }
        n = max(1, _FOLDS_OF_A_SCORE_JOB // (self.protocol.repetitions * self.protocol.folds))
        return [
            ScoredTasks(study, tasks[start : start + n], (study + (tasks[start] if start else "")).strip("/"))
            for study, tasks in of_study.items()
            for start in range(0, len(tasks), n)
        ]

    def _set_results(self) -> None:
        of_tasks = [paths.PAIRS, paths.STANDINGS, paths.RANKS, paths.ACROSS, paths.OMNIBUS]
        of_documents = [paths.DOCUMENT_SCORES, paths.DOCUMENT_PAIRS, paths.DOCUMENT_STANDINGS]
        # What is said of several models on tasks, and of new documents where tasks name documents
        self.task_comparisons = of_tasks if self.tasks else []
        self.comparisons = [*self.task_comparisons, *(of_documents if self.document_tasks else [])]
        # Dataset → its selected tasks, which are audited together
        self.audited = {
            dataset: chosen
            for dataset, entries in self.tasks_of_dataset.items()
            if (chosen := [task for task in entries if task in self.tasks])
        }
        self.audits = [*each(paths.AUDIT, task=self.tasks), *each(paths.HARDEST, task=self.tasks)]
        self.results = [*self.of_scores(paths.SCORES), *self.comparisons, *self.audits]
        if self.tasks:
            self.exports = [*self.mteb_files(), *self.huggingface_files(), paths.NUMBERS]
            effects = each(paths.EFFECTS, protocol=self.study)
            self.summaries = [paths.SUMMARY, paths.CURVES, *self.comparisons, *effects]
            self.summary_of_scores = [paths.SUMMARY]
        self.available = {
            "scores": bool(self.tasks),
            "study": bool(self.study),
            "documents": bool(self.document_tasks),
        }
        self.selection = {"tasks": list(self.tasks), "models": self.models}

    # --- tasks and protocols --------------------------------------------------------------------------------

    def task_protocol(self, task: str) -> ProbeProtocol:
        return self.protocols[self._protocol_names[task]]

    def _protocols_of(self, task: str) -> list[str]:
        """Names of the protocols that a task is probed by: its own, those of the study, that of new documents."""
        study = self.study if task in self.study_tasks else []
        documents = [self.document_tasks[task].name] if task in self.document_tasks else []
        return list(dict.fromkeys([self.task_protocol(task).name, *study, *documents]))

    def _collections(self) -> list[Collection]:
        """The texts of each dataset, and those of single tasks for which an encoder has prompts."""
        collections: dict[str, Collection] = {}
        models_of: dict[str, dict[str, None]] = {}
        for task, model in product(self.tasks, self.experiment.fixed_models):
            collection = self._collection(task, model)
            collections[collection.name] = collection
            models_of.setdefault(collection.name, {})[model] = None
        return [
            Collection(one.name, one.tables, list(models_of[one.name]), one.roles, one.task)
            for one in collections.values()
        ]

    def _collection(self, task: str, model: str) -> Collection:
        """The texts of a task as a model embeds them: with those of its dataset, or alone with prompts of their own."""
        entry, dataset = self.experiment.models[model], self._known[task]["dataset"]
        if task not in prompted_tasks(entry):
            return Collection(dataset, each(paths.TASK, task=self.tasks_of_dataset[dataset]), [model])
        roles = roles_of_texts(entry.get("prompt_names", {}), task)
        ending = "/sides" if roles == SIDES else ""
        return Collection(f"{dataset}/{task}{ending}", each(paths.TASK, task=[task]), [model], roles, task)

    # --- what it makes --------------------------------------------------------------------------------------

    def of_scores(self, pattern: str) -> list[str]:
        return each(pattern, study=[""], task=self.tasks, model=self.models)

    def on_documents(self, pattern: str) -> list[str]:
        """A file per task with documents and model, with documents kept together."""
        return [
            file
            for task, protocol in self.document_tasks.items()
            for file in each(pattern, study=[paths.study(protocol.name)], task=[task], model=self.models)
        ]

    def of_study(self, pattern: str, protocol: str = "") -> list[str]:
        """A file per task and model that a study is about; of one of its protocols, or of that of the scores."""
        study = paths.study(protocol) if protocol else ""
        return each(pattern, study=[study], task=self.study_tasks, model=self.models)

    def probes(self) -> list[str]:
        measured = product(self.tasks, self.models)
        return [file for task, model in measured for file in self._folds(task, model, "")]

    @property
    def published_results(self) -> list[str]:
        """No texts, so not the hardest."""
        patterns = (paths.SCORES, paths.SCORE_TABLE)
        return [
            *(file for pattern in patterns for file in self.of_scores(pattern)),
            *self.comparisons,
            *(file for pattern in patterns for file in self.on_documents(pattern)),
            *each(paths.AUDIT, task=self.tasks),
        ]

    def mteb_files(self) -> list[str]:
        """Result files of MTEB: one per task and model, and two about each model."""
        names = [*(f"{task}.json" for task in self.tasks), "model_meta.json", "run_settings.jsonl"]
        # two entries of the same model as it comes have one folder there
        entries = self.experiment.models.items()
        folders = dict.fromkeys(model_facts(model, entry).folder for model, entry in entries)
        return [f"{paths.MTEB_RESULTS}/{folder}/{name}" for folder in folders for name in names]

    def huggingface_files(self) -> list[str]:
        names = [*(f".eval_results/{task}.yaml" for task in self.tasks), "README.md"]
        return [f"{paths.HUGGINGFACE_RESULTS}/{model}/{name}" for model in self.models for name in names]

    @cached_property
    def published(self) -> Mapping[str, Any]:
        return {"published": [entry.model_dump() for entry in self.experiment.config.report.published]}

    @cached_property
    def report_facts(self) -> Mapping[str, Any]:
        """The tasks, and every protocol that one is probed by: first those of scores; without tasks the chosen."""
        own = [self.task_protocol(task).name for task in self.tasks] or [self.protocol.name]
        names = dict.fromkeys([*own, *self._other_protocols])
        return {"tasks": self.tasks, "protocols": [self._about_protocol(name) for name in names]}

    def _about_protocol(self, name: str) -> Entry:
        protocol, entries = self.protocols[name], self.experiment.entries["protocols"]
        base = name.removesuffix(DOCUMENTS)
        of_documents = f"As {base}, and no document is both trained on and tested on."
        probed = [task for key, task in self.tasks.items() if name in self._protocols_of(key)]
        changed = [not_comparable_text(changed_settings(protocol, task)) for task in probed]
        notes = descriptions(Switches)
        return {
            "name": name,
            "title": protocol.title,
            "description": entries[name].get("description", "") if name in entries else of_documents,
            "tasks": [task for task in self.tasks if self.task_protocol(task).name == name],
            "switches": {
                switch: {"value": switch_text({switch: value}), "note": notes[switch]}
                for switch, value in protocol.switches.changes().items()
            },
            "not_comparable": sorted({text for text in changed if text}),
        }

    # --- files of jobs --------------------------------------------------------------------------------------

    def collection_of(self, wildcards: Any) -> str:
        return self._collection_named(wildcards.task, wildcards.model)

    def scored_folds(self, scored: ScoredTasks) -> Files:
        """Every fold of some tasks under a protocol, which are those of the task's own if they are the same."""

        def folds(wildcards: Any) -> list[str]:
            model, found = wildcards.model, []
            for task in scored.tasks:
                own = self._folds_from(scored.study, task, model)
                study = "" if own == self.task_protocol(task) else paths.study(own.name)
                found += self._folds(task, model, study)
            return found

        return folds

    def _folds(self, *names: str) -> list[str]:
        task, model, study = names
        reps, folds = (range(1, n + 1) for n in (self.protocol.repetitions, self.protocol.folds))
        return each(paths.FOLD, study=[study], task=[task], model=[model], rep=reps, fold=folds)

    def predictions_of_real_models(self) -> list[str]:
        """The predictions of each task, a file per model; controls are not counted when texts are ranked as hard."""
        return each(paths.SCORE_PREDICTIONS, study=[""], task=self.tasks, model=self._real_models())

    def folds_of_page(self) -> list[str]:
        """The test scores of folds, which the page draws where there are one or two tasks."""
        if len(self.tasks) > 2:
            return []
        return [
            paths.SCORE_TABLE.format(study="", task=task, model=model)
            for task in self.tasks
            for model in self.models
        ]

    def fold_outputs(self) -> list[str]:
        """The fold files that one probe job writes: those of a fold, repetition or task (``probe.job``)."""
        job = self.experiment.config.probe.job
        reps = range(1, self.protocol.repetitions + 1) if job == "task" else ["{rep}"]
        folds = ["{fold}"] if job == "fold" else range(1, self.protocol.folds + 1)
        names = {key: [f"{{{key}}}"] for key in ("study", "task", "model")}
        return each(paths.FOLD, **names, rep=reps, fold=folds)

    # --- settings of jobs -----------------------------------------------------------------------------------

    def probe_params(self, job: str) -> dict[str, Callable[[Any], str]]:
        """The params of a rule that probes: what is trained as published has no further code."""

        def digest(wildcards: Any) -> str:
            modules = [REGULARISED_PROBES] if self._is_regularised(wildcards) else []
            if wildcards.model in self.experiment.lazy_models:
                modules.append(kind_of(self.experiment.models[wildcards.model]).module())
            return code(job, *modules)

        def settings(wildcards: Any) -> str:
            return self._settings_of_probe(wildcards).as_json()

        return {"code": digest, "env": self._probe_versions, "settings": settings}

    def _probe_versions(self, wildcards: Any) -> str:
        libraries = (
            {"numpy", "scikit-learn", "scipy"} if self._is_regularised(wildcards) else {"numba", "numpy"}
        )
        if wildcards.model in self.experiment.lazy_models:
            libraries |= {*kind_of(self.experiment.models[wildcards.model]).distributions}
        return versions(*libraries)

    def score_settings(self, scored: ScoredTasks) -> Callable[[Any], str]:
        def of_task(task: str, model: str) -> TaskScore:
            folds = self._folds_from(scored.study, task, model)
            about = about_protocol(self._protocol(scored.study, task), self._known[task])
            return TaskScore(task=task, probe=self._probe_settings(folds, task, model), protocol=about)

        def settings(wildcards: Any) -> str:
            return ScoreSettings(
                statistics=ScoreStatistics.from_parts(self.experiment.config.statistics),
                tasks=tuple(of_task(task, wildcards.model) for task in scored.tasks),
            ).as_json()

        return settings

    def audit_settings(self, tasks: Iterable[str]) -> str:
        """What decides audits beside the rows: the draws of the protocol, and the language that texts should have."""

        def of_task(task: str) -> AuditSettings:
            protocol = self._probe_settings(self.task_protocol(task), task).protocol
            return AuditSettings(
                **protocol.cross_validation,
                group_folds=protocol.switches.group_folds,
                language=self._known[task]["language"],
            )

        return json_text([of_task(task).as_dict() for task in tasks])

    def hardest_settings(self, _wildcards: Any) -> str:
        offensive = tuple(name for name, task in self.tasks.items() if task.get("offensive", False))
        return HardestSettings(models=tuple(self._real_models()), offensive=offensive).as_json()

    def summarise_settings(self, _wildcards: Any) -> str:
        return Titles(**self._titles(self.tasks)).as_json()

    def comparison_settings(self, tasks: Iterable[str]) -> str:
        """Titles and order as in `summarise_settings`, sources of the tasks, and how models are compared."""
        return ComparedTasks(
            **self._titles(tasks),
            sources={task: self._source(task) for task in tasks},
            statistics=ComparisonStatistics.from_parts(self.experiment.config.statistics),
        ).as_json()

    def effect_settings(self, wildcards: Any) -> str:
        protocol = self.protocols[wildcards.protocol]
        return ComparedProtocol(
            **self._titles(self.study_tasks), protocol=protocol.name, protocol_title=protocol.title
        ).as_json()

    def export_settings(self, _wildcards: Any) -> str:
        datasets = self.experiment.entries["datasets"]
        tasks = {
            name: {
                "language": entry["language"],
                "data": data_name(entry["dataset"], datasets[entry["dataset"]]),
            }
            for name, entry in self.tasks.items()
        }
        named = {name: model_facts(name, entry) for name, entry in self.experiment.models.items()}
        return ScoreExport.model_validate({"tasks": tasks, "models": named}).as_json()

    def _real_models(self) -> list[str]:
        entries = self.experiment.models
        real = [name for name, entry in entries.items() if not entry.get("control", False)]
        return sorted(real or entries)

    def _source(self, task: str) -> str:
        """What tasks have in common: their dataset, or what it was made from."""
        name = self.tasks[task]["dataset"]
        return str(self.experiment.entries["datasets"][name].get("source", name))

    def _titles(self, tasks: Iterable[str]) -> dict[str, Any]:
        lazy = self.experiment.lazy_models
        models = described_models(self.experiment.models).items()
        return {
            "tasks": {task: TaskTitle(**pick(self.tasks[task], "title", "family")) for task in tasks},
            "models": {name: about.model_copy(update={"fitted": name in lazy}) for name, about in models},
        }

    def _protocol(self, study: str, task: str) -> ProbeProtocol:
        """The protocol of a task: named by the study, else its own."""
        return self.protocols[paths.protocol_of(study)] if study else self.task_protocol(task)

    def _settings_of_probe(self, wildcards: Any) -> ProbeSettings:
        protocol = self._protocol(wildcards.study, wildcards.task)
        return self._probe_settings(protocol, wildcards.task, wildcards.model)

    def _probe_settings(self, protocol: ProbeProtocol, task: str, model: str = "") -> ProbeSettings:
        return self._settings_of_probes(protocol.name, task, model in self.experiment.lazy_models)

    def _find_settings_of_probes(self, protocol: str, task: str, lazy: bool) -> ProbeSettings:
        return job_settings(
            self.protocols[protocol],
            self._known[task],
            lazy=lazy,
            folds_optional=protocol not in self._named,
        )

    def _is_regularised(self, wildcards: Any) -> bool:
        return self._settings_of_probe(wildcards).protocol.classifier == REGULARISED

    def _folds_from(self, study: str, task: str, model: str) -> ProbeProtocol:
        """Whose folds are scored: those of the task's own protocol, if they would be trained no other way."""
        own, base = self._protocol(study, task), self.task_protocol(task)
        here, there = (self._probe_settings(protocol, task, model) for protocol in (own, base))
        return base if here.trains_like(there) else own
