"""Entries of retrievers, decisions and question sets in a configuration: what follows, and what is refused."""

import json
from types import SimpleNamespace

import pytest
from experiments import DEFAULT, experiment

from sentflow.errors import ConfigError
from sentflow.flow.targets import Targets

NOTHING_ELSE = {"tasks": [], "pair_sets": [], "alignments": [], "regressions": []}
MODELS = {
    "cross": {"kind": "cross-encoder", "source": {"folder": "cross"}},
    "terms": {"kind": "splade", "source": {"folder": "terms"}},
    "hub": {"kind": "sentence-transformers", "source": {"hub": "owner/encoder", "revision": "a" * 40}},
}
BM25 = {"kind": "bm25", "analyser": "words"}
RERANK = {"kind": "rerank", "of": "bm25", "model": "cross"}
SPARSE = {"kind": "sparse", "model": "terms"}
TUNED = {"kind": "fusion", "of": ["bm25", "other"], "rule": "sum", "weights": {"tuned_on": ["npl"]}}
WINDOW = {"window": {"from": 0, "to": 2, "step": 0.5}, "tuned_on": ["npl"]}


def targets(retrievers=None, select=None, **entries):
    chosen = {"models": ["bag-of-words"], "question_sets": ["cranfield"]}
    chosen["retrievers"] = ["bm25", *(retrievers or {})]
    own = {
        "select": {**NOTHING_ELSE, **chosen, **(select or {})},
        "models": MODELS,
        "retrievers": {"other": BM25, **(retrievers or {})},
        **entries,
    }
    return Targets(experiment(own))


def family(retrievers=None, select=None, **entries):
    return targets(retrievers, select, **entries).families["retrieval"]


def job(retriever, questions="cranfield"):
    return SimpleNamespace(questions=questions, retriever=retriever)


def test_a_dense_retriever_is_called_as_its_encoder_outside_where_it_does_nothing_else():
    dense = {"kind": "dense", "model": "hub", "title": "Ours"}
    kinds = {
        "plain": dense,
        "cosine": {**dense, "similarity": "cosine"},
        "dot": {**dense, "similarity": "dot"},
    }
    exported = family(kinds, {"models": ["hub"]}).exported
    found = {name: exported.outside(name) for name in kinds}
    assert found["plain"] == found["cosine"]
    assert {name: about.name for name, about in found.items()} == {
        **dict.fromkeys(("plain", "cosine"), "owner/encoder"),
        "dot": "sentflow/dot",
    }
    assert (found["plain"].revision, found["dot"].adapted_from) == ("a" * 40, "owner/encoder")


def test_measures_are_tried_before_anything_runs_with_the_grades_of_the_selected_question_sets():
    with pytest.raises(ConfigError) as raised:
        family(retrieval={"measures": ["nDCG@10", "nDCG@0", "nothing", "P(rel=2)@5", "NumRel"]})
    assert str(raised.value).count("config.retrieval.measures: ") == 2
    graded = {"question_sets": ["juristcu"]}  # relevant from grade 2
    with pytest.raises(ConfigError, match="'NumRel' cannot be computed"):
        family(select=graded, retrieval={"measures": ["nDCG@10", "NumRel"]})


def test_each_corpus_is_analysed_by_the_analyser_of_its_language():
    analyser = {"de": "german-stems", "pt": "portuguese-stems", "other": "long-words"}
    sets = ["legalquad", "stj", "cranfield"]
    retrieval = family({"lexical": {**BM25, "analyser": analyser}}, {"question_sets": sets})
    assert [file for name in sets for file in retrieval.terms(job("lexical", name))] == [
        f"results/data/terms/{name}.index"
        for name in ("legalquad/german-stems", "stj/portuguese-stems", "cranfield/long-words")
    ]
    assert (
        json.loads(retrieval.search_settings(job("lexical", "legalquad")))["analyser"]["stemmer"] == "german"
    )


def test_training_questions_are_searched_by_what_is_tuned_alone_and_not_shown():
    retrieval = family({"tuned": {**TUNED, "times": "bm25-english"}})
    parts = ("bm25", "other", "bm25-english")
    assert retrieval.needed == {"cranfield": [*parts, "tuned"], "npl": [*parts]}
    assert retrieval.weighed == [f"results/fusions/{name}/tuned.parquet" for name in ("cranfield", "npl")]
    assert retrieval.scores == [f"results/retrieval/cranfield/{name}.json" for name in ("bm25", "tuned")]
    # what is multiplied in stands behind what is weighed
    assert retrieval.runs_of_parts(job("tuned", "npl"))[-1] == "results/runs/npl/bm25-english.parquet"
    assert json.loads(retrieval.weigh_settings(job("tuned", "npl")))["by"]["times"] == "bm25-english"


def test_a_decision_is_applied_to_the_retrievers_that_it_names():
    decisions = {"one": {"most": 1}, "window": {**WINDOW, "retrievers": ["bm25"]}}
    retrieval = family({"also": BM25}, {"decisions": [*decisions]}, decisions=decisions)
    decided = [file for file in retrieval.results if "/bm25/" in file or "/also/" in file]
    assert decided == [
        f"results/decisions/cranfield/{name}.parquet" for name in ("bm25/one", "bm25/window", "also/one")
    ]
    assert retrieval.needed["npl"] == ["bm25"]


