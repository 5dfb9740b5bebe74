"""One probe job: the wanted folds of one task and encoder, each written as soon as it is done."""

import logging
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sentflow.errors import DataError
from sentflow.files.parquet import repetition_and_fold
from sentflow.probing.draws import task_plans, too_few_documents
from sentflow.probing.fold import FoldResult, ProbeDesign
from sentflow.probing.fold_files import write_result
from sentflow.probing.settings import ProbeProtocol, ProbeSettings
from sentflow.probing.training import FeatureSource, train_planned
from sentflow.texts.checks import check_folds, few_rows, misfit_classes
from sentflow.texts.table import TaskTable

logger = logging.getLogger(__name__)


def probe_task(
    source: FeatureSource, table: TaskTable, settings: ProbeSettings, outputs: Sequence[Path | str]
) -> None:
    """Train the folds whose files are asked for and write each with its predictions."""
    design = ProbeDesign.of(settings, len(table.info.classes))
    # prepare looked too, but it does not run again when the config asks for another metric or more folds
    if problems := misfit_classes(Counter(table.labels.tolist()), design.metric):
        raise DataError(f"{table.info.task}: {'; '.join(problems)}.")
    check_folds(table, **design.protocol.needs())
    warn_of_few_rows(table, design.protocol)
    file_of = {repetition_and_fold(file): file for file in outputs}
    if settings.folds_optional and (warning := too_few_documents(table, design.protocol)):
        logger.warning("%s: %s", table.info.task, warning)
        for place, file in file_of.items():
            write_result(file, FoldResult.untested(*place), settings)
        return
    plans = task_plans(table, design.protocol, wanted=set(file_of))
    for result in train_planned(source, table.labels, plans, design):
        write_result(file_of[result.repetition, result.fold], result, settings)
    logger.info("%d folds written", len(file_of))


def warn_of_few_rows(table: TaskTable, protocol: ProbeProtocol) -> None:
    """Say in the log where a task has too few rows for its protocol."""
    counts = np.unique(table.labels, return_counts=True)[1].tolist()
    if warning := few_rows(counts, protocol=protocol.name, **protocol.needs()):
        logger.warning("%s: %s", table.info.task, warning)
