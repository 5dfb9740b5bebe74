"""Jobs of the report: summaries, tables, figures, checks, the record, the page."""

import gc
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sentflow.compare.rows import QuestionDifference
from sentflow.compare.settings import Titles
from sentflow.errors import DataError, parts
from sentflow.files.io import read_json, read_sealed, write_json, write_sealed, write_text
from sentflow.files.rows import read_rows, write_rows
from sentflow.jobs.job import In, Json, Out, job
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.settings import (
    CostSummary,
    DecisionSummary,
    GeometrySummary,
    IndexSummary,
    RetrievalSummary,
    SimilaritySummary,
    StageSummary,
    TrainingSummary,
    WeightSummary,
)

if TYPE_CHECKING:
    from sentflow.compare.score_rows import ScoreRow
    from sentflow.flow.products import Product
    from sentflow.report.inputs import Inputs

logger = logging.getLogger(__name__)


@job()
def summarise(*, scores: list[In], tables: list[In], settings: Titles, summary: Out, curves: Out) -> None:
    """Score files of all tasks and models → the summary of scores and the training curves."""
    from sentflow.compare.score_rows import ScoreRow
    from sentflow.compare.scores import in_order, score_row
    from sentflow.report.families.probing.rows import CurveRow
    from sentflow.report.families.probing.summary import curve_rows, folds_per_epoch

    rows: list[ScoreRow] = []
    points: list[CurveRow] = []
    for scores_file, table_file in zip(scores, tables, strict=True):
        read_scores = read_sealed(scores_file)
        try:
            row = score_row(read_scores, settings)
            _refuse_other_place(Path(scores_file), row)
            points += curve_rows(row, read_scores["published"], folds_per_epoch(table_file))
        except DataError as error:
            raise DataError(f"{scores_file}: {error}") from error
        rows.append(row)
    rows = in_order(rows)
    order = {(row.task, row.model): index for index, row in enumerate(rows)}
    points.sort(key=lambda curve: order[curve.task, curve.model])
    write_rows(summary, ScoreRow, rows)
    write_rows(curves, CurveRow, points)


def _refuse_other_place(file: Path, row: "ScoreRow") -> None:
    """Refuse a score file of another task or encoder than its path says."""
    from sentflow.files.parquet import name_in_results

    name = name_in_results(file.as_posix())
    if name is not None and not name.endswith(f"scores/{row.task}/{row.model}.json"):
        raise DataError(
            f"it is the score of {row.model} on {row.task}, in the place of another. Delete it and run snakemake again."
        )


@job()
def summarise_similarity(
    *,
    scores: Sequence[In] = (),
    rows: Sequence[In] = (),
    regressed: Sequence[In] = (),
    settings: SimilaritySummary,
    similarity: Out,
    regressions: Out,
    histograms: Out,
) -> None:
    """Results of similarity of all encoders → their summaries, of which tables and figures are made."""
    from sentflow.report.families.similarity import summary
    from sentflow.report.families.similarity.rows import HistogramRow, RegressionRow, SimilarityRow
    from sentflow.report.families.similarity.summary import in_order
    from sentflow.similarity.scores import read_similarities

    correlations: list[SimilarityRow] = []
    bins: list[HistogramRow] = []
    for result, file_of_rows in zip(map(read_sealed, scores), rows, strict=True):
        pairs = read_similarities(file_of_rows)
        correlations += summary.similarity_rows(result, pairs, settings)
        bins += summary.histogram_rows(result, pairs, settings)
    regression_rows = [summary.regression_row(read_sealed(file), settings) for file in regressed]
    write_rows(similarity, SimilarityRow, in_order(correlations, settings, "pairs"))
    write_rows(regressions, RegressionRow, in_order(regression_rows, settings, "regression"))
    write_rows(histograms, HistogramRow, in_order(bins, settings, "pairs"))


