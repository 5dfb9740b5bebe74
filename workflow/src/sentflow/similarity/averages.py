"""The average over seven English tasks that papers on sentence embeddings print. Standard library only."""

import math
from collections.abc import Mapping

SEVEN_TASKS = ("STS12", "STS13", "STS14", "STS15", "STS16", "STSB", "SICKR")


def seven_task_average(values: Mapping[str, float | None]) -> float:
    """Mean of the seven tasks × 100; NaN where one of them is missing or undefined.

    Parameters
    ----------
    values
        Task of `SEVEN_TASKS` → Spearman's ρ in [-1, 1] over all pairs of the test part: 4,927 pairs of SICK-R, not the
        9,927 of MTEB. None or NaN is undefined. Other keys are passed over.

    Notes
    -----
    SimCSE prints each task with two digits and averages what it printed (princeton-nlp/SimCSE@49fa580,
    ``evaluation.py``); the average of unrounded values may differ in the last digit.
    """
    cells = [100 * float(math.nan if (value := values.get(task)) is None else value) for task in SEVEN_TASKS]
    return sum(float(f"{cell:.2f}") for cell in cells) / len(cells)
