"""What forty steps on questions with negatives of BM25 change in an English encoder, on Vietnamese statutes.

Direction, not size, of one seed; docs/retrieval.md tells all six seeds of `experiments/zalo-subset.yaml`. Texts are cut
earlier than there, so that it takes a minute or two.
"""

import pyarrow.parquet as pq
import pytest
import yaml
from workflow_copy import REPOSITORY, copy_workflow, snakemake

from sentflow.files.io import read_json

pytestmark = [pytest.mark.slow, pytest.mark.mirror]

EXPERIMENT = REPOSITORY / "experiments/zalo-subset.yaml"
TESTS = ("zalo-subset-test", "zalo-subset-alqac23")
SHORT = {"max_tokens": 48, "dtype": "float32"}
OVER = {
    "select": {
        "models": ["minilm-128", "round-1"],
        "retrievers": ["bm25-syllables", "minilm-128", "round-1", "bm25-x-round-1"],
        "decisions": [],
    },
    "models": {
        "minilm-128": SHORT,
        "round-2": {"seeds": [1]},
        "round-1": {
            **SHORT,
            "seeds": [1],
            "settings": {"question_tokens": 32},
            "training": {"max_tokens": 48, "precision": "float32"},
        },
    },
    # Words need a library that is not installed everywhere
    "retrievers": {
        "bm25-syllables": {"title": "BM25, syllables", "kind": "bm25", "analyser": "words", "k1": 1.2},
        "bm25-x-round-1": {"of": ["bm25-syllables", "round-1"]},
    },
    "training_data": {"bm25-negatives": {"negatives": {"retriever": "bm25-syllables"}}},
    "retrieval": {
        "stages": {
            "series": ["alone"],
            "of": [{"title": name, "retrievers": [name]} for name in ("minilm-128", "round-1")],
        },
        "reference": "bm25-syllables",
    },
    "report": {"tables": ["retrieval"], "figures": [], "checks": ["retrieval"]},
}


@pytest.fixture(scope="module")
def results(tmp_path_factory, mirror):
    project = copy_workflow(tmp_path_factory.mktemp("zalo") / "project")
    over = project / "over.yaml"
    over.write_text(yaml.safe_dump({**OVER, "mirrors": [str(mirror)]}), encoding="utf-8")
    outcome = snakemake(
        project,
        *("--cores", "2", "--until", "evaluate"),
        *("--configfile", str(EXPERIMENT), str(over)),
    )
    assert outcome.code == 0, outcome.text[-6000:]
    return project / "results"


def mean(results, questions, retriever, measure="RR@10"):
    return read_json(results / f"retrieval/{questions}/{retriever}.json")["measures"][measure]["mean"]


def test_the_loss_falls(results):
    losses = pq.read_table(results / "training/round-1-seed-1/history.parquet").column("loss").to_pylist()
    assert sum(losses[-5:]) < 0.7 * sum(losses[:5])


@pytest.mark.parametrize("questions", TESTS)
def test_the_trained_encoder_finds_more_than_the_one_it_started_from(results, questions):
    for measure in ("RR@10", "R@10"):
        before, after = (mean(results, questions, name, measure) for name in ("minilm-128", "round-1-seed-1"))
        assert after > before + 0.05


@pytest.mark.parametrize("questions", TESTS)
def test_the_product_is_safe_beside_a_weak_encoder(results, questions):
    alone, product = (mean(results, questions, name) for name in ("round-1-seed-1", "bm25-x-round-1-seed-1"))
    assert product > alone + 0.05
    assert product > mean(results, questions, "bm25-syllables") - 0.05
