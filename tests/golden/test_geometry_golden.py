"""Alignment and uniformity of all-MiniLM-L6-v2 on STS-B, in every variant, against values measured on the same files.

Measured with sentence-transformers on one processor; tolerance 1e-3. Those of the definition were recomputed from the
files by another program, and agree to the last digit.
"""

from collections.abc import Sequence

import numpy as np
import pytest

from sentflow.geometry.facts import AlignmentUniformity, ScoredVectors, measure
from sentflow.geometry.settings import AlignmentSettings

pytestmark = pytest.mark.mirror
minilm_runs = pytest.mark.nightly

PARTS = {"dev": ["STSB-dev"], "test": ["STSB-test"], "all": ["STSB-train", "STSB-dev", "STSB-test"]}
TOLERANCE = 1e-3


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
def test_alignment_by_definition(sts_english):
    for part, comparison, n_positive, alignment in (
        ("dev", "above", 208, 0.235967),
        ("test", "above", 231, 0.251204),
        ("all", "above", 1491, 0.248219),
        ("all", "at-least", 2008, 0.286152),
    ):
        found = measured(sts_english, PARTS[part], comparison=comparison)
        assert found.n_positive == n_positive
        assert found.alignment == pytest.approx(alignment, abs=TOLERANCE)


@minilm_runs
def test_uniformity_by_definition(sts_english):
    for part, sentences, n_sentences, expected in (
        ("dev", "all", 3000, -3.840808),
        ("dev", "unique", 2910, -3.848699),
        ("test", "unique", 2552, -3.819007),
        ("all", "all", 17256, -3.810675),
    ):
        found = measured(sts_english, PARTS[part], sentences=sentences)
        assert (found.n_sentences, found.n_pairs) == (n_sentences, n_sentences * (n_sentences - 1) // 2)
        assert found.uniformity == pytest.approx(expected, abs=TOLERANCE)
        assert (found.n_zero, found.warnings) == (0, [])


@minilm_runs
def test_the_variants_of_the_study(sts_english):
    for part, alignment, expected in (("dev", 0.451747, -2.788366), ("test", 0.466649, -2.777948)):
        found = measured(sts_english, PARTS[part], variant="alignunformeval")
        assert found.alignment == pytest.approx(alignment, abs=TOLERANCE)
        assert found.uniformity == pytest.approx(expected, abs=TOLERANCE)
        assert found.warnings == []  # vectors of length one
    for part, n, alignment, expected in (("dev", 24, 0.314901, -2.717767), ("test", 22, 0.311761, -2.923862)):
        found = measured(sts_english, PARTS[part], variant="per-batch", comparison="at-least")
        assert (found.batches.n, found.batches.n_empty) == (n, 0)
        assert found.alignment == pytest.approx(alignment, abs=TOLERANCE)
        assert found.uniformity == pytest.approx(expected, abs=TOLERANCE)
