"""The report: one HTML page that holds everything it shows and asks the network for nothing."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from sentflow.audit.rows import HardRow
from sentflow.compare.comparisons import Comparisons, detectable
from sentflow.compare.marks import beaten, joined_letters, letters, mark
from sentflow.compare.score_rows import EffectRow, ScoreRow
from sentflow.files.control_characters import visible
from sentflow.report import captions, numbers
from sentflow.report.checks import CheckResult
from sentflow.report.comparison_tables import differences_table, matches_table, power_table, ranks_table
from sentflow.report.costs.encoder_rows import EncoderRow
from sentflow.report.costs.encoders_table import encoders_table
from sentflow.report.families.probing import remarks
from sentflow.report.families.probing.averages import average_score
from sentflow.report.families.probing.protocol_table import protocols_table
from sentflow.report.families.probing.published_table import published_table
from sentflow.report.families.probing.tables import costs_table
from sentflow.report.families.similarity.section import SimilaritySources, section
from sentflow.report.findings import findings, ranking
from sentflow.report.page.bibliography import bibtex
from sentflow.report.page.files import attachments, pictures
from sentflow.report.page.strips import Axis, strip
from sentflow.report.rows import CostRow, CurveRow, data_versions, is_sample, unique
from sentflow.report.table.html import HtmlTable, html_table


class EncoderInRow(Protocol):
    """What a row says of its encoder."""

    @property
    def model(self) -> str:
        """Its name."""

    @property
    def model_title(self) -> str:
        """For tables."""

    @property
    def is_control(self) -> bool:
        """Whether it is a control."""


_FOLDER = Path(__file__).parent
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
        Rows of the three summary files; scores and curves are empty where no task was selected.
    encoders
        What each encoder is and costs; none where nobody gathered it.
    comparisons
        What `compare` found; empty without it.
    audits
        Task → its audit, as the rule of that name writes it.
    hardest
        Task → its hardest texts, the hardest first.
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
    published
        Scores of papers on the tasks.
    similarity
        Summaries of similarity and geometry; empty where no pair set was selected.
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
    encoders: list[EncoderRow] = field(default_factory=list)
    comparisons: Comparisons = field(default_factory=Comparisons)
    audits: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    hardest: Mapping[str, Sequence[HardRow]] = field(default_factory=dict)
    protocols: Sequence[Mapping[str, Any]] = ()
    published: Sequence[Mapping[str, Any]] = ()
    similarity: SimilaritySources = field(default_factory=SimilaritySources)


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
        finalize=_shown,
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
        "training_mark": remarks.training_mark,
        "interval": numbers.interval,
        "limits": lambda limits: numbers.interval(*limits),
        "p_number": numbers.p_number,
        "duration": numbers.duration,
        "shorten": lambda text, limit: text if len(text) <= limit else text[: limit - 1].rstrip() + "…",
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
    tasks = unique(row.task for row in rows)
    named: list[EncoderInRow] = [*rows, *sources.similarity.data.encoders()]
    models = unique(row.model for row in named)
    versions = data_versions([*rows, *sources.similarity.data.rows()])
    axis = Axis.around(rows) if rows else Axis(0.0, 1.0)
    similarity = section(sources.similarity, str(sources.experiment["title"]), sources.models)
    return {
        "css": _own_text("page.css"),
        "script": _own_text("page.js"),
        "experiment": sources.experiment,
        "first": rows[0] if rows else None,
        "similarity": similarity,
        "task_names": tasks,
        "model_names": models,
        "model_titles": {row.model: row.model_title for row in named},
        "controls": unique(row.model for row in named if row.is_control),
        "families": unique(row.family for row in rows),
        "data_versions": [(version, is_sample(version)) for version in versions],
        "has_sample": any(is_sample(version) for version in versions),
        "findings": [
            *(findings(rows, sources.comparisons) if rows else []),
            *(similarity.findings if similarity else []),
        ],
        "about_data": captions.data_note([*rows, *sources.similarity.data.rows()]),
        "tables": _tables(sources),
        "marks": _marks(rows, sources.comparisons),
        "task_pairs": {
            task: [pair for pair in sources.comparisons.pairs if pair.task == task] for task in tasks
        },
        "task_power": {row.task: row for row in sources.comparisons.power},
        "task_detectable": {task: detectable(sources.comparisons.pairs, task) for task in tasks},
        "letters": letters(models),
        "tested": bool(sources.comparisons.pairs),
        "audits": sources.audits,
        "hardest": sources.hardest,
        "ran": _ran(sources.costs),
        "bibtex": bibtex(
            sources.versions,
            {name: sources.datasets.get(name, {}) for name in _datasets_used(tasks, sources)},
            {name: sources.models.get(name, {}) for name in models},
            compared=bool(sources.comparisons.pairs),
            probed=bool(rows),
        ),
        "scores": {(row.task, row.model): row for row in rows},
        "task_rows": {task: next(row for row in rows if row.task == task) for task in tasks},
        "ranked": {task: ranking([row for row in rows if row.mean == row.mean], task) for task in tasks},
        "averages": {
            model: average_score([row for row in rows if row.model == model], len(tasks)) for model in models
        },
        "n_folds": sum(row.n_folds for row in rows),
        "notes": _notes(rows, sources.comparisons) if rows else [],
        "pictures": pictures(sources),
        "attachments": attachments(sources.files),
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


def _shown(value: Any) -> Any:
    """What a template prints: texts of others with hidden signs written out, this project's own as they are."""
    return visible(value) if type(value) is str else value


