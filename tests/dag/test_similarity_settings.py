"""Which jobs run again after a change of what is said of pair sets: exactly those that read it."""

import re

import pytest
from workflow_copy import command_line, copy_workflow, planned, pretend_to_run

MODELS = ("bag-of-words", "random")
COSTS = {
    "summarise_costs",
    *(f"table {name}" for name in ("encoders", "costs")),
    *(f"figure {name}" for name in ("score-and-cost", "costs")),
    "check figures",
}
ALWAYS = {"report", "record"}
OF_SIMILARITY = {
    "summarise_similarity",
    *COSTS,
    *(f"table {name}" for name in ("sts", "sts-subsets", "sts-differences", "regressions")),
    *(f"figure {name}" for name in ("alignment-uniformity", "similarity-histograms")),
    "check similarity",
    *ALWAYS,
}
OF_GEOMETRY = {
    "summarise_geometry",
    *(f"table {name}" for name in ("alignments", "geometry")),
    *(f"figure {name}" for name in ("alignment-uniformity", "spectrum", "truncation")),
    "check figures",
    *ALWAYS,
}
SUMMARIES = OF_SIMILARITY | OF_GEOMETRY
AFTER_COMPARE = {"compare_similarity", "table sts", "table sts-differences", "check similarity"}
ONLY_PAIRS = {"select": {"tasks": []}}
NOTHING = {"select": {"pair_sets": [], "alignments": [], "regressions": []}}


def of_models(*names: str) -> set[str]:
    return {f"{name}/{model}" for name in names for model in MODELS}


def geometry_jobs() -> set[str]:
    return of_models("geometry tiny-sentences")


@pytest.mark.parametrize("key", [{"measure": "dot"}, {"correlation": "pearson"}], ids=str)
def test_another_measure_scores_nothing_again(finished, key):
    # geometry sets itself against scores, by that measure
    expected = {"compare_similarity", *geometry_jobs(), *SUMMARIES}
    assert planned(finished, {"similarity": key}) == expected


def test_the_seed_of_resamples_embeds_nothing(finished):
    expected = of_models(
        "similarity STS12-tiny", "similarity STSB-tiny", "regress STSB-tiny", "align STSB-tiny"
    )
    expected |= {"overlap STS12-tiny/jaccard-words", "overlap STSB-tiny/jaccard-words", "compare_similarity"}
    assert planned(finished, {"similarity": {"seed": 1}}) == expected | SUMMARIES


def test_another_baseline_runs_only_its_jobs(finished):
    new = {"overlap STS12-tiny/count-cosine", "overlap STSB-tiny/count-cosine", "compare_similarity"}
    config = {"similarity": {"baselines": ["jaccard-words", "count-cosine"]}}
    assert planned(finished, config) == new | OF_SIMILARITY


@pytest.mark.parametrize("key", [{"truncation": [8]}, {"neighbours": 5}], ids=str)
def test_a_setting_of_geometry_runs_geometry_alone(finished, key):
    assert planned(finished, {"geometry": key}) == geometry_jobs() | OF_GEOMETRY


def test_other_permuted_texts_are_embedded_alone(finished):
    new = {"permute_texts tiny-sentences", *geometry_jobs()}
    new |= {f"embed {model}/tiny-sentences-permuted" for model in MODELS}
    assert planned(finished, {"geometry": {"permuted_texts": 20}}) == new | OF_GEOMETRY | COSTS
    assert planned(finished, {"geometry": {"permuted_texts": 0}}) == geometry_jobs() | OF_GEOMETRY | COSTS


def test_no_geometry_leaves_out_what_shows_it(finished):
    shown = {
        "table geometry",
        *(f"figure {name}" for name in ("spectrum", "truncation")),
    }
    assert planned(finished, {"geometry": {"families": []}}) == (OF_GEOMETRY | COSTS) - shown


def test_a_threshold_runs_only_that_alignment(finished):
    config = {"alignments": {"STSB-tiny": {"threshold": 3.5}}}
    assert planned(finished, config) == of_models("align STSB-tiny") | OF_GEOMETRY


