"""Alignment and uniformity of all-MiniLM-L6-v2 on STS-B, in every variant, against values measured on the same files.

Measured with sentence-transformers on one processor; tolerance 1e-3. Those of the definition were recomputed from the
files by another program, and agree to the last digit.
"""

from collections.abc import Sequence

import numpy as np
import pytest
from mirror_pairs import mirror_pairs

from sentflow.geometry.alignment_settings import AlignmentSettings
from sentflow.geometry.alignment_uniformity import AlignmentUniformity, ScoredVectors, measure

pytestmark = pytest.mark.mirror
minilm_runs = pytest.mark.slow

PARTS = {
    "dev": ["STSB-dev"],
    "test": ["STSB-test"],
    "all": ["STSB-train", "STSB-dev", "STSB-test"],
}
TOLERANCE = 1e-3


@pytest.fixture(scope="module")
def stsb(sts_english):
    """STS-B with the vectors of its sentences, which another file of tests needs with more."""
    return sts_english


def measured(stsb, names: Sequence[str], **settings) -> AlignmentUniformity:
    rows = [stsb.rows(stsb.tables[name]) for name in names]
    pairs = ScoredVectors(
        stsb.embeddings,
        np.concatenate([first for first, _ in rows]),
        np.concatenate([second for _, second in rows]),
        np.concatenate([stsb.tables[name].score for name in names]),
    )
    return measure(pairs, AlignmentSettings(**settings))


@minilm_runs
@pytest.mark.parametrize(
    ("part", "comparison", "n_positive", "alignment"),
    [
        ("dev", "above", 208, 0.235967),
        ("dev", "at-least", 264, 0.267214),
        ("test", "above", 231, 0.251204),
        ("test", "at-least", 338, 0.329752),
        ("all", "above", 1491, 0.248219),
        ("all", "at-least", 2008, 0.286152),
    ],
)
def test_alignment_by_definition(stsb, part, comparison, n_positive, alignment):
    # a sample of pairs is enough: uniformity is tested below
    found = measured(stsb, PARTS[part], comparison=comparison, sample=1000)
    assert found.n_positive == n_positive
    assert found.alignment == pytest.approx(alignment, abs=TOLERANCE)


@minilm_runs
@pytest.mark.parametrize(
    ("part", "sentences", "n_sentences", "expected"),
    [
        ("dev", "all", 3000, -3.840808),
        ("dev", "unique", 2910, -3.848699),
        ("test", "all", 2758, -3.804711),
        ("test", "unique", 2552, -3.819007),
        ("all", "all", 17256, -3.810675),
        ("all", "unique", 15487, -3.815678),
    ],
)
def test_uniformity_by_definition(stsb, part, sentences, n_sentences, expected):
    found = measured(stsb, PARTS[part], sentences=sentences)
    assert (found.n_sentences, found.n_pairs) == (n_sentences, n_sentences * (n_sentences - 1) // 2)
    assert found.uniformity == pytest.approx(expected, abs=TOLERANCE)
    assert (found.n_zero, found.warnings) == (0, [])


@minilm_runs
@pytest.mark.parametrize(
    ("part", "alignment", "expected"), [("dev", 0.451747, -2.788366), ("test", 0.466649, -2.777948)]
)
def test_alignunformeval(stsb, part, alignment, expected):
    found = measured(stsb, PARTS[part], variant="alignunformeval")
    assert found.alignment == pytest.approx(alignment, abs=TOLERANCE)
    assert found.uniformity == pytest.approx(expected, abs=TOLERANCE)
    assert found.warnings == []  # vectors of length one


@minilm_runs
@pytest.mark.parametrize(
    ("part", "n_batches", "alignment", "expected"),
    [("dev", 24, 0.314901, -2.717767), ("test", 22, 0.311761, -2.923862)],
)
def test_per_batch(stsb, part, n_batches, alignment, expected):
    found = measured(stsb, PARTS[part], variant="per-batch", comparison="at-least")
    assert (found.batches.n, found.batches.n_empty) == (n_batches, 0)
    assert found.alignment == pytest.approx(alignment, abs=TOLERANCE)
    assert found.uniformity == pytest.approx(expected, abs=TOLERANCE)


@minilm_runs
def test_a_sample_of_pairs_comes_near_to_all(stsb):
    exact = measured(stsb, PARTS["dev"]).uniformity
    assert measured(stsb, PARTS["dev"], sample=200_000).uniformity == pytest.approx(exact, abs=0.01)


@minilm_runs
def test_the_drop_in_evaluator_gives_the_published_values_for_a_model(stsb, minilm, mirror, tmp_path):
    import sentflow

    file = next(mirror.glob("github/zhangzhenhu/*/*/data/stsbenchmark/sts-dev.csv"))
    evaluator = sentflow.STSBEval(minilm.embed, file, 4.0)
    found = evaluator.eval_summary()
    assert found["alignment"] == pytest.approx(0.451747, abs=TOLERANCE)
    assert found["uniformity"] == pytest.approx(-2.788366, abs=TOLERANCE)
    defined = sentflow.STSBEval(
        minilm.embed, mirrors=[str(mirror)], data_dir_path=tmp_path, variant="definition"
    )
    assert defined.eval_summary()["uniformity"] == pytest.approx(-3.840808, abs=TOLERANCE)


@pytest.mark.parametrize(
    ("name", "n", "above", "at_least"),
    [
        ("STSB-dev", 1500, 208, 264),
        ("STSB-test", 1379, 231, 338),
        ("STSB-train", 5749, 1052, 1406),
        ("KorSTS-dev", 1500, 208, 264),
        ("KorSTS-test", 1379, 231, 338),
        ("KorSTS-train", 5749, 1052, 1406),
    ],
)
def test_counts_of_positives(mirror, name, n, above, at_least):
    table = mirror_pairs(name, mirror)
    assert (len(table), (table.score > 4).sum(), (table.score >= 4).sum()) == (n, above, at_least)


def test_counts_of_tmup(mirror):
    table, joined = mirror_pairs("TMUP", mirror), mirror_pairs("TMUP-joined", mirror)
    assert (len(table), (table.score > 0.5).sum(), (table.score == 0).sum()) == (655, 363, 292)
    np.testing.assert_array_equal(joined.score, table.score)
    assert joined.text_a == [text.replace(" ", "") for text in table.text_a]
    assert all(" " in text for text in table.text_a)


@pytest.mark.parametrize(
    ("names", "n_unique"),
    [
        (["STSB-dev"], 2910),
        (["STSB-test"], 2552),
        (["STSB-train", "STSB-dev", "STSB-test"], 15487),
        (["STSB-dev-senteval"], 2909),
        (["STSB-test-senteval"], 2551),
    ],
)
def test_counts_of_distinct_sentences(mirror, names, n_unique):
    assert len({text for name in names for text in mirror_pairs(name, mirror).texts()}) == n_unique


@pytest.mark.parametrize(
    ("name", "n_batches", "fewest", "most"),
    [
        ("STSB-test", 22, 5, 27),
        ("KorSTS-test", 22, 5, 27),
        ("STSB-dev", 24, 2, 23),
        ("KorSTS-dev", 24, 2, 23),
    ],
)
def test_no_batch_of_the_study_is_without_positives(mirror, name, n_batches, fewest, most):
    positive = mirror_pairs(name, mirror).score >= 4
    counts = [int(positive[start : start + 64].sum()) for start in range(0, len(positive), 64)]
    assert (len(counts), min(counts), max(counts)) == (n_batches, fewest, most)
