"""Tasks → folds of probes → scores → comparisons, studies of protocols, audits, exports."""

probing = targets.families["probing"]


rule prepare:
    """Raw files → the task table."""
    input:
        raw=probing.from_files.raw,
    output:
        **with_digest(table=paths.TASK),
    # Short, and the slow jobs wait for it.
    priority: 3
    resources:
        **asks("prepare", 10),
        checks=probing.from_files.checks,
        limits=targets.limits,
    params:
        **job_params("prepare", settings=probing.from_files.settings),
    shell:
        command("prepare")


rule probe:
    """Folds of a task and an encoder with embeddings; `probe.job` says how many one job computes."""
    input:
        **digested(task=paths.TASK),
        **probing.vectors(),
    output:
        folds=probing.fold_outputs(),
    wildcard_constraints:
        model=one_of(targets.encoders.with_vectors),
    resources:
        **asks("probe", 60, per_input=5),
    params:
        **probing.probe_params("probe"),
    shell:
        command("probe")


rule probe_lazy:
    """Folds of a task and an encoder that is fitted inside each fold."""
    input:
        **digested(task=paths.TASK),
        manifest=paths.MANIFEST,
        own=ancient(targets.encoders.files),
    output:
        folds=probing.fold_outputs(),
    wildcard_constraints:
        model=one_of(experiment.lazy_models),
    # The slowest jobs, which wait for no embeddings: begun first, they do not hold up the end.
    priority: 2
    resources:
        **asks("probe_lazy", 120),
        call_seconds=targets.encoders.call_seconds,
    params:
        **probing.probe_params("probe_lazy"),
    shell:
        command("probe_lazy")


# A rule with fifty outputs is tried for every fold, so the answer that nothing is to be done waits for it.
if experiment.featurisers:

    rule featurise:
        """The features of one task's rows by a user's own class."""
        input:
            **digested(task=paths.TASK),
            manifest=paths.MANIFEST,
            own=ancient(targets.encoders.files),
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

    rule probe_featurised:
        """Folds of a task with the features that a user's own class computed from its rows."""
        input:
            **digested(task=paths.TASK),
            features=ancient(paths.FEATURES),
            info=paths.FEATURES_INFO,
        output:
            folds=probing.fold_outputs(),
        wildcard_constraints:
            model=one_of(experiment.featurisers),
        resources:
            **asks("probe_featurised", 60, per_input=3),
        params:
            **probing.probe_params("probe_featurised"),
        shell:
            command("probe_featurised")


rule score:
    """The folds of one task and encoder → the score with its intervals, the unaggregated table, and all predictions."""
    input:
        **digested(rows=paths.TASK),
        folds=probing.folds,
    output:
        scores=paths.SCORES,
        table=paths.SCORE_TABLE,
        predictions=paths.SCORE_PREDICTIONS,
    resources:
        **asks("score", 10),
    params:
        **job_params("score", settings=probing.score_settings),
    shell:
        command("score")


rule compare:
    """Every score → which encoders differ: within each task and over all tasks."""
    input:
        **digested(rows=each(paths.TASK, task=probing.tasks)),
        scores=probing.of_scores(paths.SCORES),
        tables=probing.of_scores(paths.SCORE_TABLE),
        # They were written with the scores.
        predictions=ancient(probing.of_scores(paths.SCORE_PREDICTIONS)),
    output:
        pairs=paths.PAIRS,
        standings=paths.STANDINGS,
        ranks=paths.RANKS,
        across=paths.ACROSS,
        omnibus=paths.OMNIBUS,
    resources:
        **asks("compare", 30, per_input=5),
    params:
        **job_params("compare", settings=probing.comparison_settings(probing.tasks)),
    shell:
        command("compare")


