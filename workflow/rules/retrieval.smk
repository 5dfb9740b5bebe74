"""Corpora and questions → runs of retrievers → measures, tests between retrievers, their summary."""

retrieval = targets.families["retrieval"]
# What is searched, by what, and which documents are relevant.
judged = dict(
    corpus=retrieval.corpus, questions=paths.QUESTIONS, judgements=paths.JUDGEMENTS
)


# Corpora, their shards, questions, passages and terms.


job_rule(
    "prepare_corpus",
    dict(raw=retrieval.corpus_files.raw),
    with_digest(table=paths.CORPUS),
    minutes=20,
    per_input=retrieval.per_raw_file,
    priority=4,
    constraints=dict(corpus=one_of(retrieval.prepared_corpora)),
    resources=dict(checks=retrieval.corpus_files.checks, limits=targets.limits),
    settings=retrieval.corpus_files.settings,
)

job_rule(
    "shard_corpus",
    digested(whole=retrieval.whole_corpus),
    with_digest(table=paths.CORPUS),
    minutes=20,
    per_input=12,
    constraints=dict(corpus=one_of(retrieval.shards())),
)

job_rule(
    "prepare_questions",
    dict(**digested(corpus=retrieval.corpus), raw=retrieval.question_files.raw),
    dict(
        **with_digest(table=paths.QUESTIONS),
        judgements=paths.JUDGEMENTS,
        judgements_digest=paths.digest(paths.JUDGEMENTS),
    ),
    minutes=20,
    per_input=dict(corpus=4, raw=12),
    priority=4,
    resources=dict(checks=retrieval.question_files.checks, limits=targets.limits),
    settings=retrieval.question_files.settings,
)

job_rule(
    "audit_questions",
    digested(
        **judged,
        training_corpora=retrieval.training(paths.CORPUS),
        training_questions=retrieval.training(paths.QUESTIONS),
        training_judgements=retrieval.training(paths.JUDGEMENTS),
    ),
    paths.QUESTION_AUDIT,
    minutes=20,
    per_input=dict(
        corpus=4, questions=30, judgements=30, training_corpora=4, training_questions=30
    ),
)

job_rule(
    "split_passages",
    digested(corpus=paths.CORPUS),
    with_digest(table=paths.PASSAGES),
    minutes=20,
    per_input=12,
    constraints=dict(passages=one_of(retrieval.cuts(by_tokens=False))),
    settings=retrieval.passage_settings,
)

job_rule(
    "split_tokens",
    dict(
        **digested(corpus=paths.CORPUS),
        # It holds the checksums of the tokenizer's files.
        manifest=retrieval.model_of_cut,
        model_files=ancient(retrieval.files_of_cut),
    ),
    with_digest(table=paths.PASSAGES),
    minutes=60,
    per_input=12,
    constraints=dict(passages=one_of(retrieval.cuts(by_tokens=True))),
    settings=retrieval.passage_settings,
)


job_rule(
    "analyse",
    digested(corpus=paths.CORPUS),
    with_digest(table=paths.TERMS),
    minutes=60,
    per_input=6,
    env=retrieval.analyser_versions,
    settings=retrieval.analyser_settings,
)

job_rule(
    "count_terms",
    digested(terms=retrieval.terms_of_shards),
    with_digest(table=paths.TERM_COUNTS),
    minutes=60,
    per_input=6,
    constraints=dict(corpus=one_of(retrieval.prepared_corpora)),
)

# What retrievers find, in shards of a corpus or in the whole, and what approximate indexes lose and save.


rule search:
    """What a retriever finds for the questions of a set; it has the inputs that its kind needs."""
    input:
        **digested(**judged, **retrieval.search_files),
        **retrieval.vectors(),
        manifest=retrieval.of_cross_encoder(retrieval.manifest),
        model_files=ancient(retrieval.of_cross_encoder(retrieval.model_files)),
        trec=local(retrieval.run_file),
    output:
        **with_digest(run=paths.RUN),
        made=paths.RUN_MADE,
    threads: retrieval.search_threads
    resources:
        **retrieval.search_requests(),
        device=retrieval.search_device,
    params:
        code=retrieval.search_code,
        env=retrieval.search_versions,
        settings=retrieval.search_settings,
    shell:
        f"OMP_NUM_THREADS={{threads}} {command('search')}"


job_rule(
    "merge_shards",
    dict(
        **digested(questions=paths.QUESTIONS, runs=retrieval.runs_of_shards(paths.RUN)),
        made=ancient(retrieval.runs_of_shards(paths.RUN_MADE)),
    ),
    dict(**with_digest(run=paths.RUN), made=paths.RUN_MADE),
    minutes=20,
    per_input=30,
    constraints=dict(
        questions=one_of(retrieval.sharded_sets()),
        retriever=one_of(retrieval.in_shards),
    ),
)


