"""F2: provisions of seven codes and statutes."""

from dataclasses import dataclass

from sentflow.texts.sample.grammar import Grammar


@dataclass(frozen=True)
class Statute:
    """What one statute speaks about.

    Attributes
    ----------
    title
        Its name (never written into a text).
    persons
        Noun phrases in the singular, with their articles.
    acts
        Infinitive phrases: what a person must, may or must not do.
    objects
        Noun phrases with their articles.
    conditions
        Adverbial phrases.
    """

    title: str
    persons: tuple[str, ...]
    acts: tuple[str, ...]
    objects: tuple[str, ...]
    conditions: tuple[str, ...]


STATUTES = (
    Statute(
        "Código Civil",
        ("o credor", "o devedor", "o possuidor", "o locatário", "o herdeiro", "o proprietário"),
        (
            "restituir a coisa com os seus frutos",
            "exigir o cumprimento da obrigação",
            "responder pelas perdas e danos",
            "renunciar à herança por escritura",
            "reaver o bem de quem o detenha",
        ),
        ("o negócio jurídico", "a posse", "o contrato", "a herança", "o condomínio"),
        (
            "salvo se houver culpa de terceiro",
            "antes de aberta a sucessão",
            "se o contrato não dispuser o contrário",
        ),
    ),
    Statute(
        "Código Penal",
        ("o agente", "o condenado", "o reincidente", "o funcionário público", "a vítima", "o coautor"),
        (
            "cumprir a pena em regime fechado",
            "reparar o dano causado pelo crime",
            "obter a suspensão condicional da pena",
            "responder pelo resultado que causou",
            "subtrair coisa alheia mediante violência",
        ),
        ("a pena de reclusão", "o crime", "a tentativa", "o concurso de pessoas", "a reincidência"),
        (
            "se o crime é culposo",
            "quando há violência ou grave ameaça",
            "se o fato não constitui crime mais grave",
        ),
    ),
    Statute(
        "Consolidação das Leis do Trabalho",
        ("o empregado", "o empregador", "o sindicato", "o aprendiz", "a gestante", "o preposto"),
        (
            "gozar férias de trinta dias",
            "pagar as horas extraordinárias",
            "anotar a carteira de trabalho",
            "conceder intervalo para refeição",
            "rescindir o contrato por justa causa",
        ),
        ("a jornada de trabalho", "o salário", "a convenção coletiva", "o aviso prévio", "as férias"),
        (
            "durante o contrato de experiência",
            "salvo acordo coletivo",
            "quando houver prestação de serviço noturno",
        ),
    ),
    Statute(
        "Código de Defesa do Consumidor",
        (
            "o consumidor",
            "o fornecedor",
            "o fabricante",
            "o comerciante",
            "o importador",
            "o prestador de serviço",
        ),
        (
            "substituir o produto defeituoso",
            "desistir da compra em sete dias",
            "informar os riscos do produto",
            "divulgar publicidade enganosa",
            "devolver em dobro a quantia cobrada",
        ),
        ("a oferta", "o produto", "o serviço", "a publicidade", "a garantia"),
        ("se o vício for oculto", "quando a venda ocorrer fora da loja", "salvo engano justificável"),
    ),
    Statute(
        "Código Tributário Nacional",
        (
            "o contribuinte",
            "o responsável",
            "o sujeito passivo",
            "a autoridade administrativa",
            "a Fazenda Pública",
            "o adquirente",
        ),
        (
            "recolher o tributo no prazo",
            "constituir o crédito pelo lançamento",
            "requerer a restituição do imposto",
            "inscrever o débito em dívida ativa",
            "conceder moratória ou parcelamento",
        ),
        ("o fato gerador", "o imposto", "a isenção", "o lançamento", "a dívida ativa"),
        (
            "no exercício financeiro seguinte",
            "quando a lei não fixar alíquota",
            "salvo disposição da legislação tributária",
        ),
    ),
    Statute(
        "Código de Trânsito Brasileiro",
        (
            "o condutor",
            "o pedestre",
            "o proprietário do veículo",
            "o agente de trânsito",
            "o motociclista",
            "o ciclista",
        ),
        (
            "portar a carteira de habilitação",
            "dar preferência aos pedestres na faixa",
            "transitar pelo acostamento",
            "reduzir a velocidade em cruzamentos",
            "submeter o veículo a vistoria",
        ),
        ("o veículo", "a via pública", "a infração", "a sinalização", "a habilitação"),
        ("à noite e com chuva", "em rodovias de pista dupla", "quando a sinalização não indicar velocidade"),
    ),
    Statute(
        "Estatuto da Criança e do Adolescente",
        (
            "a criança",
            "o adolescente",
            "o conselho tutelar",
            "o guardião",
            "a entidade de acolhimento",
            "o adotante",
        ),
        (
            "receber cuidados da família",
            "cumprir medida socioeducativa",
            "assumir a guarda provisória",
            "frequentar a escola perto de casa",
            "viajar sem os pais",
        ),
        ("a adoção", "a guarda", "a internação", "a família substituta", "o poder familiar"),
        (
            "ouvido o Ministério Público",
            "até completar dezoito anos",
            "quando houver ameaça aos seus direitos",
        ),
    ),
)

PROVISIONS = (
    "{person:^} deve {act}, {condition}",
    "Art. {n:2-900}. {person:^} pode {act}, {condition}",
    "É vedado {person:a} {act}, {condition}",
    "Não se aplica {object:a} o disposto neste capítulo, {condition}",
    "{condition:^}, cabe {person:a} {act}",
    "§ {n:1-6}º Para os efeitos {object:de}, {person} pode {act}",
    "Cabe ao juiz decidir sobre {object}, se {person} deixar de {act}",
    "Prescreve em {number_word} anos a pretensão relativa {object:a}, {condition}",
    "Na falta de acordo sobre {object}, {person} deve {act}",
    "A lei disporá sobre {object}, assegurado {person:a} o direito de defesa",
    "O regulamento definirá os casos em que {person} pode {act}, respeitado o prazo de {n:5-90} dias",
)

LEANING = 0.88


def provision(grammar: Grammar, label: int) -> tuple[str]:
    """F2: one provision; the label is the place of its statute in `STATUTES`."""
    parts = {}
    for slot, attribute in (
        ("person", "persons"),
        ("act", "acts"),
        ("object", "objects"),
        ("condition", "conditions"),
    ):
        lists: list[tuple[str, ...]] = [getattr(statute, attribute) for statute in STATUTES]
        parts[slot] = grammar.lean(lists, label, LEANING)
    return (grammar.sentence(grammar.pick(PROVISIONS), **parts),)
