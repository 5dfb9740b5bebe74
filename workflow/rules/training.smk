"""Training data → trained encoders, and what both have in common with what is tested."""

from sentflow.families.training.family import snapshot_files

training = targets.families["training"]
# Where jobs copy the states of trainings. A resource: it changes nothing in the results.
storage_settings = workflow.storage_settings
default_storage = json_text(
    storage_settings.default_storage_provider
    and dict(
        provider=storage_settings.default_storage_provider,
        prefix=storage_settings.default_storage_prefix,
    )
)


rule trainings:
    """Every trained encoder, with its history, its development scores and what its data share with the tests."""
    input:
        training.results,
        training.of_models(paths.MANIFEST),


job_rule(
    "prepare_training",
    dict(raw=training.tables.raw_files_of),
    with_digest(table=paths.TRAINING_DATA),
    minutes=120,
    per_input=training.tables.copies_of_raw_files,
    priority=4,
    constraints=dict(data=one_of(training.tables.of_files)),
    resources=dict(checks=training.tables.checks, limits=targets.limits),
    settings=training.tables.prepare_settings,
)

job_rule(
    "collect_training",
    digested(
        corpora=training.tables.corpora,
        questions=training.tables.questions(paths.QUESTIONS),
        judgements=training.tables.questions(paths.JUDGEMENTS),
    ),
    with_digest(table=paths.TRAINING_DATA),
    minutes=20,
    per_input=12,
    priority=4,
    constraints=dict(data=one_of(training.tables.collected)),
    resources=dict(checks=training.tables.checks),
    settings=training.tables.collect_settings,
)

job_rule(
    "clean_pairs",
    digested(
        relation=paths.TRAINING_DATA.replace("{data}", "{relation}"),
        tests=training.tables.held_out_tables,
    ),
    with_digest(table=paths.CLEANED_PAIRS),
    minutes=240,
    per_input=dict(tests=12),
    constraints=dict(data=one_of(training.tables.combined)),
    settings=training.tables.clean_settings,
)

job_rule(
    "combine_pairs",
    digested(relations=training.tables.relations),
    with_digest(table=paths.TRAINING_DATA),
    minutes=240,
    per_input=2,
    constraints=dict(data=one_of(training.tables.combined)),
    resources=dict(checks=training.tables.checks),
    near=training.tables.near,
)

job_rule(
    "mine_training",
    digested(
        corpora=training.tables.corpora,
        questions=training.tables.questions(paths.QUESTIONS),
        judgements=training.tables.questions(paths.JUDGEMENTS),
        runs=training.tables.runs,
        labels=training.tables.labels,
        held_out=training.tables.held_out(paths.QUESTIONS),
        held_out_judgements=training.tables.held_out(paths.JUDGEMENTS),
    ),
    dict(**with_digest(table=paths.TRAINING_DATA), looked_at=paths.LOOKED_AT),
    minutes=30,
    per_input=20,
    constraints=dict(data=one_of(training.tables.mined)),
    resources=dict(checks=training.tables.checks),
    settings=training.tables.mine_settings,
)

job_rule(
    "audit_training",
    digested(data=paths.TRAINING_DATA, tests=training.tables.tests_of),
    paths.TRAINING_AUDIT,
    minutes=60,
    per_input=30,
    settings=training.tables.audit_settings,
)


# A rule has the same outputs for all of its jobs, so those with other snapshots are of another rule: train_2 and so on.
for number, (steps, models) in enumerate(training.by_steps.items(), 1):

    rule:
        name:
            numbered("train", number)
        input:
            **digested(rows=training.rows),
            start=training.start,
            # The manifest holds their checksums.
            start_files=ancient(training.start_files),
            teacher_texts=ancient(training.of_teacher(paths.TEXTS)),
            teacher_embeddings=ancient(training.of_teacher(paths.EMBEDDINGS)),
            teacher_info=training.of_teacher(paths.EMBEDDINGS_INFO),
        output:
            record=paths.TRAINING_RECORD,
            made=paths.TRAINING_MADE,
            history=paths.TRAINING_HISTORY,
            held_out=paths.TRAINING_HELD_OUT,
            snapshots=training.kept(snapshot_files(steps), temp),
        wildcard_constraints:
            model=one_of(models),
        # Much waits for it
        priority: 2
        # Each attempt goes on where the one before was ended; only one that failed with an explanation does nothing.
        retries: 3
        threads: 4
        resources:
            **asks("train", 720, per_input=dict(start_files=6)),
            device=training.device,
            attempt=lambda wildcards, attempt: attempt,
            gpu=training.gpus,
            storage=default_storage,
            limits=targets.limits,
        params:
            code=training.train_code,
            env=training.versions,
            libraries=training.libraries,
            settings=training.train_settings,
        # exec: SLURM asks every process of a job to end, and a training whose shell is gone would end without saving
        shell:
            command("train", replaces_shell=True)