# Where a corpus has shards, a search of the whole would be one of the same output.
ruleorder: merge_shards > search


job_rule(
    "build_index",
    dict(
        **digested(corpus=paths.CORPUS, passages=retrieval.passages),
        documents=ancient(retrieval.vector_files["documents"]),
        documents_info=retrieval.vector_files["documents_info"],
    ),
    dict(**with_digest(index=paths.INDEX), made=paths.INDEX_MADE),
    minutes=240,
    per_input=10,
    constraints=dict(retriever=one_of(retrieval.indexed)),
    settings=retrieval.index_settings,
)

job_rule(
    "certify_index",
    dict(
        **digested(
            **judged,
            passages=retrieval.passages,
            index=retrieval.index(paths.INDEX),
        ),
        **retrieval.vectors(),
        made=ancient(retrieval.index(paths.INDEX_MADE)),
    ),
    paths.CERTIFICATE,
    minutes=60,
    per_input=6,
    constraints=dict(retriever=one_of(retrieval.indexed)),
    settings=retrieval.certify_settings,
)

job_rule(
    "summarise_indexes",
    dict(results=retrieval.certificates),
    paths.SUMMARY_INDEXES,
    local=True,
    settings=retrieval.summarise_indexes_settings,
)

# Runs of training questions → weights of fusions, and what each weight reaches on every question set.
if retrieval.tuned:

    job_rule(
        "weigh",
        digested(**judged, runs=retrieval.runs_of_parts),
        with_digest(weighed=paths.WEIGHED),
        minutes=60,
        per_input=40,
        constraints=dict(retriever=one_of(retrieval.tuned)),
        settings=retrieval.weigh_settings,
    )

    job_rule(
        "choose_weights",
        dict(
            **digested(
                weighed=retrieval.tuning(paths.WEIGHED),
                questions=retrieval.tuning(paths.QUESTIONS),
                judgements=retrieval.tuning(paths.JUDGEMENTS),
            )
        ),
        with_digest(chosen=paths.CHOSEN_WEIGHTS),
        per_input=10,
        constraints=dict(retriever=one_of(retrieval.tuned)),
        settings=retrieval.choice_settings,
    )

    job_rule(
        "summarise_weights",
        digested(weighed=retrieval.weighed, chosen=retrieval.choices),
        paths.SUMMARY_WEIGHTS,
        per_input=10,
        settings=retrieval.weights_summary_settings,
    )

# Runs → documents that are given as answers, what they are worth, and files for leaderboards.
if retrieval.decisions:

    job_rule(
        "decide",
        dict(
            **digested(
                **judged,
                run=paths.RUN,
                training_corpora=retrieval.decision_training(paths.CORPUS),
                training_questions=retrieval.decision_training(paths.QUESTIONS),
                training_judgements=retrieval.decision_training(paths.JUDGEMENTS),
                training_runs=retrieval.decision_training(paths.RUN),
            )
        ),
        with_digest(decided=paths.DECIDED),
        minutes=20,
        per_input=dict(corpus=4, run=30, training_corpora=4, training_runs=30),
        settings=retrieval.decide_settings,
    )

    job_rule(
        "evaluate_decisions",
        dict(
            **digested(
                decided=retrieval.decided_on,
                questions=paths.QUESTIONS,
                judgements=paths.JUDGEMENTS,
            )
        ),
        dict(scores=paths.DECISIONS, rows=paths.DECISION_ROWS),
        minutes=20,
        per_input=20,
        settings=retrieval.decision_settings,
    )

    job_rule(
        "compare_decisions",
        dict(
            also=retrieval.decision_scores(),
            rows=ancient(retrieval.decision_scores(paths.DECISION_ROWS)),
        ),
        paths.DECISION_PAIRS,
        minutes=60,
        per_input=20,
        settings=retrieval.decision_comparison_settings,
    )

    job_rule(
        "summarise_decisions",
        dict(results=retrieval.decision_scores()),
        paths.SUMMARY_DECISIONS,
        local=True,
        settings=retrieval.decision_summary_settings,
    )

    job_rule(
        "export_submissions",
        digested(decided=retrieval.decided_on, questions=paths.QUESTIONS),
        retrieval.submissions_of_set(),
        local=True,
    )

# What runs are worth: measures, tests, summaries.


job_rule(
    "evaluate",
    dict(
        **digested(**judged, runs=retrieval.of_shown(paths.RUN)), leaks=retrieval.leaks
    ),
    dict(
        scores=retrieval.by_questions(paths.RETRIEVAL),
        rows=retrieval.by_questions(paths.RETRIEVAL_ROWS),
    ),
    minutes=30 + 5 * len(retrieval.shown),
    per_input=dict(corpus=4, questions=30, judgements=30),
    per_largest=dict(runs=30),
    settings=retrieval.evaluate_settings,
)

