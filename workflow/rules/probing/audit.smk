"""Rows and predictions → what to know about a task before trusting its scores."""


rule audit:
    """The rows of one task → duplicates, contradictions, classes, lengths, languages, documents; with warnings."""
    input:
        paths.TASK_DIGEST,
        rows=ancient(paths.TASK),
    output:
        paths.AUDIT,
    log:
        paths.log("audit", "{task}"),
    benchmark:
        paths.benchmark("audit", "{task}")
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(2000, 20),
    params:
        **job_params("audit", settings=probing.audit_settings),
    shell:
        command("audit")


rule hardest:
    """The predictions of every encoder on one task → the texts that most of them get wrong."""
    input:
        paths.TASK_DIGEST,
        rows=ancient(paths.TASK),
        predictions=probing.predictions_of_real_models,
    output:
        paths.HARDEST,
    log:
        paths.log("hardest", "{task}"),
    benchmark:
        paths.benchmark("hardest", "{task}")
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(1000, 10),
    params:
        **job_params("hardest", settings=probing.hardest_settings),
    shell:
        command("hardest")
