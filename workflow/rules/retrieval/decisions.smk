"""Runs → documents that are given as answers, what they are worth, and files for leaderboards."""


rule decide:
    """A run → the documents that are given for each question."""
    input:
        retrieval.of_corpus(paths.CORPUS_DIGEST),
        paths.QUESTIONS_DIGEST,
        paths.JUDGEMENTS_DIGEST,
        paths.RUN_DIGEST,
        retrieval.training_runs(paths.CORPUS_DIGEST),
        retrieval.training_runs(paths.QUESTIONS_DIGEST),
        retrieval.training_runs(paths.JUDGEMENTS_DIGEST),
        retrieval.training_runs(paths.RUN_DIGEST),
        corpus=ancient(retrieval.of_corpus(paths.CORPUS)),
        questions=ancient(paths.QUESTIONS),
        judgements=ancient(paths.JUDGEMENTS),
        run=ancient(paths.RUN),
        training_corpora=ancient(retrieval.training_runs(paths.CORPUS)),
        training_questions=ancient(retrieval.training_runs(paths.QUESTIONS)),
        training_judgements=ancient(retrieval.training_runs(paths.JUDGEMENTS)),
        training_runs=ancient(retrieval.training_runs(paths.RUN)),
    output:
        decided=paths.DECIDED,
        digest=paths.DECIDED_DIGEST,
    log:
        paths.log("decide", "{questions}/{retriever}/{decision}"),
    benchmark:
        paths.benchmark("decide", "{questions}/{retriever}/{decision}")
    conda:
        "../../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000, per_input=30),
        runtime=minutes(20),
    params:
        code=code("sentflow.commands.decide"),
        env=versions("ir-measures", "pytrec-eval-terrier", "numpy", "scipy"),
        settings=retrieval.decide_settings,
    shell:
        "python -m sentflow.commands.decide --corpus {input.corpus:q} --questions {input.questions:q}"
        " --judgements {input.judgements:q} --run {input.run:q} --training-corpora {input.training_corpora:q}"
        " --training-questions {input.training_questions:q} --training-judgements {input.training_judgements:q}"
        " --training-runs {input.training_runs:q} --settings {params.settings:q} --output {output.decided:q}"
        " > {log:q} 2>&1"


rule evaluate_decisions:
    """Everything that is decided for a question set, and judgements → set measures per question, means, intervals."""
    input:
        paths.QUESTIONS_DIGEST,
        paths.JUDGEMENTS_DIGEST,
        retrieval.decided_on(paths.DECIDED_DIGEST),
        decided=ancient(retrieval.decided_on(paths.DECIDED)),
        questions=ancient(paths.QUESTIONS),
        judgements=ancient(paths.JUDGEMENTS),
    output:
        scores=paths.DECISIONS,
        rows=paths.DECISION_ROWS,
    log:
        paths.log("evaluate_decisions", "{questions}"),
    benchmark:
        paths.benchmark("evaluate_decisions", "{questions}")
    conda:
        "../../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000, per_input=20),
        runtime=minutes(20),
    params:
        code=code("sentflow.commands.evaluate_decisions"),
        env=versions("ir-measures", "pytrec-eval-terrier", "numpy"),
        settings=retrieval.decision_settings,
    shell:
        "python -m sentflow.commands.evaluate_decisions --decided {input.decided:q} --questions {input.questions:q}"
        " --judgements {input.judgements:q} --settings {params.settings:q} --output {output.scores:q}"
        " --rows {output.rows:q} > {log:q} 2>&1"


rule compare_decisions:
    """The values of all retrievers with their decisions per question → which differ."""
    input:
        retrieval.decision_scores(),
        rows=ancient(retrieval.decision_scores(paths.DECISION_ROWS)),
    output:
        paths.DECISION_PAIRS,
    log:
        paths.log("compare_decisions"),
    benchmark:
        paths.benchmark("compare_decisions")
    conda:
        "../../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000, per_input=20),
        runtime=minutes(60),
    params:
        code=code("sentflow.commands.compare_decisions"),
        env=versions("numpy", "scipy"),
        settings=retrieval.decision_comparison_settings,
    shell:
        "python -m sentflow.commands.compare_decisions --rows {input.rows:q} --settings {params.settings:q}"
        " --output {output:q} > {log:q} 2>&1"


rule summarise_decisions:
    """What all decisions are worth → one table of rows."""
    input:
        retrieval.decision_scores(),
    output:
        paths.SUMMARY_DECISIONS,
    log:
        paths.log("summarise_decisions"),
    benchmark:
        paths.benchmark("summarise_decisions")
    localrule: True
    conda:
        "../../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000),
        runtime=minutes(10),
    params:
        code=code("sentflow.commands.summarise_decisions"),
        settings=retrieval.decision_summary_settings,
    shell:
        "python -m sentflow.commands.summarise_decisions --results {input:q} --settings {params.settings:q}"
        " --output {output:q} > {log:q} 2>&1"


rule export_submissions:
    """What is decided for a question set → submissions of the Zalo challenge."""
    input:
        paths.QUESTIONS_DIGEST,
        retrieval.decided_on(paths.DECIDED_DIGEST),
        decided=ancient(retrieval.decided_on(paths.DECIDED)),
        questions=ancient(paths.QUESTIONS),
    output:
        retrieval.submissions_of_set(),
    log:
        paths.log("export_submissions", "{questions}"),
    benchmark:
        paths.benchmark("export_submissions", "{questions}")
    localrule: True
    conda:
        "../../../envs/exports.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000),
        runtime=minutes(10),
    params:
        code=code("sentflow.commands.export_submissions"),
    shell:
        "python -m sentflow.commands.export_submissions --decided {input.decided:q} --questions {input.questions:q}"
        " --output {output:q} > {log:q} 2>&1"
