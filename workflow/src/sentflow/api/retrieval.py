"""Search in notebooks: questions and documents as lists, by the retrievers of the pipeline, with its numbers."""

import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

from sentflow.api.arguments import ArgumentError
from sentflow.api.data import catalog
from sentflow.api.embedding import SentenceEncoder, encoder_name
from sentflow.config.collections import Analyser as AnalyserSettings
from sentflow.config.collections import Cut
from sentflow.config.model import mistakes, refuse_wrong
from sentflow.encoders import entries
from sentflow.encoders.fetch import fetch_model
from sentflow.encoders.kind import Context, load_encoder
from sentflow.encoders.manifest import source_kind
from sentflow.encoders.settings import DENSE, DOCUMENT, FITTED, QUERY, SIDES
from sentflow.encoders.vectors.sparse import TERM_FORM, TermEmbeddings
from sentflow.encoders.vectors.storage import FloatArray
from sentflow.errors import instead
from sentflow.report.numbers import counted
from sentflow.retrieval.analysers import Analyser
from sentflow.retrieval.ranking import NOTHING, Ranked, Run, top
from sentflow.retrieval.retrievers.bm25 import Bm25
from sentflow.retrieval.retrievers.bm25_rm3 import expanded, search_weighted
from sentflow.retrieval.retrievers.dense import Vectors, search_vectors
from sentflow.retrieval.retrievers.fusion import fused
from sentflow.retrieval.retrievers.sparse import reordered, search_weights
from sentflow.retrieval.settings import (
    BM25,
    BM25RM3,
    CountsTerms,
    Dense,
    Fusion,
    RandomOrder,
    Shown,
    Sparse,
    TunedWeights,
)
from sentflow.retrieval.term_index import TermIndex
from sentflow.stats.seeds import derive_seed
from sentflow.texts.corpora import Corpus
from sentflow.texts.split_passages import split_corpus

if TYPE_CHECKING:
    import pandas as pd

DEPTH = 1000  # of runs that are fused, as retrieval.depth of the default configuration
SEED = 9847706
# Settings of a kind, and what is given itself, or by its name in the catalog
_KINDS: dict[str, tuple[type[Shown], tuple[str, ...]]] = {
    "bm25": (BM25, ("analyser",)),
    "bm25-rm3": (BM25RM3, ("analyser",)),
    "dense": (Dense, ("model", "passages", "batch_size")),
    "fusion": (Fusion, ("of",)),
    "random": (RandomOrder, ()),
    "sparse": (Sparse, ("model", "batch_size")),
}
# keys of configurations that only the pipeline reads
_OF_THE_PIPELINE = ("impacts", "index", "passages", "seed_of", "times")
_SHOWN_QUESTIONS, _SHOWN_DOCUMENTS, _SHOWN_CHARACTERS = 3, 3, 60


@dataclass(frozen=True)
class RetrievedRun(Mapping[str, dict[str, float]]):
    """What was found: question → document → score, best first. `sentflow.evaluate_run` takes it as it is.

    Attributes
    ----------
    name
        Of the retriever.
    run
        The run as the pipeline has it.
    questions
        Texts of the questions by name; those of a list are named by their places, from 0.
    corpus
        What was searched.
    """

    name: str
    run: Run
    questions: Mapping[str, str] = field(repr=False)
    corpus: Corpus = field(repr=False)

    def __getitem__(self, question: str | int) -> dict[str, float]:
        found = self.run.ranked[str(question)]
        return dict(zip(self.run.documents(str(question)), found.scores.tolist(), strict=True))

    def __iter__(self) -> Iterator[str]:
        return iter(self.run.ranked)

    def __len__(self) -> int:
        return len(self.run.ranked)

    def frame(self) -> "pd.DataFrame":
        """Columns question, rank (from 1), document, score, text of the document."""
        import pandas as pd

        text_of = dict(zip(self.corpus.ids, self.corpus.whole_texts(), strict=True))
        rows = [
            (question, rank, document, score, text_of[document])
            for question in self
            for rank, (document, score) in enumerate(self[question].items(), 1)
        ]
        return pd.DataFrame(rows, columns=["question", "rank", "document", "score", "text"])

    def __repr__(self) -> str:
        lines = [f"{self.name}: {len(self)} questions, {len(self.corpus)} documents"]
        text_of = dict(zip(self.corpus.ids, self.corpus.whole_texts(), strict=True))
        for question in [*self][:_SHOWN_QUESTIONS]:
            lines.append(f"{question}: {_short(self.questions[question])}")
            for document, score in [*self[question].items()][:_SHOWN_DOCUMENTS]:
                lines.append(f"  {score:10.4f}  {document}: {_short(text_of[document])}")
        return "\n".join([*lines, *(["…"] if len(self) > _SHOWN_QUESTIONS else [])])


