"""Vectors of sentences → alignment and uniformity, geometry → their summaries."""

geometry = targets.families["geometry"]


# Else it would also make the texts of a dataset with such a name.
job_rule(
    "permute_texts",
    digested(texts=paths.TEXTS),
    with_digest(permuted=paths.PERMUTED_TEXTS),
    minutes=5,
    constraints=dict(collection=one_of(geometry.described)),
    n=experiment.config.geometry.permuted_texts,
    seed=experiment.config.geometry.seed,
)

job_rule(
    "align",
    dict(
        **digested(
            pairs=geometry.of_alignment("pairs"),
            positives=geometry.of_alignment("positives"),
        ),
        **geometry.vectors(),
    ),
    paths.ALIGNMENT,
    minutes=30,
    per_input=7,
    constraints=dict(model=one_of(targets.encoders.with_vectors)),
    settings=geometry.alignment_settings,
)

job_rule(
    "geometry",
    dict(
        also=geometry.of_permuted(paths.EMBEDDINGS_INFO),
        **digested(pairs=geometry.scored),
        **geometry.vectors(),
        permuted_texts=ancient(geometry.of_permuted(paths.TEXTS)),
        permuted_embeddings=ancient(geometry.of_permuted(paths.EMBEDDINGS)),
    ),
    paths.GEOMETRY,
    minutes=60,
    per_input=16,
    constraints=dict(model=one_of(targets.encoders.with_vectors)),
    settings=geometry.geometry_settings(),
)

job_rule(
    "summarise_geometry",
    dict(aligned=geometry.alignments, measured=geometry.geometry),
    dict(
        alignments=paths.SUMMARY_ALIGNMENTS,
        geometry=paths.SUMMARY_GEOMETRY,
        spectra=paths.SPECTRA,
        truncation=paths.TRUNCATION,
    ),
    minutes=20,
    local=True,
    settings=geometry.summarise_settings,
)


rule similarities:
    """All that is measured on sentences: similarity with its tests, regressions, alignments, geometry."""
    input:
        targets.families["similarity"].results,
        geometry.results,
