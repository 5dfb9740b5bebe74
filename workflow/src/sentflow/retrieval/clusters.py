"""Which questions of a set belong together, so that what is said of them may hold for new documents."""

import re
from collections.abc import Sequence

import numpy as np

from sentflow.errors import DataError
from sentflow.texts.corpora import Questions
from sentflow.texts.corpus_files import COLUMN, GOLD_DOCUMENT


def clusters_of(questions: Questions, by: str, pattern: str | None = None) -> dict[str, str]:
    """The cluster of each question that has one.

    `by`: ``column``: what the files say of each question; ``gold-document``: questions that share a relevant document
    are in one cluster, and so are those that are joined by others. Returns question → cluster: a name of the column,
    or the first document, or part of its identifier, of the cluster. Raises DataError: there is no such column, or a
    relevant document does not match the pattern.
    """
    if by == COLUMN:
        if not questions.clusters:
            raise DataError(
                f"{questions.name}: no question has a cluster. Write the column of cluster: at its questions, or "
                f"cluster: {GOLD_DOCUMENT}."
            )
        return {name: one for name, one in zip(questions.ids, questions.clusters, strict=True) if one}
    relevant = np.flatnonzero(questions.grades >= questions.relevant_grade)
    units = _parts([questions.documents[row] for row in relevant], pattern, questions.name)
    own: dict[int, list[str]] = {}
    for question, unit in zip(questions.judged[relevant].tolist(), units, strict=True):
        own.setdefault(question, []).append(unit)
    linked = linked_by([*own.values()]).tolist()
    first: dict[int, str] = {}
    for cluster, names in zip(linked, own.values(), strict=True):
        first.setdefault(cluster, names[0])
    return {questions.ids[question]: first[cluster] for question, cluster in zip(own, linked, strict=True)}


def linked_by(relevant: Sequence[Sequence[str]]) -> np.ndarray:
    """(n,) int64 cluster of each question: those that share a relevant document are in one, also through others."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    # questions and documents are the nodes of a graph, judgements its edges
    n = len(relevant)
    row_of = {
        name: row for row, name in enumerate(dict.fromkeys(name for own in relevant for name in own), n)
    }
    edges = [(row, row_of[name]) for row, own in enumerate(relevant) for name in own]
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    graph = coo_array((np.ones(len(edges)), tuple(ends)), shape=(n + len(row_of),) * 2)
    _, component = connected_components(graph, directed=False)
    return np.unique(component[:n], return_inverse=True)[1].astype(np.int64)


def _parts(documents: Sequence[str], pattern: str | None, name: str) -> list[str]:
    """What counts of each identifier."""
    if pattern is None:
        return [*documents]
    found = {document: re.search(pattern, document) for document in dict.fromkeys(documents)}
    others = [document for document, match in found.items() if match is None]
    if others:
        raise DataError(
            f"{name}: cluster_pattern {pattern!r} matches nothing in {len(others)} identifiers of relevant documents, "
            f"the first of them {others[0]!r}. Write a pattern that all of them match."
        )
    return [match[1 if match.re.groups else 0] for document in documents if (match := found[document])]
