"""Features of a task's rows from files of embeddings: those of its dataset, or of its own texts."""

from pathlib import Path

import numpy as np

from sentflow.encoders.vectors.storage import read_embeddings
from sentflow.probing.features.rows import row_features
from sentflow.texts.collection import Collection, rows_of
from sentflow.texts.table import TaskTable


def embedded_rows(table: TaskTable, npy: Path, info: Path, collection: Collection) -> np.ndarray:
    """The features of every row of a task, see `row_features`.

    `collection`: the texts that the array's rows are of; first and second texts apart where they are queries and
    documents.
    """
    embeddings = read_embeddings(npy, info, collection.texts)
    first, *second = collection.by_role().values()
    second_rows = rows_of(second[0], first=len(first)) if second else None
    return row_features(table, embeddings, rows_of(first), second_rows)
