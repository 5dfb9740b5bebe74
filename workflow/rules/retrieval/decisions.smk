"""Runs → documents that are given as answers, what they are worth, and files for leaderboards."""


rule decide:
    """A run → the documents that are given for each question."""
    input:
        **digested(
            **judged,
            run=paths.RUN,
            training_corpora=retrieval.decision_training(paths.CORPUS),
            training_questions=retrieval.decision_training(paths.QUESTIONS),
            training_judgements=retrieval.decision_training(paths.JUDGEMENTS),
            training_runs=retrieval.decision_training(paths.RUN),
        ),
    output:
        **with_digest(decided=paths.DECIDED),
    resources:
        **asks(1000, 20, per_input=30),
    params:
        **job_params("decide", settings=retrieval.decide_settings),
    shell:
        command("decide")


rule evaluate_decisions:
    """Everything that is decided for a question set, and judgements → set measures per question, means, intervals."""
    input:
        **digested(
            decided=retrieval.decided_on,
            questions=paths.QUESTIONS,
            judgements=paths.JUDGEMENTS,
        ),
    output:
        scores=paths.DECISIONS,
        rows=paths.DECISION_ROWS,
    resources:
        **asks(1000, 20, per_input=20),
    params:
        **job_params("evaluate_decisions", settings=retrieval.decision_settings),
    shell:
        command("evaluate_decisions")


rule compare_decisions:
    """The values of all retrievers with their decisions per question → which differ."""
    input:
        retrieval.decision_scores(),
        rows=ancient(retrieval.decision_scores(paths.DECISION_ROWS)),
    output:
        paths.DECISION_PAIRS,
    resources:
        **asks(1000, 60, per_input=20),
    params:
        **job_params(
            "compare_decisions", settings=retrieval.decision_comparison_settings
        ),
    shell:
        command("compare_decisions")


rule summarise_decisions:
    """What all decisions are worth → one table of rows."""
    input:
        results=retrieval.decision_scores(),
    output:
        paths.SUMMARY_DECISIONS,
    localrule: True
    resources:
        **asks(1000, 10),
    params:
        **job_params(
            "summarise_decisions", settings=retrieval.decision_summary_settings
        ),
    shell:
        command("summarise_decisions")


rule export_submissions:
    """What is decided for a question set → submissions of the Zalo challenge."""
    input:
        **digested(decided=retrieval.decided_on, questions=paths.QUESTIONS),
    output:
        retrieval.submissions_of_set(),
    localrule: True
    resources:
        **asks(1000, 10),
    params:
        **job_params("export_submissions"),
    shell:
        command("export_submissions")
