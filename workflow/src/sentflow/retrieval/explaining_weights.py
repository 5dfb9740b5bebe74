"""The shared terms behind products of weights or of vectors, out of the files that a sparse search reads."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from sentflow.encoders.vocabulary import TermName
from sentflow.retrieval.contributions import Explanation, of_vectors, of_weights
from sentflow.retrieval.shared_terms import Pair
from sentflow.retrieval.sparse import Impacts
from sentflow.retrieval.sparse_files import read_terms, read_weights, refuse_other_terms
from sentflow.retrieval.vector_files import document_vectors, question_vectors
from sentflow.texts.corpora import Questions, read_corpus, read_ids, read_shard
from sentflow.texts.shards import rows_of_shard, shards_of

# Terms of texts: `csr_array` of weights, or `sentflow.encoders.vectors.terms.TermEmbeddings`
_Terms: TypeAlias = Any
# Of the terms of a question and of a text
_AddUp: TypeAlias = Callable[[_Terms, _Terms], Explanation]
_FILES = 3  # of vectors beside what describes them: texts, weights, numbers of tokens


def files_by_shard(vectors: Sequence[Path], infos: Sequence[Path]) -> list[list[Path]]:
    """The files of each shard, what describes them last; vectors stand shard after shard."""
    return [
        [*vectors[_FILES * shard : _FILES * (shard + 1)], info] for shard, info in enumerate(infos)
    ]  # fmt: skip


def explain_weights(
    pairs: Sequence[Pair],
    questions: Questions,
    corpus: Path,
    settings: Mapping[str, Any],
    name: TermName,
    *,
    documents: Sequence[Sequence[Path]],
    passages: Sequence[Path],
    asked: Sequence[Path],
) -> list[Explanation]:
    """What a sparse search adds up for questions and documents; by the best passage of a document, the first of equals.

    Parameters
    ----------
    pairs
        Of them.
    questions, corpus
        With these names among them; the file of the whole corpus.
    settings
        ``candidates``, if vectors of terms order what weights found; ``impacts``, if weights of documents are rounded.
    name
        Of a column.
    documents
        The files of each shard of the corpus in their order, see `document_vectors`; one where it has none.
    passages
        Those of each shard; empty where whole documents were embedded.
    asked
        Such files of the questions.

    Returns
    -------
    list
        An explanation for each pair. Weights of one shard are held at a time.

    Raises
    ------
    DataError
        A file is missing or damaged, or the files do not belong together.
    """
    corpus_name, ids = read_ids(corpus)
    row_of = {name: row for row, name in enumerate(ids)}
    read = read_terms if "candidates" in settings else read_weights
    terms = question_vectors(asked, questions, read=read).values
    question_row = {name: row for row, name in enumerate(questions.ids)}
    found: dict[Pair, Explanation] = {}
    for number, (shard, first, stop) in enumerate(_shards(corpus_name, len(ids), len(documents))):
        own = [pair for pair in pairs if first <= row_of[pair.document] < stop]
        if not own:
            continue
        refuse_other_terms(documents[number][-1], asked[-1])
        texts = read_shard(corpus, shard) if len(documents) > 1 else read_corpus(corpus)
        cut = passages[number : number + 1]
        held = document_vectors(documents[number], cut, texts, read=read)
        values, add_up = _scored(held.values, settings, name)
        for pair in own:
            row = question_row[pair.question]
            parts = values[np.flatnonzero(held.documents == row_of[pair.document] - first)]
            found[pair] = _by_the_best(terms[row : row + 1], parts, add_up)
    return [found[pair] for pair in pairs]


def _shards(corpus: str, n_documents: int, n_shards: int) -> Iterator[tuple[str, int, int]]:
    """The name of each shard, its first row, and the one after its last."""
    for shard in shards_of(corpus, n_shards):
        yield shard, *(rows_of_shard(shard, n_documents) if n_shards > 1 else (0, n_documents))


def _scored(values: _Terms, settings: Mapping[str, Any], name: TermName) -> tuple[_Terms, _AddUp]:
    """The terms of documents as the scores of a run count them, and what adds these up."""
    if "candidates" in settings:  # impacts then choose candidates, and are in no score
        return values, partial(of_vectors, name=name)
    if "impacts" in settings:
        impacts = Impacts.of(values, settings["impacts"])
        return impacts.values, partial(of_weights, name=name, step=impacts.step)
    return values, partial(of_weights, name=name)


def _by_the_best(question: _Terms, parts: _Terms, add_up: _AddUp) -> Explanation:
    """By the passage of the highest score, the first of equals; an empty document has none."""
    every = (add_up(question, parts[row : row + 1]) for row in range(parts.shape[0]))
    return max(every, key=lambda one: one.score, default=Explanation(()))
