"""The report: one HTML page that holds everything it shows and asks the network for nothing."""

import base64
import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from markupsafe import Markup

from sentflow.flow import products
from sentflow.flow.products import FIGURE, TABLE
from sentflow.report.costs.rows import CostRow
from sentflow.report.figure.recipe import Caption, Recipe
from sentflow.report.numbers import counted, duration
from sentflow.report.page import draw
from sentflow.report.page.draw import folded, h, joined, sentence, term
from sentflow.report.page.method import method
from sentflow.report.page.sources import Report, Section, Sources
from sentflow.report.rows import SAMPLE_NOTE, data_versions, is_sample, unique
from sentflow.report.table.html import html_text

_FOLDER = Path(__file__).parent
# Figures that the page draws itself, larger and with tests, or that are of no use on it
_DRAWN_HERE = {"heatmap", "forest", "ranks", "differences", "differences-to-best", "costs"}
_MOST_LINES = 400  # of a table on the page; the files hold the rest
_SAMPLE = "The project wrote these texts: the numbers show that the pipeline works, nothing about real texts."
_MARK = re.compile(r"^[†‡§¶‖] ")


def render(sources: Sources) -> str:
    """The page as HTML. Every text is escaped; equal sources give equal bytes.

    Raises jinja2.UndefinedError: the template needs a key that the settings lack.
    """
    return page(**_context(sources))


def page(**context: Any) -> str:
    """A page of what the template needs beside its style and script."""
    css, script = ((_FOLDER / name).read_text(encoding="utf-8").strip() for name in ("page.css", "page.js"))
    css += draw.ramp()
    sources = {
        "css": Markup(css),
        "css_hash": _hash(css),
        "script": Markup(script),
        "script_hash": _hash(script),
    }
    return str(draw.rendered("page.html.j2", **sources, **context))


def _context(sources: Sources) -> dict[str, Any]:
    reports = [found for report in products.reports() if (found := report(sources)) is not None]
    versions = data_versions([row for report in reports for row in report.rows])
    samples = [is_sample(version) for version in versions]
    marks: list[str] = []
    sections = [
        replace(one, more=_more(sources, one, marks)) for report in reports for one in report.sections
    ]
    datasets = unique(name for report in reports for name in report.datasets)
    named = {row.model: row for report in reports for row in report.encoders}
    failed = [check for check in sources.checks if not check.passed]
    about = method(sources, reports, datasets, named)
    common = _folded(sources, ["encoders", "costs"], ["score-and-cost"], marks)
    sections.append(Section("data", "Data and method", *about, more=common))
    caveats = [("Sample data", _SAMPLE)] if any(samples) else []
    caveats += [caveat for report in reports for caveat in report.caveats]
    said = {text for _, text in caveats}
    caveats += [("Marks", mark) for mark in unique(marks) if mark not in said]
    grouped = {heading: [text for other, text in caveats if other == heading] for heading, _ in caveats}
    kind = "Sample data: not for real texts" if all(samples) else "Partly sample data"
    badges = [("sample", kind)] if any(samples) else []
    badges += [("data", f"{counted(len(failed), 'check')} failed")] if failed else []
    return {
        "experiment": sources.settings["experiment"],
        "is_sample": any(samples),
        "badges": badges,
        "verdict": _verdict(reports),
        "figures": _figures(sources, reports, named),
        "sections": sections,
        "caveats": grouped,
        "version": sources.versions["libraries"]["sentflow"],
    }


def _hash(text: str) -> Markup:
    digest = hashlib.sha256(text.encode()).digest()
    return Markup(f"'sha256-{base64.b64encode(digest).decode()}'")


def _verdict(reports: Sequence[Report]) -> Markup:
    """The answer of the first family that ranks anything."""
    first = next((report for report in reports if report.rankings), None)
    if first is None:
        return h("{}", reports[0].sections[0].finding if reports else "Nothing was measured.")
    ranking, sets = first.rankings[0], first.sets
    if sets and len(sets.sets) > 1 and len(ranking.systems) > 1 and not ranking.tests:
        return sentence(sets.finding())
    said = sentence(ranking.verdict())
    return h("{} (protocol {})", said, ranking.protocol) if ranking.protocol else said


