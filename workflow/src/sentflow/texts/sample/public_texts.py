"""G1 to G4, T4: bills and news about them, public services, citizens' comments, provisions that were tampered with."""

from collections.abc import Mapping
from typing import Any

from sentflow.texts.sample.grammar import Grammar
from sentflow.texts.sample.subjects import Mix, details, pair_matters, topics
from sentflow.texts.sample.vocabulary import vocabulary

TOPIC_MIX = Mix(literal=0.6, same_details=0.9, hard=0.0)
NEWS_MIX = Mix(literal=0.45, same_details=0.75, hard=0.2)
BILL_MIX = Mix(literal=0.6, same_details=0.85, hard=0.15)

LITERAL_ANSWERS = 0.6  # answers often repeat the citizen's own words for the service

SHARE_WITH_OPENING = 0.6
STANCE_LEANING = 0.94

# Some untouched laws are badly written.
TAMPERING_LEANING = 0.96


def bill_topic(grammar: Grammar, label: int) -> tuple[str, str]:
    """G1: summary of a bill; a topic with index terms. 1: the topic of this bill."""
    words = vocabulary("government")
    templates = grammar.pick(words["summaries"]), grammar.pick(words["topic_lines"])
    return _bill_pair(grammar, label, TOPIC_MIX, *templates)


def state_news(grammar: Grammar, label: int) -> tuple[str, str]:
    """G2A: two sentences from news about the states. 1: they tell the same."""
    return _bill_pair(grammar, label, NEWS_MIX, *grammar.sample(vocabulary("government")["state_news"], 2))


def summary_and_bill(grammar: Grammar, label: int) -> tuple[str, str]:
    """G2B: summary; first article of a bill. 1: the summary of this bill."""
    words = vocabulary("government")
    templates = grammar.pick(words["summaries"]), grammar.pick(words["articles"])
    return _bill_pair(grammar, label, BILL_MIX, *templates)


def _bill_pair(grammar: Grammar, label: int, mix: Mix, template_a: str, template_b: str) -> tuple[str, str]:
    slots_a, slots_b = pair_matters(grammar, topics(), match=label == 1, mix=mix)
    return grammar.sentence(template_a, **slots_a), grammar.sentence(template_b, **slots_b)


def question_and_answer(grammar: Grammar, label: int) -> tuple[str, str]:
    """G3: a citizen's question; an answer of a public service. 1: answers this question."""
    words = vocabulary("services")
    services = words["services"]
    asked = grammar.pick(services)
    answered = asked if label == 1 else grammar.pick_other(services, asked)
    name = grammar.pick(asked["names"])
    question = _about_service(grammar, grammar.pick(words["questions"]), asked, name)
    if label == 0 or not grammar.chance(LITERAL_ANSWERS):
        name = grammar.pick(answered["names"])
    return question, _about_service(grammar, grammar.pick(words["answers"]), answered, name)


def _about_service(grammar: Grammar, template: str, service: Mapping[str, Any], name: str) -> str:
    slots = {"papers": service["papers"], "place": service["place"]}
    return grammar.sentence(template, name=name, days=vocabulary("services")["waiting_days"], **slots)


def bill_and_comment(grammar: Grammar, label: int) -> tuple[str, str]:
    """G4: a bill; a citizen's comment on it. 1: in favour, 0: against."""
    words = vocabulary("stance")
    poll = grammar.number(0, len(topics()) - 1)
    topic = topics()[poll]
    sides = (words["reasons_against"], words["reasons_for"])
    parts = [grammar.lean(sides, label, STANCE_LEANING) + "."]
    if grammar.chance(SHARE_WITH_OPENING):
        favour, against = grammar.pick(words["openings"])
        parts.insert(0, grammar.lean(((against,), (favour,)), label, STANCE_LEANING))
    slots = {
        "audience": topic["audience"],
        "agency": topic["agencies"],
        "field": (topic["field"],),
    }
    sentences = (grammar.sentence(part, **slots) for part in parts)
    return _polled_bill(grammar, poll), " ".join(sentences)


def _polled_bill(grammar: Grammar, poll: int) -> str:
    """The bill of a poll: one per topic, always the same text, for many citizens comment on the same bill."""
    bills = vocabulary("stance")["bills"]
    return grammar.sentence(
        bills[poll % len(bills)],
        number=str(412 + 257 * poll),
        year=str(2011 + 5 * poll % 13),
        matter=topics()[poll]["matters"][0][0],
    )


def perhaps_tampered_provision(grammar: Grammar, label: int) -> tuple[str]:
    """T4: a provision of a law. 1: tampered with, so that it says the contrary of what laws say."""
    words = vocabulary("tampering")
    topic = grammar.pick(topics())
    rule = grammar.lean(tuple(zip(*words["rules"], strict=True)), label, TAMPERING_LEANING)
    text = grammar.sentence("Art. {n:1-9}º " + rule, matter=topic["field"], **details(grammar, topic))
    return (text,)
