"""Pair sets → scores of similarity, regressions, alignments, geometry → their summaries."""


rule prepare_pairs:
    """The raw files of a pair set → its table."""
    input:
        targets.similarity.raw_files,
    output:
        table=paths.PAIR_SET,
        digest=paths.PAIR_SET_DIGEST,
    log:
        paths.log("prepare_pairs", "{pairs}"),
    benchmark:
        paths.benchmark("prepare_pairs", "{pairs}")
    conda:
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 1000 * attempt,
        runtime=lambda wildcards, attempt: 10 * attempt,
        checks=targets.similarity.prepare_checks,
        limits=targets.limits(),
    params:
        code=code("sentflow.commands.prepare_pairs"),
        settings=targets.similarity.prepare_settings,
    shell:
        "python -m sentflow.commands.prepare_pairs --pairs {wildcards.pairs:q} --raw {input:q}"
        " --settings {params.settings:q} --checks {resources.checks:q}"
        " --limits {resources.limits:q} --output {output.table:q} > {log:q} 2>&1"


rule collect_sentences:
    """The pair sets of a family → its distinct sentences."""
    input:
        targets.similarity.digests_of_family,
        tables=ancient(targets.similarity.tables_of_family),
    output:
        texts=paths.FAMILY_TEXTS,
        digest=paths.FAMILY_TEXTS_DIGEST,
    log:
        paths.log("collect_sentences", "{family}"),
    benchmark:
        paths.benchmark("collect_sentences", "{family}")
    conda:
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 1000 * attempt,
        runtime=lambda wildcards, attempt: 10 * attempt,
    params:
        code=code("sentflow.commands.collect"),
    shell:
        "python -m sentflow.commands.collect --tables {input.tables:q} --output {output.texts:q}"
        " > {log:q} 2>&1"


rule permute_texts:
    """Some sentences of a family, with their words in another order."""
    input:
        paths.FAMILY_TEXTS_DIGEST,
        texts=ancient(paths.FAMILY_TEXTS),
    output:
        texts=paths.PERMUTED_TEXTS,
        digest=paths.PERMUTED_TEXTS_DIGEST,
    log:
        paths.log("permute_texts", "{family}"),
    benchmark:
        paths.benchmark("permute_texts", "{family}")
    conda:
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 1000 * attempt,
        runtime=lambda wildcards, attempt: 5 * attempt,
    params:
        code=code("sentflow.commands.permute_texts"),
        env=versions("numpy"),
        settings=targets.similarity.permute_settings,
    shell:
        "python -m sentflow.commands.permute_texts --texts {input.texts:q} --settings {params.settings:q}"
        " --output {output.texts:q} > {log:q} 2>&1"


rule similarity:
    """The vectors of one encoder → how well the similarity of each pair agrees with its gold score, four measures."""
    input:
        paths.PAIR_SET_DIGEST,
        pairs=ancient(paths.PAIR_SET),
        # The description of the embeddings holds the checksums of both.
        texts=ancient(targets.similarity.texts),
        embeddings=ancient(targets.similarity.embeddings_of_job),
        info=targets.similarity.embeddings_info_of_job,
    output:
        scores=paths.SIMILARITY,
        rows=paths.SIMILARITY_ROWS,
    log:
        paths.log("similarity", "{pairs}/{model}"),
    benchmark:
        paths.benchmark("similarity", "{pairs}/{model}")
    wildcard_constraints:
        model=targets.fixed_models(),
    conda:
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 20 * attempt,
    params:
        code=code("sentflow.commands.similarity"),
        env=versions("numpy"),
        settings=targets.similarity.score_settings,
    shell:
        "OMP_NUM_THREADS=1 python -m sentflow.commands.similarity --pairs {input.pairs:q} --texts {input.texts:q}"
        " --embeddings {input.embeddings:q} --info {input.info:q} --settings {params.settings:q}"
        " --output {output.scores:q} --rows {output.rows:q} > {log:q} 2>&1"


rule overlap:
    """A similarity that needs no encoder → the same: what common words alone achieve."""
    input:
        paths.PAIR_SET_DIGEST,
        pairs=ancient(paths.PAIR_SET),
    output:
        scores=paths.OVERLAP,
        rows=paths.OVERLAP_ROWS,
    log:
        paths.log("overlap", "{pairs}/{baseline}"),
    benchmark:
        paths.benchmark("overlap", "{pairs}/{baseline}")
    conda:
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 1000 * attempt,
        runtime=lambda wildcards, attempt: 20 * attempt,
    params:
        code=code("sentflow.commands.overlap"),
        env=versions("numpy"),
        settings=targets.similarity.overlap_settings,
    shell:
        "OMP_NUM_THREADS=1 python -m sentflow.commands.overlap --pairs {input.pairs:q}"
        " --settings {params.settings:q} --output {output.scores:q} --rows {output.rows:q} > {log:q} 2>&1"


rule compare_similarity:
    """The similarities of every pair by every encoder → which encoders differ, pair set by pair set."""
    input:
        targets.similarity.rows(),
    output:
        paths.SIMILARITY_PAIRS,
    log:
        paths.log("compare_similarity"),
    benchmark:
        paths.benchmark("compare_similarity")
    conda:
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        code=code("sentflow.commands.compare_similarity"),
        env=versions("numpy", "scipy"),
        settings=targets.similarity.comparison_settings,
    shell:
        "OMP_NUM_THREADS=1 python -m sentflow.commands.compare_similarity --rows {input:q}"
        " --settings {params.settings:q} --output {output:q} > {log:q} 2>&1"


