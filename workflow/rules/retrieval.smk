"""Corpora and questions → runs of retrievers → measures, tests between retrievers, their summary."""

retrieval = targets.families["retrieval"]
# What is searched, by what, and which documents are relevant.
judged = dict(
    corpus=retrieval.corpus, questions=paths.QUESTIONS, judgements=paths.JUDGEMENTS
)


include: "retrieval/collections.smk"
include: "retrieval/search.smk"


if retrieval.tuned:

    include: "retrieval/fusions.smk"


if retrieval.decisions:

    include: "retrieval/decisions.smk"


include: "retrieval/results.smk"
include: "retrieval/exports.smk"
