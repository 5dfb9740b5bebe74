"""Training: encoders that are made here, the data that they are trained on, and what is said of the way there."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from sentflow.config.entries import Entry, read_yaml
from sentflow.config.experiment import Experiment
from sentflow.config.trained import start_of, teacher_of
from sentflow.encoders.settings import KINDS, TRAINED, made_by
from sentflow.exports.identity import OWNER, model_facts
from sentflow.families.pairs import development_sets, pair_settings
from sentflow.families.training.tables import TrainingTables
from sentflow.flow import paths
from sentflow.flow.family import Collection, Family, Files, each, json_text, pick_known, weights_of
from sentflow.flow.provenance import code, versions
from sentflow.report.settings import SetColumn, TrainedGroup, TrainedTitle, TrainingScores, TrainingSummary
from sentflow.training.data.entries import UNKNOWN_LANGUAGE
from sentflow.training.recipes.settings import RECIPES, module_of
from sentflow.training.settings import (
    CardSettings,
    ComparedTrainings,
    ScoredSnapshot,
    SnapshotChoice,
    StartOfTraining,
    TrainingRun,
    TrainingSettings,
    option_module,
    shown_start,
)
from sentflow.training.snapshots import (
    choosing_questions,
    development_of,
    known_steps,
    scored_steps,
    snapshot_name,
)
from sentflow.training.sweeps import shown_sweep


class Training(Family):
    """The trained encoders of an experiment; what they are worth is measured like that of any other."""

    name = "training"

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(experiment)
        self.tables = TrainingTables(experiment)
        self.models = experiment.trained_models
        self.sweeps = experiment.selected["sweeps"]
        # Encoder → the question set whose searches choose its snapshot; all others are scored on pairs, if at all
        self.searching = choosing_questions(self.models)
        # Steps of the snapshots, none where they are not known before → encoders
        self.by_steps: dict[tuple[int, ...], list[str]] = {} if self.models else {(): []}
        self.scored_by_steps: dict[tuple[int, ...], list[str]] = {}
        for name, entry in self.models.items():
            self.by_steps.setdefault(tuple(known_steps(entry)), []).append(name)
            if (steps := tuple(scored_steps(entry))) and name not in self.searching:
                self.scored_by_steps.setdefault(steps, []).append(name)
        self.pair_sets = list(experiment.selected["pair_sets"])
        # Name without seed → seed → selected encoder; then those with several seeds
        self.groups: dict[str, dict[int, str]] = {}
        for name, entry in experiment.models.items():
            if entry["kind"] == TRAINED:
                self.groups.setdefault(entry.get("seed_of", name), {})[entry["seed"]] = name
        self.seeded = {name: seeds for name, seeds in self.groups.items() if len(seeds) > 1}
        comparisons = [paths.TRAINING_SEEDS] if self.seeded and self.pair_sets else []
        self.raw_files = self.tables.raw_files
        self.collections = self._collections()
        self.audits = self.tables.audits
        trained = self.of_models(paths.TRAINING_RECORD, paths.CHOSEN_SNAPSHOT)
        self.results = [*trained, *self.audits, *comparisons]
        if self.models:
            self.summaries = [
                paths.SUMMARY_TRAINING,
                *comparisons,
                paths.SUMMARY_TRAINING_JOBS,
                paths.SUMMARY_TRAINING_HISTORY,
                paths.SUMMARY_TRAINING_HELD_OUT,
                paths.SUMMARY_SWEEPS,
            ]
            self.report_facts = {"training_data": dict(self.tables.entries)}
        self.documents = self.of_models(paths.MODEL_CARD)
        self.exports = [*self.documents, *self.tables.exports]
        self.available = {
            "trainings": bool(self.models),
            "sweeps": bool(self.models and self.sweeps),
            "training seeds": bool(comparisons),
        }
        self.constraints = {**self.tables.constraints, "step": "[0-9]+"}

    def of_models(self, *patterns: str) -> list[str]:
        return [file for pattern in patterns for file in each(pattern, model=self.models)]

    def _collections(self) -> list[Collection]:
        """The sentences of development sets, embedded by the snapshots that are scored on them; texts of teachers."""
        snapshots: dict[str, list[str]] = {pairs: [] for pairs in development_sets(self.experiment)}
        teachers: dict[str, dict[str, None]] = {}
        for model, entry in self.models.items():
            for step in scored_steps(entry) if model not in self.searching else ():
                snapshots[development_of(entry)].append(snapshot_name(model, step))
            if teacher := teacher_of(entry):
                teachers.setdefault(entry["data"], {})[teacher] = None
        return [
            *(
                Collection(_development(pairs), each(paths.PAIR_SET, pairs=[pairs]), models)
                for pairs, models in snapshots.items()
            ),
            *(
                Collection(_taught(data), each(paths.TRAINING_DATA, data=[data]), list(models))
                for data, models in teachers.items()
            ),
        ]

    @cached_property
    def published(self) -> Mapping[str, Any]:
        tables = ("training-sweep", "training-reduced")
        return dict.fromkeys(tables, self._shown_sweeps) if self.groups else {}

    def kept(self, output: Any, temporary: Any) -> Any:
        return output if self.experiment.config.training.keep_snapshots else temporary(output)

    @cached_property
    def _shown_sweeps(self) -> list[Entry]:
        known = (
            read_yaml(self.experiment.workflow / "catalog" / "published_training.yaml") if self.sweeps else {}
        )
        return [shown_sweep(name, sweep, known) for name, sweep in self.sweeps.items()]

    # --- jobs: a training and its snapshots -----------------------------------------------------------------

    def start(self, wildcards: Any) -> str:
        return paths.MANIFEST.format(model=start_of(self.models[wildcards.model])["name"])

    def start_files(self, wildcards: Any) -> list[str]:
        return weights_of(self.experiment, start_of(self.models[wildcards.model])["name"])

    def snapshots(self, wildcards: Any) -> list[str]:
        steps = known_steps(self.models[wildcards.model])
        return [file.format(model=wildcards.model) for file in snapshot_files(steps)]

    def rows(self, wildcards: Any) -> list[str]:
        return each(paths.TRAINING_DATA, data=[self.models[wildcards.model]["data"]])

    def of_teacher(self, pattern: str) -> Files:
        """Texts of which a teacher's vectors are learnt, or these; nothing without a teacher."""

        def files(wildcards: Any) -> list[str]:
            entry = self.models[wildcards.model]
            teacher = teacher_of(entry)
            return [pattern.format(model=teacher, collection=_taught(entry["data"]))] if teacher else []

        return files

    def scores(self, wildcards: Any) -> list[str]:
        return self._scores(wildcards.model)

    def all_scores(self) -> list[str]:
        return [file for model in self.models for file in self._scores(model)]

    def of_development(self, pattern: str, steps: Sequence[int] = ()) -> Files:
        """Of the snapshots after some steps, or of the one of a job's wildcard."""

        def files(wildcards: Any) -> list[str]:
            name = development_of(self.models[wildcards.model])
            corpus = self.experiment.entries["question_sets"].get(name, {}).get("corpus")
            names = {"pairs": name, "questions": name, "corpus": corpus, "collection": _development(name)}
            snapshots = [snapshot_name(wildcards.model, step) for step in steps or [int(wildcards.step)]]
            return [pattern.format(**names, model=one, retriever=one) for one in snapshots]

        return files

    def device(self, wildcards: Any) -> str:
        """Where it is computed. Not a setting of science: changing it runs nothing again."""
        return json_text(self.models[wildcards.model].get("device"))

    def gpus(self, wildcards: Any) -> int:
        """GPUs that a training asks a cluster for: those that its entry names."""
        device = self.models[wildcards.model].get("device") or []
        named = device if isinstance(device, list) else [device]
        return sum(one.startswith("cuda") for one in named)

    def train_code(self, wildcards: Any) -> str:
        entry = self.models[wildcards.model]
        return code("train", module_of(entry["recipe"]), *map(option_module, _settings(entry).options))

    def libraries(self, wildcards: Any) -> str:
        entry = self.models[wildcards.model]
        of_options = [name for option in _settings(entry).options.values() for name in option.libraries]
        of_entry = KINDS[TRAINED].vector_libraries(pick_known(entry, "segment"))
        return " ".join(sorted({*of_entry, *RECIPES[entry["recipe"]].libraries, *of_options}))

    def versions(self, wildcards: Any) -> str:
        return versions(*self.libraries(wildcards).split())

    def train_settings(self, wildcards: Any) -> str:
        entry = self.models[wildcards.model]
        recipe = RECIPES[entry["recipe"]].model_validate(entry.get("settings", {}))
        return TrainingRun.from_parts(
            {"segment": None, **entry},
            model=wildcards.model,
            settings=recipe,
            least_rows=recipe.needs().least_rows,
            training=_settings(entry),
            pooling=entry.get("training_pooling", entry.get("pooling")),
            start=StartOfTraining(**start_of(entry)),
            form=self.experiment.entries["training_data"][entry["data"]]["form"],
        ).as_json()

    def score_settings(self, steps: Sequence[int] = ()) -> Callable[[Any], str]:
        """Of the snapshots after some steps, or of the one of a job's wildcard."""

        def settings(wildcards: Any) -> str:
            model, entry = wildcards.model, self.models[wildcards.model]
            measure = entry["selection"]["measure"] if model in self.searching else None
            found = [
                ScoredSnapshot(model=model, step=step, pairs=development_of(entry), measure=measure).as_dict()
                for step in steps or [int(wildcards.step)]
            ]
            return json_text(found if steps else found[0])

        return settings

    def choice_code(self, wildcards: Any) -> str:
        """Digest of what makes the manifest of a trained encoder: the job and what describes the kind that was made."""
        kind = KINDS[made_by(self.models[wildcards.model]["recipe"])]
        return code("choose_snapshot", kind.described_by)

    def choice_settings(self, wildcards: Any) -> str:
        entry = self.models[wildcards.model]
        kind = made_by(entry["recipe"])
        selection = entry.get("selection", {})
        pairs = self.searching.get(wildcards.model, selection.get("pairs"))
        return SnapshotChoice.from_parts(selection, model=wildcards.model, kind=kind, pairs=pairs).as_json()

    # --- jobs: what is said of trainings --------------------------------------------------------------------

    def similarities(self) -> list[str]:
        models = [model for seeds in self.seeded.values() for model in seeds.values()]
        return each(paths.SIMILARITY_ROWS, pairs=self.pair_sets, model=models)

    def test_scores(self, section: str, file: str) -> list[str]:
        return [file] if self.experiment.selected[section] and self.experiment.fixed_models else []

    def audits_of_models(self) -> list[str]:
        audits = each(paths.TRAINING_AUDIT, data=[entry["data"] for entry in self.models.values()])
        return [file for file in dict.fromkeys(audits) if file in self.audits]

    def comparison_settings(self, _wildcards: Any) -> str:
        models = self.experiment.models
        controls = [
            name
            for name, seeds in self.seeded.items()
            if any(models[model].get("control") for model in seeds.values())
        ]
        groups = {
            name: {str(seed): model for seed, model in seeds.items()} for name, seeds in self.seeded.items()
        }
        return pair_settings(
            self.experiment,
            ComparedTrainings,
            pair_sets=tuple(self.pair_sets),
            groups=groups,
            controls=tuple(controls),
        ).as_json()

    def _score_summary(self) -> TrainingScores:
        sets = self.experiment.entries["question_sets"]
        asked = {name: sets[name] for name in self.searching.values()}
        pair_sets = {**asked, **self.experiment.selected["pair_sets"], **development_sets(self.experiment)}
        return TrainingScores(
            models={name: self._described(name, entry) for name, entry in self.models.items()},
            pairs={
                name: SetColumn(column=entry.get("group", name), data_version=entry["data_version"])
                for name, entry in pair_sets.items()
            },
        )

    def summary_settings(self, _wildcards: Any) -> str:
        known = self.experiment.entries["training_data"]
        models = {
            name: TrainedGroup(
                title=entry.get("title", name),
                group=entry.get("seed_of", name),
                control=entry.get("control", False),
                data_version=known[entry["data"]]["data_version"],
            )
            for name, entry in self.models.items()
        }
        sweeps = tuple(self._shown_sweeps) if self.groups else ()
        return TrainingSummary(scores=self._score_summary(), models=models, sweeps=sweeps).as_json()

    def card_settings(self, _wildcards: Any) -> str:
        return json_text({name: self._card(name).as_dict() for name in self.models})

    def _card(self, name: str) -> CardSettings:
        entry = self.models[name]
        base, path = self._base(entry)
        of_base = self.experiment.entries["models"][base] if base else {}
        outside = model_facts(base, of_base) if base else None
        on_hub = outside is not None and not outside.name.startswith(f"{OWNER}/")
        adapted = outside.adapted_from if outside and not on_hub else None
        data = self.experiment.entries["training_data"][entry["data"]]
        dataset = self.experiment.entries["datasets"].get(data.get("dataset", ""), {})
        language = data.get("language", UNKNOWN_LANGUAGE)
        siblings = {
            other: its["seed"]
            for other, its in self.models.items()
            if other == name or ("seed_of" in entry and its.get("seed_of") == entry["seed_of"])
        }
        return CardSettings.from_parts(
            {"title": name, **pick_known(entry, "title", "licence", "data")},
            read_out=entry.get("pooling") or "",
            base=base,
            base_title=of_base.get("title", base),
            base_hub=outside.name if outside and on_hub else adapted or "",
            base_revision=of_base.get("source", {}).get("revision", ""),
            base_licence=of_base.get("licence", ""),
            path=tuple(path),
            siblings=siblings,
            segment=entry.get("segment") or "",
            languages=() if language == UNKNOWN_LANGUAGE else (language,),
            data_title=data["title"],
            data_hub=dataset.get("hub", ""),
            data_licence=dataset.get("licence", ""),
        )

    # --- helpers --------------------------------------------------------------------------------------------

    def _scores(self, model: str) -> list[str]:
        return self.development_scores(model, scored_steps(self.models[model]))

    def development_scores(self, model: str, steps: Iterable[int]) -> list[str]:
        return each(paths.DEVELOPMENT_SCORE, model=[model], step=[f"{step:06d}" for step in steps])

    def _described(self, name: str, entry: Entry) -> TrainedTitle:
        data, start = self.experiment.entries["training_data"][entry["data"]], start_of(entry)
        return TrainedTitle(
            model_title=entry.get("title", name),
            group=entry.get("seed_of", name),
            recipe=entry["recipe"],
            start=shown_start(start["name"], drawn="configuration" in start),
            data=entry["data"],
            learning_rate=entry["training"]["learning_rate"],
            seed=entry["seed"],
            is_control="shuffled_positives" in data,
        )

    def _base(self, entry: Entry) -> tuple[str, list[str]]:
        """The first start that was not trained here, empty for random weights; and what lies between."""
        path: list[str] = []
        while True:
            start = start_of(entry)
            name = str(start["name"])
            if "configuration" in start:
                return "", path
            if name not in self.models:
                return name, path
            path.insert(0, name)
            entry = self.models[name]


def snapshot_files(steps: Sequence[int]) -> list[str]:
    """Patterns of the archives with the snapshots of a training; one of all where their steps are not known."""
    numbers = [f"{step:06d}" for step in steps]
    return [paths.SNAPSHOT.replace("{step}", number) for number in numbers] or [paths.SNAPSHOTS]


def _settings(entry: Entry) -> TrainingSettings:
    return TrainingSettings.model_validate(entry["training"])


def _development(pairs: str) -> str:
    return f"development/{pairs}"


def _taught(data: str) -> str:
    """The collection of texts of which a teacher's vectors are learnt."""
    return f"training/{data}"
