"""Corpora and questions → runs of retrievers → measures, tests between retrievers, their summary."""

retrieval = targets.families["retrieval"]


rule prepare_corpus:
    """The raw files of a corpus → its documents."""
    input:
        retrieval.raw_files_of_corpus,
    output:
        table=paths.CORPUS,
        digest=paths.CORPUS_DIGEST,
    log:
        paths.log("prepare_corpus", "{corpus}"),
    benchmark:
        paths.benchmark("prepare_corpus", "{corpus}")
    wildcard_constraints:
        corpus=retrieval.whole_corpora(),
    conda:
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000, per_input=12),
        runtime=minutes(20),
        checks=retrieval.corpus_checks,
        limits=targets.limits(),
    params:
        code=code("sentflow.commands.prepare_corpus"),
        settings=retrieval.corpus_settings,
    shell:
        "python -m sentflow.commands.prepare_corpus --corpus {wildcards.corpus:q} --raw {input:q}"
        " --settings {params.settings:q} --checks {resources.checks:q}"
        " --limits {resources.limits:q} --output {output.table:q} > {log:q} 2>&1"


rule shard_corpus:
    """The documents of a corpus → those of one of its shards."""
    input:
        retrieval.whole(paths.CORPUS_DIGEST),
        corpus=ancient(retrieval.whole(paths.CORPUS)),
    output:
        table=paths.CORPUS,
        digest=paths.CORPUS_DIGEST,
    log:
        paths.log("shard_corpus", "{corpus}"),
    benchmark:
        paths.benchmark("shard_corpus", "{corpus}")
    wildcard_constraints:
        corpus=retrieval.shards(),
    conda:
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(4000),
        runtime=minutes(20),
    params:
        code=code("sentflow.commands.shard_corpus"),
    shell:
        "python -m sentflow.commands.shard_corpus --corpus {input.corpus:q} --shard {wildcards.corpus:q}"
        " --output {output.table:q} > {log:q} 2>&1"


rule prepare_questions:
    """The raw files of a question set → its questions and their judgements, which fit the corpus."""
    input:
        retrieval.of_corpus(paths.CORPUS_DIGEST),
        raw=retrieval.raw_files_of_questions,
        corpus=ancient(retrieval.of_corpus(paths.CORPUS)),
    output:
        questions=paths.QUESTIONS,
        questions_digest=paths.QUESTIONS_DIGEST,
        judgements=paths.JUDGEMENTS,
        judgements_digest=paths.JUDGEMENTS_DIGEST,
    log:
        paths.log("prepare_questions", "{questions}"),
    benchmark:
        paths.benchmark("prepare_questions", "{questions}")
    conda:
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000, per_input=12),
        runtime=minutes(20),
        checks=retrieval.question_checks,
        limits=targets.limits(),
    params:
        code=code("sentflow.commands.prepare_questions"),
        settings=retrieval.question_settings,
    shell:
        "python -m sentflow.commands.prepare_questions --questions {wildcards.questions:q} --raw {input.raw:q}"
        " --corpus {input.corpus:q} --settings {params.settings:q} --checks {resources.checks:q}"
        " --limits {resources.limits:q} --output {output.questions:q} --judgements {output.judgements:q} > {log:q} 2>&1"


rule audit_questions:
    """Questions, judgements and documents → what occurs twice, and which questions are known from training."""
    input:
        retrieval.of_corpus(paths.CORPUS_DIGEST),
        paths.QUESTIONS_DIGEST,
        paths.JUDGEMENTS_DIGEST,
        retrieval.of_training_corpora(paths.CORPUS_DIGEST),
        retrieval.of_training(paths.QUESTIONS_DIGEST),
        retrieval.of_training(paths.JUDGEMENTS_DIGEST),
        corpus=ancient(retrieval.of_corpus(paths.CORPUS)),
        questions=ancient(paths.QUESTIONS),
        judgements=ancient(paths.JUDGEMENTS),
        training_corpora=ancient(retrieval.of_training_corpora(paths.CORPUS)),
        training_questions=ancient(retrieval.of_training(paths.QUESTIONS)),
        training_judgements=ancient(retrieval.of_training(paths.JUDGEMENTS)),
    output:
        paths.QUESTION_AUDIT,
    log:
        paths.log("audit_questions", "{questions}"),
    benchmark:
        paths.benchmark("audit_questions", "{questions}")
    conda:
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000, per_input=30),
        runtime=minutes(20),
    params:
        code=code("sentflow.commands.audit_questions"),
        env=versions("numpy"),
    shell:
        "python -m sentflow.commands.audit_questions --corpus {input.corpus:q} --questions {input.questions:q}"
        " --judgements {input.judgements:q} --training-corpora {input.training_corpora:q}"
        " --training-questions {input.training_questions:q} --training-judgements {input.training_judgements:q}"
        " --output {output:q} > {log:q} 2>&1"


