"""Themes of public policy: energy, culture, sports, data, pensions, administration."""

from sentflow.texts.sample.topic import Topic

STATE_TOPICS = (
    Topic(
        "Energia",
        ("tarifa", "energia elétrica", "distribuidora", "fonte renovável"),
        "o setor elétrico",
        ("Lei do Setor Elétrico", "Lei nº 9.427, de 1996 (Lei do Setor Elétrico)"),
        ("o Ministério de Minas e Energia", "a distribuidora de energia", "a agência de energia elétrica"),
        ("os consumidores de energia", "as indústrias", "as famílias sem luz"),
        (
            (
                "a geração de energia solar em residências",
                "os painéis solares instalados em casas",
                "a produção doméstica de energia com painéis solares",
            ),
            (
                "a tarifa social de energia elétrica",
                "o desconto na conta de luz dos mais pobres",
                "a conta de energia com tarifa reduzida para baixa renda",
            ),
            (
                "o corte de luz por falta de pagamento",
                "a suspensão da energia de quem está em atraso",
                "a interrupção do fornecimento de luz por dívida",
            ),
            (
                "a compensação por apagões prolongados",
                "a indenização por falta de energia",
                "o ressarcimento ao consumidor após apagões",
            ),
            (
                "os leilões de energia eólica",
                "os parques eólicos no litoral",
                "a expansão das usinas de vento",
            ),
        ),
    ),
    Topic(
        "Cultura",
        ("patrimônio histórico", "artista", "museu", "incentivo fiscal"),
        "a política cultural",
        ("Lei de Incentivo à Cultura", "Lei nº 8.313, de 1991 (Lei de Incentivo à Cultura)"),
        ("o Ministério da Cultura", "a fundação cultural", "o instituto do patrimônio"),
        ("os artistas", "os produtores culturais", "as bibliotecas"),
        (
            (
                "a restauração de igrejas históricas",
                "o restauro de templos do patrimônio histórico",
                "as obras em igrejas tombadas como patrimônio",
            ),
            (
                "o financiamento de festas populares",
                "o apoio financeiro a festas tradicionais",
                "o patrocínio de festejos populares pelo poder público",
            ),
            (
                "a meia-entrada em cinemas e teatros",
                "o desconto em ingressos de teatro e cinema",
                "o ingresso pela metade do preço em cinemas",
            ),
            (
                "a compra de livros para bibliotecas públicas",
                "o acervo das bibliotecas municipais",
                "os livros novos nas bibliotecas públicas",
            ),
            (
                "a cota de filmes nacionais nas salas de exibição",
                "a exibição obrigatória de cinema nacional",
                "os filmes brasileiros nas salas de cinema",
            ),
        ),
    ),
    Topic(
        "Esporte",
        ("atleta", "clube", "torcida", "lazer"),
        "o esporte nacional",
        ("Lei Geral do Esporte", "Lei nº 14.597, de 2023 (Lei Geral do Esporte)"),
        ("o Ministério do Esporte", "a federação de futebol", "a secretaria de esporte"),
        ("os atletas", "os torcedores", "os clubes"),
        (
            (
                "a bolsa para atletas de base",
                "o auxílio mensal a jovens atletas",
                "o apoio financeiro a atletas iniciantes",
            ),
            (
                "a violência de torcidas nos estádios",
                "as brigas de torcedores em estádios de futebol",
                "a punição de torcidas violentas",
            ),
            (
                "o contrato de formação de jogadores",
                "a formação de jogadores pelos clubes",
                "os direitos do clube formador de atletas",
            ),
            (
                "as quadras esportivas em bairros populares",
                "a construção de quadras de esporte",
                "as quadras públicas para a prática de esporte",
            ),
            (
                "o patrocínio de apostas nos clubes de futebol",
                "a publicidade de casas de apostas no futebol",
                "as apostas esportivas nas camisas dos clubes",
            ),
        ),
    ),
    Topic(
        "Tecnologia e dados",
        ("internet", "privacidade", "inteligência artificial", "telecomunicações"),
        "a proteção de dados pessoais",
        ("Lei Geral de Proteção de Dados Pessoais", "Lei nº 13.709, de 2018 (Proteção de Dados Pessoais)"),
        ("a autoridade de proteção de dados", "o Ministério da Ciência", "a agência de telecomunicações"),
        ("os usuários", "os titulares de dados", "as empresas de tecnologia"),
        (
            (
                "o vazamento de dados pessoais de usuários",
                "a exposição de dados de usuários na internet",
                "a falha de segurança com dados pessoais expostos",
            ),
            (
                "o reconhecimento facial em espaços públicos",
                "a identificação de rostos por câmeras públicas",
                "o uso de reconhecimento de rostos nas ruas",
            ),
            (
                "a internet gratuita em praças",
                "o acesso livre à internet sem fio nas praças",
                "a conexão sem fio gratuita em espaços públicos",
            ),
            (
                "a transparência dos algoritmos de inteligência artificial",
                "as decisões automáticas de inteligência artificial",
                "a explicação de decisões tomadas por algoritmos",
            ),
            (
                "a cobertura de telefonia móvel no interior",
                "o sinal de celular em cidades do interior",
                "as antenas de celular na zona rural",
            ),
        ),
    ),
    Topic(
        "Previdência e assistência social",
        ("aposentadoria", "benefício", "segurado", "pensão"),
        "a previdência social",
        (
            "Lei de Benefícios da Previdência Social",
            "Lei nº 8.213, de 1991 (Benefícios da Previdência Social)",
        ),
        ("o instituto de previdência", "o Ministério da Previdência", "a perícia médica"),
        ("os aposentados", "os segurados", "os pensionistas"),
        (
            (
                "a aposentadoria de trabalhadoras rurais",
                "o benefício das mulheres que trabalham na roça",
                "a idade de aposentadoria da trabalhadora do campo",
            ),
            (
                "a fila da perícia médica da previdência",
                "a demora nas perícias da previdência",
                "o tempo de espera por perícia médica",
            ),
            (
                "o benefício assistencial a famílias pobres",
                "o auxílio em dinheiro a famílias de baixa renda",
                "a transferência de renda para famílias pobres",
            ),
            (
                "a pensão por morte de segurados",
                "a pensão paga aos dependentes do segurado",
                "o valor da pensão deixada a viúvas e filhos",
            ),
            (
                "a revisão das aposentadorias antigas",
                "o recálculo de benefícios de aposentados",
                "o reajuste de aposentadorias concedidas no passado",
            ),
        ),
    ),
    Topic(
        "Administração pública",
        ("transparência", "servidor público", "licitação", "controle"),
        "a transparência da administração pública",
        ("Lei de Acesso à Informação", "Lei nº 12.527, de 2011 (Lei de Acesso à Informação)"),
        ("a controladoria", "o tribunal de contas", "a ouvidoria"),
        ("os cidadãos", "os servidores públicos", "os candidatos a concursos"),
        (
            (
                "a divulgação de gastos com cartões corporativos",
                "a publicação das despesas em cartão do governo",
                "a transparência dos gastos pagos com cartão oficial",
            ),
            (
                "a licitação de obras inacabadas",
                "a retomada de obras públicas paradas",
                "o contrato de obras públicas abandonadas",
            ),
            (
                "a taxa de inscrição em concursos públicos",
                "a gratuidade na inscrição de concursos",
                "o preço cobrado de candidatos em concursos públicos",
            ),
            (
                "o sigilo de documentos oficiais",
                "o acesso a documentos públicos sigilosos",
                "o prazo de segredo dos documentos do governo",
            ),
            (
                "a avaliação de desempenho de servidores",
                "o desempenho dos servidores nas repartições",
                "a produtividade do funcionalismo público",
            ),
        ),
    ),
)
