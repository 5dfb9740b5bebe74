"""What stands above and below each figure, and what is read aloud in its place."""

from collections.abc import Sequence
from dataclasses import dataclass

from sentflow.compare.score_rows import ScoreRow
from sentflow.report import captions
from sentflow.report.families.probing.remarks import training_notes
from sentflow.report.numbers import decimal, duration, percent
from sentflow.report.rows import CostRow, CurveRow, unique


@dataclass(frozen=True)
class FigureTexts:
    """Texts of a figure.

    Attributes
    ----------
    title
        What is shown, a few words.
    reading
        How to read it and what it rests on, full sentences.
    alternative
        For people who do not see the figure: its extent and where the numbers stand.
    """

    title: str
    reading: str
    alternative: str


def heatmap(rows: Sequence[ScoreRow]) -> FigureTexts:
    """Texts of the heat map."""
    low, high = min(row.mean for row in rows), max(row.mean for row in rows)
    return FigureTexts(
        title="Score of each encoder on each task",
        reading=" ".join(
            [
                "Encoders in the order of the selection; 0 (dark) is chance, 1 (light) is perfect.",
                captions.design_note(rows),
                *training_notes(rows),
                *_dagger(rows),
                captions.data_note(rows),
            ]
        ),
        alternative=f"Heat map of {_extent(rows)}; scores from {decimal(low)} to {decimal(high)}. "
        "The table of scores holds the same numbers.",
    )


def forest(rows: Sequence[ScoreRow]) -> FigureTexts:
    """Texts of the forest plot."""
    row = rows[0]
    return FigureTexts(
        title=f"Scores with {percent(row.level)} intervals",
        reading=" ".join(
            [
                f"Thin, generalisation ({percent(row.level)}): {captions.GENERALISATION}.",
                f"Thick, repeatability ({percent(row.repeatability_level)}): where the mean would lie if "
                "only the shuffling of these texts changed (published bootstrap).",
                captions.design_note(rows),
                "Fold scores are cut at 0, which lifts guessing a little above chance." if row.clips else "",
                *_dagger(rows, "Hollow"),
                captions.data_note(rows),
            ]
        ).replace("  ", " "),
        alternative=f"Forest plot of {_extent(rows)}: one panel per task, one line per encoder with its "
        "score and both intervals. The table of intervals holds the same numbers.",
    )


def curves(rows: Sequence[CurveRow]) -> FigureTexts:
    """Texts of the training curves."""
    return FigureTexts(
        title="Training curves",
        reading="Mean loss over the folds that reached an epoch; the band is the published "
        f"{percent(rows[0].level)} interval (repeatability). Below: how many of the "
        f"{max(row.n_folds_total for row in rows)} folds reached it (dotted: half of them). Where fewer than "
        "half are left the curve is faint and has no band, for it rests on the slowest folds only. "
        "An arrow stands for an encoder whose loss lies above the frame, and says how high. "
        + " ".join(
            [
                f"Protocol {rows[0].protocol}.",
                *captions.protocol_notes(rows),
                captions.data_note(rows),
            ]
        ),
        alternative=f"Training and evaluation loss by epoch for {_extent(rows)}, one panel per task, "
        f"up to epoch {max(row.epoch for row in rows)}.",
    )


def costs(rows: Sequence[CostRow]) -> FigureTexts:
    """Texts of the bars of time and memory."""
    longest = max(rows, key=lambda row: row.wall_seconds)
    return FigureTexts(
        title="Time and memory per rule",
        reading="Jobs that ran side by side took less time on the clock. " + captions.data_note(rows),
        alternative=f"Bars of time and memory for {len(rows)} rules; the longest is {longest.rule} with "
        f"{duration(longest.wall_seconds)} over {longest.jobs} jobs. "
        "The table of costs holds the same numbers.",
    )


def _extent(rows: Sequence[ScoreRow] | Sequence[CurveRow]) -> str:
    n_models = len(unique(row.model for row in rows))
    n_tasks = len(unique(row.task for row in rows))
    return f"{n_models} encoders on {n_tasks} tasks"


def _dagger(rows: Sequence[ScoreRow], sign: str = "†") -> list[str]:
    if not any(row.degenerate for row in rows):
        return []
    return [f"{sign}: all folds gave the same score, so that there is no interval."]
