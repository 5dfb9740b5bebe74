"""Similarity of sentence pairs against gold scores, by the vectors themselves and by a trained regressor."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from sentflow.config.entries import read_yaml
from sentflow.config.experiment import Experiment
from sentflow.families.pair_sets import development_sets, embedded_sets, measured, resampling, titles_of
from sentflow.flow import paths
from sentflow.flow.family import Collection, Family, Files, each, raw_paths
from sentflow.flow.job_settings import one_of
from sentflow.report.settings import SimilaritySummary
from sentflow.similarity.settings import ComparedSets, Resampling
from sentflow.texts.raw_files import pair_files_of
from sentflow.texts.settings import PairChecks, PairSettings

_PARTS = ("train", "dev", "test")


class Similarity(Family):
    """Pair sets, baselines that need no encoder, and regressions; their sentences are embedded once per family."""

    name = "similarity"

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(experiment)
        self.selected = experiment.selected["pair_sets"]
        self.models = experiment.fixed_models
        # collection → the pair sets whose sentences it holds, those of alignments and regressions among them
        embedded = embedded_sets(experiment)
        self.pair_sets = {name: entry for sets in embedded.values() for name, entry in sets.items()}
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
        self.raw_files = [file for entry in self.prepared.values() for file in _raw_files(entry)]
        self.collections = [
            Collection(name, each(paths.PAIR_SET, pairs=sets), self.models)
            for name, sets in embedded.items()
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
        self._is_measured = bool(self.results or (embedded and self.models))
        if self._is_measured:
            self.selection = {
                "pairs": list(self.selected),
                "pair_models": self.models,
                "baselines": self.baselines,
            }
        self.constraints = {
            "pairs": one_of(self.prepared),
            "baseline": one_of(self.baselines),
            "regression": one_of(self.regression_entries),
        }

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

    def raw_files_of_set(self, wildcards: Any) -> list[str]:
        return raw_paths(_raw_files(self.prepared[wildcards.pairs]))

    def part_of_regression(self, part: str) -> Files:
        """The table that a regressor is trained on, chosen by or tested on."""
        return lambda wildcards: each(
            paths.PAIR_SET, pairs=[self.regression_entries[wildcards.regression][part]]
        )

    def collection_of(self, wildcards: Any) -> str:
        tested = getattr(wildcards, "pairs", None) or self.regression_entries[wildcards.regression]["test"]
        return str(self.pair_sets[tested]["family"])

    def prepare_settings(self, wildcards: Any) -> str:
        return PairSettings.from_parts(self.prepared[wildcards.pairs]).as_json()

    def prepare_checks(self, wildcards: Any) -> str:
        """How many rows there must be, and the checksums of raw files: checked, but they change no byte."""
        entry = self.prepared[wildcards.pairs]
        files = self.checked_files(entry["dataset"], pair_files_of(entry["reader"]))
        return PairChecks.from_parts(entry, files=files).as_json()

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


def _raw_files(entry: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(entry["dataset"], file) for file in pair_files_of(entry["reader"])]
