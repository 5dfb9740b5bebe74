"""Lists of files and settings of the rules that measure similarity and geometry; a part of `sentflow.graph.targets`."""

from collections.abc import Iterable
from itertools import product
from typing import Any

from sentflow.graph import paths
from sentflow.graph.config import Entry, Experiment
from sentflow.graph.job_settings import described_models, json_text, one_of, pick, pick_known
from sentflow.graph.similarity_config import PERMUTED
from sentflow.texts.pair_files import raw_files_of

_PREPARE_KEYS = ("reader", "data_version", "language", "scale")
_CHECK_KEYS = ("rows", "subset_rows")
_ALIGNMENT_KEYS = ("variant", "threshold", "comparison", "sentences", "batch")


class SimilarityTargets:
    """Files and settings of the pair sets, alignments, regressions and families of an experiment."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment

    # --- lists of files -------------------------------------------------------------------------------------

    def scores(self) -> list[str]:
        """One JSON per pair set and encoder or baseline, pair set after pair set."""
        return [paths.SIMILARITY.format(pairs=pairs, model=system) for pairs, system in self._scored()]

    def rows(self) -> list[str]:
        """One Parquet per pair set and encoder or baseline, in the order of `scores`."""
        return [paths.SIMILARITY_ROWS.format(pairs=pairs, model=system) for pairs, system in self._scored()]

    def comparisons(self) -> list[str]:
        """What is said of several encoders."""
        return [paths.SIMILARITY_PAIRS] if self.scores() else []

    def regressions(self) -> list[str]:
        """One JSON per regression and encoder."""
        names = product(self.experiment.regressions, self.experiment.fixed_models)
        return [paths.REGRESSION.format(regression=regression, model=model) for regression, model in names]

    def alignments(self) -> list[str]:
        """One JSON per alignment and encoder."""
        names = product(self.experiment.alignments, self.experiment.fixed_models)
        return [paths.ALIGNMENT.format(alignment=alignment, model=model) for alignment, model in names]

    def geometry(self) -> list[str]:
        """One JSON per described family and encoder."""
        names = product(self.described_families(), self.experiment.fixed_models)
        return [paths.GEOMETRY.format(family=family, model=model) for family, model in names]

    def results(self) -> list[str]:
        """Everything that is measured."""
        return [
            *self.scores(),
            *self.comparisons(),
            *self.regressions(),
            *self.alignments(),
            *self.geometry(),
        ]

    def summaries(self) -> list[str]:
        """What the report reads of all this; nothing if nothing is measured."""
        if not self.results():
            return []
        summaries = [
            paths.SUMMARY_SIMILARITY,
            paths.SUMMARY_REGRESSIONS,
            paths.SUMMARY_ALIGNMENTS,
            paths.SUMMARY_GEOMETRY,
            paths.SPECTRA,
            paths.TRUNCATION,
            paths.HISTOGRAMS,
        ]
        return [*summaries, *self.comparisons()]

    def summary_of_scores(self) -> list[str]:
        """The summary of similarities, if anything is measured."""
        return self.summaries()[:1]

    def embeddings(self) -> list[str]:
        """Of every encoder with vectors, on every family and on the permuted texts of those that are described."""
        names = product(self.embedded(), self.experiment.fixed_models)
        return [paths.EMBEDDINGS.format(dataset=dataset, model=model) for dataset, model in names]

    def sources(self) -> list[str]:
        """The raw files of every pair set that is needed."""
        return [
            paths.RAW_FILE.format(dataset=entry["dataset"], file=file)
            for entry in self.pair_sets().values()
            for file in raw_files_of(entry)
        ]

    def digests(self) -> list[str]:
        """The digest of the table of every pair set that is needed."""
        return [paths.PAIR_SET_DIGEST.format(pairs=pairs) for pairs in self.pair_sets()]

    # --- names ----------------------------------------------------------------------------------------------

    def pair_sets(self) -> dict[str, Entry]:
        """Every pair set that is needed, selected or not, by name."""
        return {
            name: entry
            for pair_sets in self.experiment.families.values()
            for name, entry in pair_sets.items()
        }

    def systems(self) -> list[str]:
        """The encoders with vectors, then the baselines."""
        return [*self.experiment.fixed_models, *self._baselines()]

    def described_families(self) -> list[str]:
        """Families whose geometry is measured."""
        wanted: str | list[str] = self.experiment.config["geometry"]["families"]
        there = list(dict.fromkeys(entry["family"] for entry in self.experiment.pair_sets.values()))
        return there if wanted == "all" else list(wanted)

    def embedded(self) -> list[str]:
        """Names under which texts of pair sets are embedded."""
        permuted = [family + PERMUTED for family in self.described_families()] if self._n_permuted() else []
        return [*self.experiment.families, *permuted]

    # --- inputs that depend on wildcards --------------------------------------------------------------------

    def raw_files(self, wildcards: Any) -> list[str]:
        """The raw files that hold the rows of a pair set."""
        entry = self._pair_set(wildcards.pairs)
        return [paths.RAW_FILE.format(dataset=entry["dataset"], file=file) for file in raw_files_of(entry)]

    def tables_of_family(self, wildcards: Any) -> list[str]:
        """The pair sets whose sentences a family holds."""
        return self._tables(self.experiment.families[wildcards.family])

    def digests_of_family(self, wildcards: Any) -> list[str]:
        """The digests of these tables."""
        return self._digests(self.experiment.families[wildcards.family])

    def texts(self, wildcards: Any) -> str:
        """The distinct texts of the family of a job."""
        return paths.TEXTS.format(dataset=self._family(wildcards))

    def embeddings_of_job(self, wildcards: Any) -> str:
        """The vectors of these texts by the encoder of a job."""
        return paths.EMBEDDINGS.format(dataset=self._family(wildcards), model=wildcards.model)

    def embeddings_info_of_job(self, wildcards: Any) -> str:
        """The description beside `embeddings_of_job`."""
        return paths.EMBEDDINGS_INFO.format(dataset=self._family(wildcards), model=wildcards.model)

    def digests_of_job(self, wildcards: Any) -> list[str]:
        """The digests of every pair set that a job of alignments, regressions or geometry reads."""
        return self._digests(self._parts(wildcards))

    def pairs_of_alignment(self, wildcards: Any) -> list[str]:
        """The pair sets of an alignment."""
        return self._tables(self._alignment(wildcards)["pairs"])

    def positives_of_alignment(self, wildcards: Any) -> list[str]:
        """The pair sets whose positives give alignment, where they are others."""
        return self._tables(self._alignment(wildcards).get("positives", []))

    def train_of_regression(self, wildcards: Any) -> str:
        """The pair set that a regressor is trained on."""
        return self._part_of_regression(wildcards, "train")

    def dev_of_regression(self, wildcards: Any) -> str:
        """The pair set that says when its training ends."""
        return self._part_of_regression(wildcards, "dev")

    def test_of_regression(self, wildcards: Any) -> str:
        """The pair set that it is tested on."""
        return self._part_of_regression(wildcards, "test")

    def scored_of_family(self, wildcards: Any) -> list[str]:
        """The selected pair sets of a family, with whose scores its geometry is compared."""
        return self._tables(self._selected_of(wildcards.family))

    def permuted_texts(self, wildcards: Any) -> list[str]:
        """Permuted texts of a family, if there are to be any."""
        family = {"family": wildcards.family}
        return [paths.PERMUTED_TEXTS.format(**family)] if self._n_permuted() else []

    def permuted_embeddings(self, wildcards: Any) -> list[str]:
        """The vectors of `permuted_texts` by the encoder of a job."""
        return self._of_permuted(paths.EMBEDDINGS, wildcards)

    def permuted_info(self, wildcards: Any) -> list[str]:
        """The description beside `permuted_embeddings`."""
        return self._of_permuted(paths.EMBEDDINGS_INFO, wildcards)

    # --- settings -------------------------------------------------------------------------------------------

    def prepare_settings(self, wildcards: Any) -> str:
        """What decides the table of a pair set."""
        return json_text(pick_known(self._pair_set(wildcards.pairs), *_PREPARE_KEYS))

    def prepare_checks(self, wildcards: Any) -> str:
        """How many rows there must be, and the checksums of raw files: told, but they change no byte."""
        entry = self._pair_set(wildcards.pairs)
        files = self.experiment.datasets[entry["dataset"]]["files"]
        known = {name: files[name] for name in raw_files_of(entry) if "generator" not in files[name]}
        return json_text({**pick_known(entry, *_CHECK_KEYS), **({"files": known} if known else {})})

    def score_settings(self, wildcards: Any) -> str:
        """What decides the scores of an encoder on a pair set beside its vectors: no measure, for all are written."""
        return json_text({"pairs": wildcards.pairs, "model": wildcards.model, **self._resampling()})

    def overlap_settings(self, wildcards: Any) -> str:
        """The same of a baseline."""
        return json_text({"pairs": wildcards.pairs, "baseline": wildcards.baseline, **self._resampling()})

    def comparison_settings(self, _wildcards: Any) -> str:
        """The order, for Snakemake sees sets of inputs, and how encoders are compared."""
        alpha = self.experiment.config["statistics"]["alpha"]
        return json_text({"order": self._order(), **self._measured(), **self._resampling(), "alpha": alpha})

    def regression_settings(self, wildcards: Any) -> str:
        """What decides a regressor beside vectors and gold scores."""
        seed = self.experiment.config["similarity"]["seed"]
        return json_text({"regression": wildcards.regression, "model": wildcards.model, "seed": seed})

    def alignment_settings(self, wildcards: Any) -> str:
        """What is measured, and how."""
        entry = self._alignment(wildcards)
        names = {"alignment": wildcards.alignment, "model": wildcards.model}
        return json_text({**names, **pick_known(entry, *_ALIGNMENT_KEYS), **self._resampling()})

    def permute_settings(self, _wildcards: Any) -> str:
        """Which texts are permuted, and how."""
        return json_text({"n": self._n_permuted(), "seed": self.experiment.config["geometry"]["seed"]})

    def geometry_settings(self, wildcards: Any) -> str:
        """What is measured of a family's vectors."""
        geometry = pick(self.experiment.config["geometry"], "truncation", "neighbours", "seed")
        names = {"family": wildcards.family, "model": wildcards.model}
        return json_text({**names, **self._resampling(), **geometry, **self._measured()})

    def summarise_settings(self, _wildcards: Any) -> str:
        """Titles of everything, and the order."""
        experiment = self.experiment
        pair_keys = ("title", "family", "scale", "data_version", "language", "group")
        return json_text(
            {
                "pairs": {name: pick_known(entry, *pair_keys) for name, entry in self.pair_sets().items()},
                "models": pick(described_models(experiment.models), *experiment.fixed_models),
                "baselines": self._baselines(),
                "alignments": {
                    name: pick(entry, "title", "pairs") for name, entry in experiment.alignments.items()
                },
                "regressions": {
                    name: pick(entry, "title", "train", "dev", "test")
                    for name, entry in experiment.regressions.items()
                },
                "order": self._order(),
                **self._measured(),
                "level": experiment.config["statistics"]["level"],
            }
        )

    def asked(self) -> dict[str, list[str]]:
        """What was asked for, to compare with what is there; nothing without pair sets."""
        if not self.results():
            return {}
        return {
            "pairs": list(self.experiment.pair_sets),
            "pair_models": self.experiment.fixed_models,
            "baselines": self._baselines(),
        }

    def report_settings(self) -> dict[str, Any]:
        """What the report tells beside the summaries; nothing without pair sets."""
        if not self.results():
            return {}
        fixed = self.experiment.fixed_models
        return {
            "pair_sets": self.pair_sets(),
            "left_out": [name for name in self.experiment.models if name not in fixed],
        }

    # --- wildcard constraints -------------------------------------------------------------------------------

    def known_pair_sets(self) -> str:
        """Regular expression of the pair sets that are needed."""
        return one_of(self.pair_sets())

    def known_families(self) -> str:
        """Regular expression of the families."""
        return one_of(self.experiment.families)

    def known_baselines(self) -> str:
        """Regular expression of the baselines."""
        return one_of(self._baselines())

    # --- helpers --------------------------------------------------------------------------------------------

    def _baselines(self) -> list[str]:
        names: list[str] = self.experiment.config["similarity"]["baselines"]
        return names if self.experiment.pair_sets else []

    def _scored(self) -> list[tuple[str, str]]:
        return list(product(self.experiment.pair_sets, self.systems()))

    def _order(self) -> list[list[str]]:
        return [list(self.experiment.pair_sets), self.systems()]

    def _measured(self) -> dict[str, Any]:
        return pick(self.experiment.config["similarity"], "measure", "correlation")

    def _resampling(self) -> dict[str, Any]:
        statistics = self.experiment.config["statistics"]
        return {
            "level": statistics["level"],
            "n_resamples": statistics["n_item_resamples"],
            "seed": self.experiment.config["similarity"]["seed"],
        }

    def _n_permuted(self) -> int:
        return int(self.experiment.config["geometry"]["permuted_texts"])

    def _of_permuted(self, pattern: str, wildcards: Any) -> list[str]:
        dataset = wildcards.family + PERMUTED
        return [pattern.format(dataset=dataset, model=wildcards.model)] if self._n_permuted() else []

    def _pair_set(self, name: str) -> Entry:
        return self.pair_sets()[name]

    def _alignment(self, wildcards: Any) -> Entry:
        return self.experiment.alignments[wildcards.alignment]

    def _selected_of(self, family: str) -> list[str]:
        return [name for name, entry in self.experiment.pair_sets.items() if entry["family"] == family]

    def _parts(self, wildcards: Any) -> list[str]:
        """The pair sets that a job reads."""
        if hasattr(wildcards, "alignment"):
            entry = self._alignment(wildcards)
            return list(dict.fromkeys([*entry["pairs"], *entry.get("positives", [])]))
        if hasattr(wildcards, "regression"):
            entry = self.experiment.regressions[wildcards.regression]
            return list(dict.fromkeys(entry[key] for key in ("train", "dev", "test")))
        return self._selected_of(wildcards.family)

    def _family(self, wildcards: Any) -> str:
        """The family whose vectors a job reads."""
        if hasattr(wildcards, "family"):
            return str(wildcards.family)
        name = wildcards.pairs if hasattr(wildcards, "pairs") else self._parts(wildcards)[0]
        return str(self._pair_set(name)["family"])

    def _part_of_regression(self, wildcards: Any, part: str) -> str:
        return self._tables([self.experiment.regressions[wildcards.regression][part]])[0]

    def _tables(self, names: Iterable[str]) -> list[str]:
        return [paths.PAIR_SET.format(pairs=name) for name in names]

    def _digests(self, names: Iterable[str]) -> list[str]:
        return [paths.PAIR_SET_DIGEST.format(pairs=name) for name in names]
