"""What retrievers find."""


rule search_terms:
    """The terms of documents and questions → what BM25 ranks first."""
    input:
        retrieval.of_corpus(paths.CORPUS_DIGEST),
        paths.QUESTIONS_DIGEST,
        paths.JUDGEMENTS_DIGEST,
        retrieval.terms(paths.TERMS_DIGEST),
        retrieval.counts(paths.TERM_COUNTS_DIGEST),
        corpus=ancient(retrieval.of_corpus(paths.CORPUS)),
        questions=ancient(paths.QUESTIONS),
        judgements=ancient(paths.JUDGEMENTS),
        terms=ancient(retrieval.terms(paths.TERMS)),
        counts=ancient(retrieval.counts(paths.TERM_COUNTS)),
    output:
        run=paths.RUN,
        digest=paths.RUN_DIGEST,
        made=paths.RUN_MADE,
    log:
        paths.log("search_terms", "{questions}/{retriever}"),
    benchmark:
        paths.benchmark("search_terms", "{questions}/{retriever}")
    wildcard_constraints:
        retriever=retrieval.named_in_parts("bm25"),
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(1000, 60, per_input=30),
    params:
        code=code("search_terms"),
        env=retrieval.bm25_versions,
        settings=retrieval.search_settings,
    shell:
        command("search_terms")


rule search_vectors:
    """The vectors of documents and questions by one encoder → the nearest documents, exactly."""
    input:
        retrieval.of_corpus(paths.CORPUS_DIGEST),
        paths.QUESTIONS_DIGEST,
        paths.JUDGEMENTS_DIGEST,
        retrieval.passages_digest,
        corpus=ancient(retrieval.of_corpus(paths.CORPUS)),
        questions=ancient(paths.QUESTIONS),
        judgements=ancient(paths.JUDGEMENTS),
        passages=ancient(retrieval.passages),
        # The description of the embeddings holds the checksums of both.
        documents=ancient(retrieval.document_vectors),
        documents_info=retrieval.document_info,
        asked=ancient(retrieval.question_vectors),
        asked_info=retrieval.question_info,
    output:
        run=paths.RUN,
        digest=paths.RUN_DIGEST,
        made=paths.RUN_MADE,
    log:
        paths.log("search_vectors", "{questions}/{retriever}"),
    benchmark:
        paths.benchmark("search_vectors", "{questions}/{retriever}")
    wildcard_constraints:
        retriever=retrieval.exact("dense"),
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(1000, 60, per_input=4),
    params:
        **job_params("search_vectors", settings=retrieval.search_settings),
    shell:
        command("search_vectors")


rule search_sparse:
    """The weights of the terms of documents and questions by one model → the documents of the greatest products, exactly; or these, ordered by vectors of terms."""
    input:
        retrieval.of_corpus(paths.CORPUS_DIGEST),
        paths.QUESTIONS_DIGEST,
        paths.JUDGEMENTS_DIGEST,
        retrieval.passages_digest,
        corpus=ancient(retrieval.of_corpus(paths.CORPUS)),
        questions=ancient(paths.QUESTIONS),
        judgements=ancient(paths.JUDGEMENTS),
        passages=ancient(retrieval.passages),
        # The description of the embeddings holds the checksums of both.
        documents=ancient(retrieval.document_vectors),
        documents_info=retrieval.document_info,
        asked=ancient(retrieval.question_vectors),
        asked_info=retrieval.question_info,
    output:
        run=paths.RUN,
        digest=paths.RUN_DIGEST,
        made=paths.RUN_MADE,
    log:
        paths.log("search_sparse", "{questions}/{retriever}"),
    benchmark:
        paths.benchmark("search_sparse", "{questions}/{retriever}")
    wildcard_constraints:
        retriever=retrieval.exact("sparse"),
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(1000, 60, per_input=6),
    params:
        **job_params("search_sparse", settings=retrieval.search_settings),
    shell:
        command("search_sparse")


rule merge_shards:
    """What a retriever found in each shard of a corpus → what it found in the whole."""
    input:
        paths.QUESTIONS_DIGEST,
        retrieval.runs_of_shards(paths.RUN_DIGEST),
        questions=ancient(paths.QUESTIONS),
        runs=ancient(retrieval.runs_of_shards(paths.RUN)),
        made=ancient(retrieval.runs_of_shards(paths.RUN_MADE)),
    output:
        run=paths.RUN,
        digest=paths.RUN_DIGEST,
        made=paths.RUN_MADE,
    log:
        paths.log("merge_shards", "{questions}/{retriever}"),
    benchmark:
        paths.benchmark("merge_shards", "{questions}/{retriever}")
    wildcard_constraints:
        questions=retrieval.sharded_sets(),
        retriever=retrieval.in_shards(),
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(2000, 20),
    params:
        **job_params("merge_shards"),
    shell:
        command("merge_shards")


