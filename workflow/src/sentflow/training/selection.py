"""Which snapshot of a training is the encoder: by development scores alone, and by a rule that is recorded.

Early stopping is a rule of selection here: a training runs all of its steps, and the snapshots after the point at which
it would have been stopped are not looked at. The chosen weights are the same, for the steps before do not know how many
come after. No heavy library: a light job reads this.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sentflow.errors import DataError
from sentflow.files.archives.pack import pack, packed
from sentflow.files.atomic import atomic, link_file
from sentflow.flow.paths import SNAPSHOTS
from sentflow.training.settings import CUMULATIVE, LAST, LOSS, SnapshotChoice
from sentflow.training.snapshots import archive_name


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


def give_snapshots(folder: Path, places: Sequence[Path]) -> None:
    """The archives of a folder at places of the same names, or all of them in one archive at a single place."""
    if [place.name for place in places] == [Path(SNAPSHOTS).name]:
        pack(folder, [path.name for path in folder.glob("*.tar")], places[0])
        return
    for place in places:
        link_file(folder / place.name, place)


def take_snapshot(snapshots: Sequence[Path], step: int, place: Path) -> None:
    """Copy the archive of a step, of those that `give_snapshots` has given, to a place. DataError: it is missing.

    A copy, because Snakemake gives outputs the date of now, one after the other, and refuses those older than inputs.
    """
    name = archive_name(step)
    for path in snapshots:
        if path.name == name:
            with atomic(place) as part:
                shutil.copyfile(path, part)
            return
        if path.name == Path(SNAPSHOTS).name:
            for member, stream in packed(path):
                if member.name == name and not member.fault:
                    with atomic(place) as part, part.open("wb") as out:
                        shutil.copyfileobj(stream, out)
                    return
    raise DataError(f"the snapshot {name} is missing. Delete {snapshots[0]} and run snakemake again.")
