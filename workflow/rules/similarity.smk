"""Pair sets → scores of similarity, tests between encoders, regressions → their summaries."""

similarity = targets.families["similarity"]


dataset_rules("prepare_pairs", similarity.from_files, paths.PAIR_SET)

job_rule(
    "similarity",
    dict(**digested(pairs=paths.PAIR_SET), **similarity.vectors()),
    dict(scores=paths.SIMILARITY, rows=paths.SIMILARITY_ROWS),
    minutes=20,
    per_input=5,
    constraints=dict(model=one_of(targets.encoders.with_vectors)),
    settings=similarity.resampling(),
)

job_rule(
    "overlap",
    digested(pairs=paths.PAIR_SET),
    dict(scores=paths.OVERLAP, rows=paths.OVERLAP_ROWS),
    minutes=20,
    per_input=20,
    settings=similarity.resampling(),
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
    "regress",
    dict(
        **digested(
            train=similarity.part_of_regression("train"),
            dev=similarity.part_of_regression("dev"),
            test=similarity.part_of_regression("test"),
        ),
        **similarity.vectors(),
    ),
    paths.REGRESSION,
    minutes=60,
    per_input=10,
    constraints=dict(model=one_of(targets.encoders.with_vectors)),
    seed=experiment.config.similarity.seed,
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
