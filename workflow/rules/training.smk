"""Training data → trained encoders, and what both have in common with what is tested."""

training = targets.families["training"]


rule trainings:
    """Every trained encoder, with its history, its development scores and what its data share with the tests."""
    input:
        training.results,
        training.of_models(paths.MANIFEST),


rule prepare_training:
    """The raw files of training data → their table, with counts of what was left out and why."""
    input:
        raw=training.tables.raw_files_of,
    output:
        **with_digest(table=paths.TRAINING_DATA),
    wildcard_constraints:
        data=one_of(training.tables.of_files),
    resources:
        **asks("prepare_training", 120, per_input=training.tables.copies_of_raw_files),
        checks=training.tables.checks,
        limits=targets.limits,
    params:
        **job_params("prepare_training", settings=training.tables.prepare_settings),
    shell:
        command("prepare_training")


rule collect_training:
    """Documents of corpora and questions → a table of training data."""
    input:
        **digested(
            corpora=training.tables.corpora,
            questions=training.tables.questions(paths.QUESTIONS),
            judgements=training.tables.questions(paths.JUDGEMENTS),
        ),
    output:
        **with_digest(table=paths.TRAINING_DATA),
    wildcard_constraints:
        data=one_of(training.tables.collected),
    resources:
        **asks("collect_training", 20, per_input=12),
        checks=training.tables.checks,
    params:
        **job_params("collect_training", settings=training.tables.collect_settings),
    shell:
        command("collect_training")


rule clean_pairs:
    """Pairs of a relation and the tables of tests → the pairs that may be trained on, with counts of what was left out."""
    input:
        **digested(
            relation=paths.TRAINING_DATA.replace("{data}", "{relation}"),
            tests=training.tables.held_out_tables,
        ),
    output:
        **with_digest(table=paths.CLEANED_PAIRS),
    wildcard_constraints:
        data=one_of(training.tables.combined),
    resources:
        **asks("clean_pairs", 240, per_input=12, of="tests"),
    params:
        **job_params("clean_pairs", settings=training.tables.clean_settings),
    shell:
        command("clean_pairs")


rule combine_pairs:
    """Cleaned relations → one table of training data, without copies and near copies."""
    input:
        **digested(relations=training.tables.relations),
    output:
        **with_digest(table=paths.TRAINING_DATA),
    wildcard_constraints:
        data=one_of(training.tables.combined),
    resources:
        **asks("combine_pairs", 240, per_input=2),
        checks=training.tables.checks,
    params:
        **job_params("combine_pairs", near=training.tables.near),
    shell:
        command("combine_pairs")


rule mine_training:
    """Questions, judgements and what a retriever found → a table of training data, and what might have been negative."""
    input:
        **digested(
            corpora=training.tables.corpora,
            questions=training.tables.questions(paths.QUESTIONS),
            judgements=training.tables.questions(paths.JUDGEMENTS),
            runs=training.tables.runs,
            labels=training.tables.labels,
            held_out=training.tables.held_out(paths.QUESTIONS),
            held_out_judgements=training.tables.held_out(paths.JUDGEMENTS),
        ),
    output:
        **with_digest(table=paths.TRAINING_DATA),
        looked_at=paths.LOOKED_AT,
    wildcard_constraints:
        data=one_of(training.tables.mined),
    resources:
        **asks("mine_training", 30, per_input=20),
        checks=training.tables.checks,
    params:
        **job_params("mine_training", settings=training.tables.mine_settings),
    shell:
        command("mine_training")


rule audit_training:
    """Training data and the tables of all tests → copies and near copies of texts of each test among those of training."""
    input:
        **digested(data=paths.TRAINING_DATA, tests=training.tables.tests_of),
    output:
        paths.TRAINING_AUDIT,
    resources:
        **asks("audit_training", 60, per_input=30),
    params:
        **job_params("audit_training", settings=training.tables.audit_settings),
    shell:
        command("audit_training")


rule train:
    """Train one encoder. A killed or cancelled job goes on where its last state was saved."""
    input:
        **digested(rows=training.rows),
        start=training.start,
        teacher_texts=ancient(training.of_teacher(paths.TEXTS)),
        teacher_embeddings=ancient(training.of_teacher(paths.EMBEDDINGS)),
        teacher_info=training.of_teacher(paths.EMBEDDINGS_INFO),
    output:
        record=paths.TRAINING_RECORD,
        made=paths.TRAINING_MADE,
        history=paths.TRAINING_HISTORY,
        held_out=paths.TRAINING_HELD_OUT,
        snapshots=training.kept(directory(paths.SNAPSHOTS), temp),
    wildcard_constraints:
        model=one_of(training.models),
    # Each attempt goes on where the one before was ended; only one that failed with an explanation does nothing.
    retries: 3
    threads: 4
    resources:
        **asks("train", 720, per_weights=6, model="start"),
        device=training.device,
        attempt=lambda wildcards, attempt: attempt,
        gpu=training.gpus,
        limits=targets.limits,
    params:
        code=training.train_code,
        env=training.versions,
        libraries=training.libraries,
        settings=training.train_settings,
        state=training.state,
    # exec: SLURM asks every process of a job to end, and a training whose shell is gone would end without saving
    shell:
        command("train", replaces_shell=True)


