"""Vectors → folds → scores."""


rule probe:
    """Folds of a task and an encoder with embeddings; `probe.job` says how many one job computes."""
    input:
        paths.TASK_DIGEST,
        task=ancient(paths.TASK),
        # The description of the embeddings holds the checksums of both.
        texts=ancient(targets.texts_of_task),
        embeddings=ancient(targets.embeddings_of_task),
        info=targets.embeddings_info_of_task,
    output:
        # Their predictions lie beside them, written before them: as outputs they would double what Snakemake keeps and checks.
        folds=targets.fold_outputs(),
    log:
        paths.log("probe", targets.probe_job_key()),
    benchmark:
        paths.benchmark("probe", targets.probe_job_key())
    wildcard_constraints:
        model=targets.fixed_models(),
    conda:
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        code=code("sentflow.commands.probe"),
        env=targets.probe_versions,
        settings=targets.probe_settings,
    shell:
        "OMP_NUM_THREADS=1 python -m sentflow.commands.probe --task {input.task:q} --texts {input.texts:q}"
        " --embeddings {input.embeddings:q} --info {input.info:q} --settings {params.settings:q}"
        " --output {output.folds:q} > {log:q} 2>&1"


rule probe_lazy:
    """Folds of a task and an encoder that is fitted inside each fold."""
    input:
        paths.TASK_DIGEST,
        task=ancient(paths.TASK),
        manifest=paths.MANIFEST,
        own=ancient(targets.files_of_model),
    output:
        folds=targets.fold_outputs(),
    log:
        paths.log("probe_lazy", targets.probe_job_key()),
    benchmark:
        paths.benchmark("probe_lazy", targets.probe_job_key())
    wildcard_constraints:
        model=targets.lazy_models(),
    # The slowest jobs, which wait for no embeddings: begun first, they do not hold up the end.
    priority: 1
    conda:
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=lambda wildcards, attempt: 120 * attempt,
        call_seconds=targets.call_seconds,
    params:
        code=targets.lazy_code,
        env=targets.lazy_versions,
        settings=targets.probe_settings,
    shell:
        "OMP_NUM_THREADS=1 python -m sentflow.commands.probe_lazy --task {input.task:q}"
        " --manifest {input.manifest:q} --settings {params.settings:q} --call-seconds {resources.call_seconds:q}"
        " --output {output.folds:q} > {log:q} 2>&1"


rule score:
    """The folds of one task and encoder → the score with its intervals, the unaggregated table, and all predictions."""
    input:
        paths.TASK_DIGEST,
        folds=targets.folds_of_task,
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
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 1000 * attempt,
        runtime=lambda wildcards, attempt: 10 * attempt,
    params:
        code=code("sentflow.commands.score"),
        env=versions("numpy", "scipy"),
        settings=targets.score_settings,
    shell:
        "OMP_NUM_THREADS=1 python -m sentflow.commands.score --task {wildcards.task:q} --model {wildcards.model:q}"
        " --rows {input.rows:q} --folds {input.folds:q} --settings {params.settings:q}"
        " --scores {output.scores:q} --table {output.table:q} --predictions {output.predictions:q} > {log:q} 2>&1"


rule compare:
    """Every score → which encoders differ: within each task, over all tasks, and what it would take to tell."""
    input:
        targets.task_digests(),
        scores=targets.scores(),
        tables=targets.score_tables(),
        # They were written with the scores.
        predictions=ancient(targets.score_predictions()),
        rows=ancient(targets.task_tables()),
    output:
        pairs=paths.PAIRS,
        standings=paths.STANDINGS,
        ranks=paths.RANKS,
        across=paths.ACROSS,
        power=paths.POWER,
        omnibus=paths.OMNIBUS,
    log:
        paths.log("compare"),
    benchmark:
        paths.benchmark("compare")
    conda:
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
    params:
        code=code("sentflow.commands.compare"),
        env=versions("numpy", "scipy"),
        settings=targets.comparison_settings,
    shell:
        "OMP_NUM_THREADS=1 python -m sentflow.commands.compare --scores {input.scores:q} --rows {input.rows:q}"
        " --settings {params.settings:q}"
        " --pairs {output.pairs:q} --standings {output.standings:q} --ranks {output.ranks:q}"
        " --across {output.across:q} --power {output.power:q} --omnibus {output.omnibus:q} > {log:q} 2>&1"
