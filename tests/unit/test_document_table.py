"""The table of what holds for new documents, and what captions say of documents."""

import math
from dataclasses import replace

import fake_comparisons
import fake_summary
import pytest
from report_pages import make_sources

from sentflow.compare.comparisons import DocumentComparisons
from sentflow.compare.score_rows import DocumentScore, ScoreRow
from sentflow.report import captions
from sentflow.report.families.probing.checks import check_intervals, check_no_missing
from sentflow.report.families.probing.document_table import documents_table
from sentflow.report.families.probing.findings import on_new_documents
from sentflow.report.families.probing.score_table import scores_table
from sentflow.report.inputs import Inputs
from sentflow.report.page.page import render
from sentflow.report.table.formats import csv_text, markdown_text
from sentflow.report.table.latex import latex_text

MODELS = ("minilm-l6", "tfidf")


def split_rows():
    return fake_summary.score_rows(tasks=["T1A", "F1A"], models=MODELS)


def kept_rows(**changes: object):
    """T1A alone names documents; scores fall by 0.1 where they are kept together."""
    own = [row for row in split_rows() if row.task == "T1A-sample"]
    about = {
        "protocol": "published-documents",
        "groups_folds": True,
        "n_documents": 78,
        "effective_documents": 25.4,
    }
    return [DocumentScore(**{**vars(row), "mean": row.mean - 0.1, **about, **changes}) for row in own]


def table_of(rows):
    found = DocumentComparisons(
        pairs=fake_comparisons.pair_rows(rows),
        standings=fake_comparisons.standing_rows(rows),
        power=fake_comparisons.power_rows(rows),
    )
    return documents_table(rows, "Trial", found, split_rows())


def test_scores_for_new_documents_stand_beside_those_for_the_same():
    table = table_of(kept_rows())
    assert [group.title.partition(", n =")[0] for group in table.groups] == [
        "T1A-sample: Offensive comments (HateBR) (MCC, 78 documents, 25.4 effective"
    ]
    encoder, same, new, change = table.groups[0].rows[0]
    assert (encoder.text, encoder.letters, change.text) == ("all-MiniLM-L6-v2", "a", "−0.100")
    assert float(same.text) == pytest.approx(float(new.text) + 0.1, abs=1.1e-3)
    assert new.mark == "best"
    assert new.detail.startswith("[")


def test_every_format_prints_it():
    table = table_of(kept_rows())
    assert all(write(table) for write in (markdown_text, latex_text, csv_text))
    assert len(table.tidy_rows) == 2


def test_too_few_documents_have_words_instead_of_an_interval():
    rows = kept_rows(
        n_documents=9, effective_documents=3.2, generalisation_low=math.nan, generalisation_high=math.nan
    )
    table = table_of(rows)
    assert table.groups[0].rows[0][2].detail == "too few documents"
    assert any("9 documents, 3.2 effective; of fewer than 4 effective ones" in note for note in table.notes)


def untested_rows():
    undefined = dict.fromkeys(("mean", "generalisation_low", "generalisation_high"), math.nan)
    few = {"n_documents": 6, "effective_documents": 5.1, "documents_with_rarest_class": 3}
    return [replace(row, **undefined, **few, n_balanced_rows=0, n_train=0) for row in kept_rows()]


def test_documents_that_cannot_be_assigned_are_a_line_that_says_how_many_are_needed():
    table = documents_table(untested_rows(), "Trial", DocumentComparisons([], [], []), split_rows())
    (group,) = table.groups
    assert group.title.endswith("(MCC, 6 documents, 5.1 effective)")
    assert [(row[2].text, row[2].detail, row[3].text) for row in group.rows] == [
        ("—", "too few documents", "—")
    ] * 2
    assert group.rows[0][1].detail.startswith("[")  # the ordinary score stands
    told = " ".join(table.notes)
    assert "T1A-sample has 6 documents, and the rarest class occurs in 3 of them. 5 folds" in told
    assert "‡" not in told  # nothing was trained, so nothing was trained too little


def test_the_page_says_that_documents_are_too_few():
    (finding,) = on_new_documents(untested_rows(), split_rows(), DocumentComparisons([], [], []))
    assert "the rarest class occurs in 3 of them" in finding.text
    assert "they change by" not in finding.text


def test_scores_of_too_few_documents_pass_the_checks_of_numbers():
    undefined = {"generalisation_low": math.nan, "generalisation_high": math.nan}
    rows = [replace(row, n_documents=9, effective_documents=3.2, **undefined) for row in split_rows()]
    inputs = Inputs.holding({type(rows[0]): rows})
    assert check_intervals(inputs, None).problems == []
    assert check_no_missing(inputs, None).problems == []
    assert "too few documents" in markdown_text(scores_table(rows, "Trial"))


def test_captions_name_the_population_of_each_task():
    rows = split_rows()
    unknown = captions.generalisation(rows)
    assert "may share documents that the data do not name" in unknown
    split = [replace(row, item_grouped=row.task == "T1A-sample") for row in rows]
    assert "On T1A-sample: new texts of the same documents" in captions.generalisation(split)
    assert "Texts of other tasks may share" in captions.generalisation(split)
    kept = captions.generalisation(kept_rows())
    assert "On T1A-sample: new documents of the same kind" in kept
    assert "may share" not in kept


def test_the_page_excepts_scores_for_new_documents_from_the_sentence_on_its_protocol(tmp_path):
    sources = make_sources(tmp_path)
    own = [row for row in sources.inputs.rows(ScoreRow) if row.task == "T1A-sample"]
    found = {
        DocumentScore: [DocumentScore(**vars(row)) for row in own],
        DocumentComparisons: DocumentComparisons(),
    }
    page = render(replace(sources, inputs=Inputs.holding({**sources.inputs._found, **found})))
    assert "has scores of other folds, which keep documents together" in page
