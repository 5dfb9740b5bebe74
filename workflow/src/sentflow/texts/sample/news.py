"""T2A, T2B, T3: sentences of news stories (factual, quoting, biased), and true and false stories."""

from sentflow.texts.sample.grammar import Grammar
from sentflow.texts.sample.topics import TOPICS

FACTUAL = (
    "{body:^} aprovou na {weekday} o projeto que trata {matter:de}, por {n:22-60} votos a {n:3-21}",
    "Segundo {source}, {n:11-88}% dos entrevistados em {city} conhecem as regras sobre {matter}",
    "O investimento previsto para {matter} é de R$ {n:2-95} milhões até {month}",
    "A reunião sobre {matter} foi marcada para a próxima {weekday}, em {city}",
    "{agency:^} publicou no diário oficial a portaria sobre {matter}",
    "O processo que discute {matter} está parado há {number_word} meses",
    "Cerca de {n:20-900} pessoas participaram do encontro em {city}, de acordo com {agency}",
    "{party:^} apresentou {number_word} emendas ao texto sobre {matter}",
    "A proposta segue agora para análise {body:de}, que tem {n:15-90} dias para votar",
    "O decreto {n:1200-9800} entrou em vigor em {month} e alcança {audience}",
)

QUOTED = (
    '"{opinion:^}", disse {speaker}',
    "Para {speaker}, {opinion}",
    '"Não vamos recuar: {opinion}", afirmou {speaker} em {city}',
    '{speaker:^} declarou que "{opinion}"',
    '"{opinion:^}", escreveu {speaker} em rede social na {weekday}',
    "Na avaliação {speaker:de}, {opinion}",
)

OPINIONS = (
    "precisamos discutir {matter} com urgência",
    "o governo errou ao tratar {matter:de}",
    "é preciso ouvir {audience} antes da votação",
    "o país não pode esperar por {agency}",
    "a proposta é boa e vai melhorar a vida de todos",
    "ninguém pensou em {city} quando escreveu o texto",
    "essa conta não fecha",
    "o acordo com {party} foi um passo importante",
)

BIASED = (
    "A desastrosa gestão {body:de} insiste em empurrar {matter} para depois",
    "Como era de se esperar, {party} fez mais um teatro em torno {matter:de}",
    "O lamentável espetáculo sobre {matter} envergonha {audience}",
    "Com a arrogância de sempre, {agency} ignorou {audience}",
    "É o velho jeitinho: {body} finge que resolve {matter} e todos fingem que acreditam",
    "A brilhante ideia {agency:de} sobre {matter} prova o tamanho do despreparo",
    "Enquanto isso, {audience} pagam a conta da incompetência {body:de}",
    "A heroica resistência {party:de} salvou {city} de um desastre",
    "O absurdo decreto sobre {matter} é um insulto a quem trabalha",
    "Mais uma vez, a triste novela sobre {matter} termina em vexame",
)

LOADED = ("infelizmente", "vergonhosamente", "é claro", "como sempre", "de forma absurda", "para variar")
SOBER = (
    "segundo o texto",
    "em {month}",
    "na {weekday}",
    "em nota oficial",
    "de acordo com {source}",
    "por unanimidade",
)

TRUE_LEADS = (
    "{body:^} aprovou nesta {weekday} o texto-base do projeto que trata {matter:de}.",
    "{agency:^} informou em nota que vai rever as regras sobre {matter}.",
    "O Ministério Público abriu procedimento em {city} para apurar irregularidades ligadas {matter:a}.",
    "{party:^} e o governo fecharam acordo para votar {matter} até {month}.",
    "O tribunal decidiu por {n:6-9} votos a {n:1-4} manter a norma sobre {matter}.",
)

TRUE_DETAILS = (
    "De acordo com {source}, o gasto chegou a R$ {n:2-95} milhões no ano passado.",
    "{agency:^} não respondeu à reportagem até a publicação deste texto.",
    "A defesa afirmou que ainda não teve acesso ao processo.",
    "{speaker:^} disse que os números serão divulgados em {month}.",
    "O projeto recebeu {number_word} emendas e voltará {body:a}.",
    "Em {city}, {audience} acompanharam a sessão pela internet.",
    "A próxima reunião está prevista para a {weekday}.",
    "Segundo {speaker}, a medida depende de recursos do orçamento.",
)

