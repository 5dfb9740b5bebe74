"""The tables, the figures and the check of retrieval, and what the page says of it."""

from sentflow.graph import paths
from sentflow.graph.family import CHECK, FIGURE, TABLE, Product, matrices_of, products_of

_PACKAGE = "sentflow.report.families.retrieval."
_COMPARED = (paths.SUMMARY_RETRIEVAL, paths.RETRIEVAL_PAIRS)
_SUMMARY = (paths.SUMMARY_RETRIEVAL,)

_FOR_DOCUMENTS = (*_COMPARED, paths.RETRIEVAL_CLUSTERS, paths.RETRIEVAL_DOCUMENT_PAIRS)
_ON_GROUPS = (paths.SUMMARY_RETRIEVAL, paths.RETRIEVAL_GROUPS, paths.RETRIEVAL_GROUP_PAIRS)
_OF_SEEDS = (paths.SUMMARY_RETRIEVAL, paths.RETRIEVAL_SEEDS)
_QUOTED = (paths.SUMMARY_RETRIEVAL, paths.HARD_QUESTIONS)
_EXPLAINED = (*_QUOTED, paths.SHARED_TERMS)

_MEASURED = products_of(
    _PACKAGE,
    "retrieval",
    (TABLE, "retrieval-measures", "measures_table:table", _COMPARED),
    (TABLE, "retrieval-groups", "groups_table:table", _SUMMARY),
    (TABLE, "retrieval-differences", "differences_table:table", _COMPARED),
    (TABLE, "retrieval-costs", "costs_table:table", (paths.RETRIEVAL_COSTS,)),
    (FIGURE, "question-differences", "question_differences:FIGURE", (paths.QUESTION_DIFFERENCES,)),
    (FIGURE, "recall-curve", "recall_curve:FIGURE", (paths.RECALL,)),
    (FIGURE, "effectiveness-cost", "effectiveness_cost:FIGURE", (paths.RETRIEVAL_COSTS,)),
)
PRODUCTS = (
    *matrices_of(_PACKAGE, "retrieval", ("retrieval", "retrieval_table:table", _COMPARED)),
    *_MEASURED,
    *products_of(
        _PACKAGE,
        "retrieval-published",
        (TABLE, "retrieval-published", "published_table:table", _SUMMARY),
    ),
    *products_of(
        _PACKAGE,
        "retrieval-stages",
        (TABLE, "retrieval-stages", "stages_table:table", (paths.SUMMARY_STAGES,)),
        (FIGURE, "retrieval-stages", "stages_figure:FIGURE", (paths.SUMMARY_STAGES,)),
    ),
    *products_of(
        _PACKAGE,
        "decisions",
        (
            TABLE,
            "retrieval-decisions",
            "decisions_table:table",
            (paths.SUMMARY_DECISIONS, paths.DECISION_PAIRS),
        ),
    ),
    *products_of(
        _PACKAGE,
        "tuned fusions",
        (FIGURE, "fusion-weights", "weights_figure:FIGURE", (paths.SUMMARY_WEIGHTS,)),
    ),
    *products_of(
        _PACKAGE,
        "retrieval-indexes",
        (TABLE, "retrieval-indexes", "indexes_table:table", (paths.SUMMARY_INDEXES,)),
    ),
    Product(
        TABLE, "retrieval-documents", f"{_PACKAGE}documents_table:table", _FOR_DOCUMENTS, "retrieval-clusters"
    ),
    Product(
        TABLE, "retrieval-group-tests", f"{_PACKAGE}group_tests_table:table", _ON_GROUPS, "retrieval-groups"
    ),
    Product(TABLE, "retrieval-seeds", f"{_PACKAGE}seeds_table:table", _OF_SEEDS, "retrieval-seeds"),
    Product(
        TABLE, "retrieval-questions", f"{_PACKAGE}questions_table:table", _QUOTED, "retrieval", quotes=True
    ),
    Product(
        TABLE, "retrieval-terms", f"{_PACKAGE}terms_table:table", _EXPLAINED, "retrieval-terms", quotes=True
    ),
    Product(
        CHECK,
        "retrieval",
        f"{_PACKAGE}checks:check_retrieval",
        _COMPARED,
        "retrieval",
    ),
)
