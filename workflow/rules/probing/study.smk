"""Other protocols besides that of the scores: folds and scores of their own, what they change, and new documents."""


use rule probe as probe_study with:
    output:
        folds=probing.fold_outputs(study=True),
    log:
        paths.log("probe_study", probing.job_key(study=True)),
    benchmark:
        paths.benchmark("probe_study", probing.job_key(study=True))


use rule probe_lazy as probe_lazy_study with:
    output:
        folds=probing.fold_outputs(study=True),
    log:
        paths.log("probe_lazy_study", probing.job_key(study=True)),
    benchmark:
        paths.benchmark("probe_lazy_study", probing.job_key(study=True))


use rule score as score_study with:
    output:
        scores=paths.STUDY_SCORES,
        table=paths.STUDY_SCORE_TABLE,
        predictions=paths.STUDY_SCORE_PREDICTIONS,
    log:
        paths.log("score_study", "{protocol}/{task}/{model}"),
    benchmark:
        paths.benchmark("score_study", "{protocol}/{task}/{model}")


rule compare_protocol:
    """Scores under the experiment's protocol and under another → what the other changes."""
    input:
        scores=probing.baseline_scores(),
        tables=probing.baseline_score_tables(),
        other_scores=probing.study_scores,
        other_tables=probing.study_score_tables,
    output:
        paths.EFFECTS,
    log:
        paths.log("compare_protocol", "{protocol}"),
    benchmark:
        paths.benchmark("compare_protocol", "{protocol}")
    localrule: True
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(1000, 10),
    params:
        **job_params("compare_protocol", settings=probing.effect_settings),
    shell:
        command("compare_protocol")


rule compare_documents:
    """Scores with documents kept together → what is said of new documents: intervals and tests."""
    input:
        probing.document_task_digests(),
        scores=probing.document_scores(),
        tables=probing.document_score_tables(),
        # They were written with the scores.
        predictions=ancient(probing.document_score_predictions()),
        rows=ancient(probing.document_task_tables()),
    output:
        summary=paths.DOCUMENT_SCORES,
        pairs=paths.DOCUMENT_PAIRS,
        standings=paths.DOCUMENT_STANDINGS,
    log:
        paths.log("compare_documents"),
    benchmark:
        paths.benchmark("compare_documents")
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(2000, 30),
    params:
        **job_params("compare_documents", settings=probing.document_comparison_settings),
    shell:
        command("compare_documents")
