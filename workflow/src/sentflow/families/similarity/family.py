"""Similarity of sentence pairs against gold scores, by the vectors themselves and by a trained regressor."""

from collections.abc import Mapping
from itertools import product
from typing import Any

from sentflow.config.entries import Entry, read_yaml
from sentflow.config.experiment import Experiment
from sentflow.families.pair_sets import (
    development_sets,
    digests_of,
    embedded_sets,
    measured,
    resampling,
    tables_of,
)
from sentflow.families.similarity.products import PRODUCTS, SECTION
from sentflow.graph import paths
from sentflow.graph.family import Collection, Family
from sentflow.graph.job_settings import described_models, json_text, one_of, pick, pick_known
from sentflow.texts.pair_files import raw_files_of

_PREPARE_KEYS = ("reader", "data_version", "language", "scale")
_CHECK_KEYS = ("rows", "subset_rows")
_TITLE_KEYS = ("title", "family", "scale", "data_version", "language", "group")
_PARTS = ("train", "dev", "test")


class Similarity(Family):
    """Pair sets, baselines that need no encoder, and regressions; their sentences are embedded once per family."""

    name = "similarity"
    position = 2
    products = PRODUCTS
    section = SECTION

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(experiment)
        self.selected = experiment.selected["pair_sets"]
        self.regression_entries = experiment.selected["regressions"]
        # collection → the pair sets whose sentences it holds; then all of these
        self.embedded = embedded_sets(experiment)
        self.pair_sets = {name: entry for sets in self.embedded.values() for name, entry in sets.items()}
        # Those that have a table: without vectors, nothing is measured on the sets of alignments and regressions.
        measured_sets = self.pair_sets if experiment.fixed_models else self.selected
        self.prepared = {**measured_sets, **development_sets(experiment)}

    # --- what it needs --------------------------------------------------------------------------------------

    def raw_files(self) -> list[tuple[str, str]]:
        """See `Family.raw_files`."""
        return [(entry["dataset"], file) for entry in self.prepared.values() for file in raw_files_of(entry)]

    def collections(self) -> list[Collection]:
        """The sentences of each family of pair sets, those of alignments and regressions among them."""
        models = self.experiment.fixed_models
        return [
            Collection(name, tables_of(pair_sets), digests_of(pair_sets), models)
            for name, pair_sets in self.embedded.items()
            if models
        ]

    def data(self) -> dict[str, list[str]]:
        """See `Family.data`."""
        names = [[f"pair set {name}", entry["dataset"]] for name, entry in self.prepared.items()]
        return dict(zip(digests_of(self.prepared), names, strict=True))

    def systems(self) -> list[str]:
        """The encoders with vectors, then the baselines."""
        return [*self.experiment.fixed_models, *self._baselines()]

    # --- what it makes --------------------------------------------------------------------------------------

    def scores(self) -> list[str]:
        """One JSON per pair set and encoder or baseline, pair set after pair set."""
        return self._each(paths.SIMILARITY)

    def rows(self) -> list[str]:
        """One Parquet per pair set and encoder or baseline, in the order of `scores`."""
        return self._each(paths.SIMILARITY_ROWS)

    def comparisons(self) -> list[str]:
        """What is said of several encoders."""
        return [paths.SIMILARITY_PAIRS] if self.scores() else []

    def regressions(self) -> list[str]:
        """One JSON per regression and encoder."""
        names = product(self.regression_entries, self.experiment.fixed_models)
        return [paths.REGRESSION.format(regression=regression, model=model) for regression, model in names]

    def results(self) -> list[str]:
        """Scores, tests between encoders, and regressions."""
        return [*self.scores(), *self.comparisons(), *self.regressions()]

    def summaries(self) -> list[str]:
        """The summaries of scores, regressions and histograms, and the tests; nothing if nothing is measured."""
        if not self.results():
            return []
        return [paths.SUMMARY_SIMILARITY, paths.SUMMARY_REGRESSIONS, paths.HISTOGRAMS, *self.comparisons()]

    def summary_of_scores(self) -> list[str]:
        """See `Family.summary_of_scores`; without pair sets, a trained similarity has scores, too."""
        if self.scores():
            return [paths.SUMMARY_SIMILARITY]
        return [paths.SUMMARY_REGRESSIONS] if self.regressions() else []

    def available(self) -> Mapping[str, bool]:
        """See `Family.available`."""
        return {"similarity": bool(self.scores()), "regressions": bool(self.regressions())}

    def asked(self) -> dict[str, Any]:
        """See `Family.asked`."""
        if not self._is_measured():
            return {}
        return {
            "pairs": list(self.selected),
            "pair_models": self.experiment.fixed_models,
            "baselines": self._baselines(),
        }

    def told(self) -> dict[str, Any]:
        """See `Family.told`."""
        if not self._is_measured():
            return {}
        fixed = self.experiment.fixed_models
        return {
            "pair_sets": self.pair_sets,
            "left_out": [name for name in self.experiment.models if name not in fixed],
        }

    def published(self) -> Mapping[str, Any]:
        """See `Family.published`."""
        found: Mapping[str, Any] = read_yaml(
            self.experiment.workflow / "catalog" / "published_similarity.yaml"
        )
        return found

    def constraints(self) -> Mapping[str, str]:
        """Pair sets that are needed, baselines and regressions."""
        return {
            "pairs": one_of(self.prepared),
            "baseline": one_of(self._baselines()),
            "regression": one_of(self.regression_entries),
        }

    # --- inputs that depend on wildcards --------------------------------------------------------------------

    def raw_files_of_set(self, wildcards: Any) -> list[str]:
        """The raw files that hold the rows of a pair set."""
        entry = self.prepared[wildcards.pairs]
        return [paths.RAW_FILE.format(dataset=entry["dataset"], file=file) for file in raw_files_of(entry)]

    def digests_of_regression(self, wildcards: Any) -> list[str]:
        """The digests of the three pair sets of a regression."""
        return digests_of(dict.fromkeys(self._regression(wildcards).values()))

    def part_of_regression(self, part: str) -> Any:
        """Function of a job: the table that a regressor is trained on, chosen by or tested on."""
        return lambda wildcards: tables_of([self._regression(wildcards)[part]])[0]

    # --- settings -------------------------------------------------------------------------------------------

    def prepare_settings(self, wildcards: Any) -> str:
        """What decides the table of a pair set."""
        return json_text(pick_known(self.prepared[wildcards.pairs], *_PREPARE_KEYS))

    def prepare_checks(self, wildcards: Any) -> str:
        """How many rows there must be, and the checksums of raw files: checked, but they change no byte."""
        entry = self.prepared[wildcards.pairs]
        files = self.experiment.entries["datasets"][entry["dataset"]]["files"]
        known = {name: files[name] for name in raw_files_of(entry) if "generator" not in files[name]}
        return json_text({**pick_known(entry, *_CHECK_KEYS), **({"files": known} if known else {})})

    def score_settings(self, wildcards: Any) -> str:
        """What decides the scores of an encoder on a pair set beside its vectors: no measure, for all are written."""
        names = {"pairs": wildcards.pairs, "model": wildcards.model}
        return json_text({**names, **resampling(self.experiment)})

    def overlap_settings(self, wildcards: Any) -> str:
        """What decides the scores of a baseline on a pair set."""
        names = {"pairs": wildcards.pairs, "baseline": wildcards.baseline}
        return json_text({**names, **resampling(self.experiment)})

    def comparison_settings(self, _wildcards: Any) -> str:
        """The order, for Snakemake sees sets of inputs, and how encoders are compared."""
        about = {"order": self._order(), "alpha": self.experiment.config.statistics.alpha}
        return json_text({**about, **measured(self.experiment), **resampling(self.experiment)})

    def regression_settings(self, wildcards: Any) -> str:
        """What decides a regressor beside vectors and gold scores."""
        seed = self.experiment.config.similarity.seed
        return json_text({"regression": wildcards.regression, "model": wildcards.model, "seed": seed})

    def summarise_settings(self, _wildcards: Any) -> str:
        """Titles of everything, and the order."""
        experiment = self.experiment
        return json_text(
            {
                "pairs": {name: pick_known(entry, *_TITLE_KEYS) for name, entry in self.pair_sets.items()},
                "models": pick(described_models(experiment.models), *experiment.fixed_models),
                "baselines": self._baselines(),
                "regressions": {
                    name: pick(entry, "title", *_PARTS) for name, entry in self.regression_entries.items()
                },
                "order": self._order(),
                **measured(experiment),
                "level": experiment.config.statistics.level,
            }
        )

    # --- helpers --------------------------------------------------------------------------------------------

    def _is_measured(self) -> bool:
        """Whether anything is measured on pair sets, alignments and geometry included."""
        return bool(self.results() or (self.embedded and self.experiment.fixed_models))

    def _baselines(self) -> list[str]:
        return [*self.experiment.config.similarity.baselines] if self.selected else []

    def _each(self, pattern: str) -> list[str]:
        names = product(self.selected, self.systems())
        return [pattern.format(pairs=pairs, model=system) for pairs, system in names]

    def _order(self) -> list[list[str]]:
        return [list(self.selected), self.systems()]

    def _regression(self, wildcards: Any) -> Entry:
        return pick(self.regression_entries[wildcards.regression], *_PARTS)

    def collection_of(self, wildcards: Any) -> str:
        """See `Family.collection_of`."""
        name = wildcards.pairs if hasattr(wildcards, "pairs") else self._regression(wildcards)["test"]
        return str(self.pair_sets[name]["family"])


FAMILY = Similarity
