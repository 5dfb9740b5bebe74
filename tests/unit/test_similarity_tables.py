"""The tables of semantic similarity and geometry."""

import re
from pathlib import Path

import fake_similarity
import pytest
import yaml
from jsonschema import Draft202012Validator
from made_products import TABLES_OF_PAIRS, read_table

from sentflow.compare.marks import BEST, NOT_WORSE, beaten, mark
from sentflow.compare.rows import SimilarityDifference
from sentflow.files.rows import read_rows
from sentflow.graph.config.schema import load_schema
from sentflow.report.families.geometry.rows import AlignmentRow, GeometryRow
from sentflow.report.families.similarity.rows import SimilarityRow
from sentflow.report.families.similarity.sts_table import AVERAGE, sts_table
from sentflow.report.families.similarity.words import drawn_note, scored_pairs
from sentflow.report.table.formats import csv_text, markdown_text
from sentflow.report.table.latex import latex_text

WORKFLOW = Path(__file__).parents[2] / "workflow"
FILES = {"regressions": "regressions", "alignments": "alignments", "geometry": "geometry"}


def published():
    text = (WORKFLOW / "catalog/published_similarity.yaml").read_text(encoding="utf-8")
    return yaml.safe_load(text)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return fake_similarity.summarise(
        tmp_path_factory.mktemp("real"),
        pairs=[*fake_similarity.SEVEN, "KorSTS-test"],
        undefined=("STS14", "random"),
    )


def table(files, name, entries=()):
    summary = files[FILES.get(name, "similarity")]
    return read_table(name, summary, files["comparisons"], caption="Trial", published=entries)


def lines_of(found):
    return {row[0].text: row for group in found.groups for row in group.rows}


# --- published values ---------------------------------------------------------------------------------------


def test_published_values_are_well_formed():
    schema = load_schema(WORKFLOW, "published_similarity")
    assert list(Draft202012Validator(schema).iter_errors(published())) == []


def test_printed_averages_that_are_not_those_of_their_cells_say_so():
    wrong = []
    for entry in published()["sts"]:
        cells = list(entry["values"].values())
        if "average" in entry:
            assert len(cells) == 7, entry
            if abs(sum(cells) / 7 - entry["average"]) > 0.005 + 1e-9:
                wrong.append(entry)
                assert f"{sum(cells) / 7:.2f}" in entry["remark"], entry
                assert f"{entry['average']:.2f}" in entry["remark"], entry
    # the register of inconsistencies: SBERT-NLI, ConSERT large, three rows of the re-implementation, SG-OPT on one page
    assert [entry["average"] for entry in wrong] == [74.89, 76.14, 76.45, 76.49, 78.66, 74.62]


# --- sts ----------------------------------------------------------------------------------------------------


def test_columns_stand_as_in_papers_and_the_average_is_that_of_rounded_values(files):
    found = table(files, "sts", published()["sts"])
    seven = ("STS12", "STS13", "STS14", "STS15", "STS16", "STS-B", "SICK-R")
    assert found.header == ("Encoder", *seven, "KorSTS-test", AVERAGE, "Source")
    assert "Spearman, all, cosine" in found.caption
    ours = lines_of(found)["all-MiniLM-L6-v2"]
    found_line = next(row for row in found.groups[0].rows if row[0].text == ours[0].text)
    cells = [float(cell.text) for cell in found_line[1:8]]
    assert float(found_line[9].text) == round(sum(cells) / 7 + 1e-12, 2)
    # one set is undefined, so there is no average
    random = lines_of(found)["Random vectors (control)"]
    assert (random[3].text, random[9].text) == ("—", "—")


def test_published_lines_have_source_and_footnote(files):
    found = table(files, "sts", published()["sts"])
    line = next(
        row for row in lines_of(found).values() if re.fullmatch(r"SBERT-base-NLI \(\d\)", row[0].text)
    )
    number = re.search(r"\((\d)\)", line[0].text)[1]
    assert line[9].text == "74.89"
    assert any(note.startswith(f"({number})") and "74.86" in note for note in found.notes)
    assert all(row[-1].text for row in lines_of(found).values())
    # nothing published is marked, for nothing was tested
    for group in found.groups[1:]:
        assert not any(cell.mark or cell.letters for row in group.rows for cell in row)
    assert "wmean" in csv_text(found)


def test_sample_data_stand_beside_nothing_published(tmp_path):
    files = fake_similarity.summarise(
        tmp_path, pairs=["STS12"], models=["minilm-l6"], data_version="sample data"
    )
    found = table(files, "sts", published()["sts"])
    assert found.header == ("Encoder", "STS12")
    assert "sample data" in found.notes[0]
    assert len(found.groups) == 1


