"""Areas of law: tax, administrative, procedural, and social security and environmental law."""

from sentflow.texts.sample.area import Area

STATE_AREAS = (
    Area(
        "o direito tributário",
        (
            ("o contribuinte", "a Fazenda Pública"),
            ("a empresa", "o fisco estadual"),
            ("a entidade", "a União"),
        ),
        "a legalidade tributária",
        (
            (
                "a inclusão do imposto estadual na base de cálculo da contribuição federal",
                "o imposto sobre mercadorias como parte da base da contribuição social",
                "a base de cálculo da contribuição federal com tributo estadual embutido",
            ),
            (
                "o redirecionamento da execução fiscal ao sócio",
                "a cobrança da dívida da sociedade contra o sócio-gerente",
                "a responsabilidade do sócio pelos tributos da empresa dissolvida",
            ),
            (
                "a imunidade tributária de templos religiosos",
                "o imposto predial sobre imóvel alugado de igreja",
                "a imunidade de entidade religiosa quanto a imóveis alugados",
            ),
            (
                "a incidência do imposto sobre serviços em licença de programa",
                "a tributação da cessão de programas de computador",
                "o imposto sobre serviços cobrado na licença de uso de programa",
            ),
            (
                "a restituição de tributo pago indevidamente",
                "a devolução do imposto recolhido a maior pelo contribuinte",
                "a repetição de indébito de tributo declarado ilegal",
            ),
            (
                "o prazo de constituição do crédito por lançamento",
                "a decadência do direito de lançar o tributo",
                "o tempo de que dispõe o fisco para constituir o crédito",
            ),
        ),
    ),
    Area(
        "o direito administrativo",
        (
            ("o servidor", "a administração pública"),
            ("a candidata", "a banca do concurso"),
            ("o município", "o particular"),
        ),
        "a supremacia do interesse público",
        (
            (
                "a nomeação de candidato aprovado dentro das vagas do concurso",
                "o direito à posse de quem passou no número de vagas do edital",
                "a convocação de aprovados em concurso público dentro das vagas",
            ),
            (
                "a responsabilidade do Estado por morte de detento",
                "o dever do Estado de indenizar a família do preso morto na cadeia",
                "a indenização pela morte de pessoa sob custódia estatal",
            ),
            (
                "a desapropriação de terreno por utilidade pública",
                "a indenização do dono de imóvel desapropriado",
                "o preço justo do terreno tomado para obra pública",
            ),
            (
                "a dispensa de licitação em caso de emergência",
                "a contratação direta diante de situação emergencial",
                "o contrato sem licitação firmado em calamidade",
            ),
            (
                "o ato de improbidade por contratação de parentes",
                "a nomeação de familiares para cargo em comissão",
                "o nepotismo praticado na nomeação de parentes",
            ),
            (
                "a acumulação de dois cargos públicos na saúde",
                "a jornada somada de profissional de saúde com dois cargos",
                "o exercício simultâneo de cargos públicos por enfermeira",
            ),
        ),
    ),
    Area(
        "o direito processual",
        (("o autor", "o réu"), ("o recorrente", "o recorrido"), ("o exequente", "o executado")),
        "o devido processo legal",
        (
            (
                "a concessão de gratuidade de justiça a pessoa jurídica",
                "a isenção de custas processuais pedida por empresa",
                "o benefício da justiça gratuita para sociedade sem recursos",
            ),
            (
                "a fixação de honorários de sucumbência por equidade",
                "os honorários do advogado da parte vencedora em causa de alto valor",
                "o arbitramento equitativo da verba honorária",
            ),
            (
                "a citação do réu por aplicativo de mensagens",
                "o ato de citar a parte por mensagem de celular",
                "a validade da citação enviada por mensagem eletrônica",
            ),
            (
                "a penhora de salário para pagar dívida comum",
                "o bloqueio de parte da remuneração do executado",
                "a impenhorabilidade do salário na execução de dívida",
            ),
            (
                "o cabimento de agravo fora das hipóteses da lei",
                "o recurso imediato contra decisão interlocutória",
                "a taxatividade das hipóteses de agravo de instrumento",
            ),
            (
                "a prova produzida por gravação clandestina",
                "a conversa gravada por um dos interlocutores como prova",
                "o uso em juízo de gravação feita sem conhecimento da outra parte",
            ),
        ),
    ),
    Area(
        "o direito previdenciário e ambiental",
        (
            ("o segurado", "a autarquia"),
            ("a associação", "a mineradora"),
            ("o proprietário", "o órgão ambiental"),
        ),
        "a prevenção do dano",
        (
            (
                "o tempo especial de trabalhador exposto a ruído",
                "a contagem diferenciada de tempo do segurado exposto a ruído",
                "a aposentadoria especial por exposição a ruído acima do limite",
            ),
            (
                "a prova do trabalho rural por testemunhas",
                "o início de prova documental da atividade rural",
                "a comprovação do tempo de serviço no campo",
            ),
            (
                "a acumulação de pensão com aposentadoria",
                "o recebimento conjunto de aposentadoria e pensão por morte",
                "a soma de dois benefícios pelo mesmo segurado",
            ),
            (
                "a obrigação de recuperar área degradada pelo antigo dono",
                "o dever do novo proprietário de reparar o dano ambiental",
                "a reparação ambiental exigida de quem comprou área degradada",
            ),
            (
                "a imprescritibilidade da reparação do dano ambiental",
                "o prazo para cobrar a reparação de danos ao meio ambiente",
                "a prescrição da ação de dano ecológico coletivo",
            ),
            (
                "a construção em área de preservação permanente",
                "a demolição de casa erguida em margem de rio protegida",
                "a edificação irregular em área ambiental protegida",
            ),
        ),
    ),
)
