"""What the page shows of retrieval."""

from sentflow.compare.question_rows import QuestionDifference
from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.findings import retrieval_findings
from sentflow.report.families.retrieval.rows import RetrievalRow
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
    # of each set the retriever with the highest value: what was judged of its first documents is told
    sizes = {
        row.questions: row for row in sorted((row for row in shown if row.is_main), key=lambda row: row.value)
    }
    published = sources.settings.get("published", {}).get("retrieval-published")
    names = {
        "retrieval": True,
        "retrieval-measures": len(sizes) > 1,  # of one set the first table has everything
        "retrieval-groups": any(row.group for row in rows),
        "retrieval-differences": differences,
        "retrieval-published": published,
    }
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
        findings=retrieval_findings(shown, differences),
        tables={
            name: sources.table(name, "Measure" if name == "retrieval" and len(sizes) > 1 else "Questions")
            for name, there in names.items()
            if there
        },
        datasets=datasets_of([*sets.values(), *corpora.values()]),
        badges=(counted(len(sizes), "question set"),),
    )
