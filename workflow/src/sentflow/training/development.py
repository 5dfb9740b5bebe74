"""What a snapshot of a training is worth on scored pairs that are not those of any test."""

from sentflow.geometry.alignment_uniformity import ScoredVectors, measure
from sentflow.geometry.settings import AlignmentSettings
from sentflow.similarity.measures import cosine, pearson, spearman
from sentflow.texts.lookup import TextVectors
from sentflow.texts.pairs import PairTable

# The share of the scale above which a pair is positive: 4 of 5 in the scores of STS (Gao et al. 2021, section 3)
_POSITIVE = 0.8


def development_measures(table: PairTable, family: TextVectors) -> dict[str, float]:
    """Correlations of the cosine with the gold scores, alignment and uniformity.

    Returns ``spearman`` and ``pearson`` in [−1, 1]; ``alignment`` in [0, 4], of pairs above four fifths of the scale,
    and ``uniformity`` in [−8, 0], of both sentences of all pairs (lower is better for both).
    """
    first, second = family.rows_of_pairs(table)
    cosines = cosine(family.vectors[first], family.vectors[second])
    low, high = table.info.scale
    settings = AlignmentSettings(threshold=low + _POSITIVE * (high - low))
    found = measure(ScoredVectors(family.vectors, first, second, table.score), settings)
    return {
        "spearman": spearman(cosines, table.score),
        "pearson": pearson(cosines, table.score),
        "alignment": found.alignment,
        "uniformity": found.uniformity,
    }
