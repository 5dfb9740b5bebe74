"""What configuration says of clusters, seeds, pairs and stages of retrievers: what follows, and what is refused."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from sentflow.errors import ConfigError
from sentflow.graph.config.experiment import load_experiment
from sentflow.graph.targets import Targets

REPOSITORY = Path(__file__).parents[3]
WORKFLOW = REPOSITORY / "workflow"
DEFAULT = yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8"))
NOTHING = dict.fromkeys(("tasks", "pair_sets", "alignments", "regressions"), [])
RANDOM = {f"random-{seed}": {"kind": "random", "seed": seed, "seed_of": "random"} for seed in (1, 2)}


def targets(sets=("faquad", "cranfield"), chosen=("bm25", *RANDOM), *, retrieval=None, **entries):
    select = {**DEFAULT["select"], **NOTHING, "models": ["bag-of-words"]}
    select |= {"question_sets": [*sets], "retrievers": [*chosen]}
    config = {
        **DEFAULT,
        "select": select,
        "retrievers": RANDOM,
        "retrieval": {**DEFAULT["retrieval"], **(retrieval or {})},
        **entries,
    }
    return Targets(load_experiment(config, WORKFLOW))


def test_settings_name_clusters_where_they_are_measured_and_families_where_they_are_compared():
    found = targets(("faquad", "zalo-subset-test")).families["retrieval"]
    evaluated = [
        json.loads(found.evaluate_settings(SimpleNamespace(questions=name)))
        for name in ("faquad", "zalo-subset-test")
    ]
    assert [one["cluster"] for one in evaluated] == ["gold-document"] * 2
    assert "cluster_pattern" not in evaluated[0]
    assert evaluated[1]["cluster_pattern"] == "^([^|]+)"
    assert json.loads(found.comparison_settings(None))["families"] == {
        "random": {name: name for name in RANDOM}
    }
    seeds = [
        json.loads(found.search_settings(SimpleNamespace(questions="faquad", retriever=name)))["seed"]
        for name in RANDOM
    ]
    assert seeds == [1, 2]


def test_tables_are_made_where_there_is_something_to_show():
    assert {"retrieval-documents", "retrieval-seeds"} <= set(targets().selected("tables"))
    assert "retrieval-group-tests" not in targets().selected("tables")
    assert "retrieval-terms" not in targets(chosen=tuple(RANDOM)).selected("tables")
    assert "retrieval-seeds" not in targets(chosen=("bm25", "random-1")).selected("tables")
    assert "retrieval-group-tests" in targets(("juristcu",)).selected("tables")


def test_questions_are_quoted_in_tables_and_on_the_page_but_in_no_publication():
    found = targets()
    hard = [f"results/items/{name}/hard-questions.parquet" for name in ("faquad", "cranfield")]
    shared = [f"results/items/{name}/bm25/shared-terms.parquet" for name in ("faquad", "cranfield")]
    assert found.excerpts() == [*hard, *shared]
    assert set(found.excerpts()) <= set(found.summaries_of_page())
    assert set(hard) <= set(found.files_of("table")(SimpleNamespace(table="retrieval-questions")))
    assert {*hard, *shared} <= set(found.files_of("table")(SimpleNamespace(table="retrieval-terms")))
    assert {f"results/tables/retrieval-{name}.md" for name in ("questions", "terms")} <= set(found.tables())
    published = found.crate_files()
    assert not [file for file in published if "/items/" in file or "retrieval-questions" in file]
    assert not [file for file in published if "retrieval-terms" in file]
    assert "results/tables/retrieval-documents.md" in published


QUESTIONS = {"format": "jsonl", "files": ["q.jsonl"], "id": "id", "text": "text"}
JUDGED = {"format": "jsonl", "files": ["j.jsonl"], "question": "q", "document": "d"}


def mine(**more):
    entry = {
        "title": "Mine", "corpus": "cranfield", "dataset": "mine", "language": "en", "data_version": "raw",
        "questions": [QUESTIONS], "judgements": [JUDGED],
    }  # fmt: skip
    files = {name: {"urls": [name]} for name in ("q.jsonl", "j.jsonl")}
    about = {"title": "Mine", "licence": "none", "citation": "none", "language": "en"}
    return targets(
        ("mine",), question_sets={"mine": {**entry, **more}}, datasets={"mine": {**about, "files": files}}
    )


def test_a_column_of_clusters_is_read_with_the_questions():
    found = mine(cluster="column", questions=[{**QUESTIONS, "cluster": "law"}]).families["retrieval"]
    settings = json.loads(found.question_settings(SimpleNamespace(questions="mine")))
    assert settings["questions"][0]["cluster"] == "law"


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"cluster": "column"}, "question_sets.mine.cluster: no source names the column"),
        (
            {"questions": [{**QUESTIONS, "cluster": "law"}]},
            "a column of clusters is named, but not used. Write question_sets.mine.cluster: column",
        ),
        ({"cluster_pattern": "x"}, "question_sets.mine.cluster_pattern: it needs cluster: gold-document"),
        (
            {"cluster": "gold-document", "cluster_pattern": "(x"},
            "question_sets.mine.cluster_pattern: '(x' is no regular expression",
        ),
        ({"cluster": "law"}, "question_sets.mine.cluster"),
        ({"part": {"of": 3, "keep": [1, 4]}}, "question_sets.mine.part.keep: there is no part 4 of 3"),
    ],
)
def test_clusters_that_cannot_be_meant(entry, said):
    with pytest.raises(ConfigError) as error:
        mine(**entry)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"retrieval": {"pair": ["bm25", "minilm"]}},
            "retrieval.pair: there is no selected retriever 'minilm'",
        ),
        ({"retrieval": {"pair": ["bm25"]}}, "retrieval.pair"),
        ({"retrievers": ("seeded",)}, "retrievers.seeded: 'seed' is not one of"),
    ],
)
def test_pairs_and_seeds_that_cannot_be_meant(changed, said):
    own = {"seeded": {"kind": "bm25", "analyser": "words", "seed": 3}} if "retrievers" in changed else {}
    chosen = changed.pop("retrievers", ("bm25", *RANDOM))
    with pytest.raises(ConfigError) as error:
        targets(("cranfield",), chosen, **changed, **({"retrievers": own} if own else {}))
    assert said in str(error.value)


def configured(**stages):
    of = [{"title": "first", "retrievers": ["bm25"]}, {"title": "second", "retrievers": ["random"]}]
    return targets(retrieval={"stages": {"series": ["alone"], "of": of, **stages}})


def test_stages_are_shown_by_the_main_measure_and_recall_and_seeds_by_the_name_of_their_family():
    found = configured()
    assert {"retrieval-stages"} <= set(found.selected("tables")) & set(found.selected("figures"))
    settings = found.families["retrieval"].stage_settings(None)
    assert '"measures": ["nDCG@10"' in settings
    assert "retrieval-stages" not in targets().selected("figures")


@pytest.mark.parametrize(
    ("stages", "said"),
    [
        (
            {"series": ["alone", "fused"]},
            "config.retrieval.stages.of.0.retrievers: 1 of them for 2 series. Write one for each of: alone, fused.",
        ),
        (
            {"of": [{"title": "a", "retrievers": ["bm25"]}, {"title": "b", "retrievers": ["bm52"]}]},
            "config.retrieval.stages.of.1.retrievers: there is no retriever 'bm52'",
        ),
        (
            {"of": [{"title": "a", "retrievers": ["bm25"]}, {"title": "b", "retrievers": ["minilm"]}]},
            "config.retrieval.stages.of.1.retrievers: 'minilm' is not selected. Write it in select.retrievers, too.",
        ),
        (
            {"of": [{"title": "a", "retrievers": ["bm25"]}, {"title": "a", "retrievers": ["random"]}]},
            "two stages have the title 'a'",
        ),
        ({"measures": ["P@7"]}, "config.retrieval.stages.measures: 'P@7' is not one of retrieval.measures"),
        ({"of": [{"title": "a", "retrievers": ["bm25"]}]}, "retrieval.stages.of"),
    ],
)
def test_stages_that_cannot_be_meant(stages, said):
    with pytest.raises(ConfigError) as error:
        configured(**stages)
    assert said in str(error.value)
