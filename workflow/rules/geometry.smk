"""Vectors of sentences → alignment and uniformity, geometry → their summaries."""

geometry = targets.families["geometry"]


rule permute_texts:
    """Some sentences of a collection, with their words in another order."""
    input:
        **digested(texts=paths.TEXTS),
    output:
        **with_digest(permuted=paths.PERMUTED_TEXTS),
    # Else it would also make the texts of a dataset with such a name.
    wildcard_constraints:
        collection=one_of(geometry.described),
    resources:
        **asks("permute_texts", 5),
    params:
        **job_params(
            "permute_texts",
            n=experiment.config.geometry.permuted_texts,
            seed=experiment.config.geometry.seed,
        ),
    shell:
        command("permute_texts")


rule align:
    """The vectors of one encoder → alignment of positive pairs and uniformity of all sentences, by one named variant."""
    input:
        **digested(
            pairs=geometry.of_alignment("pairs"),
            positives=geometry.of_alignment("positives"),
        ),
        **geometry.vectors(),
    output:
        paths.ALIGNMENT,
    wildcard_constraints:
        model=one_of(targets.encoders.with_vectors),
    resources:
        **asks("align", 30, per_input=7),
    params:
        **job_params("align", settings=geometry.alignment_settings),
    shell:
        command("align")


rule geometry:
    """The vectors of one encoder on one collection → isotropy, spectrum, hubs, dimension, whitening, word order, truncation."""
    input:
        geometry.of_permuted(paths.EMBEDDINGS_INFO),
        **digested(pairs=geometry.scored),
        **geometry.vectors(),
        permuted_texts=ancient(geometry.of_permuted(paths.TEXTS)),
        permuted_embeddings=ancient(geometry.of_permuted(paths.EMBEDDINGS)),
    output:
        paths.GEOMETRY,
    wildcard_constraints:
        model=one_of(targets.encoders.with_vectors),
    resources:
        **asks("geometry", 60, per_input=16),
    params:
        **job_params("geometry", settings=geometry.geometry_settings()),
    shell:
        command("geometry")


rule summarise_geometry:
    """All measurements on vectors → one table of each kind."""
    input:
        aligned=geometry.alignments,
        measured=geometry.geometry,
    output:
        alignments=paths.SUMMARY_ALIGNMENTS,
        geometry=paths.SUMMARY_GEOMETRY,
        spectra=paths.SPECTRA,
        truncation=paths.TRUNCATION,
    localrule: True
    resources:
        **asks("summarise_geometry", 20),
    params:
        **job_params("summarise_geometry", settings=geometry.summarise_settings),
    shell:
        command("summarise_geometry")


rule similarities:
    """All that is measured on sentences: similarity with its tests, regressions, alignments, geometry."""
    input:
        targets.families["similarity"].results,
        geometry.results,