rule split_passages:
    """The documents of a corpus → passages."""
    input:
        paths.CORPUS_DIGEST,
        corpus=ancient(paths.CORPUS),
    output:
        table=paths.PASSAGES,
        digest=paths.PASSAGES_DIGEST,
    log:
        paths.log("split_passages", "{corpus}/{passages}"),
    benchmark:
        paths.benchmark("split_passages", "{corpus}/{passages}")
    wildcard_constraints:
        passages=retrieval.cuts(by_tokens=False),
    conda:
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000, per_input=12),
        runtime=minutes(20),
    params:
        code=code("sentflow.commands.split_passages"),
        settings=retrieval.passage_settings,
    shell:
        "python -m sentflow.commands.split_passages --corpus {input.corpus:q} --passages {wildcards.passages:q}"
        " --settings {params.settings:q} --output {output.table:q} > {log:q} 2>&1"


rule split_tokens:
    """The documents of a corpus → passages of so many tokens of an encoder."""
    input:
        paths.CORPUS_DIGEST,
        # It holds the checksums of the tokenizer's files.
        manifest=retrieval.model_of_cut,
        corpus=ancient(paths.CORPUS),
    output:
        table=paths.PASSAGES,
        digest=paths.PASSAGES_DIGEST,
    log:
        paths.log("split_tokens", "{corpus}/{passages}"),
    benchmark:
        paths.benchmark("split_tokens", "{corpus}/{passages}")
    wildcard_constraints:
        passages=retrieval.cuts(by_tokens=True),
    conda:
        "../../envs/embed.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(2000, per_input=12),
        runtime=minutes(60),
    params:
        code=code("sentflow.commands.split_tokens"),
        env=versions("tokenizers", "transformers"),
        settings=retrieval.passage_settings,
    shell:
        "python -m sentflow.commands.split_tokens --corpus {input.corpus:q} --passages {wildcards.passages:q}"
        " --manifest {input.manifest:q} --settings {params.settings:q} --output {output.table:q} > {log:q} 2>&1"


rule analyse:
    """The documents of a corpus → their terms by one analyser."""
    input:
        paths.CORPUS_DIGEST,
        corpus=ancient(paths.CORPUS),
    output:
        table=paths.TERMS,
        digest=paths.TERMS_DIGEST,
    log:
        paths.log("analyse", "{corpus}/{analyser}"),
    benchmark:
        paths.benchmark("analyse", "{corpus}/{analyser}")
    conda:
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000, per_input=20),
        runtime=minutes(60),
    params:
        code=code("sentflow.commands.analyse"),
        env=retrieval.analyser_versions,
        settings=retrieval.analyser_settings,
    shell:
        "python -m sentflow.commands.analyse --corpus {input.corpus:q} --analyser {wildcards.analyser:q}"
        " --settings {params.settings:q} --output {output.table:q} > {log:q} 2>&1"