@job()
def summarise_geometry(
    *,
    aligned: Sequence[In] = (),
    measured: Sequence[In] = (),
    settings: GeometrySummary,
    alignments: Out,
    geometry: Out,
    spectra: Out,
    truncation: Out,
) -> None:
    """Results of geometry of all encoders → their summaries, of which tables and figures are made."""
    from sentflow.report.families.geometry import summary
    from sentflow.report.families.geometry.rows import AlignmentRow, GeometryRow, SpectrumRow, TruncationRow
    from sentflow.report.families.similarity.summary import in_order

    alignment_rows = [summary.alignment_row(read_sealed(file), settings) for file in aligned]
    results = [read_sealed(file) for file in measured]
    geometry_rows = [row for result in results for row in summary.geometry_rows(result, settings)]
    spectrum = [row for result in results for row in summary.spectrum_rows(result, settings)]
    truncated = [row for result in results for row in summary.truncation_rows(result, settings)]
    write_rows(alignments, AlignmentRow, in_order(alignment_rows, settings, "alignment_set"))
    write_rows(geometry, GeometryRow, in_order(geometry_rows, settings, "family"))
    write_rows(spectra, SpectrumRow, in_order(spectrum, settings, "family"))
    write_rows(truncation, TruncationRow, in_order(truncated, settings, "pairs"))


@job("numpy")
def summarise_retrieval(
    *,
    results: list[In],
    rows: list[In],
    differences: In,
    settings: RetrievalSummary,
    summary: Out,
    recall: Out,
    gaps: Out,
) -> None:
    """Results of all retrievers, values of every question → rows of tables, curves of recall, differences."""
    from sentflow.report.families.retrieval.rows import QuestionGapRow, RecallRow
    from sentflow.report.families.retrieval.summary import gap_rows, recall_rows, retrieval_rows
    from sentflow.retrieval.evaluation import read_values

    write_rows(summary, RetrievalRow, retrieval_rows(map(read_sealed, results), settings))
    values = [read_values(path) for path in rows]
    tested = read_rows(differences, QuestionDifference, may_be_empty=True)
    write_rows(recall, RecallRow, list(recall_rows(values, settings)))
    write_rows(gaps, QuestionGapRow, list(gap_rows(values, tested, settings)))


@job()
def summarise_retrieval_costs(
    *, summary: In, made: list[In], embeddings: Sequence[In] = (), settings: CostSummary, output: Out
) -> None:
    """Time of searches and size of what they searched. No score depends on it."""
    from sentflow.encoders.vectors.storage import how_made
    from sentflow.report.families.retrieval.rows import RetrievalCostRow
    from sentflow.report.families.retrieval.summary import cost_rows

    runs = [read_json(path) for path in made]
    infos = [(read_json(path), how_made(path)) for path in embeddings]
    rows = list(
        cost_rows(
            read_rows(summary, RetrievalRow),
            {(run["questions"], run["retriever"]): run for run in runs},
            {
                (info["collection"].removesuffix("/questions"), info["model"]): {
                    **how,
                    "n_texts": info["shape"][0],
                }
                for info, how in infos
            },
            settings,
        )
    )
    write_rows(output, RetrievalCostRow, rows)


@job()
def summarise_stages(*, summary: In, differences: In, seeds: In, settings: StageSummary, output: Out) -> None:
    """Means, tests and seeds of the retrievers of a chain → a row per stage."""
    from sentflow.compare.rows import SeedRow
    from sentflow.report.families.retrieval.rows import StageRow
    from sentflow.report.families.retrieval.summary import stage_rows

    rows = stage_rows(
        read_rows(summary, RetrievalRow),
        read_rows(seeds, SeedRow, may_be_empty=True),
        read_rows(differences, QuestionDifference, may_be_empty=True),
        settings,
    )
    write_rows(output, StageRow, rows)


@job()
def summarise_decisions(*, results: list[In], settings: DecisionSummary, output: Out) -> None:
    """What all decisions are worth → one table of rows, of which a table is made."""
    from sentflow.report.families.retrieval.rows import DecisionRow
    from sentflow.report.families.retrieval.summary import decision_rows
    from sentflow.retrieval.decisions import read_worth

    worth = [one for path in results for one in read_worth(path)]
    rows = decision_rows(worth, settings)
    write_rows(output, DecisionRow, rows)


