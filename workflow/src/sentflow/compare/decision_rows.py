"""The row of two retrievers with their decisions on the questions of a collection."""

from dataclasses import dataclass
from typing import ClassVar

from sentflow.compare.question_rows import QuestionDifference


@dataclass(frozen=True)
class DecisionDifference(QuestionDifference):
    """A `QuestionDifference` of F2; a system is ``retriever/decision``."""

    FILE: ClassVar[str] = "decision-differences"
