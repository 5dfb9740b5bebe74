"""Every table, figure and check.

Standard library only: the Snakefile is read again in every cluster job.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from typing import Any

from sentflow.errors import ConfigError
from sentflow.flow import paths

TABLE, FIGURE, CHECK = "table", "figure", "check"
# What some products need beside the results of families: that any encoder was measured, that any figure is drawn.
ENCODERS, DRAWN = "encoders", "figures"


@dataclass(frozen=True)
class Product:
    """A table, figure or check; tables, figures and checks may share names.

    `maker` is ``"module:name"``: a function of `sentflow.report.inputs.Inputs` that gives a `Table`, one of these and a
    `sentflow.report.checks.Selection` that gives a `CheckResult`, or a `sentflow.report.figure.recipe.Recipe`.
    """

    kind: str
    name: str
    maker: str
    needs: str  # the results without which there is nothing to show; empty for what every run has
    reads: tuple[str, ...]  # one with a wildcard, say ``{protocol}``, stands for a file of each
    also: tuple[str, ...] = ()  # summaries that are read, too, where they are made
    quotes: bool = False  # it shows texts of the data, so that no publication of the run holds it
    is_matrix: bool = False  # also written as a wide CSV and as compact LaTeX

    @property
    def module(self) -> str:
        return self.maker.partition(":")[0]

    @property
    def group(self) -> str:
        """With which others one job makes it; what is measured on pair sets, and trainings scored there, are one."""
        package = self.module.split(".")
        group = package[3] if package[2] == "families" else "run"
        return "similarity" if group in ("geometry", "training") else group

    def takes(self, file: str) -> bool:
        """Whether it reads a file, wherever the results lie."""
        return any(_is_of(pattern, file) for pattern in (*self.reads, *self.also))

    def files(self, there: Sequence[str]) -> list[str]:
        """What it reads, given the files that are made besides those that `reads` names in full."""
        named = [pattern for pattern in self.reads if "{" not in pattern]
        return named + [file for file in there if self.takes(file) and file not in named]

    def load(self) -> Any:
        module, _, name = self.maker.partition(":")
        return getattr(import_module(module), name)


def _is_of(pattern: str, file: str) -> bool:
    before, _, rest = pattern.partition("{")
    return before in file and file.endswith(rest.rpartition("}")[2]) if rest else file.endswith(pattern)


def _product(kind: str, name: str, maker: str, needs: str, *reads: str, **more: Any) -> Product:
    folder = "" if maker.startswith(("costs.", "checks:")) else "families."
    whole = f"sentflow.report.{folder}{maker}"
    return Product(kind, name, whole, needs, reads, **more)


_table, _figure, _check = (partial(_product, kind) for kind in (TABLE, FIGURE, CHECK))
_RANKED = (paths.SUMMARY, paths.RANKS, paths.ACROSS, paths.OMNIBUS)
_COMPARED = (paths.SUMMARY, paths.PAIRS)
_STS = (paths.SUMMARY_SIMILARITY, paths.SIMILARITY_PAIRS)
_RETRIEVAL = (paths.SUMMARY_RETRIEVAL, paths.RETRIEVAL_PAIRS)
_QUOTED = (paths.SUMMARY_RETRIEVAL, paths.HARD_QUESTIONS)
_TRAINED = (paths.SUMMARY_TRAINING, paths.SUMMARY_TRAINING_JOBS)
# Name, maker below `report/families`, what it needs, what it reads; in the order in which they are shown
PRODUCTS = (
    _table("scores", "probing.tables:scores", "scores", *_COMPARED, paths.STANDINGS, is_matrix=True),
    _table("differences", "probing.tables:differences", "scores", *_COMPARED),
    _table("ranks", "probing.tables:ranks", "scores", *_RANKED),
    _table("published", "probing.tables:published", "scores", paths.SUMMARY),
    _table("tasks", "probing.tables:tasks", "scores", paths.SUMMARY),
    _table("protocols", "probing.tables:protocols", "scores", paths.EFFECTS),
    _figure("heatmap", "probing.figures:HEATMAP", "scores", paths.SUMMARY),
    _figure("forest", "probing.interval_figures:FOREST", "scores", paths.SUMMARY),
    _figure("ranks", "probing.figures:RANKS", "scores", *_RANKED),
    _figure("differences", "probing.interval_figures:DIFFERENCES", "scores", *_COMPARED),
    _figure("differences-to-best", "probing.interval_figures:BEST_GAPS", "scores", *_COMPARED),
    _figure("curves", "probing.figures:CURVES", "scores", paths.SUMMARY, paths.CURVES),
    _check("complete", "probing.checks:check_complete", "scores", paths.SUMMARY),
    _check("no_missing", "probing.checks:check_no_missing", "scores", paths.SUMMARY),
    _check("intervals", "probing.checks:check_intervals", "scores", paths.SUMMARY),
    _check("controls", "probing.checks:check_controls", "scores", paths.SUMMARY),
    _table(
        "documents",
        "probing.tables:documents",
        "documents",
        paths.SUMMARY,
        paths.DOCUMENT_SCORES,
        paths.DOCUMENT_PAIRS,
        paths.DOCUMENT_STANDINGS,
    ),
    _table(
        "sts", "similarity.tables:sts", "similarity", *_STS, also=(paths.SUMMARY_TRAINING,), is_matrix=True
    ),
    _table("sts-subsets", "similarity.tables:subsets", "similarity", paths.SUMMARY_SIMILARITY),
    _table("sts-differences", "similarity.tables:differences", "similarity", *_STS),
    _figure("similarity-histograms", "similarity.figures:HISTOGRAMS", "similarity", paths.HISTOGRAMS),
    _table("regressions", "similarity.tables:regressions", "regressions", paths.SUMMARY_REGRESSIONS),
    _check("similarity", "similarity.checks:check_similarity", "similarity", *_STS),
    _table("alignments", "geometry.tables:alignments", "alignments", paths.SUMMARY_ALIGNMENTS),
    _figure(
        "alignment-uniformity",
        "geometry.figures:PLANE",
        "alignments",
        paths.SUMMARY_ALIGNMENTS,
        paths.SUMMARY_SIMILARITY,
    ),
    _table("geometry", "geometry.tables:geometry", "geometry", paths.SUMMARY_GEOMETRY),
    _figure("spectrum", "geometry.figures:SPECTRUM", "geometry", paths.SPECTRA),
    _figure("truncation", "geometry.figures:TRUNCATION", "geometry", paths.TRUNCATION),
    _figure(
        "geometry-and-scores",
        "geometry.figures:ASSOCIATION",
        "geometry of several encoders",
        paths.SUMMARY_GEOMETRY,
        paths.SUMMARY_SIMILARITY,
        also=(paths.SUMMARY,),
    ),
    _table("retrieval", "retrieval.tables:retrieval", "retrieval", *_RETRIEVAL, is_matrix=True),
    _table("retrieval-groups", "retrieval.tables:groups", "retrieval", paths.SUMMARY_RETRIEVAL),
    _table("retrieval-differences", "retrieval.tables:differences", "retrieval", *_RETRIEVAL),
    _table("retrieval-costs", "retrieval.choice_tables:costs", "retrieval", paths.RETRIEVAL_COSTS),
    _figure(
        "question-differences",
        "retrieval.figures:QUESTION_DIFFERENCES",
        "retrieval",
        paths.QUESTION_DIFFERENCES,
    ),
    _figure("recall-curve", "retrieval.figures:RECALL", "retrieval", paths.RECALL),
    _figure("effectiveness-cost", "retrieval.figures:COSTS", "retrieval", paths.RETRIEVAL_COSTS),
    _table(
        "retrieval-published",
        "retrieval.choice_tables:published",
        "retrieval-published",
        paths.SUMMARY_RETRIEVAL,
    ),
    _table("retrieval-stages", "retrieval.tables:stages", "retrieval-stages", paths.SUMMARY_STAGES),
    _figure("retrieval-stages", "retrieval.figures:STAGES", "retrieval-stages", paths.SUMMARY_STAGES),
    _table(
        "retrieval-decisions",
        "retrieval.choice_tables:decisions",
        "decisions",
        paths.SUMMARY_DECISIONS,
        paths.DECISION_PAIRS,
    ),
    _figure("fusion-weights", "retrieval.figures:WEIGHTS", "tuned fusions", paths.SUMMARY_WEIGHTS),
    _table(
        "retrieval-indexes", "retrieval.choice_tables:indexes", "retrieval-indexes", paths.SUMMARY_INDEXES
    ),
    _table(
        "retrieval-documents",
        "retrieval.tables:documents",
        "retrieval-clusters",
        *_RETRIEVAL,
        paths.RETRIEVAL_CLUSTERS,
        paths.RETRIEVAL_DOCUMENT_PAIRS,
    ),
    _table(
        "retrieval-group-tests",
        "retrieval.tables:group_tests",
        "retrieval-groups",
        paths.SUMMARY_RETRIEVAL,
        paths.RETRIEVAL_GROUPS,
        paths.RETRIEVAL_GROUP_PAIRS,
    ),
    _table(
        "retrieval-seeds",
        "retrieval.tables:seeds",
        "retrieval-seeds",
        paths.SUMMARY_RETRIEVAL,
        paths.RETRIEVAL_SEEDS,
    ),
    _table("retrieval-questions", "retrieval.quoted_tables:questions", "retrieval", *_QUOTED, quotes=True),
    _table(
        "retrieval-terms",
        "retrieval.quoted_tables:terms",
        "retrieval-terms",
        *_QUOTED,
        paths.SHARED_TERMS,
        quotes=True,
    ),
    _check("retrieval", "retrieval.checks:check_retrieval", "retrieval", *_RETRIEVAL),
    _table("training-sweep", "training.tables:sweep", "sweeps", paths.SUMMARY_TRAINING),
    _table("training-reduced", "training.tables:best_of_sweep", "sweeps", paths.SUMMARY_TRAINING),
    _figure("training-sweep", "training.figures:SWEEP", "sweeps", paths.SUMMARY_SWEEPS),
    _table("training-runs", "training.tables:runs", "trainings", paths.SUMMARY_TRAINING_JOBS),
    _table("training-costs", "training.tables:costs", "trainings", paths.SUMMARY_TRAINING_JOBS),
    _table("training-held-out", "training.tables:held_out", "trainings", paths.SUMMARY_TRAINING_HELD_OUT),
    _figure(
        "training-curves",
        "training.figures:CURVES",
        "trainings",
        paths.SUMMARY_TRAINING_JOBS,
        paths.SUMMARY_TRAINING,
        paths.SUMMARY_TRAINING_HISTORY,
        paths.SUMMARY_TRAINING_HELD_OUT,
    ),
    _figure("training-path", "training.figures:PATH", "trainings", *_TRAINED),
    _table(
        "training-seeds",
        "training.tables:seeds",
        "training seeds",
        paths.TRAINING_SEEDS,
        paths.SUMMARY_TRAINING,
    ),
    _figure("training-seeds", "training.figures:SEEDS", "trainings", *_TRAINED, also=(paths.TRAINING_SEEDS,)),
    _table("ledger", "ledger.tables:ledger", "ledger", paths.SUMMARY_LEDGER),
    _check("ledger", "ledger.tables:check_ledger", "ledger", paths.SUMMARY_LEDGER),
    _table("costs", "costs.tables:costs", "", paths.COSTS),
    _figure("costs", "costs.figures:BARS", "", paths.COSTS),
    _table("encoders", "costs.tables:encoders", "encoders", paths.ENCODERS),
    _check("figures", "checks:check_figures", "figures", paths.FIGURE_INSPECTION),
    _figure("score-and-cost", "costs.figures:TRADE_OFF", "scores", paths.ENCODERS, paths.RANKS),
)


def names(kind: str) -> list[str]:
    return list(_by_name(kind))


def find(kind: str, name: str) -> Product:
    """The table, figure or check of a name. Raises ConfigError: there is none."""
    if name not in _by_name(kind):
        raise ConfigError(
            f"report.{kind}s: there is no {kind} {name!r}. Write one of: {', '.join(names(kind))}."
        )
    return _by_name(kind)[name]


def reports() -> list[Callable[..., Any]]:
    """What gives the sections of each family on the page, or None where there is nothing to tell, in their order."""
    named = ("probing", "similarity", "geometry", "retrieval", "training", "ledger")
    return [import_module(f"sentflow.report.families.{name}.section").report for name in named]


def of_family(family: str, kind: str) -> list[str]:
    """The names of the tables, figures or checks of a family."""
    return [name for name, product in _by_name(kind).items() if f".families.{family}." in product.module]


def packages() -> list[str]:
    """The packages that make what the page shows."""
    return sorted({product.module.rpartition(".")[0] for product in PRODUCTS if product.kind != CHECK})


@cache
def _by_name(kind: str) -> dict[str, Product]:
    return {product.name: product for product in PRODUCTS if product.kind == kind}
