"""Raw files, corpora and question sets → rows to train on, and what they have in common with tests."""


rule prepare_training:
    """The raw files of training data → their table, with counts of what was left out and why."""
    input:
        raw=training.data_of.raw_files_of_data,
    output:
        table=paths.TRAINING_DATA,
        digest=paths.TRAINING_DATA_DIGEST,
    log:
        paths.log("prepare_training", "{data}"),
    benchmark:
        paths.benchmark("prepare_training", "{data}")
    wildcard_constraints:
        data=training.data_of.read_of_files(),
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(1000, 120, per_input=training.data_of.copies_of_raw_files),
        checks=training.data_of.data_checks,
        limits=targets.limits,
    params:
        **job_params("prepare_training", settings=training.data_of.data_settings),
    shell:
        command("prepare_training")


rule collect_training:
    """Documents of corpora and questions → a table of training data."""
    input:
        training.data_of.of_corpora(paths.CORPUS_DIGEST),
        training.data_of.of_questions(paths.QUESTIONS_DIGEST),
        training.data_of.of_questions(paths.JUDGEMENTS_DIGEST),
        corpora=ancient(training.data_of.of_corpora(paths.CORPUS)),
        questions=ancient(training.data_of.of_questions(paths.QUESTIONS)),
        judgements=ancient(training.data_of.of_questions(paths.JUDGEMENTS)),
    output:
        table=paths.TRAINING_DATA,
        digest=paths.TRAINING_DATA_DIGEST,
    log:
        paths.log("collect_training", "{data}"),
    benchmark:
        paths.benchmark("collect_training", "{data}")
    wildcard_constraints:
        data=training.data_of.collected(),
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(1000, 20, per_input=12),
        checks=training.data_of.data_checks,
    params:
        **job_params("collect_training", settings=training.data_of.collected_settings),
    shell:
        command("collect_training")


rule clean_pairs:
    """Pairs of a relation and the tables of tests → the pairs that may be trained on, with counts of what was left out."""
    input:
        paths.TRAINING_DATA_DIGEST.replace("{data}", "{relation}"),
        training.data_of.held_out_digests,
        relation=ancient(paths.TRAINING_DATA.replace("{data}", "{relation}")),
        tests=ancient(training.data_of.held_out_tables),
    output:
        table=paths.CLEANED_PAIRS,
        digest=paths.CLEANED_PAIRS_DIGEST,
    log:
        paths.log("clean_pairs", "{data}/{relation}"),
    benchmark:
        paths.benchmark("clean_pairs", "{data}/{relation}")
    wildcard_constraints:
        data=training.data_of.combined(),
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(2000, 240, per_input=12, of="tests"),
    params:
        **job_params("clean_pairs", settings=training.data_of.cleaned_settings),
    shell:
        command("clean_pairs")


rule combine_pairs:
    """Cleaned relations → one table of training data, without copies and near copies."""
    input:
        training.data_of.of_relations(paths.CLEANED_PAIRS_DIGEST),
        relations=ancient(training.data_of.of_relations(paths.CLEANED_PAIRS)),
    output:
        table=paths.TRAINING_DATA,
        digest=paths.TRAINING_DATA_DIGEST,
    log:
        paths.log("combine_pairs", "{data}"),
    benchmark:
        paths.benchmark("combine_pairs", "{data}")
    wildcard_constraints:
        data=training.data_of.combined(),
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(2000, 240, per_input=2),
        checks=training.data_of.data_checks,
    params:
        **job_params("combine_pairs", settings=training.data_of.combined_settings),
    shell:
        command("combine_pairs")


rule mine_training:
    """Questions, judgements and what a retriever found → a table of training data, and what might have been negative."""
    input:
        training.data_of.of_corpora(paths.CORPUS_DIGEST),
        training.data_of.of_questions(paths.QUESTIONS_DIGEST),
        training.data_of.of_questions(paths.JUDGEMENTS_DIGEST),
        training.data_of.of_runs(paths.RUN_DIGEST),
        training.data_of.of_labels(paths.RUN_DIGEST),
        training.data_of.of_held_out(paths.QUESTIONS_DIGEST),
        training.data_of.of_held_out(paths.JUDGEMENTS_DIGEST),
        corpora=ancient(training.data_of.of_corpora(paths.CORPUS)),
        questions=ancient(training.data_of.of_questions(paths.QUESTIONS)),
        judgements=ancient(training.data_of.of_questions(paths.JUDGEMENTS)),
        runs=ancient(training.data_of.of_runs(paths.RUN)),
        labels=ancient(training.data_of.of_labels(paths.RUN)),
        held_out=ancient(training.data_of.of_held_out(paths.QUESTIONS)),
        held_out_judgements=ancient(training.data_of.of_held_out(paths.JUDGEMENTS)),
    output:
        table=paths.TRAINING_DATA,
        digest=paths.TRAINING_DATA_DIGEST,
        looked_at=paths.LOOKED_AT,
    log:
        paths.log("mine_training", "{data}"),
    benchmark:
        paths.benchmark("mine_training", "{data}")
    wildcard_constraints:
        data=training.data_of.asked(),
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(1000, 30, per_input=20),
        checks=training.data_of.data_checks,
    params:
        **job_params("mine_training", settings=training.data_of.mined_settings),
    shell:
        command("mine_training")


rule audit_training:
    """Training data and the tables of all tests → copies and near copies of texts of each test among those of training."""
    input:
        paths.TRAINING_DATA_DIGEST,
        training.data_of.digests_of_tests,
        data=ancient(paths.TRAINING_DATA),
        tests=ancient(training.data_of.tables_of_tests),
    output:
        paths.TRAINING_AUDIT,
    log:
        paths.log("audit_training", "{data}"),
    benchmark:
        paths.benchmark("audit_training", "{data}")
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(3000, 60, per_input=12),
    params:
        **job_params("audit_training", settings=training.data_of.audit_settings),
    shell:
        command("audit_training")
