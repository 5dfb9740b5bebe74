"""Training data → trained encoders, and what both have in common with what is tested."""

training = targets.families["training"]


include: "training/data.smk"
include: "training/train.smk"
include: "training/study.smk"
include: "training/reports.smk"


localrules:
    trainings,


rule trainings:
    """Every trained encoder, with its history, its development scores and what its data share with the tests."""
    input:
        training.results(),
        training.models.manifests(),
