"""The report: one HTML page that holds everything it shows and asks the network for nothing."""

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from sentflow.report import captions, figure_texts, numbers, remarks
from sentflow.report.checks import CheckResult
from sentflow.report.figure_texts import FigureTexts
from sentflow.report.findings import findings, ranking
from sentflow.report.protocol_table import protocols_table
from sentflow.report.rows import CostRow, CurveRow, EffectRow, ScoreRow, data_versions, is_sample, unique
from sentflow.report.strips import Axis, strip
from sentflow.report.table import Table
from sentflow.report.tables import average_score, costs_table

_FOLDER = Path(__file__).parent
_MEDIA_TYPES = {
    ".csv": "text/csv",
    ".md": "text/markdown",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".tex": "text/x-tex",
}
# two or more names behind a slash that neither an address nor a name precedes; a file address; a drive
_MACHINE_PATH = re.compile(
    r"(?:file://|(?<![\w:/.~-]))(?:~|/[\w.+@-]+)(?:/[\w.+@-]+)*/([\w.+@-]+)"
    r"|\b[A-Za-z]:\\(?:[^\\\s]+\\)*([^\\\s]+)"
)


@dataclass(frozen=True)
class Sources:
    """Everything that the page is made of.

    Attributes
    ----------
    scores, curves, costs
        Rows of the three summary files.
    effects
        Rows of a study of protocols; none without one.
    protocols
        The protocol of the scores, then those of the study: ``name``, ``title``, ``description``, ``switches`` (name →
        ``value``, ``note``) and ``not_comparable``, a list of sentences.
    checks
        Outcome of the acceptance checks, failed ones too.
    experiment
        Keys ``title`` and ``description``.
    tasks, models, datasets
        Entries of config and catalog by name; see the template for the keys that are shown.
    config
        The effective configuration as YAML.
    versions
        As `sentflow.report.record.versions` gives them.
    files
        Tables and figures (``.csv .md .tex .svg .png``), to be shown or offered for saving.
    """

    scores: list[ScoreRow]
    curves: list[CurveRow]
    costs: list[CostRow]
    checks: list[CheckResult]
    experiment: Mapping[str, Any]
    tasks: Mapping[str, Mapping[str, Any]]
    models: Mapping[str, Mapping[str, Any]]
    datasets: Mapping[str, Mapping[str, Any]]
    config: str
    versions: Mapping[str, Any]
    files: list[Path]
    effects: list[EffectRow] = field(default_factory=list)
    protocols: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class Picture:
    """A figure with its texts, as a data address."""

    name: str
    texts: FigureTexts
    address: str


@dataclass(frozen=True)
class Attachment:
    """A file that the reader can save."""

    name: str
    address: str


def render(sources: Sources) -> str:
    """The page as HTML. Every text is escaped; equal sources give equal bytes.

    Raises
    ------
    jinja2.UndefinedError
        The template needs a key that the settings lack.
    """
    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "decimal": numbers.decimal,
        "count": numbers.count,
        "percent": numbers.percent,
        "metric": captions.metric_name,
        "family": captions.family_name,
        "classifier": lambda name: captions.CLASSIFIERS.get(name, name),
        "layout": lambda name: captions.LAYOUTS.get(name, name),
        "remarks": remarks.sentences,
        "portable": without_machine_paths,
    }
    return environment.get_template("page.html.j2").render(_context(sources))


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


def _context(sources: Sources) -> dict[str, Any]:
    rows = sources.scores
    tasks, models = unique(row.task for row in rows), unique(row.model for row in rows)
    versions = data_versions(rows)
    axis = Axis.around(rows)
    return {
        "css": _own_text("page.css"),
        "script": _own_text("page.js"),
        "experiment": sources.experiment,
        "first": rows[0],
        "task_names": tasks,
        "model_names": models,
        "model_titles": {row.model: row.model_title for row in rows},
        "controls": unique(row.model for row in rows if row.is_control),
        "families": unique(row.family for row in rows),
        "data_versions": [(version, is_sample(version)) for version in versions],
        "has_sample": any(is_sample(version) for version in versions),
        "findings": findings(rows),
        "scores": {(row.task, row.model): row for row in rows},
        "task_rows": {task: next(row for row in rows if row.task == task) for task in tasks},
        "ranked": {task: ranking([row for row in rows if row.mean == row.mean], task) for task in tasks},
        "averages": {
            model: average_score([row for row in rows if row.model == model], len(tasks)) for model in models
        },
        "n_folds": sum(row.n_folds for row in rows),
        "notes": _notes(rows),
        "pictures": _pictures(sources),
        "attachments": _attachments(sources.files),
        "costs": _cost_texts(sources),
        "protocols": sources.protocols,
        "not_comparable": unique(row.not_comparable for row in rows if row.not_comparable),
        "study": protocols_table(sources.effects, str(sources.experiment["title"]))
        if sources.effects
        else None,
        "checks": sources.checks,
        "tasks": sources.tasks,
        "models": sources.models,
        "datasets": sources.datasets,
        "dataset_names": _datasets_used(tasks, sources),
        "flat": flat,
        "strip": lambda row: strip(row, axis),
        "config": sources.config,
        "versions": sources.versions,
        "repeatability": captions.REPEATABILITY,
        "generalisation": captions.GENERALISATION,
        "metrics": {row.metric: captions.METRICS_IN_WORDS.get(row.metric, row.metric) for row in rows},
    }


def _own_text(name: str) -> Markup:
    # written by this project, hence safe; it goes between style or script tags, where escapes are not read
    return Markup((_FOLDER / name).read_text(encoding="utf-8"))


def _notes(rows: Sequence[ScoreRow]) -> list[str]:
    notes = [captions.data_note(rows), captions.design_note(rows), captions.interval_note(rows)]
    notes += [captions.metric_note(rows), captions.NO_TEST]
    if any(row.degenerate for row in rows):
        notes.append(captions.DEGENERATE)
    return notes


def _datasets_used(tasks: Sequence[str], sources: Sources) -> list[str]:
    return unique(
        sources.tasks[task]["dataset"] for task in tasks if "dataset" in sources.tasks.get(task, {})
    )


def _cost_texts(sources: Sources) -> Table:
    return costs_table(sources.costs, str(sources.experiment["title"]))


def _pictures(sources: Sources) -> dict[str, Picture]:
    texts = {
        "heatmap": figure_texts.heatmap(sources.scores),
        "forest": figure_texts.forest(sources.scores),
        "curves": figure_texts.curves(sources.curves),
        "costs": figure_texts.costs(sources.costs),
    }
    # SVG is sharp at any size; PNG stands in where there is none
    best: dict[str, Path] = {}
    for path in sorted(sources.files, key=lambda path: path.suffix == ".svg"):
        if path.suffix in (".png", ".svg") and path.stem in texts:
            best[path.stem] = path
    return {name: Picture(name, texts[name], _data_address(best[name])) for name in texts if name in best}


def _attachments(files: Sequence[Path]) -> list[Attachment]:
    texts = [path for path in files if path.suffix in (".csv", ".md", ".tex")]
    return [Attachment(path.name, _data_address(path)) for path in texts]


def _data_address(path: Path) -> str:
    encoded = base64.b64encode(path.read_bytes()).decode("ascii")
    return f"data:{_MEDIA_TYPES[path.suffix]};base64,{encoded}"