@job()
def summarise_indexes(*, results: list[In], settings: IndexSummary, output: Out) -> None:
    """Certificates of approximate indexes → one table of rows."""
    from sentflow.report.families.retrieval.rows import IndexRow
    from sentflow.report.families.retrieval.summary import index_rows

    write_rows(output, IndexRow, index_rows(map(read_sealed, results), settings))


@job("numpy")
def summarise_weights(*, weighed: list[In], chosen: list[In], settings: WeightSummary, output: Out) -> None:
    """What each weight of fusions reaches, and what was chosen → one table of rows."""
    from sentflow.report.families.retrieval.rows import WeightRow
    from sentflow.report.families.retrieval.summary import weight_rows
    from sentflow.retrieval.retrievers.fusion import read_chosen, read_weighed

    chosen_weights = {about["retriever"]: about for about, *_ in map(read_chosen, chosen)}
    rows = weight_rows([*map(read_weighed, weighed)], chosen_weights, settings)
    write_rows(output, WeightRow, rows)


@job()
def summarise_training(
    *,
    records: list[In],
    development: Sequence[In] = (),
    selections: list[In],
    similarity: Sequence[In] = (),
    alignments: Sequence[In] = (),
    settings: TrainingSummary,
    scores: Out,
    jobs: Out,
    history: Out,
    held_out: Out,
    sweeps: Out,
) -> None:
    """All trainings → a row per number of one, per training, per step, and per cell of a sweep."""
    from sentflow.report.families.geometry.rows import AlignmentRow
    from sentflow.report.families.similarity.rows import SimilarityRow
    from sentflow.report.families.training.rows import (
        SweepPoint,
        TrainedRow,
        TrainingHeldOutRow,
        TrainingHistoryRow,
        TrainingRow,
    )
    from sentflow.report.families.training.summary import (
        development_rows,
        held_out_rows,
        history_rows,
        sweep_points,
        test_rows,
        trained_row,
    )

    chosen = {file.parent.name: read_sealed(file)["step"] for file in selections}
    correlations = [row for file in similarity for row in read_rows(file, SimilarityRow)]
    aligned = [row for file in alignments for row in read_rows(file, AlignmentRow)]
    scored = [
        *development_rows([read_sealed(file) for file in development], chosen, settings.scores),
        *test_rows(correlations, aligned, chosen, settings.scores),
    ]
    folders = [record.parent for record in records]
    trained = [trained_row(folder, settings.models[folder.name]) for folder in folders]
    steps = [row for folder, one in zip(folders, trained, strict=True) for row in history_rows(folder, one)]
    measures = [
        row for folder, one in zip(folders, trained, strict=True) for row in held_out_rows(folder, one)
    ]
    write_rows(scores, TrainingRow, scored)
    write_rows(history, TrainingHistoryRow, steps)
    write_rows(held_out, TrainingHeldOutRow, measures)
    write_rows(sweeps, SweepPoint, list(sweep_points(settings.sweeps, scored)))
    write_rows(jobs, TrainedRow, trained)


@job()
def summarise_costs(
    *,
    summaries: Sequence[In] = (),
    manifests: Sequence[In] = (),
    embeddings: Sequence[In] = (),
    benchmarks: Sequence[In] = (),
    costs: Out,
    encoders: Out,
) -> None:
    """Benchmark records of Snakemake → time and memory per rule, and what each encoder is and costs."""
    from sentflow.compare.score_rows import ScoreRow
    from sentflow.report.costs.rows import CostRow, EncoderRow
    from sentflow.report.costs.summary import (
        Embedding,
        cost_rows,
        encoder_rows,
        read_jobs,
    )
    from sentflow.report.inputs import Inputs
    from sentflow.report.rows import MeasuredRow, data_versions

    jobs = read_jobs(benchmarks)
    scores = Inputs(summaries).rows_if_there(ScoreRow)
    named = [row for path in summaries for row in read_rows(path, MeasuredRow, may_be_empty=True)]
    if not named:
        raise DataError("no summary has a row. Give one of scores or of similarity with --summaries.")
    rows = cost_rows(jobs, "; ".join(data_versions(named)))
    described = encoder_rows(
        scores,
        {path.parent.name: _about(path) for path in manifests},
        [Embedding.read(path) for path in embeddings],
        jobs,
        named,
    )
    write_rows(costs, CostRow, rows)
    write_rows(encoders, EncoderRow, described)
    logger.info("%d jobs, %d rules, %d encoders", len(jobs), len(rows), len(described))


