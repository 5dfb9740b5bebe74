"""One probe job: the wanted folds of one task and encoder, each written as soon as it is done."""

import json
import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from sentflow.errors import DataError
from sentflow.graph import paths
from sentflow.probing.accelerator.devices import check_device
from sentflow.probing.cross_validation import FeatureSource, train_folds
from sentflow.probing.kernels.fused import check_installed
from sentflow.probing.protocol.draws import UngroupableError
from sentflow.probing.protocol.settings import PUBLISHED, ProbeProtocol
from sentflow.probing.protocol.switches import Switches, SwitchValue
from sentflow.probing.storage.folds import FoldInfo, write_fold, write_predictions
from sentflow.probing.storage.records import fold_records, prediction_records
from sentflow.probing.training.fold import FoldResult
from sentflow.texts.checks import check_folds, few_rows, misfit_classes
from sentflow.texts.table import TaskTable

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class ProbeSettings:
    """What decides a probe's numbers beside its features.

    Attributes
    ----------
    protocol
        Name of the protocol.
    repetitions, folds, seed
        Of the repeated cross-validation.
    metric
        ``"mcc"`` or ``"adjusted_macro_f1"``.
    classifier
        ``"logistic"`` or ``"mlp"``.
    switches, training
        Switches and settings of training that are not the published ones, by name.
    kernel
        See `train_fold`; part of the settings because it decides the last digits of losses.
    """

    protocol: str
    repetitions: int
    folds: int
    seed: int
    metric: str
    classifier: str
    switches: Mapping[str, SwitchValue] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)
    kernel: str = "numpy"

    @classmethod
    def from_json(cls, text: str) -> "ProbeSettings":
        """Read the settings of a rule."""
        return cls(**json.loads(text))

    def to_json(self) -> str:
        """The settings as `from_json` reads them, without what is as published."""
        unchanged = {"switches": {}, "training": {}, "kernel": "numpy"}
        settings = {key: value for key, value in asdict(self).items() if unchanged.get(key) != value}
        return json.dumps(settings, sort_keys=True)

    def complete(self) -> ProbeProtocol:
        """The named protocol with this cross-validation."""
        training: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in self.training.items()
        }
        return replace(
            PUBLISHED,
            repetitions=self.repetitions,
            folds=self.folds,
            seed=self.seed,
            switches=Switches.unlike_published(self.switches),
            **training,
        )


def probe_task(
    source: FeatureSource,
    table: TaskTable,
    settings: ProbeSettings,
    outputs: Sequence[str],
    *,
    device: str = "cpu",
) -> None:
    """Train the folds whose files are asked for and write each with its predictions.

    Parameters
    ----------
    source
        Gives the features of a fold.
    table
        The rows of the task.
    settings
        See `ProbeSettings`.
    outputs
        Fold files; repetition and fold are in their names.
    device
        Of torch.

    Raises
    ------
    DataError
        The metric, the number of folds, or group-aware folds do not fit the rows of the task.
    ConfigError
        The kernel is not installed, or there is no such device.
    """
    if settings.kernel == "numba":
        check_installed()
    check_device(device)
    # prepare looked too, but it does not run again when the config asks for another metric or more folds
    if problems := misfit_classes(Counter(table.labels.tolist()), settings.metric):
        raise DataError(f"{table.info.task}: {'; '.join(problems)}.")
    protocol = settings.complete()
    check_folds(
        table,
        protocol.folds,
        batch_rows=protocol.batch_size,
        evaluation_share=protocol.evaluation_share,
        small_parts=not protocol.switches.warmup_floor,
    )
    warn_of_few_rows(table, protocol)
    file_of = {paths.repetition_and_fold(file): file for file in outputs}
    results = train_folds(
        source,
        table.labels,
        metric=settings.metric,
        n_classes=len(table.info.classes),
        hidden=protocol.hidden_width if settings.classifier == "mlp" else None,
        protocol=protocol,
        device=device,
        kernel=settings.kernel,
        wanted=set(file_of),
        groups=documents(table) if protocol.switches.group_folds else None,
    )
    for result in with_task_named(results, table.info.task):
        file = file_of[result.repetition, result.fold]
        info = FoldInfo(
            **result.setting._asdict(),
            n_train=result.n_train,
            n_evaluation=result.n_evaluation,
            n_test=len(result.test_rows),
            dimension=result.dimension,
            settings=settings.to_json(),
        )
        write_predictions(paths.predictions_of(file), prediction_records(result))
        write_fold(file, fold_records(result), info)
    logger.info("%d folds written", len(file_of))


def warn_of_few_rows(table: TaskTable, protocol: ProbeProtocol) -> None:
    """Say in the log where a task has too few rows for its protocol."""
    warning = few_rows(
        np.unique(table.labels, return_counts=True)[1].tolist(),
        protocol.folds,
        batch_rows=protocol.batch_size,
        evaluation_share=protocol.evaluation_share,
        small_parts=not protocol.switches.warmup_floor,
    )
    if warning:
        logger.warning("%s: %s", table.info.task, warning)


def documents(table: TaskTable) -> np.ndarray:
    """(n,) int64: the document of each row, see `plan_folds`; a row without one is its own."""
    names = [
        ("row", str(row)) if name is None else ("document", name) for row, name in enumerate(table.groups)
    ]
    if all(name is None for name in table.groups):
        logger.warning("%s: no row names its document, so folds are drawn row by row", table.info.task)
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names], dtype=np.int64)


def with_task_named(results: Iterator[FoldResult], task: str) -> Iterator[FoldResult]:
    """The results of a task's folds as they come.

    Raises
    ------
    DataError
        Its documents cannot be dealt to the folds.
    """
    try:
        yield from results
    except UngroupableError as error:
        raise DataError(
            f"{task}: {error}. Write fewer folds, or a protocol with group_folds: false."
        ) from error
