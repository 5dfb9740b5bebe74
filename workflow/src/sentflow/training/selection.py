"""Which snapshot of a training is the encoder: by development scores alone, and by a rule that is recorded.

Early stopping is a rule of selection here: a training runs all of its steps, and the snapshots after the point at which
it would have been stopped are not looked at. The chosen weights are the same, for the steps before do not know how many
come after.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

BEST, LAST = "best", "last"
# How evaluations without improvement are counted for early stopping
RESET = "reset"  # since the best so far
CUMULATIVE = (
    "cumulative"  # each that is lower than the one before, never counted back (galsang/SG-BERT@23d5ebec)
)


@dataclass(frozen=True)
class Choice:
    """How a snapshot is chosen.

    Attributes
    ----------
    rule
        ``"best"`` development score, the earliest of equals; or the ``"last"``.
    measure
        ``"spearman"`` or ``"pearson"``.
    patience
        So many evaluations without improvement end the search; None looks at all.
    counted
        ``"reset"`` or ``"cumulative"``.
    pairs
        The development set; None where nothing was scored.
    """

    rule: str = BEST
    measure: str = "spearman"
    patience: int | None = None
    counted: str = RESET
    pairs: str | None = None

    def choose(self, steps: Sequence[int], scores: Sequence[float]) -> dict[str, Any]:
        """The chosen step and why.

        Parameters
        ----------
        steps
            In order; the first may be 0, before training, which is never chosen but is the first to improve upon.
        scores
            The development score of each, NaN where it is not known, which is never the best.

        Returns
        -------
        dict
            ``step``, ``score``, ``looked_at`` (the steps until the search ended) and the rule.
        """
        looked_at = self._looked_at(steps, scores)
        trained = [place for place in looked_at if steps[place] > 0] or [looked_at[-1]]
        known = [place for place in trained if scores[place] == scores[place]]
        place = (
            trained[-1] if self.rule == LAST or not known else max(known, key=lambda at: (scores[at], -at))
        )
        return {
            "step": steps[place],
            "score": scores[place] if scores[place] == scores[place] else None,
            "looked_at": [steps[at] for at in looked_at],
            **asdict(self),
        }

    def _looked_at(self, steps: Sequence[int], scores: Sequence[float]) -> list[int]:
        """Places up to the evaluation at which training would have been stopped."""
        if self.patience is None:
            return list(range(len(steps)))
        best, waited = float("-inf"), 0
        for place, score in enumerate(scores):
            if not steps[
                place
            ]:  # before training there is nothing to choose: its score is what others must improve
                best = max(best, score)
                continue
            if self.counted == CUMULATIVE:
                waited += int(place > 0 and score < scores[place - 1])
            else:
                waited = 0 if score > best else waited + 1
            best = max(best, score)
            if waited >= self.patience:
                return list(range(place + 1))
        return list(range(len(steps)))
