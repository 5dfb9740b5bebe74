"""The report: one HTML page that holds everything it shows and asks the network for nothing."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from sentflow.files.control_characters import visible
from sentflow.flow import products
from sentflow.report import captions, numbers
from sentflow.report.costs.rows import CostRow, EncoderRow
from sentflow.report.families.probing import remarks
from sentflow.report.numbers import counted
from sentflow.report.page.answer import answers
from sentflow.report.page.bibliography import bibtex
from sentflow.report.page.files import attachments, pictures
from sentflow.report.page.leaderboards import leaderboards
from sentflow.report.page.sources import Section, Sources
from sentflow.report.page.tabs import tabs_of
from sentflow.report.rows import data_versions, is_sample, unique
from sentflow.report.table.html import html_text

_FOLDER = Path(__file__).parents[1]  # of the templates of the page and of families
# two or more names behind a slash that neither an address nor a name precedes; a file address; a drive
_MACHINE_PATH = re.compile(
    r"(?:file://|(?<![\w:/.~-]))(?:~|/[\w.+@-]+)(?:/[\w.+@-]+)*/([\w.+@-]+)"
    r"|\b[A-Za-z]:\\(?:[^\\\s]+\\)*([^\\\s]+)"
)


def render(sources: Sources) -> str:
    """The page as HTML. Every text is escaped; equal sources give equal bytes.

    Raises jinja2.UndefinedError: the template needs a key that the settings lack.
    """
    return _environment().get_template("page/page.html.j2").render(_context(sources)).removesuffix("\n")


def without_machine_paths(text: str) -> str:
    """Text in which absolute paths of this machine are cut to their last name: ``…/models``."""
    return _MACHINE_PATH.sub(lambda match: f"…/{match[1] or match[2]}", text)


def flat(entry: Mapping[str, Any], leave_out: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Keys and values of nested settings as pairs of texts, keys joined by points."""
    pairs: list[tuple[str, str]] = []
    for key, value in entry.items():
        if key in leave_out or value is None:
            continue
        if isinstance(value, Mapping):
            pairs += [(f"{key}.{inner}", text) for inner, text in flat(value)]
        elif isinstance(value, list):
            pairs.append((key, ", ".join(str(item) for item in value)))
        else:
            pairs.append((key, str(value)))
    return pairs


@cache
def _environment() -> Environment:
    """Templates and filters; compiled once for all pages of a process."""
    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,  # of the parts that the page includes
        finalize=_shown,
    )
    environment.filters |= {
        "table": html_text,
        "decimal": numbers.decimal,
        "about": numbers.about,
        "count": numbers.count,
        "percent": numbers.percent,
        "metric": captions.metric_name,
        "family": captions.family_name,
        "classifier": lambda name: captions.CLASSIFIERS.get(name, name),
        "layout": lambda name: captions.LAYOUTS.get(name, name),
        "remarks": remarks.sentences,
        "training_mark": remarks.training_mark,
        "score_mark": remarks.score_mark,
        "interval": numbers.interval,
        "limits": lambda limits: numbers.interval(*limits),
        "p_number": numbers.p_number,
        "duration": numbers.duration,
        "shorten": lambda text, limit: text if len(text) <= limit else text[: limit - 1].rstrip() + "…",
        "portable": without_machine_paths,
    }
    return environment


def _context(sources: Sources) -> dict[str, Any]:
    made = (section(sources) for section in products.sections())
    sections: list[Section] = [section for section in made if section is not None]
    named = [row for section in sections for row in section.encoders]
    rows = [row for section in sections for row in section.rows]
    models = unique(row.model for row in named)
    datasets = unique(name for section in sections for name in section.datasets)
    costs = sources.inputs.rows(CostRow)
    described = sources.inputs.rows_if_there(EncoderRow)
    has_encoders = bool(models or described)
    return {
        "css": _own_text("page.css"),
        "script": _own_text("page.js"),
        "experiment": sources.settings["experiment"],
        "sections": sections,
        "answer": answers(sections),
        "boards": leaderboards(sections, described),
        "tabs": tabs_of(sections, has_encoders=has_encoders),
        "badges": [
            *(badge for section in sections for badge in section.badges),
            *([counted(len(models), "encoder")] if models else []),
            *(badge for section in sections for badge in section.design),
        ],
        "warnings": [badge for section in sections for badge in section.warnings],
        "model_names": models,
        "model_titles": {row.model: row.model_title for row in named},
        "controls": unique(row.model for row in named if row.is_control),
        "data_versions": [(version, is_sample(version)) for version in data_versions(rows)],
        "has_sample": any(is_sample(version) for version in data_versions(rows)),
        "tables": {
            "costs": sources.table("costs"),
            **({"encoders": sources.table("encoders")} if described else {}),
            **{name: table for section in sections for name, table in section.tables.items()},
        },
        "pictures": pictures(sources.files, sources.inputs),
        "attachments": attachments(sources.files),
        "ran": _ran(costs),
        "bibtex": bibtex(
            sources.versions,
            {name: sources.entries("datasets").get(name, {}) for name in datasets},
            {name: sources.entries("models").get(name, {}) for name in models},
            [entry for section in sections for entry in section.methods],
        ),
        "checks": sources.checks,
        "models": sources.entries("models"),
        "datasets": sources.entries("datasets"),
        "dataset_names": datasets,
        "flat": flat,
        "config": sources.config,
        "versions": sources.versions,
        **{section.name: section.shown for section in sections},
    }


def _shown(value: Any) -> Any:
    """What a template prints: untrusted texts with hidden characters escaped, this project's own texts unchanged."""
    return visible(value) if type(value) is str else value


def _own_text(name: str) -> Markup:
    # written by this project, hence safe; it goes between style or script tags, where escapes are not read
    return Markup((_FOLDER / "page" / name).read_text(encoding="utf-8"))


def _ran(costs: Sequence[CostRow]) -> tuple[str, str] | None:
    """When the first job began and the last one ended; None where no file says so."""
    timed = [row for row in costs if row.started and row.ended]
    if not timed:
        return None
    return min(row.started for row in timed), max(row.ended for row in timed)
