"""Published boards for notebooks: who is tied for first, from files of any format."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from sentflow.boards.files import read_files
from sentflow.boards.scores import Options
from sentflow.boards.standing import Standing, standing_of
from sentflow.errors import DataError

Files = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def leaderboard(
    files: Files,
    *,
    metric: str | Mapping[str, str] = "",
    lower: Iterable[str] = (),
    duplicates: str = "",
    groups: Mapping[str, str] | str | os.PathLike[str] | None = None,
    tasks: Iterable[str] = (),
    without: Iterable[str] = (),
    unit: str = "",
    models: str = "",
    population: str = "",
    common: bool = False,
    separate: Iterable[tuple[str, str]] = (),
    title: str = "",
) -> Standing:
    """Rank the models of a published board, with the places that tests leave open (docs/leaderboards.md).

    Parameters
    ----------
    files
        Files and folders; all together are one board.
    metric
        The metric that counts where tasks have several, or task → metric, with the key ``""`` for other tasks.
    groups
        Task → its group, or a CSV file with the columns task and group.
    separate
        Pairs of models of which the standing says how many more units would separate them.
    lower, duplicates, tasks, without, unit, models, population, common, title
        As the options of `sentflow leaderboard`. Without a population the first that the files allow; the verdicts for
        the others are among the notes.

    Returns
    -------
    Standing
        ``places`` in order, ``verdict()``, ``separation`` with ``p`` and ``separated`` (M, M), and ``frame()`` with a
        row per model.

    Raises
    ------
    DataError
        If a file cannot be read, or leaves open what an option settles.
    """
    paths = [files] if isinstance(files, str | os.PathLike) else list(files)
    of_task = {"": metric} if isinstance(metric, str) else dict(metric)
    options = Options(
        metric=of_task.pop("", ""),
        metric_of=of_task,
        lower=frozenset(lower),
        duplicates=duplicates,
        groups=groups if isinstance(groups, Mapping) else _groups(Path(groups)) if groups else {},
        tasks=frozenset(tasks),
        without=frozenset(without),
        unit=unit,
        models=models,
        population=population,
        common=common,
        separate=tuple(separate),
        title=title or Options.title,
    )
    return standing_of(read_files([Path(path) for path in paths], options), options)


def _groups(path: Path) -> dict[str, str]:
    import pandas as pd

    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise DataError(
            f"{path} is not readable as CSV: {error}. Write the columns task and group."
        ) from error
    if not {"task", "group"} <= {*table.columns}:
        raise DataError(
            f"{path} has the columns {', '.join(table.columns)}. Write the columns task and group."
        )
    if several := [*table.loc[table["task"].duplicated(), "task"].unique()]:
        raise DataError(f"{path} names {several[0]!r} several times. Write one group for each task.")
    return dict(zip(table["task"], table["group"], strict=True))
