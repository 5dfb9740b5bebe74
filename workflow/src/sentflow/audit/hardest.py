"""The texts of a task that most probes get wrong."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sentflow.stats.items import OutOfFold
from sentflow.texts.table import TaskTable


@dataclass(frozen=True)
class HardRow:
    """A text, or pair of texts, that probes get wrong."""

    # task, row: where it stands: `row` counts the rows of the task table from 0
    task: str
    row: int
    # text_a, text_b: `text_b` is empty where a row is a single text
    text_a: str
    text_b: str
    # label, label_name: the class, and the label that it has in the data
    label: int
    label_name: str
    share_wrong: float  # of the `n_predictions` over encoders and repetitions that are wrong
    n_predictions: int
    models_wrong: int  # encoders whose predictions are wrong in more than half of the repetitions
    offensive: bool  # the texts of the task are abusive: not to be shown unasked


def hardest(
    table: TaskTable, predictions: Mapping[str, OutOfFold], *, limit: int, offensive: bool
) -> list[HardRow]:
    """The rows with the largest share of wrong predictions, the hardest first; without those that nobody gets wrong.

    Equal shares: the row with more predictions first, then the one that comes first in the table.
    """
    total, wrong, models = (np.zeros(len(table), np.int64) for _ in range(3))
    for made in predictions.values():
        of_model = np.bincount(made.row, minlength=len(table))
        wrong_of_model = np.bincount(made.row[made.predicted != made.truth], minlength=len(table))
        total += of_model
        wrong += wrong_of_model
        models += 2 * wrong_of_model > of_model
    share = wrong / np.maximum(total, 1)
    order = np.lexsort((np.arange(len(table)), -total, -share))
    chosen = [row for row in order[:limit].tolist() if wrong[row]]
    return [
        HardRow(
            task=table.info.task,
            row=row,
            text_a=table.text_a[row],
            text_b=table.text_b[row] if table.text_b else "",
            label=int(table.labels[row]),
            label_name=table.info.classes[table.labels[row]],
            share_wrong=float(share[row]),
            n_predictions=int(total[row]),
            models_wrong=int(models[row]),
            offensive=offensive,
        )
        for row in chosen
    ]
