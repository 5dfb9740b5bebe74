"""Results of retrieval → rows of the summary."""

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.rows import described
from sentflow.report.settings import RetrievalSummary

_OTHERS = ("best_order", "worst_order", "condensed", "with_duplicates")


def retrieval_rows(results: Iterable[Mapping[str, Any]], settings: RetrievalSummary) -> list[RetrievalRow]:
    """The means of all results: question sets and retrievers in the order of selection, groups after the whole.

    `results`: as `sentflow.retrieval.evaluation.write_results` wrote them.
    """
    found = {(result["questions"], result["retriever"]): result for result in results}
    names = [
        (one, other) for one in settings.question_sets for other in settings.shown if (one, other) in found
    ]
    return [row for name in names for row in _rows(found[name], settings)]


def _rows(result: Mapping[str, Any], settings: RetrievalSummary) -> Iterator[RetrievalRow]:
    asked = described(settings, "question_sets", result["questions"])
    retriever = described(settings, "retrievers", result["retriever"])
    common: dict[str, Any] = {
        "questions": result["questions"],
        "questions_title": asked.title,
        "corpus": result["corpus"],
        "corpus_title": described(settings, "corpora", result["corpus"]),
        "retriever": result["retriever"],
        "retriever_title": retriever.title,
        "is_control": retriever.control,
        "position": retriever.position,
        "model": retriever.model or result["retriever"],
        "model_title": retriever.model_title or retriever.title,
        "is_baseline": not retriever.model,
        "level": result["level"],
        "relevant_grade": asked.relevant_grade,
        "data_version": asked.data_version,
        "language": asked.language,
        **{
            key: result[key]
            for key in ("n_left_out", "n_unanswered", "n_tied_at_cut", "n_relevant", "n_documents", "depth")
        },
        "judged_share": result["judged_share"],
        **_cut_off(result.get("reading", {})),
    }
    for measure in settings.measures:
        stated = result["measures"][measure]
        others: dict[str, Any] = {key: stated.get(key, math.nan) for key in _OTHERS}
        yield RetrievalRow(
            **common,
            group="",
            measure=measure,
            is_main=measure == settings.main,
            value=stated["mean"],
            low=stated["low"],
            high=stated["high"],
            n_questions=result["n_questions"],
            chance=stated["chance"],
            **others,
        )
    none: dict[str, Any] = dict.fromkeys(_OTHERS, math.nan)
    for group, part in result["groups"].items():
        for measure in settings.measures:
            yield RetrievalRow(
                **common,
                group=group,
                measure=measure,
                is_main=measure == settings.main,
                value=part["measures"][measure],
                low=math.nan,
                high=math.nan,
                n_questions=part["n_questions"],
                **none,
            )


def _cut_off(reading: Mapping[str, Mapping[str, int] | None]) -> dict[str, float]:
    """How many texts of each side the encoder cut off, and the share of tokens; undefined where it does not say."""
    found = {}
    for side in ("documents", "questions"):
        counts = reading.get(side)
        found[f"{side}_cut"] = counts["cut"] if counts else math.nan
        found[f"{side}_lost"] = counts["tokens_cut"] / counts["tokens"] if counts else math.nan
    return found