def _figures(
    sources: Sources, reports: Sequence[Report], named: Mapping[str, Any]
) -> list[tuple[str, str, Markup]]:
    """Four numbers: (number, its unit, what it is)."""
    found: list[tuple[str, str, Markup]] = []
    first = next((report for report in reports if report.rankings), None)
    if first and first.sets:
        n, groups = len(first.sets.sets), unique(one.group for one in first.sets.sets if one.group)
        within = f" in {len(groups)} families" if len(groups) > 1 else ""
        found.append((f"{n:,}", "", h("{}{}", first.sets.what + ("s" if n > 1 else ""), within)))
    if first and first.encoders:
        named = {row.model: row for row in first.encoders}
    controls = sum(row.is_control for row in named.values())
    what = "encoder" if len(named) == 1 else "encoders"
    of_them = f", {controls} of them " if len(named) > 1 else ", "
    some = (
        h("{}{}", of_them, term("control", "controls" if controls > 1 else "a control")) if controls else ""
    )
    found += [(f"{len(named):,}", "", h("{}{}", what, some))] if named else []
    if first:
        ranking, sets = first.rankings[0], first.sets
        n, of = ranking.counts()
        if ranking.is_tested:
            pairs = "differences between them are" if of > 1 else "difference between them is"
            found.append((f"{n:,}", f" of {of:,}", h("{} {}", pairs, term("significant", "significant"))))
        elif sets and len(sets.sets) > 1 and any(one.is_tested for one in sets.sets):
            clear = sum(one.is_clear for one in sets.sets)
            what = h("{}s are won {}", sets.what, term("significant", "significantly"))
            found.append((f"{clear}", f" of {len(sets.sets)}", what))
    costs = sources.inputs.rows_if_there(CostRow)
    text, _, unit = duration(math.fsum(row.wall_seconds for row in costs)).partition(" ")
    found.append((text, f" {unit}", h("computing time of all jobs")))
    return found


def _more(sources: Sources, section: Section, marks: list[str]) -> Markup:
    """The figures of a section, and the other tables and figures of its family, folded; marks of tables are added."""
    if not section.family:
        return Markup("")
    pictures = [picture for name in section.figures if (picture := _picture(sources, name))]
    shown = joined(h("<div><h3>{}</h3>{}</div>", *picture) for picture in pictures)
    opened = joined(found[1] for name in section.tables if (found := _table(sources, name, marks)))
    others = [name for name in products.of_family(section.family, FIGURE) if name not in section.figures]
    tables = [name for name in products.of_family(section.family, TABLE) if name not in section.tables]
    shown = h('<div class="pair">{}</div>', shown) if shown else shown
    return shown + opened + _folded(sources, tables, others, marks)


def _folded(sources: Sources, tables: Sequence[str], figures: Sequence[str], marks: list[str]) -> Markup:
    found = [
        *(_table(sources, name, marks) for name in tables),
        *(_picture(sources, name) for name in figures),
    ]
    return joined(folded(*one) for one in found if one)


def _table(sources: Sources, name: str, marks: list[str]) -> tuple[str, Markup] | None:
    """What a table shows, and the table; notes on its marks are added. None where it was not selected, or is empty."""
    if not sources.has_table(name) or not (table := sources.table(name)).lines:
        return None
    marks += [note for note in table.notes if _MARK.match(note)]
    caption = table.caption.removeprefix(f"{sources.title}: ").removesuffix(".")
    return f"{caption[0].upper()}{caption[1:]}", html_text(table, _MOST_LINES)


def _picture(sources: Sources, name: str) -> tuple[str, Markup] | None:
    """Title, and figure with its caption; None where it was not selected, has no rows, or is drawn here."""
    files = {file.suffix: file for file in sources.files if file.stem == name}
    file = files.get(".svg") or files.get(".png")
    if file is None or name in _DRAWN_HERE:
        return None
    recipe: Recipe = products.find(FIGURE, name).load()
    rows = recipe.rows(sources.inputs)
    if not rows:
        return None
    texts = recipe.texts(rows)
    return texts.title, picture(file, texts)


def picture(file: Path, texts: Caption) -> Markup:
    """A figure, which the page then holds, with its caption."""
    encoded = base64.b64encode(file.read_bytes()).decode("ascii")
    kind = "svg+xml" if file.suffix == ".svg" else "png"
    alternative, reading = (
        text.replace(SAMPLE_NOTE, "").strip() for text in (texts.alternative, texts.reading)
    )
    pattern = '<figure><img src="data:image/{};base64,{}" alt="{}"><figcaption>{}</figcaption></figure>'
    return h(pattern, kind, encoded, alternative, reading)
