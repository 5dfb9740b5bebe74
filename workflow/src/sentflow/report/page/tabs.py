"""The tabs of the page: one for each family of measurements between the overview and what all rest on."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sentflow.report.page.sources import Part, Section

OVERVIEW, METHOD = "Overview", "Data and method"
_SUMMARY = Part("summary", "Summary", "page/summary.html.j2")
_ENCODERS = Part("encoders", "Encoders", "page/encoders.html.j2")
_RECORD = (
    Part("checks", "Checks", "page/checks.html.j2"),
    Part("costs", "Costs", "page/costs.html.j2"),
    Part("cite", "How to cite", "page/cite.html.j2"),
    Part("record", "Record", "page/record.html.j2"),
)


@dataclass(frozen=True)
class Tab:
    """A tab with its parts in order."""

    title: str
    parts: tuple[Part, ...]

    @property
    def anchor(self) -> str:
        """Its address in the page."""
        return "tab-" + re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-")


def tabs_of(sections: Sequence[Section], *, has_encoders: bool) -> list[Tab]:
    """The tabs in order. `has_encoders`: whether there are encoders to describe."""
    placed: dict[str, list[Part]] = {OVERVIEW: [_SUMMARY]}
    for section in sections:
        for part in section.results:
            placed.setdefault(part.tab or section.tab, []).append(part)
    method = [part for section in sections for part in section.method]
    placed[METHOD] = [*method, *([_ENCODERS] if has_encoders else []), *_RECORD]
    return [Tab(title, tuple(parts)) for title, parts in placed.items()]
