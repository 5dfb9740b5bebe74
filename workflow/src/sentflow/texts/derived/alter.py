"""A provision of a law, altered so that it says something else: one word exchanged for its opposite, or one number.

Words and their opposites are exchanged in both directions, so that an altered text has the same kinds of words as an
untouched one, and nearly the same length. What was altered cannot be told from the kinds of words: only from what laws
say.
"""

import re
from collections.abc import Sequence

import numpy as np

OPPOSITES: Sequence[tuple[str, str]] = (
    ("poderá", "deverá"),
    ("poderão", "deverão"),
    ("pode", "deve"),
    ("podem", "devem"),
    ("salvo", "inclusive"),
    ("vedado", "permitido"),
    ("vedada", "permitida"),
    ("proibido", "autorizado"),
    ("proibida", "autorizada"),
    ("obrigatório", "facultativo"),
    ("obrigatória", "facultativa"),
    ("máximo", "mínimo"),
    ("máxima", "mínima"),
    ("maior", "menor"),
    ("maiores", "menores"),
    ("antes", "depois"),
    ("anterior", "posterior"),
    ("público", "privado"),
    ("pública", "privada"),
    ("públicas", "privadas"),
    ("públicos", "privados"),
    ("aumentada", "diminuída"),
    ("aumento", "redução"),
    ("nulo", "válido"),
    ("nula", "válida"),
    ("direito", "dever"),
    ("direitos", "deveres"),
    ("dolosa", "culposa"),
    ("doloso", "culposo"),
    ("credor", "devedor"),
    ("autor", "réu"),
    ("presença", "ausência"),
    ("favorável", "contrário"),
    ("federal", "municipal"),
    ("inclui", "exclui"),
    ("permanente", "temporário"),
    ("definitiva", "provisória"),
    ("tácita", "expressa"),
    ("imediatamente", "oportunamente"),
    ("sempre", "nunca"),
    ("todos", "alguns"),
    ("todas", "algumas"),
    ("com", "sem"),
    ("e", "ou"),
)
_LAST = 2  # of the table: such frequent words are exchanged only where nothing else can be
_OTHER = {word: other for pair in OPPOSITES for word, other in (pair, pair[::-1])}
_RARE = {word for pair in OPPOSITES[:-_LAST] for word in pair}
_WORD = re.compile(r"\w+")


def altered(text: str, rng: np.random.Generator) -> str | None:
    """The text with one word in the place of its opposite; None where no word has one."""
    words = [found for found in _WORD.finditer(text) if found[0].lower() in _OTHER]
    rare = [found for found in words if found[0].lower() in _RARE]
    if not words:
        return None
    choice = rare or words
    found = choice[int(rng.integers(len(choice)))]
    other = _OTHER[found[0].lower()]
    other = other.capitalize() if found[0][0].isupper() else other
    return text[: found.start()] + other + text[found.end() :]
