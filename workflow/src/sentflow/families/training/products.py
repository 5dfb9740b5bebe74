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
        (TABLE, "training-sweep", "sweep_table:table", _SUMMARY),
        (TABLE, "training-reduced", "reduced_table:table", _SUMMARY),
        (FIGURE, "training-sweep", "sweep_figure:FIGURE", (paths.SUMMARY_SWEEPS,)),
    ),
    *products_of(
        _PACKAGE,
        "trainings",
        (TABLE, "training-runs", "runs_table:table", _JOBS),
        (TABLE, "training-costs", "training_costs_table:table", _JOBS),
        (TABLE, "training-held-out", "held_out_table:table", (paths.SUMMARY_TRAINING_HELD_OUT,)),
        (TABLE, "training-consert", "seven_tables:consert_table", _SUMMARY),
        (TABLE, "training-simcse", "seven_tables:simcse_table", _SUMMARY),
        (TABLE, "training-sgbert", "seven_tables:sgbert_table", _SUMMARY),
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
        (TABLE, "training-seeds", "seeds_table:table", (paths.TRAINING_SEEDS, paths.SUMMARY_TRAINING)),
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
