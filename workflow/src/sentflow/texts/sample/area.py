"""An area of law: the form in which the vocabulary of courts and law exams is kept."""

from dataclasses import dataclass

from sentflow.texts.sample.grammar import Grammar
from sentflow.texts.sample.topic import Wordings


@dataclass(frozen=True)
class Area:
    """An area of law.

    Attributes
    ----------
    field
        The area as a noun phrase with its article.
    parties
        Pairs of noun phrases with their articles: who asks for something, and of whom.
    principle
        A principle that rulings of the area invoke, with its article.
    matters
        Each matter in three wordings that share only some of their words.
    """

    field: str
    parties: tuple[tuple[str, str], ...]
    principle: str
    matters: tuple[Wordings, ...]

    def details(self, grammar: Grammar) -> dict[str, str]:
        """Draw the names that a text of the area uses."""
        one, other = grammar.pick(self.parties)
        return {
            "one": one,
            "other": other,
            "field": self.field,
            "area": self.field.removeprefix("o "),
            "principle": self.principle,
        }
