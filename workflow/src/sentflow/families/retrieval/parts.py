"""What retrievers are made of: others that they fuse or rerank, and encoders.

Standard library only: the Snakefile imports this package in every job.
"""

from collections.abc import Container, Sequence

from sentflow.graph.config.family import AllEntries, Entries, Entry, Selected
from sentflow.graph.config.messages import as_map

BM25, DENSE, FUSION, RERANK, RUN, RANDOM = "bm25", "dense", "fusion", "rerank", "run", "random"
SPARSE = "sparse"
EXPLAINED = (BM25, SPARSE)  # whose scores are sums over the terms that a question and a document share
RERANKED = 100  # documents that are ordered anew, where an entry does not say how many
BY_VECTORS = (DENSE, SPARSE)  # search what an encoder made of documents and questions

DOCUMENTS, QUESTIONS = UNITS = ("documents", "questions")  # what encoders read, beside passages


def parts_of(entry: Entry) -> list[str]:
    """The retrievers whose runs a retriever needs: those that it fuses, then a factor; or the one that it reranks."""
    of, times = (as_map(entry).get(key) for key in ("of", "times"))
    named = [*of, times] if isinstance(of, list) else [of]
    return [name for name in named if isinstance(name, str)]


def all_retrievers(selected: Sequence[str], retrievers: Entries) -> list[str]:
    """The selected retrievers, each after those that it fuses or reranks.

    Raises
    ------
    RecursionError
        One names itself, see `_circles`.
    """
    found: dict[str, None] = {}

    def add(name: str) -> None:
        for part in parts_of(retrievers[name]):
            add(part)
        found[name] = None

    for name in selected:
        add(name)
    return list(found)


def reached_by(selected: Sequence[str], retrievers: Entries) -> list[str]:
    """The selected retrievers and all that they fuse or rerank, as far as these exist."""
    found: list[str] = []
    waiting = list(selected)
    while waiting:
        name = waiting.pop(0)
        if name in found or name not in retrievers:
            continue
        found.append(name)
        waiting += parts_of(retrievers[name])
    return found


def dense_encoders(selected: Sequence[str], retrievers: Entries) -> set[str]:
    """The encoders whose vectors selected retrievers search, also those of what they fuse or rerank."""
    found = (retrievers[name] for name in reached_by(selected, retrievers))
    return {entry["model"] for entry in found if entry["kind"] == DENSE}


def models_of(selected: Sequence[str], retrievers: Entries) -> list[str]:
    """The encoders and cross-encoders of retrievers, as far as these exist, also of what they fuse or rerank."""
    found = (as_map(retrievers[name]).get("model") for name in reached_by(selected, retrievers))
    return list(dict.fromkeys(name for name in found if isinstance(name, str)))


def searchable(selected: Sequence[str], retrievers: Entries, models: Container[str]) -> list[str]:
    """Those of the selected retrievers whose encoders are selected, too, also those of what they fuse or rerank."""
    return [name for name in selected if all(model in models for model in dense_encoders([name], retrievers))]


def models_of_terms_and_pairs(entries: AllEntries, selected: Selected) -> list[str]:
    """The cross-encoders and encoders of terms of the selected retrievers, and of those that they fuse or rerank."""
    retrievers = entries["retrievers"]
    known = selected["retrievers"] if selected["question_sets"] else []
    reached = reached_by(searchable(known, retrievers, selected["models"]), retrievers)
    named = [as_map(retrievers[name]) for name in reached]
    return [
        entry["model"]
        for entry in named
        if entry.get("kind") in (RERANK, SPARSE) and isinstance(entry.get("model"), str)
    ]
