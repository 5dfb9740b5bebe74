"""Approximate indexes, and what they lose and save."""


rule build_index:
    """The vectors of the documents of a corpus, dense or weights of terms → an index of them."""
    input:
        paths.CORPUS_DIGEST,
        retrieval.passages_digest,
        corpus=ancient(paths.CORPUS),
        passages=ancient(retrieval.passages),
        documents=ancient(retrieval.document_vectors),
        documents_info=retrieval.document_info,
    output:
        index=paths.INDEX,
        digest=paths.INDEX_DIGEST,
        made=paths.INDEX_MADE,
    log:
        paths.log("build_index", "{corpus}/{retriever}"),
    benchmark:
        paths.benchmark("build_index", "{corpus}/{retriever}")
    wildcard_constraints:
        retriever=retrieval.indexed(),
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(1000, 240, per_input=10),
    params:
        code=retrieval.index_code("build_index"),
        env=retrieval.index_versions(),
        settings=retrieval.index_settings,
    shell:
        command("build_index")


rule search_index:
    """The vectors of documents and questions by one encoder and an index → documents that are near."""
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
        index_digest=retrieval.of_index(paths.INDEX_DIGEST),
        index=ancient(retrieval.of_index(paths.INDEX)),
    output:
        run=paths.RUN,
        digest=paths.RUN_DIGEST,
        made=paths.RUN_MADE,
    log:
        paths.log("search_index", "{questions}/{retriever}"),
    benchmark:
        paths.benchmark("search_index", "{questions}/{retriever}")
    wildcard_constraints:
        retriever=retrieval.indexed(),
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(1000, 60, per_input=6),
    params:
        code=retrieval.index_code("search_index"),
        env=retrieval.index_versions(),
        settings=retrieval.search_settings,
    shell:
        command("search_index")


rule certify_index:
    """An approximate index beside the exact search of the same vectors."""
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
        index_digest=retrieval.of_index(paths.INDEX_DIGEST),
        made=ancient(retrieval.of_index(paths.INDEX_MADE)),
        index=ancient(retrieval.of_index(paths.INDEX)),
    output:
        paths.CERTIFICATE,
    log:
        paths.log("certify_index", "{questions}/{retriever}"),
    benchmark:
        paths.benchmark("certify_index", "{questions}/{retriever}")
    wildcard_constraints:
        retriever=retrieval.indexed(),
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(1000, 60, per_input=6),
    params:
        code=retrieval.index_code("certify_index"),
        env=retrieval.index_versions("ir-measures", "scipy"),
        settings=retrieval.certify_settings,
    shell:
        command("certify_index")


rule summarise_indexes:
    """What approximate indexes cost and save → one table of rows."""
    input:
        results=retrieval.certificates(),
    output:
        paths.SUMMARY_INDEXES,
    log:
        paths.log("summarise_indexes"),
    benchmark:
        paths.benchmark("summarise_indexes")
    localrule: True
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(1000, 10),
    params:
        **job_params("summarise_indexes", settings=retrieval.summarise_indexes_settings),
    shell:
        command("summarise_indexes")
