"""Corpora and questions → runs of retrievers → measures, tests between retrievers, their summary."""

retrieval = targets.families["retrieval"]


include: "retrieval/collections.smk"
include: "retrieval/search.smk"
include: "retrieval/indexes.smk"


if retrieval.tuned:

    include: "retrieval/fusions.smk"


if retrieval.decisions:

    include: "retrieval/decisions.smk"


include: "retrieval/results.smk"
include: "retrieval/explanations.smk"
include: "retrieval/exports.smk"
