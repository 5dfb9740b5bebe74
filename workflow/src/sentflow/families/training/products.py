"""The tables, the figures and the check of trainings, and what the page says of them."""

from sentflow.graph import paths
from sentflow.graph.family import CHECK, FIGURE, TABLE, Product, products_of

_PACKAGE = "sentflow.report.families.training."
_SUMMARY = (paths.SUMMARY_TRAINING,)
_JOBS = (paths.SUMMARY_TRAINING_JOBS,)

PRODUCTS = (
    *products_of(
        _PACKAGE,
        "sweeps",
        (TABLE, "training-sweep", "tables:sweep", _SUMMARY),
        (TABLE, "training-reduced", "tables:best_of_sweep", _SUMMARY),
        (FIGURE, "training-sweep", "sweep_figure:FIGURE", (paths.SUMMARY_SWEEPS,)),
    ),
    *products_of(
        _PACKAGE,
        "trainings",
        (TABLE, "training-runs", "tables:runs", _JOBS),
        (TABLE, "training-costs", "tables:costs", _JOBS),
        (TABLE, "training-held-out", "tables:held_out", (paths.SUMMARY_TRAINING_HELD_OUT,)),
        (
            FIGURE,
            "training-curves",
            "curves_figure:FIGURE",
            (
                paths.SUMMARY_TRAINING_JOBS,
                paths.SUMMARY_TRAINING,
                paths.SUMMARY_TRAINING_HISTORY,
                paths.SUMMARY_TRAINING_HELD_OUT,
            ),
        ),
        (FIGURE, "training-path", "path_figure:FIGURE", (*_SUMMARY, *_JOBS)),
    ),
    *products_of(
        _PACKAGE,
        "training seeds",
        (TABLE, "training-seeds", "tables:seeds", (paths.TRAINING_SEEDS, paths.SUMMARY_TRAINING)),
    ),
    Product(
        FIGURE,
        "training-seeds",
        f"{_PACKAGE}seeds_figure:FIGURE",
        (*_SUMMARY, *_JOBS),
        "trainings",
        also=(paths.TRAINING_SEEDS,),  # one seed has no interval
    ),
    Product(
        CHECK,
        "model-cards",
        f"{_PACKAGE}cards_check:check_cards",
        (paths.TRAINING_RECORD, paths.MODEL_CARD, paths.TRAINING_AUDIT),
        "trainings",
        also=(paths.SUMMARY, paths.SUMMARY_SIMILARITY, paths.SUMMARY_RETRIEVAL),
    ),
)
