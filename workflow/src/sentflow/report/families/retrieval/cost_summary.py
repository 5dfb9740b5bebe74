"""Time and size of every search → cost of each retriever, with that of the retrievers that it is made of."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sentflow.files.rows import number_or_nan
from sentflow.report.families.retrieval.rows import RetrievalCostRow, RetrievalRow
from sentflow.report.numbers import counted
from sentflow.report.rows import unique
from sentflow.report.settings import CostSummary

Costs = Mapping[tuple[str, str], Mapping[str, Any]]
"""Question set and retriever, or corpus and encoder → what was measured."""


def cost_rows(
    rows: Sequence[RetrievalRow], searched: Costs, encoded: Costs, settings: CostSummary
) -> Iterator[RetrievalCostRow]:
    """One row per question set and retriever, in the order of the summary.

    `searched`: ``n_questions``, ``seconds`` and ``index_bytes`` of each run, those that are only fused included; of
    those that know them, ``question_seconds`` of cutting the questions into terms, and what
    `sentflow.retrieval.search.cost_of` counts. `encoded`: corpus and encoder → ``seconds`` of embedding the ``n_texts``
    questions of all sets that search it, and the ``device`` and ``threads`` that they took.
    """
    for row in rows:
        if row.group or not row.is_main:
            continue
        used = settings.parts[row.retriever]
        runs = [searched[row.questions, name] for name in used]
        encoders = {settings.encoders[name] for name in used if name in settings.encoders}
        n_asked = int(searched[row.questions, row.retriever]["n_questions"])
        made = [encoded.get((row.corpus, name)) for name in sorted(encoders)]
        seconds = [_share(one, n_asked) for one in made]
        seconds += [run.get("question_seconds", 0.0) for run in runs]
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
            encoded_on=", ".join(unique(_place(one) for one in made if one)),
            **_counted(runs, row.n_documents),
        )


def _counted(runs: Sequence[Mapping[str, Any]], n_documents: int) -> dict[str, float]:
    """What is counted of a retriever that is not made of others; NaN where nothing is."""
    [run] = runs if len(runs) == 1 else [{}]
    found = {key: run.get(key, math.nan) for key in ("terms_per_question", "terms_per_document")}
    per_document = run["n_vectors"] / n_documents if "n_vectors" in run else math.nan
    return {
        **found,
        "expected_matches": run.get("expected_matches", math.nan),
        "flops": run.get("flops", math.nan) * per_document,
    }


def _place(made: Mapping[str, Any]) -> str:
    """What embedded: ``cpu, 2 threads``, ``cuda``; empty where that is not known."""
    device, threads = made.get("device", ""), made.get("threads")
    return f"{device}, {counted(threads, 'thread')}" if device == "cpu" and threads else str(device)


def _share(made: Mapping[str, Any] | None, n_asked: int) -> float:
    """Seconds for some of the questions that were embedded together; NaN where that is not known."""
    return number_or_nan(made["seconds"]) * n_asked / made["n_texts"] if made else math.nan
