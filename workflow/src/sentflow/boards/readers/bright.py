"""Folders of results that BRIGHT's programs write: one per task, model and length of the documents."""

import re
from pathlib import Path

from sentflow.boards.scores import FRACTION, Options, Scores, json_of, number, reader, scores_of
from sentflow.errors import DataError

# The names of folders join task and model by the mark that both contain
_TASKS = (
    "biology|earth_science|economics|psychology|robotics|stackoverflow|sustainable_living|leetcode|pony|aops"
    "|theoremqa_questions|theoremqa_theorems"
)
_FOLDER = re.compile(rf"({_TASKS})_(.+)_long_(True|False)")
_MEASURE = "NDCG@10"


def _recognises(path: Path) -> bool:
    return path.name == "results.json" and _FOLDER.fullmatch(path.resolve().parent.name) is not None


@reader("BRIGHT", _recognises)
def _results(path: Path, options: Options) -> Scores:
    """The board's measure, nDCG@10, unless another is asked for; long documents are tasks of their own."""
    parts = _FOLDER.fullmatch(path.resolve().parent.name)
    values = json_of(path)
    if parts is None or not isinstance(values, dict) or _MEASURE not in values:
        raise DataError(f"{path} has no {_MEASURE}. Run the evaluation of this folder again.")
    task, model, is_long = parts.groups()
    about = {"model": model, "task": f"{task} (long)" if is_long == "True" else task, "unit": FRACTION}
    measures = values if options.metric else [_MEASURE]
    return scores_of(
        {
            **about,
            "metric": measure,
            "higher_is_better": True,
            "score": number(values[measure], f"{path}, {measure}"),
        }
        for measure in measures
    )
