"""What sample texts speak about: themes of policy, areas of law; and pairs of texts about one matter or two."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sentflow.texts.sample.grammar import Grammar
from sentflow.texts.sample.vocabulary import vocabulary

Subject = Mapping[str, Any]
"""An entry of ``topics.yaml`` or ``areas.yaml``: each has `matters`."""

Slots = dict[str, str]


def topics() -> Sequence[Subject]:
    """Twenty themes of policy: what bills, news and citizens speak about."""
    found: Sequence[Subject] = vocabulary("topics")["topics"]
    return found


def areas() -> Sequence[Subject]:
    """Eight areas of law: what courts and law exams ask about."""
    found: Sequence[Subject] = vocabulary("areas")["areas"]
    return found


def details(grammar: Grammar, subject: Subject) -> Slots:
    """Draw who acts, who gains and what else a text about a subject names."""
    if "parties" in subject:
        one, other = grammar.pick(subject["parties"])
        return {"one": one, "other": other, "principle": subject["principle"]}
    return {
        "theme": subject["theme"],
        "field": subject["field"],
        "law": grammar.pick(subject["laws"]),
        "agency": grammar.pick(subject["agencies"]),
        "audience": grammar.pick(subject["audience"]),
    }


@dataclass(frozen=True)
class Mix:
    """How hard it is to tell the pairs that match from the others; shares in [0, 1]."""

    literal: float  # of matching pairs: both texts use the same wording of the matter
    same_details: float  # of matching pairs: both texts name the same persons and places
    hard: float  # of pairs that do not match: two matters of the same subject


def pair_matters(
    grammar: Grammar, subjects: Sequence[Subject], *, match: bool, mix: Mix
) -> tuple[Slots, Slots]:
    """What the two texts of a row speak about: slots with a `matter` and the subject's details, for each."""
    subject = grammar.pick(subjects)
    matter = grammar.pick(subject["matters"])
    wording = grammar.pick(matter)
    slots_a = {"matter": wording, **details(grammar, subject)}
    if match:
        wording_b = wording if grammar.chance(mix.literal) else grammar.pick_other(matter, wording)
        slots_b = slots_a if grammar.chance(mix.same_details) else details(grammar, subject)
        return slots_a, {**slots_b, "matter": wording_b}
    if grammar.chance(mix.hard):
        other = grammar.pick_other(subject["matters"], matter)
    else:
        subject = grammar.pick_other(subjects, subject)
        other = grammar.pick(subject["matters"])
    return slots_a, {"matter": grammar.pick(other), **details(grammar, subject)}
