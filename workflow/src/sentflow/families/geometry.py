"""The vectors themselves: alignment and uniformity, isotropy, spectrum, neighbours, word order, truncation."""

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

from sentflow.config.experiment import Experiment
from sentflow.families.pair_sets import (
    PERMUTED,
    embedded_sets,
    files_of,
    measured,
    resampling,
    titles_of,
)
from sentflow.flow import paths
from sentflow.flow.family import Collection, Family
from sentflow.flow.job_settings import one_of, pick, pick_known
from sentflow.geometry.settings import AlignmentSettings, Described, GeometrySettings
from sentflow.report.settings import AlignmentTitle, GeometrySummary

FEWEST_RELATED = 6
"""Encoders over which geometry is correlated with scores: with fewer the interval is nearly the whole range."""
_ALIGNMENT_KEYS = ("variant", "threshold", "comparison", "sentences", "batch")


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
        self.described = list(families) if wanted == "all" else list(wanted)
        """The collections whose geometry is measured."""
        self.alignments = [
            paths.ALIGNMENT.format(alignment=alignment, model=model)
            for alignment, model in product(self.alignment_entries, self.models)
        ]
        self.geometry = [
            paths.GEOMETRY.format(collection=collection, model=model)
            for collection, model in product(self.described, self.models)
        ]

    def collections(self) -> list[Collection]:
        """Sentences with their words in another order, which rule permute_texts writes."""
        is_wanted = self.models and self.experiment.config.geometry.permuted_texts
        names = self.described if is_wanted else []
        return [Collection(name + PERMUTED, (), (), self.models) for name in names]

    def results(self) -> list[str]:
        return [*self.alignments, *self.geometry]

    def summaries(self) -> list[str]:
        files = [paths.SUMMARY_ALIGNMENTS, paths.SUMMARY_GEOMETRY, paths.SPECTRA, paths.TRUNCATION]
        return files if self.results() else []

    def available(self) -> Mapping[str, bool]:
        several = len(self.models) >= FEWEST_RELATED
        return {
            "alignments": bool(self.alignments),
            "geometry": bool(self.geometry),
            "geometry of several encoders": bool(self.geometry) and several,
        }

    def constraints(self) -> Mapping[str, str]:
        return {"alignment": one_of(self.alignment_entries)}

    # --- jobs -----------------------------------------------------------------------------------------------

    def of_alignment(self, pattern: str, *keys: str) -> Callable[[Any], list[str]]:
        """Function of a job: files of the pair sets that its alignment names under keys, each once."""

        def files(wildcards: Any) -> list[str]:
            entry = self.alignment_entries[wildcards.alignment]
            return files_of(pattern, dict.fromkeys(name for key in keys for name in entry.get(key, [])))

        return files

    def scored(self, pattern: str) -> Callable[[Any], list[str]]:
        """Function of a job: files of the selected pair sets with whose scores its geometry is compared."""
        sets = self.selected.items()
        return lambda wildcards: files_of(
            pattern, [name for name, entry in sets if entry["family"] == wildcards.collection]
        )

    def of_permuted(self, pattern: str) -> str | list[str]:
        """A file of the permuted texts of a collection, if there are to be any."""
        if not self.experiment.config.geometry.permuted_texts:
            return []
        return pattern.replace("{collection}", "{collection}" + PERMUTED)

    def collection_of(self, wildcards: Any) -> str:
        if not hasattr(wildcards, "alignment"):
            return super().collection_of(wildcards)
        first = self.alignment_entries[wildcards.alignment]["pairs"][0]
        return str(self.pair_sets[first]["family"])

    def alignment_settings(self, wildcards: Any) -> str:
        """What is measured, and how."""
        entry = pick_known(self.alignment_entries[wildcards.alignment], *_ALIGNMENT_KEYS)
        return AlignmentSettings(**entry, **resampling(self.experiment)).as_json()

    def geometry_settings(self) -> str:
        """What is measured of the vectors of a collection."""
        geometry = pick(self.experiment.config.geometry, *Described.model_fields)
        settings = {**resampling(self.experiment), **geometry, **measured(self.experiment)}
        return GeometrySettings(**settings).as_json()

    def summarise_settings(self, _wildcards: Any) -> str:
        """Titles of everything, and the order."""
        alignments = self.alignment_entries.items()
        return GeometrySummary.from_parts(
            titles_of(self.experiment, self.pair_sets),
            alignments={name: AlignmentTitle.from_parts(entry) for name, entry in alignments},
            selected=tuple(self.selected),
            systems=tuple(self.models),
        ).as_json()
