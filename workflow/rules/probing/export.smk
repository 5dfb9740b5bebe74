"""Scores of tasks → external formats."""


rule export_mteb:
    """Every score as MTEB's result files, loadable by mteb itself."""
    input:
        summary=paths.SUMMARY,
        # The summary changes with them.
        tables=ancient(probing.score_tables()),
        digests=probing.task_digests(),
        versions=paths.RECORD_VERSIONS,
    output:
        probing.exported.mteb_files(),
    log:
        paths.log("export_mteb"),
    benchmark:
        paths.benchmark("export_mteb")
    localrule: True
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(1000, 10),
    params:
        **job_params("export_mteb", settings=probing.exported.settings),
    shell:
        command("export_mteb")


rule export_huggingface:
    """Every score as .eval_results and model cards for the Hugging Face hub."""
    input:
        summary=paths.SUMMARY,
        digests=probing.task_digests(),
    output:
        probing.exported.huggingface_files(),
    log:
        paths.log("export_huggingface"),
    benchmark:
        paths.benchmark("export_huggingface")
    localrule: True
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(1000, 10),
    params:
        **job_params("export_huggingface", settings=probing.exported.settings),
    shell:
        command("export_huggingface")


rule export_numbers:
    """Every score as a LaTeX macro."""
    input:
        summary=paths.SUMMARY,
    output:
        paths.NUMBERS,
    log:
        paths.log("export_numbers"),
    benchmark:
        paths.benchmark("export_numbers")
    localrule: True
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(1000, 5),
    params:
        **job_params("export_numbers"),
        title=targets.title,
    shell:
        command("export_numbers")
