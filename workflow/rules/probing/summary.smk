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
        "../../../envs/sentflow.yaml"
    resources:
        **asks(1000, 10),
    params:
        **job_params("summarise", settings=probing.summarise_settings),
    shell:
        command("summarise")
