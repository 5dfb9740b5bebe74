"""The row of what approximate indexes cost and save; undefined numbers NaN."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sentflow.report.settings import IndexSummary


@dataclass(frozen=True)
class IndexRow:
    """An approximate index beside the exact search of the same vectors, on a question set, for one recall."""

    FILE: ClassVar[str] = "retrieval-indexes"

    # questions, questions_title, corpus, retriever, retriever_title: names and titles
    questions: str
    questions_title: str
    corpus: str
    retriever: str
    retriever_title: str
    # kind, parameters: of the index
    kind: str
    parameters: str
    # n_vectors, index_bytes, vector_bytes, build_seconds: vectors; size of the index and of the vectors; CPU seconds
    # that it took to build, on one thread
    n_vectors: int
    index_bytes: int
    vector_bytes: int
    build_seconds: float
    # n_questions, n_judged: questions of recall; with a relevant document
    n_questions: int
    n_judged: int
    # k, recall, recall_p5: share of the k best documents of the exact search that the index finds: mean over the
    # questions, and their 5th percentile. Documents with the score of the k-th count.
    k: int
    recall: float
    recall_p5: float
    # measure, value, value_exact: the main measure by the index, and by the exact search
    measure: str
    value: float
    value_exact: float
    # low, high, level: t interval of the difference, index minus exact
    low: float
    high: float
    level: float
    # margin, p_equivalence: of the test that the difference is smaller than the margin
    margin: float
    p_equivalence: float
    # per_second, per_second_exact: questions per CPU second on one thread, in one job
    per_second: float
    per_second_exact: float


def index_rows(results: Iterable[Mapping[str, Any]], settings: IndexSummary) -> list[IndexRow]:
    """A row for each recall of each certificate, question sets and retrievers in the order of their titles."""
    found = {(result["questions"], result["retriever"]): result for result in results}
    names = [(one, other) for one in settings.questions for other in settings.retrievers]
    return [
        _row(found[name], recall, settings)
        for name in names
        if name in found
        for recall in found[name]["recalls"]
    ]


def _row(result: Mapping[str, Any], recall: Mapping[str, Any], settings: IndexSummary) -> IndexRow:
    index, made = dict(result["index"]), result["made"]
    kind = index.pop("kind")
    return IndexRow(
        questions_title=settings.questions[result["questions"]],
        retriever_title=settings.retrievers[result["retriever"]],
        kind=kind,
        parameters=", ".join(f"{key.replace('_', ' ')} {value}" for key, value in index.items()),
        n_vectors=made["n_vectors"],
        index_bytes=made["bytes"],
        vector_bytes=made["vector_bytes"],
        build_seconds=made["cpu_seconds"],
        k=recall["k"],
        recall=recall["mean"],
        recall_p5=recall["p5"],
        value=result["values"]["approximate"],
        value_exact=result["values"]["exact"],
        per_second=result["per_second"]["approximate"],
        per_second_exact=result["per_second"]["exact"],
        **{key: result[key] for key in ("questions", "corpus", "retriever", "n_questions", "n_judged")},
        **{key: result[key] for key in ("measure", "low", "high", "level", "margin", "p_equivalence")},
    )
