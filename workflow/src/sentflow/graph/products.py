"""Every table, figure and check: one row each, which the schema, the targets, the commands and the page read.

Standard library only: the Snakefile is read again in every cluster job.
"""

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from sentflow.errors import ConfigError
from sentflow.graph import paths

TABLE, FIGURE, CHECK = "table", "figure", "check"
_REPORT = "sentflow.report."
_PROBING, _SIMILARITY, _GEOMETRY = (
    f"{_REPORT}families.{name}." for name in ("probing", "similarity", "geometry")
)


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
        Patterns of `sentflow.graph.paths`; one with ``{protocol}`` stands for a file per protocol of the study.
    needs
        The results without which there is nothing to show; empty for what every run has.
    also
        Summaries that are read, too, where they are made.
    tables
        Written tables that a check reads again, where they were selected.
    """

    kind: str
    name: str
    maker: str
    reads: tuple[str, ...]
    needs: str = ""
    also: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()

    @property
    def module(self) -> str:
        """The module that makes it: with its digest, an edit makes this product again and no other."""
        return self.maker.partition(":")[0]

    def load(self) -> Any:
        """What `maker` names."""
        module, _, name = self.maker.partition(":")
        return getattr(import_module(module), name)


def _products(package: str, needs: str, *rows: tuple[str, str, str, tuple[str, ...]]) -> tuple[Product, ...]:
    return tuple(Product(kind, name, package + maker, reads, needs) for kind, name, maker, reads in rows)


_SCORES = (paths.SUMMARY,)
_RANKED = (paths.SUMMARY, paths.RANKS, paths.ACROSS, paths.OMNIBUS)
_COMPARED = (paths.SUMMARY, paths.PAIRS)
_STUDY = (paths.EFFECTS,)
_ENCODERS = (paths.ENCODERS,)
_STS = (paths.SUMMARY_SIMILARITY,)
_STS_COMPARED = (paths.SUMMARY_SIMILARITY, paths.SIMILARITY_PAIRS)
_ALIGNMENTS = (paths.SUMMARY_ALIGNMENTS,)

PROBING_PRODUCTS = (
    *_products(
        _PROBING,
        "scores",
        (TABLE, "scores", "score_table:table", (paths.SUMMARY, paths.PAIRS, paths.STANDINGS)),
        (TABLE, "intervals", "intervals_table:table", _COMPARED),
        (TABLE, "differences", "comparison_products:differences", _COMPARED),
        (TABLE, "ranks", "comparison_products:ranks", _RANKED),
        (TABLE, "matches", "comparison_products:matches", _RANKED),
        (TABLE, "power", "comparison_products:power", (paths.SUMMARY, paths.POWER)),
        (TABLE, "published", "published_table:table", _SCORES),
        (TABLE, "tasks", "tasks_table:table", _SCORES),
        (TABLE, "protocols", "protocol_table:table", _STUDY),
        (TABLE, "documents", "document_table:table", _STUDY),
        (FIGURE, "heatmap", "heatmap:FIGURE", _SCORES),
        (FIGURE, "forest", "forest:FIGURE", _SCORES),
        (FIGURE, "critical-difference", "rankings:CRITICAL_DIFFERENCE", _RANKED),
        (FIGURE, "ranks", "rankings:RANKS", _RANKED),
        (FIGURE, "wins", "wins:FIGURE", (paths.SUMMARY, paths.ACROSS)),
        (FIGURE, "differences", "differences:FIGURE", (paths.PAIRS,)),
        (FIGURE, "curves", "curves:FIGURE", (paths.CURVES,)),
        (CHECK, "complete", "checks:check_complete", _SCORES),
        (CHECK, "no_missing", "checks:check_no_missing", _SCORES),
        (CHECK, "intervals", "checks:check_intervals", _SCORES),
        (CHECK, "controls", "checks:check_controls", _SCORES),
    ),
    Product(
        CHECK,
        "tables",
        "sentflow.report.emphasis:check_tables",
        _COMPARED,
        "scores",
        tables=("scores", "intervals", "differences", "ranks", "matches", "power"),
    ),
)
COMMON_PRODUCTS = (
    *_products(
        f"{_REPORT}costs.",
        "",
        (TABLE, "encoders", "encoders_table:table", _ENCODERS),
        (TABLE, "costs", "costs_table:table", (paths.COSTS,)),
        (FIGURE, "costs", "bars:FIGURE", (paths.COSTS,)),
    ),
    *_products(
        f"{_REPORT}costs.",
        "scores",
        (FIGURE, "sizes", "pareto:SIZES", _ENCODERS),
        (FIGURE, "speed", "pareto:SPEED", _ENCODERS),
    ),
)
SIMILARITY_PRODUCTS = (
    *_products(
        _SIMILARITY,
        "similarity",
        (TABLE, "sts", "sts_table:table", _STS_COMPARED),
        (TABLE, "sts-subsets", "subsets_table:table", _STS),
        (TABLE, "sts-differences", "differences_table:table", _STS_COMPARED),
        (FIGURE, "similarity-histograms", "histograms:FIGURE", (paths.HISTOGRAMS,)),
    ),
    *_products(
        _SIMILARITY,
        "regressions",
        (TABLE, "regressions", "regressions_table:table", (paths.SUMMARY_REGRESSIONS,)),
    ),
    Product(
        CHECK,
        "similarity",
        f"{_SIMILARITY}checks:check_similarity",
        _STS_COMPARED,
        "similarity",
        tables=("sts",),
    ),
)
GEOMETRY_PRODUCTS = (
    *_products(
        _GEOMETRY,
        "alignments",
        (TABLE, "alignments", "alignments_table:table", _ALIGNMENTS),
        (FIGURE, "alignment-uniformity", "plane:FIGURE", (*_ALIGNMENTS, *_STS)),
    ),
    *_products(
        _GEOMETRY,
        "geometry",
        (TABLE, "geometry", "geometry_table:table", (paths.SUMMARY_GEOMETRY,)),
        (FIGURE, "spectrum", "spectrum:FIGURE", (paths.SPECTRA,)),
        (FIGURE, "truncation", "truncation:FIGURE", (paths.TRUNCATION,)),
    ),
    Product(
        FIGURE,
        "geometry-and-scores",
        f"{_GEOMETRY}association_figure:FIGURE",
        (paths.SUMMARY_GEOMETRY, *_STS),
        "geometry",
        also=_SCORES,  # geometry can be set against the scores of tasks, too
    ),
)
PRODUCTS = (*PROBING_PRODUCTS, *COMMON_PRODUCTS, *SIMILARITY_PRODUCTS, *GEOMETRY_PRODUCTS)


@dataclass(frozen=True)
class SectionOfPage:
    """What a family of measurements has on the page: a module with a function `section`, and its templates."""

    module: str
    templates: tuple[str, ...]

    def load(self) -> Any:
        """The function that gives the section, or None where there is nothing to tell."""
        return import_module(self.module).section


def _section(family: str, *templates: str) -> SectionOfPage:
    folder = f"report/families/{family}/page"
    return SectionOfPage(
        f"{_REPORT}families.{family}.section", tuple(f"{folder}/{name}.html.j2" for name in templates)
    )


SECTIONS = (
    _section(
        "probing",
        *(
            "macros",
            "summary",
            "scores",
            "intervals",
            "comparisons",
            "power",
            "protocol",
            "tasks",
            "training",
        ),
    ),
    _section("similarity", "summary", "results"),
)


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
    of_products = {product.module for product in PRODUCTS}
    return sorted(of_products | {section.module for section in SECTIONS})


def files_of_page() -> list[str]:
    """Templates, style and script of the page, below the package."""
    own = [f"report/page/{name}" for name in ("page.html.j2", "macros.html.j2", "page.css", "page.js")]
    return [*own, *(template for section in SECTIONS for template in section.templates)]


def fill_in_names(schema: dict[str, Any]) -> None:
    """Write what ``report.tables``, ``.figures`` and ``.checks`` may hold into the schema of the configuration."""
    sections = schema["properties"]["report"]["properties"]
    for kind in (TABLE, FIGURE, CHECK):
        sections[f"{kind}s"]["items"]["enum"] = names(kind)


@cache
def _by_name(kind: str) -> dict[str, Product]:
    return {product.name: product for product in PRODUCTS if product.kind == kind}
