"""Portuguese words that carry grammar rather than a topic.

Source: put together for this project from the closed word classes of Portuguese grammar (articles,
prepositions and their contractions, pronouns, conjunctions, common adverbs, and the forms of the auxiliaries
ser, estar, ter and haver); not copied from another list. Lower case, with accents, one word each, as a
vectoriser sees them.
"""

_ARTICLES = "o a os as um uma uns umas"

_PREPOSITIONS = """
a ante após até com contra de desde durante em entre exceto mediante para perante por salvo sem sob sobre
trás
"""

_CONTRACTIONS = """
ao aos à às do da dos das dum duma duns dumas no na nos nas num numa nuns numas pelo pela pelos pelas dele
dela deles delas nele nela neles nelas deste desta destes destas neste nesta nestes nestas desse dessa
desses dessas nesse nessa nesses nessas daquele daquela daqueles daquelas naquele naquela naqueles naquelas
disto nisto disso nisso daquilo naquilo àquele àquela àqueles àquelas àquilo daqui dali daí donde aonde
"""

_PRONOUNS = """
eu tu você ele ela nós vós vocês eles elas me te se lhe lhes nos vos mim ti si comigo contigo consigo
conosco convosco meu minha meus minhas teu tua teus tuas seu sua seus suas nosso nossa nossos nossas vosso
vossa vossos vossas este esta estes estas esse essa esses essas aquele aquela aqueles aquelas isto isso
aquilo que quem qual quais cujo cuja cujos cujas quanto quanta quantos quantas onde algum alguma alguns
algumas nenhum nenhuma nenhuns nenhumas todo toda todos todas tudo nada algo alguém ninguém outro outra
outros outras certo certa certos certas cada qualquer quaisquer mesmo mesma mesmos mesmas próprio própria
próprios próprias tal tais muito muita muitos muitas pouco pouca poucos poucas tanto tanta tantos tantas
vários várias ambos ambas
"""

_CONJUNCTIONS = """
e ou mas nem porém contudo todavia entretanto portanto logo pois porque porquanto como quando enquanto
embora caso conforme segundo senão assim
"""

_ADVERBS = """
não sim já ainda também só somente apenas mais menos bem mal tão quase sempre nunca jamais agora então
depois antes aqui ali aí lá cá hoje ontem dentro fora além aquém acima abaixo quê
"""

_AUXILIARIES = """
ser sendo sido sou és é somos sois são era eras éramos eram fui foi fomos foram fora fôramos seja sejamos
sejam fosse fôssemos fossem for formos forem serei será seremos serão seria seríamos seriam estar estando
estado estou está estamos estão estava estávamos estavam estive esteve estivemos estiveram estivera
estivéramos esteja estejamos estejam estivesse estivéssemos estivessem estiver estivermos estiverem estará
estarão estaria estariam ter tendo tido tenho tem temos têm tinha tínhamos tinham tive teve tivemos tiveram
tivera tivéramos tenha tenhamos tenham tivesse tivéssemos tivessem tiver tivermos tiverem terei terá teremos
terão teria teríamos teriam haver havendo havido hei há havemos hão havia havíamos haviam houve houvemos
houveram houvera houvéramos haja hajamos hajam houvesse houvéssemos houvessem houver houvermos houverem
haverá haverão haveria haveriam
"""

PORTUGUESE: tuple[str, ...] = tuple(
    sorted(
        set(
            " ".join(
                [_ARTICLES, _PREPOSITIONS, _CONTRACTIONS, _PRONOUNS, _CONJUNCTIONS, _ADVERBS, _AUXILIARIES]
            ).split()
        )
    )
)
