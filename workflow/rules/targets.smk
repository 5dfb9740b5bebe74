"""Names of targets besides `all`: ``snakemake tables``. Those of a family are in its own file."""

# Not in onstart: without its targets Snakemake never starts
explain_unknown_targets(logger, workflow)


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
        targets.checks,


rule exports:
    """Scores and runs in external formats (MTEB, TREC, Hugging Face, LaTeX macros), and all as an RO-Crate."""
    input:
        targets.exports,
