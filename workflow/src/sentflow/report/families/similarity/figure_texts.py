"""What stands above and below the figures of similarity and geometry, and what is read aloud in their place."""

import math
from collections.abc import Sequence

from sentflow.report import captions
from sentflow.report.families.similarity import words
from sentflow.report.families.similarity.rows import (
    AssociationRow,
    HistogramRow,
    PlaneRow,
    SpectrumRow,
    TruncationRow,
)
from sentflow.report.figure.texts import FigureTexts
from sentflow.report.numbers import decimal, percent
from sentflow.report.rows import unique

NOTHING = "Nothing to draw: no encoder of this selection has fixed vectors and such a measurement."
# encoders and pair sets of a figure; with more it would not fit a page
MAX_HISTOGRAM_MODELS, MAX_HISTOGRAM_SETS = 5, 4


def alignment_uniformity(rows: Sequence[PlaneRow]) -> FigureTexts:
    """Texts of the plane of alignment and uniformity."""
    title = "Alignment, uniformity and similarity scores"
    if not rows:
        return _nothing(title)
    n_sets = len(unique(row.alignment_set for row in rows))
    return FigureTexts(
        title=title,
        reading=" ".join(
            [
                "Lower is better on both axes: sentences of one meaning close together (alignment), all sentences "
                f"spread out (uniformity). Colour: {rows[0].score_title}. A square is a control."
                + (" White: no score." if any(math.isnan(row.score) for row in rows) else ""),
                *(
                    [
                        "Panels have their own axes: variants, splits and thresholds cannot be set against each other."
                    ]
                    if n_sets > 1
                    else []
                ),
                captions.data_note(rows),
            ]
        ),
        alternative=f"Scatter of uniformity against alignment for {_encoders(rows)} in {n_sets} "
        f"{'measurement' if n_sets == 1 else 'measurements'}, coloured by similarity score. The tables of alignments "
        "and of similarity hold the same numbers.",
    )


def similarity_histograms(rows: Sequence[HistogramRow]) -> FigureTexts:
    """Texts of the histograms of similarity by gold score."""
    title = "Similarity by gold score"
    if not rows:
        return _nothing(title)
    sets, models = unique(row.pairs for row in rows), unique(row.model for row in rows)
    left_out = []
    if len(models) > MAX_HISTOGRAM_MODELS:
        left_out.append(_counted(len(models) - MAX_HISTOGRAM_MODELS, "encoder"))
    if len(sets) > MAX_HISTOGRAM_SETS:
        left_out.append(_counted(len(sets) - MAX_HISTOGRAM_SETS, "pair set"))
    return FigureTexts(
        title=title,
        reading=" ".join(
            [
                f"How {words.MEASURES[rows[0].measure]} is distributed among pairs of each range of gold scores, light "
                "for the lowest; each shape has the same area. The line marks the median. A good encoder moves to the "
                "right with the gold score. Over each panel the correlation × 100.",
                *(
                    [f"Not drawn: {' and '.join(left_out)}; the data of the figure hold them."]
                    if left_out
                    else []
                ),
                captions.data_note(rows),
            ]
        ),
        alternative=f"Histograms of the similarity of pairs by gold score for {_encoders(rows)} on {len(sets)} pair "
        f"{'set' if len(sets) == 1 else 'sets'}. The table of sub-sources holds the correlations.",
    )


def spectrum(rows: Sequence[SpectrumRow]) -> FigureTexts:
    """Texts of the spectrum."""
    title = "Spectrum of the embeddings"
    if not rows:
        return _nothing(title)
    return FigureTexts(
        title=title,
        reading=" ".join(
            [
                "Left: share of the variance along each principal direction, the largest first. Right: share of all "
                "directions up to it; the dotted line is a space that uses all of its directions alike. A curve that "
                "falls fast says that few directions carry most of the differences between sentences.",
                captions.data_note(rows),
            ]
        ),
        alternative=f"Curves of the share of variance by principal direction for {_encoders(rows)} on "
        f"{', '.join(unique(row.family for row in rows))}.",
    )


def truncation(rows: Sequence[TruncationRow]) -> FigureTexts:
    """Texts of the truncation curves."""
    title = "Scores of shortened vectors"
    if not rows:
        return _nothing(title)
    return FigureTexts(
        title=title,
        reading=" ".join(
            [
                "Spearman's correlation × 100 if only the first dimensions of each vector are kept, then brought to "
                "length 1 again; the last point is the whole vector. Most encoders were not trained to be cut short.",
                captions.data_note(rows),
            ]
        ),
        alternative=f"Curves of the similarity score by number of dimensions for {_encoders(rows)} on "
        f"{', '.join(unique(row.pairs for row in rows))}.",
    )


def geometry_and_scores(rows: Sequence[AssociationRow]) -> FigureTexts:
    """Texts of the correlations between geometry and scores."""
    title = "Does geometry go with scores?"
    if not rows:
        return _nothing(title)
    counts = sorted({row.n_models for row in rows})
    encoders = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    few = counts[0] <= 3
    controls = max(row.n_controls for row in rows)
    # the longest list: a measure may be undefined for some
    names = max((row.encoders for row in rows), key=len)
    return FigureTexts(
        title=title,
        reading=" ".join(
            [
                f"Spearman's correlation over encoders between a measure of geometry and a score, with "
                f"{percent(rows[0].level)} intervals (Fisher's transformation with the variance of Bonett and "
                "Wright 2000).",
                f"Each rests on {encoders} encoders only"
                + (
                    f" ({controls} of them {'a control' if controls == 1 else 'controls'})"
                    if controls
                    else ""
                )
                + f": {names}.",
                *(
                    ["With three encoders or fewer nothing can be said, so the interval is the whole line."]
                    if few
                    else ["An interval that holds 0 says that the direction is not known."]
                ),
                "A correlation over encoders is no cause: encoders differ in size, data and training at once.",
                captions.data_note(rows),
            ]
        ),
        alternative=f"Correlation over {encoders} encoders of "
        f"{len({(row.family, row.measure) for row in rows})} measures of geometry with scores: "
        + "; ".join(
            f"{words.geometry_name(row.measure)} with {row.score_title} {decimal(row.correlation, 2)} "
            f"({decimal(row.low, 2)} to {decimal(row.high, 2)})"
            for row in rows
            if not math.isnan(row.correlation)
        )
        + ".",
    )


def _nothing(title: str) -> FigureTexts:
    return FigureTexts(title=title, reading=NOTHING, alternative=NOTHING)


def _encoders(
    rows: Sequence[PlaneRow] | Sequence[HistogramRow] | Sequence[SpectrumRow] | Sequence[TruncationRow],
) -> str:
    return _counted(len(unique(row.model for row in rows)), "encoder")


def _counted(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"
