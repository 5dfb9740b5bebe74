"""What the section of the report on similarity and geometry shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sentflow.compare.score_rows import ScoreRow
from sentflow.report.families.geometry import association
from sentflow.report.families.geometry.tables import alignments_table, geometry_table
from sentflow.report.families.similarity import figure_texts, words
from sentflow.report.families.similarity.data import SimilarityData
from sentflow.report.families.similarity.findings import similarity_findings
from sentflow.report.families.similarity.sts_table import main_rows, sts_table
from sentflow.report.families.similarity.tables import differences_table, regressions_table, subsets_table
from sentflow.report.figure.texts import FigureTexts
from sentflow.report.findings import Finding
from sentflow.report.rows import unique
from sentflow.report.table.html import HtmlTable, html_table


@dataclass(frozen=True)
class SimilaritySources:
    """What the section is made of.

    Attributes
    ----------
    data
        Summaries and tests.
    pair_sets
        Entries of every pair set in play, by name.
    published
        ``catalog/published_similarity.yaml``.
    left_out
        Encoders that were selected but have no fixed vectors, by name.
    """

    data: SimilarityData = field(default_factory=SimilarityData)
    pair_sets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    published: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    left_out: Sequence[str] = ()


@dataclass(frozen=True)
class Section:
    """The section, ready for the page.

    Attributes
    ----------
    n_sets, n_pairs, n_models
        Pair sets, scored pairs and encoders.
    findings, notes, tables
        As on the rest of the page; tables by name.
    sets
        Entry of each pair set in play with ``name``, ``n`` (None where it is not scored) and what the catalog tells.
    """

    n_sets: int
    n_pairs: int
    n_models: int
    findings: list[Finding]
    notes: list[str]
    tables: dict[str, HtmlTable]
    sets: list[dict[str, Any]]


def section(
    sources: SimilaritySources, title: str, models: Mapping[str, Mapping[str, Any]]
) -> Section | None:
    """The section; None where there is nothing to tell.

    Parameters
    ----------
    sources
        See `SimilaritySources`.
    title
        Of the experiment.
    models
        Entries of the selected encoders, for the titles of those that took no part.
    """
    data = sources.data
    if data.is_empty:
        return None
    main = main_rows(data.scores)
    sizes = {row.pairs: row.n for row in main}
    return Section(
        n_sets=len(sizes),
        n_pairs=sum(sizes.values()),
        n_models=len(unique(row.model for row in data.encoders())),
        findings=similarity_findings(data),
        notes=_notes(sources, models),
        tables=_tables(sources, title),
        sets=[{**entry, "name": name, "n": sizes.get(name)} for name, entry in sources.pair_sets.items()],
    )


def picture_texts(data: SimilarityData, scores: Sequence[ScoreRow]) -> dict[str, FigureTexts]:
    """Texts of the figures of which there are rows."""
    found = {}
    if data.alignments:
        found["alignment-uniformity"] = figure_texts.alignment_uniformity(
            association.plane_rows(data.alignments, data.scores)
        )
    if data.histograms:
        found["similarity-histograms"] = figure_texts.similarity_histograms(data.histograms)
    if data.spectra:
        found["spectrum"] = figure_texts.spectrum(data.spectra)
    if data.truncation:
        found["truncation"] = figure_texts.truncation(data.truncation)
    if data.geometry:
        found["geometry-and-scores"] = figure_texts.geometry_and_scores(
            association.association_rows(data.geometry, data.scores, scores)
        )
    return found


def _tables(sources: SimilaritySources, title: str) -> dict[str, HtmlTable]:
    data, published = sources.data, sources.published
    made = {}
    if data.scores:
        made["sts"] = html_table(
            sts_table(data.scores, title, data.differences, published.get("sts", ())), group_heading="Lines"
        )
        made["sts-subsets"] = html_table(subsets_table(data.scores, title), group_heading="Pair set")
        if data.differences:
            made["sts-differences"] = html_table(
                differences_table(data.scores, title, data.differences), group_heading="Pair set"
            )
    if data.regressions:
        made["regressions"] = html_table(regressions_table(data.regressions, title), group_heading="Data")
    if data.alignments:
        made["alignments"] = html_table(
            alignments_table(data.alignments, title, published.get("alignments", ())),
            group_heading="Measurement",
        )
    if data.geometry:
        made["geometry"] = html_table(geometry_table(data.geometry, title), group_heading="Sentences")
    return made


def _notes(sources: SimilaritySources, models: Mapping[str, Mapping[str, Any]]) -> list[str]:
    # data and protocol are told with each table
    notes = []
    if sources.left_out:
        titles = ", ".join(str(models.get(name, {}).get("title", name)) for name in sources.left_out)
        notes.append(
            f"Took no part: {titles}. Encoders that are fitted anew in every fold, or that make features of whole "
            "rows, have no fixed vectors of sentences."
        )
    contaminated = words.contamination(sources.pair_sets)
    if contaminated:
        notes.append(contaminated)
    return notes
