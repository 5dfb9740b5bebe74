"""F1A, F1B: a text whose law is masked, and the name of that law or of another one."""

from sentflow.texts.sample.grammar import Grammar
from sentflow.texts.sample.topics import TOPICS

MASK = "[LEI]"

SUMMARIES = (
    "Altera a {mask}, sobre {field}, para dispor sobre {matter}",
    "Acrescenta dispositivo à {mask}, que trata {field:de}, a fim de disciplinar {matter}",
    "Modifica a {mask}, para assegurar {audience:a} {matter}",
    "Dá nova redação ao artigo da {mask} que regula {field} e {matter}",
    "Inclui artigo na {mask}, estabelecendo normas sobre {matter}, no âmbito {field:de}",
    "Revoga o parágrafo único da {mask}, relativo {field:a}, e dispõe sobre {matter}",
    "Dispõe sobre {matter}, nos termos da {mask}, e fixa as competências {agency:de}",
    "Altera a {mask} para permitir {agency:a} regulamentar {matter}",
    "Institui incentivo relativo {matter:a}, altera a {mask}, sobre {field}, e dá outras providências",
    "Estabelece, no âmbito da {mask}, prazo para que {audience} possam requerer {matter}",
    "Para garantir {audience:a} informações sobre {field}, altera a {mask} e dispõe sobre {matter}",
    "Veda a redução de recursos destinados {matter:a}, mediante alteração da {mask}",
)

NEWS_LEADS = (
    "{body:^} começou a discutir nesta {weekday} {matter}.",
    "Um grupo de trabalho reunido em {city} apresentou propostas sobre {matter}.",
    "{agency:^} anunciou em {city} novas regras sobre {matter}.",
    "{party:^} e o governo chegaram a um acordo sobre {matter}.",
    "Em {city}, {audience} cobraram providências sobre {matter}.",
    "{speaker:^} defendeu em entrevista mudanças que envolvem {matter}.",
)

NEWS_MENTIONS = (
    "A medida altera a {mask}, que trata {field:de}, e ainda precisa de duas votações.",
    "A {mask}, sobre {field}, nunca foi aplicada por inteiro {audience:a}.",
    "O texto atualiza a {mask}, que rege {field}.",
    "Especialistas lembram que a {mask} já prevê parte dessas exigências para {audience}.",
    "Para {speaker}, a {mask} ficou velha e não acompanha {field}.",
    "O descumprimento da {mask} pode levar a multa, explicou {agency}.",
)

CANDIDATES = (
    "{law}",
    "{law}, sobre {field}",
    "{law}, que dispõe sobre {field}",
    "{law}, com as alterações de {n:2008-2023}",
    "{law}: dispõe sobre {field} e dá outras providências",
    "{law}, referente {field:a} e {audience:a}",
    "{law}, na parte que trata {field:de}",
)

# A few laws are amended and reported far more often than the others, while wrong names are drawn evenly.
N_POPULAR = 6
SHARE_POPULAR_IN_SUMMARIES = 0.72
SHARE_POPULAR_IN_NEWS = 0.7


def masked_law_in_summary(grammar: Grammar, label: int) -> tuple[str, str]:
    """F1A: summary of a bill with its law masked; name of a law. 1: the very law."""
    return _law_pair(grammar, label, grammar.pick(SUMMARIES), popular=SHARE_POPULAR_IN_SUMMARIES)


def masked_law_in_news(grammar: Grammar, label: int) -> tuple[str, str]:
    """F1B: passage of a news story with its law masked; name of a law. 1: the very law."""
    story = f"{grammar.pick(NEWS_LEADS)} {grammar.pick(NEWS_MENTIONS)}"
    return _law_pair(grammar, label, story, popular=SHARE_POPULAR_IN_NEWS)


def _law_pair(grammar: Grammar, label: int, template: str, *, popular: float) -> tuple[str, str]:
    topic = grammar.pick(TOPICS[:N_POPULAR] if grammar.chance(popular) else TOPICS[N_POPULAR:])
    named = topic if label == 1 else grammar.pick_other(TOPICS, topic)
    text = grammar.sentence(
        template, mask=MASK, matter=grammar.pick(grammar.pick(topic.matters)), **topic.details(grammar)
    )
    return text, grammar.write(grammar.pick(CANDIDATES), **named.details(grammar))
