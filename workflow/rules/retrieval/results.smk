"""What runs are worth: measures, tests, summaries."""


rule evaluate:
    """A run and the judgements → measures per question, their means and intervals."""
    input:
        **digested(**judged, run=paths.RUN),
        leaks=retrieval.leaks,
    output:
        scores=paths.RETRIEVAL,
        rows=paths.RETRIEVAL_ROWS,
    resources:
        **asks(1000, 20, per_input=30),
    params:
        **job_params("evaluate", settings=retrieval.evaluate_settings),
    shell:
        command("evaluate")


rule compare_retrieval:
    """The values of all retrievers per question → which differ: for new questions, new documents, groups, new seeds."""
    input:
        scores=retrieval.scores,
        rows=ancient(retrieval.rows),
    output:
        differences=paths.RETRIEVAL_PAIRS,
        document_differences=paths.RETRIEVAL_DOCUMENT_PAIRS,
        group_differences=paths.RETRIEVAL_GROUP_PAIRS,
        clusters=paths.RETRIEVAL_CLUSTERS,
        groups=paths.RETRIEVAL_GROUPS,
        seeds=paths.RETRIEVAL_SEEDS,
    resources:
        **asks(1000, 60, per_input=20),
    params:
        **job_params("compare_retrieval", settings=retrieval.comparison_settings),
    shell:
        command("compare_retrieval")


rule hardest_questions:
    """What all retrievers found → the questions that most of them fail on, and those on which two differ most."""
    input:
        retrieval.of_shown(paths.RETRIEVAL),
        **digested(**judged, runs=retrieval.of_shown(paths.RUN)),
        rows=ancient(retrieval.of_shown(paths.RETRIEVAL_ROWS)),
    output:
        paths.HARD_QUESTIONS,
    resources:
        **asks(1000, 20, per_input=20),
    params:
        **job_params("hardest_questions", settings=retrieval.hardest_settings),
    shell:
        command("hardest_questions")


rule summarise_retrieval:
    """All results of retrieval → one table of rows."""
    input:
        results=retrieval.scores,
    output:
        paths.SUMMARY_RETRIEVAL,
    localrule: True
    resources:
        **asks(1000, 10),
    params:
        **job_params("summarise_retrieval", settings=retrieval.summarise_settings),
    shell:
        command("summarise_retrieval")


rule summarise_stages:
    """Means, tests and seeds of the retrievers of a chain → one row per stage."""
    input:
        summary=paths.SUMMARY_RETRIEVAL,
        differences=paths.RETRIEVAL_PAIRS,
        seeds=paths.RETRIEVAL_SEEDS,
    output:
        paths.SUMMARY_STAGES,
    localrule: True
    resources:
        **asks(1000, 10),
    params:
        **job_params("summarise_stages", settings=retrieval.stage_settings),
    shell:
        command("summarise_stages")


rule summarise_questions:
    """The values of every question → curves of recall, and differences from the reference."""
    input:
        retrieval.scores,
        rows=ancient(retrieval.rows),
        differences=paths.RETRIEVAL_PAIRS,
    output:
        recall=paths.RECALL,
        gaps=paths.QUESTION_DIFFERENCES,
    resources:
        **asks(1000, 20, per_input=20),
    params:
        **job_params(
            "summarise_questions", settings=retrieval.question_summary_settings
        ),
    shell:
        command("summarise_questions")


rule summarise_retrieval_costs:
    """What searches took and the size of what they searched. No score depends on it."""
    input:
        retrieval.question_embeddings(paths.EMBEDDINGS_MADE),
        summary=paths.SUMMARY_RETRIEVAL,
        made=retrieval.run_costs(),
        embeddings=retrieval.question_embeddings(paths.EMBEDDINGS_INFO),
    output:
        paths.RETRIEVAL_COSTS,
    localrule: True
    resources:
        **asks(1000, 10),
    params:
        **job_params("summarise_retrieval_costs", settings=retrieval.cost_settings),
    shell:
        command("summarise_retrieval_costs")


rule explain:
    """The questions worth reading → the terms by which a retriever finds their documents, with their parts of the scores."""
    input:
        **digested(
            **judged,
            run=paths.RUN,
            terms=retrieval.of_searches(retrieval.terms),
            counts=retrieval.of_searches(retrieval.counts),
            passages=retrieval.of_searches(retrieval.passages),
        ),
        hardest=paths.HARD_QUESTIONS,
        # The description of the embeddings holds their checksums.
        documents=ancient(retrieval.of_searches(retrieval.document_vectors)),
        documents_info=retrieval.of_searches(retrieval.document_info),
        queries=ancient(retrieval.question_vectors),
        queries_info=retrieval.question_info,
        manifest=retrieval.manifest,
    output:
        paths.SHARED_TERMS,
    wildcard_constraints:
        retriever=one_of(retrieval.of_kind("bm25", "sparse")),
    resources:
        **retrieval.search_requests(),
    params:
        code=retrieval.explain_code,
        env=retrieval.explain_versions,
        settings=retrieval.search_settings,
    shell:
        command("explain")
