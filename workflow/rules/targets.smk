"""Names for what one may ask for beside `all`: ``snakemake tables``."""


localrules:
    sources,
    embeddings,
    probes,
    scores,
    comparisons,
    audits,
    similarities,
    tables,
    figures,
    checks,
    exports,


rule sources:
    """Every raw file and every fetched model: after this, nothing needs the network."""
    input:
        targets.sources(),


rule embeddings:
    """The vectors of every encoder on every dataset."""
    input:
        targets.embeddings(),


rule probes:
    """Every fold of every task and encoder."""
    input:
        # Thousands of files, which no other target needs to name.
        lambda wildcards: targets.probes(),


rule scores:
    """The score of every task and encoder."""
    input:
        targets.scores(),


rule audits:
    """What to know about the rows of each task, and its hardest texts."""
    input:
        targets.audits(),


rule comparisons:
    """Which encoders differ, within each task and over all."""
    input:
        targets.comparisons(),


rule similarities:
    """Scores of pair sets, tests between encoders on them, regressions, alignments, geometry."""
    input:
        targets.similarity.results(),


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


rule exports:
    """Scores in the formats of MTEB and Hugging Face, the run as an RO-Crate, numbers as LaTeX macros."""
    input:
        targets.exports(),
