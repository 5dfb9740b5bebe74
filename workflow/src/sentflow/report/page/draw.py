"""What the page draws itself: rows of dots with intervals, the leaderboard, the heat map. Texts are escaped.

Positions are percent of a plot's width, so that texts and strokes keep their size when the page is narrow.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from sentflow.files.control_characters import visible
from sentflow.report.claims import Claim, Ranking, Sets, System, UnitSet
from sentflow.report.numbers import MISSING, decimal, percent, places, signed
from sentflow.report.rows import grouped

STEPS = 20  # of the heat map's colours
MANY = 8  # encoders; above, columns have upright names and rows are lower
# encoders in a heat map, and in a leaderboard before the rest is folded; unit sets in a heat map, likewise
_WIDEST_HEAT, _SHOWN, _MOST_ROWS = 24, 20, 40
_SHORT_NAME = 25  # characters that do not break
_LIGHT_TEXT_FROM, _DARK_TEXT_FROM = 17, 11  # steps of page.css's ramps where black and white change places
_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1, 2, 5, 10, 20, 25, 50, 100)


def h(pattern: str, *values: Any, **named: Any) -> Markup:
    """A pattern of HTML with values in it; what is not markup is escaped, and hidden characters are written out."""
    shown = {key: visible(value) if type(value) is str else value for key, value in named.items()}
    return Markup(pattern).format(*(visible(v) if type(v) is str else v for v in values), **shown)


def rendered(template: str, **context: Any) -> Markup:
    """A template of this folder; texts are escaped as in `h`."""
    return Markup(_templates().get_template(template).render(context))


@cache
def _templates() -> Environment:
    """Compiled once for all pages of a process."""
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: visible(value) if type(value) is str else value,
    )


def joined(parts: Iterable[Markup]) -> Markup:
    """Parts one after the other."""
    return Markup("").join(parts)


def how(pattern: str, *values: Any) -> Markup:
    """A paragraph that says how to read a picture."""
    return h(f'<p class="how small soft">{pattern}</p>', *values)


def term(key: str, text: str) -> Markup:
    """A word that the glossary explains."""
    return h('<a class="term" href="#g-{}">{}</a>', key, text)


def sentence(claim: Claim) -> Markup:
    """A claim with its first system in bold and the outcome of the test linked to the glossary."""
    marked = {
        key: h('<span class="nb">{}</span>', text) if len(text) < _SHORT_NAME else h("{}", text)
        for key, text in claim.values.items()
    }
    if "first" in marked:
        marked["first"] = h("<b>{}</b>", marked["first"])
    if "significant" in marked:
        key = "significant" if claim.values["significant"] == "significant" else "tie"
        marked["significant"] = term(key, claim.values["significant"])
    return h(claim.pattern, **marked)


def short_names(titles: Mapping[str, str]) -> dict[str, str]:
    """Names behind their last slash, up to their first comma or bracket, where that is enough to tell them apart."""
    cut = {name: re.split(r",| \(", title)[0].rpartition("/")[2] for name, title in titles.items()}
    every = list(cut.values())
    return {name: text if every.count(text) == 1 else titles[name] for name, text in cut.items()}


def _cut(name: str) -> str:
    """A name for which a telephone has room, with both of its ends."""
    return name if len(name) <= 20 else f"{name[:10].rstrip()}…{name[-9:].lstrip()}"


class Axis:
    """A scale over the width of a plot; `is_whole`: of whole numbers."""

    def __init__(self, values: Iterable[float], *, is_whole: bool = False) -> None:
        known = [value for value in values if not math.isnan(value)] or [0.0, 1.0]
        self.low, self.high = min(known), max(known)
        if self.high - self.low < 1e-9:
            self.low, self.high = self.low - 0.05, self.high + 0.05
        steps = (step for step in _TICKS if step >= 1 or not is_whole)
        step = next((step for step in steps if (self.high - self.low) / step <= 5), self.high - self.low)
        self.digits = 2 if step < 0.1 or step == 0.25 else 1 if step < 1 else 0
        ticks = range(math.ceil(self.low / step - 0.01), math.floor(self.high / step + 0.01) + 1)
        self.ticks = [i * step for i in ticks]

    def x(self, value: float) -> str:
        """The place of a value; what lies beyond an end is at it."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return f"{3 + 94 * share:.2f}%"

    def head(self, left: str = "", right: str = "") -> Markup:
        """The cell above the plots: numbers, and what lies to either side of 0."""
        texts = joined(
            h('<text x="{}" y="31" text-anchor="middle">{}</text>', self.x(tick), decimal(tick, self.digits))
            for tick in self.ticks
        )
        for text, x, anchor in ((f"← {_cut(left)}", "0", "start"), (f"{_cut(right)} →", "100%", "end")):
            if left:
                texts += h('<text class="in" x="{}" y="13" text-anchor="{}">{}</text>', x, anchor, text)
        return h(
            '<th class="plot" role="columnheader"><span class="vh">Picture</span><svg aria-hidden="true">{}</svg></th>',
            texts,
        )

    def row(self, body: Markup) -> Markup:
        """A cell with a plot."""
        lines = joined(
            h(
                '<line class="{0}" x1="{1}" x2="{1}" y1="0" y2="100%"/>',
                "zero" if abs(tick) < 1e-9 and self.low < 0 else "grid",
                self.x(tick),
            )
            for tick in self.ticks
        )
        return h('<td class="plot" role="cell"><svg aria-hidden="true">{}{}</svg></td>', lines, body)

    def span(self, low: float, high: float, kind: str = "ci") -> Markup:
        """An interval; nothing where it has no limits."""
        if math.isnan(low) or math.isnan(high):
            return Markup("")
        return h('<line class="{}" x1="{}" x2="{}" y1="50%" y2="50%"/>', kind, self.x(low), self.x(high))

    def dot(self, value: float, mark: str, kind: str = "") -> Markup:
        """A mark at a value."""
        return h('<use href="#{}" class="{}" x="{}" y="50%"/>', mark, kind, self.x(value))

    def bar(self, value: float, kind: str) -> Markup:
        """A bar from the left end, which is 0."""
        return h(
            '<rect class="{}" x="3%" width="{:.2f}%" y="22%" height="56%"/>', kind, 94 * value / self.high
        )

    def strokes(self, values: Iterable[float]) -> Markup:
        """A short line per value."""
        return joined(
            h('<line class="fold" x1="{0}" x2="{0}" y1="22%" y2="78%"/>', self.x(value)) for value in values
        )