rule compare_protocol:
    """Scores under the experiment's protocol and under another → what the other changes."""
    input:
        scores=probing.of_study(paths.SCORES),
        tables=probing.of_study(paths.SCORE_TABLE),
        other_scores=lambda wildcards: probing.of_study(
            paths.SCORES, wildcards.protocol
        ),
        other_tables=lambda wildcards: probing.of_study(
            paths.SCORE_TABLE, wildcards.protocol
        ),
    output:
        paths.EFFECTS,
    localrule: True
    resources:
        **asks("compare_protocol", 10),
    params:
        **job_params("compare_protocol", settings=probing.effect_settings),
    shell:
        command("compare_protocol")


rule compare_documents:
    """Scores with documents kept together → what is said of new documents: intervals and tests."""
    input:
        **digested(rows=each(paths.TASK, task=probing.document_tasks)),
        scores=probing.on_documents(paths.SCORES),
        tables=probing.on_documents(paths.SCORE_TABLE),
        # They were written with the scores.
        predictions=ancient(probing.on_documents(paths.SCORE_PREDICTIONS)),
    output:
        summary=paths.DOCUMENT_SCORES,
        pairs=paths.DOCUMENT_PAIRS,
        standings=paths.DOCUMENT_STANDINGS,
    resources:
        **asks("compare_documents", 30, per_input=5),
    params:
        **job_params(
            "compare_documents",
            settings=probing.comparison_settings(probing.document_tasks),
        ),
    shell:
        command("compare_documents")


rule audit:
    """The rows of one task → duplicates, contradictions, classes, lengths, languages, documents; with warnings."""
    input:
        **digested(rows=paths.TASK),
    output:
        paths.AUDIT,
    resources:
        **asks("audit", 20, per_input=50),
    params:
        **job_params("audit", settings=probing.audit_settings),
    shell:
        command("audit")


rule hardest:
    """The predictions of every encoder on one task → the texts that most of them get wrong."""
    input:
        **digested(rows=paths.TASK),
        predictions=probing.predictions_of_real_models,
    output:
        paths.HARDEST,
    resources:
        **asks("hardest", 10),
    params:
        **job_params("hardest", settings=probing.hardest_settings),
    shell:
        command("hardest")


rule summarise:
    """Every score → one table of scores and one of training curves."""
    input:
        scores=probing.of_scores(paths.SCORES),
        tables=probing.of_scores(paths.SCORE_TABLE),
    output:
        summary=paths.SUMMARY,
        curves=paths.CURVES,
    localrule: True
    resources:
        **asks("summarise", 10),
    params:
        **job_params("summarise", settings=probing.summarise_settings),
    shell:
        command("summarise")


rule export_mteb:
    """Every score as MTEB's result files, loadable by mteb itself."""
    input:
        summary=paths.SUMMARY,
        # The summary changes with them.
        tables=ancient(probing.of_scores(paths.SCORE_TABLE)),
        digests=each(paths.digest(paths.TASK), task=probing.tasks),
        versions=paths.RECORD_VERSIONS,
    output:
        probing.mteb_files(),
    localrule: True
    resources:
        **asks("export_mteb", 10),
    params:
        **job_params("export_mteb", settings=probing.export_settings),
    shell:
        command("export_mteb")


rule export_huggingface:
    """Every score as .eval_results and model cards for the Hugging Face hub."""
    input:
        summary=paths.SUMMARY,
        digests=each(paths.digest(paths.TASK), task=probing.tasks),
    output:
        probing.huggingface_files(),
    localrule: True
    resources:
        **asks("export_huggingface", 10),
    params:
        **job_params("export_huggingface", settings=probing.export_settings),
    shell:
        command("export_huggingface")


rule export_numbers:
    """Every score as a LaTeX macro."""
    input:
        summary=paths.SUMMARY,
    output:
        paths.NUMBERS,
    localrule: True
    resources:
        **asks("export_numbers", 5),
    params:
        **job_params("export_numbers"),
        title=targets.title,
    shell:
        command("export_numbers")


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