def _about(path: Path) -> dict[str, float | None]:
    from sentflow.encoders.manifest import read_manifest

    manifest = read_manifest(path)
    return {
        "parameters": manifest.parameters,
        "dimension": manifest.dimension,
        "max_tokens": manifest.max_tokens,
    }


def _make_each(kind: str, names: Iterable[str], files: Sequence[Path], make: Callable[..., None]) -> None:
    """Make products one after the other, each of its own files. `make`: of a product and its `Inputs`."""
    from sentflow.flow import products
    from sentflow.report.inputs import Inputs

    with parts() as part:
        for name in names:
            product = products.find(kind, name)
            with part(f"{kind} {name}"):
                make(product, Inputs([file for file in files if product.takes(file.as_posix())]))


def _endings(output: Sequence[Path], name: str, forms: Mapping[str, Any]) -> dict[str, Path]:
    """Ending of each file of a product → the file, among those of several products."""
    endings = ((file.name.removeprefix(name), file) for file in output)
    return {ending: file for ending, file in endings if ending in forms}


@job("jinja2", "matplotlib", "pyarrow")
def make_products(
    *, summary: list[In], settings: Json, tables: Sequence[Out] = (), figures: Sequence[Out] = ()
) -> None:
    """The tables of a group as CSV, Markdown and LaTeX, matrices as wide CSV and compact LaTeX, too; and its figures.

    Settings: {"tables": names, "figures": names, "caption": how captions begin, "published": table → scores}.
    """
    with parts() as part:
        with part("report.tables, where you may leave out what fails"):
            make_tables(summary, settings, tables)
        if figures:
            with part("report.figures, where you may leave out what fails"):
                make_figures(summary=summary, products=" ".join(settings["figures"]), output=[*figures])


def make_tables(summary: Sequence[Path], settings: Mapping[str, Any], output: Sequence[Path]) -> None:
    """The tables of `make_products`."""
    from sentflow.report.table.formats import csv_text, markdown_text, wide_csv_text
    from sentflow.report.table.latex import compact_latex_text, latex_text
    from sentflow.report.table.table import made

    # how the name of a file goes on behind that of the table → what writes it
    forms = {
        ".csv": csv_text,
        ".md": markdown_text,
        ".tex": latex_text,
        "-wide.csv": wide_csv_text,
        "-compact.tex": compact_latex_text,
    }

    def make(product: "Product", inputs: "Inputs") -> None:
        published = settings["published"].get(product.name, ())
        table = made(product, inputs, settings["caption"], published)
        for ending, file in _endings(output, product.name, forms).items():
            write_text(file, forms[ending](table))
        logger.info("%s: %d records", product.name, len(table.records))

    _make_each("table", settings["tables"], summary, make)