def plots(head: Sequence[Markup], rows: Iterable[Markup], kind: str = "") -> Markup:
    """A table whose rows hold a plot. Roles are written out, because on a telephone its rows are grids."""
    return h(
        '<table class="plots {}" role="table"><thead role="rowgroup"><tr role="row">{}</tr></thead>'
        '<tbody role="rowgroup">{}</tbody></table>',
        kind,
        joined(head),
        joined(rows),
    )


def line(cells: Sequence[Markup], kind: str = "", key: str = "") -> Markup:
    """A row of `plots`; `key`: the encoder that is marked with it in other pictures."""
    return h(
        '<tr role="row" class="{}"{}>{}</tr>', kind, h(' data-e="{}"', key) if key else "", joined(cells)
    )


def th(text: str, kind: str = "") -> Markup:
    """A heading of a column."""
    return h('<th scope="col" role="columnheader" class="{}">{}</th>', kind, text)


def td(text: str, kind: str = "") -> Markup:
    """A cell."""
    return h('<td role="cell" class="{}">{}</td>', kind, text)


def name(text: str) -> Markup:
    """The heading of a row."""
    return h('<th scope="row" role="rowheader" class="name">{}</th>', text)


def key(marks: Iterable[tuple[str, str | Markup]]) -> Markup:
    """What marks mean: (name of a mark, words)."""
    items = []
    for mark, text in marks:
        goal, _, kind = mark.partition(" ")
        shown = h(' class="one"><use href="#{}" class="{}" x="50%" y="8"/>', goal, kind)
        if mark in ("ci", "thin"):
            shown = h('><line class="{}" x1="3" x2="27" y1="8" y2="8"/>', mark)
        items.append(h('<li><svg aria-hidden="true"{}</svg><span>{}</span></li>', shown, text))
    return h('<ul class="key">{}</ul>', joined(items))


def folded(summary: str, body: Markup, *, is_open: bool = False, kind: str = "") -> Markup:
    """What a reader can open, and paper has open but for the kind ``kept``."""
    opened = Markup(" open") if is_open else ""
    return h('<details class="{}"{}><summary>{}</summary>{}</details>', kind, opened, summary, body)


def scrolled(label: str, body: Markup) -> Markup:
    """A wide table in its own region."""
    return h('<div class="scroll" role="region" aria-label="{}" tabindex="0">{}</div>', label, body)


def first_rows(head: Sequence[Markup], rows: Sequence[Markup], kind: str, what: str) -> Markup:
    """`plots` of the first rows; the others are folded."""
    picture = plots(head, rows[:_SHOWN], kind)
    if len(rows) > _SHOWN:
        picture += folded(f"The other {len(rows) - _SHOWN} {what}s", plots(head, rows[_SHOWN:], kind))
    return h('<figure class="keep">{}</figure>', picture)


