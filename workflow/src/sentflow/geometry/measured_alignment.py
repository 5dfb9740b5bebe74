"""One measurement of the catalog as what its file holds."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from sentflow.encoders.arrays import FloatArray
from sentflow.geometry.alignment_uniformity import is_positive, measure, scored_vectors
from sentflow.geometry.settings import PER_BATCH, AlignmentSettings
from sentflow.similarity.storage import graph_of
from sentflow.stats.pair_graph import interval_of_pair_mean
from sentflow.stats.resampling import Bootstrap
from sentflow.texts.collection import rows_of
from sentflow.texts.pairs import PairTable


def measured_alignment(
    *,
    name: str,
    model: str,
    pairs: Sequence[PairTable],
    positives: Sequence[PairTable],
    texts: Sequence[str],
    vectors: FloatArray,
    settings: AlignmentSettings,
) -> dict[str, Any]:
    """Alignment and uniformity with all that decides them.

    The uniformity has no interval: sentences that a bootstrap draws twice lie on each other. That of the alignment
    draws positive pairs, or what those of them that share sentences make up (`PairGraph.units`).
    """
    row_of = rows_of(texts)
    whole = scored_vectors(pairs, vectors, row_of)
    scored = scored_vectors(positives, vectors, row_of) if positives else whole
    found = measure(whole, settings, scored)
    interval, drawn = None, None
    # a mean of means over batches of an order is no mean of drawn pairs
    if settings.n_resamples and settings.variant != PER_BATCH and found.n_positive > 1:
        bootstrap = Bootstrap(settings.level, settings.n_resamples, settings.seed)
        chosen = np.flatnonzero(is_positive(scored.scores, settings))
        units = graph_of(positives or pairs).of(chosen).units
        interval = list(interval_of_pair_mean(found.positive_distances, units, bootstrap))
        drawn = units.facts()
    tables = {"pairs": [table.info.pairs for table in pairs]}
    if positives:
        tables["positives"] = [table.info.pairs for table in positives]
    return {
        "alignment": found.alignment,
        "uniformity": found.uniformity,
        "interval": {"alignment": interval, "uniformity": None},
        "drawn": drawn,
        "level": settings.level,
        "set": name,
        "model": model,
        "n_positive": found.n_positive,
        "n_sentences": found.n_sentences,
        "n_pairs": found.n_pairs,
        "n_zero": found.n_zero,
        "batches": asdict(found.batches) if found.batches else None,
        "config": {**settings.facts(), **tables},
        "warnings": found.warnings,
    }