def test_sets_of_one_group_stand_in_blocks(files):
    rows = [row for row in read_rows(files["similarity"], SimilarityRow) if row.pairs in ("STS12", "STS13")]
    from dataclasses import replace

    other = [replace(row, pairs=f"{row.pairs}-senteval", data_version="SentEval form") for row in rows]
    found = sts_table([*rows, *other], "Trial")
    assert found.header == ("Encoder", "STS12", "STS13")
    assert [group.title for group in found.groups] == [
        "This experiment: raw",
        "This experiment: SentEval form",
    ]


def test_only_tests_mark():
    def row(a, b, value_a, value_b, p):
        return SimilarityDifference(
            "STS12", "all", "cosine", "spearman", a, b, value_a, value_b, value_a - value_b,
            0, 0, p, p, 9, "pairs", 9, 9, 0.05, 0.99,
        )  # fmt: skip

    nan = float("nan")
    tests = [row("a", "b", 0.8, 0.79, 0.5), row("a", "c", 0.8, 0.6, 0.01), row("b", "c", 0.79, 0.6, 0.01)]
    tests.append(row("a", "d", 0.8, nan, nan))
    assert [mark(tests, "STS12", name) for name in "abcd"] == [BEST, NOT_WORSE, "", ""]
    assert mark(tests, "STS13", "a") == ""
    assert (beaten(tests, "STS12", "a"), beaten(tests, "STS12", "c")) == (["c"], [])


# --- the others ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TABLES_OF_PAIRS)
def test_every_format_and_no_ragged_line(files, name):
    found = table(files, name, published().get(name, ()))
    assert len(found.alignment) == len(found.header)
    for group in found.groups:
        assert all(len(row) == len(found.header) for row in group.rows)
    assert all(len(record) == len(found.tidy_header) for record in found.tidy_rows)
    assert markdown_text(found).count("\n") > 5
    assert r"a \& b" in latex_text(found)  # the title of an encoder is escaped
    assert csv_text(found).count("\n") == len(found.tidy_rows) + 1
    if name != "sts":
        assert not any(cell.mark for group in found.groups for row in group.rows for cell in row)


def test_sub_sources_have_intervals_and_all_three_aggregations(files):
    found = table(files, "sts-subsets")
    first = found.groups[0]
    assert [row[0].text for row in first.rows] == [
        "MSRpar", "MSRvid", "SMTeuroparl", "all", "mean of sub-sources", "weighted mean",
    ]  # fmt: skip
    assert first.rows[0][2].text == "5"  # independent pairs at least
    assert first.rows[0][3].detail.startswith("[")
    # a set without sub-sources has one line
    assert [len(group.rows) for group in found.groups if group.title.startswith("STSB-test")] == [1]


def test_tables_say_what_was_drawn_and_how_many_independent_pairs_that_is_worth(files):
    of_sets, of_parts = (" ".join(table(files, name).notes) for name in ("sts", "sts-subsets"))
    assert "STS12 120 (effective 12)" in of_sets
    assert (
        "resamples draw in their place whole components of pairs that are joined by sentences (STS12, "
        in of_sets
    )
    assert "where fewer than 50 effective components would make intervals too narrow (MSRpar, " in of_parts
    assert {"drawn", "n_units", "effective_pairs"} < set(table(files, "sts-differences").tidy_header)


def test_nothing_is_said_of_effective_pairs_where_nothing_is_shared():
    assert scored_pairs("A", 1200, 1200.0) == "A 1,200"
    assert drawn_note({"A": "pairs"}) == "No two pairs share a sentence; resamples draw pairs."


def test_alignments_say_variant_split_threshold_and_comparison(files):
    found = table(files, "alignments", published()["alignments"])
    ours = found.groups[2].rows[0]
    assert [cell.text for cell in ours[1:4]] == ["per batch, batches of 64", "STSB-test", "≥ 4 (208)"]
    assert {row[0].text for group in found.groups for row in group.rows} >= {"SimCSE-BERT-base (1)"}
    # nothing of KorSTS was measured
    assert not any("KR-BERT" in row[0].text for group in found.groups for row in group.rows)
    assert len(read_rows(files["alignments"], AlignmentRow)) + 5 == len(found.tidy_rows)


def test_geometry_has_a_group_per_family(files):
    found = table(files, "geometry")
    assert [group.title.split(":")[0] for group in found.groups] == ["sts-english", "sts-korean"]
    assert found.groups[0].rows[0][0].text == "Average cosine"
    assert any("whitened-pearson" in record for record in found.tidy_rows)
    assert len(read_rows(files["geometry"], GeometryRow)) == len(found.tidy_rows)


def test_contamination_is_told_where_the_training_part_is_used(files):
    assert any("test material of STS12" in note for note in table(files, "regressions").notes)
