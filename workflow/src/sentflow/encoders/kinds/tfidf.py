"""Kind ``tfidf``: fitted on the training part of every fold.

As scikit-learn has it, without scikit-learn: to import it takes twice as long as a small task's folds together.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Self
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix

from sentflow.encoders.kind import Context, Encoder, kind
from sentflow.encoders.manifest import Manifest
from sentflow.errors import DataError

# Portuguese words that carry grammar rather than a topic: articles, prepositions, contractions, pronouns, conjunctions,
# adverbs and the auxiliaries ser, estar, ter and haver; put together for this project from the closed word classes of
# Portuguese grammar, not copied from another list
_PORTUGUESE = """
o a os as um uma uns umas
a ante após até com contra de desde durante em entre exceto mediante para perante por salvo sem sob sobre
trás
ao aos à às do da dos das dum duma duns dumas no na nos nas num numa nuns numas pelo pela pelos pelas dele
dela deles delas nele nela neles nelas deste desta destes destas neste nesta nestes nestas desse dessa
desses dessas nesse nessa nesses nessas daquele daquela daqueles daquelas naquele naquela naqueles naquelas
disto nisto disso nisso daquilo naquilo àquele àquela àqueles àquelas àquilo daqui dali daí donde aonde
eu tu você ele ela nós vós vocês eles elas me te se lhe lhes nos vos mim ti si comigo contigo consigo
conosco convosco meu minha meus minhas teu tua teus tuas seu sua seus suas nosso nossa nossos nossas vosso
vossa vossos vossas este esta estes estas esse essa esses essas aquele aquela aqueles aquelas isto isso
aquilo que quem qual quais cujo cuja cujos cujas quanto quanta quantos quantas onde algum alguma alguns
algumas nenhum nenhuma nenhuns nenhumas todo toda todos todas tudo nada algo alguém ninguém outro outra
outros outras certo certa certos certas cada qualquer quaisquer mesmo mesma mesmos mesmas próprio própria
próprios próprias tal tais muito muita muitos muitas pouco pouca poucos poucas tanto tanta tantos tantas
vários várias ambos ambas
e ou mas nem porém contudo todavia entretanto portanto logo pois porque porquanto como quando enquanto
embora caso conforme segundo senão assim
não sim já ainda também só somente apenas mais menos bem mal tão quase sempre nunca jamais agora então
depois antes aqui ali aí lá cá hoje ontem dentro fora além aquém acima abaixo quê
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
PORTUGUESE: tuple[str, ...] = tuple(sorted({*_PORTUGUESE.split()}))
_WORD = re.compile(r"\b\w\w+\b")
_STOP_WORDS: dict[str, tuple[str, ...]] = {"portuguese": PORTUGUESE, "none": ()}


