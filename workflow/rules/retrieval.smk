"""Corpora and questions → runs of retrievers → measures, tests between retrievers, their summary."""

retrieval = targets.families["retrieval"]
# What is searched, by what, and which documents are relevant.
judged = dict(
    corpus=retrieval.corpus, questions=paths.QUESTIONS, judgements=paths.JUDGEMENTS
)


# Corpora, their shards, questions, passages and terms.


rule prepare_corpus:
    """The raw files of a corpus → its documents."""
    input:
        raw=retrieval.corpus_files.raw,
    output:
        **with_digest(table=paths.CORPUS),
    wildcard_constraints:
        corpus=one_of(retrieval.prepared_corpora),
    resources:
        **asks("prepare_corpus", 20, per_input=12),
        checks=retrieval.corpus_files.checks,
        limits=targets.limits,
    params:
        **job_params("prepare_corpus", settings=retrieval.corpus_files.settings),
    shell:
        command("prepare_corpus")


rule shard_corpus:
    """The documents of a corpus → those of one of its shards."""
    input:
        **digested(whole=retrieval.whole_corpus),
    output:
        **with_digest(table=paths.CORPUS),
    wildcard_constraints:
        corpus=one_of(retrieval.shards()),
    resources:
        **asks("shard_corpus", 20, per_input=12),
    params:
        **job_params("shard_corpus"),
    shell:
        command("shard_corpus")


rule prepare_questions:
    """The raw files of a question set → its questions and their judgements, which fit the corpus."""
    input:
        **digested(corpus=retrieval.corpus),
        raw=retrieval.question_files.raw,
    output:
        **with_digest(table=paths.QUESTIONS),
        judgements=paths.JUDGEMENTS,
        judgements_digest=paths.digest(paths.JUDGEMENTS),
    resources:
        **asks("prepare_questions", 20, per_input=12),
        checks=retrieval.question_files.checks,
        limits=targets.limits,
    params:
        **job_params("prepare_questions", settings=retrieval.question_files.settings),
    shell:
        command("prepare_questions")


rule audit_questions:
    """Questions, judgements and documents → what occurs twice, and which questions are known from training."""
    input:
        **digested(
            **judged,
            training_corpora=retrieval.training(paths.CORPUS),
            training_questions=retrieval.training(paths.QUESTIONS),
            training_judgements=retrieval.training(paths.JUDGEMENTS),
        ),
    output:
        paths.QUESTION_AUDIT,
    resources:
        **asks("audit_questions", 20, per_input=30),
    params:
        **job_params("audit_questions"),
    shell:
        command("audit_questions")


rule split_passages:
    """The documents of a corpus → passages."""
    input:
        **digested(corpus=paths.CORPUS),
    output:
        **with_digest(table=paths.PASSAGES),
    wildcard_constraints:
        passages=one_of(retrieval.cuts(by_tokens=False)),
    resources:
        **asks("split_passages", 20, per_input=12),
    params:
        **job_params("split_passages", settings=retrieval.passage_settings),
    shell:
        command("split_passages")


rule split_tokens:
    """The documents of a corpus → passages of so many tokens of an encoder."""
    input:
        **digested(corpus=paths.CORPUS),
        # It holds the checksums of the tokenizer's files.
        manifest=retrieval.model_of_cut,
    output:
        **with_digest(table=paths.PASSAGES),
    wildcard_constraints:
        passages=one_of(retrieval.cuts(by_tokens=True)),
    resources:
        **asks("split_tokens", 60, per_input=12),
    params:
        **job_params("split_tokens", settings=retrieval.passage_settings),
    shell:
        command("split_tokens")


rule analyse:
    """The documents of a corpus → their terms by one analyser."""
    input:
        **digested(corpus=paths.CORPUS),
    output:
        **with_digest(table=paths.TERMS),
    resources:
        **asks("analyse", 60, per_input=20),
    params:
        code=code("analyse"),
        env=retrieval.analyser_versions,
        settings=retrieval.analyser_settings,
    shell:
        command("analyse")


