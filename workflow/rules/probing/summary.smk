"""Scores of tasks → their summary."""


rule summarise:
    """Every score → one table of scores and one of training curves."""
    input:
        scores=probing.scores(),
        tables=probing.score_tables(),
    output:
        summary=paths.SUMMARY,
        curves=paths.CURVES,
    log:
        paths.log("summarise"),
    benchmark:
        paths.benchmark("summarise")
    localrule: True
    conda:
        "../../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000),
        runtime=minutes(10),
    params:
        code=code("sentflow.commands.summarise"),
        settings=probing.summarise_settings,
    shell:
        "python -m sentflow.commands.summarise --scores {input.scores:q} --tables {input.tables:q}"
        " --settings {params.settings:q} --summary {output.summary:q} --curves {output.curves:q} > {log:q} 2>&1"
