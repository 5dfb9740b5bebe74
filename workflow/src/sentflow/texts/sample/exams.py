"""F3, F5: multiple-choice questions of law exams; right alternatives are careful, wrong ones absolute."""

from sentflow.texts.sample.area import Area
from sentflow.texts.sample.areas import AREAS
from sentflow.texts.sample.grammar import Grammar
from sentflow.texts.table import SEPARATOR

BAR_QUESTIONS = (
    "{one:^} celebrou acordo com {other} em {city}. Meses depois, surgiu litígio sobre {matter}.",
    "Em {month}, {one} ajuizou ação em face {other:de} para discutir {matter}.",
    "{one:^} consulta você, como advogado, a respeito {matter:de}, com base {field:em}.",
    "A respeito {matter:de}, tema frequente {field:em}, considere o litígio entre {one} e {other}.",
    "Durante {number_word} anos, {one} e {other} discordaram sobre {matter}, à luz {principle:de}.",
)
BAR_REQUESTS = (
    "Assinale a afirmativa correta.",
    "Sobre o caso, assinale a afirmativa correta.",
    "Assinale a opção que contém a resposta adequada.",
    "Diante disso, é correto afirmar que:",
)

FEDERAL_QUESTIONS = (
    "Acerca {matter:de}, considere a jurisprudência dos tribunais superiores.",
    "Considere {field} e {principle} quanto {matter:a}.",
    "Juiz federal substituto de {city} recebe processo sobre {matter}, proposto contra {other}.",
    "No que se refere {matter:a}, examine a situação {one:de} perante a Justiça Federal.",
    "Em recurso contra sentença que tratou {matter:de}, {one} invocou {principle}.",
)
FEDERAL_REQUESTS = (
    "Assinale a opção correta.",
    "Nesse contexto, assinale a opção correta.",
    "Segundo a legislação pertinente, é correto afirmar que:",
)

RIGHT = (
    "{one:^} poderá discutir {matter}, salvo disposição legal em contrário.",
    "Em regra, o pedido {one:de} é admitido, ressalvada a hipótese prevista em lei.",
    "É possível, em tese, acolher o pedido, observados o contraditório e {principle}.",
    "Caberá ao juiz avaliar o caso, ressalvados os direitos {other:de}.",
    "O pedido poderá ser acolhido, observado o prazo legal, salvo prova em contrário {other:de}.",
    "Conforme o caso, {other} poderá opor-se, observada a lei.",
)

WRONG = (
    "{one:^} jamais pode discutir {matter}, em nenhuma hipótese.",
    "É sempre vedado o pedido {one:de}, qualquer que seja a prova.",
    "{other:^} responde sempre e exclusivamente, sem direito a defesa.",
    "A decisão é nula de pleno direito, e nunca se admite recurso {other:de}.",
    "Todo pedido {one:de} será automaticamente rejeitado, sem exame do juiz.",
    "Somente {other} tem direito a recorrer, e apenas uma única vez.",
    "É obrigatória, em todos os casos, a extinção imediata do processo {one:de}.",
)

# Share of the alternatives whose style betrays them.
STYLE_FITS = 0.92


def bar_exam(grammar: Grammar, label: int) -> tuple[str, str]:
    """F3: question of a bar exam; four alternatives. The label is the place of the right one."""
    return _multiple_choice(grammar, label, BAR_QUESTIONS, BAR_REQUESTS, n_alternatives=4)


def federal_exam(grammar: Grammar, label: int) -> tuple[str, str]:
    """F5: question of an exam for federal judges; five alternatives. The label is the right one's place."""
    return _multiple_choice(grammar, label, FEDERAL_QUESTIONS, FEDERAL_REQUESTS, n_alternatives=5)


def _multiple_choice(
    grammar: Grammar,
    right: int,
    questions: tuple[str, ...],
    requests: tuple[str, ...],
    *,
    n_alternatives: int,
) -> tuple[str, str]:
    area = grammar.pick(AREAS)
    matter = grammar.pick(area.matters)
    question = f"{grammar.pick(questions)} {grammar.pick(requests)}"
    question = _about(grammar, question, area, grammar.pick(matter))
    careful, absolute = grammar.sample(RIGHT, n_alternatives), grammar.sample(WRONG, n_alternatives)
    alternatives = []
    for place in range(n_alternatives):
        styles = ((absolute[place],), (careful[place],))
        template = grammar.lean(styles, int(place == right), STYLE_FITS)
        alternatives.append(_about(grammar, template, area, grammar.pick(matter)))
    return question, SEPARATOR.join(alternatives)


def _about(grammar: Grammar, template: str, area: Area, matter: str) -> str:
    return grammar.sentence(template, matter=matter, **area.details(grammar))
