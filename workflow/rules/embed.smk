"""Distinct texts → vectors; rows of a task → features of a user's own making."""


rule embed:
    """The vectors of one encoder on the distinct texts of one dataset."""
    input:
        paths.TEXTS_DIGEST,
        manifest=paths.MANIFEST,
        texts=ancient(paths.TEXTS),
        # The manifest holds their checksums.
        own=ancient(targets.files_of_model),
    output:
        embeddings=paths.EMBEDDINGS,
        info=paths.EMBEDDINGS_INFO,
        made=paths.EMBEDDINGS_MADE,
    log:
        paths.log("embed", "{model}/{dataset}"),
    benchmark:
        paths.benchmark("embed", "{model}/{dataset}")
    wildcard_constraints:
        model=targets.fixed_models(),
    conda:
        "../../envs/embed.yaml"
    threads: targets.embed_threads
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=lambda wildcards, attempt: 120 * attempt,
        connection=targets.connection_settings,
        device=targets.device,
        call_seconds=targets.call_seconds,
        limits=targets.limits(),
    params:
        code=targets.embed_code,
        env=targets.embed_versions,
        settings=targets.encode_settings,
    shell:
        "python -m sentflow.commands.embed --manifest {input.manifest:q} --texts {input.texts:q}"
        " --settings {params.settings:q} --connection {resources.connection:q} --device {resources.device:q}"
        " --call-seconds {resources.call_seconds:q} --limits {resources.limits:q} --code {params.code:q} --threads {threads}"
        " --embeddings {output.embeddings:q} --info {output.info:q} > {log:q} 2>&1"


rule embed_task:
    """The vectors of one task's own texts, with the prompts that the encoder's entry has for the task."""
    input:
        paths.TASK_DIGEST,
        manifest=paths.MANIFEST,
        task=ancient(paths.TASK),
    output:
        embeddings=paths.TASK_EMBEDDINGS,
        info=paths.TASK_EMBEDDINGS_INFO,
        made=paths.TASK_EMBEDDINGS_MADE,
    log:
        paths.log("embed_task", "{model}/{dataset}/{task}"),
    benchmark:
        paths.benchmark("embed_task", "{model}/{dataset}/{task}")
    wildcard_constraints:
        model=targets.prompted_models(),
    conda:
        "../../envs/embed.yaml"
    threads: targets.embed_threads
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=lambda wildcards, attempt: 120 * attempt,
        device=targets.device,
    params:
        code=targets.embed_task_code,
        env=targets.embed_versions,
        settings=targets.task_encode_settings,
    shell:
        "python -m sentflow.commands.embed_task --manifest {input.manifest:q} --task {input.task:q}"
        " --dataset {wildcards.dataset:q} --settings {params.settings:q} --device {resources.device:q}"
        " --code {params.code:q} --threads {threads} --embeddings {output.embeddings:q} --info {output.info:q} > {log:q} 2>&1"
