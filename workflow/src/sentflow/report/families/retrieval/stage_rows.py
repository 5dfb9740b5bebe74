"""Rows of the stages of a chain of retrievers; undefined numbers NaN."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class StageRow:
    """What a stage of a chain reaches on a question set by one measure, or what one seed or the reference does."""

    FILE: ClassVar[str] = "retrieval-stages"

    # questions, questions_title, measure, is_main: question set and measure; whether tests follow it
    questions: str
    questions_title: str
    measure: str
    is_main: bool
    # stage, place: title and place from 1 on; empty and 0 for the reference, which is in no stage
    stage: str
    place: int
    # series, line: title of what is followed from stage to stage, and its place from 0 on; for the reference its title
    # and −1
    series: str
    line: int
    # retriever, seed: as the configuration names it, or one of its seeds; `seed` is empty where `value` is no single
    # seed of several
    retriever: str
    seed: str
    # value, low, high, level: mean over questions, and over seeds where there are several. Its interval is for new
    # questions on the same documents, and for new seeds where there are several; none for a single seed of several.
    value: float
    low: float
    high: float
    level: float
    # n_questions, n_seeds: behind `value`; seeds are 0 where the retriever was not made with any, 1 where nothing is
    # known of others
    n_questions: int
    n_seeds: int
    # before, before_low, before_high, before_p, before_seeds: of the main measure: difference from the stage before,
    # its interval, p adjusted for all tests of the question set in these rows (Holm), and the seeds behind it, 0 where
    # it is for new questions alone
    before: float
    before_low: float
    before_high: float
    before_p: float
    before_seeds: int
    # reference, reference_low, reference_high, reference_p, reference_seeds: the same for the difference from the
    # reference
    reference: float
    reference_low: float
    reference_high: float
    reference_p: float
    reference_seeds: int
    data_version: str

    @property
    def is_mean(self) -> bool:
        """Whether it is what a stage reaches: neither a single seed of several nor the reference."""
        return bool(self.place) and not self.seed