@pytest.mark.parametrize("own", [["minilm", "rrf", "judge", "sparse-embed-sample", "bm25"], None])
def test_own_retrievers_bring_their_encoders_and_inherited_ones_stay_out(own):
    judge = {"judge": {"kind": "rerank", "of": "minilm", "model": "cross"}}
    select = {**NOTHING_ELSE, "models": ["random"], **({"retrievers": own} if own else {})}
    written = {"select": select, "models": MODELS, "retrievers": judge}
    whole = Targets(experiment(written, own=written))
    found, models = whole.families["retrieval"], whole.experiment.fetched_models
    if not own:
        assert (found.shown, found.brought) == (["bm25", "random-order"], {})
        assert found.left_out == ["minilm", "sparse-embed-sample", "bm25-x-minilm", "rrf"]
        assert set(models) == {"random"}
        return
    assert (found.shown, found.left_out) == (own, [])
    assert found.brought == {
        "minilm-l6": ["minilm", "rrf", "judge"],
        "cross": ["judge"],
        "sparse-embed-sample": ["sparse-embed-sample"],
    }
    assert set(found.brought) < set(models) and list(whole.experiment.models) == ["random"]
    assert "minilm-l6" in whole.encoders.with_vectors  # embedded, and measured by nothing else
    assert {name for one in whole.collections.values() for name in one.models} == {
        "minilm-l6",
        "sparse-embed-sample",
    }


def test_a_file_without_a_selection_leaves_nothing_of_the_default_experiment_out():
    written = {"probe": {"repetitions": 10}}
    found = Targets(experiment(written, own=written)).families["retrieval"]
    assert (found.shown, found.left_out) == (DEFAULT["select"]["retrievers"], [])


def test_nothing_needs_an_encoder_where_words_are_counted():
    whole = targets(select={"models": []}, report={"checks": []})
    assert whole.experiment.fetched_models == {} and whole.checks == []


def told(retrievers=None, select=None, **entries):
    with pytest.raises(ConfigError) as error:
        family(retrievers, select, **entries)
    return str(error.value)


def test_all_retrievers_that_cannot_be_meant_are_told_at_once_with_their_keys():
    wrong = {
        "unknown": ({**RERANK, "model": "crass"}, "model: there is no model 'crass'. Did you mean cross?"),
        "single": (
            {**RERANK, "model": "bag-of-words"},
            "model: 'bag-of-words' gives vectors of single texts",
        ),
        "itself": ({**RERANK, "of": "itself"}, "of: it reranks itself"),
        "near": ({"kind": "dense", "model": "cross"}, "model: 'cross' compares two texts"),
        "fitted": ({"kind": "dense", "model": "tfidf"}, "model: 'tfidf' is made of the rows"),
        "dense": ({"kind": "dense", "model": "terms"}, "model: 'terms' weighs terms"),
        "weighed": ({**SPARSE, "model": "bag-of-words"}, "model: 'bag-of-words' has no weights of terms"),
        "ordered": ({**SPARSE, "candidates": 2000}, "candidates: they are ordered by vectors of terms"),
        "circle": ({**TUNED, "of": ["bm25", "circle"]}, "of: it fuses itself"),
        "times": ({**TUNED, "times": "bm52"}, "times: there is no retriever 'bm52'"),
        "product": ({**TUNED, "rule": "product"}, "weights: a product has no weights"),
        "weights": ({**TUNED, "weights": [1, 2, 3]}, "weights: 3 weights for 2 retrievers"),
        "private": (
            {**TUNED, "weights": {"tuned_on": ["zalo-2021-private"]}},
            "weights.tuned_on: 'zalo-2021-p",
        ),
        "elsewhere": (
            {"kind": "run", "files": {"cranfield": "no.trec"}},
            "files.cranfield: there is no file no.t",
        ),
        "analysed": (
            {**BM25, "analyser": {"de": "german-stem", "other": "words"}},
            "analyser: there is no analy",
        ),
    }
    found = told({name: entry for name, (entry, _) in wrong.items()})
    for name, (_, said) in wrong.items():
        assert f"retrievers.{name}.{said}" in found


def test_question_sets_and_decisions_that_cannot_be_meant_are_refused_with_their_key():
    for entries, said in (
        ({"corpora": {"cranfield": {"shards": 2}}}, "retrievers.weighed.impacts: weights are rounded"),
        ({"question_sets": {"cranfield": {"training": ["cranfield"]}}}, "training: it names itself"),
        (
            {"question_sets": {"cranfield": {"part": {"of": 3, "keep": [4]}}}},
            "part.keep: there is no part 4 of 3",
        ),
        (
            {"retrieval": {"pair": ["bm25", "minilm"]}},
            "retrieval.pair: there is no selected retriever 'minilm'",
        ),
        (
            {"decisions": {"x": {"most": 1, "retrievers": ["rrf"]}}},
            "decisions.x.retrievers: 'rrf' is not selected",
        ),
    ):
        select = {"decisions": [*entries.get("decisions", {})]}
        assert said in told({"weighed": {**SPARSE, "impacts": 8}}, select, **entries)