rule count_terms:
    """The terms of the shards of a corpus → in how many documents of the whole each of them is."""
    input:
        retrieval.terms_of_shards(paths.TERMS_DIGEST),
        terms=ancient(retrieval.terms_of_shards(paths.TERMS)),
    output:
        table=paths.TERM_COUNTS,
        digest=paths.TERM_COUNTS_DIGEST,
    log:
        paths.log("count_terms", "{corpus}/{analyser}"),
    benchmark:
        paths.benchmark("count_terms", "{corpus}/{analyser}")
    wildcard_constraints:
        corpus=retrieval.whole_corpora(),
    conda:
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(4000),
        runtime=minutes(60),
    params:
        code=code("sentflow.commands.count_terms"),
    shell:
        "python -m sentflow.commands.count_terms --terms {input.terms:q} --output {output.table:q} > {log:q} 2>&1"


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
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000, per_input=30),
        runtime=minutes(60),
    params:
        code=code("sentflow.commands.search_terms"),
        env=retrieval.bm25_versions,
        settings=retrieval.search_settings,
    shell:
        "python -m sentflow.commands.search_terms --corpus {input.corpus:q} --questions {input.questions:q}"
        " --judgements {input.judgements:q} --terms {input.terms:q} --counts {input.counts:q} --settings {params.settings:q}"
        " --output {output.run:q} > {log:q} 2>&1"


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
        retriever=retrieval.exact(),
    conda:
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000, per_input=4),
        runtime=minutes(60),
    params:
        code=code("sentflow.commands.search_vectors"),
        env=versions("numpy"),
        settings=retrieval.search_settings,
    shell:
        "python -m sentflow.commands.search_vectors --corpus {input.corpus:q} --questions {input.questions:q}"
        " --judgements {input.judgements:q} --document-vectors {input.documents:q} {input.documents_info:q}"
        " --question-vectors {input.asked:q} {input.asked_info:q} --passages {input.passages:q}"
        " --settings {params.settings:q} --output {output.run:q} > {log:q} 2>&1"


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
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(2000),
        runtime=minutes(20),
    params:
        code=code("sentflow.commands.merge_shards"),
    shell:
        "python -m sentflow.commands.merge_shards --runs {input.runs:q} --questions {input.questions:q}"
        " --output {output.run:q} > {log:q} 2>&1"


# Where a corpus has shards, a search of the whole would be one of the same output.
ruleorder: merge_shards > search_terms
ruleorder: merge_shards > search_vectors


rule build_index:
    """The vectors of the documents of a corpus → an index of them."""
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
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000, per_input=4),
        runtime=minutes(240),
    params:
        code=code("sentflow.commands.build_index"),
        env=versions("faiss-cpu", "numpy"),
        settings=retrieval.index_settings,
    shell:
        "python -m sentflow.commands.build_index --corpus {input.corpus:q} --passages {input.passages:q}"
        " --document-vectors {input.documents:q} {input.documents_info:q} --settings {params.settings:q}"
        " --output {output.index:q} --made {output.made:q} > {log:q} 2>&1"


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
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000, per_input=4),
        runtime=minutes(60),
    params:
        code=code("sentflow.commands.search_index"),
        env=versions("faiss-cpu", "numpy"),
        settings=retrieval.search_settings,
    shell:
        "python -m sentflow.commands.search_index --corpus {input.corpus:q} --questions {input.questions:q}"
        " --judgements {input.judgements:q} --document-vectors {input.documents:q} {input.documents_info:q}"
        " --question-vectors {input.asked:q} {input.asked_info:q} --passages {input.passages:q}"
        " --index {input.index:q} --settings {params.settings:q} --output {output.run:q} > {log:q} 2>&1"


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
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000, per_input=4),
        runtime=minutes(60),
    params:
        code=code("sentflow.commands.certify_index"),
        env=versions("faiss-cpu", "ir-measures", "numpy", "scipy"),
        settings=retrieval.certify_settings,
    shell:
        "python -m sentflow.commands.certify_index --corpus {input.corpus:q} --questions {input.questions:q}"
        " --judgements {input.judgements:q} --document-vectors {input.documents:q} {input.documents_info:q}"
        " --question-vectors {input.asked:q} {input.asked_info:q} --passages {input.passages:q}"
        " --index {input.index:q} --made {input.made:q} --settings {params.settings:q} --output {output:q} > {log:q} 2>&1"


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
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000),
        runtime=minutes(10),
    params:
        code=code("sentflow.commands.search_randomly"),
        env=versions("numpy"),
        settings=retrieval.search_settings,
    shell:
        "python -m sentflow.commands.search_randomly --corpus {input.corpus:q} --questions {input.questions:q}"
        " --judgements {input.judgements:q} --settings {params.settings:q} --output {output.run:q} > {log:q} 2>&1"


