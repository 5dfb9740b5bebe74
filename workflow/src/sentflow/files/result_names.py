"""What the names of files of folds and scores say: which file it is.

Apart from `sentflow.flow.paths`, so that a path of another family stands in the digest of no job.
"""

import re
from pathlib import Path

# Below the results, or below the folder of a study's protocol
_NAMED_PATTERN = re.compile(r"(?:^|/)((?:protocols/[^/]+/)?(?:probes|scores)/[^/]+/.+)\Z")
_FOLD_PATTERN = re.compile(r"rep-(\d+)/fold-(\d+)\.parquet\Z")


def name_in_results(path: str) -> str | None:
    """What a file of folds or scores is called in the results tree, wherever that lies; None for other files.

    ``"/somewhere/results/scores/T1A/random.parquet"`` is ``"scores/T1A/random.parquet"``.
    """
    match = _NAMED_PATTERN.search(path.replace("\\", "/"))
    return match[1] if match else None


def repetition_and_fold(fold_path: Path | str) -> tuple[int, int]:
    """Repetition and fold (both 1-based) of a fold file. Raises ValueError: the path is not a fold file's."""
    match = _FOLD_PATTERN.search(str(fold_path))
    if match is None:
        raise ValueError(f"{fold_path} is not the path of a fold: it must end in rep-R/fold-F.parquet")
    return int(match[1]), int(match[2])
