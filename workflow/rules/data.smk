"""Raw files, encoders, the distinct texts of tables, and their vectors, dense or sparse."""

# One file, for a failed download must not lose others; or all sample texts of a dataset, where nothing can fail
for number, dataset in enumerate(["", *targets.samples], 1):
    files = targets.datasets[dataset]["files"] if dataset else ["{file}"]

    rule:
        name:
            numbered("download", number)
        input:
            local(targets.of_files(dataset, local_files)),
        output:
            each(paths.RAW_FILE, dataset=[dataset or "{dataset}"], file=files),
        # Short, and the slow jobs wait for it.
        priority: 4
        localrule: True
        resources:
            **asks("download", 60),
            dataset=dataset,
            mirrors=targets.mirrors,
            limits=targets.limits,
            settings=targets.of_files(dataset, json_text),
        params:
            content=targets.of_files(dataset, downloaded_content),
        shell:
            command("download", is_checked=False)


# Short, and the slow jobs wait for it.
job_rule(
    "collect",
    dict(
        also=targets.of_collection("digests"),
        tables=ancient(targets.of_collection("tables")),
    ),
    with_digest(texts=paths.TEXTS),
    per_input=12,
    priority=4,
    constraints=dict(collection=targets.collected),
    roles=targets.of_collection("roles"),
)


rule fetch_model:
    """An encoder from the hub or an archive → its manifest and its files."""
    input:
        targets.encoders.files,
        # It is as old as the record
        snapshot=ancient(targets.encoders.snapshot),
    output:
        manifest=paths.MANIFEST,
        model_files=paths.WEIGHTS,
    wildcard_constraints:
        model=one_of(targets.encoders.archived),
    # See rule embed
    priority: 3
    localrule: True
    resources:
        **asks("fetch_model", 120),
        mirrors=targets.mirrors,
        limits=targets.limits,
    params:
        code=targets.encoders.fetch_code,
        env=targets.encoders.libraries,
        settings=targets.encoders.fetch_settings,
    shell:
        command("fetch_model")


use rule fetch_model as describe_model with:
    output:
        manifest=paths.MANIFEST,
        # They stay in their package or folder, or there are none.
        model_files=[],
    wildcard_constraints:
        model=one_of(targets.encoders.described),
    # `use rule` drops it
    localrule: True


rule embed:
    """The vectors of one encoder on the texts of one collection, in their role."""
    input:
        **digested(texts=paths.TEXTS),
        manifest=paths.MANIFEST,
        # The manifest holds their checksums.
        model_files=ancient(targets.encoders.model_files),
    output:
        embeddings=paths.EMBEDDINGS,
        info=paths.EMBEDDINGS_INFO,
        made=paths.EMBEDDINGS_MADE,
        tokens=paths.EMBEDDINGS_TOKENS,
    wildcard_constraints:
        model=one_of(targets.encoders.with_vectors),
    # Before further trainings: what a training has written is scored, and deleted, before another writes as much.
    priority: 3
    threads: beside_others(targets.encoders.threads, local_cores)
    resources:
        **asks(
            "embed",
            120,
            per_input=dict(texts=12, model_files=targets.encoders.copies_of_files),
        ),
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
