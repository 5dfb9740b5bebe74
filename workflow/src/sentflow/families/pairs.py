"""Pair sets: similarity against gold scores, regressors, and the vectors themselves (alignment, geometry).

The sentences of the pair sets with one ``family`` in their entries are one collection: they are embedded together.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

from sentflow.config.entries import Entries, read_yaml
from sentflow.config.experiment import Experiment
from sentflow.config.model import Settings
from sentflow.config.pairs import PERMUTED, PairChecks, PairSettings, needed_pair_sets, pair_sets_of
from sentflow.flow import paths
from sentflow.flow.family import (
    Collection,
    Family,
    FromFiles,
    described_models,
    each,
    flat,
    one_of,
    raw_files,
)
from sentflow.geometry.settings import Aligned, AlignedSets, DescribedCollections, GeometryOfEncoder
from sentflow.report.settings import AlignmentTitle, GeometrySummary, PairSetTitle, SimilaritySummary
from sentflow.similarity.settings import ComparedSets, Overlaps, Parts, ScoredSets
from sentflow.training.settings import HELD_OUT

Model = TypeVar("Model", bound=Settings)
FEWEST_RELATED = 6
"""Encoders over which geometry is correlated with scores: with fewer the interval is nearly the whole range."""


def development_sets(experiment: Experiment) -> Entries:
    named = (entry.get("selection", {}).get("pairs") for entry in experiment.trained_models.values())
    return {name: experiment.entries["pair_sets"][name] for name in named if name not in (None, HELD_OUT)}


def pair_settings(
    experiment: Experiment, model: type[Model], *parts: Mapping[str, Any] | Settings, **more: Any
) -> Model:
    """Settings of a job on pairs: what `parts` say, then the sections ``similarity`` and ``statistics``."""
    config = experiment.config
    n = config.statistics.n_item_resamples
    return model.from_parts(*parts, config.similarity, config.statistics, n_resamples=n, **more)


class _PairSets(Family):
    """The pair sets that similarity and geometry are measured on."""

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(experiment)
        self.models = experiment.fixed_models
        self.selected = experiment.selected["pair_sets"]
        # Collection → the pair sets whose sentences it holds, those of alignments and regressions among them, as the
        # catalog orders them
        known, needed = (
            experiment.entries["pair_sets"],
            needed_pair_sets(experiment.selected, experiment.entries),
        )
        self.embedded: dict[str, Entries] = {known[name]["family"]: {} for name in needed}
        for name, entry in known.items():
            if name in needed:
                self.embedded[entry["family"]][name] = entry
        self.pair_sets = {name: entry for sets in self.embedded.values() for name, entry in sets.items()}

    def tables_of(self, section: str, scored: Mapping[str, Iterable[str]]) -> list[str]:
        """The scored pair sets, and those that the selected alignments or regressions are made of, each once."""
        entries = self.experiment.selected[section].values()
        parts = (name for entry in entries for name in pair_sets_of(section, entry))
        return each(paths.PAIR_SET, pairs=dict.fromkeys([*flat(scored), *parts]))

    def vectors_of(self, collections: Iterable[str]) -> dict[str, Any]:
        """Inputs of a job that reads the vectors of collections one after the other, see `vectors`."""
        from snakemake.io import ancient

        texts, embeddings, info = (
            each(pattern, model=["{model}"], collection=collections)
            for pattern in (paths.TEXTS, paths.EMBEDDINGS, paths.EMBEDDINGS_INFO)
        )
        return {"texts": ancient(texts), "embeddings": ancient(embeddings), "info": info}

    def by_collection(self, section: str, model: type[Settings] = Settings) -> dict[str, dict[str, Settings]]:
        """Collection → what a job reads of each selected pair set, alignment or regression of its sentences."""
        found: dict[str, dict[str, Settings]] = {}
        for name, entry in self.experiment.selected[section].items():
            first = name if section == "pair_sets" else pair_sets_of(section, entry)[0]
            found.setdefault(str(self.pair_sets[first]["family"]), {})[name] = model.from_parts(entry)
        return found

    def _titles(self) -> dict[str, Any]:
        models = described_models(self.experiment.models)
        return {
            "pairs": {name: PairSetTitle.from_parts(entry) for name, entry in self.pair_sets.items()},
            "models": {name: models[name] for name in self.models},
        }


class Similarity(_PairSets):
    """Pair sets, baselines that need no encoder, and regressions; their sentences are embedded once per family."""

    name = "similarity"

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(experiment)
        # Those that have a table: without vectors, nothing is measured on the sets of alignments and regressions.
        measured_sets = self.pair_sets if self.models else self.selected
        self.prepared = {**measured_sets, **development_sets(experiment)}
        self.baselines = [*experiment.config.similarity.baselines] if self.selected else []
        self.systems = [*self.models, *self.baselines]
        self.regression_entries = experiment.selected["regressions"]
        self.regressions = each(paths.REGRESSION, regression=self.regression_entries, model=self.models)
        self.scores, self.rows = (
            each(pattern, pairs=self.selected, model=self.systems)
            for pattern in (paths.SIMILARITY, paths.SIMILARITY_ROWS)
        )
        self.scored, self.regressed = (
            self.by_collection("pair_sets"),
            self.by_collection("regressions", Parts),
        )
        self.from_files = FromFiles(
            "pair_sets", "pairs", self.prepared, experiment.entries["datasets"], (PairSettings, PairChecks)
        )
        self.raw_files = [file for entry in self.prepared.values() for file in raw_files(entry)]
        self.collections = [
            Collection(name, each(paths.PAIR_SET, pairs=sets), self.models)
            for name, sets in self.embedded.items()
            if self.models
        ]
        self.data = {
            paths.digest(paths.PAIR_SET).format(pairs=name): [f"pair set {name}", entry["dataset"]]
            for name, entry in self.prepared.items()
        }
        comparisons = [paths.SIMILARITY_PAIRS] if self.scores else []
        self.results = [*self.scores, *comparisons, *self.regressions]
        if self.results:
            self.summaries = [
                paths.SUMMARY_SIMILARITY,
                paths.SUMMARY_REGRESSIONS,
                paths.HISTOGRAMS,
                *comparisons,
            ]
            # Without pair sets, a trained similarity has scores, too
            self.summary_of_scores = self.summaries[:1] if self.scores else self.summaries[1:2]
        self.available = {"similarity": bool(self.scores), "regressions": bool(self.regressions)}
        # Whether anything is measured on pair sets, alignments and geometry included
        self._is_measured = bool(self.results or (self.embedded and self.models))
        if self._is_measured:
            self.selection = {
                "pairs": list(self.selected),
                "pair_models": self.models,
                "baselines": self.baselines,
            }
        self.constraints = {"pairs": one_of(self.prepared)}

    @cached_property
    def report_facts(self) -> Mapping[str, Any]:
        if not self._is_measured:
            return {}
        left_out = [name for name in self.experiment.models if name not in self.models]
        return {"pair_sets": self.pair_sets, "left_out": left_out}

    @cached_property
    def published(self) -> Mapping[str, Any]:
        catalog = self.experiment.workflow / "catalog" / "published_similarity.yaml"
        return dict(read_yaml(catalog))

    # --- jobs -----------------------------------------------------------------------------------------------

    def outputs(self, models: Sequence[str]) -> dict[str, list[str]]:
        """What a job writes of the selected pair sets, each with all models."""
        return {
            "scores": each(paths.SIMILARITY, pairs=flat(self.scored), model=models),
            "rows": each(paths.SIMILARITY_ROWS, pairs=flat(self.scored), model=models),
        }

    def score_settings(self) -> str:
        """How intervals of scores are drawn; no measure, for all are written."""
        collections = {name: tuple(sets) for name, sets in self.scored.items()}
        more = {"collections": collections, "regressions": self.regressed}
        return pair_settings(self.experiment, ScoredSets, more).as_json()

    def overlap_settings(self) -> str:
        return pair_settings(self.experiment, Overlaps, baselines=tuple(self.baselines)).as_json()

    def comparison_settings(self, _wildcards: Any) -> str:
        sets, systems = tuple(self.selected), tuple(self.systems)
        return pair_settings(self.experiment, ComparedSets, pair_sets=sets, models=systems).as_json()

    def summarise_settings(self, _wildcards: Any) -> str:
        return pair_settings(
            self.experiment,
            SimilaritySummary,
            self._titles(),
            baselines=tuple(self.baselines),
            regressions=self.regression_entries,
            selected=tuple(self.selected),
            systems=tuple(self.systems),
        ).as_json()


class Geometry(_PairSets):
    """Alignments, and the geometry of each collection of sentences of which a pair set is selected.

    Its section of the page is that of similarity.
    """

    name = "geometry"

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(experiment)
        self.alignment_entries = experiment.selected["alignments"]
        wanted = experiment.config.geometry.families
        families = dict.fromkeys(entry["family"] for entry in self.selected.values())
        # The collections whose geometry is measured
        self.described = list(families) if wanted == "all" else list(wanted)
        self.alignments = each(paths.ALIGNMENT, alignment=self.alignment_entries, model=self.models)
        self.geometry = each(paths.GEOMETRY, collection=self.described, model=self.models)
        self.aligned = self.by_collection("alignments", Aligned)
        # The selected pair sets with whose scores the geometry of their sentences is compared
        self.scored = {name: self.by_collection("pair_sets").get(name, {}) for name in self.described}
        # Sentences with their words in another order, which rule permute_texts writes
        if self.models and experiment.config.geometry.permuted_texts:
            self.collections = [Collection(name + PERMUTED, (), self.models) for name in self.described]
        self.results = [*self.alignments, *self.geometry]
        if self.results:
            self.summaries = [
                paths.SUMMARY_ALIGNMENTS,
                paths.SUMMARY_GEOMETRY,
                paths.SPECTRA,
                paths.TRUNCATION,
            ]
        several = len(self.models) >= FEWEST_RELATED
        self.available = {
            "alignments": bool(self.alignments),
            "geometry": bool(self.geometry),
            "geometry of several encoders": bool(self.geometry) and several,
        }

    # --- jobs -----------------------------------------------------------------------------------------------

    def permuted_vectors(self) -> dict[str, Any]:
        """Inputs of a job, of the permuted texts of the collections that are described, if there are to be any."""
        vectors = self.vectors_of([collection.name for collection in self.collections])
        return {"also" if name == "info" else f"permuted_{name}": files for name, files in vectors.items()}

    def geometry_settings(self) -> str:
        collections = {name: tuple(sets) for name, sets in self.scored.items()}
        return GeometryOfEncoder(
            aligned=pair_settings(self.experiment, AlignedSets, collections=self.aligned),
            described=pair_settings(
                self.experiment,
                DescribedCollections,
                self.experiment.config.geometry,
                collections=collections,
            ),
        ).as_json()

    def summarise_settings(self, _wildcards: Any) -> str:
        alignments = self.alignment_entries.items()
        return pair_settings(
            self.experiment,
            GeometrySummary,
            self._titles(),
            baselines=(),
            alignments={name: AlignmentTitle.from_parts(entry) for name, entry in alignments},
            selected=tuple(self.selected),
            systems=tuple(self.models),
        ).as_json()