rule fuse:
    """Several runs on one question set → one."""
    input:
        retrieval.of_corpus(paths.CORPUS_DIGEST),
        paths.QUESTIONS_DIGEST,
        paths.JUDGEMENTS_DIGEST,
        retrieval.digests_of_parts,
        corpus=ancient(retrieval.of_corpus(paths.CORPUS)),
        questions=ancient(paths.QUESTIONS),
        judgements=ancient(paths.JUDGEMENTS),
        runs=ancient(retrieval.runs_of_parts),
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
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000, per_input=30),
        runtime=minutes(20),
    params:
        code=code("sentflow.commands.fuse"),
        env=versions("numpy"),
        settings=retrieval.search_settings,
    shell:
        "python -m sentflow.commands.fuse --corpus {input.corpus:q} --questions {input.questions:q}"
        " --judgements {input.judgements:q} --runs {input.runs:q} --settings {params.settings:q}"
        " --output {output.run:q} > {log:q} 2>&1"


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
        run=ancient(retrieval.runs_of_parts),
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
        "../../envs/embed.yaml"
    threads: retrieval.reranking_threads
    resources:
        mem_mb=memory_mb(4000, per_input=30),
        runtime=minutes(240),
        device=retrieval.reranking_device,
    params:
        code=retrieval.reranking_code,
        env=retrieval.reranking_versions,
        settings=retrieval.search_settings,
    shell:
        "python -m sentflow.commands.rerank --corpus {input.corpus:q} --questions {input.questions:q}"
        " --judgements {input.judgements:q} --run {input.run:q} --passages {input.passages:q}"
        " --manifest {input.manifest:q} --device {resources.device:q} --threads {threads}"
        " --settings {params.settings:q} --output {output.run:q} > {log:q} 2>&1"


rule read_run:
    """The run of another engine → the same, checked, with our rule for ties."""
    input:
        retrieval.of_corpus(paths.CORPUS_DIGEST),
        paths.QUESTIONS_DIGEST,
        paths.JUDGEMENTS_DIGEST,
        run=retrieval.run_file,
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
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(2000),
        runtime=minutes(20),
    params:
        code=code("sentflow.commands.read_run"),
        settings=retrieval.search_settings,
    shell:
        "python -m sentflow.commands.read_run --run {input.run:q} --corpus {input.corpus:q}"
        " --questions {input.questions:q} --judgements {input.judgements:q} --settings {params.settings:q}"
        " --output {output.run:q} > {log:q} 2>&1"


rule evaluate:
    """A run and the judgements → measures per question, their means and intervals."""
    input:
        retrieval.of_corpus(paths.CORPUS_DIGEST),
        paths.QUESTIONS_DIGEST,
        paths.JUDGEMENTS_DIGEST,
        paths.RUN_DIGEST,
        run=ancient(paths.RUN),
        corpus=ancient(retrieval.of_corpus(paths.CORPUS)),
        questions=ancient(paths.QUESTIONS),
        judgements=ancient(paths.JUDGEMENTS),
        leaks=retrieval.leaks,
    output:
        scores=paths.RETRIEVAL,
        rows=paths.RETRIEVAL_ROWS,
    log:
        paths.log("evaluate", "{questions}/{retriever}"),
    benchmark:
        paths.benchmark("evaluate", "{questions}/{retriever}")
    conda:
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000, per_input=30),
        runtime=minutes(20),
    params:
        code=code("sentflow.commands.evaluate"),
        env=versions("ir-measures", "pytrec-eval-terrier", "numpy"),
        settings=retrieval.evaluate_settings,
    shell:
        "python -m sentflow.commands.evaluate --run {input.run:q} --corpus {input.corpus:q}"
        " --questions {input.questions:q} --judgements {input.judgements:q} --leaks {input.leaks:q}"
        " --settings {params.settings:q} --output {output.scores:q} --rows {output.rows:q} > {log:q} 2>&1"


rule summarise_indexes:
    """What approximate indexes cost and save → one table of rows."""
    input:
        retrieval.certificates(),
    output:
        paths.SUMMARY_INDEXES,
    log:
        paths.log("summarise_indexes"),
    benchmark:
        paths.benchmark("summarise_indexes")
    localrule: True
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000),
        runtime=minutes(10),
    params:
        code=code("sentflow.commands.summarise_indexes"),
        settings=retrieval.summarise_indexes_settings,
    shell:
        "python -m sentflow.commands.summarise_indexes --results {input:q} --settings {params.settings:q}"
        " --output {output:q} > {log:q} 2>&1"


