"""G3: what citizens ask a public service, and what the service answers."""

from dataclasses import dataclass

from sentflow.texts.sample.grammar import Grammar


@dataclass(frozen=True)
class Service:
    """A public service.

    Attributes
    ----------
    names
        Noun phrases with their articles: as the office says, and as citizens say.
    papers
        What one has to bring.
    place
        Where it is done, with its article.
    result
        What one gets in the end, with its article.
    """

    names: tuple[str, str, str]
    papers: str
    place: str
    result: str


SERVICES = (
    Service(
        ("a carteira de identidade", "o documento de identidade", "a segunda via da identidade"),
        "certidão de nascimento ou de casamento",
        "o instituto de identificação",
        "a carteira de identidade",
    ),
    Service(
        ("a carteira de motorista", "a renovação da habilitação", "a habilitação vencida"),
        "exame médico e a habilitação anterior",
        "o departamento de trânsito",
        "a nova habilitação",
    ),
    Service(
        ("o seguro-desemprego", "o benefício de quem foi demitido", "as parcelas do seguro-desemprego"),
        "a carteira de trabalho e o termo de rescisão",
        "a agência do trabalhador",
        "o seguro-desemprego",
    ),
    Service(
        ("a aposentadoria por idade", "o pedido de aposentadoria", "a aposentadoria do trabalhador"),
        "o extrato de contribuições",
        "a agência da previdência",
        "a aposentadoria",
    ),
    Service(
        ("o título de eleitor", "a transferência do título", "o cadastro de eleitor"),
        "documento com foto e comprovante de residência",
        "o cartório eleitoral",
        "o título de eleitor",
    ),
    Service(
        ("o passaporte", "a emissão de passaporte", "o passaporte comum"),
        "o comprovante da taxa paga",
        "o posto da polícia federal",
        "o passaporte",
    ),
    Service(
        ("o cartão do sistema de saúde", "o cartão de saúde", "o cadastro no posto de saúde"),
        "documento de identidade e endereço",
        "a unidade básica de saúde",
        "o cartão de saúde",
    ),
    Service(
        ("a matrícula na escola pública", "a vaga na escola do bairro", "a matrícula escolar"),
        "o histórico escolar e a carteira de vacinação",
        "a secretaria de educação",
        "a vaga na escola",
    ),
    Service(
        ("a certidão negativa de débitos", "a certidão de tributos", "a prova de que não há débitos"),
        "o número de inscrição do contribuinte",
        "o portal da fazenda",
        "a certidão",
    ),
    Service(
        ("o imposto sobre veículos", "o imposto do carro", "o pagamento do imposto do veículo"),
        "o número de registro do veículo",
        "o portal da secretaria da fazenda",
        "o recibo do imposto",
    ),
    Service(
        ("a tarifa social de energia", "o desconto na conta de luz", "a tarifa social da conta de luz"),
        "a conta de luz e o número do cadastro social",
        "a distribuidora de energia",
        "o desconto na conta",
    ),
    Service(
        ("o alvará de funcionamento", "a licença da loja", "o alvará para abrir um negócio"),
        "o contrato social e a planta do imóvel",
        "a prefeitura",
        "o alvará",
    ),
    Service(
        ("a consulta com especialista", "a marcação de consulta", "a consulta médica pelo posto"),
        "o encaminhamento do médico",
        "a central de marcação",
        "a data da consulta",
    ),
    Service(
        ("o pedido de acesso à informação", "a informação pública", "o acesso a documentos do governo"),
        "a descrição do documento desejado",
        "a ouvidoria",
        "a resposta do órgão",
    ),
    Service(
        ("a visita guiada à Câmara", "a visita ao Congresso", "o passeio guiado pelo plenário"),
        "a lista de visitantes",
        "a recepção do palácio",
        "a confirmação da visita",
    ),
    Service(
        ("a sugestão de projeto de lei", "a proposta de lei enviada por cidadão", "a ideia legislativa"),
        "o texto da sugestão",
        "a comissão de participação",
        "o parecer sobre a sugestão",
    ),
    Service(
        (
            "o cadastro de microempreendedor",
            "a inscrição como microempreendedor",
            "a abertura de microempresa",
        ),
        "o endereço do negócio e a atividade",
        "o portal do empreendedor",
        "o certificado de microempreendedor",
    ),
    Service(
        ("a bolsa de estudos", "o auxílio estudantil", "a bolsa para universitários"),
        "o comprovante de renda da família",
        "a pró-reitoria de assistência",
        "a bolsa mensal",
    ),
)

QUESTIONS = (
    "Como faço para pedir {name}?",
    "Quanto tempo demora {name} e como recebo {result}?",
    "Quais documentos preciso levar {place:a} para {name}?",
    "Onde resolvo questões sobre {name}?",
    "Perdi o prazo e queria saber sobre {name}, ainda dá tempo?",
    "Tenho direito {name:a}? Basta levar {papers}?",
    "Preciso pagar alguma taxa para {name}?",
    "Meu pedido foi negado. Posso recorrer e pedir de novo {name}?",
    "Posso resolver pela internet {name} ou tenho que procurar {place}?",
    "Outra pessoa pode tratar {name:de} e receber {result}?",
)

ANSWERS = (
    "Para solicitar {name}, apresente {papers} e aguarde até {days} dias.",
    "Sobre {name}: {place} recebe {papers} e entrega {result}.",
    "Depois de {days} dias, {result} fica à disposição: é o prazo para {name}.",
    "Sim. O pedido sobre {name} pode ser feito pela internet, com {papers}.",
    "Não há taxa para {name}. Procure {place} e leve {papers}.",
    "Em caso de recusa, cabe recurso em {days} dias, dirigido a quem decide sobre {name}.",
    "Um procurador pode tratar {name:de}, desde que leve {papers} e a procuração assinada.",
)
WAITING_DAYS = ("cinco", "dez", "quinze", "trinta")

SHARE_OF_GREETINGS = 0.2
GREETINGS = ("Bom dia.", "Por favor, me ajudem.", "Uma dúvida:", "Estou confuso.")

# Answers often repeat the citizen's own words for the service.
LITERAL = 0.6


def question_and_answer(grammar: Grammar, label: int) -> tuple[str, str]:
    """G3: a citizen's question; an answer of a public service. 1: answers this question."""
    asked = grammar.pick(SERVICES)
    answered = asked if label == 1 else grammar.pick_other(SERVICES, asked)
    name = grammar.pick(asked.names)
    question = _about(grammar, grammar.pick(QUESTIONS), asked, name)
    if grammar.chance(SHARE_OF_GREETINGS):
        question = f"{grammar.pick(GREETINGS)} {question}"
    if label == 0 or not grammar.chance(LITERAL):
        name = grammar.pick(answered.names)
    return question, _about(grammar, grammar.pick(ANSWERS), answered, name)


def _about(grammar: Grammar, template: str, service: Service, name: str) -> str:
    return grammar.sentence(
        template,
        name=name,
        papers=service.papers,
        place=service.place,
        result=service.result,
        days=WAITING_DAYS,
    )
