"""Similarity of sentence pairs against gold scores, by the vectors themselves and by a trained regressor."""

from collections.abc import Mapping
from itertools import product
from typing import Any

from sentflow.config.entries import read_yaml
from sentflow.config.experiment import Experiment
from sentflow.families.pair_sets import (
    development_sets,
    embedded_sets,
    files_of,
    measured,
    resampling,
    titles_of,
)
from sentflow.flow import paths
from sentflow.flow.family import Collection, Family
from sentflow.flow.job_settings import one_of
from sentflow.report.settings import SimilaritySummary
from sentflow.similarity.settings import ComparedSets, Resampling
from sentflow.texts.pair_files import raw_files_of
from sentflow.texts.settings import PairChecks, PairSettings

_PARTS = ("train", "dev", "test")


class Similarity(Family):
    """Pair sets, baselines that need no encoder, and regressions; their sentences are embedded once per family."""

    name = "similarity"

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(experiment)
        self.selected = experiment.selected["pair_sets"]
        self.models = experiment.fixed_models
        # collection → the pair sets whose sentences it holds; then all of these
        self.embedded = embedded_sets(experiment)
        self.pair_sets = {name: entry for sets in self.embedded.values() for name, entry in sets.items()}
        # Those that have a table: without vectors, nothing is measured on the sets of alignments and regressions.
        measured_sets = self.pair_sets if self.models else self.selected
        self.prepared = {**measured_sets, **development_sets(experiment)}
        self.baselines = [*experiment.config.similarity.baselines] if self.selected else []
        self.systems = [*self.models, *self.baselines]
        self.regression_entries = experiment.selected["regressions"]
        names = product(self.regression_entries, self.models)
        self.regressions = [paths.REGRESSION.format(regression=name, model=model) for name, model in names]
        self.scores = self.each(paths.SIMILARITY)

    def each(self, pattern: str) -> list[str]:
        """A file per pair set and encoder or baseline, pair set after pair set."""
        names = product(self.selected, self.systems)
        return [pattern.format(pairs=pairs, model=system) for pairs, system in names]

    def raw_files(self) -> list[tuple[str, str]]:
        return [(entry["dataset"], file) for entry in self.prepared.values() for file in raw_files_of(entry)]

    def collections(self) -> list[Collection]:
        """The sentences of each family of pair sets, those of alignments and regressions among them."""
        return [
            Collection(
                name,
                files_of(paths.PAIR_SET, pair_sets),
                files_of(paths.PAIR_SET_DIGEST, pair_sets),
                self.models,
            )
            for name, pair_sets in self.embedded.items()
            if self.models
        ]

    def data(self) -> dict[str, list[str]]:
        names = [[f"pair set {name}", entry["dataset"]] for name, entry in self.prepared.items()]
        return dict(zip(files_of(paths.PAIR_SET_DIGEST, self.prepared), names, strict=True))

    def comparisons(self) -> list[str]:
        """What is said of several encoders."""
        return [paths.SIMILARITY_PAIRS] if self.scores else []

    def results(self) -> list[str]:
        return [*self.scores, *self.comparisons(), *self.regressions]

    def summaries(self) -> list[str]:
        if not self.results():
            return []
        return [paths.SUMMARY_SIMILARITY, paths.SUMMARY_REGRESSIONS, paths.HISTOGRAMS, *self.comparisons()]

    def summary_of_scores(self) -> list[str]:
        """Without pair sets, a trained similarity has scores, too."""
        if self.scores:
            return [paths.SUMMARY_SIMILARITY]
        return [paths.SUMMARY_REGRESSIONS] if self.regressions else []

    def available(self) -> Mapping[str, bool]:
        return {"similarity": bool(self.scores), "regressions": bool(self.regressions)}

    def asked(self) -> dict[str, Any]:
        if not self._is_measured():
            return {}
        pairs = list(self.selected)
        return {"pairs": pairs, "pair_models": self.models, "baselines": self.baselines}

    def told(self) -> dict[str, Any]:
        if not self._is_measured():
            return {}
        left_out = [name for name in self.experiment.models if name not in self.models]
        return {"pair_sets": self.pair_sets, "left_out": left_out}

    def published(self) -> Mapping[str, Any]:
        reported: Mapping[str, Any] = read_yaml(
            self.experiment.workflow / "catalog" / "published_similarity.yaml"
        )
        return reported

    def constraints(self) -> Mapping[str, str]:
        return {
            "pairs": one_of(self.prepared),
            "baseline": one_of(self.baselines),
            "regression": one_of(self.regression_entries),
        }

    # --- jobs -----------------------------------------------------------------------------------------------

    def raw_files_of_set(self, wildcards: Any) -> list[str]:
        """The raw files that hold the rows of a pair set."""
        entry = self.prepared[wildcards.pairs]
        return [paths.RAW_FILE.format(dataset=entry["dataset"], file=file) for file in raw_files_of(entry)]

    def digests_of_regression(self, wildcards: Any) -> list[str]:
        """The digests of the three pair sets of a regression."""
        entry = self.regression_entries[wildcards.regression]
        return files_of(paths.PAIR_SET_DIGEST, dict.fromkeys(entry[part] for part in _PARTS))

    def part_of_regression(self, part: str) -> Any:
        """Function of a job: the table that a regressor is trained on, chosen by or tested on."""
        return lambda wildcards: paths.PAIR_SET.format(
            pairs=self.regression_entries[wildcards.regression][part]
        )

    def collection_of(self, wildcards: Any) -> str:
        if hasattr(wildcards, "pairs"):
            return str(self.pair_sets[wildcards.pairs]["family"])
        return str(self.pair_sets[self.regression_entries[wildcards.regression]["test"]]["family"])

    def prepare_settings(self, wildcards: Any) -> str:
        """What decides the table of a pair set."""
        return PairSettings.from_parts(self.prepared[wildcards.pairs]).as_json()

    def prepare_checks(self, wildcards: Any) -> str:
        """How many rows there must be, and the checksums of raw files: checked, but they change no byte."""
        entry = self.prepared[wildcards.pairs]
        files = self.experiment.entries["datasets"][entry["dataset"]]["files"]
        known = {name: files[name] for name in raw_files_of(entry) if "generator" not in files[name]}
        return PairChecks.from_parts({**entry, "files": known}).as_json()

    def resampling(self) -> str:
        """How intervals of scores are drawn; no measure, for all are written."""
        return Resampling(**resampling(self.experiment)).as_json()

    def comparison_settings(self, _wildcards: Any) -> str:
        """How encoders are compared, and their order, for Snakemake sees sets of inputs."""
        return ComparedSets(
            pair_sets=tuple(self.selected),
            models=tuple(self.systems),
            alpha=self.experiment.config.statistics.alpha,
            **measured(self.experiment),
            **resampling(self.experiment),
        ).as_json()

    def summarise_settings(self, _wildcards: Any) -> str:
        """Titles of everything, and the order."""
        return SimilaritySummary.from_parts(
            titles_of(self.experiment, self.pair_sets),
            baselines=tuple(self.baselines),
            regressions=self.regression_entries,
            selected=tuple(self.selected),
            systems=tuple(self.systems),
        ).as_json()

    def _is_measured(self) -> bool:
        """Whether anything is measured on pair sets, alignments and geometry included."""
        return bool(self.results() or (self.embedded and self.models))
