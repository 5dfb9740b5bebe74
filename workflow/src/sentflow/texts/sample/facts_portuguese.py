"""Facts for sample sentence pairs in Portuguese."""

from sentflow.texts.sample.facts import Source

NEWS = Source(
    name="notícias",
    themes=(
        (
            (
                "o banco central subiu os juros em meio ponto",
                "tomar dinheiro emprestado ficou meio ponto mais caro por decisão da autoridade monetária",
                "a taxa básica teve alta de cinquenta pontos-base",
            ),
            (
                "as ações das companhias aéreas caíram depois da alta do combustível",
                "os papéis das empresas de aviação recuaram com o querosene mais caro",
                "o preço do petróleo derrubou na bolsa o valor de quem transporta passageiros",
            ),
            (
                "a montadora vai fechar a sua fábrica mais antiga",
                "a unidade mais velha da empresa de automóveis será desativada",
                "chega ao fim a produção na primeira planta da fabricante de carros",
            ),
        ),
        (
            (
                "a chuva forte alagou dezenas de ruas",
                "muitas vias ficaram debaixo d'água depois do temporal",
                "avenidas viraram rios durante a tempestade",
            ),
            (
                "um terremoto danificou centenas de casas",
                "centenas de moradias foram atingidas por um forte tremor",
                "o abalo deixou muitos moradores sem teto",
            ),
            (
                "os bombeiros controlaram um incêndio na mata",
                "o fogo na floresta foi contido pelas equipes de emergência",
                "as chamas que ameaçavam as árvores foram dominadas",
            ),
        ),
        (
            (
                "o parlamento aprovou a nova lei de impostos",
                "os deputados deram o aval à reforma dos tributos",
                "a maioria votou a favor do projeto sobre taxas e contribuições",
            ),
            (
                "o prefeito renunciou depois de acusações de propina",
                "o chefe do município deixou o cargo por suspeita de receber dinheiro",
                "um escândalo de corrupção derrubou o governante da cidade",
            ),
            (
                "milhares de professores protestaram por salários maiores",
                "docentes foram às ruas aos milhares para pedir melhor remuneração",
                "uma grande manifestação cobrou aumento de quem ensina nas escolas",
            ),
        ),
    ),
    places=(
        "em Recife",
        "em Curitiba",
        "em Manaus",
        "na capital",
        "no interior do estado",
        "perto da fronteira",
    ),
    times=(
        "na segunda-feira",
        "na quinta-feira",
        "no fim de semana",
        "de madrugada",
        "depois de longo debate",
        "pela segunda vez",
    ),
)

IMAGES = Source(
    name="imagens",
    themes=(
        (
            (
                "um cachorro marrom está correndo atrás de uma bola",
                "uma bola está sendo perseguida por um cão castanho",
                "o animal de pelo escuro busca o brinquedo redondo",
            ),
            (
                "dois gatos estão dormindo em um cobertor",
                "um par de felinos cochila sobre a manta",
                "deitados num pano, os bichanos tiram uma soneca",
            ),
            (
                "um cavalo está pulando uma cerca",
                "uma cerca está sendo saltada por um cavalo",
                "o potro passa por cima do obstáculo",
            ),
        ),
        (
            (
                "um homem está tocando violão",
                "um violonista está apresentando uma canção",
                "alguém dedilha um instrumento de cordas",
            ),
            (
                "uma mulher está fatiando cebolas",
                "cebolas estão sendo cortadas por uma senhora",
                "a cozinheira pica os legumes em pedaços",
            ),
            (
                "crianças estão construindo um castelo de areia",
                "um castelinho está sendo feito na areia por meninos e meninas",
                "a garotada molda torres com terra molhada",
            ),
        ),
        (
            (
                "um ciclista está subindo um morro",
                "uma pessoa de bicicleta vence a ladeira",
                "alguém pedala rumo ao topo",
            ),
            (
                "um ônibus vermelho está esperando no ponto",
                "um coletivo encarnado aguarda na parada",
                "as pessoas vão embarcar num veículo vermelho de transporte público",
            ),
            (
                "um barco pequeno está atravessando a água",
                "uma pequena embarcação navega de uma margem à outra",
                "alguém rema um bote até o outro lado",
            ),
        ),
    ),
    places=(
        "perto de um lago",
        "na frente de uma casa",
        "à beira da estrada",
        "em um jardim",
        "atrás de uma cabana",
        "debaixo de árvores altas",
    ),
    times=(
        "sob sol forte",
        "na chuva",
        "ao anoitecer",
        "num dia de inverno",
        "enquanto outros olham",
        "diante de uma multidão",
    ),
)

FORUMS = Source(
    name="fóruns",
    themes=(
        (
            (
                "meu computador desliga sem aviso",
                "o PC se apaga de uma hora para outra",
                "a máquina perde a energia e não dá mensagem nenhuma",
            ),
            (
                "não consigo conectar a impressora à rede",
                "a impressora se recusa a entrar no nosso wi-fi",
                "ligar ao roteador o aparelho que imprime dá errado",
            ),
            (
                "a tela pisca quando abro um filme",
                "assim que o longa começa, o visor tremula",
                "assistir a vídeos faz o monitor tremer",
            ),
        ),
        (
            (
                "meu pão não cresce no forno",
                "a massa continua baixa enquanto assa",
                "o resultado da fornada é duro como tijolo",
            ),
            (
                "a sopa fica salgada demais",
                "o caldo tem sal em excesso",
                "sempre exagero no tempero do que cozinha na panela",
            ),
            (
                "o arroz gruda no fundo da panela",
                "os grãos pegam na caçarola e queimam",
                "acabo raspando arroz tostado",
            ),
        ),
        (
            (
                "as folhas do meu tomateiro ficam amarelas",
                "meus tomates têm a folhagem sem o seu verde",
                "o amarelo toma conta dos pés que deviam dar frutos vermelhos",
            ),
            (
                "as lesmas comem a alface nova",
                "caracóis devoram as mudas da minha salada",
                "pequenos moluscos não deixam nada das verduras que planto",
            ),
            (
                "as rosas pararam de florir",
                "não há mais flores nas minhas roseiras",
                "nenhum botão se abre nos arbustos com espinhos",
            ),
        ),
    ),
    places=(
        "na casa dos meus pais",
        "no apartamento de férias",
        "na casa de um amigo",
        "no apartamento novo",
        "onde moro agora",
        "no clube",
    ),
    times=(
        "desde a semana passada",
        "todo fim de semana",
        "pela terceira vez",
        "desde o verão",
        "por mais que eu tente",
        "de novo",
    ),
)
