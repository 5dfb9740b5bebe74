"""Summaries → tables, figures, checks, the page, the record of the run."""


rule summarise_costs:
    """The benchmark files → time and memory per rule, and what encoders are. No score depends on them."""
    input:
        summaries=targets.summaries_of_scores,
        manifests=targets.manifests,
        made=targets.embeddings(paths.EMBEDDINGS_MADE),
        embeddings=targets.embeddings(paths.EMBEDDINGS_INFO),
    output:
        costs=paths.COSTS,
        encoders=paths.ENCODERS,
    localrule: True
    resources:
        **asks(1000, 10),
    params:
        **job_params("summarise_costs"),
        benchmarks=paths.BENCHMARKS,
    shell:
        command("summarise_costs")


table_files = dict(
    csv=report(
        paths.TABLE.format(table="{table}", format="csv"),
        caption="../report/table.rst",
        category="Tables",
        labels={"table": "{table}"},
    ),
    markdown=paths.TABLE.format(table="{table}", format="md"),
    latex=paths.TABLE.format(table="{table}", format="tex"),
)


ruleorder: table_of_matrix > table


rule table:
    """One table as CSV, Markdown and LaTeX."""
    input:
        summary=targets.files_of("table"),
    output:
        **table_files,
    localrule: True
    resources:
        **asks(1000, 5),
    params:
        code=targets.code_of("table"),
        maker=targets.maker_of("table"),
        settings=targets.table_settings,
    shell:
        command("table")


use rule table as table_of_matrix with:
    output:
        **table_files,
        wide=paths.WIDE_TABLE,
        compact=paths.COMPACT_TABLE,
    wildcard_constraints:
        table=targets.matrices,
    localrule: True


rule figure:
    """One figure as PDF, PNG and SVG, what was measured of it, and its rows: everything needed to draw it again."""
    input:
        summary=targets.files_of("figure"),
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
        inspection=paths.FIGURE_INSPECTION,
    localrule: True
    resources:
        **asks(2000, 10),
    params:
        code=targets.code_of("figure"),
        env=versions("matplotlib"),
    shell:
        command("figure")


rule check:
    """One acceptance check of the summary; a failed check names every offending row."""
    input:
        summary=targets.files_of("check"),
    output:
        paths.CHECK,
    localrule: True
    resources:
        **asks(1000, 5),
    params:
        code=targets.code_of("check"),
        maker=targets.maker_of("check"),
        settings=targets.check_settings,
    shell:
        command("check")


rule record:
    """The effective configuration and the versions of everything."""
    output:
        config=paths.RECORD_CONFIG,
        versions=paths.RECORD_VERSIONS,
    localrule: True
    resources:
        **asks(500, 5),
    params:
        **job_params("record", settings=targets.record_settings),
    shell:
        command("record")


rule report:
    """The report: one self-contained page."""
    input:
        summary=targets.summaries_of_page(),
        audits=targets.audits,
        folds=targets.families["probing"].folds_of_page(),
        tables=targets.tables,
        figures=targets.figures,
        config=paths.RECORD_CONFIG,
        versions=paths.RECORD_VERSIONS,
    output:
        paths.REPORT,
    localrule: True
    resources:
        **asks(2000, 10),
    params:
        code=code("report", *products.packages()),
        settings=targets.report_settings,
        checks=" ".join(targets.selected("checks")),
    shell:
        command("report")


rule export_ro_crate:
    """The run as an RO-Crate: results, config, checksums of data, versions. No texts."""
    input:
        files=targets.crate_files(),
        digests=list(targets.data),
        versions=paths.RECORD_VERSIONS,
    output:
        paths.RO_CRATE,
    localrule: True
    resources:
        **asks(1000, 10),
    params:
        **job_params("export_ro_crate", settings=targets.crate_settings),
    shell:
        command("export_ro_crate")
