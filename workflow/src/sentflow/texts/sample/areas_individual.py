"""Areas of law: civil, criminal, labour and consumer law."""

from sentflow.texts.sample.area import Area

INDIVIDUAL_AREAS = (
    Area(
        "o direito civil",
        (("o locador", "o locatário"), ("o credor", "o devedor"), ("a compradora", "o vendedor")),
        "a boa-fé objetiva",
        (
            (
                "a indenização por dano moral em inscrição indevida no cadastro de inadimplentes",
                "a reparação moral pela negativação indevida do nome do devedor",
                "o dano moral causado por registro irregular em cadastro de maus pagadores",
            ),
            (
                "a aquisição de imóvel rural por usucapião",
                "a usucapião de terreno ocupado com posse prolongada",
                "a propriedade obtida pela posse antiga do imóvel",
            ),
            (
                "a penhora do bem de família do fiador",
                "a constrição da moradia de quem prestou fiança em locação",
                "a execução da casa do fiador por dívida de aluguel",
            ),
            (
                "a rescisão de promessa de compra e venda de imóvel na planta",
                "o distrato da compra de apartamento em construção",
                "a desistência do comprador de imóvel na planta",
            ),
            (
                "o pagamento de alimentos a filho maior que estuda",
                "a pensão alimentícia devida a filho universitário",
                "os alimentos prestados a filho que atingiu a maioridade",
            ),
            (
                "a partilha de bens ao fim da união estável",
                "a divisão do patrimônio de companheiros separados",
                "a meação de bens adquiridos durante a união estável",
            ),
        ),
    ),
    Area(
        "o direito penal",
        (("o Ministério Público", "o acusado"), ("a defesa", "o juízo criminal"), ("a vítima", "o réu")),
        "a presunção de inocência",
        (
            (
                "a aplicação do princípio da insignificância ao furto de pequeno valor",
                "a atipicidade do furto de coisa insignificante",
                "o reconhecimento da bagatela na subtração de bens de pequeno valor",
            ),
            (
                "o reconhecimento fotográfico do suspeito na delegacia",
                "a identificação do acusado por fotografia no inquérito",
                "a prova por reconhecimento de pessoa em álbum de fotografias",
            ),
            (
                "a progressão de regime de condenado reincidente",
                "a passagem do preso reincidente a regime mais brando",
                "o tempo de pena para que o condenado mude de regime",
            ),
            (
                "a busca domiciliar sem mandado judicial",
                "o ingresso de policiais na residência sem ordem do juiz",
                "a entrada forçada em casa durante investigação de tráfico",
            ),
            (
                "a prescrição da pretensão punitiva do Estado",
                "a perda do direito de punir pelo decurso do tempo",
                "a extinção da punibilidade por prescrição",
            ),
            (
                "o acordo de não persecução penal em processo em curso",
                "a proposta de acordo penal após o recebimento da denúncia",
                "o benefício do acordo de não persecução a réu já denunciado",
            ),
        ),
    ),
    Area(
        "o direito do trabalho",
        (("o empregado", "o empregador"), ("a reclamante", "a reclamada"), ("o sindicato", "a empresa")),
        "a primazia da realidade",
        (
            (
                "o vínculo de emprego de motorista de aplicativo",
                "a relação de emprego entre motorista e plataforma digital",
                "o reconhecimento de contrato de trabalho com empresa de aplicativo",
            ),
            (
                "a estabilidade da gestante em contrato por prazo determinado",
                "a garantia de emprego da empregada grávida no contrato temporário",
                "a dispensa de gestante contratada por experiência",
            ),
            (
                "o pagamento de horas extras a gerente de loja",
                "a jornada extraordinária de empregado em cargo de confiança",
                "as horas extraordinárias de quem exerce gerência",
            ),
            (
                "o adicional de insalubridade na limpeza de banheiros",
                "a insalubridade da higienização de sanitários de uso público",
                "o adicional devido a faxineiro exposto a agente nocivo",
            ),
            (
                "a terceirização da atividade principal da empresa",
                "a responsabilidade do tomador pelos empregados terceirizados",
                "a contratação de terceirizados para a atividade-fim",
            ),
            (
                "a justa causa por abandono de emprego",
                "a despedida do empregado que deixou de comparecer ao serviço",
                "a dispensa motivada por faltas prolongadas ao serviço",
            ),
        ),
    ),
    Area(
        "o direito do consumidor",
        (("o consumidor", "o fornecedor"), ("a cliente", "o banco"), ("o passageiro", "a companhia aérea")),
        "a vulnerabilidade do consumidor",
        (
            (
                "a responsabilidade do banco por fraude em transferência eletrônica",
                "o dever do banco de ressarcir o cliente vítima de golpe eletrônico",
                "o prejuízo do correntista com transferências fraudulentas",
            ),
            (
                "a recusa de cobertura de cirurgia pelo plano de saúde",
                "a negativa do plano de saúde em custear procedimento cirúrgico",
                "a cobertura de tratamento fora do rol do plano de saúde",
            ),
            (
                "o extravio de bagagem em voo internacional",
                "a mala perdida pela companhia em voo ao exterior",
                "a indenização por bagagem extraviada no transporte aéreo",
            ),
            (
                "o prazo para reclamar de vício oculto em veículo usado",
                "o defeito oculto descoberto em automóvel de segunda mão",
                "a decadência do direito de reclamar por defeito de carro usado",
            ),
            (
                "a cobrança de seguro embutido no financiamento",
                "a venda casada de seguro com empréstimo bancário",
                "o seguro imposto ao cliente na contratação de empréstimo",
            ),
            (
                "o atraso na entrega de mercadoria comprada pela internet",
                "a demora da loja virtual em entregar o produto",
                "a mercadoria de compra eletrônica entregue fora do prazo",
            ),
        ),
    ),
)
