"""Themes of public policy: health, schools, nature, traffic, safety, taxes, work."""

from sentflow.texts.sample.topic import Topic

SERVICE_TOPICS = (
    Topic(
        "Saúde",
        ("rede pública", "medicamento", "hospital", "vigilância sanitária"),
        "a saúde pública",
        ("Lei Orgânica da Saúde", "Lei nº 8.080, de 1990 (Lei Orgânica da Saúde)"),
        ("o Ministério da Saúde", "a secretaria de saúde", "a vigilância sanitária"),
        ("os pacientes", "as gestantes", "os profissionais de saúde"),
        (
            (
                "o atendimento prioritário a pessoas com doenças raras",
                "a preferência no atendimento de pacientes com enfermidades raras",
                "a prioridade dos portadores de doenças raras nos serviços de saúde",
            ),
            (
                "a distribuição gratuita de medicamentos de uso contínuo",
                "o fornecimento sem custo de remédios de uso contínuo",
                "a entrega gratuita de medicamentos nas farmácias públicas",
            ),
            (
                "a vacinação de estudantes da rede pública",
                "as campanhas de vacinação dentro das escolas",
                "a imunização de estudantes com vacinas do calendário",
            ),
            (
                "o prazo máximo para exames de câncer",
                "o limite de espera por exames oncológicos",
                "a espera máxima para o diagnóstico de câncer",
            ),
            (
                "a contratação de agentes comunitários de saúde",
                "a admissão de agentes de saúde da família",
                "o reforço das equipes de agentes comunitários",
            ),
        ),
    ),
    Topic(
        "Educação",
        ("ensino", "escola", "professor", "aluno"),
        "a educação básica",
        (
            "Lei de Diretrizes e Bases da Educação Nacional",
            "Lei nº 9.394, de 1996 (Diretrizes e Bases da Educação)",
        ),
        ("o Ministério da Educação", "a secretaria de educação", "o conselho estadual de educação"),
        ("os alunos", "os professores", "as famílias dos estudantes"),
        (
            (
                "a merenda escolar com produtos da agricultura familiar",
                "a alimentação escolar com produtos locais",
                "a compra de alimentos de produtores locais para a merenda",
            ),
            (
                "o ensino médio em tempo integral",
                "a jornada integral nas escolas de ensino médio",
                "as escolas de tempo integral para jovens do ensino médio",
            ),
            (
                "o piso salarial dos professores",
                "o salário mínimo nacional do magistério",
                "a remuneração básica dos professores da rede pública",
            ),
            (
                "o transporte escolar na zona rural",
                "os ônibus escolares das comunidades rurais",
                "o transporte de alunos que moram no campo",
            ),
            (
                "as bolsas de estudo para alunos de baixa renda",
                "o auxílio a estudantes pobres nas universidades",
                "as bolsas de permanência para universitários de baixa renda",
            ),
        ),
    ),
    Topic(
        "Meio ambiente",
        ("floresta", "preservação", "resíduos sólidos", "licenciamento"),
        "a proteção do meio ambiente",
        ("Código Florestal", "Lei nº 12.651, de 2012 (Código Florestal)"),
        ("o Ministério do Meio Ambiente", "o órgão ambiental", "a secretaria do meio ambiente"),
        ("as comunidades ribeirinhas", "os proprietários rurais", "os moradores do entorno"),
        (
            (
                "o desmatamento ilegal em áreas de preservação",
                "a derrubada irregular de florestas protegidas",
                "o corte ilegal de árvores em unidades de preservação",
            ),
            (
                "a reciclagem de embalagens plásticas",
                "o reaproveitamento de plásticos descartados",
                "a coleta de embalagens plásticas para reciclagem",
            ),
            (
                "a proteção das nascentes e dos rios",
                "a recuperação de nascentes degradadas",
                "a preservação das margens dos rios",
            ),
            (
                "o licenciamento ambiental de barragens",
                "a licença do órgão ambiental para barragens",
                "as regras ambientais para a construção de barragens",
            ),
            (
                "a prevenção de queimadas na estação seca",
                "o combate aos incêndios florestais",
                "as brigadas de prevenção de incêndios nas florestas",
            ),
        ),
    ),
    Topic(
        "Trânsito e transporte",
        ("rodovia", "veículo", "condutor", "mobilidade urbana"),
        "a segurança no trânsito",
        ("Código de Trânsito Brasileiro", "Lei nº 9.503, de 1997 (Código de Trânsito Brasileiro)"),
        ("o departamento de trânsito", "a polícia rodoviária", "o Ministério dos Transportes"),
        ("os motoristas", "os pedestres", "os passageiros"),
        (
            (
                "a validade da carteira de habilitação",
                "o prazo de renovação da habilitação de motoristas",
                "a renovação da carteira de motorista",
            ),
            (
                "o limite de velocidade em vias urbanas",
                "a velocidade máxima nas ruas da cidade",
                "a redução da velocidade permitida em avenidas",
            ),
            (
                "a gratuidade no transporte coletivo",
                "a passagem gratuita nos ônibus urbanos",
                "a tarifa zero no transporte coletivo urbano",
            ),
            (
                "o uso de capacete por ciclistas e motociclistas",
                "os equipamentos de segurança para motociclistas",
                "a exigência de capacete para quem anda de moto",
            ),
            (
                "a duplicação de rodovias federais",
                "as obras nas rodovias da União",
                "a ampliação das pistas nas estradas federais",
            ),
        ),
    ),
    Topic(
        "Segurança pública",
        ("polícia", "crime", "pena", "sistema prisional"),
        "a segurança pública",
        ("Código Penal", "Decreto-Lei nº 2.848, de 1940 (Código Penal)"),
        ("a polícia civil", "a secretaria de segurança", "o Ministério da Justiça"),
        ("as vítimas", "os policiais", "os presos"),
        (
            (
                "o monitoramento de vias públicas por câmeras",
                "a vigilância das ruas com câmeras de vídeo",
                "as câmeras de segurança em praças e vias públicas",
            ),
            (
                "a pena para fraudes cometidas pela internet",
                "o aumento da pena do estelionato eletrônico",
                "a punição de golpes praticados pela internet",
            ),
            (
                "o furto de cabos e fios de cobre",
                "a punição do roubo de fios de cobre",
                "a receptação de cabos furtados",
            ),
            (
                "o trabalho dos presos durante a pena",
                "a oferta de trabalho no sistema prisional",
                "as oficinas de trabalho dentro dos presídios",
            ),
            (
                "a indenização das vítimas de crimes",
                "a reparação do dano causado pelo crime",
                "o amparo financeiro às vítimas da violência",
            ),
        ),
    ),
    Topic(
        "Tributação",
        ("imposto", "isenção", "alíquota", "dívida ativa"),
        "a legislação tributária",
        ("Código Tributário Nacional", "Lei nº 5.172, de 1966 (Código Tributário Nacional)"),
        ("a Receita Federal", "a Fazenda Nacional", "a secretaria da fazenda"),
        ("os contribuintes", "as pequenas empresas", "os microempreendedores"),
        (
            (
                "a isenção do imposto de renda sobre aposentadorias",
                "a dispensa de imposto sobre a renda dos aposentados",
                "o fim do imposto de renda para aposentados",
            ),
            (
                "o parcelamento de dívidas tributárias",
                "o pagamento em parcelas de tributos atrasados",
                "a renegociação de débitos com o fisco em parcelas",
            ),
            (
                "a redução da alíquota sobre a cesta básica",
                "o imposto menor para alimentos essenciais",
                "a desoneração dos produtos da cesta básica",
            ),
            (
                "o regime simplificado do microempreendedor",
                "o limite de faturamento do microempreendedor",
                "a tributação simplificada de pequenos negócios",
            ),
            (
                "a devolução de tributos pagos a mais",
                "a restituição de imposto recolhido indevidamente",
                "o reembolso de tributos cobrados a maior",
            ),
        ),
    ),
    Topic(
        "Trabalho e emprego",
        ("empregado", "jornada", "salário", "contrato de trabalho"),
        "as relações de trabalho",
        (
            "Consolidação das Leis do Trabalho",
            "Decreto-Lei nº 5.452, de 1943 (Consolidação das Leis do Trabalho)",
        ),
        ("o Ministério do Trabalho", "a fiscalização do trabalho", "a Justiça do Trabalho"),
        ("os trabalhadores", "os empregados domésticos", "os aprendizes"),
        (
            (
                "o teletrabalho de empregados com filhos pequenos",
                "o trabalho a distância para pais de crianças pequenas",
                "o trabalho remoto de quem tem filhos pequenos",
            ),
            (
                "a ampliação da licença-paternidade",
                "a licença maior para o pai trabalhador",
                "os dias de licença do pai após o nascimento do filho",
            ),
            (
                "a jornada dos entregadores de aplicativo",
                "o trabalho de entregadores por plataforma digital",
                "os direitos dos entregadores que trabalham por aplicativo",
            ),
            (
                "a contratação de jovens aprendizes",
                "as vagas de aprendizagem para jovens",
                "a cota de aprendizes nas empresas",
            ),
            (
                "as parcelas do seguro-desemprego",
                "o pagamento do seguro a trabalhadores demitidos",
                "o benefício pago a desempregados",
            ),
        ),
    ),
)