def _own_text(name: str) -> Markup:
    # written by this project, hence safe; it goes between style or script tags, where escapes are not read
    return Markup((_FOLDER / name).read_text(encoding="utf-8"))


def _notes(rows: Sequence[ScoreRow], comparisons: Comparisons) -> list[str]:
    notes = [captions.data_note(rows), captions.design_note(rows), captions.interval_note(rows)]
    notes.append(captions.metric_note(rows))
    if comparisons.pairs:
        alpha = comparisons.pairs[0].alpha
        notes += [captions.test_note(alpha), captions.detectable_note(alpha)]
    else:
        notes.append(captions.NO_TEST)
    notes += remarks.training_notes(rows)
    if any(row.degenerate for row in rows):
        notes.append(captions.DEGENERATE)
    return notes


def _datasets_used(tasks: Sequence[str], sources: Sources) -> list[str]:
    entries = [*(sources.tasks.get(task, {}) for task in tasks), *sources.similarity.pair_sets.values()]
    return unique(entry["dataset"] for entry in entries if "dataset" in entry)


def _tables(sources: Sources) -> dict[str, HtmlTable]:
    """The tables beside that of scores, by name; those of comparisons only where something was compared."""
    title = str(sources.experiment["title"])
    made = [costs_table(sources.costs, title)]
    if sources.encoders:
        made.append(encoders_table(sources.encoders, title))
    if sources.published and sources.scores:
        made.append(published_table(sources.scores, title, sources.published))
    if sources.comparisons.pairs:
        made += [
            build(sources.scores, title, sources.comparisons)
            for build in (differences_table, ranks_table, matches_table, power_table)
        ]
    return {table.name: html_table(table) for table in made}


def _marks(rows: Sequence[ScoreRow], comparisons: Comparisons) -> dict[tuple[str, str], tuple[str, str]]:
    """(task, model) → what a test says of the score (`mark`), and the letters of those that it beats."""
    models = unique(row.model for row in rows)
    own = letters(models)
    found = {}
    for row in rows:
        lower = beaten(comparisons.pairs, row.task, row.model)
        raised = joined_letters([model for model in models if model in lower], own)
        found[row.task, row.model] = (mark(comparisons.pairs, row.task, row.model), raised)
    return found


def _ran(costs: Sequence[CostRow]) -> tuple[str, str] | None:
    """When the first job began and the last one ended; None where no file says so."""
    timed = [row for row in costs if row.started and row.ended]
    if not timed:
        return None
    return min(row.started for row in timed), max(row.ended for row in timed)
