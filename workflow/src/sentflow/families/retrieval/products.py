"""The tables and the check of retrieval, and what the page says of it."""

from sentflow.graph import paths
from sentflow.graph.products import CHECK, TABLE, Product, SectionOfPage, products_of

_PACKAGE = "sentflow.report.families.retrieval."
_COMPARED = (paths.SUMMARY_RETRIEVAL, paths.RETRIEVAL_PAIRS)

PRODUCTS = (
    *products_of(
        _PACKAGE,
        "retrieval",
        (TABLE, "retrieval", "retrieval_table:table", _COMPARED),
        (TABLE, "retrieval-groups", "groups_table:table", (paths.SUMMARY_RETRIEVAL,)),
        (TABLE, "retrieval-differences", "differences_table:table", _COMPARED),
    ),
    *products_of(
        _PACKAGE,
        "retrieval-indexes",
        (TABLE, "retrieval-indexes", "indexes_table:table", (paths.SUMMARY_INDEXES,)),
    ),
    Product(
        CHECK,
        "retrieval",
        f"{_PACKAGE}checks:check_retrieval",
        _COMPARED,
        "retrieval",
        tables=("retrieval",),
    ),
)
SECTION = SectionOfPage.of("retrieval", "summary", "results")
