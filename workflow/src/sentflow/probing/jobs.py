"""Jobs of probing: features, folds, scores, comparisons, audits."""

import logging
import time
from pathlib import Path
from typing import TYPE_CHECKING

from sentflow.audit.settings import AuditSettings, HardestSettings
from sentflow.compare.settings import ComparedProtocol, ComparedTasks
from sentflow.errors import DataError, naming, parts
from sentflow.files.io import read_sealed, write_sealed
from sentflow.files.rows import write_rows
from sentflow.jobs.job import In, Out, Resource, Wildcard, job
from sentflow.jobs.machine import library_version
from sentflow.probing.settings import ProbeSettings, ScoreSettings, TaskScore
from sentflow.texts.table import read_task

if TYPE_CHECKING:
    from sentflow.config.configuration import ScoreStatistics
    from sentflow.encoders.manifest import Manifest
    from sentflow.probing.training import FeatureSource
    from sentflow.texts.table import TaskTable

logger = logging.getLogger(__name__)


@job("numpy", "py3langid")
def audit(*, rows: list[In], settings: tuple[AuditSettings, ...], output: list[Out]) -> None:
    """The rows of each task → duplicates, contradictions, classes, lengths, languages; with warnings in plain words."""
    from sentflow.audit.task_audit import audit

    with parts() as part:
        for table, of_task, written in zip(rows, settings, output, strict=True):
            with part(written.stem):
                facts = audit(read_task(table), of_task)
                write_sealed(written, facts)
                for sentence in facts["warnings"]:
                    logger.warning("%s: %s", facts["task"], sentence)
                logger.info(
                    "%s: %d rows, %d warnings", facts["task"], facts["n_rows"], len(facts["warnings"])
                )


@job("numpy")
def featurise(*, manifest: In, task: In, call_seconds: Resource[int] = 0, features: Out, info: Out) -> None:
    """The rows of a task into features, by a user's own class."""
    from sentflow.encoders.kinds.custom import CustomCode, CustomFeaturiser
    from sentflow.encoders.manifest import read_manifest
    from sentflow.encoders.vectors.storage import text_order_sha256, write_embeddings
    from sentflow.probing.rows import all_features, row_texts

    described, table = read_manifest(manifest), read_task(task)
    code = CustomCode.load(described, timeout_seconds=call_seconds or None)
    start = time.perf_counter()
    computed = all_features(table, CustomFeaturiser(code))
    logger.info("%s: %d rows, %d features", table.info.task, *computed.shape)
    description = {
        "model": manifest.parent.name,
        "task": table.info.task,
        "files_sha256": described.files_sha256,
        "model_settings": dict(described.settings),
        "text_order_sha256": text_order_sha256(row_texts(table)),
    }
    made = {
        "seconds": round(time.perf_counter() - start, 3),
        "versions": {"numpy": library_version("numpy")},
    }
    write_embeddings(features, info, computed, description, made)


@job("numba", "numpy")
def probe(
    *,
    task: In,
    texts: In,
    embeddings: In,
    info: In,
    settings: ProbeSettings,
    folds: list[Out],
) -> None:
    """Probe the embeddings of a task: one file per fold."""
    from sentflow.encoders.vectors.storage import read_embeddings
    from sentflow.probing.rows import row_features
    from sentflow.probing.training import FixedFeatures, probe_task
    from sentflow.texts.collection import read_collection, rows_of

    table, collection = read_task(task), read_collection(texts)
    # Second texts are apart where they were embedded as documents
    first, *second = collection.by_role().values()
    second_rows = rows_of(second[0], first=len(first)) if second else None
    vectors = read_embeddings(embeddings, info, collection.texts)
    source = FixedFeatures(row_features(table, vectors, rows_of(first), second_rows))
    probe_task(source, table, settings, folds)


@job("numba", "numpy")
def probe_featurised(
    *,
    task: In,
    features: In,
    info: In,
    settings: ProbeSettings,
    folds: list[Out],
) -> None:
    """Probe a task with features that a user's own class made of its rows: files as those of `probe`."""
    from sentflow.encoders.vectors.storage import read_embeddings
    from sentflow.probing.rows import row_texts
    from sentflow.probing.training import FixedFeatures, probe_task

    table = read_task(task)
    source = FixedFeatures(read_embeddings(features, info, row_texts(table)))
    probe_task(source, table, settings, folds)


@job("numba", "numpy")
def probe_lazy(
    *,
    task: In,
    manifest: In,
    settings: ProbeSettings,
    call_seconds: Resource[int] = 0,
    folds: list[Out],
) -> None:
    """Probe a task with an encoder that is fitted inside each fold: files as those of `probe`."""
    from sentflow.encoders.manifest import read_manifest
    from sentflow.probing.training import probe_task

    table = read_task(task)
    source = lazy_source(
        read_manifest(manifest),
        table,
        split_alternatives=settings.protocol.switches.lazy_sep_layout == "alternatives",
        timeout_seconds=call_seconds or None,
    )
    probe_task(source, table, settings, folds)


