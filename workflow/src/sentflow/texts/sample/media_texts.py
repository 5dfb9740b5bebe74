"""T1A to T3: comments on social media and news portals; sentences of news stories, true and false leads."""

import re
import unicodedata
from typing import Any

from sentflow.texts.sample.grammar import Grammar
from sentflow.texts.sample.subjects import topics
from sentflow.texts.sample.vocabulary import vocabulary

# How surely a text is of its class's kind; the rest is of the other kind.
COMMENT_LEANING = 0.95
SENTENCE_LEANING = 0.96
LEAD_LEANING = 0.9

SHARE_WITH_EMOJI = 0.2
SHARE_SHOUTED = 0.06

POST_MARKS = (".", "!", "!!", "...", " kkkk", ",")
PORTAL_MARKS = ("", "", " ", ".", "!", "...", ",")

_DIACRITICS = re.compile(r"[\u0300-\u036f]")


def instagram_comment(grammar: Grammar, label: int) -> tuple[str]:
    """T1A: a comment under a politician's post. 1: offensive."""
    words = vocabulary("comments")
    text = _comment(grammar, label, words["posts"], POST_MARKS).rstrip(",")
    if grammar.chance(SHARE_WITH_EMOJI):
        text += " " + grammar.pick(words["emojis"])
    return (text.upper() if grammar.chance(SHARE_SHOUTED) else text,)


def portal_comment(grammar: Grammar, label: int) -> tuple[str]:
    """T1B: a comment on a news portal, typed without accents. 1: offensive."""
    text = _comment(grammar, label, vocabulary("comments")["portal"], PORTAL_MARKS)
    return (without_accents(text).lower().strip(" ,"),)


def _comment(grammar: Grammar, label: int, words: dict[str, Any], marks: tuple[str, ...]) -> str:
    """A comment with a mark behind it."""
    shared = vocabulary("comments")
    slots = {"insult": shared["insults"], "kind": shared["kind_words"], "post": words["subjects"]}
    text = grammar.lean((words["polite"], words["offensive"]), label, COMMENT_LEANING)
    return grammar.write(text, **slots) + grammar.pick(marks)


def without_accents(text: str) -> str:
    """The text in plain ASCII letters: ``"ação"`` becomes ``"acao"``."""
    return _DIACRITICS.sub("", unicodedata.normalize("NFKD", text))


def bias(grammar: Grammar, label: int) -> tuple[str]:
    """T2A: a sentence of a news story. 1: biased, 0: factual or a quotation."""
    words = vocabulary("news")
    kinds = (words["factual"] + words["quoted"], words["biased"])
    return (_news_sentence(grammar, grammar.lean(kinds, label, SENTENCE_LEANING)),)


def factuality(grammar: Grammar, label: int) -> tuple[str]:
    """T2B: a sentence of a news story. 0: factual, 1: a quotation or biased."""
    words = vocabulary("news")
    kinds = (words["factual"], words["quoted"] + words["quoted"] + words["biased"])
    return (_news_sentence(grammar, grammar.lean(kinds, label, SENTENCE_LEANING)),)


def fake_story(grammar: Grammar, label: int) -> tuple[str]:
    """T3: the lead of a news story. 1: false, 0: true."""
    words = vocabulary("news")
    lead = grammar.lean((words["true_leads"], words["false_leads"]), label, LEAD_LEANING)
    return (grammar.sentence(lead, **_topic_slots(grammar)),)


def _news_sentence(grammar: Grammar, template: str) -> str:
    return grammar.sentence(template, opinion=vocabulary("news")["opinions"], **_topic_slots(grammar))


def _topic_slots(grammar: Grammar) -> dict[str, tuple[str, ...]]:
    topic = grammar.pick(topics())
    return {
        "matter": (topic["field"],),
        "agency": topic["agencies"],
        "audience": topic["audience"],
    }
