"""Summaries → tables, figures, checks, the page, the record of the run."""


report: "../report/workflow.rst"


job_rule(
    "summarise_costs",
    dict(
        summaries=targets.summaries_of_scores,
        manifests=targets.manifests,
        made=targets.embeddings(paths.EMBEDDINGS_MADE),
        embeddings=targets.embeddings(paths.EMBEDDINGS_INFO),
        # Not ancient: Snakemake would not look whether anything else of this job has changed
        benchmarks=benchmarks_of(workflow, targets.measured),
    ),
    dict(costs=paths.COSTS, encoders=paths.ENCODERS),
    local=True,
)

# One job makes the tables and figures of a group: starting a process takes longer than making a table.
for group, members in targets.groups().items():

    rule:
        """The tables and figures of a group: see docs/report.md for their forms."""
        name:
            f"make_products_{group}"
        input:
            summary=targets.read_by(members),
        output:
            tables=[
                (
                    report(
                        file,
                        caption="../report/table.rst",
                        category="Tables",
                        labels={"table": product.name},
                    )
                    if file == paths.TABLE.format(table=product.name, format="csv")
                    else file
                )
                for product in members
                if product.kind == products.TABLE
                for file in table_files(product)
            ],
            figures=[
                (
                    report(
                        file,
                        caption="../report/figure.rst",
                        category="Figures",
                        labels={"figure": product.name},
                    )
                    if file.endswith(".png")
                    else file
                )
                for product in members
                if product.kind == products.FIGURE
                for file in figure_files(product)
            ],
        localrule: True
        resources:
            **asks(f"make_products_{group}", 10),
        params:
            code=targets.code_of("make_products", members),
            env=versions("matplotlib"),
            settings=targets.product_settings(members),
        shell:
            command("make_products")


if targets.checks:

    job_rule(
        "make_checks",
        dict(outcomes=targets.checks),
        paths.CHECKED,
        minutes=5,
        local=True,
    )

job_rule(
    "record",
    dict(),
    dict(config=paths.RECORD_CONFIG, versions=paths.RECORD_VERSIONS),
    minutes=5,
    local=True,
    settings=targets.record_settings,
)


job_rule(
    "report",
    dict(
        summary=targets.summaries_of_page(),
        audits=targets.audits,
        folds=targets.families["probing"].folds_of_page(),
        tables=targets.tables,
        figures=targets.figures,
        config=paths.RECORD_CONFIG,
        versions=paths.RECORD_VERSIONS,
    ),
    dict(page=paths.REPORT, outcomes=targets.checks),
    local=True,
    code=code("report", *products.packages()),
    settings=targets.report_settings,
    checks=targets.check_settings,
)

job_rule(
    "export_ro_crate",
    dict(
        files=targets.crate_files(),
        digests=list(targets.data),
        versions=paths.RECORD_VERSIONS,
    ),
    paths.RO_CRATE,
    local=True,
    settings=targets.crate_settings,
)
