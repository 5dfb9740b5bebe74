"""Which snapshot of a training is the encoder: by development scores alone, and by a rule that is recorded.

Early stopping is a rule of selection here: a training runs all of its steps, and the snapshots after the point at which
it would have been stopped are not looked at. The chosen weights are the same, for the steps before do not know how many
come after. No heavy library: a light job reads this.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sentflow.encoders.manifest import Manifest, description_of
from sentflow.encoders.safety import count_parameters, model_files
from sentflow.files.io import file_sha256
from sentflow.training.settings import CUMULATIVE, LAST, LOSS, SnapshotChoice


def choose(settings: SnapshotChoice, steps: Sequence[int], scores: Sequence[float]) -> dict[str, Any]:
    """The chosen step and why; the earliest of equally good ones is the best.

    `steps`: in order; the first may be 0, before training, which is never chosen but is the first to improve upon.
    `scores`: the development score of each, NaN where it is not known, which is never the best; of losses, the lowest
    is the best. Returns ``step``, ``score``, ``looked_at`` (the steps until the search ended) and the rule.
    """
    signed = [-score for score in scores] if settings.measure == LOSS else scores
    looked_at = _looked_at(settings, steps, signed)
    trained = [place for place in looked_at if steps[place] > 0] or [looked_at[-1]]
    known = [place for place in trained if scores[place] == scores[place]]
    takes_last = settings.rule == LAST or not known
    place = trained[-1] if takes_last else max(known, key=lambda at: (signed[at], -at))
    return {
        "step": steps[place],
        "score": scores[place] if scores[place] == scores[place] else None,
        "looked_at": [steps[at] for at in looked_at],
        **settings.model_dump(include={"rule", "measure", "patience", "counted", "pairs"}),
    }


def _looked_at(settings: SnapshotChoice, steps: Sequence[int], scores: Sequence[float]) -> list[int]:
    """Places up to the evaluation at which training would have been stopped."""
    if settings.patience is None:
        return list(range(len(steps)))
    best, waited = float("-inf"), 0
    for place, score in enumerate(scores):
        if not steps[place]:  # before training there is nothing to choose: its score must be improved upon
            best = max(best, score)
            continue
        if settings.counted == CUMULATIVE:
            waited += int(place > 0 and score < scores[place - 1])
        else:
            waited = 0 if score > best else waited + 1
        best = max(best, score)
        if waited >= settings.patience:
            return list(range(place + 1))
    return list(range(len(steps)))


def manifest_of(weights: Path, *, model: str, kind: str) -> Manifest:
    """What a folder of `sentflow.training.contract.Objective.write` holds.

    `kind`: of encoder that its recipe makes, see `sentflow.encoders.settings.KINDS`.
    """
    files = {name: file_sha256(weights / name) for name in model_files(weights, allow_pickle=False)}
    entry = {"kind": kind, "source": {"trained": model}}
    return Manifest.of(entry, description_of(entry, weights), files, count_parameters(kind, weights, files))