class NgramCounter:
    """Counts n-grams as scikit-learn's `CountVectorizer` cuts them; every distinct text is cut once for all folds."""

    def __init__(self, *, ngram_range: tuple[int, int], stop_words: Sequence[str]) -> None:
        self._lengths, self._stop_words = range(ngram_range[0], ngram_range[1] + 1), frozenset(stop_words)
        self._ids: dict[str, int] = {}
        self._known: dict[str, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}

    def counts(self, texts: Sequence[str]) -> csr_matrix:
        """(n, terms met so far) int64. A term keeps its column; texts met later add columns at the right."""
        rows = [self._counts_of(text) for text in texts]
        starts = np.cumsum([0, *(len(ids) for ids, _ in rows)])
        columns = np.concatenate([np.empty(0, np.int64), *(ids for ids, _ in rows)])
        values = np.concatenate([np.empty(0, np.int64), *(counts for _, counts in rows)])
        return csr_matrix((values, columns, starts), shape=(len(texts), len(self._ids)))

    def terms(self, columns: NDArray[np.int64]) -> NDArray[np.str_]:
        """The n-grams of some columns."""
        terms = list(self._ids)
        return np.asarray([terms[column] for column in columns], dtype=np.str_)

    def _cut(self, text: str) -> Iterator[str]:
        words = [word for word in _WORD.findall(text.lower()) if word not in self._stop_words]
        for n in self._lengths:
            yield from (" ".join(words[i : i + n]) for i in range(len(words) - n + 1))

    def _counts_of(self, text: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        if text not in self._known:
            terms = self._cut(normalize("NFC", text))
            ids = [self._ids.setdefault(term, len(self._ids)) for term in terms]
            self._known[text] = np.unique(np.asarray(ids, dtype=np.int64), return_counts=True)
        return self._known[text]


@kind("tfidf")
class TfidfEncoder(Encoder):
    """Term frequency times inverse document frequency of word n-grams, as scikit-learn's `TfidfVectorizer` has it.

    Features are the most frequent n-grams of the training texts; of equally frequent ones the alphabetically first, on
    any machine (scikit-learn leaves such ties to an unstable sort). One instance serves many folds: it remembers how
    texts are cut, never what it learned of another fold.

    `max_features`: at most. `stop_words`: ``"portuguese"`` or ``"none"``.
    """

    def __init__(self, *, max_features: int, ngram_range: tuple[int, int], stop_words: str = "none") -> None:
        self._max_features = max_features
        self._counter = NgramCounter(ngram_range=ngram_range, stop_words=_STOP_WORDS[stop_words])
        self._weights: NDArray[np.float64] | None = None
        self._columns = np.empty(0, dtype=np.int64)

    @classmethod
    def load(cls, manifest: Manifest, _settings: Any, _context: Context) -> Self:
        first, last = manifest.settings["ngram_range"]
        return cls(**{**manifest.settings, "ngram_range": (int(first), int(last))})

    def fit(self, texts: Sequence[str]) -> Self:
        """Learn features and document frequencies from n >= 1 training texts."""
        counts = self._counter.counts(texts)
        totals = np.asarray(counts.sum(axis=0), dtype=np.int64).ravel()
        if not totals.any():
            raise DataError(
                f"TF-IDF finds no words in the {len(texts)} training texts: they have only stop words or "
                "punctuation. Write stop_words: none, or choose an encoder that reads more than whole words."
            )
        self._columns = self._most_frequent(totals)
        documents = np.bincount(counts.indices, minlength=counts.shape[1])[self._columns]
        self._weights = np.log((len(texts) + 1) / (documents + 1.0)) + 1.0
        return self

    def transform(self, texts: Sequence[str]) -> csr_array:
        """Sparse (n, d) float32 of length 1, or 0 for a text without a known n-gram; columns in alphabetical order.

        Raises ValueError: `fit` was not called.
        """
        if self._weights is None:
            raise ValueError("fit the encoder before transforming texts")
        counts = self._counter.counts(texts)[:, self._columns]
        # Sums over a row follow the stored order, which else tells which texts were met before
        counts.sort_indices()
        values = counts.data * self._weights[counts.indices]
        rows = np.repeat(np.arange(len(texts)), np.diff(counts.indptr))
        # bincount adds one by one, as scikit-learn does
        values /= np.sqrt(np.bincount(rows, values * values, minlength=len(texts)))[rows]
        return csr_array((values.astype(np.float32), counts.indices, counts.indptr), shape=counts.shape)

    def _most_frequent(self, totals: NDArray[np.int64]) -> NDArray[np.int64]:
        """Columns of the features, ordered by their n-gram."""
        columns = np.flatnonzero(totals)
        if len(columns) > self._max_features:
            smallest = -np.partition(-totals[columns], self._max_features - 1)[self._max_features - 1]
            sure = columns[totals[columns] > smallest]
            tied = columns[totals[columns] == smallest]
            columns = np.concatenate([sure, self._alphabetical(tied)[: self._max_features - len(sure)]])
        return self._alphabetical(columns)

    def _alphabetical(self, columns: NDArray[np.int64]) -> NDArray[np.int64]:
        return columns[np.argsort(self._counter.terms(columns), kind="stable")]