def test_a_title_of_an_alignment_measures_nothing_again(finished):
    assert planned(finished, {"alignments": {"STSB-tiny": {"title": "Other"}}}) == OF_GEOMETRY


def test_a_new_pair_set_embeds_its_family_only(tmp_path):
    project = copy_workflow(tmp_path / "project")
    less = {
        "select": {"pair_sets": ["STSB-tiny"], "alignments": [], "regressions": []},
        "pair_sets": {"STSB-tiny": {"family": "other-sentences"}},
    }
    more = {**less, "select": {**less["select"], "pair_sets": ["STSB-tiny", "STS12-tiny"]}}
    pretend_to_run(project, less)
    new = {"generate tiny-pairs/STS12.tsv", "prepare_pairs STS12-tiny", "collect tiny-sentences"}
    new |= {"permute_texts tiny-sentences", "overlap STS12-tiny/jaccard-words", "compare_similarity"}
    new |= {
        f"embed {model}/{family}"
        for model in MODELS
        for family in ("tiny-sentences", "tiny-sentences-permuted")
    }
    new |= of_models("similarity STS12-tiny", "geometry tiny-sentences")
    # without alignments and regressions there is nothing that shows them
    shown = {"table regressions", "table alignments", "figure alignment-uniformity"}
    assert planned(project, more) == new | SUMMARIES - shown


def test_pair_sets_alone_train_no_probe(tmp_path):
    jobs = planned(copy_workflow(tmp_path / "project"), ONLY_PAIRS)
    assert {"report", "check similarity", "table sts", "table costs", "figure costs"} < jobs
    assert {"figure score-and-cost", "table scores", "check complete"} & jobs == set()
    of_tasks = {
        "probe",
        "probe_lazy",
        "score",
        "compare",
        "summarise",
        "audit",
        "hardest",
        "prepare",
    }
    assert of_tasks & {job.split()[0] for job in jobs} == set()
    assert {job for job in jobs if job.startswith("collect")} == {"collect tiny-sentences"}


def test_tasks_alone_measure_no_similarity(tmp_path):
    jobs = planned(copy_workflow(tmp_path / "project"), NOTHING)
    of_pairs = {
        "prepare_pairs",
        "permute_texts",
        "similarity",
        "overlap",
        "regress",
        "align",
    }
    of_pairs |= {"geometry", "compare_similarity", "summarise_similarity", "summarise_geometry"}
    assert of_pairs & {job.split()[0] for job in jobs} == set()
    assert (SUMMARIES - COSTS - {"report", "record"}) & jobs == set()


def test_without_pair_sets_nothing_of_the_tasks_runs_again(finished):
    # costs tell of what was embedded, and geometry is drawn no more
    assert planned(finished, NOTHING) == {*COSTS, "report", "record"}


def test_encoders_that_are_fitted_take_no_part(tmp_path):
    config = {"select": {"models": ["tfidf"], "tasks": []}}
    jobs = planned(copy_workflow(tmp_path / "project"), config)
    assert {job for job in jobs if re.match("embed|collect|similarity|regress|align|geometry", job)} == set()
    assert {"overlap STSB-tiny/jaccard-words", "table sts", "report"} < jobs


def test_the_target_similarities_makes_no_table(tmp_path):
    jobs = planned(copy_workflow(tmp_path / "project"), targets=["similarities"])
    assert {job.split()[0] for job in jobs} >= {"similarity", "overlap", "regress", "align", "geometry"}
    assert {"table", "figure", "probe", "report"} & {job.split()[0] for job in jobs} == set()


def test_nothing_selected_is_a_mistake(tmp_path):
    outcome = command_line(
        copy_workflow(tmp_path / "project"),
        *(
            "-n",
            "--config",
            "select={models: [random], tasks: [], pair_sets: [], alignments: [], regressions: [], question_sets: []}",
        ),
    )
    assert outcome.code != 0
    assert (
        "config.select: nothing is selected. Write names of tasks, or of pair_sets, or of alignments, or of "
        "question_sets." in outcome.text
    )
