"""What a score file says beside its numbers."""

from collections.abc import Sequence
from typing import Any

from sentflow.probing.settings import AboutProtocol, ProbeSettings
from sentflow.probing.storage.folds import FoldInfo
from sentflow.stats.effective import Documents
from sentflow.stats.items import resampling_units
from sentflow.texts.table import TaskTable, n_contradicting, row_graph


def about_score(
    table: TaskTable,
    folds: Sequence[FoldInfo],
    *,
    model: str,
    probe: ProbeSettings,
    protocol: AboutProtocol,
) -> dict[str, Any]:
    """What was measured, and on which rows."""
    switches = protocol.switches.changes()
    return {
        **probe.protocol.cross_validation,
        "metric": probe.metric,
        "classifier": probe.protocol.classifier,
        # a protocol that differs in its statistics alone scores the folds of another
        "protocol": protocol.name,
        # only what is not as published, so that a published score has the bytes it always had
        **({"switches": switches} if switches else {}),
        **({"not_comparable": protocol.changed} if protocol.changed else {}),
        # not every task has documents to keep together
        **({"groups_folds": True} if probe.protocol.switches.group_folds else {}),
        "task": table.info.task,
        "model": model,
        "layout": table.info.layout,
        "data_version": table.info.data_version,
        "n_folds": len(folds),
        "n_rows": len(table),
        "n_balanced_rows": folds[0].n_train + folds[0].n_evaluation + folds[0].n_test,
        "n_classes": len(table.info.classes),
        "n_train": min(fold.n_train for fold in folds),
        "n_contradicting": n_contradicting(table),
        "effective_rows": row_graph(table).effective_rows,
        # a lazy encoder's width depends on the training texts of the fold
        "dimension": max(fold.dimension for fold in folds),
    }


def kept_documents(table: TaskTable, probe: ProbeSettings) -> Documents | None:
    """The documents of a task that settings of folds keep together; None where rows are assigned one by one.

    Rows without a document are documents of their own. Settings of a task whose rows name none do not keep any
    together, see `catalog.job_settings`.
    """
    if not probe.protocol.switches.group_folds:
        return None
    return Documents.of(resampling_units(table.labels, table.groups).of_row, table.labels)
