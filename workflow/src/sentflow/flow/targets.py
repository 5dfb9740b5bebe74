"""Lists of files and settings of every job: what the rules ask for, tested without Snakemake.

Settings are JSON text with sorted keys, the only compound form that Snakemake compares reliably. Each holds
exactly what its rule reads, so that a change runs no other rule again.
"""

from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

from sentflow.config.entries import Entries, Entry
from sentflow.config.experiment import Experiment
from sentflow.encoders.entries import encode_settings
from sentflow.flow import paths, products
from sentflow.flow.encoder_targets import EncoderTargets
from sentflow.flow.exports import crate_settings
from sentflow.flow.family import CHECK, TABLE, Collection, Product
from sentflow.flow.job_settings import json_text, one_of
from sentflow.flow.provenance import code


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
    mirrors, limits
        Those of the configuration, as JSON. No settings of science: to change them runs nothing again.
    """

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.encoders = EncoderTargets(experiment)
        self.families: dict[str, Any] = {family.name: family(experiment) for family in products.FAMILIES}
        self.mirrors = json_text(experiment.config.mirrors)
        self.limits = json_text(experiment.config.limits.model_dump(exclude_unset=True))

    def _all(self, method: str) -> list[Any]:
        """What a method of every family lists."""
        return [item for family in self.families.values() for item in getattr(family, method)()]

    def _merged(self, method: str) -> dict[str, Any]:
        """What a method of every family maps."""
        items = [getattr(family, method)().items() for family in self.families.values()]
        return {key: value for pairs in items for key, value in pairs}

    # --- sums over families ---------------------------------------------------------------------------------

    @cached_property
    def raw_files(self) -> list[tuple[str, str]]:
        """(dataset, file) of every file that anything is read from."""
        return list(dict.fromkeys(self._all("raw_files")))

    @cached_property
    def datasets(self) -> Entries:
        """The entries of the datasets that anything is read from."""
        return {dataset: self.experiment.entries["datasets"][dataset] for dataset, _ in self.raw_files}

    @cached_property
    def collections(self) -> dict[str, Collection]:
        """Everything that is embedded, by name."""
        return {collection.name: collection for collection in self._all("collections")}

    def sources(self) -> list[str]:
        """Every file that comes from outside, or is made as if it did; all else needs no network."""
        files = [paths.RAW_FILE.format(dataset=dataset, file=file) for dataset, file in self.raw_files]
        return [*files, *self.manifests()]

    def manifests(self) -> list[str]:
        """What was fetched of every model."""
        snapshots = self.experiment.snapshots
        return [paths.MANIFEST.format(model=name) for name in self.encoders.fetched if name not in snapshots]

    def embeddings(self) -> list[str]:
        """The vectors of every collection by every model that embeds it."""
        return [
            self.encoders.vectors(model).format(collection=name, model=model)
            for name, model in self._embedded()
        ]

    def embedding_infos(self) -> list[str]:
        """The description beside each of `embeddings`."""
        return [
            paths.EMBEDDINGS_INFO.format(collection=name, model=model) for name, model in self._embedded()
        ]

    def embedding_making(self) -> list[str]:
        """How each of `embeddings` was made; in older results, `embedding_infos` say it."""
        infos = map(Path, self.embedding_infos())
        made = [(info, info.with_suffix(".made.json")) for info in infos]
        return [str(file) for info, file in made if file.exists() or not info.exists()]

    def results(self) -> list[str]:
        """Everything that is measured or tested."""
        return self._all("results")

    def audits(self) -> list[str]:
        """What is to be known about the data."""
        return self._all("audits")

    def summaries(self) -> list[str]:
        """What tables, figures and the page are made of."""
        return self._all("summaries")

    def summaries_of_page(self) -> list[str]:
        """What the text of the page is made from: summaries, comparisons, excerpts, what checks read, links, costs."""
        return [*self._read_by_products(), *self._all("documents"), paths.COSTS, paths.ENCODERS]

    def summaries_of_scores(self) -> list[str]:
        """The files of `summaries` with one row per score; where nothing is scored, the first of each family."""
        first = [file for family in self.families.values() for file in family.summaries()[:1]]
        return self._all("summary_of_scores") or first

    def data(self) -> dict[str, list[str]]:
        """The tables that anything was measured on, see `Family.data`."""
        return self._merged("data")

    def exports(self) -> list[str]:
        """The run and its scores in external formats."""
        return [*self._all("exports"), paths.RO_CRATE]

    def crate_files(self) -> list[str]:
        """What the RO-Crate holds: everything that is made of scores, the audits, and the record; no texts."""
        shown = [name for name in self.selected("tables") if not products.find(TABLE, name).quotes]
        tables = [file for name in shown for file in table_files(name)]
        made = [*tables, *self.figures(), *self.checks()]
        record = [paths.COSTS, paths.RECORD_CONFIG, paths.RECORD_VERSIONS]
        return list(dict.fromkeys([*self._all("published_results"), *self.summaries(), *made, *record]))

    def _embedded(self) -> list[tuple[str, str]]:
        """(collection, model) of all vectors."""
        return [(name, model) for name, collection in self.collections.items() for model in collection.models]

    # --- products -------------------------------------------------------------------------------------------

    def selected(self, section: str) -> list[str]:
        """The tables, figures or checks of the configuration, less those whose data were not selected."""
        names: tuple[str, ...] = getattr(self.experiment.config.report, section)
        chosen = (products.find(section.removesuffix("s"), name) for name in names)
        there = {need for need, is_there in self._merged("available").items() if is_there}
        if self.collections or "scores" in there:  # some probes need no vectors
            there.add(products.ENCODERS)
        if section == "checks" and self.selected("figures"):
            there.add(products.DRAWN)
        return [product.name for product in chosen if not product.needs or product.needs in there]

    def tables(self) -> list[str]:
        """Every table in every format."""
        return [file for name in self.selected("tables") for file in table_files(name)]

    def figures(self) -> list[str]:
        """Every figure in every format, with its caption."""
        return [
            paths.FIGURE.format(figure=name, format=ending)
            for name in self.selected("figures")
            for ending in ("pdf", "png", "svg", "md")
        ]

    def checks(self) -> list[str]:
        """Every acceptance check."""
        return [paths.CHECK.format(check=check) for check in self.selected("checks")]

    def groups(self, kind: str) -> dict[str, list[Product]]:
        """Group → its selected tables, figures or checks, which one job makes."""
        chosen = set(self.selected(f"{kind}s"))
        groups = {
            group: [product for product in members if product.kind == kind and product.name in chosen]
            for group, members in products.GROUPS.items()
        }
        return {group: members for group, members in groups.items() if members}

    def read_by(self, members: Iterable[Product]) -> list[str]:
        """The files that products are made of."""
        there = self._read_by_products()
        return list(dict.fromkeys(file for product in members for file in product.files(there)))

    def code_of(self, job: str, members: Iterable[Product]) -> Callable[[Any], str]:
        """The digest of what makes products: the job, and their modules."""
        modules = sorted({product.module for product in members})
        return lambda _wildcards: code(job, *modules)

    def table_settings(self, members: Iterable[Product]) -> Callable[[Any], str]:
        """How captions begin, and what papers report of the things that tables show."""
        names = [product.name for product in members]

        def settings(_wildcards: Any) -> str:
            papers = self._merged("published")
            shown = {name: papers[name] for name in names if name in papers}
            return json_text({"caption": self.experiment.title, "published": shown})

        return settings

    def check_settings(self, _wildcards: Any) -> str:
        """Check → what was selected of the family that it looks at, to compare with what is there; of none else."""
        return json_text(
            {name: self._selection(products.find(CHECK, name)) for name in self.selected("checks")}
        )

    def _selection(self, check: Product) -> dict[str, Any]:
        found = (family.asked() for family in self.families.values() if check.needs in family.available())
        return {**next(found, {}), "random_models": self.experiment.random_models}

    def report_settings(self, _wildcards: Any) -> str:
        """Everything the report says about experiment, tasks, models and data."""
        experiment = self.experiment
        return json_text(
            {
                "experiment": experiment.config.experiment.model_dump(),
                "models": experiment.models,
                "datasets": self.datasets,
                "selection": {**self._merged("asked"), "random_models": experiment.random_models},
                "published": self._merged("published"),
                **self._merged("told"),
            }
        )

    def _read_by_products(self) -> list[str]:
        """Summaries, excerpts, and what the check of figures reads, where it is selected."""
        figures = self.selected("figures") if "figures" in self.selected("checks") else []
        inspections = [paths.FIGURE_INSPECTION.format(figure=name) for name in figures]
        return [*self.summaries(), *self._all("excerpts"), *inspections]

    # --- raw files ------------------------------------------------------------------------------------------

    def local_files(self, wildcards: Any) -> list[str]:
        """The files of this machine that a raw file may be copied from: an edit there counts as one here."""
        addresses = self._file(wildcards)["urls"]
        return [address for address in addresses if "://" not in address and Path(address).is_file()]

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

    def written_here(self, *, is_sample: bool) -> str:
        """Regular expression of the datasets that the project writes itself, or of those that are downloaded."""
        return one_of(name for name, entry in self.datasets.items() if ("seed" in entry) == is_sample)

    def _file(self, wildcards: Any) -> Entry:
        entry: Entry = self.datasets[wildcards.dataset]["files"][wildcards.file]
        return entry

    # --- collections ----------------------------------------------------------------------------------------

    def of_collection(self, attribute: str) -> Callable[[Any], Any]:
        """An attribute of a collection: its tables, their digests, its task; roles as words."""

        def value(wildcards: Any) -> Any:
            found = getattr(self.collections[wildcards.collection], attribute)
            return " ".join(found) if attribute == "roles" else found

        return value

    def encode_settings(self, wildcards: Any) -> str:
        """What decides a model's vectors of a collection beside its files and the texts."""
        collection = self.collections[wildcards.collection]
        entry = self.experiment.fetched_models[wildcards.model]
        return json_text(encode_settings(entry, roles=collection.roles, task=collection.task or None))

    def kept_vectors(self, wildcards: Any) -> str:
        """Beside what array those of earlier runs are kept. Not a setting of science: it saves time."""
        kept = self.collections[wildcards.collection].kept or wildcards.collection
        return paths.EMBEDDINGS.format(model=wildcards.model, collection=kept)

    def collected(self) -> str:
        """Regular expression of the collections whose texts are those of tables."""
        return one_of(name for name, collection in self.collections.items() if collection.tables)

    # --- the record -----------------------------------------------------------------------------------------

    def title(self, _wildcards: Any) -> str:
        """Title of the experiment; a function of the job, because Snakemake fills in braces of a constant."""
        return self.experiment.title

    def record_settings(self, _wildcards: Any) -> str:
        """The configuration, less what changes neither files nor numbers."""
        config = self.experiment.config.model_dump(exclude={"limits", "mirrors"}, exclude_none=True)
        del config["probe"]["job"]
        return json_text(config)

    def crate_settings(self, _wildcards: Any) -> str:
        """What the RO-Crate says besides its files."""
        return crate_settings(self.experiment, self.datasets, self.data())

    def constraints(self) -> dict[str, str]:
        """Wildcard → regular expression of what it may be."""
        return {
            "dataset": one_of(self.datasets),
            "collection": one_of(self.collections),
            "model": one_of(self.experiment.fetched_models),
            **self._merged("constraints"),
        }


def table_files(name: str) -> list[str]:
    """A table in every format."""
    files = [paths.TABLE.format(table=name, format=ending) for ending in ("csv", "md", "tex")]
    further = (paths.WIDE_TABLE, paths.COMPACT_TABLE) if products.find(TABLE, name).is_matrix else ()
    return [*files, *(form.format(table=name) for form in further)]


def figure_files(name: str) -> list[str]:
    """All that is written of a figure."""
    endings = ("pdf", "png", "svg", "md", "parquet")
    files = [paths.FIGURE.format(figure=name, format=ending) for ending in endings]
    return [*files, paths.FIGURE_INSPECTION.format(figure=name)]
