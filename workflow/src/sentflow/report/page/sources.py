"""What the page is made of, and what a family of measurements has to say on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from sentflow.audit.hardest import HardRow
from sentflow.flow import products
from sentflow.flow.products import TABLE
from sentflow.report.checks import CheckResult
from sentflow.report.findings import Finding
from sentflow.report.inputs import Inputs
from sentflow.report.leaderboard import Board, Column
from sentflow.report.rows import DataRow
from sentflow.report.table.table import Table


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


@dataclass(frozen=True)
class Sources:
    """Everything that the page is made of."""

    inputs: Inputs  # summaries, comparisons and costs; those of what was not selected are not among them
    # settings: ``experiment`` (keys ``title`` and ``description``); ``tasks``, ``models``, ``datasets``,
    # ``pair_sets``: entries of config and catalog by name, see the templates for the keys that are shown;
    # ``protocols``: that of the scores, then those of the study (``name``, ``title``, ``description``, ``switches``
    # (name → ``value``, ``note``) and ``not_comparable``, a list of sentences); ``published``: table → what papers
    # report; ``left_out``: encoders that were selected but have no fixed vectors
    settings: Mapping[str, Any]
    checks: list[CheckResult]  # outcome of the acceptance checks, failed ones too
    config: str  # the effective configuration as YAML
    versions: Mapping[str, Any]  # as `sentflow.report.record.versions` gives them
    files: list[Path]  # tables and figures (``.csv .md .tex .svg .png``), to be shown or offered for saving
    # audits: task, or ``retrieval/`` and a question set, → its audit, as the rule writes it
    audits: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    # hardest: task → its hardest texts, the hardest first
    hardest: Mapping[str, Sequence[HardRow]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Of the experiment."""
        return str(self.settings["experiment"]["title"])

    def entries(self, section: str) -> Mapping[str, Mapping[str, Any]]:
        """The entries of a section of config and catalog; none where the section was not told."""
        found: Mapping[str, Mapping[str, Any]] = self.settings.get(section, {})
        return found

    def table(self, name: str) -> Table:
        """A table of the registry."""
        published = self.settings.get("published", {}).get(name, ())
        table: Table = products.find(TABLE, name).load()(
            self.inputs, {"caption": self.title, "published": published}
        )
        return table


@dataclass(frozen=True)
class Part:
    """A section of the page."""

    # anchor, title, template: its address in the page, its name in the contents, and what it is made by
    anchor: str
    title: str
    template: str
    tab: str = ""  # the tab that it stands on; empty for that of its family


@dataclass(frozen=True)
class Section:
    """What a family of measurements has to say on the page."""

    name: str  # under which the templates find `shown`
    shown: Mapping[str, Any]  # what its templates show
    tab: str  # the name of its tab
    summary: str  # the template of its paragraph in the summary
    # results, method: its parts: on its tab, and on that of data and method
    results: tuple[Part, ...]
    rows: Sequence[DataRow]  # rows that say what data they are of
    encoders: Sequence[EncoderInRow]  # rows that say which encoders were measured
    # findings, tables: as on the rest of the page; tables by name
    findings: Sequence[Finding]
    tables: Mapping[str, Table]
    datasets: Sequence[str]  # names of the data
    method: tuple[Part, ...] = ()
    # answer: who is best, by how much and how surely, a sentence for each group of results that cannot be compared
    # with each other; none where nothing can be ranked
    answer: tuple[str, ...] = ()
    boards: tuple[Board, ...] = ()  # its leaderboards; the page shows those of the first family that has any
    columns: tuple[Column, ...] = ()  # what it adds to the leaderboard of another family, by encoder
    # badges, design: what was measured, and how, in a few words
    badges: tuple[str, ...] = ()
    design: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()  # badges that ask for caution
    # cited, methods: what is to be cited beside software, data and encoders: a list in words, empty for nothing; and
    # as BibTeX
    cited: str = ""
    methods: tuple[str, ...] = ()


def datasets_of(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """The datasets of entries of tasks or pair sets."""
    return [entry["dataset"] for entry in entries if "dataset" in entry]