def retrieve(
    questions: Any, documents: Any, retriever: Any = "bm25", *, k: int = 10, name: str | None = None
) -> RetrievedRun:
    """The k best documents of each question.

    Parameters
    ----------
    questions
        A list of texts, or a dictionary from names to texts.
    documents
        The same; a document may be (title, text). Equal scores keep their order. Empty texts find nothing and are never
        found; a warning counts them.
    retriever
        What searches:

        - a retriever or an encoder of the catalog by its name, where nothing has to be downloaded or trained:
          ``"bm25"``, ``"bm25-english"``, ``"random-order"``; with the package of the weights ``"minilm-l6"``,
          ``"minilm"``, ``"bm25-x-minilm"``, …;
        - an encoder: a SentenceTransformer, anything with ``encode``, or a function from texts to vectors (see
          `SentenceEncoder`); exact search by cosine. ``encode_query`` and ``encode_document`` are used where it has
          both, with their prompts;
        - an encoder of weights of terms: a SparseEncoder of sentence-transformers, or a `sentflow.sparse.SparsEmbed`,
          whose vectors of terms rank the 1,000 documents, or the k, that its weights find;
        - an entry as under ``retrievers:`` of a configuration, with encoders and retrievers themselves in place of
          their names: ``{"kind": "bm25", "analyser": "english", "k1": 0.9}``, ``{"kind": "bm25-rm3"}``, ``{"kind":
          "dense", "model": model, "passages": "words-128"}``, ``{"kind": "fusion", "of": ["bm25", model], "rule":
          "product"}``, ``{"kind": "sparse", "model": model}``, which ranks by weights alone without ``candidates``.
    k
        At least 1; fewer are found where fewer fit.
    name
        Of the retriever, for tables; without it, that of the catalog or its kind.

    Returns
    -------
    RetrievedRun
        With the scores of the pipeline for the same texts, settings and vectors.

    Raises
    ------
    ArgumentError
        An argument does not exist or does not fit, or the weights of an encoder are not here.
    ConfigError
        Settings of a retriever are not in order, or the package that holds the weights is not installed.
    """
    if not isinstance(k, int) or isinstance(k, bool) or k < 1:
        raise ArgumentError(f"k is {k!r}. Write a whole number of at least 1.")
    asked, corpus = corpus_of(questions, "questions"), corpus_of(documents)
    search, written = _Search(asked, corpus), [bool(text.strip()) for text in asked.texts]
    empty = {"question": written.count(False), "document": len(corpus) - len(search.rows)}
    if any(empty.values()):
        told = " and ".join(counted(count, what) for what, count in empty.items() if count)
        warnings.warn(f"{told} without text: they find nothing and are never found.", stacklevel=2)
    ranked = iter(search.ranked(retriever, k) if any(written) and len(search.rows) else ())
    found = [next(ranked, NOTHING) if has_text else NOTHING for has_text in written]
    run = Run(corpus.ids, dict(zip(asked.ids, found, strict=True)))
    return RetrievedRun(name or _name(retriever), run, dict(zip(asked.ids, asked.texts, strict=True)), corpus)


def corpus_of(given: Any, argument: str = "documents") -> Corpus:
    """Texts of a list, named by their places from 0, or of a dictionary by name; a document may be (title, text)."""
    if isinstance(given, str) or not isinstance(given, Mapping | Iterable):
        raise ArgumentError(
            f"{argument} is a {type(given).__name__}. Give a list of texts, or a dictionary from names to texts."
        )
    items = given.items() if isinstance(given, Mapping) else enumerate(given)
    texts = {str(name): item if isinstance(item, tuple) else ("", item) for name, item in items}
    for name, item in texts.items():
        if len(item) != 2 or not all(isinstance(part, str) for part in item):
            raise ArgumentError(
                f"{argument}[{name!r}] is no text. Give a string, or (title, text) of a document."
            )
    if not texts:
        raise ArgumentError(f"{argument} is empty. Give at least one text.")
    titles, whole = ([item[part] for item in texts.values()] for part in (0, 1))
    return Corpus("documents", "own", "und", [*texts], titles, whole)


