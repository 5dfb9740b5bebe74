"""Folders of results that BRIGHT's programs write: one per task, model and length of the documents."""

import re
from pathlib import Path

from sentflow.boards.cells import number
from sentflow.boards.contents import json_of
from sentflow.boards.scores import FRACTION, Options, Scores, reader, scores_of

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
    [(task, model, is_long)] = _FOLDER.findall(path.resolve().parent.name)
    values = json_of(path)
    about = {"model": model, "task": f"{task} (long)" if is_long == "True" else task, "unit": FRACTION}
    rows = []
    for measure in values if options.metric else [_MEASURE]:
        score = number(values[measure], f"{path}, {measure}")
        rows.append({**about, "metric": measure, "higher_is_better": True, "score": score})
    return scores_of(rows)
