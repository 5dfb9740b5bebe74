"""Lists of files and settings of every job: what the rules ask for, tested without Snakemake.

Settings are JSON text with sorted keys, the only compound form that Snakemake compares reliably. Each holds
exactly what its rule reads, so that a change runs no other rule again.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from sentflow.config.datasets import SAMPLES
from sentflow.config.entries import Entries, Entry
from sentflow.config.experiment import Experiment
from sentflow.encoders.entries import (
    call_seconds,
    connection_settings,
    custom_files,
    encode_settings,
    fetch_settings,
    gives_vectors,
    kind_of,
    weighs_terms,
)
from sentflow.exports.identity import Crate, model_facts
from sentflow.families.ledger import Ledger
from sentflow.families.pairs import Geometry, Similarity
from sentflow.families.probing import Probing
from sentflow.families.retrieval.family import Retrieval
from sentflow.families.training.family import Training
from sentflow.flow import paths, products
from sentflow.flow.family import Collection, each, json_text, one_of, pick, pick_known, raw_paths, weights_of
from sentflow.flow.products import CHECK, FIGURE, TABLE, Product
from sentflow.flow.provenance import code, versions
from sentflow.training.snapshots import SNAPSHOT

_DATASET_KEYS = ("title", "licence", "citation", "homepage", "language", "note")
# In the order in which they are shown
FAMILIES = (Probing, Similarity, Geometry, Retrieval, Training, Ledger)


class Targets:
    """Files and settings of an experiment: sums over its families, and what all of them share."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.encoders = EncoderTargets(experiment)
        self.families: dict[str, Any] = {family.name: family(experiment) for family in FAMILIES}
        # No settings of science: to change them runs nothing again
        self.mirrors = json_text(experiment.config.mirrors)
        self.limits = json_text(experiment.config.limits.model_dump(exclude_unset=True))
        # (dataset, file) of every file that anything is read from; the entries of these datasets
        self.raw_files: list[tuple[str, str]] = list(dict.fromkeys(self._all("raw_files")))
        known = experiment.entries["datasets"]
        self.datasets: Entries = {dataset: known[dataset] for dataset, _ in self.raw_files}
        # Those whose files all come with sentflow, so that one job brings them
        self.samples = [name for name, entry in self.datasets.items() if _is_sample(entry)]
        self.collections: dict[str, Collection] = {one.name: one for one in self._all("collections")}
        fetched = [name for name in self.encoders.fetched if name not in experiment.snapshots]
        self.manifests = each(paths.MANIFEST, model=fetched)
        weights = [file for name in fetched for file in weights_of(experiment, name)]
        # Every file that comes from outside, or is made as if it did; all else needs no network
        self.sources = [*raw_paths(self.raw_files), *self.manifests, *weights]
        self.results, self.audits = self._all("results"), self._all("audits")
        self.summaries = self._all("summaries")
        # The files of these with one row per score; where nothing is scored, the first of each family
        first = [file for family in self.families.values() for file in family.summaries[:1]]
        self.summaries_of_scores = self._all("summary_of_scores") or first
        # The tables that anything was measured on, see `Family.data`
        self.data = self._merged("data")
        # The run and its scores in external formats
        self.exports = [*self._all("exports"), paths.RO_CRATE]
        tables = [products.find(TABLE, name) for name in self.selected("tables")]
        self.tables = [file for table in tables for file in table_files(table)]
        figures = self.selected("figures")
        self.figures = each(paths.FIGURE, figure=figures, format=("pdf", "png", "svg", "md"))
        self.checks = each(paths.CHECK, check=self.selected("checks"))
        self.checked = [paths.CHECKED] if self.checks else []
        # All but what is shown of it, and the record; its jobs are those that the tables of costs count
        self.measured = [
            *(*self.results, *self.audits, *self.summaries),
            *(*self._all("excerpts"), *self._all("documents")),
        ]
        # Collections whose texts are those of tables
        self.collected = one_of(name for name, one in self.collections.items() if one.tables)

    def _all(self, attribute: str) -> list[Any]:
        return [item for family in self.families.values() for item in getattr(family, attribute)]

    def _merged(self, attribute: str) -> dict[str, Any]:
        items = [getattr(family, attribute).items() for family in self.families.values()]
        return {key: value for pairs in items for key, value in pairs}

    def embeddings(self, pattern: str = "") -> list[str]:
        """The vectors of every collection by every model that embeds it, or files beside them."""
        return [
            (pattern or self.encoders.vectors(model)).format(collection=name, model=model)
            for name, collection in self.collections.items()
            for model in collection.models
        ]

    def summaries_of_page(self) -> list[str]:
        """What the text of the page is made from: summaries, comparisons, excerpts, what checks read, links, costs."""
        return [*self._read_by_products(), *self._all("documents"), paths.COSTS, paths.ENCODERS]

    def crate_files(self) -> list[str]:
        """What the RO-Crate holds: everything that is made of scores, the audits, and the record; no texts."""
        tables = [products.find(TABLE, name) for name in self.selected("tables")]
        shown = [file for table in tables if not table.quotes for file in table_files(table)]
        made = [*shown, *self.figures, *self.checks]
        record = [paths.COSTS, paths.RECORD_CONFIG, paths.RECORD_VERSIONS]
        return list(dict.fromkeys([*self._all("published_results"), *self.summaries, *made, *record]))

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

    def groups(self) -> dict[str, list[Product]]:
        """Group → its selected tables and figures, which one job makes."""
        groups: dict[str, list[Product]] = {}
        chosen = {kind: self.selected(f"{kind}s") for kind in (TABLE, FIGURE)}
        for product in products.PRODUCTS:
            if product.name in chosen.get(product.kind, ()):
                groups.setdefault(product.group, []).append(product)
        return groups

    def read_by(self, members: Iterable[Product]) -> list[str]:
        there = self._read_by_products()
        return list(dict.fromkeys(file for product in members for file in product.files(there)))

    def code_of(self, job: str, members: Iterable[Product]) -> Callable[[Any], str]:
        modules = sorted({product.module for product in members})
        return lambda _wildcards: code(job, *modules)

    def product_settings(self, members: Iterable[Product]) -> Callable[[Any], str]:
        names = {kind: [one.name for one in members if one.kind == kind] for kind in (TABLE, FIGURE)}
        return lambda _wildcards: json_text(
            {
                "tables": names[TABLE],
                "figures": names[FIGURE],
                "caption": self.experiment.title,
                "published": pick_known(self._merged("published"), *names[TABLE]),
            }
        )

    def check_settings(self, _wildcards: Any) -> str:
        """Check → what was selected of the family that it looks at, to compare with what is there; of none else."""
        needs = {name: products.find(CHECK, name).needs for name in self.selected("checks")}
        return json_text({name: self._selection(need) for name, need in needs.items()})

    def _selection(self, need: str) -> dict[str, Any]:
        selection = (family.selection for family in self.families.values() if need in family.available)
        return {**next(selection, {}), "random_models": self.experiment.random_models}

    def report_settings(self, _wildcards: Any) -> str:
        experiment = self.experiment
        return json_text(
            {
                "experiment": experiment.config.experiment.model_dump(),
                "models": experiment.models,
                "datasets": self.datasets,
                "published": self._merged("published"),
                **self._merged("report_facts"),
            }
        )

    def _read_by_products(self) -> list[str]:
        """Summaries, excerpts, and what the check of figures reads, where it is selected."""
        figures = self.selected("figures") if "figures" in self.selected("checks") else []
        return [*self.summaries, *self._all("excerpts"), *each(paths.FIGURE_INSPECTION, figure=figures)]

    # --- raw files and collections --------------------------------------------------------------------------

    def of_files(self, dataset: str, function: Callable[[list[Entry]], Any]) -> Callable[[Any], Any]:
        """Of the raw files that a job brings: all of a dataset, or if that is empty the one of its wildcards."""

        def value(wildcards: Any) -> Any:
            files = self.datasets[dataset or wildcards.dataset]["files"]
            return function([file for name, file in files.items() if dataset or name == wildcards.file])

        return value

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
        """Under what name they are kept for later runs. Not a setting of science: it saves time."""
        return self.collections[wildcards.collection].kept

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
        experiment = self.experiment
        datasets = {
            name: {**pick_known(entry, *_DATASET_KEYS), "checksums": _checksums(entry)}
            for name, entry in self.datasets.items()
        }
        models = {
            name: {
                **pick(model_facts(name, entry), "name", "revision", "licence"),
                "title": entry.get("title", name),
                "citation": entry.get("citation", "none"),
            }
            for name, entry in {**experiment.models, **experiment.further_models}.items()
        }
        about = dict(experiment.config.experiment)
        return Crate(**about, tables=tuple(self.data.values()), datasets=datasets, models=models).as_json()

    def constraints(self) -> dict[str, str]:
        return {
            "dataset": one_of(self.datasets),
            "collection": one_of(self.collections),
            "model": one_of(self.experiment.fetched_models),
            **self._merged("constraints"),
        }


