"""What trained encoders and their snapshots are worth, as rows of one table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sentflow.report.families.geometry.rows import AlignmentRow
from sentflow.report.families.similarity.rows import SimilarityRow
from sentflow.report.families.training.rows import (
    ALIGNMENT,
    DEVELOPMENT,
    SPEARMAN,
    TEST,
    UNIFORMITY,
    TrainingRow,
)
from sentflow.report.settings import SetColumn, TrainedTitle


@dataclass(frozen=True)
class Trained:
    """A trained encoder."""

    model: str  # its name
    step: int  # of the chosen snapshot
    about: TrainedTitle

    def row(
        self,
        pairs: str,
        about: SetColumn,
        measure: str,
        value: float,
        *,
        step: int | None = None,
        split: str = TEST,
    ) -> TrainingRow:
        """One number of this encoder, or of another snapshot of its training."""
        step = self.step if step is None else step
        return TrainingRow(
            model=self.model,
            **dict(self.about),
            step=step,
            selected=step == self.step,
            pairs=pairs,
            column=about.column,
            split=split,
            measure=measure,
            value=value,
            data_version=about.data_version,
        )


def development_rows(
    found: Mapping[str, Any], trained: Mapping[str, Trained], pairs: Mapping[str, SetColumn]
) -> Iterator[TrainingRow]:
    """The numbers of one snapshot, as rule score_snapshot wrote them."""
    one, name = trained[found["model"]], found["pairs"]
    for measure, value in found["measures"].items():
        known = float("nan") if value is None else value
        yield one.row(name, pairs[name], measure, known, step=found["step"], split=DEVELOPMENT)


def test_rows(
    similarity: Sequence[SimilarityRow],
    alignments: Sequence[AlignmentRow],
    trained: Mapping[str, Trained],
    pairs: Mapping[str, SetColumn],
) -> list[TrainingRow]:
    """The numbers of the encoders on pair sets that were not chosen by: Spearman over all pairs, and geometry."""
    found = [
        trained[row.model].row(row.pairs, pairs[row.pairs], SPEARMAN, row.value)
        for row in similarity
        if row.model in trained
        and (row.measure, row.coefficient, row.aggregation) == ("cosine", "spearman", "all")
    ]
    for row in alignments:
        # An alignment of several sets has no column; variants of the definition are other measures
        if (
            row.model in trained
            and row.pairs in pairs
            and row.variant == "definition"
            and row.sentences == "all"
        ):
            one = trained[row.model]
            found.append(one.row(row.pairs, pairs[row.pairs], ALIGNMENT, row.alignment))
            found.append(one.row(row.pairs, pairs[row.pairs], UNIFORMITY, row.uniformity))
    return list(dict.fromkeys(found))
