"""Retrieval in the forms of other programs."""


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
        **asks(1000, 10, per_input=30),
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
        **asks(1000, 60, per_input=30),
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
        **asks(1000, 10, per_input=12),
    params:
        **job_params("export_law_files"),
    shell:
        command("export_law_files")
