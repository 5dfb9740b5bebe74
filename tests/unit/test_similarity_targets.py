"""Files and settings of similarity and geometry, without Snakemake."""

import copy
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from sentflow.graph.config.entries import laid_over
from sentflow.graph.config.experiment import load_experiment
from sentflow.graph.targets import Targets

REPOSITORY = Path(__file__).parents[2]
DEFAULT = yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8"))
SELECT = {
    "models": ["tfidf", "random"],
    "tasks": ["T1A-sample"],
    "pair_sets": ["STS13", "STS12"],
    "alignments": ["TMUP-alignunformeval"],
    "regressions": ["STSB"],
}
OF_PAIRS = {
    "tables": ["sts", "sts-subsets", "sts-differences", "regressions", "alignments", "geometry"],
    "figures": [
        "alignment-uniformity",
        "similarity-histograms",
        "spectrum",
        "truncation",
        "geometry-and-scores",
    ],
    "checks": ["similarity"],
}


def targets(**changes: Any) -> Targets:
    config = laid_over(
        laid_over(copy.deepcopy(DEFAULT), {"select": {**SELECT, "question_sets": []}}), changes
    )
    return Targets(load_experiment(config, REPOSITORY / "workflow"))


def test_scores_are_asked_of_encoders_with_vectors_and_of_baselines():
    similarity = targets(similarity={"baselines": ["count-cosine"]}).families["similarity"]
    assert similarity.scores() == [
        "results/similarity/STS13/random.json",
        "results/similarity/STS13/count-cosine.json",
        "results/similarity/STS12/random.json",
        "results/similarity/STS12/count-cosine.json",
    ]
    assert [file.removesuffix(".parquet") + ".json" for file in similarity.rows()] == similarity.scores()
    order = json.loads(similarity.comparison_settings(SimpleNamespace()))["order"]
    assert order == [["STS13", "STS12"], ["random", "count-cosine"]]


def test_a_family_is_embedded_once_and_its_permuted_texts_with_it():
    assert targets().embeddings()[1:] == [
        "results/embeddings/random/sts-english.npy",
        "results/embeddings/random/paraphrases-japanese.npy",
        "results/embeddings/random/sts-english-permuted.npy",
    ]
    assert list(targets(geometry={"permuted_texts": 0}).collections)[1:] == [
        "sts-english",
        "paraphrases-japanese",
    ]


def test_an_alignment_reads_the_vectors_of_its_family():
    geometry = targets().families["geometry"]
    job = SimpleNamespace(alignment="TMUP-alignunformeval", model="random")
    assert geometry.pairs_of_alignment(job) == ["results/data/pairs/TMUP.parquet"]
    assert geometry.positives_of_alignment(job) == ["results/data/pairs/TMUP-joined.parquet"]
    assert geometry.embeddings(job) == "results/embeddings/random/paraphrases-japanese.npy"
    assert geometry.digests_of_alignment(job) == [
        "results/data/pairs/TMUP.json",
        "results/data/pairs/TMUP-joined.json",
    ]
    settings = json.loads(geometry.alignment_settings(job))
    assert (settings["variant"], settings["comparison"], "title" in settings) == (
        "alignunformeval",
        "above",
        False,
    )


def test_raw_files_of_a_pair_set_are_sentences_and_gold_of_each_sub_source():
    files = targets().families["similarity"].raw_files_of_set(SimpleNamespace(pairs="STS13"))
    assert files[:2] == [
        "results/data/raw/sts13/STS.input.FNWN.txt",
        "results/data/raw/sts13/STS.gs.FNWN.txt",
    ]
    assert len(files) == 6


def test_counts_and_checksums_change_no_table():
    similarity, job = targets().families["similarity"], SimpleNamespace(pairs="STS13")
    settings, checks = (
        json.loads(similarity.prepare_settings(job)),
        json.loads(similarity.prepare_checks(job)),
    )
    assert set(settings) == {"reader", "data_version", "language", "scale"}
    assert (checks["rows"], checks["subset_rows"]["FNWN"], len(checks["files"])) == (1500, 189, 6)