def lazy_source(
    manifest: "Manifest",
    table: "TaskTable",
    *,
    split_alternatives: bool = False,
    timeout_seconds: float | None = None,
) -> "FeatureSource":
    """The features of a task's folds by the lazy encoder that a manifest describes; see `LazyFeatures`."""
    from sentflow.encoders.kind import Context, load_encoder
    from sentflow.encoders.settings import FITTED, OWN
    from sentflow.probing.rows import LazyFeatures, LazyFeaturised

    context = Context(timeout_seconds=timeout_seconds, task=table.info.task)
    encoder = load_encoder(manifest, {}, context, output=(FITTED, OWN))
    if hasattr(encoder, "embed"):  # a user's class that makes the features of rows itself
        return LazyFeaturised(table, encoder)
    return LazyFeatures(table, encoder, split_alternatives=split_alternatives)


@job("numpy", "scipy")
def score(
    *,
    rows: list[In],
    folds: list[In],
    model: Wildcard,
    settings: ScoreSettings,
    scores: list[Out],
    tables: list[Out],
    predictions: list[Out],
) -> None:
    """The folds of an encoder → of each task the score with its intervals, the unaggregated table, all predictions."""
    n_folds = len(folds) // len(rows)
    files = zip(settings.tasks, rows, scores, tables, predictions, strict=True)
    with parts() as part:
        for place, (about, table, *outputs) in enumerate(files):
            with part(f"{about.task} × {model}"):
                folds_of_task = folds[place * n_folds : (place + 1) * n_folds]
                mean = _score_task(table, folds_of_task, model, about, settings.statistics, *outputs)
                logger.info("%s × %s: %s %.4f", about.task, model, about.probe.metric, mean)


def _score_task(
    rows: Path,
    folds: list[Path],
    model: str,
    about: TaskScore,
    statistics: "ScoreStatistics",
    scores: Path,
    table: Path,
    predictions: Path,
) -> float:
    """Write the files of one task; its mean."""
    from sentflow.files.parquet import table_of, write_parquet
    from sentflow.probing.scores import (
        about_score,
        kept_documents,
        out_of_fold,
        read_folds,
        refuse_other_settings,
    )
    from sentflow.stats.items import item_interval, resampling_units
    from sentflow.stats.score import score
    from sentflow.stats.seeds import derive_seed

    task, probe, protocol = about.task, about.probe, about.protocol
    read = read_folds(folds)
    refuse_other_settings(folds, read.infos, probe)
    task_table = read_task(rows)
    items = None
    if len(read.predictions):  # documents that cannot be assigned to folds leave none
        items = item_interval(
            out_of_fold(read.predictions, task_table.labels),
            resampling_units(task_table.labels, task_table.groups),
            metric=probe.metric,
            n_classes=len(task_table.info.classes),
            level=statistics.level,
            n_resamples=statistics.n_item_resamples,
            # of the task alone: encoders are compared on the same resamples
            seed=derive_seed(probe.protocol.seed, "items", task),
        )
    numbers = score(
        read.scores.to_pydict(),
        n_folds=probe.protocol.folds,
        seed=probe.protocol.seed,
        level=statistics.level,
        n_resamples=statistics.n_resamples,
        switches=protocol.switches,
        items=items,
        documents=kept_documents(task_table, probe),
    )
    described = about_score(task_table, read.infos, model=model, probe=probe, protocol=protocol)
    task_column = table_of({"task": [task] * len(read.scores)}).column("task")
    write_parquet(table, read.scores.add_column(0, "task", task_column))
    write_parquet(predictions, read.predictions)
    write_sealed(scores, {**described, "task": task, **numbers})
    return float(numbers["mean"])


@job()
def hardest(*, rows: list[In], predictions: list[In], settings: HardestSettings, output: list[Out]) -> None:
    """The out-of-fold predictions of every encoder → of each task the texts that most probes get wrong."""
    n_models = len(settings.models)
    with parts() as part:
        for place, (table, written) in enumerate(zip(rows, output, strict=True)):
            with part(written.stem):
                _hardest_of_task(table, predictions[place * n_models :][:n_models], settings, written)


