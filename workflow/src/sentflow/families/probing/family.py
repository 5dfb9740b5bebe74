"""Probes on frozen vectors: tasks, the folds of their cross-validation, scores, comparisons, studies of protocols."""

from collections.abc import Mapping
from itertools import product
from types import SimpleNamespace
from typing import Any

from sentflow.encoders.entries import kind_of
from sentflow.encoders.prompts import prompted_tasks, roles_of_texts
from sentflow.encoders.roles import SIDES
from sentflow.families.probing.config import PROBING
from sentflow.families.probing.products import PRODUCTS, SECTION
from sentflow.graph import paths
from sentflow.graph.config.experiment import Experiment
from sentflow.graph.config.family import Entries, Entry
from sentflow.graph.config.schema import load_schema
from sentflow.graph.exports import TaskExports
from sentflow.graph.family import Collection, Family
from sentflow.graph.job_settings import described_models, json_text, one_of, pick, pick_known
from sentflow.graph.provenance import code, versions
from sentflow.probing.protocol.catalog import about_protocol, changed_settings, job_settings, protocol_of
from sentflow.probing.protocol.design import ACCELERATOR
from sentflow.probing.protocol.settings import ProbeProtocol
from sentflow.probing.protocol.switches import not_comparable_text, switch_text

HARDEST_TEXTS = 100
_PREPARE_KEYS = ("reader", "layout", "data_version", "rows", "class_counts")