@pytest.mark.parametrize(
    ("select", "kind", "left"),
    [
        ({"pair_sets": [], "alignments": [], "regressions": []}, "tables", []),
        ({"pair_sets": [], "alignments": [], "regressions": []}, "figures", []),
        ({"pair_sets": [], "alignments": [], "regressions": []}, "checks", []),
        ({"regressions": []}, "tables", ["sts", "sts-subsets", "sts-differences", "alignments", "geometry"]),
        ({"alignments": []}, "figures", OF_PAIRS["figures"][1:]),
        ({"models": ["tfidf"]}, "tables", ["sts", "sts-subsets", "sts-differences"]),
        ({}, "tables", OF_PAIRS["tables"]),
        ({}, "figures", OF_PAIRS["figures"]),
    ],
)
def test_what_shows_data_that_were_not_selected_is_left_out(select, kind, left):
    assert [name for name in targets(select=select).selected(kind) if name in OF_PAIRS[kind]] == left


def test_without_tasks_only_costs_and_pair_sets_are_shown():
    alone = targets(select={"tasks": []})
    assert alone.selected("tables") == ["encoders", "costs", *OF_PAIRS["tables"]]
    assert alone.selected("figures") == ["costs", *OF_PAIRS["figures"]]
    assert alone.selected("checks") == ["similarity"]
    assert [alone.families["probing"].results(), alone.families["probing"].summaries(), alone.audits()] == [
        []
    ] * 3
    assert alone.exports() == ["results/exports/ro-crate/run.crate.zip"]


def test_geometry_is_set_against_the_scores_of_tasks_too():
    job = SimpleNamespace(figure="geometry-and-scores")
    of_pairs = ["results/summary/geometry.parquet", "results/summary/similarity.parquet"]
    assert targets().files_of("figure")(job) == [*of_pairs, "results/summary/scores.parquet"]
    assert targets(select={"tasks": []}).files_of("figure")(job) == of_pairs


def test_the_check_of_similarities_reads_the_table_of_similarities_alone():
    job = SimpleNamespace(check="similarity")
    assert "results/summary/scores.parquet" not in targets().files_of("check")(job)
    assert targets().tables_of_check(job) == [
        f"results/tables/sts{ending}" for ending in (".md", ".tex", "-compact.tex")
    ]
    asked = json.loads(targets().check_settings(job))
    assert (asked["pairs"], asked["pair_models"]) == (["STS13", "STS12"], ["random"])
    assert "tasks" not in asked


def test_published_scores_belong_to_the_tables_that_show_them():
    settings = {
        table: json.loads(targets().table_settings(SimpleNamespace(table=table)))
        for table in ("sts", "alignments", "geometry", "scores")
    }
    assert [table for table, found in settings.items() if "published" in found] == ["sts", "alignments"]


def test_encoders_that_are_fitted_are_named_as_left_out():
    assert json.loads(targets().report_settings(SimpleNamespace()))["left_out"] == ["tfidf"]


def test_no_file_with_sentences_is_in_the_crate():
    files = targets().crate_files()
    assert "results/summary/similarity.parquet" in files
    assert not [file for file in files if file.startswith(("results/data", "results/embeddings"))]


def test_where_only_lazy_encoders_are_aligned_nothing_is_measured_and_nothing_is_told():
    similarity = targets(select={"models": ["tfidf"], "pair_sets": []}).families["similarity"]
    assert similarity.told() == similarity.asked() == similarity.data() == {}
    assert similarity.raw_files() == similarity.results() == []


def test_alignments_alone_are_told_of_and_their_tables_named():
    select = {"models": ["random"], "pair_sets": [], "regressions": []}
    similarity = targets(select=select).families["similarity"]
    assert similarity.results() == []
    assert list(similarity.told()["pair_sets"]) == ["TMUP", "TMUP-joined"]
    assert list(similarity.data()) == ["results/data/pairs/TMUP.json", "results/data/pairs/TMUP-joined.json"]


@pytest.mark.parametrize(
    ("selected", "file"),
    [
        ({}, "results/summary/similarity.parquet"),
        ({"pair_sets": []}, "results/summary/regressions.parquet"),
        ({"pair_sets": [], "regressions": []}, "results/summary/alignments.parquet"),
    ],
    ids=["pair sets", "regressions", "alignments alone"],
)
def test_some_summary_always_names_the_encoders(selected, file):
    chosen = targets(select={"tasks": [], **selected})
    assert chosen.summaries_of_scores()[0] == file
