"""From a list of sentence encoders to the tables and figures of a paper. Start with README.md."""

from snakemake.utils import min_version

min_version("9.20")


configfile: f"{workflow.basedir}/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/models.smk"
include: "workflow/rules/embed.smk"
include: "workflow/rules/probe.smk"
include: "workflow/rules/study.smk"


# A rule with fifty outputs is tried for every fold, so the answer that nothing is to be done waits for it.
if experiment.featurisers:

    include: "workflow/rules/featurised.smk"


include: "workflow/rules/audit.smk"
include: "workflow/rules/similarity.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/export.smk"
include: "workflow/rules/targets.smk"


report: "workflow/report/workflow.rst"


onstart:
    write_record(Path.cwd())
    drop_idle_rate_limit(workflow.scheduler)


localrules:
    all,


rule all:
    """Scores, comparisons, audits, similarities, tables, figures, report and acceptance checks of the experiment."""
    default_target: True
    input:
        targets.scores(),
        targets.comparisons(),
        targets.audits(),
        targets.similarity.results(),
        targets.tables(),
        targets.figures(),
        targets.checks(),
        paths.REPORT,
