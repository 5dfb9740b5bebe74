"""What the page is made of, and what a family of measurements has to say on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from markupsafe import Markup

from sentflow.audit.hardest import HardRow
from sentflow.flow import products
from sentflow.flow.products import TABLE
from sentflow.report.checks import CheckResult
from sentflow.report.claims import Ranking, Sets
from sentflow.report.inputs import Inputs
from sentflow.report.rows import DataRow
from sentflow.report.table.table import Table, made


@dataclass(frozen=True)
class Sources:
    """Everything that the page is made of."""

    inputs: Inputs  # summaries, comparisons and costs; those of what was not selected are not among them
    # settings: ``experiment`` (keys ``title`` and ``description``); ``tasks``, ``models``, ``datasets``,
    # ``pair_sets``: entries of config and catalog by name; ``protocols``: that of the scores, then those of the study
    # (``name``, ``title``, ``description``, ``switches`` (name → ``value``, ``note``) and ``not_comparable``, a list
    # of sentences); ``published``: table → what papers report; ``left_out``: encoders without fixed vectors
    settings: Mapping[str, Any]
    checks: list[CheckResult]  # outcome of the acceptance checks, failed ones too
    config: str  # the effective configuration as YAML
    versions: Mapping[str, Any]  # as `sentflow.report.record.versions` gives them
    files: list[Path]  # the tables and figures that were selected (``.csv .md .tex .svg .png``)
    # audits: task, or ``retrieval/`` and a question set, → its audit, as the rule writes it
    audits: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    # hardest: task → its hardest texts, the hardest first
    hardest: Mapping[str, Sequence[HardRow]] = field(default_factory=dict)
    # folds: task → encoder → test score of each fold; only of one task or two
    folds: Mapping[str, Mapping[str, Sequence[float]]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Of the experiment."""
        return str(self.settings["experiment"]["title"])

    def entries(self, section: str) -> Mapping[str, Mapping[str, Any]]:
        """The entries of a section of config and catalog; none where the section was not told."""
        found: Mapping[str, Mapping[str, Any]] = self.settings.get(section, {})
        return found

    def has_table(self, name: str) -> bool:
        """Whether a table was selected."""
        return any(file.stem == name for file in self.files if file.suffix == ".csv")

    def table(self, name: str) -> Table:
        """A table of the registry."""
        published = self.settings.get("published", {}).get(name, ())
        return made(products.find(TABLE, name), self.inputs, self.title, published)


@dataclass(frozen=True)
class Section:
    """A section of the page: its finding, then pictures and compact tables; the rest of its family is folded."""

    anchor: str
    title: str  # for the navigation
    finding: str | Markup
    body: Markup
    family: str = ""  # the family whose other tables and figures are folded below it; empty for none
    # figures, tables: those that stand open
    figures: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    more: Markup = Markup("")  # what is folded below it, and its figures; made by the page


@dataclass(frozen=True)
class Report:
    """What a family of measurements has to say."""

    sections: Sequence[Section]
    rows: Sequence[DataRow]  # rows that say what data they are of
    # encoders: rows that say which encoders were measured: `model`, `model_title`, `is_control`
    encoders: Sequence[Any]
    # rankings, sets: what the verdict and the key figures are made of: who is first, and the unit sets that were scored
    rankings: Sequence[Ranking] = ()
    sets: Sets | None = None
    caveats: Sequence[tuple[str, str]] = ()  # heading and text, for the glossary
    datasets: Sequence[str] = ()  # names of the data
    methods: Sequence[str] = ()  # what is to be cited beside software, data and encoders, as BibTeX


def datasets_of(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """The datasets of entries of tasks or pair sets."""
    return [entry["dataset"] for entry in entries if "dataset" in entry]