def _hardest_of_task(rows: Path, predictions: list[Path], settings: HardestSettings, output: Path) -> None:
    import numpy as np

    from sentflow.audit.hardest import HardRow, hardest
    from sentflow.probing.scores import out_of_fold, read_predictions

    table = read_task(rows)
    task, predicted = table.info.task, {}
    for model, file in zip(settings.models, predictions, strict=True):
        with naming(model):
            predicted[model] = out_of_fold(read_predictions([file]), table.labels)
    hard_rows = hardest(table, predicted, limit=settings.limit, offensive=task in settings.offensive)
    write_rows(output, HardRow, hard_rows)
    wrong = np.mean([row.share_wrong for row in hard_rows]) if hard_rows else 0.0
    logger.info("%s: %d texts, wrong in %.1f %% of their predictions", task, len(hard_rows), 100 * wrong)


@job("numpy", "scipy")
def compare(
    *,
    scores: list[In],
    rows: list[In],
    settings: ComparedTasks,
    pairs: Out,
    standings: Out,
    ranks: Out,
    across: Out,
    omnibus: Out,
) -> None:
    """Scores, folds and predictions of all tasks and encoders → which encoders differ."""
    from sentflow.compare.across import Grid, across_rows, omnibus_facts, rank_rows
    from sentflow.compare.rows import AcrossRow, PairRow, RankRow, StandingRow
    from sentflow.compare.score_rows import by_protocol
    from sentflow.compare.tasks import compare_tasks, scores_of_tasks

    statistics = settings.statistics
    score_rows, task_scores = scores_of_tasks(scores, rows, settings)
    pair_rows, standing_rows = compare_tasks(task_scores, statistics)
    fold_scores = {
        (row.task, row.model): one.folds[:, index]
        for one in task_scores
        for index, row in enumerate(one.rows)
    }
    grids = [
        Grid(
            protocol,
            {row.task: settings.sources[row.task] for row in members},
            {name: (model.title, model.control) for name, model in settings.models.items()},
            fold_scores,
            folds=score_rows[0].folds,
            alpha=statistics.alpha,
            seed=score_rows[0].seed,
            documents={row.task: row.documents for row in members},
        )
        for protocol, members in by_protocol(score_rows).items()
    ]
    all_ranks: list[RankRow] = []
    across_all: list[AcrossRow] = []
    omnibus_all = {}
    for grid in grids:
        if grid.incomplete:
            logger.warning(
                "without a score on every task of protocol %s: %s", grid.protocol, ", ".join(grid.incomplete)
            )
        all_ranks += rank_rows(grid, statistics)
        across_all += across_rows(grid, pair_rows, statistics)
        omnibus_all[grid.protocol] = omnibus_facts(grid, statistics)
    write_rows(pairs, PairRow, pair_rows)
    write_rows(standings, StandingRow, standing_rows)
    write_rows(ranks, RankRow, all_ranks)
    write_rows(across, AcrossRow, across_all)
    write_sealed(omnibus, omnibus_all)


@job("numpy", "scipy")
def compare_protocol(
    *,
    scores: list[In],
    tables: list[In],
    other_scores: list[In],
    other_tables: list[In],
    settings: ComparedProtocol,
    output: Out,
) -> None:
    """Scores under two protocols → what the second changes, one row per task and encoder."""
    from sentflow.compare.score_rows import EffectRow
    from sentflow.compare.scores import in_order, score_row
    from sentflow.compare.tasks import effect_rows, fold_scores

    base, other = (
        [score_row(read_sealed(file), settings) for file in files] for files in (scores, other_scores)
    )
    for row, file in zip(other, other_scores, strict=True):
        if row.protocol != settings.protocol:
            raise DataError(
                f"{file} was made by the protocol {row.protocol}, not by {settings.protocol}. Delete it and "
                "run snakemake again."
            )
    first, second = (
        {(row.task, row.model): fold_scores(table) for row, table in zip(rows, files, strict=True)}
        for rows, files in ((base, tables), (other, other_tables))
    )
    folds = {key: (values, second[key]) for key, values in first.items() if key in second}
    rows = effect_rows(in_order(base), in_order(other), folds, title=settings.protocol_title)
    write_rows(output, EffectRow, rows)


@job("numpy", "scipy")
def compare_documents(
    *, scores: list[In], rows: list[In], settings: ComparedTasks, summary: Out, pairs: Out, standings: Out
) -> None:
    """Scores with documents kept together → what is said of new documents: intervals and tests."""
    from sentflow.compare.rows import PairRow, StandingRow
    from sentflow.compare.score_rows import DocumentScore
    from sentflow.compare.tasks import compare_tasks, scores_of_tasks

    score_rows, task_scores = scores_of_tasks(scores, rows, settings)
    pair_rows, standing_rows = compare_tasks(task_scores, settings.statistics)
    write_rows(summary, DocumentScore, score_rows)
    write_rows(pairs, PairRow, pair_rows)
    write_rows(standings, StandingRow, standing_rows)
