"""Themes of public policy: consumers, children, disability, women, old age, farming, housing."""

from sentflow.texts.sample.topic import Topic

RIGHTS_TOPICS = (
    Topic(
        "Defesa do consumidor",
        ("fornecedor", "produto", "publicidade", "relação de consumo"),
        "as relações de consumo",
        ("Código de Defesa do Consumidor", "Lei nº 8.078, de 1990 (Código de Defesa do Consumidor)"),
        ("o órgão de defesa do consumidor", "a secretaria do consumidor", "a agência reguladora"),
        ("os consumidores", "os clientes de bancos", "os usuários de telefonia"),
        (
            (
                "o cancelamento de compras feitas pela internet",
                "a desistência de compras em lojas virtuais",
                "o arrependimento do consumidor nas compras pela internet",
            ),
            (
                "a rotulagem de alimentos industrializados",
                "as informações nos rótulos de alimentos",
                "os alertas na embalagem de produtos alimentícios",
            ),
            (
                "a cobrança de tarifas bancárias abusivas",
                "as taxas abusivas cobradas por bancos",
                "o abuso nas tarifas de contas bancárias",
            ),
            (
                "as ligações insistentes de telemarketing",
                "as chamadas de vendas por telefone",
                "o bloqueio de ligações de telemarketing",
            ),
            (
                "a garantia de produtos eletrônicos",
                "o conserto de aparelhos eletrônicos com defeito",
                "a troca de produtos com defeito dentro da garantia",
            ),
        ),
    ),
    Topic(
        "Criança e adolescente",
        ("infância", "adoção", "conselho tutelar", "família"),
        "os direitos da criança e do adolescente",
        (
            "Estatuto da Criança e do Adolescente",
            "Lei nº 8.069, de 1990 (Estatuto da Criança e do Adolescente)",
        ),
        ("o conselho tutelar", "a vara da infância", "a secretaria da criança"),
        ("as crianças", "os adolescentes", "as famílias adotantes"),
        (
            (
                "a adoção de grupos de irmãos",
                "a prioridade na adoção de irmãos",
                "o processo de adoção de crianças com irmãos",
            ),
            (
                "a proteção de crianças nas redes sociais",
                "a segurança de adolescentes na internet",
                "o uso de redes sociais por crianças",
            ),
            (
                "as vagas em creches para crianças pequenas",
                "a oferta de creche perto de casa",
                "a fila de espera das creches públicas",
            ),
            (
                "a eleição dos conselheiros tutelares",
                "a escolha dos membros do conselho tutelar",
                "o mandato de conselheiros tutelares",
            ),
            (
                "a viagem de adolescentes desacompanhados",
                "a autorização de viagem para menores",
                "o embarque de crianças sem os pais",
            ),
        ),
    ),
    Topic(
        "Pessoa com deficiência",
        ("acessibilidade", "inclusão", "autismo", "tecnologia assistiva"),
        "a inclusão da pessoa com deficiência",
        ("Estatuto da Pessoa com Deficiência", "Lei nº 13.146, de 2015 (Lei Brasileira de Inclusão)"),
        (
            "o conselho da pessoa com deficiência",
            "a secretaria de inclusão",
            "o Ministério dos Direitos Humanos",
        ),
        ("as pessoas com deficiência", "os cadeirantes", "os estudantes autistas"),
        (
            (
                "a acessibilidade em prédios públicos",
                "as rampas de acesso em edifícios públicos",
                "o acesso de cadeirantes a prédios do governo",
            ),
            (
                "o acompanhamento de alunos com autismo",
                "o mediador escolar para estudantes autistas",
                "o apoio individual a crianças autistas na escola",
            ),
            (
                "o intérprete de língua de sinais em hospitais",
                "a tradução em Libras nos serviços de atendimento",
                "o atendimento em língua de sinais para surdos",
            ),
            (
                "a reserva de vagas de emprego para pessoas com deficiência",
                "a cota de trabalhadores com deficiência nas empresas",
                "as vagas de trabalho destinadas a pessoas com deficiência",
            ),
            (
                "a isenção na compra de cadeiras de rodas",
                "a compra de próteses sem imposto",
                "o desconto para cadeiras de rodas motorizadas",
            ),
        ),
    ),
    Topic(
        "Direitos da mulher",
        ("violência doméstica", "medida protetiva", "maternidade", "igualdade"),
        "o enfrentamento da violência contra a mulher",
        ("Lei Maria da Penha", "Lei nº 11.340, de 2006 (Lei Maria da Penha)"),
        ("a delegacia da mulher", "a procuradoria da mulher", "o Ministério das Mulheres"),
        ("as mulheres", "as mães solo", "as vítimas de violência doméstica"),
        (
            (
                "a medida protetiva contra agressores",
                "o afastamento do agressor da casa da mulher",
                "as medidas de proteção contra o agressor doméstico",
            ),
            (
                "a igualdade salarial entre homens e mulheres",
                "o salário igual para mulheres e homens",
                "a diferença de remuneração entre homens e mulheres",
            ),
            (
                "as casas de abrigo para mulheres ameaçadas",
                "o abrigo de mulheres vítimas de violência",
                "o acolhimento de mulheres em casas sigilosas",
            ),
            (
                "o botão de pânico para vítimas de violência doméstica",
                "o aplicativo de socorro para mulheres agredidas",
                "o alarme de emergência entregue a mulheres ameaçadas",
            ),
            (
                "a presença de acompanhante durante o parto",
                "o direito da mãe a acompanhante no parto",
                "o apoio à mulher na hora do parto",
            ),
        ),
    ),
    Topic(
        "Pessoa idosa",
        ("envelhecimento", "cuidador", "terceira idade", "prioridade"),
        "os direitos da pessoa idosa",
        ("Estatuto da Pessoa Idosa", "Lei nº 10.741, de 2003 (Estatuto da Pessoa Idosa)"),
        ("o conselho do idoso", "a delegacia do idoso", "a assistência social"),
        ("os idosos", "as pessoas idosas", "os cuidadores"),
        (
            (
                "a prioridade de idosos com mais de oitenta anos",
                "o atendimento preferencial aos idosos acima de oitenta anos",
                "a preferência dos maiores de oitenta anos nas filas",
            ),
            (
                "os golpes financeiros contra idosos",
                "o crédito consignado imposto a pessoas idosas",
                "a fraude em empréstimos tomados por idosos",
            ),
            (
                "o funcionamento das casas de repouso",
                "a fiscalização de abrigos para idosos",
                "as instituições de longa permanência de idosos",
            ),
            (
                "a profissão de cuidador de idosos",
                "a formação de cuidadores da pessoa idosa",
                "o curso para cuidadores de pessoas idosas",
            ),
            (
                "os centros de convivência da terceira idade",
                "as atividades de lazer para a terceira idade",
                "os espaços de convívio para pessoas idosas",
            ),
        ),
    ),
    Topic(
        "Agricultura",
        ("produtor rural", "safra", "crédito agrícola", "irrigação"),
        "a política agrícola",
        ("Lei da Política Agrícola", "Lei nº 8.171, de 1991 (Lei da Política Agrícola)"),
        ("o Ministério da Agricultura", "a empresa de extensão rural", "a defesa agropecuária"),
        ("os agricultores familiares", "os produtores rurais", "as cooperativas"),
        (
            (
                "o seguro rural contra a seca",
                "o seguro da safra perdida pela estiagem",
                "a cobertura de perdas agrícolas com a seca",
            ),
            (
                "o registro de defensivos agrícolas",
                "a venda controlada de agrotóxicos",
                "o uso de defensivos e agrotóxicos nas lavouras",
            ),
            (
                "o crédito para a agricultura familiar",
                "o financiamento de pequenos agricultores",
                "os juros do crédito aos agricultores familiares",
            ),
            (
                "a inspeção de queijos artesanais",
                "a venda de queijo artesanal entre estados",
                "o selo de qualidade dos queijos produzidos na fazenda",
            ),
            (
                "a irrigação de lavouras no semiárido",
                "os canais de irrigação para o sertão",
                "a água para plantações do semiárido",
            ),
        ),
    ),
    Topic(
        "Habitação e cidades",
        ("moradia", "regularização fundiária", "saneamento", "plano diretor"),
        "a política urbana",
        ("Estatuto da Cidade", "Lei nº 10.257, de 2001 (Estatuto da Cidade)"),
        ("o Ministério das Cidades", "a companhia de habitação", "a prefeitura"),
        ("as famílias de baixa renda", "os moradores", "os mutuários"),
        (
            (
                "a regularização de loteamentos populares",
                "o título de propriedade em bairros populares",
                "a escritura de lotes ocupados por famílias pobres",
            ),
            (
                "a construção de moradias populares",
                "as casas para famílias de baixa renda",
                "o programa de construção de casas populares",
            ),
            (
                "o saneamento básico nas periferias",
                "a rede de esgoto nos bairros da periferia",
                "as obras de água e esgoto na periferia",
            ),
            (
                "o aluguel social para desabrigados pelas chuvas",
                "o auxílio moradia a vítimas de enchentes",
                "o apoio a famílias que perderam a casa nas chuvas",
            ),
            (
                "a ocupação de prédios abandonados no centro",
                "a reforma de edifícios vazios para moradia",
                "o uso de imóveis abandonados como moradia no centro",
            ),
        ),
    ),
)
