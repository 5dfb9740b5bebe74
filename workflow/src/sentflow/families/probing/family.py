"""Probes on frozen vectors: tasks, the folds of their cross-validation, scores, comparisons, studies of protocols."""

from collections.abc import Mapping
from functools import cache
from itertools import product
from typing import Any

from sentflow.config.entries import Entries
from sentflow.config.experiment import Experiment
from sentflow.encoders.prompts import prompted_tasks, roles_of_texts
from sentflow.encoders.roles import SIDES
from sentflow.families.probing.products import PRODUCTS
from sentflow.families.probing.settings import ProbingSettings
from sentflow.graph import paths
from sentflow.graph.exports import TaskExports
from sentflow.graph.family import Collection
from sentflow.graph.job_settings import one_of
from sentflow.texts.task_files import files_of


class Probing(ProbingSettings):
    """Tasks, each probed by cross-validated classifiers on the vectors of every encoder."""

    name = "probing"
    products = PRODUCTS
    has_section = True

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(experiment)
        self.exported = TaskExports(experiment)
        self._collection_named = cache(lambda task, model: self._collection(task, model).name)

    # --- what it needs --------------------------------------------------------------------------------------

    def raw_files(self) -> list[tuple[str, str]]:
        """See `Family.raw_files`."""
        return [
            (entry["dataset"], file)
            for entry in self._prepared().values()
            for file in files_of(entry["reader"])
        ]

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
        entry, dataset = self.experiment.models[model], self.task(task)["dataset"]
        if task not in prompted_tasks(entry):
            tasks = list(self.tasks_of_dataset[dataset])
            return Collection(dataset, _tables(tasks), _digests(tasks), [model])
        own = (_tables([task]), _digests([task]), [model])
        roles = roles_of_texts(entry.get("prompt_names", {}), task)
        ending = "/sides" if roles == SIDES else ""
        return Collection(f"{dataset}/{task}{ending}", *own, roles=roles, task=task)

    def data(self) -> dict[str, list[str]]:
        """See `Family.data`."""
        tasks = self.tasks
        names = [[f"task table {name}", entry["dataset"]] for name, entry in tasks.items()]
        return dict(zip(_digests(tasks), names, strict=True))

    def task_digests(self) -> list[str]:
        """The digests of `task_tables`."""
        return _digests(self.tasks)

    def _prepared(self) -> Entries:
        """The selected tasks, those whose texts are embedded with theirs, and those that are held out of training."""
        embedded = {table for collection in self.collections() for table in collection.tables}
        sharing = {
            name: entry
            for tasks in self.tasks_of_dataset.values()
            for name, entry in tasks.items()
            if paths.TASK.format(task=name) in embedded
        }
        return {**self.tasks, **sharing, **self.held_out_tasks}

    # --- what it makes --------------------------------------------------------------------------------------

    def probes(self) -> list[str]:
        """Every fold of every task and model."""
        return [file for task, model in self._measured() for file in self._folds(task, model)]

    def scores(self) -> list[str]:
        """One JSON per task and model, task after task."""
        return self._each(paths.SCORES)

    def score_tables(self) -> list[str]:
        """One Parquet per task and model, in the order of `scores`."""
        return self._each(paths.SCORE_TABLE)

    def score_predictions(self) -> list[str]:
        """The out-of-fold predictions of every task and model, in the order of `scores`."""
        return self._each(paths.SCORE_PREDICTIONS)

    def document_scores(self) -> list[str]:
        """One JSON per task with documents and model, with documents kept together."""
        return self._on_documents(paths.STUDY_SCORES)

    def document_score_tables(self) -> list[str]:
        """One Parquet per task with documents and model, in the order of `document_scores`."""
        return self._on_documents(paths.STUDY_SCORE_TABLE)

    def document_score_predictions(self) -> list[str]:
        """The out-of-fold predictions, in the order of `document_scores`."""
        return self._on_documents(paths.STUDY_SCORE_PREDICTIONS)

    def task_tables(self) -> list[str]:
        """The table of every selected task."""
        return _tables(self.tasks)

    def document_task_digests(self) -> list[str]:
        """The digests of `document_task_tables`."""
        return _digests(self.document_tasks)

    def document_task_tables(self) -> list[str]:
        """The table of every task with documents."""
        return _tables(self.document_tasks)

    def comparisons(self) -> list[str]:
        """What is said of several models on tasks."""
        if not self.tasks:
            return []
        return [paths.PAIRS, paths.STANDINGS, paths.RANKS, paths.ACROSS, paths.OMNIBUS]

    def on_documents(self) -> list[str]:
        """What is said of new documents; nothing where no task says of which document a row is."""
        if not self.document_tasks:
            return []
        return [paths.DOCUMENT_SCORES, paths.DOCUMENT_PAIRS, paths.DOCUMENT_STANDINGS]

    def results(self) -> list[str]:
        """Scores, comparisons, what is said of new documents, and audits."""
        return [*self.scores(), *self.comparisons(), *self.on_documents(), *self.audits()]

    def published_results(self) -> list[str]:
        """See `Family.published_results`; no texts, so not the hardest."""
        audits = [paths.AUDIT.format(task=task) for task in self.tasks]
        return [
            *self.scores(),
            *self.score_tables(),
            *self.comparisons(),
            *self.on_documents(),
            *self.document_scores(),
            *self.document_score_tables(),
            *audits,
        ]

    def exports(self) -> list[str]:
        """See `Family.exports`."""
        return self.exported.files()

    def audits(self) -> list[str]:
        """What is to be known about the rows of each task, then the texts of each that most probes get wrong."""
        patterns = (paths.AUDIT, paths.HARDEST)
        return [pattern.format(task=task) for pattern in patterns for task in self.tasks]

    def summaries(self) -> list[str]:
        """Of scores and training curves; comparisons, new documents, and the effects of each protocol of a study."""
        files = [paths.SUMMARY, paths.CURVES, *self.comparisons(), *self.on_documents(), *self.effects()]
        return files if self.tasks else []

    def summary_of_scores(self) -> list[str]:
        """See `Family.summary_of_scores`."""
        return self.summaries()[:1]

    def effects(self) -> list[str]:
        """What each protocol of the study changes."""
        return [paths.EFFECTS.format(protocol=protocol) for protocol in self.study]

    def available(self) -> Mapping[str, bool]:
        """See `Family.available`."""
        return {
            "scores": bool(self.tasks),
            "study": bool(self.study),
            "documents": bool(self.document_tasks),
        }

    def asked(self) -> dict[str, Any]:
        """See `Family.asked`."""
        return {"tasks": list(self.tasks), "models": list(self.experiment.models)}

    def told(self) -> dict[str, Any]:
        """See `Family.told`."""
        return {
            "tasks": self.tasks,
            "protocols": [self._told_protocol(name) for name in self._protocols_of_tasks()],
        }

    def published(self) -> Mapping[str, Any]:
        """See `Family.published`."""
        return {"published": [entry.model_dump() for entry in self.experiment.config.report.published]}

    def constraints(self) -> Mapping[str, str]:
        """Tasks, also those that share a dataset with a selected one, and the protocols of the study."""
        known = [task for tasks in self.tasks_of_dataset.values() for task in tasks]
        return {
            "task": one_of(known),
            "protocol": one_of(list(dict.fromkeys(self._beside_those_of_tasks()))),
            "rep": r"\d+",
            "fold": r"\d+",
        }

    # --- inputs and outputs that depend on wildcards --------------------------------------------------------

    def raw_files_of_task(self, wildcards: Any) -> list[str]:
        """The raw files that hold a task's rows."""
        entry = self.task(wildcards.task)
        return [
            paths.RAW_FILE.format(dataset=entry["dataset"], file=file) for file in files_of(entry["reader"])
        ]

    def folds(self, wildcards: Any) -> list[str]:
        """Every fold of a task and model under a protocol, which are those of the task's own if they are the same."""
        own = self._folds_from(wildcards)
        pattern = paths.FOLD if own == self.task_protocol(wildcards.task) else paths.STUDY_FOLD
        return self._folds(wildcards.task, wildcards.model, pattern.replace("{protocol}", own.name))

    def predictions_of_real_models(self, wildcards: Any) -> list[str]:
        """The predictions of a task, a file per model; controls are not counted when texts are ranked as hard."""
        names = {"task": wildcards.task}
        return [paths.SCORE_PREDICTIONS.format(**names, model=model) for model in self._real_models()]

    def fold_outputs(self, *, study: bool = False) -> list[str]:
        """The fold files that one probe job writes: those of a fold, repetition or task (``probe.job``)."""
        pattern = paths.STUDY_FOLD if study else paths.FOLD
        job = self.experiment.config.probe.job
        reps = [str(rep) for rep in self.repetitions] if job == "task" else ["{rep}"]
        folds = ["{fold}"] if job == "fold" else [str(fold) for fold in self.folds_of_repetition]
        names = {key: f"{{{key}}}" for key in ("protocol", "task", "model")}
        return [pattern.format(**names, rep=rep, fold=fold) for rep in reps for fold in folds]

    def job_key(self, *, study: bool = False) -> str:
        """Key of a probe job's log and benchmark files."""
        keys = {"task": "", "repetition": "/rep-{rep}", "fold": "/rep-{rep}-fold-{fold}"}
        key = "{task}/{model}" + keys[self.experiment.config.probe.job]
        return "{protocol}/" + key if study else key

    def study_scores(self, wildcards: Any) -> list[str]:
        """One JSON per task and model under a protocol of the study, in the order of `baseline_scores`."""
        return self._of_study(paths.STUDY_SCORES, protocol=wildcards.protocol)

    def study_score_tables(self, wildcards: Any) -> list[str]:
        """One Parquet per task and model under a protocol of the study, in the order of `baseline_scores`."""
        return self._of_study(paths.STUDY_SCORE_TABLE, protocol=wildcards.protocol)

    def baseline_scores(self) -> list[str]:
        """One JSON per task and model that a study is about."""
        return self._of_study(paths.SCORES)

    def baseline_score_tables(self) -> list[str]:
        """One Parquet per task and model that a study is about, in the order of `baseline_scores`."""
        return self._of_study(paths.SCORE_TABLE)

    # --- helpers --------------------------------------------------------------------------------------------

    def _measured(self) -> list[tuple[str, str]]:
        return list(product(self.tasks, self.experiment.models))

    def _each(self, pattern: str) -> list[str]:
        return [pattern.format(task=task, model=model) for task, model in self._measured()]

    def _of_study(self, pattern: str, **names: str) -> list[str]:
        pairs = product(self.study_tasks, self.experiment.models)
        return [pattern.format(task=task, model=model, **names) for task, model in pairs]

    def _on_documents(self, pattern: str) -> list[str]:
        pairs = product(self.document_tasks, self.experiment.models)
        return [
            pattern.format(protocol=self.document_protocol(task).name, task=task, model=model)
            for task, model in pairs
        ]

    def _protocols_of_tasks(self) -> list[str]:
        """Every protocol that a task is probed by: first those of scores, then the others; without tasks the chosen."""
        own = [self.task_protocol(task).name for task in self.tasks] or [self.protocol.name]
        return list(dict.fromkeys([*own, *self._beside_those_of_tasks()]))

    def _beside_those_of_tasks(self) -> list[str]:
        """Protocols of the study and of new documents, once per task."""
        return [protocol for task in self.tasks for protocol in self.protocols_of(task)[1:]]

    def _folds(self, task: str, model: str, pattern: str = paths.FOLD) -> list[str]:
        numbers = product(self.repetitions, self.folds_of_repetition)
        return [pattern.format(task=task, model=model, rep=rep, fold=fold) for rep, fold in numbers]

    def collection_of(self, wildcards: Any) -> str:
        """See `Family.collection_of`."""
        return self._collection_named(wildcards.task, wildcards.model)


def _tables(tasks: Any) -> list[str]:
    return [paths.TASK.format(task=task) for task in tasks]


def _digests(tasks: Any) -> list[str]:
    return [paths.TASK_DIGEST.format(task=task) for task in tasks]
