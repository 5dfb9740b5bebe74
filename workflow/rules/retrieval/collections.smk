"""Corpora, their shards, questions, passages and terms."""


rule prepare_corpus:
    """The raw files of a corpus → its documents."""
    input:
        raw=retrieval.raw_files_of_corpus,
    output:
        **with_digest(table=paths.CORPUS),
    wildcard_constraints:
        corpus=one_of(retrieval.prepared_corpora),
    resources:
        **asks(1000, 20, per_input=12),
        checks=retrieval.corpus_checks,
        limits=targets.limits,
    params:
        **job_params("prepare_corpus", settings=retrieval.corpus_settings),
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
        **asks(4000, 20),
    params:
        **job_params("shard_corpus"),
    shell:
        command("shard_corpus")


rule prepare_questions:
    """The raw files of a question set → its questions and their judgements, which fit the corpus."""
    input:
        **digested(corpus=retrieval.corpus),
        raw=retrieval.raw_files_of_questions,
    output:
        **with_digest(table=paths.QUESTIONS),
        judgements=paths.JUDGEMENTS,
        judgements_digest=paths.digest(paths.JUDGEMENTS),
    resources:
        **asks(1000, 20, per_input=12),
        checks=retrieval.question_checks,
        limits=targets.limits,
    params:
        **job_params("prepare_questions", settings=retrieval.question_settings),
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
        **asks(1000, 20, per_input=30),
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
        **asks(1000, 20, per_input=12),
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
        **asks(2000, 60, per_input=12),
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
        **asks(1000, 60, per_input=20),
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
        **asks(4000, 60),
    params:
        **job_params("count_terms"),
    shell:
        command("count_terms")
