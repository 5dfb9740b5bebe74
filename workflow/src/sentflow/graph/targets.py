"""Lists of files and settings of every job: what the rules ask for, tested without Snakemake.

Settings are JSON text with sorted keys, the only compound form that Snakemake compares reliably. Each holds
exactly what its rule reads, so that a change runs no other rule again.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sentflow.encoders.entries import (
    call_seconds,
    connection_settings,
    custom_files,
    encode_settings,
    fetch_settings,
    kind_of,
    place_settings,
)
from sentflow.encoders.kinds.table import Kind
from sentflow.encoders.prompts import prompted_tasks
from sentflow.exports.identity import data_name, model_name
from sentflow.graph import paths, similarity_targets
from sentflow.graph.config import Entry, Experiment
from sentflow.graph.job_settings import described_models, expanded, json_text, one_of, pick, pick_known
from sentflow.graph.provenance import code, versions
from sentflow.graph.similarity_targets import SimilarityTargets
from sentflow.probing.protocol.named import CROSS_VALIDATION, NamedProtocol
from sentflow.probing.protocol.switches import not_comparable_text, switch_text

TABLE_FORMATS = ("csv", "md", "tex")
FIGURE_FORMATS = ("pdf", "png", "svg")
# What tables and figures are made of, where it is not the summary of scores alone. What the pipeline cost changes with
# every run, so scores never depend on it.
_OF_COSTS = {
    "costs": paths.COSTS,
    "encoders": paths.ENCODERS,
    "sizes": paths.ENCODERS,
    "speed": paths.ENCODERS,
}
_WITHOUT_SCORES = ("costs", "encoders")
_ALL_RANKS = (paths.RANKS, paths.ACROSS, paths.OMNIBUS)
# These are the tables of scores, which the check of tables reads again (`sentflow.report.emphasis`).
_TABLE_COMPARISONS = {
    "scores": (paths.PAIRS, paths.STANDINGS),
    "intervals": (paths.PAIRS,),
    "differences": (paths.PAIRS,),
    "ranks": _ALL_RANKS,
    "matches": _ALL_RANKS,
    "power": (paths.POWER,),
}
_FIGURE_DATA = {
    "curves": (paths.CURVES,),
    "differences": (paths.PAIRS,),
    "critical-difference": (paths.SUMMARY, *_ALL_RANKS),
    "ranks": (paths.SUMMARY, *_ALL_RANKS),
    "wins": (paths.SUMMARY, paths.ACROSS),
}
GEOMETRY_FIGURE = "geometry-and-scores"
STUDY_TABLES = ("protocols", "documents")
TABLES_CHECK = "tables"
HARDEST_TEXTS = 100
_PREPARE_KEYS = ("reader", "layout", "data_version", "rows", "class_counts")


class Targets:
    """Files and settings of an experiment; those of pair sets are in `similarity`."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.similarity = SimilarityTargets(experiment)

    # --- lists of files -------------------------------------------------------------------------------------

    def embeddings(self) -> list[str]:
        """Of every model that has them, on every dataset and family of pair sets."""
        return [*self._embeddings_of_tasks(), *self.similarity.embeddings()]

    def _embeddings_of_tasks(self) -> list[str]:
        files = [
            self._embeddings(paths.EMBEDDINGS, paths.TASK_EMBEDDINGS, model, task)
            for dataset in self.experiment.datasets
            for model in self.experiment.fixed_models
            for task, entry in self.experiment.tasks.items()
            if entry["dataset"] == dataset
        ]
        return list(dict.fromkeys(files))

    def probes(self) -> list[str]:
        """Every fold of every task and model."""
        return [file for task, model in self._pairs() for file in self._folds(task, model)]

    def manifests(self) -> list[str]:
        """What was fetched of every model."""
        return [paths.MANIFEST.format(model=model) for model in self.experiment.models]

    def sources(self) -> list[str]:
        """Every file that comes from outside, or is made as if it did; all else needs no network."""
        raw = [
            paths.RAW_FILE.format(dataset=task["dataset"], file=task["reader"]["file"])
            for task in self.experiment.tasks.values()
        ]
        return [*dict.fromkeys([*raw, *self.similarity.sources()]), *self.manifests()]

    def embedding_infos(self) -> list[str]:
        """The description beside each of `embeddings`."""
        return [file.removesuffix(".npy") + ".json" for file in self.embeddings()]

    def embedding_making(self) -> list[str]:
        """How each of `embeddings` was made; in older results, `embedding_infos` say it."""
        infos = map(Path, self.embedding_infos())
        made = [(info, info.with_suffix(".made.json")) for info in infos]
        return [str(file) for info, file in made if file.exists() or not info.exists()]

    def scores(self) -> list[str]:
        """One JSON per task and model, task after task."""
        return [paths.SCORES.format(task=task, model=model) for task, model in self._pairs()]

    def score_tables(self) -> list[str]:
        """One Parquet per task and model, in the order of `scores`."""
        return [paths.SCORE_TABLE.format(task=task, model=model) for task, model in self._pairs()]

    def score_predictions(self) -> list[str]:
        """The out-of-fold predictions of every task and model, in the order of `scores`."""
        return [paths.SCORE_PREDICTIONS.format(task=task, model=model) for task, model in self._pairs()]

    def task_tables(self) -> list[str]:
        """The table of every selected task."""
        return [paths.TASK.format(task=task) for task in self.experiment.tasks]

    def task_digests(self) -> list[str]:
        """The digests of `task_tables`."""
        return [paths.TASK_DIGEST.format(task=task) for task in self.experiment.tasks]

    def comparisons(self) -> list[str]:
        """What is said of several models on tasks."""
        if not self.experiment.tasks:
            return []
        return [paths.PAIRS, paths.STANDINGS, paths.RANKS, paths.ACROSS, paths.POWER, paths.OMNIBUS]

    def study_scores(self, wildcards: Any) -> list[str]:
        """One JSON per task and model under a protocol of the study, in the order of `scores`."""
        return self._of_study(paths.STUDY_SCORES, wildcards.protocol)

    def study_score_tables(self, wildcards: Any) -> list[str]:
        """One Parquet per task and model under a protocol of the study, in the order of `scores`."""
        return self._of_study(paths.STUDY_SCORE_TABLE, wildcards.protocol)

    def audits(self) -> list[str]:
        """What is to be known about the rows of each task, then the texts of each that most probes get wrong."""
        return [
            pattern.format(task=task)
            for pattern in (paths.AUDIT, paths.HARDEST)
            for task in self.experiment.tasks
        ]

    def summaries(self) -> list[str]:
        """The summary of the scores of tasks, then of the training curves; nothing without tasks."""
        return [paths.SUMMARY, paths.CURVES] if self.experiment.tasks else []

    def exports(self) -> list[str]:
        """The scores of tasks and the run in the formats of others."""
        if not self.experiment.tasks:
            return [paths.RO_CRATE]
        return [*self.mteb_files(), *self.huggingface_files(), paths.NUMBERS, paths.RO_CRATE]

    def mteb_files(self) -> list[str]:
        """Result files of MTEB: one per task and model, and two about each model."""
        tasks = [f"{task}.json" for task in self.experiment.tasks]
        names = [*tasks, "model_meta.json", "run_settings.jsonl"]
        # two entries of the same model as it comes have one folder there
        folders = [model_name(model, entry).folder for model, entry in self.experiment.models.items()]
        return [
            f"{paths.MTEB_RESULTS}/{folder}/{name}" for folder in dict.fromkeys(folders) for name in names
        ]

    def huggingface_files(self) -> list[str]:
        """Files for the repository of each model on the Hugging Face hub."""
        names = [*(f".eval_results/{task}.yaml" for task in self.experiment.tasks), "README.md"]
        return [
            f"{paths.HUGGINGFACE_RESULTS}/{model}/{name}"
            for model in self.experiment.models
            for name in names
        ]

    def crate_files(self) -> list[str]:
        """What the RO-Crate holds: everything that is made of scores, the audits, and the record; no texts."""
        audits = [paths.AUDIT.format(task=task) for task in self.experiment.tasks]
        summaries = [*self.summaries(), paths.COSTS, *self.effects(), *self.similarity.summaries()]
        record = [paths.RECORD_CONFIG, paths.RECORD_VERSIONS]
        made = [*self.tables(), *self.figures(), *self.checks()]
        results = [*self.scores(), *self.score_tables(), *self.comparisons(), *self.similarity.results()]
        return list(dict.fromkeys([*results, *audits, *summaries, *made, *record]))

    def effects(self) -> list[str]:
        """What each protocol of the study changes."""
        return [paths.EFFECTS.format(protocol=protocol) for protocol in self.experiment.study]

    def selected(self, kind: str) -> list[str]:
        """The tables, figures or checks of the configuration, less those whose data were not selected."""
        names: list[str] = self.experiment.config["report"][kind]
        return [name for name in names if self._has_data(name)]

    def _has_data(self, name: str) -> bool:
        of_similarity = self.similarity.has_data(name)
        if of_similarity is not None:
            return of_similarity
        return bool(self.experiment.tasks) or name in _WITHOUT_SCORES

    def tables(self) -> list[str]:
        """Every table in every format."""
        return expanded(paths.TABLE, "table", self.selected("tables"), TABLE_FORMATS)

    def figures(self) -> list[str]:
        """Every figure in every format."""
        return expanded(paths.FIGURE, "figure", self.selected("figures"), FIGURE_FORMATS)

    def checks(self) -> list[str]:
        """Every acceptance check."""
        return [paths.CHECK.format(check=check) for check in self.selected("checks")]

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

    def texts_of_task(self, wildcards: Any) -> list[str]:
        """The distinct texts of a task's dataset; none where a model has a prompt for the task and embeds its own."""
        if wildcards.task in prompted_tasks(self.experiment.models[wildcards.model]):
            return []
        return [paths.TEXTS.format(dataset=self._task(wildcards.task)["dataset"])]

    def embeddings_of_task(self, wildcards: Any) -> str:
        """A model's vectors of a task's dataset, with the task's own prompt if there is one."""
        return self._embeddings(paths.EMBEDDINGS, paths.TASK_EMBEDDINGS, wildcards.model, wildcards.task)

    def embeddings_info_of_task(self, wildcards: Any) -> str:
        """The description beside `embeddings_of_task`."""
        return self._embeddings(
            paths.EMBEDDINGS_INFO, paths.TASK_EMBEDDINGS_INFO, wildcards.model, wildcards.task
        )

    def files_of_model(self, wildcards: Any) -> list[str]:
        """The code and other files of a user's own encoder: an edit there runs the model again."""
        return custom_files(self.experiment.models[wildcards.model])

    def folds_of_task(self, wildcards: Any) -> list[str]:
        """Every fold of a task and model under a protocol, which are those of `probe.protocol` if they are the same."""
        own = self._folds_from(wildcards)
        pattern = paths.FOLD if own == self.experiment.protocol else paths.STUDY_FOLD
        return self._folds(wildcards.task, wildcards.model, pattern.replace("{protocol}", own.name))

    def predictions_of_real_models(self, wildcards: Any) -> list[str]:
        """The predictions of a task, a file per model; controls are not asked which texts are hard."""
        return [
            paths.SCORE_PREDICTIONS.format(task=wildcards.task, model=model) for model in self._real_models()
        ]

    def fold_outputs(self, *, study: bool = False) -> list[str]:
        """The fold files that one probe job writes: those of a fold, repetition or task (``probe.job``)."""
        return self._job_outputs(paths.STUDY_FOLD if study else paths.FOLD)

    def probe_job_key(self) -> str:
        """Key of a probe job's log and benchmark files."""
        keys = {"task": "", "repetition": "/rep-{rep}", "fold": "/rep-{rep}-fold-{fold}"}
        return "{task}/{model}" + keys[self.experiment.config["probe"]["job"]]

    def study_job_key(self) -> str:
        """`probe_job_key` under a protocol of the study."""
        return "{protocol}/" + self.probe_job_key()

    def summary_of_table(self, wildcards: Any) -> str | list[str]:
        """The one Parquet file that a table is made of; one per protocol for the tables of a study."""
        if wildcards.table in STUDY_TABLES:
            return self.effects()
        if wildcards.table in similarity_targets.TABLE_SUMMARIES:
            return similarity_targets.TABLE_SUMMARIES[wildcards.table]
        return _OF_COSTS.get(wildcards.table, paths.SUMMARY)

    def comparisons_of_table(self, wildcards: Any) -> list[str]:
        """What a table says of several models."""
        of_similarity = similarity_targets.TABLE_COMPARISONS.get(wildcards.table, ())
        return list(_TABLE_COMPARISONS.get(wildcards.table, of_similarity))

    def data_of_figure(self, wildcards: Any) -> list[str]:
        """The files that a figure is drawn from; its rows are written beside it, so that one is enough next time."""
        if wildcards.figure in _OF_COSTS:
            return [_OF_COSTS[wildcards.figure]]
        if wildcards.figure in similarity_targets.FIGURE_DATA:
            # geometry can be set against the scores of tasks too
            of_tasks = self.summaries()[:1] if wildcards.figure == GEOMETRY_FIGURE else []
            return [*similarity_targets.FIGURE_DATA[wildcards.figure], *of_tasks]
        return list(_FIGURE_DATA.get(wildcards.figure, (paths.SUMMARY,)))

    def summary_of_check(self, wildcards: Any) -> list[str]:
        """The summary that a check looks at, if it is one of tasks."""
        return [] if wildcards.check == similarity_targets.CHECK else [paths.SUMMARY]

    def comparisons_of_check(self, wildcards: Any) -> list[str]:
        """The tests that a check holds the tables to."""
        return [paths.PAIRS] if wildcards.check == TABLES_CHECK else []

    def tables_of_check(self, wildcards: Any) -> list[str]:
        """The tables that a check reads again."""
        if wildcards.check == similarity_targets.CHECK:
            return self.similarity.tables_of_check(self.selected("tables"))
        if wildcards.check != TABLES_CHECK:
            return []
        of_scores = [name for name in self.selected("tables") if name in _TABLE_COMPARISONS]
        return expanded(paths.TABLE, "table", of_scores, ("md", "tex"))

    # --- settings -------------------------------------------------------------------------------------------

    def title(self, _wildcards: Any) -> str:
        """Title of the experiment; a function of the job, because Snakemake fills in braces of a constant."""
        return self.experiment.title

    def mirrors(self) -> str:
        """Mirrors of the config, as JSON. Not a setting of science: changing them runs nothing again."""
        return json_text(self.experiment.config["mirrors"])

    def limits(self) -> str:
        """What files and answers of strangers may cost, as JSON. Not a setting of science either."""
        return json_text(self.experiment.config.get("limits", {}))

    def download_settings(self, wildcards: Any) -> str:
        """The catalog's entry of one raw file."""
        return json_text(self._file(wildcards.dataset, wildcards.file))

    def downloaded_content(self, wildcards: Any) -> str:
        """What the bytes of one raw file are: another address of the same checksum runs nothing again."""
        entry = self._file(wildcards.dataset, wildcards.file)
        known = "sha256" in entry or "members_sha256" in entry
        return json_text({key: value for key, value in entry.items() if key != "urls"} if known else entry)

    def generated_task(self, wildcards: Any) -> str:
        """The official task whose shape a sample file has."""
        return str(self._file(wildcards.dataset, wildcards.file)["generator"])

    def generator_seed(self, wildcards: Any) -> int:
        """Seed of a sample dataset."""
        return int(self.experiment.datasets[wildcards.dataset]["seed"])

    def prepare_settings(self, wildcards: Any) -> str:
        """What decides a task table."""
        entry = self._task(wildcards.task)
        return json_text({key: entry[key] for key in _PREPARE_KEYS if key in entry})

    def prepare_checks(self, wildcards: Any) -> str:
        """What a task table must allow: told early, but it changes no byte and runs nothing again."""
        entry = self._task(wildcards.task)
        name = entry["reader"]["file"]
        file = self._file(entry["dataset"], name)
        protocol = self.experiment.protocol
        checks = {
            "metric": entry["metric"],
            "folds": len(self.experiment.folds),
            "batch_rows": protocol.number("batch_size"),
            "evaluation_share": protocol.number("evaluation_share"),
            "small_parts": not protocol.switches.warmup_floor,
        }
        return json_text(checks if "generator" in file else {**checks, "files": {name: file}})

    def fetch_settings(self, wildcards: Any) -> str:
        """What decides a model's files."""
        return json_text(fetch_settings(self.experiment.models[wildcards.model]))

    def libraries_of_model(self, wildcards: Any) -> str:
        """Versions of the libraries that the entry of a user's own encoder names."""
        return versions(*self.experiment.models[wildcards.model].get("libraries", []))

    def encode_settings(self, wildcards: Any) -> str:
        """What decides a model's vectors beside its files."""
        return json_text(encode_settings(self.experiment.models[wildcards.model]))

    def task_encode_settings(self, wildcards: Any) -> str:
        """What decides a model's vectors of the texts of a task with a prompt of its own."""
        return json_text(encode_settings(self.experiment.models[wildcards.model], task=wildcards.task))

    def device(self, wildcards: Any) -> str:
        """Where a model computes. Not a setting of science: changing it runs nothing again."""
        return json_text(place_settings(self.experiment.models[wildcards.model]).get("device"))

    def embed_threads(self, wildcards: Any) -> int:
        """Threads that a model's kind has use for; no number depends on them."""
        return self._kind(wildcards).threads

    def embed_versions(self, wildcards: Any) -> str:
        """Versions of the libraries that can change a model's vectors."""
        entry = self.experiment.models[wildcards.model]
        return versions(*kind_of(entry).vector_libraries(entry))

    def lazy_versions(self, wildcards: Any) -> str:
        """Versions of the libraries that can change the probes of a model that is fitted inside each fold."""
        return versions(*{"numpy", "torch", *self._kind(wildcards).libraries})

    def embed_code(self, wildcards: Any) -> str:
        """Digest of what embeds a model's texts: the command and the module of the model's kind."""
        return code("sentflow.commands.embed", self._kind(wildcards).module)

    def embed_task_code(self, wildcards: Any) -> str:
        """The same for the texts of a task with a prompt of its own."""
        return code("sentflow.commands.embed_task", self._kind(wildcards).module)

    def lazy_code(self, wildcards: Any) -> str:
        """Digest of what fits a model inside each fold and probes it, likewise."""
        return code("sentflow.commands.probe_lazy", self._kind(wildcards).module)

    def fetch_code(self, wildcards: Any) -> str:
        """Digest of what fetches a model, likewise."""
        return code("sentflow.commands.fetch_model", self._kind(wildcards).fetcher)

    def _kind(self, wildcards: Any) -> Kind:
        return kind_of(self.experiment.models[wildcards.model])

    def connection_settings(self, wildcards: Any) -> str:
        """How a model's service is reached. Not a setting of science: changing it runs nothing again."""
        return json_text(connection_settings(self.experiment.models[wildcards.model]))

    def call_seconds(self, wildcards: Any) -> int:
        """What a call of a user's own class may take; 0 is no limit. Not a setting of science either."""
        return call_seconds(self.experiment.models[wildcards.model])

    def probe_settings(self, wildcards: Any) -> str:
        """What decides a probe's numbers beside its features."""
        return json_text(self._probe_settings(self._protocol(wildcards), wildcards))

    def probe_versions(self, wildcards: Any) -> str:
        """Versions of the libraries that can change the probes of features that do not depend on the fold."""
        compiled = "kernel" in self._probe_settings(self._protocol(wildcards), wildcards)
        return versions("numpy", "torch", *(["numba"] if compiled else []))

    def score_settings(self, wildcards: Any) -> str:
        """What decides a score beside its folds."""
        protocol = self._protocol(wildcards)
        changed = protocol.changed_settings(self._task(wildcards.task), self.experiment.config["probe"])
        return json_text(
            {
                "probe": self._probe_settings(self._folds_from(wildcards), wildcards),
                "statistics": pick(
                    self.experiment.config["statistics"], "level", "n_item_resamples", "n_resamples"
                ),
                "protocol": {
                    "name": protocol.name,
                    "switches": protocol.switches.changes(),
                    "changed": changed,
                },
            }
        )

    def audit_settings(self, wildcards: Any) -> str:
        """What decides an audit beside the rows: the draws of the protocol, and the language that texts should have."""
        settings = self._probe_settings(self.experiment.protocol, wildcards)
        return json_text(
            {
                **{key: settings[key] for key in CROSS_VALIDATION},
                "group_folds": settings.get("switches", {}).get("group_folds", False),
                "language": self._task(wildcards.task)["language"],
            }
        )

    def hardest_settings(self, wildcards: Any) -> str:
        """Whose predictions count, and how many texts are kept."""
        return json_text(
            {
                "models": self._real_models(),
                "limit": HARDEST_TEXTS,
                "offensive": self._task(wildcards.task).get("offensive", False),
            }
        )

    def summarise_settings(self, _wildcards: Any) -> str:
        """Titles, families, which models are controls; and the order, for Snakemake sees sets of inputs."""
        tasks = {name: pick(entry, "title", "family") for name, entry in self.experiment.tasks.items()}
        models = described_models(self.experiment.models)
        return json_text({"tasks": tasks, "models": models, "order": [list(tasks), list(models)]})

    def comparison_settings(self, wildcards: Any) -> str:
        """Titles and order as in `summarise_settings`, and how models are compared."""
        statistics = pick(self.experiment.config["statistics"], "alpha", "level", "n_item_resamples", "rope")
        return json_text({**json.loads(self.summarise_settings(wildcards)), "statistics": statistics})

    def compare_settings(self, wildcards: Any) -> str:
        """The protocol that is compared; titles as in `summarise_settings`."""
        protocol = self.experiment.protocols[wildcards.protocol]
        titles = json.loads(self.summarise_settings(wildcards))
        return json_text({**titles, "protocol": {"name": protocol.name, "title": protocol.title}})

    def table_settings(self, wildcards: Any) -> str:
        """How captions begin, and what the table of published scores holds."""
        found = (
            self._published()
            if wildcards.table == "published"
            else self.similarity.published(wildcards.table)
        )
        published = {"published": found} if found or wildcards.table == "published" else {}
        return json_text({"caption": self.experiment.title, **published})

    def check_settings(self, wildcards: Any) -> str:
        """What was asked for, to compare with what is there: of tasks, or of pair sets."""
        if wildcards.check == similarity_targets.CHECK:
            # of the tasks nothing, but which encoders are random: these score near 0 on pairs, too
            random = {"random_models": self.experiment.random_models}
            return json_text({**dict.fromkeys(self._asked(), []), **random, **self.similarity.asked()})
        return json_text(self._asked())

    def report_settings(self, _wildcards: Any) -> str:
        """Everything the report tells about experiment, tasks, models and data."""
        experiment = self.experiment
        return json_text(
            {
                "experiment": experiment.config["experiment"],
                "tasks": experiment.tasks,
                "models": experiment.models,
                "datasets": experiment.datasets,
                "selection": {**self._asked(), **self.similarity.asked()},
                "protocols": [self._told_protocol(name) for name in experiment.protocols],
                "published": self._published(),
                **self.similarity.report_settings(),
            }
        )

    def _published(self) -> list[dict[str, Any]]:
        """Scores of papers, to be put beside ours."""
        return list(self.experiment.config["report"].get("published", []))

    def export_settings(self, _wildcards: Any) -> str:
        """What tasks and models are called outside this project."""
        datasets = self.experiment.datasets
        tasks = {
            name: {
                "language": entry["language"],
                "data": data_name(entry["dataset"], datasets[entry["dataset"]]),
            }
            for name, entry in self.experiment.tasks.items()
        }
        models = {name: self._export_of_model(name) for name in self.experiment.models}
        return json_text({"tasks": tasks, "models": models})

    def crate_settings(self, _wildcards: Any) -> str:
        """What the RO-Crate tells beside its files."""
        experiment = self.experiment
        keys = ("title", "licence", "citation", "homepage", "language", "note")
        datasets = {
            name: {**pick_known(entry, *keys), "checksums": _checksums(entry)}
            for name, entry in experiment.datasets.items()
        }
        models = {
            name: {
                **pick(self._export_of_model(name), "name", "revision", "licence"),
                "title": entry.get("title", name),
                "citation": entry.get("citation", "none"),
            }
            for name, entry in experiment.models.items()
        }
        tasks = {name: entry["dataset"] for name, entry in experiment.tasks.items()}
        about = pick(experiment.config["experiment"], "title", "description")
        pair_sets = {name: entry["dataset"] for name, entry in self.similarity.pair_sets().items()}
        names = {"tasks": tasks, "pair_sets": pair_sets}
        return json_text({**about, **names, "datasets": datasets, "models": models})

    def record_settings(self, _wildcards: Any) -> str:
        """The configuration, less what changes neither files nor numbers."""
        places = ("limits", "mirrors")
        config = {key: value for key, value in self.experiment.config.items() if key not in places}
        config["probe"] = {key: value for key, value in config["probe"].items() if key != "job"}
        return json_text(config)

    # --- wildcard constraints -------------------------------------------------------------------------------

    def datasets_of_tasks(self) -> str:
        """Regular expression of the datasets of tasks."""
        return one_of(self.experiment.tasks_of_dataset)

    def embedded(self) -> str:
        """Regular expression of whatever texts are collected under, to be embedded."""
        return one_of([*self.experiment.datasets, *self.similarity.embedded()])

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

    def study_protocols(self) -> str:
        """Regular expression of the protocols that are compared with that of the scores."""
        return one_of(self.experiment.study)

    def fixed_models(self) -> str:
        """Regular expression of the models that have embeddings."""
        return one_of(self.experiment.fixed_models)

    def featurisers(self) -> str:
        """Regular expression of the models that make the features of a task's rows themselves, before the folds."""
        return one_of(self.experiment.featurisers)

    def prompted_models(self) -> str:
        """Regular expression of the models with a prompt for single tasks."""
        return one_of(name for name, entry in self.experiment.models.items() if prompted_tasks(entry))

    # --- helpers --------------------------------------------------------------------------------------------

    def _export_of_model(self, name: str) -> Entry:
        """What an export says about a model, see `sentflow.exports.scores.ModelFacts`."""
        entry = self.experiment.models[name]
        outside = model_name(name, entry)
        return {
            "name": outside.name,
            "revision": outside.revision,
            "adapted_from": outside.adapted_from,
            "licence": entry.get("licence", "not stated"),
            "max_tokens": entry.get("max_tokens"),
        }

    def _real_models(self) -> list[str]:
        """The models that are no controls, by name; all of them if there are only controls."""
        entries = self.experiment.models
        real = [name for name, entry in entries.items() if not entry.get("control", False)]
        return sorted(real or entries)

    def _task(self, name: str) -> Entry:
        if name in self.experiment.tasks:
            return self.experiment.tasks[name]
        # a task that is not selected but shares its dataset with one that is
        return next(tasks[name] for tasks in self.experiment.tasks_of_dataset.values() if name in tasks)

    def _embeddings(self, pattern: str, task_pattern: str, model: str, task: str) -> str:
        own_prompt = task in prompted_tasks(self.experiment.models[model])
        dataset = self._task(task)["dataset"]
        return (task_pattern if own_prompt else pattern).format(model=model, dataset=dataset, task=task)

    def _file(self, dataset: str, name: str) -> Entry:
        entry: Entry = self.experiment.datasets[dataset]["files"][name]
        return entry

    def _pairs(self) -> list[tuple[str, str]]:
        return [(task, model) for task in self.experiment.tasks for model in self.experiment.models]

    def _protocol(self, wildcards: Any) -> NamedProtocol:
        """The protocol of a job: named by its wildcard in a study, else that of the scores."""
        name = getattr(wildcards, "protocol", self.experiment.protocol.name)
        return self.experiment.protocols[name]

    def _probe_settings(self, protocol: NamedProtocol, wildcards: Any) -> Entry:
        lazy = getattr(wildcards, "model", None) in self.experiment.lazy_models
        return protocol.probe_settings(self._task(wildcards.task), self.experiment.config["probe"], lazy=lazy)

    def has_own_folds(self, protocol: str, task: str, model: str) -> bool:
        """Whether a protocol of the study trains the probes of a task and model anew."""
        wildcards = SimpleNamespace(protocol=protocol, task=task, model=model)
        return self._folds_from(wildcards) != self.experiment.protocol

    def _folds_from(self, wildcards: Any) -> NamedProtocol:
        """Whose folds a job scores: those of the experiment's protocol, if they would be trained no other way."""
        own, base = self._protocol(wildcards), self.experiment.protocol
        here, there = (self._probe_settings(protocol, wildcards) for protocol in (own, base))
        return base if {**here, "protocol": base.name} == there else own

    def _told_protocol(self, name: str) -> Entry:
        """What the report tells about a protocol."""
        experiment = self.experiment
        protocol = experiment.protocols[name]
        probe = experiment.config["probe"]
        changed = [
            not_comparable_text(protocol.changed_settings(task, probe)) for task in experiment.tasks.values()
        ]
        return {
            "name": name,
            "title": protocol.title,
            "description": experiment.protocol_notes[name],
            "switches": {
                switch: {"value": switch_text({switch: value}), "note": experiment.switch_notes[switch]}
                for switch, value in protocol.switches.changes().items()
            },
            "not_comparable": sorted({text for text in changed if text}),
        }

    def _folds(self, task: str, model: str, pattern: str = paths.FOLD) -> list[str]:
        return [
            pattern.format(task=task, model=model, rep=rep, fold=fold)
            for rep in self.experiment.repetitions
            for fold in self.experiment.folds
        ]

    def _of_study(self, pattern: str, protocol: str) -> list[str]:
        return [pattern.format(protocol=protocol, task=task, model=model) for task, model in self._pairs()]

    def _job_outputs(self, pattern: str) -> list[str]:
        job = self.experiment.config["probe"]["job"]
        reps = [str(rep) for rep in self.experiment.repetitions] if job == "task" else ["{rep}"]
        folds = ["{fold}"] if job == "fold" else [str(fold) for fold in self.experiment.folds]
        return [
            pattern.format(protocol="{protocol}", task="{task}", model="{model}", rep=rep, fold=fold)
            for rep in reps
            for fold in folds
        ]

    def _asked(self) -> dict[str, list[str]]:
        return {
            "tasks": list(self.experiment.tasks),
            "models": list(self.experiment.models),
            "random_models": self.experiment.random_models,
        }


def _checksums(dataset: Mapping[str, Any]) -> dict[str, str]:
    """Raw file → SHA-256 of its bytes, or of the texts in it, where the catalog pins them."""
    pinned = {name: file.get("sha256", file.get("members_sha256")) for name, file in dataset["files"].items()}
    return {name: digest for name, digest in pinned.items() if digest}
