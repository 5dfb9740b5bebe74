"""F4, F6: exam questions with expected answers, and the two parts of court summaries."""

from sentflow.texts.sample.areas import AREAS
from sentflow.texts.sample.grammar import Grammar
from sentflow.texts.sample.matching import Mix, pair_matters

CASES = (
    "{one:^} procurou um advogado porque pretende discutir {matter} contra {other}.",
    "Em ação ajuizada contra {other}, {one} sustenta que a sentença errou ao decidir sobre {matter}.",
    "{one:^} ingressou em juízo contra {other}; o litígio envolve {matter}.",
    "Na audiência, {other} impugnou o pedido {one:de}, relativo {matter:a}.",
    "O tribunal reformou a decisão favorável {one:a} em caso que trata {matter:de}.",
)

ASKS = (
    "Qual a medida cabível?",
    "Assiste razão {one:a}? Justifique com base {field:em}.",
    "Que tese deve ser sustentada, à luz {principle:de}?",
    "A decisão está correta? Fundamente.",
    "Como deve responder {other}, considerando {principle}?",
)

ANSWERS = (
    "Sim. Segundo {field}, {one} pode pleitear {matter}, conforme a jurisprudência.",
    "Deve ser interposto o recurso próprio contra {other}, com destaque para {matter} e para {principle}.",
    "Não. O debate sobre {matter} depende de prova {one:de}, sob pena de ofensa {principle:a}.",
    "A tese é a de que {principle} alcança {matter}, cabendo {other:a} o ônus da prova.",
    "O examinando deve reconhecer que {principle} rege {matter}, o que favorece {one}.",
    "Espera-se que o examinando identifique {matter} e afaste os argumentos {other:de}.",
)

QUESTIONS_AT_COURT = (
    "Discute-se {matter}, quando {one} demanda contra {other}",
    "Controvérsia acerca {matter:de}, à luz {principle:de}",
    "Definir se cabe rediscutir {matter}, ainda que {other} alegue ofensa {principle:a}",
    "{area:^}. Recurso especial {one:de}. Delimitação da controvérsia: {matter}",
    "Recurso especial interposto {one:por} contra {other}. Debate sobre {matter}",
    "Agravo interno {other:de}. Pretensão de rever o entendimento sobre {matter}",
    "{area:^}. Saber se {principle} autoriza {matter}",
)

THESES = (
    "É lícito discutir {matter}, desde que demonstrado o prejuízo {one:de}",
    "Não se admite {matter} sem prévia manifestação {other:de}, observada {principle}",
    "{area:^}. Exige-se prova idônea {one:de} quando o pedido envolve {matter}",
    "Recurso {one:de} provido para reconhecer {matter}, observada {principle}",
    "Recurso desprovido. Ausência de divergência quanto {matter:a}, alegada {other:por}",
    "{principle:^} rege {matter} a partir do ajuizamento da ação {one:por}",
    "Tese fixada: não se exige culpa {other:de} para reconhecer {matter}",
)

SHARE_WITH_ASK = 0.6
EXAM_MIX = Mix(literal=0.7, same_details=0.9, hard=0.1)
COURT_MIX = Mix(literal=0.55, same_details=0.8, hard=0.15)


def exam_answer(grammar: Grammar, label: int) -> tuple[str, str]:
    """F4: question of the second part of a bar exam; an examiner's answer. 1: answers this question."""
    asked, answered = pair_matters(grammar, AREAS, match=label == 1, mix=EXAM_MIX)
    question = grammar.pick(CASES)
    if grammar.chance(SHARE_WITH_ASK):
        question = f"{question} {grammar.pick(ASKS)}"
    return grammar.sentence(question, **asked), grammar.sentence(grammar.pick(ANSWERS), **answered)


def court_summary(grammar: Grammar, label: int) -> tuple[str, str]:
    """F6: question that a court decides; its holding. 1: of the same case."""
    asked, decided = pair_matters(grammar, AREAS, match=label == 1, mix=COURT_MIX)
    return (
        grammar.sentence(grammar.pick(QUESTIONS_AT_COURT), **asked),
        grammar.sentence(grammar.pick(THESES), **decided),
    )
