"""The shared terms behind products of weights or of vectors, out of the files that a sparse search reads."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from sentflow.encoders.manifest import read_manifest
from sentflow.encoders.neural.term_names import term_names
from sentflow.encoders.vectors.sparse import TermName
from sentflow.files.io import read_json
from sentflow.retrieval.dense import document_vectors, question_vectors
from sentflow.retrieval.explanation import ExplainInputs, Explanation, Pair, of_vectors, of_weights
from sentflow.retrieval.settings import SearchSettings, Sparse
from sentflow.retrieval.sparse import Impacts, read_terms, read_weights, refuse_other_terms
from sentflow.texts.corpora import Questions, read_corpus, read_ids, read_shard
from sentflow.texts.shards import rows_of_shard, shards_of

# Terms of texts: `csr_array` of weights, or `sentflow.encoders.vectors.terms.TermEmbeddings`
_Terms: TypeAlias = Any
# Of the terms of a question and of a text
_AddUp: TypeAlias = Callable[[_Terms, _Terms], Explanation]
_FILES = 3  # of vectors beside what describes them: texts, weights, numbers of tokens


def explain(
    pairs: Sequence[Pair], questions: Questions, settings: SearchSettings, inputs: ExplainInputs
) -> list[Explanation]:
    """What a sparse search adds up for each pair; by the best passage of a document, the first of equals.

    Weights of one shard are held at a time. The tokenizer of the model names the terms.
    """
    by, manifest = settings.by, inputs.manifest
    assert isinstance(by, Sparse) and isinstance(manifest, Path)
    vocabulary = read_json(inputs.queries[-1])["vocabulary_sha256"]
    name = term_names(read_manifest(manifest), manifest.parent, vocabulary)
    corpus_name, ids = read_ids(inputs.corpus)
    row_of = {name: row for row, name in enumerate(ids)}
    read = read_terms if by.candidates else read_weights
    terms = question_vectors(inputs.queries, questions, read=read).values
    question_row = {name: row for row, name in enumerate(questions.ids)}
    documents = [
        [*inputs.documents[_FILES * shard : _FILES * (shard + 1)], info]
        for shard, info in enumerate(inputs.documents_info)
    ]
    found: dict[Pair, Explanation] = {}
    for number, (shard, first, stop) in enumerate(_shards(corpus_name, len(ids), len(documents))):
        own = [pair for pair in pairs if first <= row_of[pair.document] < stop]
        if not own:
            continue
        files = documents[number]
        refuse_other_terms(files[-1], inputs.queries[-1])
        texts = read_shard(inputs.corpus, shard) if len(documents) > 1 else read_corpus(inputs.corpus)
        passages = inputs.passages[number] if inputs.passages else None
        held = document_vectors(files, passages, texts, read=read)
        values, add_up = _scored(held.values, by, name)
        for pair in own:
            row = question_row[pair.question]
            parts = values[np.flatnonzero(held.documents == row_of[pair.document] - first)]
            found[pair] = _by_the_best(terms[row : row + 1], parts, add_up)
    return [found[pair] for pair in pairs]


def _shards(corpus: str, n_documents: int, n_shards: int) -> Iterator[tuple[str, int, int]]:
    """The name of each shard, its first row, and the one after its last."""
    for shard in shards_of(corpus, n_shards):
        yield shard, *(rows_of_shard(shard, n_documents) if n_shards > 1 else (0, n_documents))


def _scored(values: _Terms, by: Sparse, name: TermName) -> tuple[_Terms, _AddUp]:
    """The terms of documents as the scores of a run count them, and what adds these up."""
    if by.candidates:  # impacts then choose candidates, and are in no score
        return values, partial(of_vectors, name=name)
    if by.impacts:
        impacts = Impacts.of(values, by.impacts)
        return impacts.values, partial(of_weights, name=name, step=impacts.step)
    return values, partial(of_weights, name=name)


def _by_the_best(question: _Terms, parts: _Terms, add_up: _AddUp) -> Explanation:
    """By the passage of the highest score, the first of equals; an empty document has none."""
    every = (add_up(question, parts[row : row + 1]) for row in range(parts.shape[0]))
    return max(every, key=lambda one: one.score, default=Explanation(()))
