"""Similarity and geometry in the report, and their check."""

import dataclasses
import math
from pathlib import Path

import fake_similarity
import pytest
from report_pages import elements, make_parts, make_sources, page_sources

from sentflow.report.checks import Selection
from sentflow.report.families.similarity import checks
from sentflow.report.families.similarity.data import SimilarityData
from sentflow.report.families.similarity.findings import similarity_findings
from sentflow.report.families.similarity.sts_table import table as sts_table
from sentflow.report.families.similarity.words import CONTAMINATION, contamination
from sentflow.report.inputs import Inputs
from sentflow.report.page.page import render
from sentflow.report.table.formats import markdown_text
from sentflow.report.table.latex import latex_text

PAIRS = ["STS12", "STSB-test"]
MODELS = list(fake_similarity.LEVELS)
SELECTION = Selection([], [], ["random"], PAIRS, MODELS, list(fake_similarity.BASELINES))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return fake_similarity.summarise(tmp_path_factory.mktemp("report"), pairs=PAIRS)


@pytest.fixture(scope="module")
def data(files):
    return SimilarityData.read(list(files.values()))


def parts_of(data):
    entry = {
        "title": "A set of <b>pairs</b>",
        "dataset": "sts",
        "family": "f",
        "scale": [0, 5],
        "language": "en",
        "data_version": "raw",
    }
    names = ("STS12", "STSB-test", "STSB-train", "STSB-dev")
    return {"similarity": data, "pair_sets": dict.fromkeys(names, entry), "left_out": ["tfidf"]}


# --- the page -----------------------------------------------------------------------------------------------


def test_section_stands_beside_the_tasks(tmp_path, data):
    page = render(make_sources(tmp_path, **parts_of(data), models={"tfidf": {"title": "TF-IDF <i>"}}))
    elements(page)
    assert page.count('id="similarity"') == page.count('id="scores"') == 1
    assert "Not measured: TF-IDF &lt;i&gt;" in page
    assert "A set of &lt;b&gt;pairs&lt;/b&gt;" in page
    assert CONTAMINATION in page
    assert "not scored" in page
    for name in ("sts", "sts-subsets", "sts-differences", "regressions", "alignments", "geometry"):
        assert f'aria-label="Table of {name}"' in page
    assert '<strong>85.06</strong><span class="spoken"> highest</span><sup class="letters">b–e</sup>' in page


def test_page_without_any_task(tmp_path, data):
    for name in (
        "alignment-uniformity",
        "similarity-histograms",
        "spectrum",
        "truncation",
        "geometry-and-scores",
    ):
        (tmp_path / f"{name}.svg").write_text("<svg/>")
    parts = make_parts(tmp_path, **parts_of(data), scores=[], curves=[], tasks={}, encoders=[])
    page = render(page_sources(**{**parts, "files": sorted(tmp_path.glob("*.svg"))}))
    found = elements(page)
    ids = [attributes["id"] for _, attributes in found if "id" in attributes]
    assert "similarity" in ids
    assert not {"scores", "intervals", "comparisons", "protocol", "tasks", "training"} & set(ids)
    links = [a["href"][1:] for tag, a in found if tag == "a" and a["href"].startswith("#")]
    assert set(links) <= set(ids)
    pictures = [a for tag, a in found if tag == "img"]
    assert len(pictures) == 6  # with that of costs
    assert all(len(picture["alt"]) > 40 for picture in pictures)


def test_page_without_pair_sets_does_not_speak_of_them(tmp_path):
    page = render(make_sources(tmp_path))
    assert "imilarity" not in page.split("<main>")[1].split("<footer>")[0]


def test_made_up_sentences_are_not_contaminated():
    entries = {name: {"data_version": "sample data"} for name in ("STSB-train-tiny", "STS12-tiny")}
    assert contamination(entries) == ""
    assert contamination({name: {"data_version": "raw"} for name in entries}) == CONTAMINATION


