"""Which questions of a set belong together, so that what is said of them may hold for new documents."""

import re
from collections.abc import Sequence

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from sentflow.errors import DataError
from sentflow.texts.corpora import Questions
from sentflow.texts.corpus_files import COLUMN, GOLD_DOCUMENT


def clusters_of(questions: Questions, by: str, pattern: str | None = None) -> dict[str, str]:
    """The cluster of each question that has one.

    Parameters
    ----------
    questions
        With their judgements.
    by
        ``column``: what the files say of each question; ``gold-document``: questions that share a relevant document
        are in one cluster, and so are those that are joined by others.
    pattern
        Regular expression of the part of a document's identifier that counts, say its law: the first group, or all
        that matches. The whole identifier by default.

    Returns
    -------
    dict
        Question → cluster: a name of the column, or the first document, or part of its identifier, of the cluster.

    Raises
    ------
    DataError
        There is no such column, or a relevant document does not match the pattern.
    """
    if by == COLUMN:
        if not questions.clusters:
            raise DataError(
                f"{questions.name}: no question has a cluster. Write the column of cluster: at its questions, or "
                f"cluster: {GOLD_DOCUMENT}."
            )
        return {name: one for name, one in zip(questions.ids, questions.clusters, strict=True) if one}
    relevant = np.flatnonzero(questions.grades >= questions.relevant_grade)
    asked = questions.judged[relevant]
    units = _parts([questions.documents[row] for row in relevant], pattern, questions.name)
    row_of = {unit: row for row, unit in enumerate(dict.fromkeys(units))}
    n = len(questions)
    # questions and documents are the nodes of a graph, judgements its edges
    ends = (asked, n + np.array([row_of[unit] for unit in units], dtype=np.int64))
    edges = coo_array((np.ones(len(units)), ends), shape=(n + len(row_of),) * 2)
    _, component = connected_components(edges, directed=False)
    first: dict[int, str] = {}
    for question, unit in zip(asked.tolist(), units, strict=True):
        first.setdefault(int(component[question]), unit)
    return {questions.ids[question]: first[int(component[question])] for question in asked.tolist()}


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
