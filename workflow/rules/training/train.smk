"""An encoder and rows of text → a trained encoder: its snapshots, their development scores, and the chosen one."""


rule train:
    """Train one encoder. A killed or cancelled job goes on where its last state was saved."""
    input:
        training.models.rows_digest,
        start=training.models.start,
        rows=ancient(training.models.rows),
        teacher_texts=ancient(training.models.teacher_texts),
        teacher_embeddings=ancient(training.models.teacher_embeddings),
        teacher_info=training.models.teacher_info,
    output:
        record=paths.TRAINING_RECORD,
        made=paths.TRAINING_MADE,
        history=paths.TRAINING_HISTORY,
        held_out=paths.TRAINING_HELD_OUT,
        snapshots=training.kept(directory(paths.SNAPSHOTS), temp),
    log:
        paths.log("train", "{model}"),
    benchmark:
        paths.benchmark("train", "{model}")
    wildcard_constraints:
        model=training.models.constraint(),
    # Each attempt goes on where the one before was ended.
    retries: 3
    conda:
        "../../../envs/sentflow.yaml"
    threads: 4
    resources:
        **asks(6000, 720),
        device=training.models.device,
        gpu=training.models.gpus,
        limits=targets.limits,
    params:
        code=training.models.train_code,
        env=training.models.versions,
        libraries=training.models.libraries,
        settings=training.models.train_settings,
        state=training.models.state,
    # exec: SLURM asks every process of a job to end, and a training whose shell is gone would end without saving
    shell:
        command("train", replaces_shell=True)


rule score_snapshot:
    """The development pairs and their vectors by one snapshot → correlation, alignment and uniformity."""
    input:
        training.models.development_digest,
        pairs=ancient(training.models.development_pairs),
        texts=ancient(training.models.development_texts),
        embeddings=ancient(training.models.development_embeddings),
        info=training.models.development_info,
    output:
        paths.DEVELOPMENT_SCORE,
    log:
        paths.log("score_snapshot", "{model}/step-{step}"),
    benchmark:
        paths.benchmark("score_snapshot", "{model}/step-{step}")
    wildcard_constraints:
        model=training.models.constraint(),
    # See rule embed
    priority: 1
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(1000, 10, per_input=7),
    params:
        **job_params("score_snapshot", settings=training.models.score_settings),
    shell:
        command("score_snapshot")


rule choose_snapshot:
    """The snapshot that is the trained encoder: the last, or the one with the best development score."""
    input:
        scores=training.models.scores_of,
        record=paths.TRAINING_RECORD,
        snapshots=paths.SNAPSHOTS,
    output:
        manifest=paths.MANIFEST,
        selection=paths.CHOSEN_SNAPSHOT,
        last=directory(paths.LAST_SNAPSHOT),
    log:
        paths.log("choose_snapshot", "{model}"),
    benchmark:
        paths.benchmark("choose_snapshot", "{model}")
    wildcard_constraints:
        model=training.models.constraint(),
    # See rule embed
    priority: 1
    localrule: True
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(1000, 10),
    params:
        **job_params("choose_snapshot", settings=training.models.choice_settings),
        state=training.models.state,
    shell:
        command("choose_snapshot")


rule score_trainings:
    """Development scores of all snapshots, and test scores of all trained encoders → one table."""
    input:
        development=training.models.all_scores(),
        selections=training.models.of_all(paths.CHOSEN_SNAPSHOT),
        similarity=training.models.summaries_of("similarity", paths.SUMMARY_SIMILARITY),
        alignments=training.models.summaries_of("geometry", paths.SUMMARY_ALIGNMENTS),
    output:
        paths.SUMMARY_TRAINING,
    log:
        paths.log("score_trainings"),
    benchmark:
        paths.benchmark("score_trainings")
    localrule: True
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(2000, 20),
    params:
        **job_params("score_trainings", settings=training.models.summary_settings),
    shell:
        command("score_trainings")
