"""The tables, the figures and the check of retrieval, and what the page says of it."""

from sentflow.flow import paths
from sentflow.flow.family import CHECK, FIGURE, TABLE, Product, matrices_of, products_of

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
    (TABLE, "retrieval-groups", "tables:groups", _SUMMARY),
    (TABLE, "retrieval-differences", "tables:differences", _COMPARED),
    (TABLE, "retrieval-costs", "choice_tables:costs", (paths.RETRIEVAL_COSTS,)),
    (FIGURE, "question-differences", "question_differences:FIGURE", (paths.QUESTION_DIFFERENCES,)),
    (FIGURE, "recall-curve", "recall_curve:FIGURE", (paths.RECALL,)),
    (FIGURE, "effectiveness-cost", "effectiveness_cost:FIGURE", (paths.RETRIEVAL_COSTS,)),
)
PRODUCTS = (
    *matrices_of(_PACKAGE, "retrieval", ("retrieval", "tables:retrieval", _COMPARED)),
    *_MEASURED,
    *products_of(
        _PACKAGE,
        "retrieval-published",
        (TABLE, "retrieval-published", "choice_tables:published", _SUMMARY),
    ),
    *products_of(
        _PACKAGE,
        "retrieval-stages",
        (TABLE, "retrieval-stages", "tables:stages", (paths.SUMMARY_STAGES,)),
        (FIGURE, "retrieval-stages", "stages_figure:FIGURE", (paths.SUMMARY_STAGES,)),
    ),
    *products_of(
        _PACKAGE,
        "decisions",
        (
            TABLE,
            "retrieval-decisions",
            "choice_tables:decisions",
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
        (TABLE, "retrieval-indexes", "choice_tables:indexes", (paths.SUMMARY_INDEXES,)),
    ),
    Product(
        TABLE, "retrieval-documents", f"{_PACKAGE}tables:documents", _FOR_DOCUMENTS, "retrieval-clusters"
    ),
    Product(TABLE, "retrieval-group-tests", f"{_PACKAGE}tables:group_tests", _ON_GROUPS, "retrieval-groups"),
    Product(TABLE, "retrieval-seeds", f"{_PACKAGE}tables:seeds", _OF_SEEDS, "retrieval-seeds"),
    Product(
        TABLE, "retrieval-questions", f"{_PACKAGE}quoted_tables:questions", _QUOTED, "retrieval", quotes=True
    ),
    Product(
        TABLE, "retrieval-terms", f"{_PACKAGE}quoted_tables:terms", _EXPLAINED, "retrieval-terms", quotes=True
    ),
    Product(
        CHECK,
        "retrieval",
        f"{_PACKAGE}checks:check_retrieval",
        _COMPARED,
        "retrieval",
    ),
)
