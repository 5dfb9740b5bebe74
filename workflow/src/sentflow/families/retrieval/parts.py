"""What retrievers are made of: others that they fuse or rerank, and encoders.

Standard library only: the Snakefile imports this package in every job.
"""

from collections.abc import Sequence
from typing import Any

from sentflow.graph.config.family import AllEntries, Entries, Entry, Selected
from sentflow.graph.config.messages import as_map

BM25, DENSE, FUSION, RERANK, RUN, RANDOM = "bm25", "dense", "fusion", "rerank", "run", "random"
SPARSE = "sparse"
EXPLAINED = (BM25, SPARSE)  # whose scores are sums over the terms that a question and a document share
SAMPLE_DATA = "sample data"
RERANKED = 100  # documents that are ordered anew, where an entry does not say how many
_OF_RETRIEVERS = (RERANK, SPARSE)  # whose encoders retrievers alone name
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


def searchable(selected: Selected, entries: AllEntries) -> list[str]:
    """The selected retrievers that search the selected question sets.

    Left out are those whose dense encoders, also of what they fuse or rerank, are not selected; and those with an
    encoder of terms or pairs that was trained on sample data, where no question set is sample data.
    """
    retrievers, models, sets = entries["retrievers"], entries["models"], entries["question_sets"]
    on_sample = any(_is_sample(sets[name]) for name in selected["question_sets"])
    data = entries["training_data"]

    def fits(name: str) -> bool:
        reached = [retrievers[one] for one in reached_by([name], retrievers)]
        trained = [
            as_map(models.get(str(one.get("model")))) for one in reached if one["kind"] in _OF_RETRIEVERS
        ]
        return all(model in selected["models"] for model in dense_encoders([name], retrievers)) and (
            on_sample or not any(_is_sample(data.get(str(one.get("data")))) for one in trained)
        )

    return [name for name in selected["retrievers"] if fits(name)]


def _is_sample(entry: Any) -> bool:
    return as_map(entry).get("data_version") == SAMPLE_DATA


def models_of_terms_and_pairs(entries: AllEntries, selected: Selected) -> list[str]:
    """The cross-encoders and encoders of terms of the selected retrievers, and of those that they fuse or rerank."""
    retrievers = entries["retrievers"]
    searching = searchable(selected, entries) if selected["question_sets"] else []
    reached = reached_by(searching, retrievers)
    named = [as_map(retrievers[name]) for name in reached]
    return [
        entry["model"]
        for entry in named
        if entry.get("kind") in _OF_RETRIEVERS and isinstance(entry.get("model"), str)
    ]