@job("matplotlib", "pyarrow")
def make_figures(*, summary: list[In], products: str, output: list[Out]) -> None:
    """Figures as PDF, PNG and SVG, with captions, rows, and what was measured of them.

    A figure is made of the summaries that it reads, or again of its own rows alone.
    """
    from sentflow.files.atomic import atomic
    from sentflow.report.figure import canvas
    from sentflow.report.figure.inspection import inspect
    from sentflow.report.figure.recipe import Recipe

    # it tells every step of cutting the fonts of a PDF down
    logging.getLogger("fontTools").setLevel(logging.WARNING)
    forms = dict.fromkeys((".pdf", ".png", ".svg", ".md", ".parquet", ".inspection.json"))

    def make(product: "Product", inputs: "Inputs") -> None:
        recipe: Recipe = product.load()
        if inputs.files:
            inputs.refuse_missing([Path(pattern).stem for pattern in product.reads])
        rows = recipe.rows(inputs) if inputs.files else recipe.own_rows(summary)
        files = _endings(output, product.name, forms)
        with canvas.style():
            drawn = recipe.draw(rows)
        inspection = inspect(drawn)
        for problem in inspection.problems:
            logger.warning("figure %s: %s", product.name, problem)
        for ending, file in files.items():
            if ending == ".md":
                write_text(file, recipe.texts(rows).markdown)
            elif ending == ".parquet":
                write_rows(file, recipe.kind, rows)
            elif ending == ".inspection.json":
                told = {"n_texts": inspection.n_texts, "problems": inspection.problems}
                write_sealed(file, {"figure": product.name, **told})
            elif ending == ".png":
                with atomic(file) as part:
                    part.write_bytes(inspection.picture)
            else:
                canvas.save(drawn, file)
        logger.info("%s: %d texts", product.name, inspection.n_texts)

    # what a figure is made of stays until it is written: to look for garbage takes a seventh of the time
    gc.disable()
    try:
        _make_each("figure", products.split(), summary, make)
    finally:
        gc.enable()


@job()
def make_checks(*, outcomes: list[In], output: Out) -> None:
    """Outcomes of the acceptance checks → a line for each if all hold; an error that lists every row if not."""
    results = [read_json(file) for file in outcomes]
    failed = [result for result in results if not result["passed"]]
    if failed:
        lines = [
            f"check {one['check']}: {one['rule']} Problems:\n  " + "\n  ".join(one["problems"])
            for one in failed
        ]
        raise DataError("\n".join([*lines, "The results are kept: check these rows before you use them."]))
    write_text(output, "".join(f"{one['check']}: {one['rule']}\n" for one in results))


@job()
def record(*, settings: Json, config: Out, versions: Out) -> None:
    """The effective configuration and the versions of everything that made the results."""
    from sentflow.report import record

    write_text(config, record.config_text(settings))
    write_json(versions, record.versions())


@job("jinja2", "pyarrow")
def report(
    *,
    summary: list[In],
    audits: Sequence[In] = (),
    tables: Sequence[In] = (),
    figures: Sequence[In] = (),
    folds: Sequence[In] = (),
    config: In,
    versions: In,
    checks: Json,
    settings: Json,
    outcomes: Sequence[Out] = (),
    page: Out,
) -> None:
    """The report of an experiment: one self-contained HTML page; and the outcome of each acceptance check.

    Settings: JSON, see Sources. Checks: check → {"tasks": […], "models": […], "random_models": […], …}, see Selection.
    """
    from sentflow.audit.hardest import HardRow
    from sentflow.flow import products
    from sentflow.report.checks import CheckResult, Selection
    from sentflow.report.families.probing.summary import fold_scores
    from sentflow.report.inputs import Inputs
    from sentflow.report.page.page import render
    from sentflow.report.page.sources import Sources

    inputs = Inputs(summary)
    results: list[CheckResult] = []
    for file in outcomes:
        result = products.find("check", file.stem).load()(inputs, Selection(**checks[file.stem]))
        told = {"check": result.name, "rule": result.rule, "passed": result.passed, "counts": result.counts}
        write_json(file, told if result.passed else {**told, "problems": result.problems})
        results.append(result)
    sources = Sources(
        inputs=inputs,
        settings=settings,
        checks=results,
        config=config.read_text(encoding="utf-8"),
        versions=read_json(versions),
        files=[*tables, *(file for file in figures if file.suffix != ".md")],
        audits={_audited(file): read_sealed(file) for file in audits if file.suffix == ".json"},
        hardest={
            file.stem: read_rows(file, HardRow, may_be_empty=True)[:10]  # the file holds more
            for file in audits
            if file.suffix == ".parquet"
        },
        folds=fold_scores(folds),
    )
    write_text(page, render(sources))
    logger.info("%s: %d kB", page, page.stat().st_size // 1000)


def _audited(file: Path) -> str:
    """The task of an audit, or its family and what it calls its data: ``retrieval/cranfield``."""
    return file.stem if file.parent.name == "audit" else f"{file.parent.name}/{file.stem}"
