"""The tables, figures and checks of tasks, and what the page says of them."""

from sentflow.graph import paths
from sentflow.graph.family import CHECK, FIGURE, TABLE, Product, matrices_of, products_of

_PACKAGE = "sentflow.report.families.probing."
_SCORES = (paths.SUMMARY,)
_RANKED = (paths.SUMMARY, paths.RANKS, paths.ACROSS, paths.OMNIBUS)
_COMPARED = (paths.SUMMARY, paths.PAIRS)
_STUDY = (paths.EFFECTS,)
_DOCUMENTS = (
    *(paths.SUMMARY, paths.DOCUMENT_SCORES),
    *(paths.DOCUMENT_PAIRS, paths.DOCUMENT_STANDINGS),
)

PRODUCTS = (
    *matrices_of(
        _PACKAGE,
        "scores",
        ("scores", "tables:scores", (paths.SUMMARY, paths.PAIRS, paths.STANDINGS)),
    ),
    *products_of(
        _PACKAGE,
        "scores",
        (TABLE, "differences", "tables:differences", _COMPARED),
        (TABLE, "ranks", "rank_table:ranks", _RANKED),
        (TABLE, "published", "tables:published", _SCORES),
        (TABLE, "tasks", "tables:tasks", _SCORES),
        (TABLE, "protocols", "tables:protocols", _STUDY),
        (FIGURE, "heatmap", "heatmap:FIGURE", _SCORES),
        (FIGURE, "forest", "forest:FIGURE", _SCORES),
        (FIGURE, "ranks", "rankings:FIGURE", _RANKED),
        (FIGURE, "differences", "differences:FIGURE", _COMPARED),
        (FIGURE, "differences-to-best", "best_gaps:FIGURE", _COMPARED),
        (FIGURE, "curves", "curves:FIGURE", (paths.SUMMARY, paths.CURVES)),
        (CHECK, "complete", "checks:check_complete", _SCORES),
        (CHECK, "no_missing", "checks:check_no_missing", _SCORES),
        (CHECK, "intervals", "checks:check_intervals", _SCORES),
        (CHECK, "controls", "checks:check_controls", _SCORES),
    ),
    Product(TABLE, "documents", f"{_PACKAGE}tables:documents", _DOCUMENTS, "documents"),
)