rule compare_retrieval:
    """The values of all retrievers per question → which differ: for new questions, new documents, groups, new seeds."""
    input:
        retrieval.scores(),
        rows=ancient(retrieval.rows()),
    output:
        differences=paths.RETRIEVAL_PAIRS,
        document_differences=paths.RETRIEVAL_DOCUMENT_PAIRS,
        group_differences=paths.RETRIEVAL_GROUP_PAIRS,
        clusters=paths.RETRIEVAL_CLUSTERS,
        groups=paths.RETRIEVAL_GROUPS,
        seeds=paths.RETRIEVAL_SEEDS,
    log:
        paths.log("compare_retrieval"),
    benchmark:
        paths.benchmark("compare_retrieval")
    conda:
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000, per_input=20),
        runtime=minutes(60),
    params:
        code=code("sentflow.commands.compare_retrieval"),
        env=versions("numpy", "scipy"),
        settings=retrieval.comparison_settings,
    shell:
        "python -m sentflow.commands.compare_retrieval --rows {input.rows:q} --settings {params.settings:q}"
        " --differences {output.differences:q} --document-differences {output.document_differences:q}"
        " --group-differences {output.group_differences:q} --clusters {output.clusters:q} --groups {output.groups:q}"
        " --seeds {output.seeds:q} > {log:q} 2>&1"


rule hardest_questions:
    """What all retrievers found → the questions that most of them fail on, and those on which two differ most."""
    input:
        retrieval.of_corpus(paths.CORPUS_DIGEST),
        paths.QUESTIONS_DIGEST,
        paths.JUDGEMENTS_DIGEST,
        retrieval.shown_run_digests,
        retrieval.shown_scores,
        corpus=ancient(retrieval.of_corpus(paths.CORPUS)),
        questions=ancient(paths.QUESTIONS),
        judgements=ancient(paths.JUDGEMENTS),
        runs=ancient(retrieval.shown_runs),
        rows=ancient(retrieval.shown_rows),
    output:
        paths.HARD_QUESTIONS,
    log:
        paths.log("hardest_questions", "{questions}"),
    benchmark:
        paths.benchmark("hardest_questions", "{questions}")
    conda:
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000, per_input=20),
        runtime=minutes(20),
    params:
        code=code("sentflow.commands.hardest_questions"),
        settings=retrieval.hardest_settings,
    shell:
        "python -m sentflow.commands.hardest_questions --corpus {input.corpus:q} --questions {input.questions:q}"
        " --judgements {input.judgements:q} --runs {input.runs:q} --rows {input.rows:q}"
        " --settings {params.settings:q} --output {output:q} > {log:q} 2>&1"


rule summarise_retrieval:
    """All results of retrieval → one table of rows."""
    input:
        retrieval.scores(),
    output:
        paths.SUMMARY_RETRIEVAL,
    log:
        paths.log("summarise_retrieval"),
    benchmark:
        paths.benchmark("summarise_retrieval")
    localrule: True
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000),
        runtime=minutes(10),
    params:
        code=code("sentflow.commands.summarise_retrieval"),
        settings=retrieval.summarise_settings,
    shell:
        "python -m sentflow.commands.summarise_retrieval --results {input:q} --settings {params.settings:q}"
        " --output {output:q} > {log:q} 2>&1"


rule summarise_questions:
    """The values of every question → curves of recall, and differences from the reference."""
    input:
        retrieval.scores(),
        rows=ancient(retrieval.rows()),
        differences=paths.RETRIEVAL_PAIRS,
    output:
        recall=paths.RECALL,
        gaps=paths.QUESTION_DIFFERENCES,
    log:
        paths.log("summarise_questions"),
    benchmark:
        paths.benchmark("summarise_questions")
    conda:
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000, per_input=20),
        runtime=minutes(20),
    params:
        code=code("sentflow.commands.summarise_questions"),
        env=versions("numpy"),
        settings=retrieval.question_summary_settings,
    shell:
        "python -m sentflow.commands.summarise_questions --rows {input.rows:q} --differences {input.differences:q}"
        " --settings {params.settings:q} --recall {output.recall:q} --gaps {output.gaps:q} > {log:q} 2>&1"


