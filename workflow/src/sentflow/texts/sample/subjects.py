"""What sample texts speak about: themes of policy, areas of law; and pairs of texts about one matter or two."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol, TypeVar

from sentflow.texts.sample.grammar import Grammar
from sentflow.texts.sample.vocabulary import vocabulary

Wordings = tuple[str, str, str]
Slots = dict[str, str]


class Subject(Protocol):
    """Anything with matters in three wordings: a theme of policy, an area of law."""

    @property
    def matters(self) -> tuple[Wordings, ...]:
        """Each matter in three wordings that share only some of their words."""

    def details(self, grammar: Grammar) -> Slots:
        """Draw who acts, who gains and what else a text about the subject names."""


S = TypeVar("S", bound=Subject)


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
        See `Subject`.
    """

    theme: str
    keywords: tuple[str, ...]
    field: str
    laws: tuple[str, ...]
    agencies: tuple[str, ...]
    audience: tuple[str, ...]
    matters: tuple[Wordings, ...]

    def details(self, grammar: Grammar) -> Slots:
        """See `Subject`."""
        words = vocabulary("words")
        return {
            "theme": self.theme,
            "field": self.field,
            "law": grammar.pick(self.laws),
            "agency": grammar.pick(self.agencies),
            "audience": grammar.pick(self.audience),
            "city": grammar.pick(words["city"]),
            "state": grammar.pick(words["state"]),
            "keywords": "; ".join(grammar.sample(self.keywords, 2)),
        }


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
        See `Subject`.
    """

    field: str
    parties: tuple[tuple[str, str], ...]
    principle: str
    matters: tuple[Wordings, ...]

    def details(self, grammar: Grammar) -> Slots:
        """See `Subject`."""
        one, other = grammar.pick(self.parties)
        return {
            "one": one,
            "other": other,
            "field": self.field,
            "area": self.field.removeprefix("o "),
            "principle": self.principle,
        }


@cache
def topics() -> tuple[Topic, ...]:
    """What bills, news and citizens speak about: twenty themes of policy."""
    return tuple(Topic(**entry) for entry in vocabulary("topics")["topics"])


@cache
def areas() -> tuple[Area, ...]:
    """What courts and law exams ask about: eight areas of law."""
    return tuple(Area(**entry) for entry in vocabulary("areas")["areas"])


@dataclass(frozen=True)
class Mix:
    """How hard it is to tell the pairs that match from the others; shares in [0, 1].

    Attributes
    ----------
    literal
        Of matching pairs: both texts use the same wording of the matter.
    same_details
        Of matching pairs: both texts name the same persons and places.
    hard
        Of pairs that do not match: two matters of the same subject.
    """

    literal: float
    same_details: float
    hard: float


def pair_matters(grammar: Grammar, subjects: Sequence[S], *, match: bool, mix: Mix) -> tuple[Slots, Slots]:
    """What the two texts of a row speak about: slots with a `matter` and the subject's details, for each."""
    subject = grammar.pick(subjects)
    matter = grammar.pick(subject.matters)
    wording = grammar.pick(matter)
    slots_a = {"matter": wording, **subject.details(grammar)}
    if match:
        wording_b = wording if grammar.chance(mix.literal) else grammar.pick_other(matter, wording)
        details = slots_a if grammar.chance(mix.same_details) else subject.details(grammar)
        return slots_a, {**details, "matter": wording_b}
    if grammar.chance(mix.hard):
        other = grammar.pick_other(subject.matters, matter)
    else:
        subject = grammar.pick_other(subjects, subject)
        other = grammar.pick(subject.matters)
    return slots_a, {"matter": grammar.pick(other), **subject.details(grammar)}
