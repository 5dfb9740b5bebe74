"""Vectors → folds → scores."""


rule probe:
    """Folds of a task and an encoder with embeddings; `probe.job` says how many one job computes."""
    input:
        paths.TASK_DIGEST,
        task=ancient(paths.TASK),
        # The description of the embeddings holds the checksums of both.
        texts=ancient(probing.texts),
        embeddings=ancient(probing.embeddings),
        info=probing.embeddings_info,
    output:
        folds=probing.fold_outputs(),
    log:
        paths.log("probe", probing.job_key()),
    benchmark:
        paths.benchmark("probe", probing.job_key())
    wildcard_constraints:
        model=one_of(targets.encoders.with_vectors),
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(2000, 60, per_input=5),
        device=probing.probe_device,
    params:
        code=probing.probe_code("probe"),
        env=probing.probe_versions,
        settings=probing.probe_settings,
    shell:
        command("probe")


rule probe_lazy:
    """Folds of a task and an encoder that is fitted inside each fold."""
    input:
        paths.TASK_DIGEST,
        task=ancient(paths.TASK),
        manifest=paths.MANIFEST,
        own=ancient(targets.encoders.files),
    output:
        folds=probing.fold_outputs(),
    log:
        paths.log("probe_lazy", probing.job_key()),
    benchmark:
        paths.benchmark("probe_lazy", probing.job_key())
    wildcard_constraints:
        model=one_of(experiment.lazy_models),
    # The slowest jobs, which wait for no embeddings: begun first, they do not hold up the end.
    priority: 2
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(4000, 120),
        call_seconds=targets.encoders.call_seconds,
        device=probing.probe_device,
    params:
        code=probing.lazy_code,
        env=targets.encoders.lazy_versions,
        settings=probing.probe_settings,
    shell:
        command("probe_lazy")


rule score:
    """The folds of one task and encoder → the score with its intervals, the unaggregated table, and all predictions."""
    input:
        paths.TASK_DIGEST,
        folds=probing.folds,
        rows=ancient(paths.TASK),
    output:
        scores=paths.SCORES,
        table=paths.SCORE_TABLE,
        predictions=paths.SCORE_PREDICTIONS,
    log:
        paths.log("score", "{task}/{model}"),
    benchmark:
        paths.benchmark("score", "{task}/{model}")
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(1000, 10),
    params:
        **job_params("score", settings=probing.score_settings),
    shell:
        command("score")


rule compare:
    """Every score → which encoders differ: within each task and over all tasks."""
    input:
        probing.task_digests(),
        scores=probing.scores(),
        tables=probing.score_tables(),
        # They were written with the scores.
        predictions=ancient(probing.score_predictions()),
        rows=ancient(probing.task_tables()),
    output:
        pairs=paths.PAIRS,
        standings=paths.STANDINGS,
        ranks=paths.RANKS,
        across=paths.ACROSS,
        omnibus=paths.OMNIBUS,
    log:
        paths.log("compare"),
    benchmark:
        paths.benchmark("compare")
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(2000, 30),
    params:
        **job_params("compare", settings=probing.comparison_settings),
    shell:
        command("compare")
