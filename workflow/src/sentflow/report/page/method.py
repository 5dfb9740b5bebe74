"""The last section of the page: what it took, the checks, the data, the protocol, and the record of the run."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from sentflow.report.costs.rows import CostRow
from sentflow.report.numbers import count, counted, duration, share
from sentflow.report.page.draw import Axis, h, line, name, plots, rendered, td, th
from sentflow.report.page.sources import Report, Sources
from sentflow.report.table.latex import latex

_MOST_RULES, _LONGEST_TEXT = 8, 240
# two or more names behind a slash that neither an address nor a name precedes; a file address; a drive
_MACHINE_PATH = re.compile(
    r"(?:file://|(?<![\w:/.~-]))(?:~|/[\w.+@-]+)(?:/[\w.+@-]+)*/([\w.+@-]+)"
    r"|\b[A-Za-z]:\\(?:[^\\\s]+\\)*([^\\\s]+)"
)


def method(
    sources: Sources, reports: Sequence[Report], datasets: Sequence[str], named: Mapping[str, Any]
) -> tuple[str, Markup]:
    """Finding and body of the section; `datasets`, `named`: what was measured on, and a row per encoder."""
    costs = sorted(sources.inputs.rows_if_there(CostRow), key=lambda row: -row.wall_seconds)
    used = {dataset: sources.entries("datasets").get(dataset, {}) for dataset in datasets}
    models = {model: sources.entries("models").get(model, {}) for model in named}
    git, suffixes = sources.versions["git"], {file.suffix for file in sources.files}
    methods = [entry for report in reports for entry in report.methods]
    tested = any(ranking.tests for report in reports for ranking in report.rankings)
    body = rendered(
        "method.html.j2",
        sources=sources,
        count=count,
        counted=counted,
        clean=without_machine_paths,
        costs=_costs(costs),
        suffixes=suffixes,
        tested=tested,
        datasets=[*used.items()],
        protocols=[
            (protocol["title"], switch, setting["value"], setting["note"])
            for protocol in sources.settings.get("protocols", ())
            for switch, setting in protocol["switches"].items()
        ],
        warnings=[
            (data, text) for data, audit in sources.audits.items() for text in audit.get("warnings", ())
        ],
        hardest=_hardest(sources),
        encoders=[
            (named[model].model_title, model, "; ".join(f"{key}: {text}" for key, text in flat(entry)))
            for model, entry in models.items()
        ],
        bibtex="\n\n".join(
            [_software(sources.versions), *methods, *_entries("data", used), *_entries("encoder", models)]
        ),
        commit=f"{git['commit']}{' with local changes' * git['dirty']}" if git else "",
    )
    total = sum(row.wall_seconds for row in costs)
    if not total:
        return "What this page rests on", body
    most = share(costs[0].wall_seconds / total)
    return f"{duration(total)} of computing; the rule {costs[0].rule} took {most}.", body


def without_machine_paths(text: Any) -> str:
    """Text in which absolute paths of this machine are cut to their last name: ``…/models``."""
    return _MACHINE_PATH.sub(lambda match: f"…/{match[1] or match[2]}", str(text))


def flat(entry: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Keys and values of nested settings as pairs of texts, keys joined by points; titles are left out."""
    pairs: list[tuple[str, str]] = []
    for key, value in entry.items():
        if isinstance(value, Mapping):
            pairs += [(f"{key}.{inner}", text) for inner, text in flat(value)]
        elif value is not None and key not in ("title", "control"):
            pairs.append((key, ", ".join(map(str, value)) if isinstance(value, list) else str(value)))
    return pairs


def _costs(rows: Sequence[CostRow]) -> Markup:
    """A bar per rule."""
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
    return h(
        "<figure>{}<figcaption>Percent of the computing time.{}</figcaption></figure>",
        plots([th("Rule", "name"), axis.head(), th("Time")], lines, "tight"),
        when,
    )


def _hardest(sources: Sources) -> list[tuple[str, str, list[tuple[str, str, str, str]]]]:
    """What most probes get wrong; abusive texts stand apart, and are folded on paper, too."""

    def cut(text: str) -> str:
        return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 1].rstrip()}…"

    found: tuple[list[tuple[str, str, str, str]], ...] = ([], [])
    for row in (row for rows in sources.hardest.values() for row in rows):
        texts = " | ".join(map(cut, filter(None, (row.text_a, row.text_b))))
        found[row.offensive].append((row.task, texts, row.label_name, share(row.share_wrong)))
    headings = (("Hardest texts", ""), ("Hardest texts of tasks with abusive language", "kept"))
    return [(*heading, rows) for heading, rows in zip(headings, found, strict=True)]


def _software(versions: Mapping[str, Any]) -> str:
    lines = [
        "@software{sentflow,",
        "  title   = {sentflow: from a list of sentence encoders to the tables and figures of a paper},",
        f"  version = {{{versions['libraries']['sentflow']}}}",
    ]
    git = versions["git"]
    if git:
        changed = ", with local changes" if git["dirty"] else ""
        lines[-1] += ","
        lines.append(f"  note    = {{commit {git['commit']}{changed}}}")
    return "\n".join([*lines, "}"])


def _entries(kind: str, cited: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """BibTeX of those that say whom to cite."""
    for key, entry in cited.items():
        if entry.get("citation", "") in ("", "none", "not stated"):
            continue
        lines = [
            f"  title = {{{{{latex(str(entry.get('title', key)))}}}}}",
            f"  note  = {{{latex(str(entry['citation']))}}}",
        ]
        if str(entry.get("homepage", "")).startswith("http"):
            lines.append(f"  howpublished = {{\\url{{{entry['homepage']}}}}}")
        yield f"@misc{{{kind}-{key},\n" + ",\n".join(lines) + "\n}"
