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
    "geometry",
    dict(
        **digested(pairs=geometry.tables_of("alignments", geometry.scored)),
        **geometry.vectors_of({**geometry.scored, **geometry.aligned}),
        **geometry.permuted_vectors(),
    ),
    dict(
        alignments=each(
            paths.ALIGNMENT, alignment=flat(geometry.aligned), model=["{model}"]
        ),
        described=each(
            paths.GEOMETRY, collection=geometry.described, model=["{model}"]
        ),
    ),
    minutes=60 + 5 * len(flat(geometry.aligned)) + 20 * len(geometry.described),
    per_input=dict(pairs=16),
    per_largest=dict.fromkeys(
        ("texts", "embeddings", "permuted_texts", "permuted_embeddings"), 16
    ),
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
