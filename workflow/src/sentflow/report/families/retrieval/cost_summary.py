"""Time and size of every search → cost of each retriever, with that of the retrievers that it is made of."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sentflow.files.rows import number_or_nan
from sentflow.report.families.retrieval.rows import RetrievalCostRow, RetrievalRow

Costs = Mapping[tuple[str, str], Mapping[str, Any]]
"""Question set and retriever, or question set and encoder → what was measured."""


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
        ``seconds`` of embedding the questions of a set.
    settings
        ``parts``: retriever → all that it is made of, itself included; ``encoders``: retriever → its encoder.
    """
    for row in rows:
        if row.group or not row.is_main:
            continue
        used = settings["parts"][row.retriever]
        runs = [searched[row.questions, name] for name in used]
        encoders = {settings["encoders"][name] for name in used if name in settings["encoders"]}
        seconds = [encoded.get((row.questions, name), {}).get("seconds") for name in sorted(encoders)]
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
            encode_seconds=math.fsum(number_or_nan(value) for value in seconds),
            index_bytes=math.fsum(number_or_nan(run["index_bytes"]) for run in runs),
            n_asked=int(searched[row.questions, row.retriever]["n_questions"]),
            n_documents=row.n_documents,
            data_version=row.data_version,
        )
