"""Raw files, and the distinct texts of tables."""


rule download:
    """One raw file from a mirror or its address, with its checksum verified."""
    input:
        targets.of_file(local_files),
    output:
        paths.RAW_FILE,
    # Short, and the slow jobs wait for it.
    priority: 3
    localrule: True
    resources:
        **asks(500, 60),
        mirrors=targets.mirrors,
        limits=targets.limits,
        settings=targets.of_file(json_text),
    params:
        content=targets.of_file(downloaded_content),
    shell:
        command("download", is_checked=False)


rule collect:
    """The tables of a collection → its distinct texts."""
    input:
        targets.of_collection("digests"),
        tables=ancient(targets.of_collection("tables")),
    output:
        **with_digest(texts=paths.TEXTS),
    wildcard_constraints:
        collection=targets.collected,
    # Short, and the slow jobs wait for it.
    priority: 3
    resources:
        **asks(1000, 10, per_input=12),
    params:
        **job_params("collect"),
        roles=targets.of_collection("roles"),
    shell:
        command("collect")
