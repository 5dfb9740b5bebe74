"""T1A to T3: comments on social media and news portals; sentences of news stories, true and false stories."""

import re
import unicodedata
from typing import Any

from sentflow.texts.sample.grammar import Grammar
from sentflow.texts.sample.subjects import topics
from sentflow.texts.sample.vocabulary import vocabulary

# How surely a part of a text is of its class's kind; the rest is of the other kind.
FIRST_LEANING = 0.95
SECOND_LEANING = 0.85
SENTENCE_LEANING = 0.96
ADVERB_LEANING = 0.85
LEAD_LEANING = 0.9
DETAIL_LEANING = 0.85

SHARE_WITH_OWN_DETAIL = 0.6
SHARE_WITH_COMMON_PART = 0.2
SHARE_WITH_SECOND_PART = 0.25
SHARE_WITH_EMOJI = 0.2
SHARE_WITH_HASHTAG = 0.1
SHARE_SHOUTED = 0.06
SHARE_WITH_ADVERB = 0.25

POST_MARKS = (".", "!", "!!", "...", " kkkk", ",")
PORTAL_MARKS = ("", "", " ", ".", "!", "...", ",")

_DIACRITICS = re.compile(r"[\u0300-\u036f]")


def instagram_comment(grammar: Grammar, label: int) -> tuple[str]:
    """T1A: a comment under a politician's post. 1: offensive."""
    words = vocabulary("comments")
    text = _comment(grammar, label, words["posts"], POST_MARKS).rstrip(",")
    if grammar.chance(SHARE_WITH_EMOJI):
        text += " " + grammar.pick(words["emojis"])
    if grammar.chance(SHARE_WITH_HASHTAG):
        text += " " + grammar.write(grammar.pick(words["hashtags"]), tag=words["tags"])
    return (text.upper() if grammar.chance(SHARE_SHOUTED) else text,)


def portal_comment(grammar: Grammar, label: int) -> tuple[str]:
    """T1B: a comment on a news portal, typed without accents. 1: offensive."""
    text = _comment(grammar, label, vocabulary("comments")["portal"], PORTAL_MARKS)
    return (without_accents(text).lower().strip(" ,"),)


def _comment(grammar: Grammar, label: int, words: dict[str, Any], marks: tuple[str, ...]) -> str:
    """One to three parts in random order, each with a mark behind it."""
    kinds = (words["polite"], words["offensive"])
    parts: list[str] = [grammar.lean(kinds, label, FIRST_LEANING)]
    if grammar.chance(SHARE_WITH_COMMON_PART):
        parts.append(grammar.pick(words["either"]))
    if grammar.chance(SHARE_WITH_SECOND_PART):
        parts.append(grammar.lean(kinds, label, SECOND_LEANING))
    shared = vocabulary("comments")
    slots = {"insult": shared["insults"], "kind": shared["kind_words"], "post": words["subjects"]}
    order = grammar.sample(parts, len(parts))
    return " ".join(grammar.write(part, **slots) + grammar.pick(marks) for part in order)


def without_accents(text: str) -> str:
    """The text in plain ASCII letters: ``"ação"`` becomes ``"acao"``."""
    return _DIACRITICS.sub("", unicodedata.normalize("NFKD", text))


def bias(grammar: Grammar, label: int) -> tuple[str]:
    """T2A: a sentence of a news story. 1: biased, 0: factual or a quotation."""
    words = vocabulary("news")
    kinds = (words["factual"] + words["quoted"], words["biased"])
    return (_news_sentence(grammar, grammar.lean(kinds, label, SENTENCE_LEANING), loaded=label == 1),)


def factuality(grammar: Grammar, label: int) -> tuple[str]:
    """T2B: a sentence of a news story. 0: factual, 1: a quotation or biased."""
    words = vocabulary("news")
    kinds = (words["factual"], words["quoted"] + words["quoted"] + words["biased"])
    return (_news_sentence(grammar, grammar.lean(kinds, label, SENTENCE_LEANING), loaded=label == 1),)


def fake_story(grammar: Grammar, label: int) -> tuple[str]:
    """T3: two sentences of a news story. 1: false, 0: true."""
    words = vocabulary("news")
    slots = _topic_slots(grammar)
    lead: str = grammar.lean((words["true_leads"], words["false_leads"]), label, LEAD_LEANING)
    sides = (words["true_details"], words["false_details"])
    own = grammar.chance(SHARE_WITH_OWN_DETAIL)
    detail = grammar.lean(sides, label, DETAIL_LEANING) if own else grammar.pick(words["common_details"])
    return (" ".join(grammar.sentence(part, **slots) for part in (lead, detail)),)


def _news_sentence(grammar: Grammar, template: str, *, loaded: bool) -> str:
    words = vocabulary("news")
    if grammar.chance(SHARE_WITH_ADVERB):
        adverb = grammar.lean((words["sober"], words["loaded"]), int(loaded), ADVERB_LEANING)
        template = f"{template}, {adverb}"
    return grammar.sentence(template, opinion=words["opinions"], **_topic_slots(grammar))


def _topic_slots(grammar: Grammar) -> dict[str, tuple[str, ...]]:
    topic = grammar.pick(topics())
    return {
        "matter": (topic["field"],),
        "agency": topic["agencies"],
        "audience": topic["audience"],
        "field": (topic["field"],),
    }