for number, (steps, models) in enumerate(training.scored_by_steps.items(), 1):

    # See rule embed
    job_rule(
        "score_snapshots",
        dict(
            **digested(pairs=training.of_development(paths.PAIR_SET, steps[:1])),
            texts=ancient(training.of_development(paths.TEXTS, steps[:1])),
            embeddings=ancient(training.of_development(paths.EMBEDDINGS, steps)),
            info=training.of_development(paths.EMBEDDINGS_INFO, steps),
        ),
        dict(scores=training.development_scores("{model}", steps)),
        per_largest=dict(pairs=7, texts=7, embeddings=7),
        number=number,
        priority=3,
        constraints=dict(model=one_of(models)),
        settings=training.score_settings(steps),
    )


job_rule(
    "evaluate_snapshot",
    digested(
        corpus=training.of_development(paths.CORPUS),
        questions=training.of_development(paths.QUESTIONS),
        judgements=training.of_development(paths.JUDGEMENTS),
        run=training.of_development(paths.RUN),
    ),
    paths.DEVELOPMENT_SCORE,
    per_input=7,
    priority=3,
    constraints=dict(model=one_of(training.searching)),
    settings=training.score_settings(),
)


# See rule embed
job_rule(
    "choose_snapshot",
    dict(
        scores=training.scores,
        held_out=paths.TRAINING_HELD_OUT,
        record=paths.TRAINING_RECORD,
        made=paths.TRAINING_MADE,
        # They are as old as the record
        snapshots=ancient(training.snapshots),
    ),
    dict(
        selection=paths.CHOSEN_SNAPSHOT,
        manifest=paths.MANIFEST,
        model_files=paths.WEIGHTS,
        last=paths.LAST_SNAPSHOT,
    ),
    local=True,
    priority=3,
    constraints=dict(model=one_of(training.models)),
    resources=dict(storage=default_storage),
    code=training.choice_code,
    settings=training.choice_settings,
)

job_rule(
    "compare_training",
    dict(rows=training.similarities()),
    paths.TRAINING_SEEDS,
    minutes=60,
    settings=training.comparison_settings,
)

job_rule(
    "summarise_training",
    dict(
        also=training.of_models(
            paths.TRAINING_MADE, paths.TRAINING_HISTORY, paths.TRAINING_HELD_OUT
        ),
        records=training.of_models(paths.TRAINING_RECORD),
        development=training.all_scores(),
        selections=training.of_models(paths.CHOSEN_SNAPSHOT),
        similarity=training.test_scores("pair_sets", paths.SUMMARY_SIMILARITY),
        alignments=training.test_scores("alignments", paths.SUMMARY_ALIGNMENTS),
    ),
    dict(
        scores=paths.SUMMARY_TRAINING,
        jobs=paths.SUMMARY_TRAINING_JOBS,
        history=paths.SUMMARY_TRAINING_HISTORY,
        held_out=paths.SUMMARY_TRAINING_HELD_OUT,
        sweeps=paths.SUMMARY_SWEEPS,
    ),
    minutes=20,
    local=True,
    settings=training.summary_settings,
)

job_rule(
    "model_card",
    dict(
        also=training.of_models(
            paths.TRAINING_MADE,
            paths.TRAINING_HISTORY,
            paths.TRAINING_HELD_OUT,
            paths.CHOSEN_SNAPSHOT,
        ),
        records=training.of_models(paths.TRAINING_RECORD),
        manifests=training.of_models(paths.MANIFEST),
        summaries=targets.summaries_of_scores,
        audits=training.audits_of_models(),
    ),
    dict(cards=training.of_models(paths.MODEL_CARD)),
    local=True,
    settings=training.card_settings,
)

job_rule(
    "export_pairs",
    dict(**digested(data=paths.TRAINING_DATA), audit=training.tables.audit),
    dict(shards=directory(paths.PAIR_CORPUS), card=paths.PAIR_CORPUS_CARD),
    minutes=30,
    per_input=4,
    local=True,
    constraints=dict(data=one_of(training.tables.combined)),
    settings=training.tables.export_settings,
)
