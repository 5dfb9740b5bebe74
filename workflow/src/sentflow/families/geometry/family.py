"""The vectors themselves: alignment and uniformity, isotropy, spectrum, neighbours, word order, truncation."""

from collections.abc import Mapping
from itertools import product
from typing import Any

from sentflow.config.entries import Entry
from sentflow.config.experiment import Experiment
from sentflow.families.geometry.products import PRODUCTS
from sentflow.families.pair_sets import PERMUTED, digests_of, embedded_sets, measured, resampling, tables_of
from sentflow.graph import paths
from sentflow.graph.family import Collection, Family
from sentflow.graph.job_settings import described_models, json_text, one_of, pick, pick_known

FEWEST_RELATED = 6
"""Encoders over which geometry is correlated with scores: with fewer the interval is nearly the whole range."""
_ALIGNMENT_KEYS = ("variant", "threshold", "comparison", "sentences", "batch")
_TITLE_KEYS = ("title", "family", "scale", "data_version", "language", "group")


class Geometry(Family):
    """Alignments, and the geometry of each collection of sentences of which a pair set is selected."""

    name = "geometry"
    position = 3
    products = PRODUCTS

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(experiment)
        self.selected = experiment.selected["pair_sets"]
        self.alignment_entries = experiment.selected["alignments"]
        sets = embedded_sets(experiment).values()
        self.pair_sets = {name: entry for pair_sets in sets for name, entry in pair_sets.items()}

    # --- what it needs --------------------------------------------------------------------------------------

    def collections(self) -> list[Collection]:
        """Sentences with their words in another order, which rule permute_texts writes."""
        models = self.experiment.fixed_models
        names = [self._permuted(name) for name in self.described()] if models and self._n_permuted() else []
        return [Collection(name, (), (), models) for name in names]

    def described(self) -> list[str]:
        """The collections whose geometry is measured."""
        wanted = self.experiment.config.geometry.families
        there = list(dict.fromkeys(entry["family"] for entry in self.selected.values()))
        return there if wanted == "all" else list(wanted)

    # --- what it makes --------------------------------------------------------------------------------------

    def alignments(self) -> list[str]:
        """One JSON per alignment and encoder."""
        names = product(self.alignment_entries, self.experiment.fixed_models)
        return [paths.ALIGNMENT.format(alignment=alignment, model=model) for alignment, model in names]

    def geometry(self) -> list[str]:
        """One JSON per described collection and encoder."""
        names = product(self.described(), self.experiment.fixed_models)
        return [paths.GEOMETRY.format(collection=collection, model=model) for collection, model in names]

    def results(self) -> list[str]:
        """Alignments, then geometry."""
        return [*self.alignments(), *self.geometry()]

    def summaries(self) -> list[str]:
        """What tables and figures are made of; nothing if nothing is measured."""
        files = [paths.SUMMARY_ALIGNMENTS, paths.SUMMARY_GEOMETRY, paths.SPECTRA, paths.TRUNCATION]
        return files if self.results() else []

    def available(self) -> Mapping[str, bool]:
        """See `Family.available`."""
        several = len(self.experiment.fixed_models) >= FEWEST_RELATED
        return {
            "alignments": bool(self.alignments()),
            "geometry": bool(self.geometry()),
            "geometry of several encoders": bool(self.geometry()) and several,
        }

    def constraints(self) -> Mapping[str, str]:
        """The selected alignments."""
        return {"alignment": one_of(self.alignment_entries)}

    # --- inputs that depend on wildcards --------------------------------------------------------------------

    def digests_of_alignment(self, wildcards: Any) -> list[str]:
        """The digests of every pair set of an alignment."""
        entry = self._alignment(wildcards)
        return digests_of(dict.fromkeys([*entry["pairs"], *entry.get("positives", [])]))

    def pairs_of_alignment(self, wildcards: Any) -> list[str]:
        """The pair sets of an alignment."""
        return tables_of(self._alignment(wildcards)["pairs"])

    def positives_of_alignment(self, wildcards: Any) -> list[str]:
        """The pair sets whose positives give alignment, where they are others."""
        return tables_of(self._alignment(wildcards).get("positives", []))

    def scored(self, wildcards: Any) -> list[str]:
        """The selected pair sets of a collection, with whose scores its geometry is compared."""
        return tables_of(self._selected(wildcards.collection))

    def digests_of_scored(self, wildcards: Any) -> list[str]:
        """The digests of `scored`."""
        return digests_of(self._selected(wildcards.collection))

    def permuted_texts(self, wildcards: Any) -> list[str]:
        """The permuted texts of a collection, if there are to be any."""
        return self._of_permuted(paths.TEXTS, wildcards)

    def permuted_embeddings(self, wildcards: Any) -> list[str]:
        """The vectors of `permuted_texts` by the encoder of a job."""
        return self._of_permuted(paths.EMBEDDINGS, wildcards)

    def permuted_info(self, wildcards: Any) -> list[str]:
        """The description beside `permuted_embeddings`."""
        return self._of_permuted(paths.EMBEDDINGS_INFO, wildcards)

    # --- settings -------------------------------------------------------------------------------------------

    def alignment_settings(self, wildcards: Any) -> str:
        """What is measured, and how."""
        names = {"alignment": wildcards.alignment, "model": wildcards.model}
        entry = pick_known(self._alignment(wildcards), *_ALIGNMENT_KEYS)
        return json_text({**names, **entry, **resampling(self.experiment)})

    def permute_settings(self, _wildcards: Any) -> str:
        """Which texts are permuted, and how."""
        return json_text({"n": self._n_permuted(), "seed": self.experiment.config.geometry.seed})

    def geometry_settings(self, wildcards: Any) -> str:
        """What is measured of the vectors of a collection."""
        geometry = pick(self.experiment.config.geometry, "truncation", "neighbours", "seed")
        names = {"family": wildcards.collection, "model": wildcards.model}
        return json_text({**names, **resampling(self.experiment), **geometry, **measured(self.experiment)})

    def summarise_settings(self, _wildcards: Any) -> str:
        """Titles of everything, and the order."""
        experiment = self.experiment
        pair_sets, alignments = self.pair_sets, self.alignment_entries
        models = pick(described_models(experiment.models), *experiment.fixed_models)
        return json_text(
            {
                "pairs": {name: pick_known(entry, *_TITLE_KEYS) for name, entry in pair_sets.items()},
                "models": models,
                "alignments": {name: pick(entry, "title", "pairs") for name, entry in alignments.items()},
                "baselines": [],
                "order": [list(self.selected), list(models)],
                **measured(experiment),
                "level": experiment.config.statistics.level,
            }
        )

    # --- helpers --------------------------------------------------------------------------------------------

    def _n_permuted(self) -> int:
        return int(self.experiment.config.geometry.permuted_texts)

    def _permuted(self, collection: str) -> str:
        return collection + PERMUTED

    def _of_permuted(self, pattern: str, wildcards: Any) -> list[str]:
        names = {"collection": self._permuted(wildcards.collection), "model": getattr(wildcards, "model", "")}
        return [pattern.format(**names)] if self._n_permuted() else []

    def _alignment(self, wildcards: Any) -> Entry:
        return self.alignment_entries[wildcards.alignment]

    def _selected(self, collection: str) -> list[str]:
        sets = self.selected
        return [name for name, entry in sets.items() if entry["family"] == collection]

    def collection_of(self, wildcards: Any) -> str:
        """See `Family.collection_of`."""
        if not hasattr(wildcards, "alignment"):
            return super().collection_of(wildcards)
        first = self._alignment(wildcards)["pairs"][0]
        return str(self.pair_sets[first]["family"])


FAMILY = Geometry
