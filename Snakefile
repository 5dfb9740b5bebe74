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
include: "workflow/rules/report.smk"


report: "workflow/report/workflow.rst"


localrules:
    all,
    embeddings,
    probes,
    scores,
    tables,
    figures,
    checks,


rule all:
    """Scores, tables, figures, report and acceptance checks of the experiment."""
    default_target: True
    input:
        targets.scores(),
        targets.tables(),
        targets.figures(),
        targets.checks(),
        paths.REPORT,


rule embeddings:
    """The vectors of every encoder on every dataset."""
    input:
        targets.embeddings(),


rule probes:
    """Every fold of every task and encoder."""
    input:
        targets.probes(),


rule scores:
    """The score of every task and encoder."""
    input:
        targets.scores(),


rule tables:
    """Every table."""
    input:
        targets.tables(),


rule figures:
    """Every figure."""
    input:
        targets.figures(),


rule checks:
    """Every acceptance check."""
    input:
        targets.checks(),
