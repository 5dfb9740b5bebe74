"""Texts of a collection → vectors, dense or sparse, the latter with vectors of terms where an encoder gives them."""


rule embed:
    """The vectors of one encoder on the texts of one collection, in their role."""
    input:
        **digested(texts=paths.TEXTS),
        manifest=paths.MANIFEST,
        # The manifest holds their checksums.
        own=ancient(targets.encoders.files),
    output:
        embeddings=paths.EMBEDDINGS,
        info=paths.EMBEDDINGS_INFO,
        made=paths.EMBEDDINGS_MADE,
        tokens=paths.EMBEDDINGS_TOKENS,
    wildcard_constraints:
        model=one_of(targets.encoders.with_vectors),
    # Before further trainings: what a training has written is scored, and deleted, before another writes as much.
    priority: 1
    threads: beside_others(targets.encoders.threads, local_cores)
    resources:
        **asks(4000, 120, per_input=12),
        connection=targets.encoders.connection,
        device=targets.encoders.device,
        call_seconds=targets.encoders.call_seconds,
        limits=targets.limits,
        kept=targets.kept_vectors,
    params:
        code=targets.encoders.embed_code,
        env=targets.encoders.versions,
        settings=targets.encode_settings,
        task=targets.of_collection("task"),
    shell:
        command("embed")


use rule embed as embed_sparse with:
    output:
        embeddings=paths.SPARSE_EMBEDDINGS,
        info=paths.EMBEDDINGS_INFO,
        made=paths.EMBEDDINGS_MADE,
        tokens=paths.EMBEDDINGS_TOKENS,
    wildcard_constraints:
        model=one_of(targets.encoders.sparse),