rule regress:
    """The vectors of one encoder → a similarity that is trained, chosen and tested on three pair sets."""
    input:
        targets.similarity.digests_of_job,
        train=ancient(targets.similarity.train_of_regression),
        dev=ancient(targets.similarity.dev_of_regression),
        test=ancient(targets.similarity.test_of_regression),
        texts=ancient(targets.similarity.texts),
        embeddings=ancient(targets.similarity.embeddings_of_job),
        info=targets.similarity.embeddings_info_of_job,
    output:
        paths.REGRESSION,
    log:
        paths.log("regress", "{regression}/{model}"),
    benchmark:
        paths.benchmark("regress", "{regression}/{model}")
    wildcard_constraints:
        model=targets.fixed_models(),
    conda:
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        code=code("sentflow.commands.regress"),
        env=versions("numpy", "torch"),
        settings=targets.similarity.regression_settings,
    shell:
        "OMP_NUM_THREADS=1 python -m sentflow.commands.regress --train {input.train:q} --dev {input.dev:q}"
        " --test {input.test:q} --texts {input.texts:q} --embeddings {input.embeddings:q} --info {input.info:q}"
        " --settings {params.settings:q} --output {output:q} > {log:q} 2>&1"


rule align:
    """The vectors of one encoder → alignment of positive pairs and uniformity of all sentences, by one named variant."""
    input:
        targets.similarity.digests_of_job,
        pairs=ancient(targets.similarity.pairs_of_alignment),
        positives=ancient(targets.similarity.positives_of_alignment),
        texts=ancient(targets.similarity.texts),
        embeddings=ancient(targets.similarity.embeddings_of_job),
        info=targets.similarity.embeddings_info_of_job,
    output:
        paths.ALIGNMENT,
    log:
        paths.log("align", "{alignment}/{model}"),
    benchmark:
        paths.benchmark("align", "{alignment}/{model}")
    wildcard_constraints:
        model=targets.fixed_models(),
    conda:
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
    params:
        code=code("sentflow.commands.align"),
        env=versions("numpy"),
        settings=targets.similarity.alignment_settings,
    shell:
        "OMP_NUM_THREADS=1 python -m sentflow.commands.align --pairs {input.pairs:q} --positives {input.positives:q}"
        " --texts {input.texts:q} --embeddings {input.embeddings:q} --info {input.info:q}"
        " --settings {params.settings:q} --output {output:q} > {log:q} 2>&1"


rule geometry:
    """The vectors of one encoder on one family → isotropy, spectrum, hubs, dimension, whitening, word order, truncation."""
    input:
        targets.similarity.digests_of_job,
        targets.similarity.permuted_info,
        pairs=ancient(targets.similarity.scored_of_family),
        texts=ancient(paths.FAMILY_TEXTS),
        embeddings=ancient(targets.similarity.embeddings_of_job),
        info=targets.similarity.embeddings_info_of_job,
        permuted_texts=ancient(targets.similarity.permuted_texts),
        permuted_embeddings=ancient(targets.similarity.permuted_embeddings),
    output:
        paths.GEOMETRY,
    log:
        paths.log("geometry", "{family}/{model}"),
    benchmark:
        paths.benchmark("geometry", "{family}/{model}")
    wildcard_constraints:
        model=targets.fixed_models(),
    conda:
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        code=code("sentflow.commands.geometry"),
        env=versions("numpy"),
        settings=targets.similarity.geometry_settings,
    shell:
        "OMP_NUM_THREADS=1 python -m sentflow.commands.geometry --pairs {input.pairs:q} --texts {input.texts:q}"
        " --embeddings {input.embeddings:q} --info {input.info:q} --permuted-texts {input.permuted_texts:q}"
        " --permuted-embeddings {input.permuted_embeddings:q} --settings {params.settings:q} --output {output:q}"
        " > {log:q} 2>&1"


rule summarise_similarity:
    """Everything that was measured on pair sets and families → one table of each kind."""
    input:
        scores=targets.similarity.scores(),
        rows=targets.similarity.rows(),
        regressions=targets.similarity.regressions(),
        alignments=targets.similarity.alignments(),
        geometry=targets.similarity.geometry(),
    output:
        similarity=paths.SUMMARY_SIMILARITY,
        regressions=paths.SUMMARY_REGRESSIONS,
        alignments=paths.SUMMARY_ALIGNMENTS,
        geometry=paths.SUMMARY_GEOMETRY,
        spectra=paths.SPECTRA,
        truncation=paths.TRUNCATION,
        histograms=paths.HISTOGRAMS,
    log:
        paths.log("summarise_similarity"),
    benchmark:
        paths.benchmark("summarise_similarity")
    localrule: True
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        code=code("sentflow.commands.summarise_similarity"),
        settings=targets.similarity.summarise_settings,
    shell:
        "python -m sentflow.commands.summarise_similarity --similarity {input.scores:q} --rows {input.rows:q}"
        " --regressions {input.regressions:q} --alignments {input.alignments:q} --geometry {input.geometry:q}"
        " --settings {params.settings:q} --similarity-out {output.similarity:q}"
        " --regressions-out {output.regressions:q} --alignments-out {output.alignments:q}"
        " --geometry-out {output.geometry:q} --spectra-out {output.spectra:q}"
        " --truncation-out {output.truncation:q} --histograms-out {output.histograms:q} > {log:q} 2>&1"