class _Search:
    """Questions and documents, and what every retriever makes of them."""

    def __init__(self, questions: Corpus, corpus: Corpus) -> None:
        kept = [row for row, text in enumerate(questions.texts) if text.strip()]
        self._ids, self._asked = ([part[row] for row in kept] for part in (questions.ids, questions.texts))
        self._corpus = corpus
        whole = corpus.whole_texts()
        self.rows = np.array([row for row, text in enumerate(whole) if text.strip()], dtype=np.int64)
        self._texts = [whole[row] for row in self.rows.tolist()]

    def ranked(self, retriever: Any, k: int) -> list[Ranked]:
        """The k best documents of each question."""
        entry = _entry(retriever, k)
        kind = entry.get("kind")
        if kind not in _KINDS:
            raise ArgumentError(f"retriever: kind is {kind!r}. {instead(str(kind), _KINDS)}")
        model, keys = _KINDS[kind]
        given = {key: entry.pop(key) for key in keys if key in entry}
        if unused := [key for key in _OF_THE_PIPELINE if key in entry]:
            raise ArgumentError(f"retriever.{unused[0]}: only the pipeline has it for {kind}. Leave it out.")
        if "model" in given and isinstance(given["model"], str):
            given["model"] = CatalogEncoder(given["model"])
        names: dict[str, Any] = dict.fromkeys(given.keys() - {"batch_size"}, "given")
        if "analyser" in keys:
            names["analyser"] = "given"
        if kind == "fusion":
            parts = given.get("of", ())
            names["of"] = [] if isinstance(parts, str) else [f"run-{place}" for place in range(len(parts))]
            entry.setdefault("rule", "reciprocal-rank")
        if wrong := mistakes(model, {**entry, **names}, where="retriever"):
            raise ArgumentError(" ".join(map(str, wrong)))
        settings = model.model_validate({**entry, **names})
        found: list[Ranked] = getattr(self, f"_{kind.replace('-', '_')}")(settings, k, **given)
        return found

    def _bm25(self, settings: CountsTerms, k: int, analyser: Any = "long-words") -> list[Ranked]:
        if isinstance(analyser, Mapping) and "other" in analyser:
            raise ArgumentError(
                "retriever.analyser: give one analyser; the language of the documents is not known here."
            )
        where = "retriever.analyser"
        terms = Analyser(refuse_wrong(AnalyserSettings, _named("analysers", analyser), where=where), where)
        index = Bm25(TermIndex.of([terms.terms(self._corpus.whole_texts())]), settings)
        asked = terms.terms(self._asked)
        if isinstance(settings, BM25RM3):
            return list(search_weighted(index, [expanded(one, index, settings) for one in asked], k))
        return list(index.search(asked, k))

    _bm25_rm3 = _bm25

    def _dense(
        self, settings: Dense, k: int, model: Any, passages: Any = None, batch_size: int = 64
    ) -> list[Ranked]:
        owners, texts = self.rows, self._texts
        if passages is not None:
            cut = refuse_wrong(Cut, _named("passages", passages), where="retriever.passages")
            split = split_corpus(self._corpus, "passages", cut)
            owners, texts = split.documents, split.texts
        asked, vectors = _embedded(model, self._asked, texts, batch_size=batch_size)
        return list(search_vectors(asked, Vectors(vectors, owners), k, similarity=settings.similarity))

    def _fusion(self, settings: Fusion, k: int, of: Sequence[Any]) -> list[Ranked]:
        if isinstance(settings.weights, TunedWeights):
            raise ArgumentError("retriever.weights: they are not tuned here. Give one for each retriever.")
        weights = settings.weights or (1,) * len(of)
        runs = [self.ranked(part, max(k, DEPTH)) for part in of]
        return [fused(found, settings, weights, k) for found in zip(*runs, strict=True)]

    def _sparse(self, settings: Sparse, k: int, model: Any, batch_size: int = 32) -> list[Ranked]:
        has_vectors, candidates = _is(model, *_SPARSEMBED), settings.candidates
        if not has_vectors and not _is(model, *_SPARSE_ENCODER):
            raise ArgumentError(
                f"retriever.model is a {type(model).__name__}. Kind sparse takes a SparseEncoder of "
                "sentence-transformers, or a SparsEmbed."
            )
        if candidates is not None and (not has_vectors or candidates < k):
            what = (
                f"fewer than k={k}" if has_vectors else "for a SparsEmbed, which has vectors to rank them by"
            )
            raise ArgumentError(
                f"retriever.candidates={candidates} is {what}. Leave it out, or write another."
            )
        encoded = _vectors_of_terms if has_vectors else _weights_of_terms
        asked, found = (
            encoded(model, texts, side, batch_size)
            for texts, side in ((self._asked, QUERY), (self._texts, DOCUMENT))
        )
        documents = np.arange(len(self._texts))
        if not has_vectors:
            ranked = search_weights(asked, Vectors(found, documents), k)
        else:
            ranked = search_weights(asked.weights, Vectors(found.weights, documents), candidates or k)
            if candidates:
                ranked = reordered(ranked, asked, Vectors(found, documents), k)
        return [Ranked(self.rows[one.rows], one.scores, one.tied_at_cut) for one in ranked]

    def _random(self, settings: RandomOrder, k: int) -> list[Ranked]:
        def drawn(question: str) -> np.ndarray:
            seed = derive_seed(SEED if settings.seed is None else settings.seed, "questions", question)
            return np.random.default_rng(seed).random(len(self._corpus))

        return [top(drawn(question)[self.rows], k, rows=self.rows) for question in self._ids]


