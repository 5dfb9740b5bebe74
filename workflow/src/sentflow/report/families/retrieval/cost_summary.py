"""Time and size of every search → cost of each retriever, with that of the retrievers that it is made of."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sentflow.files.rows import number_or_nan
from sentflow.report.families.retrieval.rows import RetrievalCostRow, RetrievalRow

Costs = Mapping[tuple[str, str], Mapping[str, Any]]
"""Question set and retriever, or corpus and encoder → what was measured."""


def cost_rows(
    rows: Sequence[RetrievalRow], searched: Costs, encoded: Costs, settings: Mapping[str, Any]
) -> Iterator[RetrievalCostRow]:
    """One row per question set and retriever, in the order of the summary.

    Parameters
    ----------
    rows
        The summary of retrieval.
    searched
        ``n_questions``, ``seconds`` and ``index_bytes`` of each run, those that are only fused included.
    encoded
        Corpus and encoder → ``seconds`` of embedding the ``n_texts`` questions of all sets that search it.
    settings
        ``parts``: retriever → all that it is made of, itself included; ``encoders``: retriever → its encoder.
    """
    for row in rows:
        if row.group or not row.is_main:
            continue
        used = settings["parts"][row.retriever]
        runs = [searched[row.questions, name] for name in used]
        encoders = {settings["encoders"][name] for name in used if name in settings["encoders"]}
        n_asked = int(searched[row.questions, row.retriever]["n_questions"])
        seconds = [_share(encoded.get((row.corpus, name)), n_asked) for name in sorted(encoders)]
        yield RetrievalCostRow(
            questions=row.questions,
            questions_title=row.questions_title,
            model=row.retriever,
            model_title=row.retriever_title,
            is_control=row.is_control,
            position=row.position,
            measure=row.measure,
            value=row.value,
            low=row.low,
            high=row.high,
            level=row.level,
            search_seconds=math.fsum(number_or_nan(run["seconds"]) for run in runs),
            encode_seconds=math.fsum(seconds),
            index_bytes=math.fsum(number_or_nan(run["index_bytes"]) for run in runs),
            n_asked=n_asked,
            n_documents=row.n_documents,
            data_version=row.data_version,
        )


def _share(made: Mapping[str, Any] | None, n_asked: int) -> float:
    """Seconds for some of the questions that were embedded together; NaN where that is not known."""
    return number_or_nan(made["seconds"]) * n_asked / made["n_texts"] if made else math.nan
