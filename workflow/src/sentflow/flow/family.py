"""What is measured: a family says in one place what it needs, what it makes and how much there is of it.

The rest of the graph sums over the families (`sentflow.flow.targets`). Standard library only: the Snakefile reads it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

from sentflow.config.experiment import Experiment
from sentflow.flow import paths

TEXT = "text"
TABLE, FIGURE, CHECK = "table", "figure", "check"


@dataclass(frozen=True)
class Collection:
    """Texts that are embedded together, in a role.

    Attributes
    ----------
    name
        Value of the wildcard ``{collection}``; names its files of texts and of vectors.
    tables
        Files whose texts it holds, in this order; empty where a rule of its own writes its texts.
    digests
        The JSON files beside `tables`, which Snakemake compares in their stead.
    models
        The encoders that embed it.
    roles
        What the texts are to the encoder, which decides the prompt: ``text``, ``query`` or ``document``;
        or ``query`` and ``document``, of first texts and of what is beside them.
    task
        The task whose prompts are put before the texts; empty for none.
    kept
        The collection beside whose vectors those of earlier runs are kept, where another selection gives this one
        another name; empty for its own. No two collections of an experiment may share one for the same encoder.
    """

    name: str
    tables: Sequence[str]
    digests: Sequence[str]
    models: Sequence[str]
    roles: Sequence[str] = (TEXT,)
    task: str = ""
    kept: str = ""


@dataclass(frozen=True)
class Product:
    """A table, figure or check.

    Attributes
    ----------
    kind
        ``"table"``, ``"figure"`` or ``"check"``.
    name
        As the configuration writes it; tables, figures and checks may share names.
    maker
        ``"module:name"``: a function of `sentflow.report.inputs.Inputs` and settings that gives a `Table` or a
        `CheckResult`, or a `sentflow.report.figure.recipe.Recipe`.
    reads
        Patterns of `sentflow.flow.paths`; one with a wildcard, say ``{protocol}``, stands for a file of each.
    needs
        The results without which there is nothing to show; empty for what every run has.
    also
        Summaries that are read, too, where they are made.
    quotes
        Whether it shows texts of the data, so that no publication of the run holds it.
    is_matrix
        Whether a table has one value by each of its lines and columns: then it is also written as a wide CSV and as
        compact LaTeX.
    """

    kind: str
    name: str
    maker: str
    reads: tuple[str, ...]
    needs: str = ""
    also: tuple[str, ...] = ()
    quotes: bool = False
    is_matrix: bool = False

    @property
    def module(self) -> str:
        """The module that makes it."""
        return self.maker.partition(":")[0]

    def takes(self, file: str) -> bool:
        """Whether it reads a file, wherever the results lie."""
        return any(_is_of(pattern, file) for pattern in (*self.reads, *self.also))

    def files(self, there: Sequence[str]) -> list[str]:
        """What it reads, given the files that are made besides those that `reads` names in full."""
        named = [pattern for pattern in self.reads if "{" not in pattern]
        return named + [file for file in there if self.takes(file) and file not in named]

    def load(self) -> Any:
        """What `maker` names."""
        module, _, name = self.maker.partition(":")
        return getattr(import_module(module), name)


def _is_of(pattern: str, file: str) -> bool:
    """Whether a path ends in a pattern, which may have a wildcard."""
    before, _, rest = pattern.partition("{")
    return before in file and file.endswith(rest.rpartition("}")[2]) if rest else file.endswith(pattern)


def products_of(
    package: str, needs: str, *rows: tuple[str, str, str, tuple[str, ...]]
) -> tuple[Product, ...]:
    """Products of one package that need the same: kind, name, module and name in it, what each reads."""
    return tuple(Product(kind, name, package + maker, reads, needs) for kind, name, maker, reads in rows)


def matrices_of(package: str, needs: str, *rows: tuple[str, str, tuple[str, ...]]) -> tuple[Product, ...]:
    """Tables that are matrices: name, module and name in it, what each reads."""
    return tuple(
        Product(TABLE, name, package + maker, reads, needs, is_matrix=True) for name, maker, reads in rows
    )


class Family:
    """One kind of measurement of the selected encoders; a subclass per kind.

    Attributes
    ----------
    name
        Of its rules: ``workflow/rules/{name}.smk``.
    products
        Its tables, figures and checks.
    has_section
        Whether the page has one of it, from the module ``section`` of its report.
    """

    name: ClassVar[str]
    products: ClassVar[Sequence[Product]] = ()
    has_section: ClassVar[bool] = False

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment

    def raw_files(self) -> list[tuple[str, str]]:
        """(dataset, file) of every raw file that its tables are read from; a file may come twice."""
        return []

    def collections(self) -> list[Collection]:
        """The texts that are embedded for it."""
        return []

    def data(self) -> dict[str, list[str]]:
        """Digest of each table that its results were measured on → what the table is called, and its dataset."""
        return {}

    def results(self) -> list[str]:
        """Everything that is measured or tested, for the target ``all``."""
        return []

    def published_results(self) -> list[str]:
        """What of its results a publication of the run holds."""
        return self.results()

    def audits(self) -> list[str]:
        """What is to be known about its data."""
        return []

    def exports(self) -> list[str]:
        """The family's scores in external formats."""
        return []

    def summaries(self) -> list[str]:
        """Files with the rows that tables, figures and the page are made of."""
        return []

    def excerpts(self) -> list[str]:
        """Files with texts of its data that tables and the page show; no publication of the run holds them."""
        return []

    def documents(self) -> list[str]:
        """Files beside the summaries that the page links to."""
        return []

    def summary_of_scores(self) -> list[str]:
        """The file of `summaries` with one row per score; empty where there is none."""
        return []

    def available(self) -> Mapping[str, bool]:
        """What a table, figure or check may need of it → whether there is any."""
        return {}

    def asked(self) -> dict[str, Any]:
        """What was selected, which the checks compare with what is there."""
        return {}

    def published(self) -> Mapping[str, Any]:
        """Table → what papers report of the things that it shows."""
        return {}

    def told(self) -> dict[str, Any]:
        """What the page says of it beside the summaries; nothing where nothing is measured."""
        return {}

    def constraints(self) -> Mapping[str, str]:
        """Wildcard of its own → regular expression of the names that exist."""
        return {}

    def collection_of(self, wildcards: Any) -> str:
        """The collection whose vectors a job reads: that of its wildcard, where a family says nothing else."""
        return str(wildcards.collection)

    def texts(self, wildcards: Any) -> str:
        """The distinct texts among which those of a job are."""
        return self._of_collection(paths.TEXTS, wildcards)

    def embeddings(self, wildcards: Any) -> str:
        """The vectors of `texts` by the encoder of a job."""
        return self._of_collection(paths.EMBEDDINGS, wildcards)

    def embeddings_info(self, wildcards: Any) -> str:
        """The description beside `embeddings`."""
        return self._of_collection(paths.EMBEDDINGS_INFO, wildcards)

    def _of_collection(self, pattern: str, wildcards: Any) -> str:
        return pattern.format(collection=self.collection_of(wildcards), model=wildcards.model)
