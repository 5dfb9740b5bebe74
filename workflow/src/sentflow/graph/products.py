"""Every table, figure and check: one row each, which the schema, the targets, the commands and the page read.

The rows of a family of measurements are its own (`sentflow.graph.family.Family.products`); here are those of every run.

Standard library only: the Snakefile is read again in every cluster job.
"""

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from sentflow.errors import ConfigError
from sentflow.graph import paths

TABLE, FIGURE, CHECK = "table", "figure", "check"
# What some products need beside the results of families: that any encoder was measured, that any figure is drawn.
ENCODERS, DRAWN = "encoders", "figures"


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
        Patterns of `sentflow.graph.paths`; one with a wildcard, say ``{protocol}``, stands for a file of each.
    needs
        The results without which there is nothing to show; empty for what every run has.
    also
        Summaries that are read, too, where they are made.
    tables
        Written tables that a check reads again, where they were selected.
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
    tables: tuple[str, ...] = ()
    quotes: bool = False
    is_matrix: bool = False

    @property
    def module(self) -> str:
        """The module that makes it: with its digest, an edit makes this product again and no other."""
        return self.maker.partition(":")[0]

    def load(self) -> Any:
        """What `maker` names."""
        module, _, name = self.maker.partition(":")
        return getattr(import_module(module), name)


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


@dataclass(frozen=True)
class SectionOfPage:
    """What a family of measurements has on the page: a module with a function `section`, and its templates."""

    module: str
    templates: tuple[str, ...]

    @classmethod
    def of(cls, family: str, *templates: str) -> "SectionOfPage":
        """The section of a family's package in `sentflow.report.families`, with its templates by name."""
        folder = f"report/families/{family}/page"
        module = f"sentflow.report.families.{family}.section"
        return cls(module, tuple(f"{folder}/{name}.html.j2" for name in templates))

    def load(self) -> Any:
        """The function that gives the section, or None where there is nothing to tell."""
        return import_module(self.module).section


_COSTS = "sentflow.report.costs."
_ENCODERS = (paths.ENCODERS,)
COMMON_PRODUCTS = (
    *products_of(
        _COSTS,
        "",
        (TABLE, "costs", "tables:costs", (paths.COSTS,)),
        (FIGURE, "costs", "bars:FIGURE", (paths.COSTS,)),
    ),
    *products_of(_COSTS, ENCODERS, (TABLE, "encoders", "tables:encoders", _ENCODERS)),
    Product(
        CHECK, "figures", "sentflow.report.figure.check:check_figures", (paths.FIGURE_INSPECTION,), DRAWN
    ),
    Product(FIGURE, "score-and-cost", f"{_COSTS}trade_off:FIGURE", (paths.ENCODERS, paths.RANKS), "scores"),
)


_TEMPLATES_OF_PAGE = ("page", "macros", "summary", "encoders", "checks", "costs", "cite", "record")


def known_products() -> list[Product]:
    """The products of every family, then those of every run."""
    from sentflow.graph.family import known_families

    of_families = [product for family in known_families() for product in family.products]
    return [*of_families, *COMMON_PRODUCTS]


def known_sections() -> list[SectionOfPage]:
    """What families have on the page, in their order."""
    from sentflow.graph.family import known_families

    return [family.section for family in known_families() if family.section is not None]


def names(kind: str) -> list[str]:
    """The names that the configuration may write in ``report.{kind}s``."""
    return list(_by_name(kind))


def find(kind: str, name: str) -> Product:
    """The table, figure or check of a name.

    Raises
    ------
    ConfigError
        There is none.
    """
    if name not in _by_name(kind):
        raise ConfigError(
            f"report.{kind}s: there is no {kind} {name!r}. Write one of: {', '.join(names(kind))}."
        )
    return _by_name(kind)[name]


def modules_of_page() -> list[str]:
    """The modules of everything that the page shows."""
    of_products = {product.module for product in known_products()}
    return sorted(of_products | {section.module for section in known_sections()})


def files_of_page() -> list[str]:
    """Templates, style and script of the page, below the package."""
    own = [f"report/page/{name}" for name in ("page.css", "page.js")]
    own += [f"report/page/{name}.html.j2" for name in _TEMPLATES_OF_PAGE]
    return [*own, *(template for section in known_sections() for template in section.templates)]


@cache
def _by_name(kind: str) -> dict[str, Product]:
    return {product.name: product for product in known_products() if product.kind == kind}
