"""T1A, T1B: comments on social media and news portals; mild, invented insults that are aimed at nobody."""

import re
import unicodedata

from sentflow.texts.sample.grammar import Grammar

POST_SUBJECTS = (
    "essa entrevista",
    "o discurso de ontem",
    "essa votação",
    "o novo projeto",
    "a live da {weekday}",
    "esse vídeo",
    "a obra em {city}",
    "essa promessa",
    "a reunião da comissão",
    "o debate",
    "essa foto em {city}",
    "o anúncio do aumento",
)

INSULTS = (
    "cara de pau",
    "palhaço",
    "mentiroso",
    "bobalhão",
    "pateta",
    "enganador de meia-tigela",
    "sem-vergonha",
    "papagaio de pirata",
    "cabeça de vento",
    "incompetente",
    "falso",
    "puxa-saco",
    "bobo da corte",
    "trapaceiro",
)

KIND_WORDS = (
    "guerreiro",
    "exemplo",
    "grande homem público",
    "pessoa séria",
    "trabalhador",
    "amigo do povo",
    "orgulho da cidade",
    "representante de verdade",
    "pessoa honesta",
    "parceiro da educação",
)

OFFENSIVE = (
    "Que {insult}, só fala bobagem",
    "Cala a boca, seu {insult}",
    "Bando de {insult} que só sabe enrolar o povo",
    "Vergonha de quem ainda acredita nesse {insult}",
    "Você não passa de um {insult}",
    "{post:^} só mostra o {insult} que ele é",
    "Vai trabalhar, {insult}, e larga essa mamata",
    "Ridículo! Nunca vi tanto {insult} junto",
    "Comentário bobo de gente burra, vai estudar",
    "Seu lixo, ninguém te aguenta mais",
    "Some daqui, {insult}, o povo não é idiota",
    "Que nojo, {post} parece piada de {insult}",
)

POLITE = (
    "Parabéns, {kind}, {post} foi muito importante",
    "Deus abençoe, você é um {kind}",
    "Não concordo com {post}, mas respeito",
    "Que orgulho, {kind}! Conte com o povo de {city}",
    "{post:^} merece mais atenção de todos",
    "Gostei de ver, trabalho sério",
    "Infelizmente {post} não resolve o problema da saúde",
    "Alguém sabe onde posso ver {post} completo?",
    "Obrigado por lembrar de {city}, estamos juntos",
    "Espero que dê certo, o povo precisa",
    "Discordo, falta transparência, mas vamos acompanhar",
    "Força, {kind}, {post} é só o começo",
)

EITHER = (
    "Nunca vi {post} dar em nada",
    "E o preço da gasolina?",
    "Ninguém aguenta mais esse assunto",
    "O povo está de olho em {post}",
    "Aqui em {city} todo mundo comentou {post}",
    "Vergonha é o que estamos vivendo",
    "Vai ter segundo turno sim",
    "Só Deus na causa",
    "Quero ver é trabalho, chega de {post}",
    "Trabalhador paga a conta, como sempre",
    "Bora acordar, Brasil",
    "Já vi esse filme",
)

HASHTAGS = ("#Brasil", "#forapalhaçada", "#juntos", "#acorda{tag}", "#chega", "#respeito", "#{tag}pede")
TAGS = ("Brasil", "Povo", "Nordeste", "Cidade")
EMOJIS = ("👏👏", "😂😂", "🇧🇷", "🙏", "😡", "🤡", "👍", "🤔")

PORTAL_SUBJECTS = (
    "o jogo",
    "o tecnico",
    "essa noticia",
    "o time",
    "a materia",
    "esse juiz",
    "a torcida",
    "o campeonato",
    "a novela",
    "o prefeito",
    "o show",
    "a greve",
    "esse filme",
)

PORTAL_OFFENSIVE = (
    "so um {insult} escreve isso sobre {post}",
    "vc e muito {insult}, vai dormir",
    "{post} e coisa de {insult} kkkk",
    "cala a boca {insult} q nao entende nada",
    "bando de {insult}, tudo burro",
    "q comentario idiota, seu {insult}",
    "esse colunista e um {insult}, escreve mal demais",
    "larga de ser {insult} e vai ler sobre {post}",
    "torcedor {insult} tem q chorar mesmo",
    "tinha q ser coisa de {insult}, q vergonha",
)

