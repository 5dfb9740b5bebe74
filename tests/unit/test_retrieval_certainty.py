"""Tables and sentences on what results of retrieval hold for, from invented rows."""

import math
from dataclasses import replace

import pytest

from sentflow.compare.question_rows import DocumentDifference, QuestionDifference
from sentflow.compare.question_sets import QuestionSet
from sentflow.compare.questions import QuestionSettings
from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.documents_table import documents_table
from sentflow.report.families.retrieval.group_tests_table import group_tests_table
from sentflow.report.families.retrieval.questions_table import questions_table
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.families.retrieval.seeds_table import seeds_table
from sentflow.report.families.retrieval.terms_table import terms_table
from sentflow.report.findings import lead_over_all
from sentflow.retrieval.hardest_rows import HardQuestion
from sentflow.retrieval.shared_term_rows import SharedTerm

np = pytest.importorskip("numpy")
N = 60
TITLES = {"bm25": "BM25", "dense": "Ação densa", "random": "Random order"}
SETTINGS = QuestionSettings(level=0.95, alpha=0.05, margin=0.02, n_resamples=199, seed=5)


def asked(name="faquad", clusters=20):
    generator = np.random.default_rng(3)
    shared = np.repeat(generator.random(20), 3)
    values = np.stack([shared + level + 0.2 * generator.random(N) for level in (0.2, 0.25, -0.4)])
    members = [f"d{number * clusters // N}" for number in range(N)]
    groups = ["log"] * 20 + ["expert"] * 40
    names = [f"q{number}" for number in range(N)]
    return QuestionSet(name, "nDCG@10", [*TITLES], ["random"], names, groups, members, values, SETTINGS)


def summary(one):
    """Rows of the summary with the values of a question set; what is not shown is 0."""
    none = dict.fromkeys(("n_left_out", "n_unanswered", "n_tied_at_cut", "n_relevant", "position"), 0)
    undefined = dict.fromkeys(
        ("best_order", "worst_order", "condensed", "with_duplicates", "judged_share"), 0.0
    )
    return [
        RetrievalRow(
            questions=one.name, questions_title="FaQuAD", corpus="c", corpus_title="C", retriever=system,
            retriever_title=TITLES[system], is_control=system == "random", model=system,
            model_title=TITLES[system], is_baseline=True, group="", measure="nDCG@10", is_main=True,
            value=float(values.mean()), low=0.1, high=0.2, level=0.95, n_questions=N, n_documents=249, depth=100,
            relevant_grade=1, data_version="raw", language="pt", **none, **undefined,
        )
        for system, values in zip(one.systems, one.values, strict=True)
    ]  # fmt: skip


def text_of(table):
    cells = [f"{cell.text} {cell.detail}" for group in table.groups for row in group.rows for cell in row]
    return "\n".join([table.caption, *table.notes, *(group.title for group in table.groups), *cells])


def test_both_intervals_stand_beside_each_other_and_name_what_they_hold_for():
    one = asked()
    means, pairs, of_documents = one.cluster_rows(), one.differences(), one.document_differences()
    table = documents_table(summary(one), "Test", means, pairs, of_documents)
    [block] = table.groups
    assert len(block.rows) == 3 + 3  # retrievers, then pairs
    low, high = means[1].low, means[1].high
    assert [cell.text for cell in block.rows[1][:4]] == [
        "Ação densa", f"{means[1].value:.3f}", "[0.100, 0.200]", f"[{low:.3f}, {high:.3f}]",
    ]  # fmt: skip
    assert block.rows[3][0].text == "BM25 − Ação densa"
    assert block.rows[3][3].text.count(",") == 1
    said = text_of(table)
    for words_of_it in (words.QUESTIONS, words.DOCUMENTS, words.BEYOND, "60 questions in 20 clusters"):
        assert words_of_it in said


def test_a_giant_cluster_is_said_to_leave_nothing_to_say():
    one = asked(clusters=2)
    table = documents_table(summary(one), "Test", one.cluster_rows(), one.differences(), [])
    assert "too few, so that nothing can be said of new documents" in text_of(table)
    assert len(table.groups[0].rows) == 3  # no pairs: their tests are in the table of differences
    assert {row[3].text for row in table.groups[0].rows} == {"—"}


def test_groups_have_marks_of_tests_that_are_adjusted_over_all_of_them():
    one = asked()
    table = group_tests_table(summary(one), "Test", one.group_rows(), one.group_differences())
    assert [group.title for group in table.groups] == [
        "faquad: FaQuAD, log (20 questions)", "faquad: FaQuAD, expert (40 questions)",
    ]  # fmt: skip
    assert [[row[1].mark for row in group.rows].count("best") for group in table.groups] == [1, 1]
    assert [group.rows[2][1].mark for group in table.groups] == ["", ""]  # the random order is worse on each
    assert "Holm over all pairs on all groups of the question set" in text_of(table)
    assert "does not show that the groups differ" in text_of(table)


def test_seeds_say_what_the_interval_holds_for_and_what_was_not_seen():
    one = asked()
    rows = one.seed_rows({"trained": {"1": "bm25", "2": "dense"}})
    table = seeds_table(summary(one), "Test", rows)
    assert [row[0].text for row in table.groups[0].rows] == ["trained", "trained − Random order"]
    assert f"{words.QUESTIONS} and new seeds" in text_of(table)
    unseen = [row for row in rows if row.seeds_unseen]
    assert ("“not seen”, not “none”" in text_of(table)) == bool(unseen)


