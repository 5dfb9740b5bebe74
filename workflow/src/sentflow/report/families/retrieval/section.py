"""What the page shows of retrieval."""

from sentflow.compare.question_rows import QuestionDifference
from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.findings import Finding, highest, lead_over_all
from sentflow.report.numbers import counted
from sentflow.report.page.sources import Part, Section, Sources, datasets_of
from sentflow.report.rows import unique


def section(sources: Sources) -> Section | None:
    """The section; None where there is nothing to tell."""
    rows = sources.inputs.rows_if_there(RetrievalRow)
    if not rows:
        return None
    differences = sources.inputs.rows_if_there(QuestionDifference)
    shown = words.whole(rows)
    sets, corpora = sources.entries("question_sets"), sources.entries("corpora")
    sizes = {row.questions: row for row in shown}
    tables = {"retrieval": sources.table("retrieval", "Questions")}
    if differences:
        tables["retrieval-differences"] = sources.table("retrieval-differences", "Questions")
    return Section(
        name="retrieval",
        shown={
            "n_sets": len(sizes),
            "n_questions": sum(row.n_questions for row in sizes.values()),
            "n_retrievers": len(unique(row.retriever for row in shown)),
            "population": words.POPULATION,
            "sets": [
                {
                    **entry,
                    "name": name,
                    "found": sizes.get(name),
                    "cut_off": words.cut_note([row for row in shown if row.questions == name]),
                    "documents": corpora.get(entry["corpus"], {}),
                }
                for name, entry in sets.items()
            ],
        },
        summary="families/retrieval/page/summary.html.j2",
        results=(Part("retrieval", "Retrieval", "families/retrieval/page/results.html.j2"),),
        rows=rows,
        encoders=[row for row in rows if not row.is_baseline],
        findings=_findings([row for row in shown if row.is_main], differences),
        tables=tables,
        datasets=datasets_of([*sets.values(), *corpora.values()]),
        badges=(counted(len(sizes), "question set"),),
    )


def _findings(rows: list[RetrievalRow], differences: list[QuestionDifference]) -> list[Finding]:
    """What a reader should take home; nothing is called a lead that no test shows."""
    if not rows:
        return []
    scores = [(row.questions, row.retriever_title, row.value) for row in rows]
    lead = lead_over_all(
        differences, unique(row.questions for row in rows), "paired t-test over questions", "question set"
    )
    found = [
        highest(f"Highest {rows[0].measure}", scores, "question set"),
        Finding("How clear the lead in retrieval is", lead) if lead else None,
    ]
    return [finding for finding in found if finding is not None]
