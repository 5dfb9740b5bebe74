"""The page of a board: the verdict, every model with its places, and what the tests hold for."""

from pathlib import Path

from markupsafe import Markup

from sentflow.boards.standing import Place, Standing
from sentflow.errors import listed
from sentflow.report.board import figure
from sentflow.report.board.table import pair, places, reading
from sentflow.report.numbers import counted, decimal, percent, share
from sentflow.report.page.draw import (
    MANY,
    Axis,
    first_rows,
    folded,
    h,
    how,
    joined,
    key,
    line,
    name,
    scrolled,
    sentence,
    td,
    term,
    th,
)
from sentflow.report.page.page import page, picture
from sentflow.report.page.sources import Section


def render(standing: Standing, image: Path, version: str) -> str:
    """The page as HTML; it holds the figure `image`. Every text is escaped; equal boards give equal bytes."""
    body = _board(standing) if standing.places else Markup("")
    if standing.places:
        body += folded("The figure, to share", picture(image, figure.caption(standing)))
    sections = [Section("leaderboard", "Leaderboard", _finding(standing), body)]
    if standing.named:
        pairs = joined(
            h("<h3>{} and {}</h3><p>{}</p>", one.a, one.b, pair(one, standing)) for one in standing.named
        )
        sections.append(Section("pairs", "Two models", "Pairs of models that were asked for", pairs))
    sections.append(_scope(standing))
    if standing.unranked:
        sections.append(_unranked(standing))
    return page(
        experiment={"title": standing.title},
        is_sample=False,
        badges=[],
        verdict=sentence(standing.verdict()),
        figures=_figures(standing),
        sections=sections,
        caveats={},
        version=version,
    )


def _figures(standing: Standing) -> list[tuple[str, str, Markup]]:
    """Four numbers: (number, its unit, what it is)."""
    n, units = len(standing.places), standing.n_units
    found = [
        (f"{n:,}", f" of {n + len(standing.unranked):,}", h("models have every task")),
        (f"{len(standing.tasks):,}", "", h("task{}", "" if len(standing.tasks) == 1 else "s")),
    ]
    if standing.units != "task":
        found.append((f"{units:,}", "", h("independent {}{}", standing.units, "" if units == 1 else "s")))
    if not standing.refusal:
        tied = sum(place.is_tied_for_first for place in standing.places)
        found.append((f"{tied:,}", "", h("tied for first place")))
    return found


def _finding(standing: Standing) -> str:
    n = len(standing.places)
    if standing.refusal or n < 2:
        return f"{counted(n, 'model')} in the order of the mean."
    n_pairs = n * (n - 1) // 2
    open_pairs = n_pairs - int(standing.separated.sum()) // 2
    return f"{open_pairs:,} of {n_pairs:,} pairs of models ({share(open_pairs / n_pairs)}) are not separated."


def _board(standing: Standing) -> Markup:
    n, tested = len(standing.places), not standing.refusal
    axis = Axis((1, n), is_whole=True)
    has_letters = tested and any(place.letters for place in standing.places)
    head = [
        *([th(term("place", "Place"), "place left")] if tested else []),
        th("Model", "name"),
        *([axis.head()] if tested else []),
        th("Mean", "val num"),
        *([th("Letters", "best")] if has_letters else []),
        *([th("Board", "best")] if tested else []),
    ]
    rows = [
        _line(place, at, axis, standing, has_letters=has_letters)
        for at, place in enumerate(standing.places, 1)
    ]
    level, marks = percent(standing.level), Markup("")
    if tested:
        marks = how("Models that share a letter are not separated.") if has_letters else marks
        marks += key([
            ("lead", "first by the mean"),
            ("open", h("{} for first place", term("tie", "tied"))),
            ("full", "behind the first"),
            ("ci", h("places that the tests of this model leave open ({})", level)),
            ("thin", h("places right for all models at once ({})", level)),
        ])  # fmt: skip
    return marks + first_rows(head, rows, "lb many" if n > MANY else "lb", "model")


def _line(place: Place, at: int, axis: Axis, standing: Standing, *, has_letters: bool) -> Markup:
    mean = td(decimal(place.value, standing.digits), "num")
    if standing.refusal:
        return line([name(place.model), mean])
    is_tied = place.is_tied_for_first
    body = axis.span(place.board_low, place.board_high, "thin") + axis.span(place.low, place.high)
    body += axis.dot(at, "lead" if at == 1 else "open" if is_tied else "full")
    cells = [
        td(places(place.low, place.high), "place left"),
        name(place.model),
        axis.row(body),
        mean,
        *([td(place.letters, "best")] if has_letters else []),
        td(places(place.board_low, place.board_high), "best"),
    ]
    return line(cells, f"{'first ' if at == 1 else ''}{'tie' if is_tied else ''}".strip())


def _scope(standing: Standing) -> Section:
    finding, *how_to_read = reading(standing) or [standing.refusal or "Nothing was tested."]
    points = joined(h("<li>{}</li>", text) for text in (*how_to_read, *standing.notes))
    body = h('<ol class="caveats">{}</ol>', points)
    body += folded(
        f"The {counted(len(standing.tasks), 'task')}", h("<p>{}</p>", listed(standing.tasks, 10**6))
    )
    return Section("scope", "What this holds for", finding, body)


def _unranked(standing: Standing) -> Section:
    rows = joined(
        h(
            "<tr><th scope=row>{}</th><td>{}</td><td class=left>{}</td></tr>",
            model,
            len(tasks),
            listed(tasks, 8),
        )
        for model, tasks in standing.unranked.items()
    )
    table = h(
        '<table class="sortable words"><thead><tr><th scope=col>Model</th><th scope=col>Missing</th>'
        "<th scope=col class=left>Tasks</th></tr></thead><tbody>{}</tbody></table>",
        rows,
    )
    n = len(standing.unranked)
    finding = f"{counted(n, 'model')} without a score on some task {'is' if n == 1 else 'are'} not ranked."
    shown = scrolled("Models that are not ranked", table)
    body = folded("Which tasks they lack", shown, is_open=n <= 10)
    return Section("unranked", "Not ranked", finding, body)
