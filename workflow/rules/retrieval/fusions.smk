"""Runs of training questions → weights of fusions, and what each weight reaches on every question set."""


rule weigh:
    """The runs of a question set and its judgements → what each weight of their fusion reaches."""
    input:
        **digested(**judged, runs=retrieval.runs_of_parts),
    output:
        **with_digest(weighed=paths.WEIGHED),
    wildcard_constraints:
        retriever=one_of(retrieval.tuned),
    resources:
        **asks(1000, 60, per_input=40),
    params:
        **job_params("weigh", settings=retrieval.weigh_settings),
    shell:
        command("weigh")


rule choose_weights:
    """What weights reach on training questions → those that are used, and by folds what such a choice is worth."""
    input:
        **digested(
            weighed=retrieval.tuning(paths.WEIGHED),
            questions=retrieval.tuning(paths.QUESTIONS),
            judgements=retrieval.tuning(paths.JUDGEMENTS),
        ),
    output:
        **with_digest(chosen=paths.CHOSEN_WEIGHTS),
    wildcard_constraints:
        retriever=one_of(retrieval.tuned),
    resources:
        **asks(1000, 10, per_input=10),
    params:
        **job_params("choose_weights", settings=retrieval.choice_settings),
    shell:
        command("choose_weights")


rule summarise_weights:
    """What each weight reaches, and what was chosen → one table of rows."""
    input:
        **digested(weighed=retrieval.weighed, chosen=retrieval.choices),
    output:
        paths.SUMMARY_WEIGHTS,
    resources:
        **asks(1000, 10, per_input=10),
    params:
        **job_params("summarise_weights", settings=retrieval.weights_summary_settings),
    shell:
        command("summarise_weights")