def outcome(is_significant: bool, *, words: bool = True) -> Markup:
    """The outcome of a test as a mark, with words or with those in its stead."""
    goal, mark, said = (
        ("significant", "full", "significant") if is_significant else ("tie", "open", "not separated")
    )
    return h(
        '<a class="tag" tabindex="-1" href="#g-{}"><svg role="img" aria-label="{}"><use href="#{}" x="6" y="6"/></svg>'
        "{}</a>",
        goal, said, mark, said if words else "",
    )  # fmt: skip


def leaderboard(ranking: Ranking, more: Sequence[tuple[str | Markup, Mapping[str, str]]] = ()) -> Markup:
    """A row per system: a dot, the interval of its distance to the first, and what a test says of that.

    `more`: headings and cells of further columns, by system.
    """
    systems = ranking.systems
    top, near = systems[0].value, _near(ranking)
    values = [top, *(system.value for system in near)]
    for test in filter(None, map(ranking.behind, near)):
        values += [top - test.low, top - test.high]
    if not ranking.is_tested:
        values += [end for system in near for end in (system.low, system.high)]
    axis = Axis(values)
    rows = [_standing(ranking, system, axis, is_near=system in near, more=more) for system in systems]
    tested = ranking.is_tested and len(systems) > 1
    measure = f"{ranking.measure[0].upper()}{ranking.measure[1:]}"
    head = [
        *([th(term("place", "Place"), "place left")] if tested else []),
        th(ranking.what.capitalize(), "name"), axis.head(), th(measure, "val num"),
        *([th("Behind the first", "behind")] if len(systems) > 1 else []),
        *([th(Markup('<span class="vh">Test</span>'), "sure")] if tested else []),
        *(th(heading, "best") for heading, _ in more),
    ]  # fmt: skip
    kind = "lb many" if len(systems) > MANY else "lb"
    marks = _leaderboard_key(ranking, n_far=len(systems) - len(near))
    return _reach(ranking) + marks + first_rows(head, rows, kind, ranking.what)


def _reach(ranking: Ranking) -> Markup:
    """How bars and dots go together: bars look at one comparison, tests at all."""
    tested = [(test, ranking.is_tied(one)) for one in ranking.systems[1:] if (test := ranking.behind(one))]
    if not tested or not ranking.is_tested:
        return Markup("")
    if any((test.low > 0) == is_tied for test, is_tied in tested):
        return how("Dots allow for {}; bars look at one comparison.", term("holm", "all comparisons"))
    is_tied = any(is_tied for _, is_tied in tested)
    return how("A bar that reaches the dashed line: not separated.") if is_tied else Markup("")


def _near(ranking: Ranking) -> list[System]:
    """Systems whose dots are drawn: controls far below the others get an arrow, so that the others have room."""
    top = ranking.systems[0].value
    near = [system for system in ranking.systems if not system.is_control or system.value > 0.6 * top]
    return near if len(near) > 1 else list(ranking.systems)


def _standing(
    ranking: Ranking,
    system: System,
    axis: Axis,
    *,
    is_near: bool,
    more: Sequence[tuple[str | Markup, Mapping[str, str]]],
) -> Markup:
    is_first, tested = system is ranking.systems[0], ranking.is_tested and len(ranking.systems) > 1
    top, test = ranking.systems[0].value, ranking.behind(system)
    is_tied = tested and bool(ranking.tied) and (is_first or ranking.is_tied(system))
    start = "50%" if is_first else "0"
    body = h('<line class="ref" x1="{0}" x2="{0}" y1="{1}" y2="100%"/>', axis.x(top), start)
    if system in ranking.first:
        body += "" if ranking.is_tested else axis.span(system.low, system.high)
        body += axis.dot(top, "lead")
    elif not is_near:
        body += Markup('<use href="#away" x="3%" y="50%"/>')
    else:
        low, high = (top - test.high, top - test.low) if test else (system.low, system.high)
        body += axis.span(low, high) + axis.dot(system.value, "open" if ranking.is_tied(system) else "full")
    is_told = not system.is_control or "(control)" in system.title
    chip = "" if is_told else Markup(' <a class="chip" href="#g-control">control</a>')
    alike = ranking.alike.get((ranking.systems[0].name, system.name))
    behind = Markup("")
    if not is_first:
        limits = ""
        if test and not math.isnan(test.low):
            limits = f"[{signed(-test.high, ranking.digits)}, {signed(-test.low, ranking.digits)}]"
        behind = h("{}<small>{}</small>", decimal(-ranking.less_first(system), ranking.digits), limits)
    cells = [
        *([td(places(*ranking.place(system)), "place left")] if tested else []),
        name(h("{}{}", system.title, chip)), axis.row(body), td(decimal(system.value, ranking.digits), "num"),
        *([td(behind, "behind")] if len(ranking.systems) > 1 else []),
        *([td("" if is_first else alike or outcome(not ranking.is_tied(system)), "sure")] if tested else []),
        *(td(column.get(system.name, "–"), "best") for _, column in more),
    ]  # fmt: skip
    return line(cells, f"{'first ' if is_first else ''}{'tie' if is_tied else ''}".strip(), system.name)