def quoted(view, place, **changed):
    about = {
        "question_set": "faquad", "view": view, "place": place, "measure": "nDCG@10", "question": "q1", "group": "log",
        "text": "Qual é o prazo? " * 20, "mean": 0.25, "n_retrievers": 2, "n_relevant": 2, "n_documents": 249,
        "document": "d1", "document_text": "O prazo é de dez dias.", "grade": 1,
        "a": "bm25", "value_a": 0.5, "rank_a": 1, "first_a": "d1", "first_text_a": "O prazo", "first_grade_a": 1.0,
        "b": "dense", "value_b": 0.0, "rank_b": 0, "first_b": "d7", "first_text_b": "Das férias",
        "first_grade_b": math.nan,
    }  # fmt: skip
    return HardQuestion(**{**about, **changed})


def test_questions_are_quoted_with_their_document_and_what_was_found_first_instead():
    rows = [quoted("hardest", 1), quoted("apart", 1, rank_b=12), quoted("apart", 2, first_b="", rank_b=0)]
    table = questions_table(summary(asked()), "Test", rows)
    assert [group.title for group in table.groups] == [
        "faquad: hardest questions",
        "faquad: questions on which BM25 and Ação densa differ most",
    ]
    first, apart, nothing = (row for group in table.groups for row in group.rows)
    assert first[0].text.endswith(" …")
    assert first[1].text == "d1: O prazo é de dez dias."
    assert (first[3].text, first[3].detail) == ("BM25 0.500, rank 1", "")
    assert (first[4].text, first[4].detail) == ("Ação densa 0.000, not found", "first d7: Das férias")
    assert "rank 12" in apart[4].text
    assert nothing[4].detail == "found nothing"
    assert "regression to the mean" in text_of(table)


def test_a_question_of_a_single_retriever_has_no_second_column():
    row = quoted("hardest", 1, b="", value_b=math.nan, first_b="", rank_b=0)
    assert questions_table(summary(asked()), "Test", [row]).groups[0].rows[0][4].text == ""


def shared(retriever, which, *terms, rest_share=0.0, n_shared=None, rank=1):
    """Rows of terms with their shares of a score of 2; one that says so where there are none."""
    about = {
        "question_set": "faquad", "retriever": retriever, "question": "q1", "which": which, "document": f"d-{which}",
        "rank": rank, "score": 2.0 if terms else 0.0, "n_shared": len(terms) if n_shared is None else n_shared,
        "rest": 2 * rest_share, "rest_share": rest_share, "in_question": 1.0, "in_document": 1.0,
    }  # fmt: skip
    if not terms:
        return [SharedTerm(**about, place=0, term="", addend=math.nan, share=math.nan)]
    return [
        SharedTerm(**about, place=place, term=term, addend=2 * part, share=part)
        for place, (term, part) in enumerate(terms, 1)
    ]


def test_terms_stand_beside_their_shares_and_what_is_left_is_told():
    parts = [
        ("prazo", 0.4),
        ("dez-vezes-um-termo-muito-longo", 0.2),
        ("a", 0.1),
        ("b", 0.1),
        ("c", 0.05),
        ("d", 0.001),
    ]
    rows = [
        *shared("bm25", "relevant", *parts, n_shared=12, rest_share=0.1),
        *shared("bm25", "wrong", ("prazo", 1.0), rank=3),
        *shared("dense", "relevant", rank=0),
    ]
    table = terms_table(summary(asked()), "Test", [quoted("hardest", 1)], rows)
    assert [group.title for group in table.groups] == ["faquad: hardest questions"]
    first, second = table.groups[0].rows
    assert [first[1].text, second[1].text] == ["BM25", "Ação densa"]
    assert first[2].text == (
        "prazo 40\u202f%; dez-vezes-um-termo-muito … 20\u202f%; a 10\u202f%; b 10\u202f%; c 5\u202f%; "
        "7 more terms 5\u202f%; terms that it lacks 10\u202f%"
    )
    assert first[2].detail == "d-relevant, rank 1, score 2"
    assert (first[3].text, first[3].detail) == ("prazo 100\u202f%", "d-wrong, rank 3, score 2")
    assert (second[2].text, second[2].detail) == ("no shared term", "d-relevant, not found, score 0")
    assert second[3].text == "none found"
    assert "Variants of BM25 with delta" in text_of(table)
    assert len(table.tidy_rows) == len(rows)


def test_few_retrievers_are_shown_and_the_others_are_named():
    one = summary(asked())
    names = [f"r{number}" for number in range(5)]
    rows = [replace(one[0], retriever=name, retriever_title=name.upper()) for name in names]
    terms = [row for name in names for row in shared(name, "relevant", ("prazo", 1.0))]
    question = quoted("hardest", 1, a="r0", b="r1")
    table = terms_table(rows, "Test", [question], terms)
    assert [row[1].text for row in table.groups[0].rows] == ["R0", "R1", "R2"]
    assert "2 further retrievers of these kinds (R3 and R4) in results/items/ alone." in table.notes
    assert not [note for note in table.notes if "delta" in note]
    assert len(table.tidy_rows) == 5
    assert terms_table(one, "Test", [quoted("hardest", 1)], []).groups == ()


def test_findings_name_what_was_compared():
    pairs = asked().differences()
    said = lead_over_all(
        pairs, ["faquad"], "paired t-test over questions", "question set", systems="retrievers"
    )
    assert said is not None
    assert said.endswith("this does not show that the retrievers are equal.")
    assert lead_over_all(pairs, ["faquad"], "test", "task").endswith("the encoders are equal.")


def test_rows_of_new_documents_are_told_apart_from_those_of_new_questions():
    assert DocumentDifference.FILE != QuestionDifference.FILE
    assert issubclass(DocumentDifference, QuestionDifference)
