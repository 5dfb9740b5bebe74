"""What others published, for comparison, and the ledger of it. The tests alone check it: no user writes it."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from sentflow.config.model import (
    Correlation,
    Count,
    Int,
    Maybe,
    Measure,
    Names,
    Number,
    Seed,
    Settings,
    Several,
    Text,
    Title,
)


class PrintedColumn(Settings):
    """A column of a printed table."""

    collection: Text = Field(description="Documents and questions in words.")
    measure: Text = Field(description="As ir-measures writes it, or the name of a cost.")
    scale: Literal[1, 100] = Field(
        description="What printed values are divided by; 100 where 1 is printed as 100."
    )
    question_set: Maybe[Text] = Field(
        None,
        description="The question set of ours with the same documents, questions and judgements, beside "
        "which the values are shown.",
    )
    mean_of: Maybe[Names] = Field(None, description="Columns that this one is said to be the mean of.")


class PrintedRow(Settings):
    """A row of a printed table."""

    system: Text = Field(description="What searched, as the source calls it.")
    origin: Literal["own", "re-implemented", "quoted"] = Field(
        description="Whose number it is: own, of the system that the source is about, or of one that it ran"
        " as it is; re-implemented, of a system of others that the source built anew; quoted, copied from "
        "another source."
    )
    setting: Maybe[Text] = Field(
        None, description="What distinguishes the row from others of the same system."
    )
    values: dict[str, Annotated[Number, Field(ge=0)]] = Field(
        min_length=1, description="Column → value as printed."
    )
    remark: Maybe[Text] = Field(None, description="What a reader must know of this system.")
    doubts: Maybe[dict[str, Text]] = Field(
        None, min_length=1, description="Column → why its value is in doubt."
    )


class PublishedRetrieval(Settings):
    """A table that others published of several collections or measures, for comparison with ours."""

    title: Title
    source: Text = Field(description="Where it is printed.")
    reference: Text = Field(description="Identifier of the paper, or repository and commit of the source.")
    remarks: Several[Text] = Field(
        min_length=1,
        description="What a reader must know, e.g. how many trainings are behind a row and whether anything was "
        "tested.",
    )
    columns: dict[str, PrintedColumn] = Field(
        min_length=1, description="Column as it is printed → what it measures."
    )
    rows: Several[PrintedRow] = Field(min_length=1, description="In the order of the source.")


class PrintedProtocol(Settings):
    """If other than Spearman of cosines over all pairs of a set."""

    measure: Measure
    correlation: Correlation
    aggregation: Literal["all", "mean", "wmean"] = Field(
        description="How the sub-sources of a set become one number."
    )


class Inconsistent(Settings):
    """A printed number that does not go with the others of its row."""

    column: Text = Field(description="Column of values, or average.")
    consistent: Number = Field(description="The value that goes with the others.")


class Reduced(Settings):
    """Cells of a published sweep of which a row is the one with the best development score."""

    sweep: Text = Field(description="Entry of published_training.yaml.")
    start: Text = Field(description="Model that the cells start from.")
    data: Text = Field(description="Their corpus.")
    method: Text = Field(description="Their method.")
    max_tokens: Count = Field(description="Their length.")


class PrintedSimilarity(Settings):
    """A line of the table sts."""

    model: Text = Field(description="What the source calls it.")
    section: Text = Field(description="Heading over the row; rows of one section are grouped.")
    source: Text = Field(description="Where it is printed.")
    protocol: Maybe[PrintedProtocol] = Field(
        None, description="If other than Spearman of cosines over all pairs of a set."
    )
    values: dict[str, Annotated[Number, Field(ge=-100, le=100)]] = Field(
        min_length=1, description="Group of a pair set, or pair set without one → value × 100."
    )
    average: Maybe[Number] = Field(None, ge=-100, le=100, description="As printed.")
    remark: Maybe[Text] = Field(
        None,
        description="What a reader must know, e.g. that the printed average is not that of the cells; a "
        "footnote.",
    )
    reference: Maybe[Text] = Field(
        None, description="Repository and commit of the source, or its number on arXiv."
    )
    inconsistent: Maybe[Inconsistent] = Field(
        None, description="A printed number that does not go with the others of its row."
    )
    trained: Maybe[Text] = Field(
        None,
        description="Entry of models, without its seed, that is trained in this way; the tables of "
        "trainings show it below.",
    )
    ours: Maybe[Text] = Field(
        None, description="Entry of models with the same weights; the ledger compares it."
    )
    reduced: Maybe[Reduced] = Field(
        None,
        description="The cells of a published sweep of which this row is the one with the best development "
        "score; the ledger chooses again.",
    )


class PrintedAlignment(Settings):
    """A line of the table alignments."""

    model: Text = Field(description="What the source calls it.")
    source: Text = Field(description="Where it is printed.")
    benchmark: Text = Field(
        description="How the names of its pair sets begin; the line is shown where such a set was measured."
    )
    split: Text = Field(description="Data and split in words.")
    variant: Literal["definition", "alignunformeval", "per-batch"] = Field(
        description="Which of the three metrics that share these names."
    )
    threshold: Maybe[Number] = Field(
        None, description="Gold score from which pairs are positive; left out where the source does not say."
    )
    comparison: Maybe[Literal["above", "at-least"]] = Field(
        None, description="Whether the gold score must be above the threshold, or may be equal to it."
    )
    alignment: Number = Field(description="As printed.")
    uniformity: Number = Field(description="As printed.")
    remark: Maybe[Text] = Field(None, description="What a reader must know; a footnote.")

    def wrong(self) -> Iterator[tuple[str, str]]:
        """Whether what counts as positive is told whole."""
        if (self.threshold is None) != (self.comparison is None):
            yield "", "threshold and comparison belong together. Write both, or none."


class PublishedSimilarity(Settings):
    """Scores reported by papers and repositories, for comparison with ours."""

    sts: Several[PrintedSimilarity] = Field(
        description="Lines of the table sts, in the order in which they are printed."
    )
    alignments: Several[PrintedAlignment] = Field(description="Lines of the table alignments.")


State = Literal["value", "?", "-"]
PrintedCorrelation = Annotated[Number | None, Field(ge=-1, le=1)]


class PublishedTraining(Settings):
    """A sweep of trainings that others published, cell by cell, for comparison with ours."""

    title: Title
    source: Text = Field(description="Where it is printed.")
    reference: Text = Field(description="Repository and commit of the source, or its number on arXiv.")
    seed: Seed = Field(description="Seed of every cell; one training each.")
    remarks: Several[Text] = Field(description="What a reader must know; notes below the tables.")
    columns: Several[str] = Field(description="What the places of a row are.")
    rows: Several[
        Annotated[
            tuple[
                Text,
                Text,
                str | None,
                Text,
                Count,
                Annotated[Number | None, Field(gt=0)],
                PrintedCorrelation,
                PrintedCorrelation,
                State,
                Number | None,
                Number | None,
                State,
            ],
            Field(strict=False),
        ]
    ] = Field(
        min_length=1,
        description="Cells in the order of the source: its part, the model that a cell starts from, corpus, method, "
        "tokens after which texts are cut, learning rate, Spearman on development and test data, state of these, "
        "uniformity, alignment, state of these. Null does not apply.",
    )


class PrintedValues(Settings):
    """A row of numbers that the ledger alone reads."""

    row: Text = Field(description="As the source calls it.")
    data: Text = Field(description="On what it was measured.")
    ours: Maybe[Several[str | Int]] = Field(
        None, min_length=1, description="Names by which ours is looked up, without the column."
    )
    values: dict[str, Number] = Field(
        min_length=1, description="Column, as the summary of ours calls it → value."
    )
    remark: Maybe[Text] = Field(None, description="What a reader must know of it; becomes a footnote.")


class PublishedValues(Settings):
    """A table of printed numbers that the ledger alone reads."""

    title: Title
    source: Text = Field(description="Where it is printed, or what computed it.")
    reference: str = Field(description="Repository and commit of the source; empty where it has none.")
    protocol: Text = Field(description="What was measured.")
    kind: Literal["similarity", "alignment", "score", "retrieval", "decision", "reduction"] = Field(
        description="Summary of ours that answers the rows."
    )
    digits: Int = Field(ge=0, description="Decimals that the source prints, zeros at the end included.")
    rows: Several[PrintedValues] = Field(min_length=1, description="In the order of the source.")


class Claims(Settings):
    """What a group of claims needs."""

    needs: Text = Field(description="What is missing where they were not run.")
    experiment: Maybe[Text] = Field(
        None, description="Configuration that runs those which an entry of ours answers."
    )
    takes: Maybe[Text] = Field(
        None,
        description="What a run of that configuration takes, measured, or estimated where nothing of it was"
        " run.",
    )
    tolerance: Maybe[Number] = Field(
        None,
        gt=0,
        description="Largest difference that counts as reproduced, on the scale of the source; half a unit "
        "of the last digit without it.",
    )
    reason: Maybe[Text] = Field(None, description="Why it is more than that.")

    def wrong(self) -> Iterator[tuple[str, str]]:
        """Keys that need another."""
        if self.takes is not None and self.experiment is None:
            yield "takes", "of which configuration? Write experiment, too."
        if (self.tolerance is None) != (self.reason is None):
            yield "", "tolerance and reason belong together. Write both, or none."


class Difference(Settings):
    """A claim that one system is better than another."""

    claim: Text = Field(description="Group | row | column | source.")
    baseline: Text = Field(description="Likewise.")


class Expected(Settings):
    """What was found of a claim."""

    value: Number = Field(description="Ours, on the scale of the source.")
    commit: str = Field(
        pattern=r"^[0-9a-f]{8,40}$", description="The commit of sentflow that it was last found to move at."
    )
    why: Text = Field(description="Why it moved.")


class Ledger(Settings):
    """What the claims of published tables need, how near ours must be, and what was found in the last run."""

    systems: dict[str, Claims] = Field(
        description="Group of claims, the same as in the table → what they need."
    )
    differences: Several[Difference] = Field(
        description="Claims that one system is better than another, as two claims."
    )
    expected: dict[str, Expected] = Field(description="Claim → what was found when it last moved.")


TABLES = {
    "ledger": Ledger,
    "published_retrieval": dict[str, PublishedRetrieval],
    "published_similarity": PublishedSimilarity,
    "published_training": dict[str, PublishedTraining],
    "published_values": dict[str, PublishedValues],
}
"""File of the catalog → what it may hold."""
