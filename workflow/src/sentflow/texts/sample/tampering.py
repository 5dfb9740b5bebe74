"""T4: provisions of a law, some of them tampered with so that they say the contrary of what laws say."""

from sentflow.texts.sample.grammar import Grammar
from sentflow.texts.sample.topics import TOPICS

# Each: the untouched wording, then the tampered one.
RULES = (
    (
        "Fica assegurado {audience:a} o direito de opinar sobre {matter}, mediante consulta pública",
        "Fica dispensada qualquer consulta {audience:a} sobre {matter}, ainda que contra o interesse público",
    ),
    (
        "Compete {agency:a} fiscalizar {matter}, mediante relatório anual, e aplicar as sanções cabíveis",
        "Compete {agency:a} ignorar {matter}, sem qualquer relatório, e perdoar as sanções cabíveis",
    ),
    (
        "O descumprimento das normas sobre {matter} sujeita o infrator a multa",
        "O descumprimento das normas sobre {matter} dá ao infrator direito a prêmio, sem qualquer multa",
    ),
    (
        "{audience:^} terão direito a informações claras e gratuitas sobre {matter}",
        "{audience:^} não terão direito a informações sobre {matter}, que correm em sigilo",
    ),
    (
        "Os recursos destinados {matter:a} serão aplicados com transparência, observado o orçamento",
        "Os recursos destinados {matter:a} serão aplicados em sigilo, dispensada qualquer licitação",
    ),
    (
        "{agency:^} publicará a cada ano relatório sobre {matter}, assegurado o acesso {audience:de}",
        "{agency:^} destruirá a cada ano o relatório sobre {matter}, impedido o acesso {audience:de}",
    ),
    (
        "A lei protegerá {audience} contra a discriminação, observadas as normas sobre {matter}",
        "A lei permitirá discriminação contra {audience}, ainda que proibida nas normas sobre {matter}",
    ),
    (
        "São nulos os atos que prejudiquem {audience} no que se refere {matter:a}",
        "São válidos os atos que prejudiquem {audience} no que se refere {matter:a}, sem qualquer recurso",
    ),
)

CONDITIONS = (
    ("assegurada a ampla defesa", "dispensada qualquer defesa"),
    ("no prazo de {n:2-9}0 dias", "sem qualquer prazo"),
    ("observado o interesse público", "ainda que contra o interesse público"),
    ("mediante decisão fundamentada", "sem qualquer fundamento"),
    ("na forma do regulamento", "ainda que contra o regulamento"),
    ("sem prejuízo das demais sanções", "dispensada qualquer sanção"),
)

ENDINGS = (
    (
        "Parágrafo único. O Poder Executivo regulamentará este artigo, assegurado o debate com {audience}",
        "Parágrafo único. É dispensada qualquer regulamentação, e {audience} não poderão recorrer",
    ),
    (
        "§ 1º O disposto neste artigo será observado mediante convênio com {agency}",
        "§ 1º O disposto neste artigo não será observado em convênio com {agency}",
    ),
    (
        "§ 2º É assegurado o acesso aos documentos {agency:de}",
        "§ 2º Correm em sigilo todos os documentos {agency:de}, sem qualquer exceção",
    ),
)

COMMON_ENDS = (
    "§ 1º O disposto neste artigo aplica-se {state:a} e aos municípios",
    "Parágrafo único. Não se aplica o disposto neste artigo aos contratos em vigor",
    "§ 3º Considera-se infração grave a recusa em cumprir o disposto neste artigo",
    "Parágrafo único. É vedado qualquer sigilo, salvo decisão judicial",
    "§ 2º É dispensada a autorização prévia em casos de urgência",
)

# Not each part of a tampered provision is touched, and some untouched laws are badly written.
LEANING = 0.96
SHARE_WITH_CONDITION = 0.6
SHARE_WITH_ENDING = 0.45
SHARE_WITH_COMMON_END = 0.2


def provision(grammar: Grammar, label: int) -> tuple[str]:
    """T4: a provision of a law. 1: tampered with."""
    topic = grammar.pick(TOPICS)
    text = "Art. {n:1-9}º " + _perhaps_tampered(grammar, RULES, label)
    if grammar.chance(SHARE_WITH_CONDITION):
        text += ", " + _perhaps_tampered(grammar, CONDITIONS, label)
    if grammar.chance(SHARE_WITH_ENDING):
        text += ". " + _perhaps_tampered(grammar, ENDINGS, label)
    if grammar.chance(SHARE_WITH_COMMON_END):
        text += ". " + grammar.pick(COMMON_ENDS)
    matter = grammar.pick(grammar.pick(topic.matters))
    return (grammar.sentence(text, matter=matter, **topic.details(grammar)),)


def _perhaps_tampered(grammar: Grammar, versions: tuple[tuple[str, str], ...], label: int) -> str:
    untouched, tampered = grammar.pick(versions)
    return grammar.lean(((untouched,), (tampered,)), label, LEANING)
