"""What is told of trainings: their summary, and a model card for each."""


rule summarise_training_jobs:
    """The records of all trainings → what was trained from what, what it cost, every step, held-out rows, cells of sweeps."""
    input:
        training.reports.made_beside(),
        records=training.reports.records(),
        scores=paths.SUMMARY_TRAINING,
    output:
        jobs=paths.SUMMARY_TRAINING_JOBS,
        history=paths.SUMMARY_TRAINING_HISTORY,
        held_out=paths.SUMMARY_TRAINING_HELD_OUT,
        sweeps=paths.SUMMARY_SWEEPS,
    log:
        paths.log("summarise_training_jobs"),
    benchmark:
        paths.benchmark("summarise_training_jobs")
    localrule: True
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(1000, 10),
    params:
        **job_params("summarise_training_jobs", settings=training.reports.job_settings),
    shell:
        command("summarise_training_jobs")


rule model_card:
    """One training and all scores → the model card of its encoder, in the form of the Hugging Face hub."""
    input:
        paths.TRAINING_MADE,
        paths.TRAINING_HISTORY,
        paths.TRAINING_HELD_OUT,
        paths.CHOSEN_SNAPSHOT,
        record=paths.TRAINING_RECORD,
        manifest=paths.MANIFEST,
        summaries=targets.summaries_of_scores(),
        audit=training.reports.audit,
    output:
        card=paths.MODEL_CARD,
        about=paths.MODEL_CARD_ABOUT,
    log:
        paths.log("model_card", "{model}"),
    benchmark:
        paths.benchmark("model_card", "{model}")
    wildcard_constraints:
        model=training.models.constraint(),
    localrule: True
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(1000, 10),
    params:
        **job_params("model_card", settings=training.reports.card_settings),
    shell:
        command("model_card")


rule export_pairs:
    """Training data that were put together → shards and a card, as a data set of the Hugging Face hub."""
    input:
        paths.TRAINING_DATA_DIGEST,
        data=ancient(paths.TRAINING_DATA),
        audit=training.data_of.audit_of,
    output:
        shards=directory(paths.PAIR_CORPUS),
        card=paths.PAIR_CORPUS_CARD,
    log:
        paths.log("export_pairs", "{data}"),
    benchmark:
        paths.benchmark("export_pairs", "{data}")
    wildcard_constraints:
        data=training.data_of.combined(),
    localrule: True
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(1000, 30, per_input=4),
    params:
        **job_params("export_pairs", settings=training.data_of.export_settings),
    shell:
        command("export_pairs")
