"""Trained encoders in the graph: what a training reads and makes, its snapshots, and which of them is the encoder."""

from typing import Any

from sentflow.config.entries import Entry
from sentflow.config.experiment import Experiment
from sentflow.encoders.kinds.table import KINDS, MADE_BY, TRAINED
from sentflow.families.pair_sets import development_sets
from sentflow.families.training.needs import start_of, teacher_of
from sentflow.graph import paths
from sentflow.graph.family import Collection
from sentflow.graph.job_settings import json_text, one_of, pick_known
from sentflow.graph.provenance import code, versions
from sentflow.training.recipes.settings import RECIPES, module_of
from sentflow.training.settings import (
    SnapshotChoice,
    StartOfTraining,
    TrainingRun,
    TrainingSettings,
    option_module,
)
from sentflow.training.snapshots import scored_steps, snapshot_name
from sentflow.training.start_names import shown_start

DEVELOPMENT = "development/"
TAUGHT = "training/"


class TrainedModels:
    """Files and settings of the jobs that train encoders and choose among their snapshots."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.models = experiment.trained_models

    # --- what they need -------------------------------------------------------------------------------------

    def data(self) -> list[str]:
        """The named training data that are read, each once."""
        return list(dict.fromkeys(entry["data"] for entry in self.models.values()))

    def pairs(self) -> list[str]:
        """The pair sets on which snapshots are scored."""
        return list(development_sets(self.experiment))

    def collections(self) -> list[Collection]:
        """The sentences of development sets, embedded by the snapshots that are scored on them; texts of teachers."""
        of_development = [
            Collection(
                f"{DEVELOPMENT}{pairs}",
                [paths.PAIR_SET.format(pairs=pairs)],
                [paths.PAIR_SET_DIGEST.format(pairs=pairs)],
                [
                    snapshot_name(model, step)
                    for model, entry in self.models.items()
                    if entry.get("selection", {}).get("pairs") == pairs
                    for step in scored_steps(entry)
                ],
            )
            for pairs in self.pairs()
        ]
        return [*of_development, *self._taught()]

    def steps(self, model: str) -> list[int]:
        """The scored steps of a trained encoder."""
        return scored_steps(self.models[model])

    # --- what they make -------------------------------------------------------------------------------------

    def manifests(self) -> list[str]:
        """Of every trained encoder."""
        return [paths.MANIFEST.format(model=model) for model in self.models]

    def scores(self, model: str) -> list[str]:
        """The development scores of a trained encoder, in the order of steps."""
        return [paths.DEVELOPMENT_SCORE.format(model=model, step=f"{step:06d}") for step in self.steps(model)]

    def of_all(self, pattern: str) -> list[str]:
        """A file of each trained encoder."""
        return [pattern.format(model=model) for model in self.models]

    def all_scores(self) -> list[str]:
        """The development scores of all trained encoders."""
        return [file for model in self.models for file in self.scores(model)]

    def summaries_of(self, family: str, file: str) -> list[str]:
        """A summary of another family's results, where that has any."""
        sections = {"similarity": "pair_sets", "geometry": "alignments"}
        there = self.experiment.selected[sections[family]] and self.experiment.fixed_models
        return [file] if there else []

    def constraint(self) -> str:
        """Regular expression of the trained encoders."""
        return one_of(self.models)

    # --- inputs that depend on wildcards --------------------------------------------------------------------

    def start(self, wildcards: Any) -> str:
        """Manifest of the encoder that a training starts from."""
        return paths.MANIFEST.format(model=start_of(self._entry(wildcards))["name"])

    def rows(self, wildcards: Any) -> str:
        """The training data."""
        return paths.TRAINING_DATA.format(data=self._entry(wildcards)["data"])

    def rows_digest(self, wildcards: Any) -> str:
        """The digest beside `rows`."""
        return paths.TRAINING_DATA_DIGEST.format(data=self._entry(wildcards)["data"])

    def scores_of(self, wildcards: Any) -> list[str]:
        """The development scores of the encoder of a job."""
        return self.scores(wildcards.model)

    def development_pairs(self, wildcards: Any) -> str:
        """The pair set on which a snapshot is scored."""
        return paths.PAIR_SET.format(pairs=self._pairs(wildcards))

    def development_digest(self, wildcards: Any) -> str:
        """The digest beside `development_pairs`."""
        return paths.PAIR_SET_DIGEST.format(pairs=self._pairs(wildcards))

    def development_texts(self, wildcards: Any) -> str:
        """Its sentences."""
        return paths.TEXTS.format(collection=f"{DEVELOPMENT}{self._pairs(wildcards)}")

    def development_embeddings(self, wildcards: Any) -> str:
        """Their vectors by a snapshot."""
        return self._embedded(paths.EMBEDDINGS, wildcards)

    def development_info(self, wildcards: Any) -> str:
        """The description beside `development_embeddings`."""
        return self._embedded(paths.EMBEDDINGS_INFO, wildcards)

    def teacher_texts(self, wildcards: Any) -> list[str]:
        """The texts of which a teacher's vectors are learnt; nothing without a teacher."""
        return self._of_teacher(paths.TEXTS, wildcards)

    def teacher_embeddings(self, wildcards: Any) -> list[str]:
        """The teacher's vectors."""
        return self._of_teacher(paths.EMBEDDINGS, wildcards)

    def teacher_info(self, wildcards: Any) -> list[str]:
        """The description beside `teacher_embeddings`."""
        return self._of_teacher(paths.EMBEDDINGS_INFO, wildcards)

    # --- settings -------------------------------------------------------------------------------------------

    def train_settings(self, wildcards: Any) -> str:
        """Everything that a training is a function of, beside its files."""
        entry = self._entry(wildcards)
        recipe = RECIPES[entry["recipe"]].model_validate(entry.get("settings", {}))
        run = TrainingRun(
            model=wildcards.model,
            recipe=entry["recipe"],
            settings=recipe,
            least_rows=recipe.needs().least_rows,
            training=_training(entry),
            seed=entry["seed"],
            pooling=entry.get("training_pooling", entry.get("pooling")),
            segment=entry.get("segment"),
            start=StartOfTraining(**start_of(entry)),
            data=entry["data"],
            form=self.form(entry["data"]),
        )
        return run.as_json()

    def train_code(self, wildcards: Any) -> str:
        """Digest of what trains: the command and the modules of the recipe and of the options."""
        entry = self._entry(wildcards)
        return code("train", module_of(entry["recipe"]), *map(option_module, _training(entry).options))

    def libraries(self, wildcards: Any) -> str:
        """Names of the distributions that can change a training."""
        return " ".join(self._libraries(wildcards))

    def versions(self, wildcards: Any) -> str:
        """Their versions."""
        return versions(*self._libraries(wildcards))

    def device(self, wildcards: Any) -> str:
        """Where it is computed. Not a setting of science: changing it runs nothing again."""
        return json_text(self._entry(wildcards).get("device"))

    def gpus(self, wildcards: Any) -> int:
        """GPUs that a training asks a cluster for: those that its entry names."""
        device = self._entry(wildcards).get("device") or []
        named = device if isinstance(device, list) else [device]
        return sum(one.startswith("cuda") for one in named)

    def state(self, wildcards: Any) -> str:
        """The hidden folder from which a training goes on."""
        return paths.TRAINING_STATE.format(model=wildcards.model)

    def score_settings(self, wildcards: Any) -> str:
        """What is scored on development pairs."""
        return json_text(
            {"model": wildcards.model, "step": int(wildcards.step), "pairs": self._pairs(wildcards)}
        )

    def choice_settings(self, wildcards: Any) -> str:
        """Which snapshot is the encoder."""
        entry = self._entry(wildcards)
        kind = MADE_BY.get(entry["recipe"], TRAINED)
        return SnapshotChoice(model=wildcards.model, kind=kind, **entry.get("selection", {})).as_json()

    def summary_settings(self, _wildcards: Any) -> str:
        """What rows say of encoders and pair sets beside their numbers."""
        pair_sets = {**self.experiment.selected["pair_sets"], **development_sets(self.experiment)}
        return json_text(
            {
                "models": {name: self._told(name, entry) for name, entry in self.models.items()},
                "pairs": {
                    name: {"column": entry.get("group", name), "data_version": entry["data_version"]}
                    for name, entry in pair_sets.items()
                },
            }
        )

    def _told(self, name: str, entry: Entry) -> dict[str, Any]:
        data = self.experiment.entries["training_data"][entry["data"]]
        start = start_of(entry)
        return {
            "title": entry.get("title", name),
            "group": entry.get("seed_of", name),
            "recipe": entry["recipe"],
            "start": shown_start(start["name"], drawn="configuration" in start),
            "data": entry["data"],
            "learning_rate": entry["training"]["learning_rate"],
            "seed": entry["seed"],
            "is_control": "shuffled_positives" in data,
        }

    def form(self, data: str) -> str:
        """What the rows of training data have."""
        return str(self.experiment.entries["training_data"][data]["form"])

    def _libraries(self, wildcards: Any) -> list[str]:
        entry = self._entry(wildcards)
        of_options = [name for option in _training(entry).options.values() for name in option.libraries]
        of_entry = KINDS[TRAINED].vector_libraries(pick_known(entry, "segment"))
        return sorted({*of_entry, *RECIPES[entry["recipe"]].libraries, *of_options})

    def _pairs(self, wildcards: Any) -> str:
        return str(self._entry(wildcards)["selection"]["pairs"])

    def _embedded(self, pattern: str, wildcards: Any) -> str:
        snapshot = snapshot_name(wildcards.model, int(wildcards.step))
        return pattern.format(model=snapshot, collection=f"{DEVELOPMENT}{self._pairs(wildcards)}")

    def _taught(self) -> list[Collection]:
        """The training data of encoders that learn another one's vectors, embedded by these teachers."""
        teachers: dict[str, list[str]] = {}
        for entry in self.models.values():
            teacher = teacher_of(entry)
            if teacher and teacher not in teachers.setdefault(entry["data"], []):
                teachers[entry["data"]].append(teacher)
        return [
            Collection(
                f"{TAUGHT}{data}",
                [paths.TRAINING_DATA.format(data=data)],
                [paths.TRAINING_DATA_DIGEST.format(data=data)],
                models,
            )
            for data, models in teachers.items()
        ]

    def _of_teacher(self, pattern: str, wildcards: Any) -> list[str]:
        entry = self._entry(wildcards)
        teacher = teacher_of(entry)
        return [pattern.format(model=teacher, collection=f"{TAUGHT}{entry['data']}")] if teacher else []

    def _entry(self, wildcards: Any) -> Entry:
        return self.models[wildcards.model]


def _training(entry: Entry) -> TrainingSettings:
    return TrainingSettings.model_validate(entry["training"])