class Probing(Family):
    """Tasks, each probed by cross-validated classifiers on the vectors of every encoder."""

    name = "probing"
    config = PROBING
    position = 1
    products = PRODUCTS
    section = SECTION

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(experiment)
        self.tasks = experiment.selected["tasks"]
        # The protocol of the scores, then those that a study compares with it.
        entries = experiment.selected["protocols"]
        self.protocols = {
            name: protocol_of(name, entry, experiment.config["probe"]) for name, entry in entries.items()
        }
        self.protocol = self.protocols[experiment.config["probe"]["protocol"]]
        self.study = [name for name in self.protocols if name != self.protocol.name]
        counts = self.protocol.cross_validation
        self.repetitions = range(1, counts["repetitions"] + 1)
        self.folds_of_repetition = range(1, counts["folds"] + 1)
        # Every task that reads a dataset, so that its texts, and with them the vectors, do not depend on the selection.
        datasets = dict.fromkeys(entry["dataset"] for entry in self.tasks.values())
        every_task = experiment.entries["tasks"].items()
        self.tasks_of_dataset = {
            dataset: {name: entry for name, entry in every_task if entry["dataset"] == dataset}
            for dataset in datasets
        }
        self.exported = TaskExports(experiment)

    # --- what it needs --------------------------------------------------------------------------------------

    def raw_files(self) -> list[tuple[str, str]]:
        """See `Family.raw_files`."""
        return [(entry["dataset"], entry["reader"]["file"]) for entry in self._prepared().values()]

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
        """The selected tasks, and those whose texts are embedded with theirs."""
        embedded = {table for collection in self.collections() for table in collection.tables}
        sharing = {
            name: entry
            for tasks in self.tasks_of_dataset.values()
            for name, entry in tasks.items()
            if paths.TASK.format(task=name) in embedded
        }
        return {**self.tasks, **sharing}

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

    def task_tables(self) -> list[str]:
        """The table of every selected task."""
        return _tables(self.tasks)

    def comparisons(self) -> list[str]:
        """What is said of several models on tasks."""
        if not self.tasks:
            return []
        return [paths.PAIRS, paths.STANDINGS, paths.RANKS, paths.ACROSS, paths.POWER, paths.OMNIBUS]

    def results(self) -> list[str]:
        """Scores, comparisons and audits."""
        return [*self.scores(), *self.comparisons(), *self.audits()]

    def published_results(self) -> list[str]:
        """See `Family.published_results`; no texts, so not the hardest."""
        audits = [paths.AUDIT.format(task=task) for task in self.tasks]
        return [*self.scores(), *self.score_tables(), *self.comparisons(), *audits]

    def exports(self) -> list[str]:
        """See `Family.exports`."""
        return self.exported.files()

    def audits(self) -> list[str]:
        """What is to be known about the rows of each task, then the texts of each that most probes get wrong."""
        patterns = (paths.AUDIT, paths.HARDEST)
        return [pattern.format(task=task) for pattern in patterns for task in self.tasks]

    def summaries(self) -> list[str]:
        """The summaries of scores and training curves, comparisons, and the effects of each protocol of a study."""
        files = [paths.SUMMARY, paths.CURVES, *self.comparisons(), *self.effects()]
        return files if self.tasks else []

    def summary_of_scores(self) -> list[str]:
        """See `Family.summary_of_scores`."""
        return self.summaries()[:1]

    def effects(self) -> list[str]:
        """What each protocol of the study changes."""
        return [paths.EFFECTS.format(protocol=protocol) for protocol in self.study]

    def available(self) -> Mapping[str, bool]:
        """See `Family.available`."""
        return {"scores": bool(self.tasks), "study": bool(self.study)}

    def asked(self) -> dict[str, Any]:
        """See `Family.asked`."""
        return {"tasks": list(self.tasks), "models": list(self.experiment.models)}

    def told(self) -> dict[str, Any]:
        """See `Family.told`."""
        return {
            "tasks": self.tasks,
            "protocols": [self._told_protocol(name) for name in self.protocols],
        }

    def published(self) -> Mapping[str, Any]:
        """See `Family.published`."""
        return {"published": list(self.experiment.config["report"].get("published", []))}

    def jobs(self) -> Mapping[str, int]:
        """See `Family.jobs`."""
        experiment = self.experiment
        parts = {"task": 1, "repetition": len(self.repetitions)}
        parts["fold"] = parts["repetition"] * len(self.folds_of_repetition)
        per_score = parts[experiment.config["probe"]["job"]]
        n_tasks, n_protocols = len(self.tasks), len(self.study)
        n_scores = n_tasks * len(experiment.models)
        probes = dict.fromkeys(("probe", "probe_featurised", "probe_lazy"), 0)
        study = {f"{rule}_study": 0 for rule in probes}
        for task, model in self._measured():
            probes[self._probe_rule(model)] += per_score
            for protocol in self.study:
                own = self.has_own_folds(protocol, task, model)
                study[f"{self._probe_rule(model)}_study"] += per_score if own else 0
        return {
            "prepare": len(self._prepared()),
            "featurise": n_tasks * len(experiment.featurisers),
            **probes,
            "score": n_scores,
            "audit": n_tasks,
            "hardest": n_tasks,
            **study,
            "score_study": n_protocols * n_scores,
            "compare_protocol": n_protocols,
            "compare": int(n_tasks > 0),
            "summarise": int(n_tasks > 0),
        }

    def constraints(self) -> Mapping[str, str]:
        """Tasks, also those that share a dataset with a selected one, and the protocols of the study."""
        known = [task for tasks in self.tasks_of_dataset.values() for task in tasks]
        return {
            "task": one_of(known),
            "protocol": one_of(self.study),
            "rep": r"\d+",
            "fold": r"\d+",
        }

    # --- inputs and outputs that depend on wildcards --------------------------------------------------------

    def raw_file(self, wildcards: Any) -> str:
        """The raw file that holds a task's rows."""
        entry = self.task(wildcards.task)
        return paths.RAW_FILE.format(dataset=entry["dataset"], file=entry["reader"]["file"])

    def folds(self, wildcards: Any) -> list[str]:
        """Every fold of a task and model under a protocol, which are those of `probe.protocol` if they are the same."""
        own = self._folds_from(wildcards)
        pattern = paths.FOLD if own == self.protocol else paths.STUDY_FOLD
        return self._folds(wildcards.task, wildcards.model, pattern.replace("{protocol}", own.name))

    def predictions_of_real_models(self, wildcards: Any) -> list[str]:
        """The predictions of a task, a file per model; controls are not counted when texts are ranked as hard."""
        names = {"task": wildcards.task}
        return [paths.SCORE_PREDICTIONS.format(**names, model=model) for model in self._real_models()]

    def fold_outputs(self, *, study: bool = False) -> list[str]:
        """The fold files that one probe job writes: those of a fold, repetition or task (``probe.job``)."""
        pattern = paths.STUDY_FOLD if study else paths.FOLD
        job = self.experiment.config["probe"]["job"]
        reps = [str(rep) for rep in self.repetitions] if job == "task" else ["{rep}"]
        folds = ["{fold}"] if job == "fold" else [str(fold) for fold in self.folds_of_repetition]
        names = {key: f"{{{key}}}" for key in ("protocol", "task", "model")}
        return [pattern.format(**names, rep=rep, fold=fold) for rep in reps for fold in folds]

    def job_key(self, *, study: bool = False) -> str:
        """Key of a probe job's log and benchmark files."""
        keys = {"task": "", "repetition": "/rep-{rep}", "fold": "/rep-{rep}-fold-{fold}"}
        key = "{task}/{model}" + keys[self.experiment.config["probe"]["job"]]
        return "{protocol}/" + key if study else key

    def study_scores(self, wildcards: Any) -> list[str]:
        """One JSON per task and model under a protocol of the study, in the order of `scores`."""
        return self._each(paths.STUDY_SCORES, protocol=wildcards.protocol)

    def study_score_tables(self, wildcards: Any) -> list[str]:
        """One Parquet per task and model under a protocol of the study, in the order of `scores`."""
        return self._each(paths.STUDY_SCORE_TABLE, protocol=wildcards.protocol)

    # --- settings -------------------------------------------------------------------------------------------

    def prepare_settings(self, wildcards: Any) -> str:
        """What decides a task table."""
        return json_text(pick_known(self.task(wildcards.task), *_PREPARE_KEYS))

    def prepare_checks(self, wildcards: Any) -> str:
        """What a task table must allow: checked early, but it changes no byte and runs nothing again."""
        entry = self.task(wildcards.task)
        name = entry["reader"]["file"]
        file = self.experiment.entries["datasets"][entry["dataset"]]["files"][name]
        checks = {"metric": entry["metric"], **self.protocol.needs()}
        return json_text(checks if "generator" in file else {**checks, "files": {name: file}})

    @property
    def probe_device(self) -> str:
        """Where probes are trained; its kind alone is among the settings."""
        return str(self.experiment.config["probe"].get("device", "cpu"))

    def probe_code(self, command: str) -> str:
        """Digest of a command that probes, and of the code for accelerators where it trains on one."""
        return code(f"sentflow.commands.{command}", *self._accelerator())

    def lazy_code(self, wildcards: Any) -> str:
        """Digest of what fits a model inside each fold and probes it: with the module of the model's kind."""
        module = kind_of(self.experiment.models[wildcards.model]).module
        return code("sentflow.commands.probe_lazy", module, *self._accelerator())

    def _accelerator(self) -> list[str]:
        return [] if self.probe_device == "cpu" else [ACCELERATOR]

    def probe_settings(self, wildcards: Any) -> str:
        """What decides a probe's numbers beside its features."""
        return json_text(self._probe_settings(self._protocol(wildcards), wildcards))

    def probe_versions(self, wildcards: Any) -> str:
        """Versions of the libraries that can change the probes of features that do not depend on the fold."""
        compiled = "kernel" in self._probe_settings(self._protocol(wildcards), wildcards)
        return versions("numpy", "torch", *(["numba"] if compiled else []))

    def score_settings(self, wildcards: Any) -> str:
        """What decides a score beside its folds."""
        about = about_protocol(self._protocol(wildcards), self.task(wildcards.task))
        statistics = pick(self.experiment.config["statistics"], "level", "n_item_resamples", "n_resamples")
        probe = self._probe_settings(self._folds_from(wildcards), wildcards)
        return json_text({"probe": probe, "statistics": statistics, "protocol": about})

    def audit_settings(self, wildcards: Any) -> str:
        """What decides an audit beside the rows: the draws of the protocol, and the language that texts should have."""
        settings = self._probe_settings(self.protocol, wildcards)
        group_folds = settings.get("switches", {}).get("group_folds", False)
        language = self.task(wildcards.task)["language"]
        draws = self.protocol.cross_validation
        return json_text({**draws, "group_folds": group_folds, "language": language})

    def hardest_settings(self, wildcards: Any) -> str:
        """Whose predictions count, and how many texts are kept."""
        offensive = self.task(wildcards.task).get("offensive", False)
        return json_text({"models": self._real_models(), "limit": HARDEST_TEXTS, "offensive": offensive})

    def summarise_settings(self, _wildcards: Any) -> str:
        """Titles, groups of tasks, which models are controls; and the order, for Snakemake sees sets of inputs."""
        return json_text(self._titles())

    def comparison_settings(self, _wildcards: Any) -> str:
        """Titles and order as in `summarise_settings`, and how models are compared."""
        statistics = pick(self.experiment.config["statistics"], "alpha", "level", "n_item_resamples", "rope")
        return json_text({**self._titles(), "statistics": statistics})

    def effect_settings(self, wildcards: Any) -> str:
        """The protocol whose effects are measured; titles as in `summarise_settings`."""
        protocol = self.protocols[wildcards.protocol]
        return json_text({**self._titles(), "protocol": {"name": protocol.name, "title": protocol.title}})

    # --- helpers --------------------------------------------------------------------------------------------

    def task(self, name: str) -> Entry:
        """The entry of a task that is selected, or shares its dataset with one that is."""
        if name in self.tasks:
            return self.tasks[name]
        return next(tasks[name] for tasks in self.tasks_of_dataset.values() if name in tasks)

    def has_own_folds(self, protocol: str, task: str, model: str) -> bool:
        """Whether a protocol of the study trains the probes of a task and model anew."""
        wildcards = SimpleNamespace(protocol=protocol, task=task, model=model)
        return self._folds_from(wildcards) != self.protocol

    def _measured(self) -> list[tuple[str, str]]:
        return list(product(self.tasks, self.experiment.models))

    def _each(self, pattern: str, **names: str) -> list[str]:
        return [pattern.format(task=task, model=model, **names) for task, model in self._measured()]

    def _folds(self, task: str, model: str, pattern: str = paths.FOLD) -> list[str]:
        numbers = product(self.repetitions, self.folds_of_repetition)
        return [pattern.format(task=task, model=model, rep=rep, fold=fold) for rep, fold in numbers]

    def collection_of(self, wildcards: Any) -> str:
        """See `Family.collection_of`."""
        return self._collection(wildcards.task, wildcards.model).name

    def _probe_rule(self, model: str) -> str:
        if model in self.experiment.lazy_models:
            return "probe_lazy"
        return "probe_featurised" if model in self.experiment.featurisers else "probe"

    def _real_models(self) -> list[str]:
        """The models that are no controls, by name; all of them if there are only controls."""
        entries = self.experiment.models
        real = [name for name, entry in entries.items() if not entry.get("control", False)]
        return sorted(real or entries)

    def _titles(self) -> dict[str, Any]:
        tasks = {name: pick(entry, "title", "family") for name, entry in self.tasks.items()}
        models = described_models(self.experiment.models)
        return {"tasks": tasks, "models": models, "order": [list(tasks), list(models)]}

    def _protocol(self, wildcards: Any) -> ProbeProtocol:
        """The protocol of a job: named by its wildcard in a study, else that of the scores."""
        name = getattr(wildcards, "protocol", self.protocol.name)
        return self.protocols[name]

    def _probe_settings(self, protocol: ProbeProtocol, wildcards: Any) -> Entry:
        return job_settings(
            protocol,
            self.task(wildcards.task),
            lazy=getattr(wildcards, "model", None) in self.experiment.lazy_models,
            kernel=self.experiment.config["probe"].get("kernel", "numpy"),
            # its kind: which one of several alike trains changes no number
            device=self.probe_device.partition(":")[0],
        )

    def _folds_from(self, wildcards: Any) -> ProbeProtocol:
        """Whose folds a job scores: those of the experiment's protocol, if they would be trained no other way."""
        own, base = self._protocol(wildcards), self.protocol
        here, there = (self._probe_settings(protocol, wildcards) for protocol in (own, base))
        return base if {**here, "protocol": base.name} == there else own

    def _told_protocol(self, name: str) -> Entry:
        """What the page says about a protocol."""
        protocol = self.protocols[name]
        notes = load_schema(self.experiment.workflow, "protocols")["$defs"]["switches"]["properties"]
        changed = [not_comparable_text(changed_settings(protocol, task)) for task in self.tasks.values()]
        return {
            "name": name,
            "title": protocol.title,
            "description": self.experiment.selected["protocols"][name].get("description", ""),
            "switches": {
                switch: {"value": switch_text({switch: value}), "note": notes[switch]["description"]}
                for switch, value in protocol.switches.changes().items()
            },
            "not_comparable": sorted({text for text in changed if text}),
        }


def _tables(tasks: Any) -> list[str]:
    return [paths.TASK.format(task=task) for task in tasks]


def _digests(tasks: Any) -> list[str]:
    return [paths.TASK_DIGEST.format(task=task) for task in tasks]


FAMILY = Probing
