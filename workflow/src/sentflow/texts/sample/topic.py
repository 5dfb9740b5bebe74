"""A theme of public policy: the form in which the vocabulary of bills, news and citizens is kept."""

from dataclasses import dataclass

from sentflow.texts.sample.grammar import Grammar
from sentflow.texts.sample.words import WORDS

Wordings = tuple[str, str, str]


@dataclass(frozen=True)
class Topic:
    """A theme of public policy.

    Attributes
    ----------
    theme
        As a parliament's index names it.
    keywords
        Index terms that go with the theme.
    field
        The theme as a noun phrase with its article.
    laws
        Names of the law that governs the theme.
    agencies, audience
        Noun phrases with their articles: who acts, who gains.
    matters
        Each matter in three wordings that share only some of their words.
    """

    theme: str
    keywords: tuple[str, ...]
    field: str
    laws: tuple[str, ...]
    agencies: tuple[str, ...]
    audience: tuple[str, ...]
    matters: tuple[Wordings, ...]

    def details(self, grammar: Grammar) -> dict[str, str]:
        """Draw the names that a text about the theme uses."""
        return {
            "theme": self.theme,
            "field": self.field,
            "law": grammar.pick(self.laws),
            "agency": grammar.pick(self.agencies),
            "audience": grammar.pick(self.audience),
            "city": grammar.pick(WORDS["city"]),
            "state": grammar.pick(WORDS["state"]),
            "keywords": "; ".join(grammar.sample(self.keywords, 2)),
        }