# Where a corpus has shards, a search of the whole would be one of the same output.
ruleorder: merge_shards > search_terms
ruleorder: merge_shards > search_vectors
ruleorder: merge_shards > search_sparse


rule search_randomly:
    """Documents in random order."""
    input:
        retrieval.of_corpus(paths.CORPUS_DIGEST),
        paths.QUESTIONS_DIGEST,
        paths.JUDGEMENTS_DIGEST,
        corpus=ancient(retrieval.of_corpus(paths.CORPUS)),
        questions=ancient(paths.QUESTIONS),
        judgements=ancient(paths.JUDGEMENTS),
    output:
        run=paths.RUN,
        digest=paths.RUN_DIGEST,
        made=paths.RUN_MADE,
    log:
        paths.log("search_randomly", "{questions}/{retriever}"),
    benchmark:
        paths.benchmark("search_randomly", "{questions}/{retriever}")
    wildcard_constraints:
        retriever=retrieval.named("random"),
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(1000, 10),
    params:
        **job_params("search_randomly", settings=retrieval.search_settings),
    shell:
        command("search_randomly")


rule fuse:
    """Several runs on one question set → one."""
    input:
        retrieval.of_corpus(paths.CORPUS_DIGEST),
        paths.QUESTIONS_DIGEST,
        paths.JUDGEMENTS_DIGEST,
        retrieval.digests_of_parts,
        retrieval.chosen_weights(paths.CHOSEN_WEIGHTS_DIGEST),
        corpus=ancient(retrieval.of_corpus(paths.CORPUS)),
        questions=ancient(paths.QUESTIONS),
        judgements=ancient(paths.JUDGEMENTS),
        runs=ancient(retrieval.runs_of_parts),
        chosen=ancient(retrieval.chosen_weights(paths.CHOSEN_WEIGHTS)),
    output:
        run=paths.RUN,
        digest=paths.RUN_DIGEST,
        made=paths.RUN_MADE,
    log:
        paths.log("fuse", "{questions}/{retriever}"),
    benchmark:
        paths.benchmark("fuse", "{questions}/{retriever}")
    wildcard_constraints:
        retriever=retrieval.named("fusion"),
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(1000, 20, per_input=30),
    params:
        **job_params("fuse", settings=retrieval.search_settings),
    shell:
        command("fuse")


rule rerank:
    """The first documents of a run → a new order, by a cross-encoder."""
    input:
        retrieval.of_corpus(paths.CORPUS_DIGEST),
        paths.QUESTIONS_DIGEST,
        paths.JUDGEMENTS_DIGEST,
        retrieval.passages_digest,
        retrieval.digests_of_parts,
        corpus=ancient(retrieval.of_corpus(paths.CORPUS)),
        questions=ancient(paths.QUESTIONS),
        judgements=ancient(paths.JUDGEMENTS),
        passages=ancient(retrieval.passages),
        base=ancient(retrieval.runs_of_parts),
        manifest=retrieval.manifest,
    output:
        run=paths.RUN,
        digest=paths.RUN_DIGEST,
        made=paths.RUN_MADE,
    log:
        paths.log("rerank", "{questions}/{retriever}"),
    benchmark:
        paths.benchmark("rerank", "{questions}/{retriever}")
    wildcard_constraints:
        retriever=retrieval.named("rerank"),
    conda:
        "../../../envs/sentflow.yaml"
    threads: retrieval.reranking_threads
    resources:
        **asks(4000, 240, per_input=30),
        device=retrieval.reranking_device,
    params:
        code=retrieval.reranking_code,
        env=retrieval.reranking_versions,
        settings=retrieval.search_settings,
    shell:
        command("rerank")


rule read_run:
    """The run of another engine → the same, checked, with our rule for ties."""
    input:
        retrieval.of_corpus(paths.CORPUS_DIGEST),
        paths.QUESTIONS_DIGEST,
        paths.JUDGEMENTS_DIGEST,
        trec=retrieval.run_file,
        corpus=ancient(retrieval.of_corpus(paths.CORPUS)),
        questions=ancient(paths.QUESTIONS),
        judgements=ancient(paths.JUDGEMENTS),
    output:
        run=paths.RUN,
        digest=paths.RUN_DIGEST,
        made=paths.RUN_MADE,
    log:
        paths.log("read_run", "{questions}/{retriever}"),
    benchmark:
        paths.benchmark("read_run", "{questions}/{retriever}")
    wildcard_constraints:
        retriever=retrieval.named("run"),
    localrule: True
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(2000, 20),
    params:
        **job_params("read_run", settings=retrieval.search_settings),
    shell:
        command("read_run")