def _is_sample(dataset: Entry) -> bool:
    urls = [url for file in dataset["files"].values() for url in file["urls"]]
    return bool(urls) and all(url.startswith(SAMPLES) for url in urls)


def downloaded_content(files: Iterable[Entry]) -> str:
    """What the bytes of raw files are: another address of the same checksum runs nothing again."""
    checksums = {"sha256", "members_sha256"}
    return "\n".join(
        json_text({key: one for key, one in file.items() if key != "urls" or checksums.isdisjoint(file)})
        for file in files
    )


def local_files(files: Iterable[Entry]) -> list[str]:
    """The files of this machine that raw files may be copied from: an edit there counts as one here."""
    addresses = [address for file in files for address in file["urls"]]
    return [address for address in addresses if "://" not in address and Path(address).is_file()]


def _checksums(dataset: Entry) -> dict[str, str]:
    """Raw file → SHA-256 of its bytes, or of the texts in it, where the catalog pins them."""
    pinned = {name: file.get("sha256", file.get("members_sha256")) for name, file in dataset["files"].items()}
    return {name: digest for name, digest in pinned.items() if digest}


def table_files(table: Product) -> list[str]:
    further = (paths.WIDE_TABLE, paths.COMPACT_TABLE) if table.is_matrix else ()
    return [
        *each(paths.TABLE, table=[table.name], format=("csv", "md", "tex")),
        *(form.format(table=table.name) for form in further),
    ]


