"""AlpacaEval: one annotated preference per instruction, against the outputs of a baseline."""

from pathlib import Path

import pandas as pd

from sentflow.boards.cells import is_missing
from sentflow.boards.contents import beginning, json_of
from sentflow.boards.scores import FRACTION, Options, Scores, reader, scores_of
from sentflow.errors import DataError

_NEEDED = ("instruction", "generator_1", "generator_2", "preference")


def _recognises(path: Path) -> bool:
    is_list = beginning(path, 100).lstrip().startswith("[")
    return is_list and all(f'"{key}"' in beginning(path, 200_000) for key in _NEEDED)


@reader("AlpacaEval annotations", _recognises)
def _preferences(path: Path, options: Options) -> Scores:  # noqa: ARG001
    """The preference less 1: 1 where the model won, 0 where the baseline did; an older tie is written 0."""
    rows = []
    for n, one in enumerate(json_of(path), 1):
        value = one["preference"]
        if not is_missing(value) and not (value == 0 or (isinstance(value, int | float) and 1 <= value <= 2)):
            raise DataError(
                f"{path}, annotation {n}: the preference is {value!r}, not from 1 to 2 (or 0 for a tie)."
            )
        # a score against another baseline or by another judge is another metric
        metric = f"preferred to {one['generator_1']} by {one.get('annotator', 'the annotator')}"
        score = None if is_missing(value) else 0.5 if value == 0 else value - 1
        rows.append(
            {"model": one["generator_2"], "metric": metric, "item": one["instruction"], "score": score}
        )
    return scores_of(pd.DataFrame(rows).assign(task="AlpacaEval", higher_is_better=True, unit=FRACTION))
