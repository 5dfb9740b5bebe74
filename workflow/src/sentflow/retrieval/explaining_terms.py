"""The shared terms behind scores of BM25, out of the files that its search reads."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from sentflow.retrieval.analysers import Analyser
from sentflow.retrieval.bm25 import Bm25, Bm25Settings
from sentflow.retrieval.contributions import Explanation, of_terms
from sentflow.retrieval.shared_terms import Pair
from sentflow.retrieval.terms import TermCounts, count_terms, read_counts, read_terms
from sentflow.texts.corpora import Questions


def explain_terms(
    pairs: Sequence[Pair],
    questions: Questions,
    ids: Sequence[str],
    settings: Mapping[str, Any],
    *,
    terms: Sequence[Path],
    counts: Sequence[Path],
    where: str,
) -> list[Explanation]:
    """What BM25 adds up for questions and documents.

    Parameters
    ----------
    pairs
        Of them.
    questions, ids
        With these names among them; the documents in the order of the corpus.
    settings
        The analyser's entry, and the keys of `Bm25Settings`.
    terms
        Those of the documents of each shard of the corpus, in their order; one file where it has none.
    counts
        Those of the whole corpus, where it has shards; else empty.
    where
        Place of the retriever's entry, for messages.

    Returns
    -------
    list
        An explanation for each pair. One shard is held at a time, and an index of the documents alone.

    Raises
    ------
    DataError
        A file is missing or damaged.
    """
    own = dict(settings)
    analyser = Analyser.from_settings(own.pop("analyser"), where=f"{where}.analyser")
    text_of = dict(zip(questions.ids, questions.texts, strict=True))
    asked = {pair.question: analyser.terms([text_of[pair.question]])[0] for pair in pairs}
    row_of = {name: row for row, name in enumerate(ids)}
    held, whole = _documents({row_of[pair.document] for pair in pairs}, terms, counts)
    place = {row: place for place, row in enumerate(held)}
    used = {term for own_terms in (*held.values(), *asked.values()) for term in own_terms}
    index = Bm25(list(held.values()), Bm25Settings(**own), _narrowed(whole, used))
    rows = [row_of[pair.document] for pair in pairs]
    return [
        of_terms(index, place[row], asked[pair.question], held[row])
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
