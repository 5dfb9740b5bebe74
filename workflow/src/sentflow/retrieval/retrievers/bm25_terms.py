"""The shared terms behind scores of BM25, out of the files that its search reads."""

from collections.abc import Collection, Sequence
from pathlib import Path

from sentflow.retrieval.analysers import analyser_of
from sentflow.retrieval.bm25 import Bm25
from sentflow.retrieval.explanation import ExplainInputs, Explanation, Pair, of_terms
from sentflow.retrieval.settings import BM25, SearchSettings
from sentflow.retrieval.terms import TermCounts, count_terms, read_counts, read_terms
from sentflow.texts.corpora import Questions, read_ids


def explain(
    pairs: Sequence[Pair], questions: Questions, settings: SearchSettings, inputs: ExplainInputs
) -> list[Explanation]:
    """What BM25 adds up for each pair. One shard is held at a time, and an index of the documents alone."""
    assert isinstance(settings.by, BM25)
    analyser, (_, ids) = analyser_of(settings), read_ids(inputs.corpus)
    text_of = dict(zip(questions.ids, questions.texts, strict=True))
    queries = {pair.question: analyser.terms([text_of[pair.question]])[0] for pair in pairs}
    row_of = {name: row for row, name in enumerate(ids)}
    held, whole = _documents({row_of[pair.document] for pair in pairs}, inputs.terms, inputs.counts)
    place = {row: place for place, row in enumerate(held)}
    used = {term for own_terms in (*held.values(), *queries.values()) for term in own_terms}
    index = Bm25(list(held.values()), settings.by, _narrowed(whole, used))
    rows = [row_of[pair.document] for pair in pairs]
    return [
        of_terms(index, place[row], queries[pair.question], held[row])
        for pair, row in zip(pairs, rows, strict=True)
    ]


def _documents(
    rows: Collection[int], terms: Sequence[Path], counts: Sequence[Path]
) -> tuple[dict[int, list[str]], TermCounts]:
    """The terms of some documents by their rows, and the counts of the whole corpus."""
    found: dict[int, list[str]] = {}
    whole = read_counts(counts[0]) if counts else None
    first = 0
    for file in terms:
        shard = read_terms(file)
        found |= {row: shard[row - first] for row in sorted(rows) if first <= row < first + len(shard)}
        first += len(shard)
        whole = whole or count_terms([shard])
    assert whole is not None  # there is a file of terms at least
    return found, whole


def _narrowed(counts: TermCounts, used: Collection[str]) -> TermCounts:
    """The same counts, of some terms alone: no score of these depends on others."""
    known = {term: n for term, n in counts.n_documents_with.items() if term in used}
    return TermCounts(counts.n_documents, counts.n_terms, known)
