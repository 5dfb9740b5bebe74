"""G4: citizens' comments on bills, for or against."""

from sentflow.texts.sample.grammar import Grammar
from sentflow.texts.sample.topics import TOPICS

BILLS = (
    "PL {number}/{year}: dispõe sobre {matter}",
    "Projeto de Lei nº {number}, de {year}, que altera as regras sobre {matter}",
    "PEC {number}/{year}: altera a Constituição no que se refere {matter:a}",
)

OPENINGS = (
    ("Concordo com o projeto.", "Sou contra o projeto."),
    ("Finalmente uma boa proposta!", "Mais uma proposta ruim!"),
    ("Apoio totalmente esta lei.", "Rejeito totalmente esta lei."),
    ("Votem sim, senhores deputados.", "Votem não, senhores deputados."),
    ("Parabéns ao autor.", "Que vergonha, senhor autor."),
    ("Demorou, mas a hora é esta.", "Não é hora de mexer nisso."),
    ("Pela aprovação imediata.", "Pelo arquivamento imediato."),
    ("É um avanço para o país.", "É um retrocesso para o país."),
    ("Excelente iniciativa.", "Péssima iniciativa."),
    ("Enfim alguém pensou no povo.", "Mais uma vez esqueceram do povo."),
)

REASONS_FOR = (
    "Vai ajudar {audience} e trazer justiça a quem mais precisa",
    "{audience:^} merecem esse direito há muito tempo",
    "O benefício é maior do que o custo e {agency} tem como aplicar",
    "Protege as famílias e melhora {field}",
    "Em {city} isso já funciona bem e deu ótimo resultado",
    "É justo, necessário e valoriza {audience}",
    "Só assim teremos mais respeito e igualdade {field:em}",
)

REASONS_AGAINST = (
    "Vai prejudicar {audience} e aumentar imposto de quem trabalha",
    "{audience:^} vão pagar a conta mais uma vez",
    "O custo é maior do que o benefício e {agency} não tem como fiscalizar",
    "Só cria burocracia e piora {field}",
    "Em {city} tentaram isso e foi um desastre",
    "É injusto, inútil e não atende {audience}",
    "É mais um abuso do Estado, ninguém aguenta tanta interferência {field:em}",
)

NEUTRAL = (
    "O assunto é sério e mexe com {audience}",
    "Moro em {city} e acompanho esse tema há anos",
    "Li o texto inteiro antes de comentar",
    "Falo como quem trabalha na área há {number_word} anos",
    "Peço que a comissão ouça {agency}",
    "O país precisa discutir {field} com calma",
    "Quando se fala {matter:de}, todo mundo tem opinião",
)

ENDINGS = ("", "", "", "Obrigado.", "Pensem nisso!", "É a minha opinião.", "O povo está de olho.")

SHARE_WITH_OPENING = 0.85
LEANING = 0.94


def bill_and_comment(grammar: Grammar, label: int) -> tuple[str, str]:
    """G4: a bill; a citizen's comment on it. 1: in favour, 0: against."""
    poll = grammar.number(0, len(TOPICS) - 1)
    topic = TOPICS[poll]
    sides = (REASONS_AGAINST, REASONS_FOR)
    parts = [grammar.pick(NEUTRAL) + ".", grammar.lean(sides, label, LEANING) + "."]
    if grammar.chance(0.5):
        parts.reverse()
    if grammar.chance(SHARE_WITH_OPENING):
        favour, against = grammar.pick(OPENINGS)
        parts.insert(0, grammar.lean(((against,), (favour,)), label, LEANING))
    parts.append(grammar.pick(ENDINGS))
    slots = {
        "matter": topic.matters[0],
        "audience": topic.audience,
        "agency": topic.agencies,
        "field": (topic.field,),
    }
    sentences = (grammar.sentence(part, **slots) for part in parts if part)
    return _polled_bill(grammar, poll), " ".join(sentences)


def _polled_bill(grammar: Grammar, poll: int) -> str:
    """The bill of a poll: one per topic, always the same text, for many citizens comment on the same bill."""
    return grammar.sentence(
        BILLS[poll % len(BILLS)],
        number=str(412 + 257 * poll),
        year=str(2011 + 5 * poll % 13),
        matter=TOPICS[poll].matters[0][0],
    )
