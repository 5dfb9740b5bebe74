"""The page of a board: the verdict, every model with its places, and what the tests hold for."""

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from sentflow.boards.standing import Place, Standing
from sentflow.report.board import figure
from sentflow.report.board.table import LEVEL, board_table, lacking, pair, reading
from sentflow.report.numbers import counted, decimal, places, share
from sentflow.report.page import draw
from sentflow.report.page.draw import folded, h, joined, key, name, td, term, th
from sentflow.report.page.page import page, picture
from sentflow.report.page.sources import Section
from sentflow.report.table.html import html_text


def render(standing: Standing, image: Path, version: str) -> str:
    """The page as HTML; it holds the figure `image`. Every text is escaped; equal boards give equal bytes."""
    body = _board(standing) + folded("The figure, to share", picture(image, figure.caption(standing)))
    sections = [Section("leaderboard", "Leaderboard", _finding(standing), body)]
    if standing.named:
        pairs = joined(
            h("<h3>{} and {}</h3><p>{}</p>", one.a, one.b, pair(one, standing)) for one in standing.named
        )
        sections.append(Section("pairs", "Two models", "Pairs of models that were asked for", pairs))
    sections.append(_scope(standing))
    if lacks := lacking(standing):
        finding = f"Models without a score on some task: {len(lacks):,}"
        body = folded("Which tasks they lack", _list(lacks))
        sections.append(Section("unranked", "Not ranked", finding, body))
    return page(
        experiment={"title": standing.title},
        is_sample=False,
        badges=[],
        verdict=draw.sentence(standing.verdict()),
        figures=_figures(standing),
        sections=sections,
        caveats={},
        version=version,
    )


def _figures(standing: Standing) -> list[tuple[str, str, Markup]]:
    """Four numbers: (number, its unit, what it is)."""
    n, units = len(standing.places), standing.n_units
    found = [
        (f"{n:,}", f" of {n + len(standing.board.unranked):,}", h("models are ranked")),
        (f"{len(standing.board.tasks):,}", "", h("task{}", "" if len(standing.board.tasks) == 1 else "s")),
    ]
    if standing.units != "task":
        found.append((f"{units:,}", "", h("independent {}{}", standing.units, "" if units == 1 else "s")))
    if not standing.refusal:
        tied = sum(place.tied_for_first for place in standing.places)
        found.append((f"{tied:,}", "", h("tied for first place")))
    return found


def _finding(standing: Standing) -> str:
    n = len(standing.places)
    if standing.refusal:
        return f"{counted(n, 'model')} in the order of the mean."
    n_pairs = n * (n - 1) // 2
    open_pairs = n_pairs - int(standing.separation.separated.sum()) // 2
    return f"{open_pairs:,} of {n_pairs:,} pairs of models ({share(open_pairs / n_pairs)}) are not separated."


def _board(standing: Standing) -> Markup:
    n = len(standing.places)
    if standing.refusal:
        return html_text(board_table(standing), n)
    axis = draw.Axis((1, n), is_whole=True)
    head = [th(term("place", "Place"), "place left"), th("Model", "name"), axis.head(), th("Mean", "val num")]
    rows = [_line(place, axis, standing.board.digits) for place in standing.places]
    marks = key([
        ("lead", "first by the mean"),
        ("open", h("{} for first place", term("tie", "tied"))),
        ("full", "behind the first"),
        ("ci", h("places that the tests of this model leave open ({})", LEVEL)),
        ("thin", h("board: places right for all models at once ({})", LEVEL)),
    ])  # fmt: skip
    kind = "lb many" if n > draw.MANY else "lb"
    return marks + draw.first_rows([*head, th("Board", "best")], rows, kind, "model")


def _line(place: Place, axis: draw.Axis, digits: int) -> Markup:
    is_first, is_tied = place.place == 1, place.tied_for_first
    body = axis.span(place.board_low, place.board_high, "thin") + axis.span(place.own_low, place.own_high)
    body += axis.dot(place.place, "lead" if is_first else "open" if is_tied else "full")
    raised = h(" <sup>{}</sup>", place.letters) if place.letters else ""
    cells = [
        td(places(place.own_low, place.own_high), "place left"),
        name(h("{}{}", place.model, raised)),
        axis.row(body),
        td(decimal(place.mean, digits), "num"),
        td(places(place.board_low, place.board_high), "best"),
    ]
    return draw.line(cells, f"{'first ' if is_first else ''}{'tie' if is_tied else ''}".strip())


def _scope(standing: Standing) -> Section:
    finding, *how_to_read = reading(standing) or ["Nothing was tested."]
    body = _list([*how_to_read, *standing.notes])
    tasks = h("<p>{}</p>", ", ".join(standing.board.tasks))
    return Section("scope", "What this holds for", finding, body + folded("The tasks", tasks))


def _list(texts: Sequence[str]) -> Markup:
    return h('<ol class="caveats">{}</ol>', joined(h("<li>{}</li>", text) for text in texts))
