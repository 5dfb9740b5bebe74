"""Lists of files and settings of every job: what the rules ask for, tested without Snakemake.

Settings are JSON text with sorted keys, the only compound form that Snakemake compares reliably. Each holds
exactly what its rule reads, so that a change runs no other rule again.
"""

from functools import cached_property
from pathlib import Path
from typing import Any

from sentflow.encoders.entries import encode_settings
from sentflow.graph import paths
from sentflow.graph.config.experiment import Experiment
from sentflow.graph.config.family import Entries, Entry
from sentflow.graph.encoder_targets import EncoderTargets
from sentflow.graph.exports import crate_settings
from sentflow.graph.family import Collection, Family, known_families
from sentflow.graph.job_settings import expanded, json_text, one_of, pick

TABLE_FORMATS = ("csv", "md", "tex")
FIGURE_FORMATS = ("pdf", "png", "svg")
_WITHOUT_SCORES = ("costs", "encoders")
_ALL_RANKS = (paths.RANKS, paths.ACROSS, paths.OMNIBUS)
_TABLE_SUMMARIES = {
    "costs": paths.COSTS,
    "encoders": paths.ENCODERS,
    "sts": paths.SUMMARY_SIMILARITY,
    "sts-subsets": paths.SUMMARY_SIMILARITY,
    "sts-differences": paths.SUMMARY_SIMILARITY,
    "regressions": paths.SUMMARY_REGRESSIONS,
    "alignments": paths.SUMMARY_ALIGNMENTS,
    "geometry": paths.SUMMARY_GEOMETRY,
}
# These are the tables of scores, which the check of tables reads again (`sentflow.report.emphasis`).
_TABLES_OF_SCORES = ("scores", "intervals", "differences", "ranks", "matches", "power")
_TABLE_COMPARISONS = {
    "scores": (paths.PAIRS, paths.STANDINGS),
    "intervals": (paths.PAIRS,),
    "differences": (paths.PAIRS,),
    "ranks": _ALL_RANKS,
    "matches": _ALL_RANKS,
    "power": (paths.POWER,),
    "sts": (paths.SIMILARITY_PAIRS,),
    "sts-differences": (paths.SIMILARITY_PAIRS,),
}
_FIGURE_DATA = {
    "costs": (paths.COSTS,),
    "sizes": (paths.ENCODERS,),
    "speed": (paths.ENCODERS,),
    "curves": (paths.CURVES,),
    "differences": (paths.PAIRS,),
    "critical-difference": (paths.SUMMARY, *_ALL_RANKS),
    "ranks": (paths.SUMMARY, *_ALL_RANKS),
    "wins": (paths.SUMMARY, paths.ACROSS),
    "alignment-uniformity": (paths.SUMMARY_ALIGNMENTS, paths.SUMMARY_SIMILARITY),
    "similarity-histograms": (paths.HISTOGRAMS,),
    "spectrum": (paths.SPECTRA,),
    "truncation": (paths.TRUNCATION,),
}
_NEEDS = {
    **dict.fromkeys(
        ("sts", "sts-subsets", "sts-differences", "similarity-histograms", "similarity"), "similarity"
    ),
    **dict.fromkeys(("regressions",), "regressions"),
    **dict.fromkeys(("alignments", "alignment-uniformity"), "alignments"),
    **dict.fromkeys(("geometry", "spectrum", "truncation", "geometry-and-scores"), "geometry"),
}
GEOMETRY_FIGURE = "geometry-and-scores"
STUDY_TABLES = ("protocols", "documents")
TABLES_CHECK = "tables"