rule score_snapshot:
    """The development pairs and their vectors by one snapshot → correlation, alignment and uniformity."""
    input:
        **digested(pairs=training.of_development(paths.PAIR_SET)),
        texts=ancient(training.of_development(paths.TEXTS)),
        embeddings=ancient(training.of_development(paths.EMBEDDINGS)),
        info=training.of_development(paths.EMBEDDINGS_INFO),
    output:
        paths.DEVELOPMENT_SCORE,
    wildcard_constraints:
        model=one_of(training.models),
    # See rule embed
    priority: 1
    resources:
        **asks("score_snapshot", 10, per_input=7),
    params:
        **job_params("score_snapshot", settings=training.score_settings),
    shell:
        command("score_snapshot")


rule choose_snapshot:
    """The snapshot that is the trained encoder: the last, or the one with the best development score."""
    input:
        scores=training.scores,
        record=paths.TRAINING_RECORD,
        snapshots=paths.SNAPSHOTS,
    output:
        manifest=paths.MANIFEST,
        selection=paths.CHOSEN_SNAPSHOT,
        last=directory(paths.LAST_SNAPSHOT),
    wildcard_constraints:
        model=one_of(training.models),
    # See rule embed
    priority: 1
    localrule: True
    resources:
        **asks("choose_snapshot", 10),
    params:
        code=training.choice_code,
        settings=training.choice_settings,
        state=training.state,
    shell:
        command("choose_snapshot")


rule score_trainings:
    """Development scores of all snapshots, and test scores of all trained encoders → one table."""
    input:
        development=training.all_scores(),
        selections=training.of_models(paths.CHOSEN_SNAPSHOT),
        similarity=training.test_scores("pair_sets", paths.SUMMARY_SIMILARITY),
        alignments=training.test_scores("alignments", paths.SUMMARY_ALIGNMENTS),
    output:
        paths.SUMMARY_TRAINING,
    localrule: True
    resources:
        **asks("score_trainings", 20),
    params:
        **job_params("score_trainings", settings=training.score_summary_settings),
    shell:
        command("score_trainings")


rule compare_training:
    """The similarities of every pair by every seed → means, differences and their intervals, group by group."""
    input:
        rows=training.similarities(),
    output:
        paths.TRAINING_SEEDS,
    resources:
        **asks("compare_training", 60),
    params:
        **job_params("compare_training", settings=training.comparison_settings),
    shell:
        command("compare_training")


rule summarise_training_jobs:
    """The records of all trainings → what was trained from what, what it cost, every step, held-out rows, cells of sweeps."""
    input:
        training.of_models(
            paths.TRAINING_MADE,
            paths.CHOSEN_SNAPSHOT,
            paths.TRAINING_HISTORY,
            paths.TRAINING_HELD_OUT,
        ),
        records=training.of_models(paths.TRAINING_RECORD),
        scores=paths.SUMMARY_TRAINING,
    output:
        jobs=paths.SUMMARY_TRAINING_JOBS,
        history=paths.SUMMARY_TRAINING_HISTORY,
        held_out=paths.SUMMARY_TRAINING_HELD_OUT,
        sweeps=paths.SUMMARY_SWEEPS,
    localrule: True
    resources:
        **asks("summarise_training_jobs", 10),
    params:
        **job_params("summarise_training_jobs", settings=training.summary_settings),
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
        summaries=targets.summaries_of_scores,
        audit=training.audit_of_model,
    output:
        card=paths.MODEL_CARD,
    wildcard_constraints:
        model=one_of(training.models),
    localrule: True
    resources:
        **asks("model_card", 10),
    params:
        **job_params("model_card", settings=training.card_settings),
    shell:
        command("model_card")


rule export_pairs:
    """Training data that were put together → shards and a card, as a data set of the Hugging Face hub."""
    input:
        **digested(data=paths.TRAINING_DATA),
        audit=training.tables.audit,
    output:
        shards=directory(paths.PAIR_CORPUS),
        card=paths.PAIR_CORPUS_CARD,
    wildcard_constraints:
        data=one_of(training.tables.combined),
    localrule: True
    resources:
        **asks("export_pairs", 30, per_input=4),
    params:
        **job_params("export_pairs", settings=training.tables.export_settings),
    shell:
        command("export_pairs")
