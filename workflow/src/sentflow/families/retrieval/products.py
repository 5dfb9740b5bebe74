"""The tables of retrieval, and what the page says of it."""

from sentflow.graph import paths
from sentflow.graph.products import TABLE, SectionOfPage, products_of

_PACKAGE = "sentflow.report.families.retrieval."
_COMPARED = (paths.SUMMARY_RETRIEVAL, paths.RETRIEVAL_PAIRS)

PRODUCTS = products_of(
    _PACKAGE,
    "retrieval",
    (TABLE, "retrieval", "retrieval_table:table", _COMPARED),
    (TABLE, "retrieval-differences", "differences_table:table", _COMPARED),
)
SECTION = SectionOfPage.of("retrieval", "summary", "results")
