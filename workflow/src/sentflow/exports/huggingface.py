"""Scores for the Hugging Face hub: ``.eval_results/*.yaml``, and the older ``model-index`` of a model card.

Both are made by huggingface_hub itself, so that what it would refuse is never written.
"""

import math
from collections.abc import Sequence
from typing import Any

import yaml

from sentflow.compare.score_rows import ScoreRow
from sentflow.exports.identity import ModelFacts, TaskFacts
from sentflow.report import captions
from sentflow.report.numbers import decimal

_SPLIT, _CONFIG = "test", "default"
_TASK_TYPE = "text-classification"


def eval_results(row: ScoreRow, task: TaskFacts) -> str:
    """The file of one task in a model's folder ``.eval_results``: one score × 100, or none if undefined."""
    from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

    entries = []
    if not math.isnan(row.mean):
        data = {"dataset_id": task.data, "dataset_revision": task.data_revision}
        name, value = f"{row.task}_{_CONFIG}_{_SPLIT}", round(100 * row.mean, 5)
        entries.append(EvalResultEntry(**data, task_id=name, value=value, notes=_notes(row)))
    found: list[dict[str, Any]] = eval_result_entries_to_yaml(entries)
    return yaml.safe_dump(found, sort_keys=False, allow_unicode=True, width=1000)


def model_card(model: ModelFacts, rows: Sequence[tuple[ScoreRow, TaskFacts]]) -> str:
    """A model card whose front matter holds all defined scores as ``model-index``, as fractions."""
    from huggingface_hub import EvalResult, ModelCardData

    results = []
    for row, task in rows:
        if not math.isnan(row.mean):
            metric = f"{captions.metric_name(row.metric)}, protocol {row.protocol}"
            score: dict[str, Any] = {
                "metric_type": row.metric,
                "metric_name": metric,
                "metric_value": row.mean,
            }
            data: dict[str, Any] = {"dataset_type": task.data, "dataset_name": f"{row.task} ({_CONFIG})"}
            data |= {
                "dataset_config": _CONFIG,
                "dataset_split": _SPLIT,
                "dataset_revision": task.data_revision,
            }
            results.append(EvalResult(task_type=_TASK_TYPE, task_name="Classification", **data, **score))
    # without a result there is no index, and the card has only its name
    card = ModelCardData(model_name=model.name, eval_results=results) if results else ModelCardData()
    title = rows[0][0].model_title
    text = "Scores of probes on frozen embeddings. Put the front matter into the card of the model."
    return f"---\n{card.to_yaml()}\n---\n\n# {title}\n\n{text}\n"


def _notes(row: ScoreRow) -> str:
    """What a reader of the score must know, without line breaks."""
    limits = ""
    if not row.degenerate and not math.isnan(row.generalisation_low):
        limits = (
            f"; generalisation {100 * row.level:g} % interval {decimal(100 * row.generalisation_low, 1)} to "
            f"{decimal(100 * row.generalisation_high, 1)}"
        )
    changed = f"; not comparable with published scores: {row.not_comparable}" if row.not_comparable else ""
    return f"{captions.metric_name(row.metric)} x 100 on {row.data_version}; protocol {row.protocol}{limits}{changed}"
