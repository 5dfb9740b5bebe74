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
        ("scores", "score_table:table", (paths.SUMMARY, paths.PAIRS, paths.STANDINGS)),
    ),
    *products_of(
        _PACKAGE,
        "scores",
        (TABLE, "differences", "comparison_products:differences", _COMPARED),
        (TABLE, "ranks", "comparison_products:ranks", _RANKED),
        (TABLE, "matches", "comparison_products:matches", _RANKED),
        (TABLE, "published", "published_table:table", _SCORES),
        (TABLE, "tasks", "tasks_table:table", _SCORES),
        (TABLE, "protocols", "protocol_table:table", _STUDY),
        (FIGURE, "heatmap", "heatmap:FIGURE", _SCORES),
        (FIGURE, "forest", "forest:FIGURE", _SCORES),
        (FIGURE, "family-means", "family_means:FIGURE", _SCORES),
        (FIGURE, "ranks", "rankings:FIGURE", _RANKED),
        (FIGURE, "wins", "wins:FIGURE", (paths.SUMMARY, paths.ACROSS)),
        (FIGURE, "differences", "differences:FIGURE", _COMPARED),
        (FIGURE, "differences-to-best", "best_gaps:FIGURE", _COMPARED),
        (FIGURE, "curves", "curves:FIGURE", (paths.SUMMARY, paths.CURVES)),
        (CHECK, "complete", "checks:check_complete", _SCORES),
        (CHECK, "no_missing", "checks:check_no_missing", _SCORES),
        (CHECK, "intervals", "checks:check_intervals", _SCORES),
        (CHECK, "controls", "checks:check_controls", _SCORES),
    ),
    Product(TABLE, "documents", f"{_PACKAGE}document_table:table", _DOCUMENTS, "documents"),
    Product(
        CHECK,
        "tables",
        "sentflow.report.families.probing.written_tables:check_tables",
        _COMPARED,
        "scores",
        tables=("scores", "differences", "ranks", "matches"),
    ),
)
