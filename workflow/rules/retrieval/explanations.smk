"""Which terms found the documents of the questions worth reading."""


rule explain_terms:
    """The questions worth reading → the terms by which BM25 finds their documents, with their parts of the scores."""
    input:
        retrieval.of_corpus(paths.CORPUS_DIGEST),
        paths.QUESTIONS_DIGEST,
        paths.JUDGEMENTS_DIGEST,
        paths.RUN_DIGEST,
        retrieval.of_searches(retrieval.terms(paths.TERMS_DIGEST)),
        retrieval.of_searches(retrieval.counts(paths.TERM_COUNTS_DIGEST)),
        corpus=ancient(retrieval.of_corpus(paths.CORPUS)),
        questions=ancient(paths.QUESTIONS),
        judgements=ancient(paths.JUDGEMENTS),
        hardest=paths.HARD_QUESTIONS,
        run=ancient(paths.RUN),
        terms=ancient(retrieval.of_searches(retrieval.terms(paths.TERMS))),
        counts=ancient(retrieval.of_searches(retrieval.counts(paths.TERM_COUNTS))),
    output:
        paths.SHARED_TERMS,
    log:
        paths.log("explain_terms", "{questions}/{retriever}"),
    benchmark:
        paths.benchmark("explain_terms", "{questions}/{retriever}")
    wildcard_constraints:
        retriever=retrieval.named("bm25"),
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(1000, 60, per_input=30),
    params:
        code=code("explain_terms"),
        env=retrieval.bm25_versions,
        settings=retrieval.search_settings,
    shell:
        command("explain_terms")


rule explain_sparse:
    """The same of the weights of a sparse search; the tokenizer of the model names the terms."""
    input:
        retrieval.of_corpus(paths.CORPUS_DIGEST),
        paths.QUESTIONS_DIGEST,
        paths.JUDGEMENTS_DIGEST,
        paths.RUN_DIGEST,
        retrieval.of_searches(retrieval.passages_digest),
        corpus=ancient(retrieval.of_corpus(paths.CORPUS)),
        questions=ancient(paths.QUESTIONS),
        judgements=ancient(paths.JUDGEMENTS),
        hardest=paths.HARD_QUESTIONS,
        run=ancient(paths.RUN),
        passages=ancient(retrieval.of_searches(retrieval.passages)),
        # The description of the embeddings holds the checksums of both.
        documents=ancient(retrieval.of_searches(retrieval.document_vectors)),
        documents_info=retrieval.of_searches(retrieval.document_info),
        asked=ancient(retrieval.question_vectors),
        asked_info=retrieval.question_info,
        manifest=retrieval.manifest,
    output:
        paths.SHARED_TERMS,
    log:
        paths.log("explain_sparse", "{questions}/{retriever}"),
    benchmark:
        paths.benchmark("explain_sparse", "{questions}/{retriever}")
    wildcard_constraints:
        retriever=retrieval.named("sparse"),
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(2000, 60, per_input=6),
    params:
        **job_params("explain_sparse", settings=retrieval.search_settings),
    shell:
        command("explain_sparse")
