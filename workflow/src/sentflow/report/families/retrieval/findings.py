"""The results of retrieval in plain words: who is best, by how much, how certain that is."""

from collections.abc import Mapping, Sequence

from sentflow.compare.differences import on_unit_set
from sentflow.compare.question_rows import DocumentDifference, QuestionDifference
from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.findings import Finding, highest, lead_over_all
from sentflow.report.numbers import count, interval, percent, signed
from sentflow.report.rows import unique

_MOST_SETS = 8


def retrieval_findings(
    rows: Sequence[RetrievalRow],
    differences: Sequence[QuestionDifference],
    of_documents: Sequence[DocumentDifference] = (),
) -> list[Finding]:
    """What a reader should take home; nothing is called a lead that no test shows."""
    main = [row for row in rows if row.is_main and not words.decided_by_ties(row)]
    if not main:
        return []
    scores = [(row.questions, row.retriever_title, row.value) for row in main]
    sets = unique(row.questions for row in main)
    lead = lead_over_all(differences, sets, words.TEST, "question set", "retrievers")
    elsewhere = lead_over_all(
        of_documents, sets, "paired t-test over clusters of questions", "question set", "retrievers"
    )
    found = [
        highest(f"Highest {main[0].measure}", scores, "question set"),
        _leads(main, differences),
        Finding(f"How clear the lead in retrieval is, for {words.QUESTIONS}", lead) if lead else None,
        Finding(f"How clear it is for {words.DOCUMENTS}", elsewhere) if elsewhere else None,
    ]
    return [finding for finding in found if finding is not None]


def _leads(rows: Sequence[RetrievalRow], differences: Sequence[QuestionDifference]) -> Finding | None:
    """By how much the best retriever of each set is above the second, controls apart."""
    titles = {row.retriever: row.retriever_title for row in rows}
    said = []
    sets = unique(row.questions for row in rows)
    for name in sets[:_MOST_SETS]:
        ranked = sorted(
            (row for row in rows if row.questions == name and not row.is_control), key=lambda row: -row.value
        )
        tested = on_unit_set(differences, name)
        if len(ranked) > 1 and (text := _lead(ranked[0].retriever, ranked[1].retriever, tested, titles)):
            said.append(f"{name}: {text}")
    if not said:
        return None
    first = differences[0]
    more = f" {count(len(sets) - _MOST_SETS)} more sets are in the table." if len(sets) > _MOST_SETS else ""
    return Finding(
        "First before second",
        f"{'; '.join(said)}. Mean difference with its {percent(first.level)} t interval, for {words.POPULATION}.{more}",
    )


def _lead(
    best: str, second: str, tested: Sequence[QuestionDifference], titles: Mapping[str, str]
) -> str | None:
    """``BM25 × MiniLM before BM25 by +0.059 [0.045, 0.074], significant``."""
    row = next((one for one in tested if {one.model_a, one.model_b} == {best, second}), None)
    if row is None:
        return None
    sign = 1 if row.model_a == best else -1
    low, high = sorted((sign * row.low, sign * row.high))
    sure = "significant" if row.p_holm <= row.alpha else "not significant"
    return f"{titles[best]} before {titles[second]} by {signed(sign * row.difference)} {interval(low, high)}, {sure}"