def _entry(retriever: Any, k: int) -> dict[str, Any]:
    """A retriever as an entry of the configuration."""
    if isinstance(retriever, Mapping):
        return dict(retriever)
    if _is(retriever, *_SPARSE_ENCODER):
        return {"kind": "sparse", "model": retriever}
    if _is(retriever, *_SPARSEMBED):
        return {"kind": "sparse", "model": retriever, "candidates": max(k, DEPTH)}
    if not isinstance(retriever, str):
        return {"kind": "dense", "model": retriever}
    retrievers, models = catalog("retrievers"), catalog("models")
    if retriever in models and retriever not in retrievers:
        return {"kind": "dense", "model": retriever}
    if retriever not in retrievers:
        raise ArgumentError(
            f"retriever: there is no {retriever!r} in the catalog. {instead(retriever, [*retrievers, *models])}"
        )
    return _named("retrievers", retriever)


def _named(section: str, given: Any) -> dict[str, Any]:
    """An entry of the catalog by its name, or one that is given itself; what only describes it is left out."""
    if isinstance(given, Mapping):
        return dict(given)
    entries = catalog(section)
    if given not in entries:
        raise ArgumentError(f"retriever: there is no {given!r} in {section}. {instead(str(given), entries)}")
    return {key: value for key, value in entries[given].items() if key != "note"}


def _name(retriever: Any) -> str:
    if isinstance(retriever, str):
        return retriever
    if isinstance(retriever, Mapping):
        return str(retriever.get("title", retriever.get("kind")))
    return encoder_name(retriever)


def _embedded(
    model: Any, questions: list[str], texts: list[str], *, batch_size: int
) -> tuple[FloatArray, FloatArray]:
    """(q, d) and (n, d) vectors of questions and texts; each distinct text is encoded once in its role."""
    sides = [getattr(model, name, None) for name in ("encode_query", "encode_document")]
    if all(map(callable, sides)):
        asked, found = (
            _vectors(encode, side, batch_size) for encode, side in zip(sides, (questions, texts), strict=True)
        )
        return asked, found
    both = _vectors(model, [*questions, *texts], batch_size)
    return both[: len(questions)], both[len(questions) :]


