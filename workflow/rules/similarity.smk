"""Pair sets → scores of similarity, tests between encoders, regressions → their summaries."""

similarity = targets.families["similarity"]


rule prepare_pairs:
    """The raw files of a pair set → its table."""
    input:
        raw=similarity.from_files.raw,
    output:
        **with_digest(table=paths.PAIR_SET),
    resources:
        **asks("prepare_pairs", 10),
        checks=similarity.from_files.checks,
        limits=targets.limits,
    params:
        **job_params("prepare_pairs", settings=similarity.from_files.settings),
    shell:
        command("prepare_pairs")


rule similarity:
    """The vectors of one encoder → how well the similarities of pairs agree with their gold scores, by four measures."""
    input:
        **digested(pairs=paths.PAIR_SET),
        **similarity.vectors(),
    output:
        scores=paths.SIMILARITY,
        rows=paths.SIMILARITY_ROWS,
    wildcard_constraints:
        model=one_of(targets.encoders.with_vectors),
    resources:
        **asks("similarity", 20, per_input=5),
    params:
        **job_params("similarity", settings=similarity.resampling()),
    shell:
        command("similarity")


rule overlap:
    """A similarity that needs no encoder → its agreement with the gold scores: what shared words alone achieve."""
    input:
        **digested(pairs=paths.PAIR_SET),
    output:
        scores=paths.OVERLAP,
        rows=paths.OVERLAP_ROWS,
    resources:
        **asks("overlap", 20, per_input=20),
    params:
        **job_params("overlap", settings=similarity.resampling()),
    shell:
        command("overlap")


rule compare_similarity:
    """The similarities of every pair by every encoder → which encoders differ, pair set by pair set."""
    input:
        rows=similarity.rows,
    output:
        paths.SIMILARITY_PAIRS,
    resources:
        **asks("compare_similarity", 60, per_input=20),
    params:
        **job_params("compare_similarity", settings=similarity.comparison_settings),
    shell:
        command("compare_similarity")


rule regress:
    """The vectors of one encoder → a similarity that is trained, chosen and tested on three pair sets."""
    input:
        **digested(
            train=similarity.part_of_regression("train"),
            dev=similarity.part_of_regression("dev"),
            test=similarity.part_of_regression("test"),
        ),
        **similarity.vectors(),
    output:
        paths.REGRESSION,
    wildcard_constraints:
        model=one_of(targets.encoders.with_vectors),
    resources:
        **asks("regress", 60, per_input=10),
    params:
        **job_params("regress", seed=experiment.config.similarity.seed),
    shell:
        command("regress")


rule summarise_similarity:
    """Everything that was measured on pair sets → one table of each kind."""
    input:
        scores=similarity.scores,
        rows=similarity.rows,
        regressed=similarity.regressions,
    output:
        similarity=paths.SUMMARY_SIMILARITY,
        regressions=paths.SUMMARY_REGRESSIONS,
        histograms=paths.HISTOGRAMS,
    localrule: True
    resources:
        **asks("summarise_similarity", 20),
    params:
        **job_params("summarise_similarity", settings=similarity.summarise_settings),
    shell:
        command("summarise_similarity")
