"""What retrievers are made of: others that they fuse or rerank, and encoders.

Standard library only: the Snakefile imports this package in every job.
"""

from collections.abc import Mapping, Sequence

from sentflow.config.entries import AllEntries, Entries, Entry, Selected, as_map

BM25, DENSE, FUSION, RERANK, RUN, RANDOM = "bm25", "dense", "fusion", "rerank", "run", "random"
SPARSE = "sparse"
EXPLAINED = (BM25, SPARSE)  # whose scores are sums over the terms that a question and a document share
RERANKED = 100  # documents that are ordered anew, where an entry does not say how many
BY_VECTORS = (DENSE, SPARSE)  # search what an encoder made of documents and questions

OTHER = "other"  # languages that a map from languages does not name
DOCUMENTS, QUESTIONS = UNITS = ("documents", "questions")  # what encoders read, beside passages


def counts_terms(entry: Entry) -> bool:
    return "analyser" in as_map(entry)


def parts_of(entry: Entry) -> list[str]:
    """The retrievers whose runs a retriever needs: those that it fuses, then a factor; or the one that it reranks."""
    of, times = (as_map(entry).get(key) for key in ("of", "times"))
    named = [*of, times] if isinstance(of, list) else [of]
    return [name for name in named if isinstance(name, str)]


def all_retrievers(selected: Sequence[str], retrievers: Entries) -> list[str]:
    """The selected retrievers, each after those that it fuses or reranks."""
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


def models_of(selected: Sequence[str], retrievers: Entries) -> list[str]:
    found = (as_map(retrievers[name]).get("model") for name in reached_by(selected, retrievers))
    return list(dict.fromkeys(name for name in found if isinstance(name, str)))


def without_encoder(entries: AllEntries, selected: Selected) -> list[str]:
    """The retrievers with an encoder that is not selected, also of what they fuse or rerank; none without questions."""
    retrievers, models = entries["retrievers"], set(selected["models"])
    named = selected["retrievers"] if selected["question_sets"] else []
    return [name for name in named if not models.issuperset(models_of([name], retrievers))]


def further_encoders(entries: AllEntries, selected: Selected) -> list[str]:
    """The encoders that are not selected, but that retrievers bring, and what they fuse or rerank."""
    retrievers = entries["retrievers"]
    brought = models_of(without_encoder(entries, selected), retrievers)
    return [name for name in brought if name not in selected["models"]]


def tuned_on(retriever: Entry) -> list[str]:
    weights = retriever.get("weights")
    return list(weights["tuned_on"]) if isinstance(weights, Mapping) else []


def decided_by(decision: Entry, shown: Sequence[str]) -> list[str]:
    """The retrievers, of those that are shown, whose runs a decision is applied to."""
    named = decision.get("retrievers", shown)
    return [name for name in shown if name in named]


def task_of_mteb(name: str, entry: Entry) -> str:
    return str(entry.get("mteb", name))