rule count_terms:
    """The terms of the shards of a corpus → in how many documents of the whole each of them is."""
    input:
        **digested(terms=retrieval.terms_of_shards),
    output:
        **with_digest(table=paths.TERM_COUNTS),
    wildcard_constraints:
        corpus=one_of(retrieval.prepared_corpora),
    resources:
        **asks("count_terms", 60, per_input=20),
    params:
        **job_params("count_terms"),
    shell:
        command("count_terms")


# What retrievers find, in shards of a corpus or in the whole, and what approximate indexes lose and save.


rule search:
    """What a retriever finds for the questions of a set; it has the inputs that its kind needs."""
    input:
        **digested(**judged, **retrieval.search_files),
        **retrieval.vectors(),
        manifest=retrieval.cross_encoder,
        trec=retrieval.run_file,
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


rule merge_shards:
    """What a retriever found in each shard of a corpus → what it found in the whole."""
    input:
        **digested(questions=paths.QUESTIONS, runs=retrieval.runs_of_shards(paths.RUN)),
        made=ancient(retrieval.runs_of_shards(paths.RUN_MADE)),
    output:
        **with_digest(run=paths.RUN),
        made=paths.RUN_MADE,
    wildcard_constraints:
        questions=one_of(retrieval.sharded_sets()),
        retriever=one_of(retrieval.in_shards),
    resources:
        **asks("merge_shards", 20, per_input=30),
    params:
        **job_params("merge_shards"),
    shell:
        command("merge_shards")


# Where a corpus has shards, a search of the whole would be one of the same output.
ruleorder: merge_shards > search


rule build_index:
    """The vectors of the documents of a corpus → an index of them."""
    input:
        **digested(corpus=paths.CORPUS, passages=retrieval.passages),
        documents=ancient(retrieval.vector_files["documents"]),
        documents_info=retrieval.vector_files["documents_info"],
    output:
        **with_digest(index=paths.INDEX),
        made=paths.INDEX_MADE,
    wildcard_constraints:
        retriever=one_of(retrieval.indexed),
    resources:
        **asks("build_index", 240, per_input=10),
    params:
        **job_params("build_index", settings=retrieval.index_settings),
    shell:
        command("build_index")


rule certify_index:
    """An approximate index beside the exact search of the same vectors."""
    input:
        **digested(
            **judged,
            passages=retrieval.passages,
            index=retrieval.index(paths.INDEX),
        ),
        **retrieval.vectors(),
        made=ancient(retrieval.index(paths.INDEX_MADE)),
    output:
        paths.CERTIFICATE,
    wildcard_constraints:
        retriever=one_of(retrieval.indexed),
    resources:
        **asks("certify_index", 60, per_input=6),
    params:
        **job_params("certify_index", settings=retrieval.certify_settings),
    shell:
        command("certify_index")


rule summarise_indexes:
    """What approximate indexes cost and save → one table of rows."""
    input:
        results=retrieval.certificates,
    output:
        paths.SUMMARY_INDEXES,
    localrule: True
    resources:
        **asks("summarise_indexes", 10),
    params:
        **job_params("summarise_indexes", settings=retrieval.summarise_indexes_settings),
    shell:
        command("summarise_indexes")


# Runs of training questions → weights of fusions, and what each weight reaches on every question set.
if retrieval.tuned:

    rule weigh:
        """The runs of a question set and its judgements → what each weight of their fusion reaches."""
        input:
            **digested(**judged, runs=retrieval.runs_of_parts),
        output:
            **with_digest(weighed=paths.WEIGHED),
        wildcard_constraints:
            retriever=one_of(retrieval.tuned),
        resources:
            **asks("weigh", 60, per_input=40),
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
            **asks("choose_weights", 10, per_input=10),
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
            **asks("summarise_weights", 10, per_input=10),
        params:
            **job_params(
                "summarise_weights", settings=retrieval.weights_summary_settings
            ),
        shell:
            command("summarise_weights")


