"""Pair sets → scores of similarity, tests between encoders, regressions → their summaries."""

similarity = targets.families["similarity"]


dataset_rules("prepare_pairs", similarity.from_files, paths.PAIR_SET, priority=4)

job_rule(
    "similarity",
    dict(
        **digested(pairs=similarity.tables_of("regressions", similarity.scored)),
        **similarity.vectors_of({**similarity.scored, **similarity.regressed}),
    ),
    dict(
        **similarity.outputs(["{model}"]),
        regressions=each(
            paths.REGRESSION, regression=flat(similarity.regressed), model=["{model}"]
        ),
    ),
    minutes=60
    + 5 * len(flat(similarity.scored))
    + 20 * len(flat(similarity.regressed)),
    per_input=dict(pairs=10),
    per_largest=dict(texts=10, embeddings=10),
    constraints=dict(model=one_of(targets.encoders.with_vectors)),
    settings=similarity.score_settings(),
)

job_rule(
    "overlap",
    digested(pairs=each(paths.PAIR_SET, pairs=flat(similarity.scored))),
    similarity.outputs(similarity.baselines),
    minutes=20 + 5 * len(flat(similarity.scored)),
    per_largest=dict(pairs=20),
    settings=similarity.overlap_settings(),
)

job_rule(
    "compare_similarity",
    dict(rows=similarity.rows),
    paths.SIMILARITY_PAIRS,
    minutes=60,
    per_input=20,
    settings=similarity.comparison_settings,
)

job_rule(
    "summarise_similarity",
    dict(
        scores=similarity.scores, rows=similarity.rows, regressed=similarity.regressions
    ),
    dict(
        similarity=paths.SUMMARY_SIMILARITY,
        regressions=paths.SUMMARY_REGRESSIONS,
        histograms=paths.HISTOGRAMS,
    ),
    minutes=20,
    local=True,
    settings=similarity.summarise_settings,
)