def figure_files(figure: Product) -> list[str]:
    forms = ("pdf", "png", "svg", "md", "parquet")
    files = each(paths.FIGURE, figure=[figure.name], format=forms)
    return [*files, paths.FIGURE_INSPECTION.format(figure=figure.name)]


Value = TypeVar("Value")


class EncoderTargets:
    """Files and settings of the encoders of an experiment; functions of wildcards are params and resources of rules."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        models = experiment.fetched_models
        # Encoders that come from outside, or are snapshots of a training; that weigh terms; that have embeddings
        self.fetched = [name for name in models if name not in experiment.trained_models]
        # Of the first, those whose files are kept as an archive, and all others
        outside = [name for name in self.fetched if name not in experiment.snapshots]
        self.archived = [name for name in outside if weights_of(experiment, name)]
        self.described = [name for name in self.fetched if name not in self.archived]
        self.sparse = [name for name, entry in models.items() if weighs_terms(entry)]
        others = [name for name, entry in experiment.further_models.items() if gives_vectors(entry)]
        self.with_vectors = [*experiment.fixed_models, *experiment.snapshots, *others]

        def of(function: Callable[[Entry], Value]) -> Callable[[Any], Value]:
            return lambda wildcards: function(models[wildcards.model])

        self.fetch_settings = of(lambda entry: json_text(fetch_settings(entry)))
        # Digests of the job and of what it finds by the model's kind
        self.fetch_code = of(lambda entry: _fetch_code(entry))
        self.embed_code = of(lambda entry: code("embed", kind_of(entry).module()))
        # Of the libraries that the entry of a user's own encoder names; that can change a model's vectors
        self.libraries = of(lambda entry: versions(*entry.get("libraries", [])))
        self.versions = of(lambda entry: versions(*kind_of(entry).vector_libraries(entry)))
        # No settings of science: to change them runs nothing again
        self.threads = of(lambda entry: kind_of(entry).threads)
        self.device = of(lambda entry: json_text(entry.get("device")))
        self.connection = of(lambda entry: json_text(connection_settings(entry)))
        self.call_seconds = of(call_seconds)
        # How often a job that embeds holds the files of the model; of word vectors it reads those of its texts
        self.copies_of_files = of(lambda entry: 0 if kind_of(entry).one_file else 2)

    def files(self, wildcards: Any) -> list[str]:
        """Files of a model that others made: code of a user's own encoder, or the record of a training."""
        if wildcards.model in self.experiment.snapshots:
            return [paths.TRAINING_RECORD.format(model=wildcards.model.partition(SNAPSHOT)[0])]
        from snakemake.io import local

        return [local(file) for file in custom_files(self.experiment.fetched_models[wildcards.model])]

    def snapshot(self, wildcards: Any) -> list[str]:
        return self.model_files(wildcards) if wildcards.model in self.experiment.snapshots else []

    def model_files(self, wildcards: Any) -> list[str]:
        """See `sentflow.flow.family.weights_of`."""
        return weights_of(self.experiment, wildcards.model)

    def vectors(self, model: str) -> str:
        """The pattern of a model's files of vectors."""
        return paths.SPARSE_EMBEDDINGS if model in self.sparse else paths.EMBEDDINGS


def _fetch_code(entry: Entry) -> str:
    """Digest of the job, of what describes the model's kind, and of what brings its files."""
    files = ["sentflow.encoders.fetch"] if "source" in entry else []
    return code("fetch_model", *files, *filter(None, [kind_of(entry).described_by]))
