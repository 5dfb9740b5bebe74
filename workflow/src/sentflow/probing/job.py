"""One probe job: the wanted folds of one task and encoder, each written as soon as it is done."""

import json
import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from sentflow import paths
from sentflow.data.checks import check_folds, misfit_classes
from sentflow.data.table import TaskTable
from sentflow.errors import DataError
from sentflow.probing.cross_validation import FeatureSource, train_folds
from sentflow.probing.protocol import PUBLISHED, ProbeProtocol
from sentflow.probing.records import fold_records, prediction_records
from sentflow.probing.storage import FoldInfo, write_fold, write_predictions

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
    """

    protocol: str
    repetitions: int
    folds: int
    seed: int
    metric: str
    classifier: str

    @classmethod
    def from_json(cls, text: str) -> "ProbeSettings":
        """Read the settings of a rule."""
        return cls(**json.loads(text))

    def complete(self) -> ProbeProtocol:
        """The named protocol with this cross-validation."""
        return replace(PUBLISHED, repetitions=self.repetitions, folds=self.folds, seed=self.seed)


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
        The metric, or the number of folds, does not fit the rows of the task.
    """
    # prepare looked too, but it does not run again when the config asks for another metric or more folds
    if problems := misfit_classes(Counter(table.labels.tolist()), settings.metric):
        raise DataError(f"{table.info.task}: {'; '.join(problems)}.")
    check_folds(table, settings.folds)
    protocol = settings.complete()
    file_of = {paths.repetition_and_fold(file): file for file in outputs}
    results = train_folds(
        source,
        table.labels,
        metric=settings.metric,
        n_classes=len(table.info.classes),
        hidden=protocol.hidden_width if settings.classifier == "mlp" else None,
        protocol=protocol,
        device=device,
        wanted=set(file_of),
    )
    for result in results:
        file = file_of[result.repetition, result.fold]
        info = FoldInfo(
            **result.setting._asdict(),
            n_train=result.n_train,
            n_evaluation=result.n_evaluation,
            n_test=len(result.test_rows),
            dimension=result.dimension,
            settings=json.dumps(asdict(settings), sort_keys=True),
        )
        write_predictions(paths.predictions_of(file), prediction_records(result))
        write_fold(file, fold_records(result), info)
    logger.info("%d folds written", len(file_of))