def _vectors(encode: Any, texts: list[str], batch_size: int) -> FloatArray:
    distinct = list(dict.fromkeys(texts))
    # Which kind of function it is, is found out on two texts
    asked = distinct if len(distinct) > 1 else [*distinct, f"{distinct[0]} ."]
    vectors = SentenceEncoder(encode, batch_size=batch_size).vectors(asked)
    row_of = {text: row for row, text in enumerate(asked)}
    found: FloatArray = vectors[[row_of[text] for text in texts]]
    return found


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN_CHARACTERS else f"{line[: _SHOWN_CHARACTERS - 1]}…"


class CatalogEncoder:
    """An encoder of the catalog as `sentflow.retrieve` takes one, with the vectors of the pipeline."""

    def __init__(self, name: str) -> None:
        models = catalog("models")
        if name not in models:
            raise ArgumentError(f"retriever: there is no {name!r} in models. {instead(name, models)}")
        entry = models[name]
        if missing := _missing(entry):
            raise ArgumentError(
                f"retriever: models.{name} {missing}. Give the encoder itself, e.g. a SentenceTransformer, or run the "
                "pipeline: sentflow run."
            )
        manifest = fetch_model(name, entries.fetch_settings(entry), Path())
        settings = entries.encode_settings(entry, roles=SIDES)
        self._encoder = load_encoder(manifest, settings, Context(threads=os.cpu_count() or 1))

    def encode_query(self, texts: Sequence[str]) -> FloatArray:
        """(n, d) float32 vectors of n questions."""
        return self._encode(texts, QUERY)

    def encode_document(self, texts: Sequence[str]) -> FloatArray:
        """(n, d) float32 vectors of n documents."""
        return self._encode(texts, DOCUMENT)

    def _encode(self, texts: Sequence[str], role: str) -> FloatArray:
        if isinstance(texts, str):
            raise TypeError("a list of texts is encoded")
        vectors: FloatArray = self._encoder.encode(list(texts), role=role, task=None)
        return vectors


def _missing(entry: Mapping[str, Any]) -> str:
    """Why vectors cannot be computed from what is installed; empty if nothing is known to be in the way."""
    kind = entries.kind_of(entry)
    if kind.output == FITTED:
        return "learns from the training part of each fold, so that there is nothing to search with"
    source = entry.get("source", {})
    if entry["kind"] == "trained":
        return "has no weights here: a training of the pipeline makes them"
    if source and (origin := source_kind(source)) not in ("package", "folder"):
        return f"has no weights here: source.{origin} is fetched by the pipeline"
    return "" if kind.output == DENSE else f"gives {kind.output}, no vectors of texts"


# --- weights of terms ---------------------------------------------------------------------------------------

_SPARSE_ENCODER = ("sentence_transformers", "SparseEncoder")
_SPARSEMBED = ("sentflow.sparse.model", "SparsEmbed")


def _is(model: Any, module: str, name: str) -> bool:
    """Whether a model is of a class; who has such a model has imported its module."""
    return module in sys.modules and isinstance(model, getattr(sys.modules[module], name))


def _weights_of_terms(model: Any, texts: list[str], side: str, batch_size: int) -> csr_array:
    encode = getattr(model, f"encode_{side}")
    tensor = encode(texts, batch_size=batch_size, save_to_cpu=True, show_progress_bar=False).coalesce()
    rows, columns = tensor.indices().numpy()
    weights = csr_array((tensor.values().float().numpy(), (rows, columns)), shape=tuple(tensor.shape))
    weights.eliminate_zeros()
    weights.sort_indices()
    return _checked(weights)


def _vectors_of_terms(model: Any, texts: list[str], side: str, batch_size: int) -> TermEmbeddings:
    from sentflow.sparse.model import term_embeddings

    starts = range(0, len(texts), batch_size)
    parts = [
        term_embeddings(model, texts[start : start + batch_size], model.k[side], side) for start in starts
    ]
    joined: TermEmbeddings = TERM_FORM.joined(parts)
    _checked(joined.weights)
    return joined


def _checked(weights: csr_array) -> csr_array:
    if not np.isfinite(weights.data).all() or (weights.data < 0).any():
        raise ArgumentError(
            "retriever.model gives weights of terms below 0, or that are not finite. Give a trained encoder whose "
            "weights are 0 or more."
        )
    return weights
