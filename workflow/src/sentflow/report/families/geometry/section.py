"""What the page shows of the space of vectors."""

from collections.abc import Sequence

from markupsafe import Markup

from sentflow.report.families.geometry.rows import AlignmentRow, GeometryRow, TruncationRow
from sentflow.report.numbers import share
from sentflow.report.page.draw import how, term
from sentflow.report.page.sources import Report, Section, Sources
from sentflow.report.rows import unique

_ENOUGH = 0.95  # of the correlation with all dimensions


def report(sources: Sources) -> Report | None:
    """The section; None where nothing was measured."""
    inputs = sources.inputs
    alignments = inputs.rows_if_there(AlignmentRow)
    rows: list[AlignmentRow | GeometryRow] = [*inputs.rows_if_there(GeometryRow), *alignments]
    if not rows:
        return None
    words = term("alignment", "alignment and uniformity")
    reading = how("Of {}, lower is better for both.", words) if alignments else Markup("")
    figures = ("truncation", "alignment-uniformity")
    finding = _finding(rows, inputs.rows_if_there(TruncationRow))
    return Report([Section("geometry", "Geometry", finding, reading, "geometry", figures)], rows, rows)


def _finding(rows: Sequence[AlignmentRow | GeometryRow], truncated: Sequence[TruncationRow]) -> str:
    """How many dimensions keep most of the correlation, of the encoder whose vectors are best in full."""
    means: dict[str, dict[int, list[float]]] = {}
    for row in truncated:
        if not row.is_control:
            means.setdefault(row.model, {}).setdefault(row.dimensions, []).append(row.spearman)
    curves = {
        model: {n: sum(values) / len(values) for n, values in own.items()} for model, own in means.items()
    }
    if not curves:
        names = unique(row.model_title for row in rows)
        return f"The space of vectors of {', '.join(names[:3])}"
    model = max(curves, key=lambda model: curves[model][max(curves[model])])
    curve = curves[model]
    full = curve[max(curve)]
    title = next(row.model_title for row in truncated if row.model == model)
    if full <= 0:
        return f"The vectors of {title} do not correlate with human scores."
    enough = min(n for n, value in curve.items() if value >= _ENOUGH * full)
    return f"{enough} of {max(curve)} dimensions keep {share(curve[enough] / full)} of the correlation of {title}."
