"""What retrievers find, in shards of a corpus or in the whole, and what approximate indexes lose and save."""


rule search:
    """What a retriever finds for the questions of a set; it has the inputs that its kind needs."""
    input:
        **digested(
            **judged,
            terms=retrieval.terms,
            counts=retrieval.counts,
            passages=retrieval.passages,
            index=retrieval.index(paths.INDEX),
            runs=retrieval.runs_of_parts,
            weights=retrieval.chosen_weights,
        ),
        # The description of the embeddings holds the checksums of both.
        documents=ancient(retrieval.document_vectors),
        documents_info=retrieval.document_info,
        queries=ancient(retrieval.question_vectors),
        queries_info=retrieval.question_info,
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
        **asks(2000, 20),
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
        documents=ancient(retrieval.document_vectors),
        documents_info=retrieval.document_info,
    output:
        **with_digest(index=paths.INDEX),
        made=paths.INDEX_MADE,
    wildcard_constraints:
        retriever=one_of(retrieval.indexed),
    resources:
        **asks(1000, 240, per_input=10),
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
        # The description of the embeddings holds the checksums of both.
        documents=ancient(retrieval.document_vectors),
        documents_info=retrieval.document_info,
        queries=ancient(retrieval.question_vectors),
        queries_info=retrieval.question_info,
        made=ancient(retrieval.index(paths.INDEX_MADE)),
    output:
        paths.CERTIFICATE,
    wildcard_constraints:
        retriever=one_of(retrieval.indexed),
    resources:
        **asks(1000, 60, per_input=6),
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
        **asks(1000, 10),
    params:
        **job_params("summarise_indexes", settings=retrieval.summarise_indexes_settings),
    shell:
        command("summarise_indexes")
