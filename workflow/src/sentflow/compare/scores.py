"""Score files → rows of scores, refusing to put together what cannot be compared."""

from collections.abc import Mapping, Sequence
from typing import Any

from sentflow.compare.score_rows import ScoreRow, by_protocol
from sentflow.compare.settings import Titles
from sentflow.errors import DataError
from sentflow.files.rows import number_or_nan, row_from
from sentflow.probing.settings import Switches, not_comparable_text, switch_text
from sentflow.texts.checks import BATCH_ROWS

_SAME_EVERYWHERE = ("repetitions", "folds", "seed", "level", "repeatability_level")
# folds are paired across encoders only if these are equal
_SAME_WITHIN_TASK = (
    "protocol", "metric", "classifier", "layout", "data_version", "n_rows", "n_balanced_rows", "n_classes",
    "not_comparable",
)  # fmt: skip
_SAME_WITHIN_PROTOCOL = ("switches",)


def score_row(scores: Mapping[str, Any], titles: Titles) -> ScoreRow:
    """One row of the summary from one score file and the titles of its task and model."""
    try:
        # a score file names only what is not as published
        switches = Switches(**scores.get("switches", {}))
        # the library scores folds without their predictions, so that there may be no item
        numbers = {
            f"{name}_{key}": value
            for name, interval in scores["intervals"].items()
            for key, value in interval.items()
        }
        generalisation = scores["intervals"]["generalisation"]
        documents = generalisation.get("documents", {"n": 0, "effective": 0.0})
        task, model = titles.tasks[scores["task"]], titles.models[scores["model"]]
        return row_from(
            ScoreRow,
            {**scores, **numbers},
            task_title=task.title,
            family=task.family,
            model_title=model.title,
            level=generalisation["level"],
            degenerate=generalisation["degenerate"],
            is_control=model.control,
            mean_clipped=number_or_nan(scores["mean"] if switches.clip_metric else scores["mean_clipped"]),
            switches=switch_text(switches.changes()),
            not_comparable=not_comparable_text(scores.get("not_comparable", {})),
            batch_rows=scores.get("not_comparable", {}).get("batch_size", {}).get("here", BATCH_ROWS),
            clips=switches.clip_metric,
            own_interval=switches.interval,
            ends_curves=not switches.curve_survivors,
            warmup_floor=switches.warmup_floor,
            position=model.position,
            is_fitted=model.fitted,
            splits_alternatives=switches.lazy_sep_layout == "alternatives",
            n_documents=documents["n"],
            effective_documents=documents["effective"],
            effective_rows=scores.get("effective_rows", 0.0),
            documents_with_rarest_class=documents.get("with_rarest_class", 0),
        )
    except KeyError as error:
        raise DataError(f"no key {error} in the scores or in their settings") from error


def in_order(rows: Sequence[ScoreRow]) -> list[ScoreRow]:
    """The rows task after task, tasks and models in the order in which they first appear."""
    tasks = list(dict.fromkeys(row.task for row in rows))
    models = list(dict.fromkeys(row.model for row in rows))
    _refuse_mixtures(rows)
    return sorted(rows, key=lambda row: (tasks.index(row.task), models.index(row.model)))


def _refuse_mixtures(rows: Sequence[ScoreRow]) -> None:
    problems = _differences(rows, _SAME_EVERYWHERE, "the experiment")
    for protocol, members in by_protocol(rows).items():
        problems += _differences(members, _SAME_WITHIN_PROTOCOL, f"protocol {protocol}")
    for task in dict.fromkeys(row.task for row in rows):
        members = [row for row in rows if row.task == task]
        problems += _differences(members, _SAME_WITHIN_TASK, f"task {task}")
        models = [row.model for row in members]
        repeated = dict.fromkeys(model for model in models if models.count(model) > 1)
        problems += [f"task {task}: model {model} appears {models.count(model)} times" for model in repeated]
    if problems:
        raise DataError(
            "these scores cannot be in one table:\n  "
            + "\n  ".join(problems)
            + "\nDelete the score files that do not belong to the current config and run again."
        )


def _differences(rows: Sequence[ScoreRow], names: Sequence[str], where: str) -> list[str]:
    problems = []
    for name in names:
        values: dict[Any, str] = {}
        for row in rows:
            values.setdefault(getattr(row, name), f"{row.task} × {row.model}")
        if len(values) > 1:
            listed = ", ".join(f"{value} ({first})" for value, first in values.items())
            problems.append(f"{where}: {name} differs: {listed}")
    return problems
