"""The tables, figures and checks of pair sets, and what the page says of them and of geometry."""

from sentflow.graph import paths
from sentflow.graph.products import CHECK, FIGURE, TABLE, Product, SectionOfPage, matrices_of, products_of

_PACKAGE = "sentflow.report.families.similarity."
_STS = (paths.SUMMARY_SIMILARITY,)
_STS_COMPARED = (paths.SUMMARY_SIMILARITY, paths.SIMILARITY_PAIRS)

PRODUCTS = (
    *matrices_of(_PACKAGE, "similarity", ("sts", "sts_table:table", _STS_COMPARED)),
    *products_of(
        _PACKAGE,
        "similarity",
        (TABLE, "sts-subsets", "subsets_table:table", _STS),
        (TABLE, "sts-differences", "differences_table:table", _STS_COMPARED),
        (FIGURE, "similarity-histograms", "histograms:FIGURE", (paths.HISTOGRAMS,)),
    ),
    *products_of(
        _PACKAGE,
        "regressions",
        (TABLE, "regressions", "regressions_table:table", (paths.SUMMARY_REGRESSIONS,)),
    ),
    Product(
        CHECK,
        "similarity",
        f"{_PACKAGE}checks:check_similarity",
        _STS_COMPARED,
        "similarity",
        tables=("sts",),
    ),
)
SECTION = SectionOfPage.of("similarity", "summary", "results", "geometry")
