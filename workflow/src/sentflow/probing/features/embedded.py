"""Features of a task's rows from files of embeddings: those of its dataset, or of its own texts."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sentflow.encoders.vectors.storage import read_embeddings, read_roles
from sentflow.probing.features.rows import row_features
from sentflow.texts.collection import distinct_texts, rows_of, texts_of_sides
from sentflow.texts.table import TaskTable


def embedded_rows(table: TaskTable, npy: Path, info: Path, dataset_texts: Sequence[str] | None) -> np.ndarray:
    """The features of every row of a task, see `row_features`.

    Parameters
    ----------
    table
        Of the task.
    npy, info
        The array and its description.
    dataset_texts
        Texts that the array's rows are of; None: those of the task, as rule embed_task embeds them.

    Raises
    ------
    DataError
        See `read_embeddings`; or the table is of another dataset.
    """
    if dataset_texts is None and len(read_roles(info)) > 1:
        first, second = texts_of_sides(table)
        embeddings = read_embeddings(npy, info, [*first, *second])
        second_row_of = {text: row for row, text in enumerate(second, start=len(first))}
        return row_features(table, embeddings, rows_of(first), second_row_of)
    texts = distinct_texts([table]) if dataset_texts is None else dataset_texts
    return row_features(table, read_embeddings(npy, info, texts), rows_of(texts))
