"""What the page shows of retrieval."""

from sentflow.compare.question_rows import (
    ClusterRow,
    DocumentDifference,
    GroupRow,
    QuestionDifference,
    SeedRow,
)
from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.board import answer, board, columns
from sentflow.report.families.retrieval.decision_rows import DecisionRow, WeightRow
from sentflow.report.families.retrieval.findings import retrieval_findings
from sentflow.report.families.retrieval.index_rows import IndexRow
from sentflow.report.families.retrieval.rows import RetrievalCostRow, RetrievalRow
from sentflow.report.families.retrieval.stage_rows import StageRow
from sentflow.report.numbers import counted
from sentflow.report.page.sources import Part, Section, Sources, datasets_of
from sentflow.report.rows import unique
from sentflow.retrieval.explanation import HardQuestion, SharedTerm

# What is shown where there are rows of it
_OTHER_TABLES = {
    "retrieval-stages": StageRow,
    "retrieval-documents": ClusterRow,
    "retrieval-group-tests": GroupRow,
    "retrieval-seeds": SeedRow,
    "retrieval-questions": HardQuestion,
    "retrieval-terms": SharedTerm,
    "retrieval-decisions": DecisionRow,
    "retrieval-indexes": IndexRow,
    "retrieval-costs": RetrievalCostRow,
}
_ON_GENERALITY = {"retrieval-documents", "retrieval-group-tests", "retrieval-seeds"}
_ON_CHOICES = {"retrieval-decisions", "retrieval-indexes"}


def section(sources: Sources) -> Section | None:
    """The section; None where there is nothing to tell."""
    rows = sources.inputs.rows_if_there(RetrievalRow)
    if not rows:
        return None
    differences = sources.inputs.rows_if_there(QuestionDifference)
    shown = words.whole(rows)
    sets, corpora = sources.entries("question_sets"), sources.entries("corpora")
    # of each set the retriever with the highest value: what was judged of its first documents is told
    sizes = {
        row.questions: row for row in sorted((row for row in shown if row.is_main), key=lambda row: row.value)
    }
    published = sources.settings.get("published", {}).get("retrieval-published")
    names = {
        "retrieval": True,
        "retrieval-groups": any(row.group for row in rows),
        "retrieval-differences": differences,
        "retrieval-published": published,
    }
    other = [name for name, kind in _OTHER_TABLES.items() if sources.inputs.rows_if_there(kind)]
    names |= dict.fromkeys(other, True)
    tuned = bool(sources.inputs.rows_if_there(WeightRow))
    return Section(
        name="retrieval",
        shown={
            "n_sets": len(sizes),
            "n_questions": sum(row.n_questions for row in sizes.values()),
            "n_retrievers": len(unique(row.retriever for row in shown)),
            "population": words.POPULATION,
            "tuned": tuned,
            "left_out": sources.settings.get("retrievers_left_out", []),
            "sets": [
                {
                    **entry,
                    "name": name,
                    "found": sizes.get(name),
                    "cut_off": words.cut_note([row for row in shown if row.questions == name]),
                    "documents": corpora.get(entry["corpus"], {}),
                    "audit": sources.audits.get(f"retrieval/{name}"),
                }
                for name in unique(row.questions for row in shown)
                if (entry := sets.get(name)) is not None
            ],
        },
        tab="Retrieval",
        summary="families/retrieval/page/summary.html.j2",
        results=_parts(other, tuned=tuned),
        answer=answer(shown, differences),
        boards=tuple(
            filter(None, [board(shown, differences, sources.inputs.rows_if_there(RetrievalCostRow))])
        ),
        columns=columns(shown),
        rows=rows,
        encoders=[row for row in rows if not row.is_baseline],
        findings=retrieval_findings(shown, differences, sources.inputs.rows_if_there(DocumentDifference)),
        tables={name: sources.table(name) for name, there in names.items() if there},
        datasets=datasets_of([*sets.values(), *corpora.values()]),
        badges=(counted(len(sizes), "question set"),),
    )


def _parts(other: list[str], *, tuned: bool) -> tuple[Part, ...]:
    """The parts of the section: results, for what they hold, what was chosen, and questions to read."""
    folder = "families/retrieval/page"
    parts = [Part("retrieval", "Retrieval", f"{folder}/results.html.j2")]
    if _ON_GENERALITY & set(other):
        parts.append(
            Part("retrieval-generality", "New documents, groups, seeds", f"{folder}/generality.html.j2")
        )
    if tuned or _ON_CHOICES & set(other):
        parts.append(Part("retrieval-choices", "Weights, decisions, indexes", f"{folder}/choices.html.j2"))
    if "retrieval-questions" in other:
        parts.append(Part("retrieval-questions", "Questions worth reading", f"{folder}/questions.html.j2"))
    return tuple(parts)
