"""The last section of the page: what it took, the checks, the data, the protocol, and the record of the run."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from sentflow.report.costs.rows import CostRow
from sentflow.report.numbers import count, counted, duration, share
from sentflow.report.page.bibliography import bibtex
from sentflow.report.page.draw import Axis, folded, h, joined, line, name, plots, scrolled, td, th
from sentflow.report.page.sources import Report, Sources

_MOST_RULES = 8
# two or more names behind a slash that neither an address nor a name precedes; a file address; a drive
_MACHINE_PATH = re.compile(
    r"(?:file://|(?<![\w:/.~-]))(?:~|/[\w.+@-]+)(?:/[\w.+@-]+)*/([\w.+@-]+)"
    r"|\b[A-Za-z]:\\(?:[^\\\s]+\\)*([^\\\s]+)"
)
_FILES = {
    "tables/": "every number of this page, as CSV, Markdown and LaTeX",
    "figures/": "pictures for papers, as PDF, SVG and PNG",
    "comparisons/": "all tests between encoders",
    "record/": "configuration and versions",
}


@dataclass(frozen=True)
class Method:
    """Finding and body of the section."""

    finding: str
    body: Markup


def method(
    sources: Sources, reports: Sequence[Report], datasets: Sequence[str], named: Mapping[str, Any]
) -> Method:
    """The section; `datasets`, `named`: what was measured on, and a row per encoder."""
    costs = sorted(sources.inputs.rows_if_there(CostRow), key=lambda row: -row.wall_seconds)
    parts = [
        _costs(costs, [name for name, is_there in {
            "tables/": any(file.suffix == ".csv" for file in sources.files),
            "figures/": any(file.suffix == ".svg" for file in sources.files),
            "comparisons/": any(ranking.tests for report in reports for ranking in report.rankings),
            "record/": True,
        }.items() if is_there]),
        _checks(sources),
        folded("Data: licences and citations", _data(sources, datasets)) if datasets else "",
        folded("Protocols", _protocols(sources)) if sources.settings.get("protocols") else "",
        _warnings(sources),
        *_hardest(sources),
        folded("Encoders: configuration", _encoders(sources, named)) if named else "",
        folded("Citations as BibTeX", h("<pre>{}</pre>", bibtex(
            sources.versions,
            {data: sources.entries("datasets").get(data, {}) for data in datasets},
            {model: sources.entries("models").get(model, {}) for model in named},
            [entry for report in reports for entry in report.methods],
        ))),
        folded("Configuration", h("<pre>{}</pre>", without_machine_paths(sources.config))),
        folded("Versions", _versions(sources.versions)),
    ]  # fmt: skip
    total = sum(row.wall_seconds for row in costs)
    finding = (
        f"{duration(total)} of computing; the rule {costs[0].rule} took {share(costs[0].wall_seconds / total)}."
        if total
        else "What this page rests on"
    )
    return Method(finding, joined(h("{}", part) for part in parts))


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
        else:
            pairs.append((key, ", ".join(map(str, value)) if isinstance(value, list) else str(value)))
    return pairs


def _words(headings: Sequence[str], rows: Iterable[Sequence[str | Markup]], label: str) -> Markup:
    """A table of texts, the first column being its heads."""
    lines = joined(
        h(
            "<tr>{}</tr>",
            joined(
                h("<th scope=row>{}</th>" if i == 0 else "<td>{}</td>", cell) for i, cell in enumerate(row)
            ),
        )
        for row in rows
    )
    heads = joined(h("<th scope=col>{}</th>", heading) for heading in headings)
    return scrolled(
        label, h('<table class="words"><thead><tr>{}</tr></thead><tbody>{}</tbody></table>', heads, lines)
    )


def _costs(rows: Sequence[CostRow], folders: Sequence[str]) -> Markup:
    if not rows:
        return Markup("")
    total = sum(row.wall_seconds for row in rows) or 1.0
    bars = [(row.rule.replace("_", " "), row.wall_seconds) for row in rows[:_MOST_RULES]]
    if others := rows[_MOST_RULES:]:
        bars.append((f"{len(others)} other rules", sum(row.wall_seconds for row in others)))
    axis = Axis([0.0, max(100 * seconds / total for _, seconds in bars)])
    lines = [
        line([
            name(rule),
            axis.row(axis.bar(100 * seconds / total, "bar a" if place == 0 else "bar")),
            td(duration(seconds), "num"),
        ])
        for place, (rule, seconds) in enumerate(bars)
    ]  # fmt: skip
    began = min((row.started for row in rows if row.started), default="")
    ended = max((row.ended for row in rows if row.ended), default="")
    when = f" The first job began on {began}, the last ended on {ended} (UTC)." if began and ended else ""
    picture = h(
        "<figure>{}<figcaption>Percent of the computing time.{}</figcaption></figure>",
        plots([th("Rule", "name"), axis.head(), th("Time")], lines, "tight"),
        when,
    )
    files = _words(
        ("Folder", "What is in it"),
        [(h("<code>{}</code>", folder), _FILES[folder]) for folder in folders],
        "Files of this run",
    )
    return h('<div class="pair wide">{}<div>{}</div></div>', picture, files)


def _checks(sources: Sources) -> Markup:
    if not sources.checks:
        return Markup("")
    failed = [check for check in sources.checks if not check.passed]
    n = len(sources.checks)
    summary = (
        f"{len(failed)} of {counted(n, 'check')} failed" if failed else f"{n} of {counted(n, 'check')} passed"
    )
    rows = [
        (
            check.name.replace("_", " "),
            "passed" if check.passed else "failed",
            h("{}{}", check.rule, joined(h("<br>{}", problem) for problem in check.problems)),
            ", ".join(f"{count(n)} {what.replace('_', ' ')}" for what, n in check.counts.items()),
        )
        for check in sources.checks
    ]
    return folded(
        summary, _words(("Check", "Outcome", "Rule", "Checked"), rows, "Checks"), is_open=bool(failed)
    )


def _data(sources: Sources, datasets: Sequence[str]) -> Markup:
    def about(dataset: str) -> Sequence[str | Markup]:
        entry = sources.entries("datasets").get(dataset, {})
        home = str(entry.get("homepage", ""))
        title = without_machine_paths(str(entry.get("title", dataset)))
        linked = (
            h('<a href="{}" rel="noreferrer">{}</a>', home, title)
            if home.startswith(("http://", "https://"))
            else title
        )
        return (
            linked,
            entry.get("licence", "–"),
            entry.get("citation", "–"),
            without_machine_paths(str(entry.get("note", ""))),
        )

    return _words(("Data", "Licence", "Citation", "Note"), map(about, datasets), "Data")


def _protocols(sources: Sources) -> Markup:
    rows = [
        (protocol["title"], switch, str(setting["value"]), setting["note"])
        for protocol in sources.settings["protocols"]
        for switch, setting in protocol["switches"].items()
    ]
    return _words(("Protocol", "Switch", "Value", "What it does"), rows, "Protocols")


def _warnings(sources: Sources) -> Markup:
    rows = [
        (data, warning) for data, audit in sources.audits.items() for warning in audit.get("warnings", ())
    ]
    title = "Warnings of the data audits"
    return folded(title, _words(("Data", "Warning"), rows, title)) if rows else Markup("")


def _hardest(sources: Sources) -> Iterable[Markup]:
    """Texts that most probes get wrong; abusive ones stand apart."""
    for offensive, title in (
        (False, "Hardest texts"),
        (True, "Hardest texts of tasks with abusive language"),
    ):
        rows = [row for rows in sources.hardest.values() for row in rows if row.offensive == offensive]
        if rows:
            lines = [
                (
                    row.task,
                    " | ".join(map(_cut, filter(None, (row.text_a, row.text_b)))),
                    row.label_name,
                    share(row.share_wrong),
                )
                for row in rows
            ]
            shown = _words(("Task", "Text", "Class", "Wrong"), lines, title)
            yield folded(title, shown, kind="kept" if offensive else "")


def _cut(text: str, limit: int = 240) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def _encoders(sources: Sources, named: Mapping[str, Any]) -> Markup:
    rows = [
        (
            named[model].model_title,
            h("<code>{}</code>", model),
            "; ".join(
                f"{key}: {without_machine_paths(text)}"
                for key, text in flat(sources.entries("models").get(model, {}), ("title", "control"))
            ),
        )
        for model in named
    ]
    return _words(("Encoder", "Name", "Settings"), rows, "Encoders")


def _versions(versions: Mapping[str, Any]) -> Markup:
    rows = [("Python", versions["python"]), ("System", versions["platform"])]
    if git := versions["git"]:
        rows.append(("Commit", f"{git['commit']}{' with local changes' if git['dirty'] else ''}"))
    return _words(("Library", "Version"), [*rows, *sorted(versions["libraries"].items())], "Versions")
