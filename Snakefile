"""From a list of sentence encoders to the tables and figures of a paper. Start with README.md."""

from pathlib import Path

from snakemake.utils import min_version

min_version("9.20")


# Of this file, also where it is a module of another workflow, whose folder is `workflow.basedir`
home = Path(workflow.current_basedir.get_path_or_uri(secret_free=False))


configfile: home / "config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"


for family in targets.families:

    include: f"workflow/rules/{family}.smk"


include: "workflow/rules/report.smk"


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
        targets.checked,
        paths.REPORT,


rule sources:
    """Every raw file and every fetched model: after this, nothing needs the network."""
    input:
        targets.sources,


rule embeddings:
    """The vectors of every encoder on every collection of texts."""
    input:
        targets.embeddings(),


rule audits:
    """What to know about the rows of each task, and its hardest texts."""
    input:
        targets.audits,


rule tables:
    """Every table."""
    input:
        targets.tables,


rule figures:
    """Every figure."""
    input:
        targets.figures,


rule checks:
    """Every acceptance check."""
    input:
        targets.checked,


rule exports:
    """Scores and runs in external formats (MTEB, TREC, Hugging Face, LaTeX macros), and all as an RO-Crate."""
    input:
        targets.exports,


complete(workflow, str(home / "envs" / "sentflow.yaml"))
# Not in onstart: without its targets Snakemake never starts
if not is_module:
    listen(logger, workflow)
