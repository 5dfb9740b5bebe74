"""The tables and figures of geometry; the page shows them beside those of pair sets."""

from sentflow.graph import paths
from sentflow.graph.products import FIGURE, TABLE, Product, products_of

_PACKAGE = "sentflow.report.families.geometry."
_SCORES = (paths.SUMMARY,)
_STS = (paths.SUMMARY_SIMILARITY,)
_ALIGNMENTS = (paths.SUMMARY_ALIGNMENTS,)

PRODUCTS = (
    *products_of(
        _PACKAGE,
        "alignments",
        (TABLE, "alignments", "alignments_table:table", _ALIGNMENTS),
        (FIGURE, "alignment-uniformity", "plane:FIGURE", (*_ALIGNMENTS, *_STS)),
    ),
    *products_of(
        _PACKAGE,
        "geometry",
        (TABLE, "geometry", "geometry_table:table", (paths.SUMMARY_GEOMETRY,)),
        (FIGURE, "spectrum", "spectrum:FIGURE", (paths.SPECTRA,)),
        (FIGURE, "truncation", "truncation:FIGURE", (paths.TRUNCATION,)),
    ),
    Product(
        FIGURE,
        "geometry-and-scores",
        f"{_PACKAGE}association_figure:FIGURE",
        (paths.SUMMARY_GEOMETRY, *_STS),
        "geometry of several encoders",
        also=_SCORES,  # geometry can be set against the scores of tasks, too
    ),
)