FALSE_LEADS = (
    "URGENTE: {agency} vai acabar com {matter} e a imprensa não mostra!",
    "Vazou! Documento secreto revela o que {party} planeja contra {audience}.",
    "Bomba: descoberto em {city} esquema ligado {matter:a}, e ninguém fala nada.",
    "Atenção, {audience}! Governo decide em segredo proibir {matter}.",
    "Acabou a farsa: vídeo prova a verdade sobre {matter}.",
)

FALSE_DETAILS = (
    "Compartilhe antes que apaguem, pois a grande mídia esconde tudo.",
    "Um funcionário que não quis se identificar confirmou que {agency} recebeu ordens de cima.",
    "O valor desviado seria de R$ {n:2-95} bilhões, dinheiro suficiente para mudar {city} inteira.",
    "Testemunhas teriam encontrado {speaker} em {city} com uma mala de dinheiro.",
    "A população está revoltada e promete parar o país em {month}.",
    "Todos sabem quem está por trás disso, mas têm medo de falar.",
    "Segundo um áudio que circula nos grupos, chegou a vez {audience:de}.",
    "É o fim: em {month} nada mais será como antes para {audience}.",
)

COMMON_DETAILS = (
    "O caso começou em {month}, quando {audience} procuraram {agency}.",
    "A informação foi confirmada {speaker:por}.",
    "{field:^} é um dos temas mais lembrados pelos eleitores.",
    "O assunto divide {party} e o governo {state:de}.",
    "Nas redes sociais, moradores de {city} reagiram à notícia.",
    "{body:^} tem {n:10-60} dias para se manifestar.",
    "A mudança atinge {n:2-40} mil pessoas em {city} e região.",
    "O decreto sobre {matter} ainda não foi publicado.",
)

# How surely each part of a text is of its class's kind; the rest is of the other kind.
SENTENCE_LEANING = 0.96
ADVERB_LEANING = 0.85
LEAD_LEANING = 0.9
DETAIL_LEANING = 0.85
SHARE_WITH_ADVERB = 0.45


def bias(grammar: Grammar, label: int) -> tuple[str]:
    """T2A: a sentence of a news story. 1: biased, 0: factual or a quotation."""
    kinds = (FACTUAL + QUOTED, BIASED)
    return (_sentence(grammar, grammar.lean(kinds, label, SENTENCE_LEANING), loaded=label == 1),)


def factuality(grammar: Grammar, label: int) -> tuple[str]:
    """T2B: a sentence of a news story. 0: factual, 1: a quotation or biased."""
    kinds = (FACTUAL, QUOTED + QUOTED + BIASED)
    return (_sentence(grammar, grammar.lean(kinds, label, SENTENCE_LEANING), loaded=label == 1),)


def fake_story(grammar: Grammar, label: int) -> tuple[str]:
    """T3: a short news story. 1: false, 0: true."""
    slots = _topic_slots(grammar)
    lead = grammar.lean((TRUE_LEADS, FALSE_LEADS), label, LEAD_LEANING)
    details = [
        grammar.lean((TRUE_DETAILS, FALSE_DETAILS), label, DETAIL_LEANING)
        for _ in range(grammar.number(1, 2))
    ]
    details += [grammar.pick(COMMON_DETAILS)]
    body = grammar.sample(sorted(set(details)), len(set(details)))
    return (" ".join(grammar.sentence(part, **slots) for part in (lead, *body)),)


def _sentence(grammar: Grammar, template: str, *, loaded: bool) -> str:
    if grammar.chance(SHARE_WITH_ADVERB):
        adverb = grammar.lean((SOBER, LOADED), int(loaded), ADVERB_LEANING)
        template = f"{template}, {adverb}"
    return grammar.sentence(template, opinion=OPINIONS, **_topic_slots(grammar))


def _topic_slots(grammar: Grammar) -> dict[str, tuple[str, ...]]:
    topic = grammar.pick(TOPICS)
    return {
        "matter": grammar.pick(topic.matters),
        "agency": topic.agencies,
        "audience": topic.audience,
        "field": (topic.field,),
    }
