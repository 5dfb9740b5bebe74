"""The tables and figures of trainings."""

from sentflow.graph import paths
from sentflow.graph.products import FIGURE, TABLE, Product, products_of

_PACKAGE = "sentflow.report.families.training."
_SUMMARY = (paths.SUMMARY_TRAINING,)

PRODUCTS = (
    *products_of(
        _PACKAGE,
        "sweeps",
        (TABLE, "training-sweep", "sweep_table:table", _SUMMARY),
        (TABLE, "training-reduced", "reduced_table:table", _SUMMARY),
        (FIGURE, "training-sweep", "sweep_figure:FIGURE", (paths.SUMMARY_SWEEPS,)),
    ),
    *products_of(
        _PACKAGE,
        "trainings",
        (TABLE, "training-consert", "seven_tables:consert_table", _SUMMARY),
        (TABLE, "training-simcse", "seven_tables:simcse_table", _SUMMARY),
        (TABLE, "training-sgbert", "seven_tables:sgbert_table", _SUMMARY),
        (
            FIGURE,
            "training-curves",
            "curves_figure:FIGURE",
            (paths.SUMMARY_TRAINING, paths.SUMMARY_TRAINING_HISTORY),
        ),
        (FIGURE, "training-path", "path_figure:FIGURE", _SUMMARY),
    ),
    *products_of(
        _PACKAGE,
        "training seeds",
        (TABLE, "training-seeds", "seeds_table:table", (paths.TRAINING_SEEDS, paths.SUMMARY_TRAINING)),
    ),
    Product(
        FIGURE,
        "training-seeds",
        f"{_PACKAGE}seeds_figure:FIGURE",
        _SUMMARY,
        "trainings",
        also=(paths.TRAINING_SEEDS,),  # one seed has no interval
    ),
)
