"""Tasks → folds of probes → scores → comparisons, studies of protocols, audits, exports."""

probing = targets.families["probing"]


include: "probing/tasks.smk"
include: "probing/probe.smk"
include: "probing/study.smk"


# A rule with fifty outputs is tried for every fold, so the answer that nothing is to be done waits for it.
if experiment.featurisers:

    include: "probing/featurised.smk"


include: "probing/audit.smk"
include: "probing/summary.smk"
include: "probing/export.smk"


localrules:
    probes,
    scores,
    comparisons,


rule probes:
    """Every fold of every task and encoder."""
    input:
        # Thousands of files, which no other target needs to name.
        lambda wildcards: probing.probes(),


rule scores:
    """The score of every task and encoder."""
    input:
        probing.scores(),


rule comparisons:
    """Which encoders differ, within each task and over all."""
    input:
        probing.comparisons(),
