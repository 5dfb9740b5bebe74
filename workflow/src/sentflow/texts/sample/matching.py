"""Pairs of texts that do or do not speak of the same matter."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from sentflow.texts.sample.grammar import Grammar
from sentflow.texts.sample.topic import Wordings

Slots = dict[str, str]


class Field(Protocol):
    """Anything with matters in three wordings: a topic of policy, an area of law."""

    @property
    def matters(self) -> tuple[Wordings, ...]:
        """Each matter in three wordings."""

    def details(self, grammar: Grammar) -> Slots:
        """Draw who acts, who gains and what else a text of the field names."""


F = TypeVar("F", bound=Field)


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
        Of pairs that do not match: two matters of the same field.
    """

    literal: float
    same_details: float
    hard: float


def pair_matters(grammar: Grammar, fields: Sequence[F], *, match: bool, mix: Mix) -> tuple[Slots, Slots]:
    """What the two texts of a row speak about: slots with a `matter` and the field's details, for each."""
    field = grammar.pick(fields)
    matter = grammar.pick(field.matters)
    wording = grammar.pick(matter)
    slots_a = {"matter": wording, **field.details(grammar)}
    if match:
        wording_b = wording if grammar.chance(mix.literal) else grammar.pick_other(matter, wording)
        details = slots_a if grammar.chance(mix.same_details) else field.details(grammar)
        return slots_a, {**details, "matter": wording_b}
    if grammar.chance(mix.hard):
        other = grammar.pick_other(field.matters, matter)
    else:
        field = grammar.pick_other(fields, field)
        other = grammar.pick(field.matters)
    return slots_a, {"matter": grammar.pick(other), **field.details(grammar)}
