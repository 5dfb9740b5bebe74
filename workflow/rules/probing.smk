"""Tasks → folds of probes → scores → comparisons, studies of protocols, audits, exports."""

probing = targets.families["probing"]


# Short, and the slow jobs wait for it.
dataset_rules("prepare", probing.from_files, paths.TASK, priority=4)


job_rule(
    "probe",
    dict(**digested(task=paths.TASK), **probing.vectors()),
    dict(folds=probing.fold_outputs()),
    minutes=60,
    per_input=5,
    priority=1,
    constraints=dict(model=one_of(targets.encoders.with_vectors)),
    **probing.probe_params("probe"),
)

# Slow: begun before the many short jobs, they do not hold up the end.
job_rule(
    "probe_lazy",
    dict(
        **digested(task=paths.TASK),
        manifest=paths.MANIFEST,
    ),
    dict(folds=probing.fold_outputs()),
    minutes=120,
    priority=1,
    constraints=dict(model=one_of(experiment.lazy_models)),
    resources=dict(call_seconds=targets.encoders.call_seconds),
    **probing.probe_params("probe_lazy"),
)

# A rule with fifty outputs is tried for every fold, so the answer that nothing is to be done waits for it.
if experiment.featurisers:

    rule featurise:
        """The features of one task's rows by a user's own class."""
        input:
            **digested(task=paths.TASK),
            manifest=paths.MANIFEST,
        output:
            features=paths.FEATURES,
            info=paths.FEATURES_INFO,
            made=paths.FEATURES_MADE,
        wildcard_constraints:
            model=one_of(experiment.featurisers),
        threads: targets.encoders.threads
        resources:
            **asks("featurise", 120),
            call_seconds=targets.encoders.call_seconds,
        params:
            **job_params("featurise"),
        shell:
            command("featurise")

    job_rule(
        "probe_featurised",
        dict(
            **digested(task=paths.TASK),
            features=ancient(paths.FEATURES),
            info=paths.FEATURES_INFO,
        ),
        dict(folds=probing.fold_outputs()),
        minutes=60,
        per_input=3,
        constraints=dict(model=one_of(experiment.featurisers)),
        **probing.probe_params("probe_featurised"),
    )


# One job per encoder: to start it takes longer than to score a task. A rule has the same outputs for all of its jobs, so
# scores under another protocol, or of further tasks, are of another rule: score_2 and so on.
for number, scored in enumerate(probing.scored_together, 1):

    job_rule(
        "score",
        dict(
            **digested(rows=each(paths.TASK, task=scored.tasks)),
            folds=probing.scored_folds(scored),
        ),
        dict(
            scores=scored.files(paths.SCORES),
            tables=scored.files(paths.SCORE_TABLE),
            predictions=scored.files(paths.SCORE_PREDICTIONS),
        ),
        minutes=10 + 3 * len(scored.tasks),
        number=number,
        priority=1,
        resources=dict(part=scored.part),
        settings=probing.score_settings(scored),
    )

job_rule(
    "compare",
    dict(
        **digested(rows=each(paths.TASK, task=probing.tasks)),
        scores=probing.of_scores(paths.SCORES),
        tables=probing.of_scores(paths.SCORE_TABLE),
        # They were written with the scores.
        predictions=ancient(probing.of_scores(paths.SCORE_PREDICTIONS)),
    ),
    dict(
        pairs=paths.PAIRS,
        standings=paths.STANDINGS,
        ranks=paths.RANKS,
        across=paths.ACROSS,
        omnibus=paths.OMNIBUS,
    ),
    minutes=30,
    per_input=5,
    settings=probing.comparison_settings(probing.tasks),
)

job_rule(
    "compare_protocol",
    dict(
        scores=probing.of_study(paths.SCORES),
        tables=probing.of_study(paths.SCORE_TABLE),
        other_scores=lambda wildcards: probing.of_study(
            paths.SCORES, wildcards.protocol
        ),
        other_tables=lambda wildcards: probing.of_study(
            paths.SCORE_TABLE, wildcards.protocol
        ),
    ),
    paths.EFFECTS,
    local=True,
    settings=probing.effect_settings,
)

job_rule(
    "compare_documents",
    dict(
        **digested(rows=each(paths.TASK, task=probing.document_tasks)),
        scores=probing.on_documents(paths.SCORES),
        tables=probing.on_documents(paths.SCORE_TABLE),
        # They were written with the scores.
        predictions=ancient(probing.on_documents(paths.SCORE_PREDICTIONS)),
    ),
    dict(
        summary=paths.DOCUMENT_SCORES,
        pairs=paths.DOCUMENT_PAIRS,
        standings=paths.DOCUMENT_STANDINGS,
    ),
    minutes=30,
    per_input=5,
    settings=probing.comparison_settings(probing.document_tasks),
)

for number, (dataset, tasks) in enumerate(probing.audited.items(), 1):

    job_rule(
        "audit",
        digested(rows=each(paths.TASK, task=tasks)),
        each(paths.AUDIT, task=tasks),
        minutes=20 + 5 * len(tasks),
        per_largest=dict(rows=50),
        number=number,
        resources=dict(dataset=dataset),
        settings=probing.audit_settings(tasks),
    )

if probing.tasks:

    job_rule(
        "hardest",
        dict(
            **digested(rows=each(paths.TASK, task=probing.tasks)),
            predictions=probing.predictions_of_real_models(),
        ),
        each(paths.HARDEST, task=probing.tasks),
        minutes=10 + 3 * len(probing.tasks),
        settings=probing.hardest_settings,
    )

job_rule(
    "summarise",
    dict(
        scores=probing.of_scores(paths.SCORES),
        tables=probing.of_scores(paths.SCORE_TABLE),
    ),
    dict(summary=paths.SUMMARY, curves=paths.CURVES),
    local=True,
    settings=probing.summarise_settings,
)

job_rule(
    "export_mteb",
    dict(
        summary=paths.SUMMARY,
        # The summary changes with them.
        tables=ancient(probing.of_scores(paths.SCORE_TABLE)),
        digests=each(paths.digest(paths.TASK), task=probing.tasks),
        versions=paths.RECORD_VERSIONS,
    ),
    probing.mteb_files(),
    local=True,
    settings=probing.export_settings,
)

job_rule(
    "export_huggingface",
    dict(
        summary=paths.SUMMARY,
        digests=each(paths.digest(paths.TASK), task=probing.tasks),
    ),
    probing.huggingface_files(),
    local=True,
    settings=probing.export_settings,
)

job_rule(
    "export_numbers",
    dict(summary=paths.SUMMARY),
    paths.NUMBERS,
    minutes=5,
    local=True,
    title=targets.title,
)


rule probes:
    """Every fold of every task and encoder."""
    input:
        # Thousands of files, which no other target needs to name.
        lambda wildcards: probing.probes(),


rule scores:
    """The score of every task and encoder."""
    input:
        probing.of_scores(paths.SCORES),


rule comparisons:
    """Which encoders differ, within each task and over all."""
    input:
        probing.task_comparisons,
