"""Scores → the formats of others."""


rule export_mteb:
    """Every score as MTEB's result files, loadable by mteb itself."""
    input:
        summary=paths.SUMMARY,
        # The summary changes with them.
        tables=ancient(targets.score_tables()),
        digests=targets.task_digests(),
        versions=paths.RECORD_VERSIONS,
    output:
        targets.mteb_files(),
    log:
        paths.log("export_mteb"),
    benchmark:
        paths.benchmark("export_mteb")
    localrule: True
    conda:
        "../../envs/exports.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("sentflow.commands.export_mteb"),
        settings=targets.export_settings,
    shell:
        "python -m sentflow.commands.export_mteb --summary {input.summary:q} --tables {input.tables:q}"
        " --digests {input.digests:q} --versions {input.versions:q} --settings {params.settings:q}"
        " --output {output:q} > {log:q} 2>&1"


rule export_huggingface:
    """Every score as .eval_results and model cards for the Hugging Face hub."""
    input:
        summary=paths.SUMMARY,
        digests=targets.task_digests(),
    output:
        targets.huggingface_files(),
    log:
        paths.log("export_huggingface"),
    benchmark:
        paths.benchmark("export_huggingface")
    localrule: True
    conda:
        "../../envs/exports.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("sentflow.commands.export_huggingface"),
        env=versions("huggingface_hub"),
        settings=targets.export_settings,
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
        "../../envs/exports.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=code("sentflow.commands.export_numbers"),
        title=targets.title,
    shell:
        "python -m sentflow.commands.export_numbers --summary {input:q} --title {params.title:q} --output {output:q}"
        " > {log:q} 2>&1"


rule export_ro_crate:
    """The run as an RO-Crate: results, config, checksums of data, versions. No texts."""
    input:
        files=targets.crate_files(),
        digests=targets.task_digests(),
        pair_digests=targets.similarity.digests(),
        versions=paths.RECORD_VERSIONS,
    output:
        paths.RO_CRATE,
    log:
        paths.log("export_ro_crate"),
    benchmark:
        paths.benchmark("export_ro_crate")
    localrule: True
    conda:
        "../../envs/exports.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("sentflow.commands.export_ro_crate"),
        env=versions("rocrate"),
        settings=targets.crate_settings,
    shell:
        "python -m sentflow.commands.export_ro_crate --files {input.files:q}"
        " --digests {input.digests:q} --pair-digests {input.pair_digests:q} --versions {input.versions:q}"
        " --settings {params.settings:q} --output {output:q} > {log:q} 2>&1"
