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
        "../../../envs/exports.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000),
        runtime=minutes(10),
    params:
        code=code("sentflow.commands.export_mteb"),
        settings=probing.exported.settings,
    shell:
        "python -m sentflow.commands.export_mteb --summary {input.summary:q} --tables {input.tables:q}"
        " --digests {input.digests:q} --versions {input.versions:q} --settings {params.settings:q}"
        " --output {output:q} > {log:q} 2>&1"


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
        "../../../envs/exports.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000),
        runtime=minutes(10),
    params:
        code=code("sentflow.commands.export_huggingface"),
        env=versions("huggingface_hub"),
        settings=probing.exported.settings,
    shell:
        "python -m sentflow.commands.export_huggingface --summary {input.summary:q} --digests {input.digests:q}"
        " --settings {params.settings:q} --output {output:q} > {log:q} 2>&1"


rule export_numbers:
    """Every score as a LaTeX macro."""
    input:
        paths.SUMMARY,
    output:
        paths.NUMBERS,
    log:
        paths.log("export_numbers"),
    benchmark:
        paths.benchmark("export_numbers")
    localrule: True
    conda:
        "../../../envs/exports.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000),
        runtime=minutes(5),
    params:
        code=code("sentflow.commands.export_numbers"),
        title=targets.title,
    shell:
        "python -m sentflow.commands.export_numbers --summary {input:q} --title {params.title:q} --output {output:q}"
        " > {log:q} 2>&1"