job_rule(
    "compare_retrieval",
    dict(scores=retrieval.scores, rows=ancient(retrieval.rows)),
    dict(
        differences=paths.RETRIEVAL_PAIRS,
        document_differences=paths.RETRIEVAL_DOCUMENT_PAIRS,
        group_differences=paths.RETRIEVAL_GROUP_PAIRS,
        clusters=paths.RETRIEVAL_CLUSTERS,
        groups=paths.RETRIEVAL_GROUPS,
        seeds=paths.RETRIEVAL_SEEDS,
    ),
    minutes=60,
    per_input=20,
    settings=retrieval.comparison_settings,
)

job_rule(
    "hardest_questions",
    dict(
        also=retrieval.of_shown(paths.RETRIEVAL),
        **digested(**judged, runs=retrieval.of_shown(paths.RUN)),
        rows=ancient(retrieval.of_shown(paths.RETRIEVAL_ROWS)),
    ),
    paths.HARD_QUESTIONS,
    minutes=20,
    per_input=dict(corpus=4, runs=20, questions=20, judgements=20),
    settings=retrieval.hardest_settings,
)

job_rule(
    "summarise_retrieval",
    dict(
        results=retrieval.scores,
        rows=ancient(retrieval.rows),
        differences=paths.RETRIEVAL_PAIRS,
    ),
    dict(
        summary=paths.SUMMARY_RETRIEVAL,
        recall=paths.RECALL,
        gaps=paths.QUESTION_DIFFERENCES,
    ),
    minutes=20,
    per_input=20,
    settings=retrieval.summarise_settings,
)

job_rule(
    "summarise_stages",
    dict(
        summary=paths.SUMMARY_RETRIEVAL,
        differences=paths.RETRIEVAL_PAIRS,
        seeds=paths.RETRIEVAL_SEEDS,
    ),
    paths.SUMMARY_STAGES,
    local=True,
    settings=retrieval.stage_settings,
)

job_rule(
    "summarise_retrieval_costs",
    dict(
        also=retrieval.question_embeddings(paths.EMBEDDINGS_MADE),
        summary=paths.SUMMARY_RETRIEVAL,
        made=retrieval.run_costs(),
        embeddings=retrieval.question_embeddings(paths.EMBEDDINGS_INFO),
    ),
    paths.RETRIEVAL_COSTS,
    local=True,
    settings=retrieval.cost_settings,
)


rule explain:
    """The questions worth reading → the terms by which a retriever finds their documents, with their parts of the scores."""
    input:
        **digested(**judged, run=paths.RUN, **retrieval.explained_files),
        **retrieval.vectors(**retrieval.explained_vectors),
        hardest=paths.HARD_QUESTIONS,
        manifest=retrieval.manifest,
        model_files=ancient(retrieval.model_files),
    output:
        paths.SHARED_TERMS,
    wildcard_constraints:
        retriever=one_of(retrieval.of_kind("bm25", "sparse")),
    resources:
        **retrieval.search_requests(),
    params:
        code=code("explain"),
        env=retrieval.explain_versions,
        settings=retrieval.search_settings,
    shell:
        command("explain")


# Retrieval in the forms of other programs.


job_rule(
    "export_trec",
    dict(
        **digested(**judged, runs=retrieval.of_shown(paths.RUN)),
        benchmarks=ancient(retrieval.exported.benchmarks),
        versions=paths.RECORD_VERSIONS,
    ),
    dict(files=retrieval.exported.runs(), qrels=paths.TREC_QRELS),
    per_input=dict(corpus=4, runs=30),
    local=True,
    settings=retrieval.exported.trec_settings,
)

job_rule(
    "export_mteb_retrieval",
    dict(
        **digested(
            corpora=retrieval.exported.of_sets(paths.CORPUS),
            questions=retrieval.exported.of_sets(paths.QUESTIONS),
            judgements=retrieval.exported.of_sets(paths.JUDGEMENTS),
        ),
        runs_digests=retrieval.exported.mteb_runs(paths.digest(paths.RUN)),
        runs=ancient(retrieval.exported.mteb_runs(paths.RUN)),
        manifests=retrieval.exported.manifests(),
        versions=paths.RECORD_VERSIONS,
    ),
    retrieval.exported.mteb_files(),
    minutes=60,
    per_input=dict(corpora=4, questions=30, judgements=30, runs=30),
    local=True,
    settings=retrieval.exported.mteb_settings,
)

job_rule(
    "export_law_files",
    digested(corpus=paths.CORPUS, questions=retrieval.exported.law_questions),
    dict(
        text=paths.LAW_TEXT,
        dictionary=paths.LAW_DICTIONARY,
        articles=paths.LAW_ARTICLES,
    ),
    per_input=12,
    local=True,
    constraints=dict(corpus=one_of(retrieval.exported.law_corpora)),
)
