"""From a list of sentence encoders to the tables and figures of a paper. Start with README.md."""

from snakemake.utils import min_version

min_version("9.20")


configfile: f"{workflow.basedir}/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/models.smk"
include: "workflow/rules/embed.smk"


for family in targets.families:

    include: f"workflow/rules/{family}.smk"


include: "workflow/rules/report.smk"
include: "workflow/rules/targets.smk"


report: "workflow/report/workflow.rst"


onstart:
    if workflow.is_main_process:
        write_record(Path.cwd())
        write_sources(SOURCES_OF_RUN)


rule all:
    """Scores, comparisons, audits, similarities, tables, figures, report and acceptance checks of the experiment."""
    default_target: True
    input:
        targets.results,
        targets.tables,
        targets.figures,
        targets.checks,
        paths.REPORT,


complete(workflow.rules, f"{workflow.basedir}/envs/sentflow.yaml")