class Targets:
    """Files and settings of an experiment: sums over its families, and what all of them share.

    Attributes
    ----------
    experiment
        What is run.
    encoders
        How encoders are fetched and run.
    families
        Name of a family of measurements → what it needs and makes.
    """

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.encoders = EncoderTargets(experiment)
        self.families: dict[str, Any] = {family.name: family(experiment) for family in known_families()}

    @cached_property
    def datasets(self) -> Entries:
        """The entries of the datasets that anything is read from."""
        names = [dataset for family in self._families() for dataset, _ in family.raw_files()]
        return {name: self.experiment.entries["datasets"][name] for name in dict.fromkeys(names)}

    # --- sums over families ---------------------------------------------------------------------------------

    @cached_property
    def collections(self) -> dict[str, Collection]:
        """Everything that is embedded, by name."""
        found = [collection for family in self._families() for collection in family.collections()]
        return {collection.name: collection for collection in found}

    def sources(self) -> list[str]:
        """Every file that comes from outside, or is made as if it did; all else needs no network."""
        raw = [name for family in self._families() for name in family.raw_files()]
        files = [paths.RAW_FILE.format(dataset=dataset, file=file) for dataset, file in dict.fromkeys(raw)]
        return [*files, *self.manifests()]

    def manifests(self) -> list[str]:
        """What was fetched of every model."""
        return [paths.MANIFEST.format(model=model) for model in self.experiment.models]

    def embeddings(self) -> list[str]:
        """Of every collection, by every model that embeds it."""
        return self._of_collections(paths.EMBEDDINGS)

    def embedding_infos(self) -> list[str]:
        """The description beside each of `embeddings`."""
        return self._of_collections(paths.EMBEDDINGS_INFO)

    def results(self) -> list[str]:
        """Everything that is measured or tested."""
        return [file for family in self._families() for file in family.results()]

    def audits(self) -> list[str]:
        """What is to be known about the data."""
        return [file for family in self._families() for file in family.audits()]

    def summaries(self) -> list[str]:
        """What tables, figures and the page are made of."""
        return [file for family in self._families() for file in family.summaries()]

    def summaries_of_scores(self) -> list[str]:
        """Those of `summaries` with one row per score."""
        return [file for family in self._families() for file in family.summary_of_scores()]

    def data(self) -> dict[str, list[str]]:
        """The tables that anything was measured on, see `Family.data`."""
        return {digest: about for family in self._families() for digest, about in family.data().items()}

    def exports(self) -> list[str]:
        """The run and its scores in the formats of others."""
        return [*(file for family in self._families() for file in family.exports()), paths.RO_CRATE]

    def crate_files(self) -> list[str]:
        """What the RO-Crate holds: everything that is made of scores, the audits, and the record; no texts."""
        results = [file for family in self._families() for file in family.published_results()]
        made = [*self.tables(), *self.figures(), *self.checks()]
        record = [paths.COSTS, paths.RECORD_CONFIG, paths.RECORD_VERSIONS]
        return list(dict.fromkeys([*results, *self.summaries(), *made, *record]))

    def _families(self) -> list[Family]:
        return list(self.families.values())

    def _of_collections(self, pattern: str) -> list[str]:
        return [
            pattern.format(collection=name, model=model)
            for name, collection in self.collections.items()
            for model in collection.models
        ]

    # --- products -------------------------------------------------------------------------------------------

    def selected(self, kind: str) -> list[str]:
        """The tables, figures or checks of the configuration, less those whose data were not selected."""
        names: list[str] = self.experiment.config["report"][kind]
        return [name for name in names if self._has_data(name)]

    def _has_data(self, name: str) -> bool:
        need = "" if name in _WITHOUT_SCORES else _NEEDS.get(name, "scores")
        return not need or any(family.available().get(need) for family in self._families())

    def tables(self) -> list[str]:
        """Every table in every format."""
        return expanded(paths.TABLE, "table", self.selected("tables"), TABLE_FORMATS)

    def figures(self) -> list[str]:
        """Every figure in every format."""
        return expanded(paths.FIGURE, "figure", self.selected("figures"), FIGURE_FORMATS)

    def checks(self) -> list[str]:
        """Every acceptance check."""
        return [paths.CHECK.format(check=check) for check in self.selected("checks")]

    def summary_of_table(self, wildcards: Any) -> str | list[str]:
        """The one Parquet file that a table is made of; one per protocol for the tables of a study."""
        if wildcards.table in STUDY_TABLES:
            return list(self.families["probing"].effects())
        return _TABLE_SUMMARIES.get(wildcards.table, paths.SUMMARY)

    def comparisons_of_table(self, wildcards: Any) -> list[str]:
        """What a table says of several models."""
        return list(_TABLE_COMPARISONS.get(wildcards.table, ()))

    def data_of_figure(self, wildcards: Any) -> list[str]:
        """The files that a figure is drawn from; its rows are written beside it, so that one is enough next time."""
        if wildcards.figure == GEOMETRY_FIGURE:
            of_tasks = self.families["probing"].summary_of_scores()
            return [paths.SUMMARY_GEOMETRY, paths.SUMMARY_SIMILARITY, *of_tasks]
        return list(_FIGURE_DATA.get(wildcards.figure, (paths.SUMMARY,)))

    def summary_of_check(self, wildcards: Any) -> list[str]:
        """The summary that a check looks at, if it is one of tasks."""
        return [] if wildcards.check == "similarity" else [paths.SUMMARY]

    def similarity_of_check(self, wildcards: Any) -> list[str]:
        """What the check of similarities looks at."""
        return [paths.SUMMARY_SIMILARITY, paths.SIMILARITY_PAIRS] if wildcards.check == "similarity" else []

    def comparisons_of_check(self, wildcards: Any) -> list[str]:
        """The tests that a check holds the tables to."""
        return [paths.PAIRS] if wildcards.check == TABLES_CHECK else []

    def tables_of_check(self, wildcards: Any) -> list[str]:
        """The tables that a check reads again."""
        read = {"similarity": ("sts",), TABLES_CHECK: _TABLES_OF_SCORES}.get(wildcards.check, ())
        names = [name for name in self.selected("tables") if name in read]
        return expanded(paths.TABLE, "table", names, ("md", "tex"))

    def table_settings(self, wildcards: Any) -> str:
        """How captions begin, and what the table of published scores holds."""
        found = (
            self.families["probing"].published()
            if wildcards.table == "published"
            else self.families["similarity"].published().get(wildcards.table, [])
        )
        published = {"published": found} if found or wildcards.table == "published" else {}
        return json_text({"caption": self.experiment.title, **published})

    def check_settings(self, wildcards: Any) -> str:
        """What was asked for, to compare with what is there: of tasks, or of pair sets."""
        if wildcards.check == "similarity":
            # of the tasks nothing, but which encoders are random: these score near 0 on pairs, too
            asked = {"tasks": [], "models": [], "random_models": self.experiment.random_models}
            return json_text({**asked, **self.families["similarity"].asked()})
        return json_text({**self._models_asked(), **self.families["probing"].asked()})

    def report_settings(self, _wildcards: Any) -> str:
        """Everything the report tells about experiment, tasks, models and data."""
        experiment = self.experiment
        told = {key: value for family in self._families() for key, value in family.told().items()}
        asked = {key: value for family in self._families() for key, value in family.asked().items()}
        return json_text(
            {
                "experiment": experiment.config["experiment"],
                "models": experiment.models,
                "datasets": self.datasets,
                "selection": {**self._models_asked(), **asked},
                **told,
            }
        )

    def _models_asked(self) -> dict[str, list[str]]:
        return {"models": list(self.experiment.models), "random_models": self.experiment.random_models}

    # --- raw files ------------------------------------------------------------------------------------------

    def local_files(self, wildcards: Any) -> list[str]:
        """The files of this machine that a raw file may be copied from: an edit there counts as one here."""
        addresses = self._file(wildcards)["urls"]
        return [address for address in addresses if "://" not in address and Path(address).is_file()]

    def mirrors(self) -> str:
        """Mirrors of the config, as JSON. Not a setting of science: changing them runs nothing again."""
        return json_text(self.experiment.config["mirrors"])

    def limits(self) -> str:
        """What files and answers of strangers may cost, as JSON. Not a setting of science either."""
        return json_text(self.experiment.config.get("limits", {}))

    def download_settings(self, wildcards: Any) -> str:
        """The catalog's entry of one raw file."""
        return json_text(self._file(wildcards))

    def downloaded_content(self, wildcards: Any) -> str:
        """What the bytes of one raw file are: another address of the same checksum runs nothing again."""
        entry = self._file(wildcards)
        known = "sha256" in entry or "members_sha256" in entry
        return json_text({key: value for key, value in entry.items() if key != "urls"} if known else entry)

    def generated_task(self, wildcards: Any) -> str:
        """The official task whose shape a sample file has."""
        return str(self._file(wildcards)["generator"])

    def generator_seed(self, wildcards: Any) -> int:
        """Seed of a sample dataset."""
        return int(self.datasets[wildcards.dataset]["seed"])

    def sample_datasets(self) -> str:
        """Regular expression of the datasets that the project writes itself."""
        return one_of(name for name, entry in self.datasets.items() if "seed" in entry)

    def real_datasets(self) -> str:
        """Regular expression of the datasets that are downloaded."""
        return one_of(name for name, entry in self.datasets.items() if "seed" not in entry)

    def _file(self, wildcards: Any) -> Entry:
        entry: Entry = self.datasets[wildcards.dataset]["files"][wildcards.file]
        return entry

    # --- collections ----------------------------------------------------------------------------------------

    def tables_of_collection(self, wildcards: Any) -> list[str]:
        """The tables whose texts a collection holds."""
        return list(self.collections[wildcards.collection].tables)

    def digests_of_collection(self, wildcards: Any) -> list[str]:
        """The digests of these tables."""
        return list(self.collections[wildcards.collection].digests)

    def encode_settings(self, wildcards: Any) -> str:
        """What decides a model's vectors of a collection beside its files and the texts."""
        collection = self.collections[wildcards.collection]
        entry = self.experiment.models[wildcards.model]
        return json_text(encode_settings(entry, role=collection.role, task=collection.task))

    def texts_settings(self, wildcards: Any) -> str:
        """What the texts of a collection are to an encoder: their role, and the task whose prompts they have."""
        return json_text(pick(vars(self.collections[wildcards.collection]), "role", "task"))

    def collect_settings(self, wildcards: Any) -> str:
        """Which texts of the tables count: first ones, second ones, or all."""
        return json_text({"side": self.collections[wildcards.collection].side})

    def collected(self) -> str:
        """Regular expression of the collections whose texts are those of tables."""
        return one_of(name for name, collection in self.collections.items() if collection.tables)

    # --- the record -----------------------------------------------------------------------------------------

    def title(self, _wildcards: Any) -> str:
        """Title of the experiment; a function of the job, because Snakemake fills in braces of a constant."""
        return self.experiment.title

    def record_settings(self, _wildcards: Any) -> str:
        """The configuration, less what changes neither files nor numbers."""
        places = ("limits", "mirrors")
        config = {key: value for key, value in self.experiment.config.items() if key not in places}
        config["probe"] = {key: value for key, value in config["probe"].items() if key != "job"}
        return json_text(config)

    def crate_settings(self, _wildcards: Any) -> str:
        """What the RO-Crate tells beside its files."""
        return crate_settings(self.experiment, self.datasets, self.data())

    def constraints(self) -> dict[str, str]:
        """Wildcard → regular expression of what it may be."""
        report = self.experiment.config["report"]
        found = {
            "dataset": one_of(self.datasets),
            "collection": one_of(self.collections),
            "model": one_of(self.experiment.models),
            **{kind.removesuffix("s"): one_of(report[kind]) for kind in ("tables", "figures", "checks")},
        }
        return found | {
            key: value for family in self._families() for key, value in family.constraints().items()
        }