def _leaderboard_key(ranking: Ranking, *, n_far: int) -> Markup:
    level, interval = percent(ranking.level), term("interval", "interval")
    own = [("ci", h("{} {} of each {}", level, interval, ranking.measure))]
    own = own if any(not math.isnan(system.low) for system in ranking.systems) else []
    if len(ranking.systems) < 2:
        return key(own) if own else Markup("")
    marks: list[tuple[str, str | Markup]] = [("lead", "first")]
    others = [system for system in ranking.systems if system not in ranking.first]
    if ranking.is_tested:
        if len(ranking.tied) < len(ranking.systems) - 1:
            marks.append(("full", h("{} behind the first", term("significant", "significantly"))))
        if any(map(ranking.is_tied, others)):
            marks.append(("open", h("{} from the first", term("tie", "not separated"))))
    elif others:
        marks.append(("open", "not tested"))
    if n_far:
        marks.append(("away", "too far left to draw"))
    distance = h("{} {} of the distance to the first, for {}", level, interval, ranking.population)
    marks += [("ci", distance)] if ranking.is_tested else own
    return key(marks)


def heat_map(sets: Sets, written: Callable[[float], str] = decimal) -> Markup:
    """A row per unit set, a column per system; the best of a row is framed, and its lead stands at the right.

    `written`: a printed value. More than forty unit sets are folded below the means of their groups.
    """
    systems, shorts = list(sets.titles)[:_WIDEST_HEAT], short_names(sets.titles)
    values = [sets.printed(value) for one in sets.sets for value in one.values.values()]
    top = 1.0 if all(math.isnan(value) or value <= 1 for value in values) else 100.0

    def cells(found: Mapping[str, float], best: Sequence[str] = ()) -> list[tuple[str, str, str]]:
        highest = max((value for value in found.values() if not math.isnan(value)), default=0.0)

        def cell(system: str) -> tuple[str, str, str]:
            if math.isnan(value := found.get(system, math.nan)):
                return "none", "", MISSING
            kind = f"h{_step(value / top)} g{_step(1 - (highest - value) / (0.3 * top))}"
            return kind + " top" * (system in best), system, written(value)

        return [cell(system) for system in systems]

    def row(one: UnitSet) -> tuple[str, list[tuple[str, str, str]], str, Markup | str]:
        printed = {system: sets.printed(value) for system, value in one.values.items()}
        tag = outcome(one.is_clear, words=False) if one.is_tested else ""
        return one.title, cells(printed, sets.best(one)), signed(sets.lead(one), sets.digits), tag

    def means(own: Sequence[UnitSet]) -> list[tuple[str, str, str]] | None:
        if len(own) == 1 or len(by_group) == 1:
            return None
        return cells(
            {name: fmean(sets.printed(one.values.get(name, math.nan)) for one in own) for name in systems}
        )

    by_group = grouped(sets.sets, "group")
    return rendered(
        "heat.html.j2",
        groups=[(group, means(own), [row(one) for one in own]) for group, own in by_group.items()],
        names={system: shorts[system] for system in systems},
        what=sets.what,
        many=len(systems) > MANY,
        is_folded=len(sets.sets) > _MOST_ROWS,
        n_hidden=len(sets.titles) - len(systems),
        term=term,
    )


def _step(share: float) -> int:
    return max(0, min(STEPS, round(share * STEPS)))


def ramp() -> str:
    """Rules of the heat map's colours, of which page.css has the ends and the middle."""
    rules = []
    for i in range(STEPS + 1):
        half = STEPS // 2
        ends = ("lo", "mid", i) if i <= half else ("mid", "hi", i - half)
        light = "#fff" if i >= _LIGHT_TEXT_FROM else "#04070b"
        dark = "#04070b" if i >= _DARK_TEXT_FROM else "#fff"
        colour = f"color-mix(in srgb,var(--{ends[0]}),var(--{ends[1]}) {100 * ends[2] // half}%)"
        rules.append(f".h{i},section:has(.by-gap:checked) td.g{i}{{--c:{colour};--lt:{light};--dt:{dark}}}")
    return "\n".join(rules)


def series(place: int, n: int) -> tuple[str, str]:
    """Class and mark of a series: four are told apart (two of more than eight), the others are grey."""
    return (f"s{place + 1}", f"m{place + 1}") if place < 4 and not (n > MANY and place > 1) else ("s0", "m5")
