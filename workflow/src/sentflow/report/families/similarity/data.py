"""All summaries of similarity and geometry together, as the report and the checks read them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sentflow.compare.rows import SimilarityDifference
from sentflow.files.rows import RowsByName
from sentflow.report.families.geometry.rows import AlignmentRow, GeometryRow, SpectrumRow, TruncationRow
from sentflow.report.families.similarity.rows import HistogramRow, RegressionRow, SimilarityRow


@dataclass(frozen=True)
class SimilarityData:
    """What the files hold; all empty where no pair set was selected."""

    scores: list[SimilarityRow] = field(default_factory=list)
    differences: list[SimilarityDifference] = field(default_factory=list)
    regressions: list[RegressionRow] = field(default_factory=list)
    alignments: list[AlignmentRow] = field(default_factory=list)
    geometry: list[GeometryRow] = field(default_factory=list)
    spectra: list[SpectrumRow] = field(default_factory=list)
    truncation: list[TruncationRow] = field(default_factory=list)
    histograms: list[HistogramRow] = field(default_factory=list)

    @classmethod
    def read(cls, files: Sequence[Path]) -> "SimilarityData":
        """From the files of ``summary/`` and ``similarity/``, told apart by their names; others stay empty."""
        rows = RowsByName(files)
        return cls(
            scores=rows("similarity", SimilarityRow),
            differences=rows("comparisons", SimilarityDifference),
            regressions=rows("regressions", RegressionRow),
            alignments=rows("alignments", AlignmentRow),
            geometry=rows("geometry", GeometryRow),
            spectra=rows("spectra", SpectrumRow),
            truncation=rows("truncation", TruncationRow),
            histograms=rows("histograms", HistogramRow),
        )

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to tell."""
        return not (self.scores or self.regressions or self.alignments or self.geometry)

    def encoders(self) -> list[SimilarityRow | RegressionRow | AlignmentRow | GeometryRow]:
        """`rows` without those of baselines, which are no encoders."""
        return [row for row in self.rows() if not (isinstance(row, SimilarityRow) and row.is_baseline)]

    def rows(self) -> list[SimilarityRow | RegressionRow | AlignmentRow | GeometryRow]:
        """The rows of all tables: each names an encoder and what its data are."""
        return [*self.scores, *self.regressions, *self.alignments, *self.geometry]


def main_rows(rows: Sequence[SimilarityRow]) -> list[SimilarityRow]:
    """The rows of the chosen measure and coefficient over whole pair sets."""
    return [row for row in rows if row.is_main and row.aggregation == "all"]
