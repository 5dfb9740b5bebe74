"""Raw files → task tables."""


rule prepare:
    """Raw files → the task table."""
    input:
        raw=probing.raw_files_of_task,
    output:
        table=paths.TASK,
        digest=paths.TASK_DIGEST,
    log:
        paths.log("prepare", "{task}"),
    benchmark:
        paths.benchmark("prepare", "{task}")
    # Short, and the slow jobs wait for it.
    priority: 3
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(1000, 10),
        checks=probing.prepare_checks,
        limits=targets.limits,
    params:
        **job_params("prepare", settings=probing.prepare_settings),
    shell:
        command("prepare")
