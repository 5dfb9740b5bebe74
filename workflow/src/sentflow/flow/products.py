"""The six families, and every table, figure and check: theirs, and those of every run.

Standard library only: the Snakefile is read again in every cluster job.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from sentflow.errors import ConfigError
from sentflow.families.geometry import Geometry
from sentflow.families.ledger import Ledger
from sentflow.families.probing import Probing
from sentflow.families.retrieval.family import Retrieval
from sentflow.families.similarity import Similarity
from sentflow.families.training.family import Training
from sentflow.flow import paths
from sentflow.flow.family import CHECK, FIGURE, TABLE, Product, products_of

# In the order in which they are shown
FAMILIES = (Probing, Similarity, Geometry, Retrieval, Training, Ledger)
# What some products need beside the results of families: that any encoder was measured, that any figure is drawn.
ENCODERS, DRAWN = "encoders", "figures"
_COSTS = "sentflow.report.costs."
_COMMON = (
    *products_of(
        _COSTS,
        "",
        (TABLE, "costs", "tables:costs", (paths.COSTS,)),
        (FIGURE, "costs", "bars:FIGURE", (paths.COSTS,)),
    ),
    *products_of(_COSTS, ENCODERS, (TABLE, "encoders", "tables:encoders", (paths.ENCODERS,))),
    Product(
        CHECK, "figures", "sentflow.report.figure.check:check_figures", (paths.FIGURE_INSPECTION,), DRAWN
    ),
    Product(FIGURE, "score-and-cost", f"{_COSTS}trade_off:FIGURE", (paths.ENCODERS, paths.RANKS), "scores"),
)
# What one job makes together: the tables, or the figures, of a group. Geometry and similarity share vectors and sets.
GROUPS = {
    "probing": Probing.products,
    "similarity": (*Similarity.products, *Geometry.products),
    "retrieval": Retrieval.products,
    "training": Training.products,
    "ledger": Ledger.products,
    "run": _COMMON,
}
PRODUCTS = tuple(product for group in GROUPS.values() for product in group)


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


def sections() -> list[Callable[..., Any]]:
    """What gives the section of each family on the page, or None where there is nothing to tell, in their order."""
    named = (family.name for family in FAMILIES if family.has_section)
    return [import_module(f"sentflow.report.families.{name}.section").section for name in named]


def packages() -> list[str]:
    """The packages that make what the page shows."""
    return sorted({product.module.rpartition(".")[0] for product in PRODUCTS})


@cache
def _by_name(kind: str) -> dict[str, Product]:
    return {product.name: product for product in PRODUCTS if product.kind == kind}
