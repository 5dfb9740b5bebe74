"""Raw files → task tables."""


rule prepare:
    """Raw files → the task table."""
    input:
        probing.raw_files_of_task,
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
        "../../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000),
        runtime=minutes(10),
        checks=probing.prepare_checks,
        limits=targets.limits(),
    params:
        code=code("sentflow.commands.prepare"),
        settings=probing.prepare_settings,
    shell:
        "python -m sentflow.commands.prepare --task {wildcards.task:q} --raw {input:q}"
        " --settings {params.settings:q} --checks {resources.checks:q}"
        " --limits {resources.limits:q} --output {output.table:q} > {log:q} 2>&1"
