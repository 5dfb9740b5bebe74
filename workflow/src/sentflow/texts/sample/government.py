"""G1, G2A, G2B: bills with their topics, news about the states, summaries with the text of a bill."""

from sentflow.texts.sample.grammar import Grammar
from sentflow.texts.sample.matching import Mix, pair_matters
from sentflow.texts.sample.topics import TOPICS

SUMMARIES = (
    "Dispõe sobre {matter} e dá outras providências {audience:a}",
    "Institui o programa estadual voltado {matter:a}, sob a coordenação {agency:de}",
    "Altera as normas sobre {field} para disciplinar {matter}",
    "Assegura {audience:a} prioridade em ações relativas {matter:a}",
    "Autoriza {agency} a instituir medidas sobre {matter}",
    "Cria a semana nacional de conscientização sobre {matter}, a cargo {agency:de}",
    "Obriga {agency} a divulgar {audience:a} relatório sobre {matter}",
    "Susta o decreto {agency:de} que regulamenta {matter}",
    "Requer audiência pública destinada a debater {matter}, com a presença {audience:de}",
    "Estabelece diretrizes para {field} e para {matter}",
)

TOPIC_LINES = (
    "{theme}; {keywords}; {matter}",
    "Tema: {theme}. Indexação: {keywords}; {matter}",
    "{theme} ({keywords}); {field}; {matter}",
    "Indexação: {theme}; {matter}; {audience}",
)

STATE_NEWS = (
    "O governo {state:de} anunciou em {city} um programa sobre {matter}",
    "Em {city}, {agency} vai investir R$ {n:2-9} milhões em ações ligadas {matter:a}",
    "Projeto sobre {matter} é aprovado na assembleia {state:de}",
    "Moradores de {city} cobram {agency:de} medidas sobre {matter}",
    "Decreto do governo {state:de} muda as regras sobre {matter}",
    "{agency:^} abriu em {city} consulta pública que trata {matter:de}",
    "Em {city}, medida sobre {matter} deve alcançar {audience}",
    "Falta de verba {state:em} ameaça {matter}, alertam {audience}",
    "Mutirão em {city} reúne {audience} para tratar {matter:de}",
    "{agency:^} afirmou que haverá novas regras para {matter} em {city}",
)

OPENINGS = ("O Congresso Nacional decreta: ", "A Assembleia Legislativa decreta: ", "", "", "")

ARTICLES = (
    "Art. 1º Esta Lei estabelece normas sobre {matter}.",
    "Art. 1º Fica instituída a política destinada {matter:a}.",
    "Art. 1º Ficam asseguradas {audience:a} medidas relativas {matter:a}.",
)

FOLLOWING_ARTICLES = (
    "Art. 2º Compete {agency:a} regulamentar {matter}.",
    "Art. 2º O descumprimento das normas sobre {matter} sujeita o infrator a multa aplicada {agency:por}.",
    "Art. 2º As despesas com {matter} correrão por conta {agency:de}.",
    "Art. 2º {agency:^} publicará relatório sobre {matter} dirigido {audience:a}.",
)

CLOSING_ARTICLES = (
    "Art. 3º Esta Lei entra em vigor na data de sua publicação.",
    "",
    "",
)

TOPIC_MIX = Mix(literal=0.6, same_details=0.9, hard=0.0)
NEWS_MIX = Mix(literal=0.45, same_details=0.75, hard=0.2)
BILL_MIX = Mix(literal=0.6, same_details=0.85, hard=0.15)


def bill_topic(grammar: Grammar, label: int) -> tuple[str, str]:
    """G1: summary of a bill; a topic with index terms. 1: the topic of this bill."""
    return _write_pair(grammar, label, TOPIC_MIX, grammar.pick(SUMMARIES), grammar.pick(TOPIC_LINES))


def state_news(grammar: Grammar, label: int) -> tuple[str, str]:
    """G2A: two sentences from news about the states. 1: they tell the same."""
    return _write_pair(grammar, label, NEWS_MIX, *grammar.sample(STATE_NEWS, 2))


def summary_and_bill(grammar: Grammar, label: int) -> tuple[str, str]:
    """G2B: summary; text of a bill. 1: the summary of this bill."""
    articles = " ".join(grammar.pick(part) for part in (ARTICLES, FOLLOWING_ARTICLES, CLOSING_ARTICLES))
    return _write_pair(
        grammar, label, BILL_MIX, grammar.pick(SUMMARIES), grammar.pick(OPENINGS) + articles.strip()
    )


def _write_pair(grammar: Grammar, label: int, mix: Mix, template_a: str, template_b: str) -> tuple[str, str]:
    slots_a, slots_b = pair_matters(grammar, TOPICS, match=label == 1, mix=mix)
    return grammar.sentence(template_a, **slots_a), grammar.sentence(template_b, **slots_b)