def test_findings_claim_no_lead_that_no_test_shows(data):
    told = {finding.heading: finding.text for finding in similarity_findings(data)}
    assert told["Highest similarity score"] == "all-MiniLM-L6-v2 on 2 of 2 pair sets."
    assert "Average of the seven sets" not in told  # two sets are not seven
    assert told["How clear the lead is"].startswith("On 2 of 2")
    untested = dataclasses.replace(data, differences=[])
    assert "How clear the lead is" not in {finding.heading for finding in similarity_findings(untested)}


def check_similarity(data, selection, tables=()):
    return checks.check_similarity(Inputs.holding({SimilarityData: data}, tables), selection)


# --- the check ----------------------------------------------------------------------------------------------


def test_what_holds_passes_with_counts(data):
    result = check_similarity(data, SELECTION)
    assert result.passed, result.problems
    assert result.counts["scores"] == 2 * 6
    assert result.counts["random_scores"] == 2


def changed(data, where, **changes):
    rows = [dataclasses.replace(row, **changes) if where(row) else row for row in data.scores]
    return dataclasses.replace(data, scores=rows)


def is_main(row, pairs="STS12", model="minilm-l6"):
    return (row.pairs, row.model, row.aggregation) == (pairs, model, "all") and row.is_main


def test_missing_and_superfluous_scores_are_named(data):
    rows = [row for row in data.scores if (row.pairs, row.model) != ("STS12", "second")]
    result = check_similarity(dataclasses.replace(data, scores=rows), SELECTION)
    assert result.problems == ["STS12 × second: no score"]
    smaller = dataclasses.replace(SELECTION, pairs=["STS12"])
    assert "STSB-test × minilm-l6: not selected" in check_similarity(data, smaller).problems


def test_undefined_scores_need_a_warning(data):
    undefined = changed(data, is_main, value=math.nan)
    assert "undefined, and no warning" in check_similarity(undefined, SELECTION).problems[0]
    warned = changed(data, is_main, value=math.nan, warnings="All are the same.")
    assert check_similarity(warned, SELECTION).passed


def test_an_interval_holds_its_score(data):
    outside = changed(data, is_main, low=0.9, high=0.95)
    (problem,) = check_similarity(outside, SELECTION).problems
    assert problem.startswith("STS12 × minilm-l6, cosine, spearman, all: interval [90.00, 95.00]")


def test_random_vectors_score_near_zero(data):
    def of_random(row):
        return is_main(row, model="random")

    good = changed(data, of_random, value=0.3, low=0.25, high=0.35)
    assert (
        "random vectors should reach between −5.00 and 5.00" in check_similarity(good, SELECTION).problems[0]
    )
    # a tenth of all pairs are equal texts: these alone may lift it so far
    assert check_similarity(changed(good, of_random, n_equal=12), SELECTION).passed
    negative = changed(data, of_random, value=-0.3, low=-0.35, high=-0.25)
    assert not check_similarity(negative, SELECTION).passed


def test_marks_of_the_written_table_are_held_to_the_tests(files, data, tmp_path):
    table = sts_table(Inputs([files["similarity"], files["comparisons"]]), {"caption": "Trial"})
    path = Path(tmp_path) / "sts.md"
    path.write_text(markdown_text(table), encoding="utf-8")
    result = check_similarity(data, SELECTION, [path])
    assert result.passed, result.problems
    assert result.counts["marked_scores"] >= 2
    assert latex_text(table).count(r"\textbf{") == 2
    path.write_text(
        markdown_text(table).replace("**85.06**", "85.06").replace("| 60.48", "| **60.48**"), encoding="utf-8"
    )
    (problem,) = check_similarity(data, SELECTION, [path]).problems
    assert "60.48" in problem
    assert "without a test" in problem
    untested = dataclasses.replace(data, differences=[])
    assert len(check_similarity(untested, SELECTION, [path]).problems) == 2
