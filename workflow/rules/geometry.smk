"""Vectors of sentences → alignment and uniformity, geometry → their summaries."""

geometry = targets.families["geometry"]


rule permute_texts:
    """Some sentences of a collection, with their words in another order."""
    input:
        paths.TEXTS_DIGEST,
        texts=ancient(paths.TEXTS),
    output:
        texts=paths.PERMUTED_TEXTS,
        digest=paths.PERMUTED_TEXTS_DIGEST,
    log:
        paths.log("permute_texts", "{collection}"),
    benchmark:
        paths.benchmark("permute_texts", "{collection}")
    # Else it would also make the texts of a dataset with such a name.
    wildcard_constraints:
        collection=one_of(geometry.described()),
    conda:
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000),
        runtime=minutes(5),
    params:
        code=code("sentflow.commands.permute_texts"),
        env=versions("numpy"),
        settings=geometry.permute_settings,
    shell:
        "python -m sentflow.commands.permute_texts --texts {input.texts:q} --settings {params.settings:q}"
        " --output {output.texts:q} > {log:q} 2>&1"


rule align:
    """The vectors of one encoder → alignment of positive pairs and uniformity of all sentences, by one named variant."""
    input:
        geometry.digests_of_alignment,
        pairs=ancient(geometry.pairs_of_alignment),
        positives=ancient(geometry.positives_of_alignment),
        texts=ancient(geometry.texts),
        embeddings=ancient(geometry.embeddings),
        info=geometry.embeddings_info,
    output:
        paths.ALIGNMENT,
    log:
        paths.log("align", "{alignment}/{model}"),
    benchmark:
        paths.benchmark("align", "{alignment}/{model}")
    wildcard_constraints:
        model=targets.encoders.fixed(),
    conda:
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1000, per_input=7),
        runtime=minutes(30),
    params:
        code=code("sentflow.commands.align"),
        env=versions("numpy"),
        settings=geometry.alignment_settings,
    shell:
        "OMP_NUM_THREADS=1 python -m sentflow.commands.align --pairs {input.pairs:q} --positives {input.positives:q}"
        " --texts {input.texts:q} --embeddings {input.embeddings:q} --info {input.info:q}"
        " --settings {params.settings:q} --output {output:q} > {log:q} 2>&1"


rule geometry:
    """The vectors of one encoder on one collection → isotropy, spectrum, hubs, dimension, whitening, word order, truncation."""
    input:
        geometry.digests_of_scored,
        geometry.permuted_info,
        pairs=ancient(geometry.scored),
        texts=ancient(paths.TEXTS),
        embeddings=ancient(geometry.embeddings),
        info=geometry.embeddings_info,
        permuted_texts=ancient(geometry.permuted_texts),
        permuted_embeddings=ancient(geometry.permuted_embeddings),
    output:
        paths.GEOMETRY,
    log:
        paths.log("geometry", "{collection}/{model}"),
    benchmark:
        paths.benchmark("geometry", "{collection}/{model}")
    wildcard_constraints:
        model=targets.encoders.fixed(),
    conda:
        "../../envs/probe.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(1500, per_input=16),
        runtime=minutes(60),
    params:
        code=code("sentflow.commands.geometry"),
        env=versions("numpy"),
        settings=geometry.geometry_settings,
    shell:
        "OMP_NUM_THREADS=1 python -m sentflow.commands.geometry --pairs {input.pairs:q} --texts {input.texts:q}"
        " --embeddings {input.embeddings:q} --info {input.info:q} --permuted-texts {input.permuted_texts:q}"
        " --permuted-embeddings {input.permuted_embeddings:q} --settings {params.settings:q} --output {output:q}"
        " > {log:q} 2>&1"


rule summarise_geometry:
    """All measurements on vectors → one table of each kind."""
    input:
        alignments=geometry.alignments(),
        geometry=geometry.geometry(),
    output:
        alignments=paths.SUMMARY_ALIGNMENTS,
        geometry=paths.SUMMARY_GEOMETRY,
        spectra=paths.SPECTRA,
        truncation=paths.TRUNCATION,
    log:
        paths.log("summarise_geometry"),
    benchmark:
        paths.benchmark("summarise_geometry")
    localrule: True
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=memory_mb(2000),
        runtime=minutes(20),
    params:
        code=code("sentflow.commands.summarise_geometry"),
        settings=geometry.summarise_settings,
    shell:
        "python -m sentflow.commands.summarise_geometry --alignments {input.alignments:q}"
        " --geometry {input.geometry:q} --settings {params.settings:q} --alignments-out {output.alignments:q}"
        " --geometry-out {output.geometry:q} --spectra-out {output.spectra:q}"
        " --truncation-out {output.truncation:q} > {log:q} 2>&1"


localrules:
    similarities,


rule similarities:
    """All that is measured on sentences: similarity with its tests, regressions, alignments, geometry."""
    input:
        targets.families["similarity"].results(),
        geometry.results(),