rule summarise_retrieval_costs:
    """What searches took and the size of what they searched. No score depends on it."""
    input:
        retrieval.question_embeddings(paths.EMBEDDINGS_MADE),
        summary=paths.SUMMARY_RETRIEVAL,
        made=retrieval.run_costs(),
        embeddings=retrieval.question_embeddings(paths.EMBEDDINGS_INFO),
    output:
        paths.RETRIEVAL_COSTS,
    log:
        paths.log("summarise_retrieval_costs"),
    benchmark:
        paths.benchmark("summarise_retrieval_costs")
    localrule: True
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000),
        runtime=minutes(10),
    params:
        code=code("sentflow.commands.summarise_retrieval_costs"),
        settings=retrieval.cost_settings,
    shell:
        "python -m sentflow.commands.summarise_retrieval_costs --summary {input.summary:q} --made {input.made:q}"
        " --embeddings {input.embeddings:q} --settings {params.settings:q} --output {output:q} > {log:q} 2>&1"


rule export_trec:
    """The runs on a question set and its judgements, in TREC's form."""
    input:
        retrieval.of_corpus(paths.CORPUS_DIGEST),
        paths.QUESTIONS_DIGEST,
        paths.JUDGEMENTS_DIGEST,
        retrieval.exported.run_digests,
        corpus=ancient(retrieval.of_corpus(paths.CORPUS)),
        questions=ancient(paths.QUESTIONS),
        judgements=ancient(paths.JUDGEMENTS),
        runs=ancient(retrieval.exported.run_tables),
        versions=paths.RECORD_VERSIONS,
    output:
        runs=retrieval.exported.runs(),
        qrels=paths.TREC_QRELS,
    log:
        paths.log("export_trec", "{questions}"),
    benchmark:
        paths.benchmark("export_trec", "{questions}")
    localrule: True
    conda:
        "../../envs/exports.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000, per_input=30),
        runtime=minutes(10),
        benchmarks=retrieval.exported.benchmarks,
    params:
        code=code("sentflow.commands.export_trec"),
        settings=retrieval.exported.trec_settings,
    shell:
        "python -m sentflow.commands.export_trec --corpus {input.corpus:q} --questions {input.questions:q}"
        " --judgements {input.judgements:q} --runs {input.runs:q} --versions {input.versions:q}"
        " --benchmarks {resources.benchmarks:q} --settings {params.settings:q} --output {output.runs:q}"
        " --qrels {output.qrels:q} > {log:q} 2>&1"


rule export_mteb_retrieval:
    """What dense retrievers found, as MTEB's result files."""
    input:
        runs_digests=retrieval.exported.mteb_digests(),
        digests=[
            *retrieval.exported.corpora(paths.CORPUS_DIGEST),
            *retrieval.exported.of_sets(paths.QUESTIONS_DIGEST),
            *retrieval.exported.of_sets(paths.JUDGEMENTS_DIGEST),
        ],
        corpora=ancient(retrieval.exported.corpora(paths.CORPUS)),
        questions=ancient(retrieval.exported.of_sets(paths.QUESTIONS)),
        judgements=ancient(retrieval.exported.of_sets(paths.JUDGEMENTS)),
        runs=ancient(retrieval.exported.mteb_runs()),
        manifests=retrieval.exported.manifests(),
        versions=paths.RECORD_VERSIONS,
    output:
        retrieval.exported.mteb_files(),
    log:
        paths.log("export_mteb_retrieval"),
    benchmark:
        paths.benchmark("export_mteb_retrieval")
    localrule: True
    conda:
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000, per_input=30),
        runtime=minutes(60),
    params:
        code=code("sentflow.commands.export_mteb_retrieval"),
        env=versions("ir-measures", "pytrec-eval-terrier"),
        settings=retrieval.exported.mteb_settings,
    shell:
        "python -m sentflow.commands.export_mteb_retrieval --corpora {input.corpora:q} --questions {input.questions:q}"
        " --judgements {input.judgements:q} --digests {input.digests:q} --runs {input.runs:q}"
        " --manifests {input.manifests:q} --versions {input.versions:q} --settings {params.settings:q}"
        " --output {output:q} > {log:q} 2>&1"
