"""Retrieval in the forms of other programs."""


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
        "../../../envs/exports.yaml"
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
        "../../../envs/probe.yaml"
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


rule export_law_files:
    """A corpus of laws and questions → the intermediate files of the published Zalo system."""
    input:
        paths.CORPUS_DIGEST,
        retrieval.exported.law_questions(paths.QUESTIONS_DIGEST),
        corpus=ancient(paths.CORPUS),
        questions=ancient(retrieval.exported.law_questions(paths.QUESTIONS)),
    output:
        text=paths.LAW_TEXT,
        dictionary=paths.LAW_DICTIONARY,
        articles=paths.LAW_ARTICLES,
    log:
        paths.log("export_law_files", "{corpus}"),
    benchmark:
        paths.benchmark("export_law_files", "{corpus}")
    wildcard_constraints:
        corpus=one_of(retrieval.exported.law_corpora()),
    localrule: True
    conda:
        "../../../envs/exports.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000, per_input=12),
        runtime=minutes(10),
    params:
        code=code("sentflow.commands.export_law_files"),
    shell:
        "python -m sentflow.commands.export_law_files --corpus {input.corpus:q} --questions {input.questions:q}"
        " --text {output.text:q} --dictionary {output.dictionary:q} --articles {output.articles:q} > {log:q} 2>&1"
