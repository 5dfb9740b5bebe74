"""The vectors themselves: alignment and uniformity, isotropy, spectrum, neighbours, word order, truncation."""

from typing import Any

from sentflow.config.experiment import Experiment
from sentflow.config.pairs import PERMUTED
from sentflow.families.pair_sets import embedded_sets, measured, resampling, titles_of
from sentflow.flow import paths
from sentflow.flow.family import Collection, Family, Files, each
from sentflow.flow.job_settings import one_of, pick
from sentflow.geometry.settings import AlignmentSettings, GeometrySettings
from sentflow.report.settings import AlignmentTitle, GeometrySummary

FEWEST_RELATED = 6
"""Encoders over which geometry is correlated with scores: with fewer the interval is nearly the whole range."""


class Geometry(Family):
    """Alignments, and the geometry of each collection of sentences of which a pair set is selected.

    Its section of the page is that of similarity.
    """

    name = "geometry"

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(experiment)
        self.models = experiment.fixed_models
        self.selected = experiment.selected["pair_sets"]
        self.alignment_entries = experiment.selected["alignments"]
        sets = embedded_sets(experiment).values()
        self.pair_sets = {name: entry for pair_sets in sets for name, entry in pair_sets.items()}
        wanted = experiment.config.geometry.families
        families = dict.fromkeys(entry["family"] for entry in self.selected.values())
        # The collections whose geometry is measured
        self.described = list(families) if wanted == "all" else list(wanted)
        self.alignments = each(paths.ALIGNMENT, alignment=self.alignment_entries, model=self.models)
        self.geometry = each(paths.GEOMETRY, collection=self.described, model=self.models)
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
        self.constraints = {"alignment": one_of(self.alignment_entries)}

    # --- jobs -----------------------------------------------------------------------------------------------

    def of_alignment(self, key: str) -> Files:
        """The pair sets that an alignment names under a key."""
        return lambda wildcards: each(
            paths.PAIR_SET, pairs=self.alignment_entries[wildcards.alignment].get(key, [])
        )

    def scored(self, wildcards: Any) -> list[str]:
        """The selected pair sets with whose scores the geometry of their sentences is compared."""
        sets = self.selected.items()
        own = [name for name, entry in sets if entry["family"] == wildcards.collection]
        return each(paths.PAIR_SET, pairs=own)

    def of_permuted(self, pattern: str) -> str | list[str]:
        """A file of the permuted texts of a collection, if there are to be any."""
        is_wanted = self.experiment.config.geometry.permuted_texts
        return pattern.replace("{collection}", "{collection}" + PERMUTED) if is_wanted else []

    def collection_of(self, wildcards: Any) -> str:
        if not hasattr(wildcards, "alignment"):
            return super().collection_of(wildcards)
        first = self.alignment_entries[wildcards.alignment]["pairs"][0]
        return str(self.pair_sets[first]["family"])

    def alignment_settings(self, wildcards: Any) -> str:
        entry = self.alignment_entries[wildcards.alignment]
        return AlignmentSettings.from_parts(entry, **resampling(self.experiment)).as_json()

    def geometry_settings(self) -> str:
        settings = {
            **pick(resampling(self.experiment), "level", "n_resamples"),
            **measured(self.experiment),
        }
        return GeometrySettings.from_parts(self.experiment.config.geometry, **settings).as_json()

    def summarise_settings(self, _wildcards: Any) -> str:
        """Titles of everything, and the order."""
        alignments = self.alignment_entries.items()
        return GeometrySummary.from_parts(
            titles_of(self.experiment, self.pair_sets),
            alignments={name: AlignmentTitle.from_parts(entry) for name, entry in alignments},
            selected=tuple(self.selected),
            systems=tuple(self.models),
        ).as_json()