# Runs → documents that are given as answers, what they are worth, and files for leaderboards.
if retrieval.decisions:

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
            **asks("decide", 20, per_input=30),
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
            **asks("evaluate_decisions", 20, per_input=20),
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
            **asks("compare_decisions", 60, per_input=20),
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
            **asks("summarise_decisions", 10),
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
            **asks("export_submissions", 10),
        params:
            **job_params("export_submissions"),
        shell:
            command("export_submissions")


# What runs are worth: measures, tests, summaries.


rule evaluate:
    """A run and the judgements → measures per question, their means and intervals."""
    input:
        **digested(**judged, run=paths.RUN),
        leaks=retrieval.leaks,
    output:
        scores=paths.RETRIEVAL,
        rows=paths.RETRIEVAL_ROWS,
    resources:
        **asks("evaluate", 20, per_input=30),
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
        **asks("compare_retrieval", 60, per_input=20),
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
        **asks("hardest_questions", 20, per_input=20),
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
        **asks("summarise_retrieval", 10),
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
        **asks("summarise_stages", 10),
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
        **asks("summarise_questions", 20, per_input=20),
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
        **asks("summarise_retrieval_costs", 10),
    params:
        **job_params("summarise_retrieval_costs", settings=retrieval.cost_settings),
    shell:
        command("summarise_retrieval_costs")


rule explain:
    """The questions worth reading → the terms by which a retriever finds their documents, with their parts of the scores."""
    input:
        **digested(**judged, run=paths.RUN, **retrieval.explained_files),
        **retrieval.vectors(**retrieval.explained_vectors),
        hardest=paths.HARD_QUESTIONS,
        manifest=retrieval.manifest,
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


rule export_trec:
    """The runs on a question set and its judgements, in TREC's form."""
    input:
        **digested(**judged, runs=retrieval.of_shown(paths.RUN)),
        versions=paths.RECORD_VERSIONS,
    output:
        files=retrieval.exported.runs(),
        qrels=paths.TREC_QRELS,
    localrule: True
    resources:
        **asks("export_trec", 10, per_input=30),
        benchmarks=retrieval.exported.benchmarks,
    params:
        **job_params("export_trec", settings=retrieval.exported.trec_settings),
    shell:
        command("export_trec")


rule export_mteb_retrieval:
    """What dense retrievers found, as MTEB's result files."""
    input:
        **digested(
            corpora=retrieval.exported.of_sets(paths.CORPUS),
            questions=retrieval.exported.of_sets(paths.QUESTIONS),
            judgements=retrieval.exported.of_sets(paths.JUDGEMENTS),
        ),
        runs_digests=retrieval.exported.mteb_runs(paths.digest(paths.RUN)),
        runs=ancient(retrieval.exported.mteb_runs(paths.RUN)),
        manifests=retrieval.exported.manifests(),
        versions=paths.RECORD_VERSIONS,
    output:
        retrieval.exported.mteb_files(),
    localrule: True
    resources:
        **asks("export_mteb_retrieval", 60, per_input=30),
    params:
        **job_params("export_mteb_retrieval", settings=retrieval.exported.mteb_settings),
    shell:
        command("export_mteb_retrieval")


rule export_law_files:
    """A corpus of laws and questions → the intermediate files of the published Zalo system."""
    input:
        **digested(corpus=paths.CORPUS, questions=retrieval.exported.law_questions),
    output:
        text=paths.LAW_TEXT,
        dictionary=paths.LAW_DICTIONARY,
        articles=paths.LAW_ARTICLES,
    wildcard_constraints:
        corpus=one_of(retrieval.exported.law_corpora),
    localrule: True
    resources:
        **asks("export_law_files", 10, per_input=12),
    params:
        **job_params("export_law_files"),
    shell:
        command("export_law_files")
