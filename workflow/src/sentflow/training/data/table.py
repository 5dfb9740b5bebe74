"""The table of training data: what every reader of them makes, and the training and its audit read."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sentflow.errors import DataError
from sentflow.files.atomic import atomic
from sentflow.files.io import digest_of, write_json
from sentflow.files.parquet import DescribedWriter, read_described, readable
from sentflow.training.data.forms import FORMS, SCORES

TEXT_COLUMNS = ("text", "other", "negative")


@dataclass(frozen=True)
class TrainingData:
    """Rows that an encoder is trained on, in the order of their files; the training draws its own order."""

    name: str  # in the catalog
    form: str  # of `FORMS`, which says which columns there are
    columns: Mapping[str, list[str]]  # ``text``, ``other``, ``negative`` → n texts, none empty
    labels: np.ndarray | None = None  # (n,) int64 in [0, number of classes); None where rows have none
    # classes: names of the classes, in their order; empty where rows have no label
    classes: Sequence[str] = field(default=())
    # scores: of `SCORES` → (n,) float64, finite; empty where rows have none
    scores: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.columns["text"])

    def row_texts(self) -> Iterator[tuple[str, ...]]:
        """The texts of each row."""
        return zip(*self.columns.values(), strict=True)

    def rows(self) -> list[dict[str, Any]]:
        """The rows as recipes read them, see `sentflow.training.contract.Row`."""
        columns: dict[str, Sequence[Any]] = dict(self.columns)
        if self.labels is not None:
            columns["label"] = self.labels.tolist()
        columns |= {name: values.tolist() for name, values in self.scores.items()}
        return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def check_rows(data: TrainingData, batch_size: int) -> None:
    """Refuse data that are shorter than one batch."""
    if len(data) < batch_size:
        raise DataError(
            f"training_data.{data.name}: {len(data)} rows are fewer than one batch of {batch_size}. Add rows, or "
            f"write training.batch_size: {len(data)} or less in the entry of the model."
        )


def write_training_data(path: Path, data: TrainingData, facts: Mapping[str, Any]) -> None:
    """Write the table as Parquet, a column per column of the form, and beside it its digest with facts about it."""
    write_parts(path, [data], lambda: facts)


def write_parts(path: Path, parts: Iterable[TrainingData], facts: Callable[[], Mapping[str, Any]]) -> None:
    """`write_training_data` of parts of a table, a group of rows each; nothing is left if the facts raise an error."""
    with atomic(path) as partial:
        writer: DescribedWriter | None = None
        for data in parts:
            if writer is None:
                about = {"training": data.name, "form": data.form, "classes": list(data.classes)}
                writer = DescribedWriter(partial, about)
            if len(data):
                labels = {} if data.labels is None else {"label": data.labels}
                writer.write({**data.columns, **labels, **data.scores})
        about_all = facts()
        if writer is not None:
            writer.close()
    write_json(path.with_suffix(".json"), {**about_all, **digest_of(path)})


def read_training_data(path: Path | str) -> TrainingData:
    """Read a table of training data."""
    with readable(path, "table of training data"):
        return training_data_of(*read_described(path))


def training_data_of(about: Mapping[str, Any], stored: pa.Table) -> TrainingData:
    """The data of a table and of what its metadata say."""
    columns = stored.select(list(FORMS[about["form"]])).to_pydict()
    return TrainingData(
        name=str(about["training"]),
        form=about["form"],
        columns={key: columns[key] for key in TEXT_COLUMNS if key in columns},
        labels=np.asarray(columns["label"], dtype=np.int64) if "label" in columns else None,
        classes=about["classes"],
        scores={key: np.asarray(columns[key], dtype=np.float64) for key in SCORES if key in columns},
    )
