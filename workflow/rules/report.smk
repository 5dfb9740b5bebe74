"""Scores → summary → tables, figures, checks, report."""


rule summarise:
    """Every score → one table of scores and one of training curves."""
    input:
        scores=targets.scores(),
        tables=targets.score_tables(),
    output:
        summary=paths.SUMMARY,
        curves=paths.CURVES,
    log:
        paths.log("summarise"),
    benchmark:
        paths.benchmark("summarise")
    localrule: True
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("sentflow.commands.summarise"),
        settings=targets.summarise_settings,
    shell:
        "python -m sentflow.commands.summarise --scores {input.scores:q} --tables {input.tables:q}"
        " --settings {params.settings:q} --summary {output.summary:q} --curves {output.curves:q} > {log:q} 2>&1"


rule summarise_costs:
    """The benchmark files → time and memory per rule, and what encoders are. No score depends on them."""
    input:
        summary=targets.summaries()[:1],
        similarity=targets.similarity.summary_of_scores(),
        manifests=targets.manifests(),
        made=targets.embedding_making(),
        embeddings=targets.embedding_infos(),
    output:
        costs=paths.COSTS,
        encoders=paths.ENCODERS,
    log:
        paths.log("summarise_costs"),
    benchmark:
        paths.benchmark("summarise_costs")
    localrule: True
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("sentflow.commands.summarise_costs"),
        benchmarks=paths.BENCHMARKS,
    shell:
        "python -m sentflow.commands.summarise_costs --benchmarks {params.benchmarks:q} --summary {input.summary:q}"
        " --similarity {input.similarity:q}"
        " --manifests {input.manifests:q} --embeddings {input.embeddings:q} --output {output.costs:q}"
        " --encoders {output.encoders:q} > {log:q} 2>&1"


rule table:
    """One table as CSV, Markdown and LaTeX."""
    input:
        summary=targets.summary_of_table,
        comparisons=targets.comparisons_of_table,
    output:
        csv=report(
            paths.TABLE.format(table="{table}", format="csv"),
            caption="../report/table.rst",
            category="Tables",
            labels={"table": "{table}"},
        ),
        markdown=paths.TABLE.format(table="{table}", format="md"),
        latex=paths.TABLE.format(table="{table}", format="tex"),
    log:
        paths.log("table", "{table}"),
    benchmark:
        paths.benchmark("table", "{table}")
    localrule: True
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=code("sentflow.commands.table"),
        settings=targets.table_settings,
    shell:
        "python -m sentflow.commands.table --table {wildcards.table:q} --summary {input.summary:q}"
        " --comparisons {input.comparisons:q} --settings {params.settings:q} --csv {output.csv:q} --markdown {output.markdown:q}"
        " --latex {output.latex:q} > {log:q} 2>&1"


rule figure:
    """One figure as PDF, PNG and SVG, and its rows as Parquet: all that it takes to draw it again."""
    input:
        targets.data_of_figure,
    output:
        pdf=paths.FIGURE.format(figure="{figure}", format="pdf"),
        png=report(
            paths.FIGURE.format(figure="{figure}", format="png"),
            caption="../report/figure.rst",
            category="Figures",
            labels={"figure": "{figure}"},
        ),
        svg=paths.FIGURE.format(figure="{figure}", format="svg"),
        data=paths.FIGURE.format(figure="{figure}", format="parquet"),
    log:
        paths.log("figure", "{figure}"),
    benchmark:
        paths.benchmark("figure", "{figure}")
    localrule: True
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("sentflow.commands.figure"),
        style=files("report/sentflow.mplstyle"),
        env=versions("matplotlib"),
    shell:
        "python -m sentflow.commands.figure --figure {wildcards.figure:q} --summary {input:q} --data {output.data:q}"
        " --pdf {output.pdf:q} --png {output.png:q} --svg {output.svg:q} > {log:q} 2>&1"


rule check:
    """One acceptance check of the summary or of the written tables; a failed check names every offending row."""
    input:
        summary=targets.summary_of_check,
        comparisons=targets.comparisons_of_check,
        similarity=targets.similarity.of_check,
        tables=targets.tables_of_check,
    output:
        paths.CHECK,
    log:
        paths.log("check", "{check}"),
    benchmark:
        paths.benchmark("check", "{check}")
    localrule: True
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=code("sentflow.commands.check"),
        settings=targets.check_settings,
    shell:
        "python -m sentflow.commands.check --check {wildcards.check:q} --summary {input.summary:q}"
        " --comparisons {input.comparisons:q} --similarity {input.similarity:q} --tables {input.tables:q}"
        " --settings {params.settings:q} --output {output:q} > {log:q} 2>&1"


rule record:
    """The effective configuration and the versions of everything."""
    output:
        config=paths.RECORD_CONFIG,
        versions=paths.RECORD_VERSIONS,
    log:
        paths.log("record"),
    benchmark:
        paths.benchmark("record")
    localrule: True
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        code=code("sentflow.commands.record"),
        settings=targets.record_settings,
    shell:
        "python -m sentflow.commands.record --settings {params.settings:q} --config {output.config:q}"
        " --versions {output.versions:q} > {log:q} 2>&1"


rule report:
    """The report: one self-contained page."""
    input:
        summary=targets.summaries()[:1],
        curves=targets.summaries()[1:],
        costs=paths.COSTS,
        encoders=paths.ENCODERS,
        comparisons=targets.comparisons(),
        audits=targets.audits(),
        tables=targets.tables(),
        figures=targets.figures(),
        effects=targets.effects(),
        similarity=targets.similarity.summaries(),
        config=paths.RECORD_CONFIG,
        versions=paths.RECORD_VERSIONS,
    output:
        paths.REPORT,
    log:
        paths.log("report"),
    benchmark:
        paths.benchmark("report")
    localrule: True
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("sentflow.commands.report"),
        page=files("report/page.html.j2", "report/page.css", "report/page.js"),
        settings=targets.report_settings,
        checks=" ".join(targets.selected("checks")),
    shell:
        "python -m sentflow.commands.report --summary {input.summary:q} --curves {input.curves:q}"
        " --costs {input.costs:q} --encoders {input.encoders:q} --comparisons {input.comparisons:q} --audits {input.audits:q}"
        " --effects {input.effects:q} --similarity {input.similarity:q} --tables {input.tables:q} --figures {input.figures:q}"
        " --record-config {input.config:q} --record-versions {input.versions:q} --checks {params.checks:q}"
        " --settings {params.settings:q} --output {output:q} > {log:q} 2>&1"
