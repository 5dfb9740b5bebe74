"""What fusions reach by their weights: a panel per question set, a curve per fusion of two retrievers."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sentflow.report.families.retrieval.decision_rows import WeightRow
from sentflow.report.families.retrieval.words import POPULATION
from sentflow.report.figure import canvas, lettering
from sentflow.report.figure.panels import named, nothing_drawn, panels
from sentflow.report.figure.recipe import Caption, Recipe, sentences
from sentflow.report.numbers import counted, percent
from sentflow.report.rows import data_note, unique

_END_INCHES = 0.75  # of the name of a retriever below an end of the axis
_NOTHING = "Nothing to draw: no fusion of two retrievers has weights that were tuned."


def drawn(rows: Sequence[WeightRow]) -> list[WeightRow]:
    """The rows of fusions of two retrievers: the weights of more are no line."""
    return [row for row in rows if row.n_runs == 2]


def draw(rows: Sequence[WeightRow]) -> Figure:
    """The weight of the second retriever against the measure, with a band; chosen weights are marked."""
    shown = drawn(rows)
    if not shown:
        return nothing_drawn(_NOTHING, rows)
    headings = {
        row.questions: f"{row.questions} (training)" if row.is_training else row.questions for row in shown
    }
    looks = canvas.looks([canvas.Drawn(row.retriever, row.position) for row in shown])

    def draw_set(name: str, axes: Axes) -> None:
        _draw_panel(axes, [row for row in shown if row.questions == name], looks)
        _name_ends(axes, shown)

    labels = ("weight of the second retriever", shown[0].measure)
    titles = {row.retriever: row.retriever_title for row in shown}
    return panels(
        headings, draw_set, rows=rows, heights=[1.5], width=(1.6, 3.0), share=(True, False), labels=labels,
        legend=named(looks, titles),
    )  # fmt: skip


def texts_of(rows: Sequence[WeightRow]) -> Caption:
    """Texts of the weight curves."""
    title = "Fusions by their weights"
    shown = drawn(rows)
    if not shown:
        return Caption(title=title, reading=_NOTHING, alternative=_NOTHING)
    more = unique(row.retriever for row in rows if row.n_runs > 2)
    tuned = {row.retriever: row for row in shown}
    return Caption(
        title=title,
        reading=sentences(
            f"{shown[0].measure} by the weight of the second retriever; at 0 and 1 each retriever searches alone. "
            f"Band: {percent(shown[0].level)} interval for {POPULATION}. Marked: the weight that the training "
            "questions chose; that another would have been better on a test set is known only afterwards.",
            *(
                f"{row.retriever_title}: {' (at 0) and '.join(row.of.split('; '))} (at 1), {row.in_sample:.3f} on the "
                f"training questions, {row.nested:.3f} by folds (optimism {row.optimism:.3f})."
                for row in tuned.values()
            ),
            f"Not drawn: {counted(len(more), 'fusion')} of more than two retrievers." if more else "",
            data_note(rows),
        ),
        alternative=f"Curves of {shown[0].measure} by the weight of the second retriever for "
        f"{counted(len(tuned), 'fusion')} on {', '.join(unique(row.questions for row in shown))}.",
    )


def _draw_panel(axes: Axes, rows: Sequence[WeightRow], looks: Mapping[str, canvas.Look]) -> None:
    for name in unique(row.retriever for row in rows):
        members = sorted((row for row in rows if row.retriever == name), key=lambda row: row.last)
        look = looks[name]
        weights = [row.last for row in members]
        lows, highs = [row.low for row in members], [row.high for row in members]
        axes.fill_between(weights, lows, highs, color=look.color, alpha=0.15, linewidth=0)
        axes.plot(weights, [row.value for row in members], color=look.color)
        chosen = [row for row in members if row.is_chosen]
        axes.plot(
            [row.last for row in chosen], [row.value for row in chosen], linestyle="none",
            color=look.color, marker=look.marker, markersize=5, markeredgecolor=canvas.INK, markeredgewidth=0.7,
        )  # fmt: skip
    axes.set_xlim(-0.02, 1.02)
    canvas.few_ticks(axes.yaxis)
    axes.grid(True)


def _name_ends(axes: Axes, rows: Sequence[WeightRow]) -> None:
    """The retrievers at the ends of the axis, where all fusions are of the same two and there is room for both."""
    pairs = unique(row.of for row in rows)
    first, second = pairs[0].split("; ")
    fits = lettering.into(_END_INCHES, 6.5)
    named_ends = len(pairs) == 1 and fits(first) and fits(second)
    axes.set_xticks([0, 0.5, 1], [f"0\n{first}", "½", f"1\n{second}"] if named_ends else ["0", "½", "1"])


FIGURE = Recipe(WeightRow, draw, texts_of, may_be_empty=True)
