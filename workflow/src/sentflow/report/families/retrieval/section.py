"""What the page shows of retrieval."""

from sentflow.compare.question_rows import (
    ClusterRow,
    DocumentDifference,
    GroupRow,
    QuestionDifference,
    SeedRow,
)
from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.findings import Finding, highest, lead_over_all
from sentflow.report.numbers import counted
from sentflow.report.page.sources import Part, Section, Sources, datasets_of
from sentflow.report.rows import unique
from sentflow.retrieval.hardest_rows import HardQuestion

# What is shown where there are rows of it
_OTHER_TABLES = {
    "retrieval-documents": ClusterRow,
    "retrieval-group-tests": GroupRow,
    "retrieval-seeds": SeedRow,
    "retrieval-questions": HardQuestion,
}


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
    other = [name for name, kind in _OTHER_TABLES.items() if sources.inputs.rows_if_there(kind)]
    tables |= {name: sources.table(name, "Questions") for name in other}
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
                    "documents": corpora.get(entry["corpus"], {}),
                }
                for name, entry in sets.items()
            ],
        },
        summary="families/retrieval/page/summary.html.j2",
        results=_parts(other),
        rows=rows,
        encoders=[row for row in rows if not row.is_baseline],
        findings=_findings(
            [row for row in shown if row.is_main],
            differences,
            sources.inputs.rows_if_there(DocumentDifference),
        ),
        tables=tables,
        datasets=datasets_of([*sets.values(), *corpora.values()]),
        badges=(counted(len(sizes), "question set"),),
    )


def _parts(other: list[str]) -> tuple[Part, ...]:
    """The parts of the section: results, for what they hold, and questions to read."""
    folder = "families/retrieval/page"
    parts = [Part("retrieval", "Retrieval", f"{folder}/results.html.j2")]
    if set(other) - {"retrieval-questions"}:
        parts.append(
            Part("retrieval-generality", "New documents, groups, seeds", f"{folder}/generality.html.j2")
        )
    if "retrieval-questions" in other:
        parts.append(Part("retrieval-questions", "Questions worth reading", f"{folder}/questions.html.j2"))
    return tuple(parts)


def _findings(
    rows: list[RetrievalRow],
    differences: list[QuestionDifference],
    of_documents: list[DocumentDifference],
) -> list[Finding]:
    """What a reader should take home; nothing is called a lead that no test shows."""
    if not rows:
        return []
    scores = [(row.questions, row.retriever_title, row.value) for row in rows]
    sets = unique(row.questions for row in rows)
    lead = lead_over_all(
        differences, sets, "paired t-test over questions", "question set", systems="retrievers"
    )
    lead_elsewhere = lead_over_all(
        of_documents, sets, "paired t-test over clusters of questions", "question set", systems="retrievers"
    )
    found = [
        highest(f"Highest {rows[0].measure}", scores, "question set"),
        Finding("How clear the lead in retrieval is, for new questions on the same documents", lead)
        if lead
        else None,
        Finding("How clear it is for new documents", lead_elsewhere) if lead_elsewhere else None,
    ]
    return [finding for finding in found if finding is not None]
