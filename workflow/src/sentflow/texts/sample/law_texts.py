"""F1A to F6: masked laws, provisions of statutes, law exams, court summaries."""

from sentflow.texts.sample.grammar import Grammar
from sentflow.texts.sample.subjects import Mix, Subject, areas, details, pair_matters, topics
from sentflow.texts.sample.vocabulary import vocabulary
from sentflow.texts.table import SEPARATOR

MASK = "[LEI]"

# A few laws are amended and reported far more often than the others, while wrong names are drawn evenly.
N_POPULAR = 6
SHARE_POPULAR_IN_SUMMARIES = 0.5
SHARE_POPULAR_IN_NEWS = 0.5

STATUTE_LEANING = 0.88
# Share of the alternatives whose style betrays them: right ones are careful, wrong ones absolute.
STYLE_FITS = 0.92
EXAM_MIX = Mix(literal=0.7, same_details=0.9, hard=0.1)
COURT_MIX = Mix(literal=0.55, same_details=0.8, hard=0.15)


def masked_law_in_summary(grammar: Grammar, label: int) -> tuple[str, str]:
    """F1A: summary of a bill with its law masked; name of a law. 1: the very law."""
    summary = grammar.pick(vocabulary("laws")["summaries"])
    return _law_pair(grammar, label, summary, popular=SHARE_POPULAR_IN_SUMMARIES)


def masked_law_in_news(grammar: Grammar, label: int) -> tuple[str, str]:
    """F1B: sentence of a news story with its law masked; name of a law. 1: the very law."""
    story = grammar.pick(vocabulary("laws")["news"])
    return _law_pair(grammar, label, story, popular=SHARE_POPULAR_IN_NEWS)


def _law_pair(grammar: Grammar, label: int, template: str, *, popular: float) -> tuple[str, str]:
    topic = grammar.pick(topics()[:N_POPULAR] if grammar.chance(popular) else topics()[N_POPULAR:])
    named = topic if label == 1 else grammar.pick_other(topics(), topic)
    text = grammar.sentence(
        template, mask=MASK, matter=grammar.pick(grammar.pick(topic["matters"])), **details(grammar, topic)
    )
    candidate = grammar.pick(vocabulary("laws")["candidates"])
    return text, grammar.write(candidate, **details(grammar, named))


def provision_of_statute(grammar: Grammar, label: int) -> tuple[str]:
    """F2: one provision; the label is the place of its statute in ``statutes.yaml``."""
    words = vocabulary("statutes")
    parts = {
        slot: grammar.lean([statute[column] for statute in words["statutes"]], label, STATUTE_LEANING)
        for slot, column in (("person", "persons"), ("act", "acts"), ("object", "objects"))
    }
    return (grammar.sentence(grammar.pick(words["provisions"]), **parts),)


def bar_exam(grammar: Grammar, label: int) -> tuple[str, str]:
    """F3: question of a bar exam; four alternatives. The label is the place of the right one."""
    return _multiple_choice(grammar, label, "bar", n_alternatives=4)


def federal_exam(grammar: Grammar, label: int) -> tuple[str, str]:
    """F5: question of an exam for federal judges; five alternatives. The label is the right one's place."""
    return _multiple_choice(grammar, label, "federal", n_alternatives=5)


def _multiple_choice(grammar: Grammar, right: int, exam: str, *, n_alternatives: int) -> tuple[str, str]:
    words = vocabulary("exams")
    area = grammar.pick(areas())
    matter = grammar.pick(area["matters"])
    question = _about(grammar, grammar.pick(words[f"{exam}_questions"]), area, grammar.pick(matter))
    careful: list[str] = grammar.sample(words["right"], n_alternatives)
    absolute: list[str] = grammar.sample(words["wrong"], n_alternatives)
    alternatives = []
    for place in range(n_alternatives):
        styles = ((absolute[place],), (careful[place],))
        template = grammar.pick(words["openings"]) + grammar.lean(styles, int(place == right), STYLE_FITS)
        alternatives.append(_about(grammar, template, area, grammar.pick(matter)))
    return question, SEPARATOR.join(alternatives)


def _about(grammar: Grammar, template: str, area: Subject, matter: str) -> str:
    return grammar.sentence(template, matter=matter, **details(grammar, area))


def exam_answer(grammar: Grammar, label: int) -> tuple[str, str]:
    """F4: question of the second part of a bar exam; an examiner's answer. 1: answers this question."""
    words = vocabulary("courts")
    asked, answered = pair_matters(grammar, areas(), match=label == 1, mix=EXAM_MIX)
    question = grammar.sentence(grammar.pick(words["cases"]), **asked)
    return question, grammar.sentence(grammar.pick(words["answers"]), **answered)


def court_summary(grammar: Grammar, label: int) -> tuple[str, str]:
    """F6: question that a court decides; its holding. 1: of the same case."""
    words = vocabulary("courts")
    asked, decided = pair_matters(grammar, areas(), match=label == 1, mix=COURT_MIX)
    question = grammar.sentence(grammar.pick(words["questions_at_court"]), **asked)
    return question, grammar.sentence(grammar.pick(words["theses"]), **decided)
