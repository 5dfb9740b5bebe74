"""The tables of retrieval, and what the page says of it."""

from sentflow.graph import paths
from sentflow.graph.products import TABLE, Product, SectionOfPage, products_of

_PACKAGE = "sentflow.report.families.retrieval."
_COMPARED = (paths.SUMMARY_RETRIEVAL, paths.RETRIEVAL_PAIRS)

_FOR_DOCUMENTS = (*_COMPARED, paths.RETRIEVAL_CLUSTERS, paths.RETRIEVAL_DOCUMENT_PAIRS)
_ON_GROUPS = (paths.SUMMARY_RETRIEVAL, paths.RETRIEVAL_GROUPS, paths.RETRIEVAL_GROUP_PAIRS)
_OF_SEEDS = (paths.SUMMARY_RETRIEVAL, paths.RETRIEVAL_SEEDS)
_QUOTED = (paths.SUMMARY_RETRIEVAL, paths.HARD_QUESTIONS)

PRODUCTS = (
    *products_of(
        _PACKAGE,
        "retrieval",
        (TABLE, "retrieval", "retrieval_table:table", _COMPARED),
        (TABLE, "retrieval-differences", "differences_table:table", _COMPARED),
    ),
    Product(
        TABLE, "retrieval-documents", f"{_PACKAGE}documents_table:table", _FOR_DOCUMENTS, "retrieval_clusters"
    ),
    Product(TABLE, "retrieval-groups", f"{_PACKAGE}groups_table:table", _ON_GROUPS, "retrieval_groups"),
    Product(TABLE, "retrieval-seeds", f"{_PACKAGE}seeds_table:table", _OF_SEEDS, "retrieval_seeds"),
    Product(
        TABLE, "retrieval-questions", f"{_PACKAGE}questions_table:table", _QUOTED, "retrieval", quotes=True
    ),
)
SECTION = SectionOfPage.of("retrieval", "summary", "results", "generality", "questions")