PORTAL_POLITE = (
    "acho q {post} vai melhorar no proximo ano",
    "vc tem razao, {post} merecia mais",
    "alguem sabe q horas comeca {post}?",
    "gostei da analise, bem explicado",
    "nao concordo mas entendo a opiniao sobre {post}",
    "parabens a todos de {city}, foi bonito",
    "tomara q {post} volte logo a {city}",
    "na minha opiniao faltou sorte, so isso",
    "ja estive em {city} e e assim mesmo",
    "obrigado pela informacao sobre {post}",
    "o problema e a falta de dinheiro, nao {post}",
    "quanto custou isso tudo? nao achei na materia",
)

PORTAL_EITHER = (
    "kkkkkkk {post}",
    "e ninguem fala nada sobre {post}",
    "isso e brasil",
    "tem q mudar tudo",
    "todo mundo ja sabia, so {post} nao viu",
    "to cansado de ler sobre {post}",
    "q vergonha, {post} de novo",
    "vai vendo",
    "chora mais",
    "nao vi {post} e nao gostei",
)

# How surely a part of a comment is of its class's kind; the rest is of the other kind.
FIRST_LEANING = 0.95
SECOND_LEANING = 0.85
SHARE_WITH_COMMON_PART = 0.5
SHARE_WITH_SECOND_PART = 0.55
SHARE_WITH_EMOJI = 0.35
SHARE_WITH_HASHTAG = 0.2
SHARE_SHOUTED = 0.06

_DIACRITICS = re.compile(r"[\u0300-\u036f]")


def instagram_comment(grammar: Grammar, label: int) -> tuple[str]:
    """T1A: a comment under a politician's post. 1: offensive."""
    slots = {"insult": INSULTS, "kind": KIND_WORDS, "post": POST_SUBJECTS, "tag": TAGS}
    parts = [grammar.lean((POLITE, OFFENSIVE), label, FIRST_LEANING)]
    if grammar.chance(SHARE_WITH_COMMON_PART):
        parts.append(grammar.pick(EITHER))
    if grammar.chance(SHARE_WITH_SECOND_PART):
        parts.append(grammar.lean((POLITE, OFFENSIVE), label, SECOND_LEANING))
    order = grammar.sample(parts, len(parts))
    marks = (".", "!", "!!", "...", " kkkk", ",")
    text = " ".join(grammar.write(part, **slots) + grammar.pick(marks) for part in order)
    text = text.rstrip(",")
    if grammar.chance(SHARE_WITH_EMOJI):
        text += " " + grammar.pick(EMOJIS)
    if grammar.chance(SHARE_WITH_HASHTAG):
        text += " " + grammar.write(grammar.pick(HASHTAGS), tag=TAGS)
    return (text.upper() if grammar.chance(SHARE_SHOUTED) else text,)


def portal_comment(grammar: Grammar, label: int) -> tuple[str]:
    """T1B: a comment on a news portal, typed without accents. 1: offensive."""
    slots = {"insult": INSULTS, "post": PORTAL_SUBJECTS}
    parts = [grammar.lean((PORTAL_POLITE, PORTAL_OFFENSIVE), label, FIRST_LEANING)]
    if grammar.chance(SHARE_WITH_COMMON_PART):
        parts.append(grammar.pick(PORTAL_EITHER))
    if grammar.chance(SHARE_WITH_SECOND_PART):
        parts.append(grammar.lean((PORTAL_POLITE, PORTAL_OFFENSIVE), label, SECOND_LEANING))
    order = grammar.sample(parts, len(parts))
    marks = ("", "", " ", ".", "!", "...", ",")
    text = " ".join(grammar.write(part, **slots) + grammar.pick(marks) for part in order)
    return (without_accents(text).lower().strip(" ,"),)


def without_accents(text: str) -> str:
    """The text in plain ASCII letters: ``"ação"`` becomes ``"acao"``."""
    return _DIACRITICS.sub("", unicodedata.normalize("NFKD", text))
