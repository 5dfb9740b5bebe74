"""What the page shows of retrieval."""

import math
from collections.abc import Sequence

from sentflow.compare.rows import QuestionDifference
from sentflow.report import claims
from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.numbers import count, decimal
from sentflow.report.page.draw import h, heat_map, how, leaderboard, sentence, term
from sentflow.report.page.sources import Report, Section, Sources, datasets_of


def report(sources: Sources) -> Report | None:
    """The section; None where nothing was searched."""
    rows = sources.inputs.rows_if_there(RetrievalRow)
    if not rows:
        return None
    whole = words.whole(rows)
    ranking, sets = claims.of_retrieval(rows, sources.inputs.rows_if_there(QuestionDifference))
    n_questions = {row.questions: row.n_questions for row in whole}
    n_documents = {row.corpus: row.n_documents for row in whole}
    main = next((row.measure for row in whole if row.is_main), "")
    reading = how(
        "{} questions on {} documents. Measure: {}.",
        count(sum(n_questions.values())),
        count(sum(n_documents.values())),
        term("ndcg", main) if main == "nDCG@10" else main,
    )
    if len(sets.sets) == 1:
        finding, body = sentence(ranking.verdict()), reading + leaderboard(ranking)
    elif sets.sets:
        finding, body = sentence(sets.finding()), reading + heat_map(sets, decimal)
    else:
        finding, body = h("No question has a relevant document."), reading
    entries = [*sources.entries("question_sets").values(), *sources.entries("corpora").values()]
    return Report(
        [Section("retrieval", "Retrieval", finding, body, "retrieval", ("recall-curve", "retrieval-stages"))],
        rows,
        [row for row in rows if not row.is_baseline],
        [ranking] if ranking.systems else [],
        sets if sets.sets else None,
        caveats=_caveats(sources, whole),
        datasets=datasets_of(entries),
    )


def _caveats(sources: Sources, rows: Sequence[RetrievalRow]) -> list[tuple[str, str]]:
    dense = [row for row in rows if not row.is_baseline]
    is_cut = any(row.documents_cut > 0 or math.isnan(row.documents_cut) for row in dense)
    left_out = sources.settings.get("retrievers_left_out", [])
    found = [
        ("Retrieval", words.left_out_note({row.questions: row.n_left_out for row in rows})),
        ("Retrieval", words.ties_note(rows)),
        ("Retrieval", words.duplicates_note(rows)),
        ("Retrieval", words.cut_note(rows) if is_cut else ""),
        ("Retrieval", f"Left out, because encoders were not selected: {', '.join(left_out)}." if left_out else ""),
    ]  # fmt: skip
    return [(heading, text) for heading, text in found if text]
