"""Scores as MTEB writes its own: a ``TaskResult`` per task, with the description of the model beside it.

Layout: ``results/{owner__model}/{revision}/{task}.json``, ``model_meta.json``, ``run_settings.jsonl``. Tests load
the files with the real package (envs/requirements-exports.txt); nothing here needs it.
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sentflow.compare.score_rows import ScoreRow
from sentflow.exports.identity import ModelFacts, TaskFacts, language_script

MTEB_VERSION = "2.26.24"  # whose format this is; a result file without one is read as the format before 1.11
SPLIT, SUBSET = "test", "default"
_DIGITS = 6  # as MTEB rounds
# Licences that MTEB knows under the name that people write.
_LICENCES = ("apache-2.0", "mit", "cc-by-4.0", "cc-by-sa-4.0", "cc-by-nc-4.0", "gpl-3.0")
# Fields of `ModelMeta` of which nothing is known here
_UNKNOWN = (
    *("loader", "release_date", "languages", "n_parameters", "memory_usage_mb", "open_weights", "reference"),
    *("public_training_code", "public_training_data", "similarity_fn_name", "use_instructions"),
    "training_datasets",
)
_RETRIEVAL = {"ndcg": "nDCG", "map": "AP", "recall": "R", "precision": "P", "mrr": "RR"}
_CUTS = (1, 3, 5, 10, 20, 100, 1000)
_MAIN_OF_RETRIEVAL = "ndcg_at_10"
_LIBRARIES = ("torch", "sentence-transformers", "transformers", "numpy")


def task_result(row: ScoreRow, task: TaskFacts, fold_scores: Sequence[float]) -> dict[str, Any]:
    """The result of one encoder on one task.

    An undefined score has no entry, for ``main_score`` must be a number. Nothing is said about time: encoders embed the
    texts of several tasks at once.
    """
    entry = {
        row.metric: _rounded(row.mean),
        f"{row.metric}_std": _rounded(row.std),
        "scores_per_experiment": [{row.metric: _rounded(score)} for score in fold_scores],
        **_limits(row.level, "nb", row.generalisation_low, row.generalisation_high),
        **_limits(row.level, "item", row.item_low, row.item_high),
        **_limits(row.repeatability_level, "ref", row.repeatability_low, row.repeatability_high),
        "protocol": row.protocol,
        "classifier": row.classifier,
        "data_version": row.data_version,
        "n_samples": row.n_balanced_rows,
        **({"not_comparable": row.not_comparable} if row.not_comparable else {}),
    }
    return _result(row.task, task.data_revision, task.language, row.mean, entry)


def retrieval_measures(depth: int) -> dict[str, str]:
    """MTEB's names of measures of retrieval → those of ir-measures, as far down as documents were ranked."""
    names = [(name, k) for name in _RETRIEVAL for k in _CUTS if k <= depth]
    return {f"{name}_at_{k}": f"{_RETRIEVAL[name]}@{k}" for name, k in names}


def retrieval_result(
    task: str, language: str, data_revision: str, values: Mapping[str, np.ndarray], about: Mapping[str, Any]
) -> dict[str, Any]:
    """The result of one dense retriever on one question set. Without such a question there is no entry."""
    means = {name: float(found.mean()) if len(found) else math.nan for name, found in values.items()}
    entry = {**{name: _rounded(mean) for name, mean in means.items()}, **about}
    return _result(task, data_revision, language, means.get(_MAIN_OF_RETRIEVAL, math.nan), entry)


def model_meta(model: ModelFacts, dimension: float) -> dict[str, Any]:
    """The description of a model, in the fields of MTEB's ``ModelMeta``; null is unknown."""
    licence = model.licence.lower()
    return {
        **dict.fromkeys(_UNKNOWN),
        "name": model.name,
        "revision": model.revision,
        "max_tokens": model.max_tokens,
        "embed_dim": dimension,
        "license": licence if licence in _LICENCES else None,
        "framework": [],
        "adapted_from": model.adapted_from,
        "modalities": ["text"],
        "model_type": ["dense"],
    }


def run_settings(tasks: Sequence[str], versions: Mapping[str, Any]) -> str:
    """One line of JSON per task: what ran with which libraries."""
    known = {"mteb": MTEB_VERSION, **{name: versions["libraries"].get(name) for name in _LIBRARIES}}
    lines = [
        {"task": task, "splits": [SPLIT], "subsets": [SUBSET], "version": known, "encode_kwargs": {}}
        for task in tasks
    ]
    return "".join(json.dumps(line, sort_keys=True) + "\n" for line in lines)


def _result(
    task: str, data_revision: str, language: str, main: float, entry: Mapping[str, Any]
) -> dict[str, Any]:
    """A ``TaskResult``; without an entry where the main score is undefined."""
    told = {"main_score": _rounded(main), "hf_subset": SUBSET, "languages": [language_script(language)]}
    told |= {"mteb_version": MTEB_VERSION, **entry}
    return {
        "dataset_revision": data_revision,
        "task_name": task,
        "mteb_version": MTEB_VERSION,
        "scores": {SPLIT: [] if math.isnan(main) else [told]},
        "evaluation_time": None,
        "kg_co2_emissions": None,
    }


def _limits(level: float, kind: str, low: float, high: float) -> dict[str, float | None]:
    """With the level in the keys, e.g. ``ci99_low_nb``, so that two levels are never taken for one."""
    key = f"ci{100 * level:g}"
    return {f"{key}_low_{kind}": _rounded(low), f"{key}_high_{kind}": _rounded(high)}


def _rounded(value: float) -> float | None:
    """None for what is undefined: JSON has no NaN."""
    return round(float(value), _DIGITS) if math.isfinite(value) else None
