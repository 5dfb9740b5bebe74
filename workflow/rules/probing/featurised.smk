"""A user's own classes that compute features of whole rows → features → folds."""


rule featurise:
    """The features of one task's rows by a user's own class."""
    input:
        paths.TASK_DIGEST,
        manifest=paths.MANIFEST,
        task=ancient(paths.TASK),
        own=ancient(targets.encoders.files),
    output:
        features=paths.FEATURES,
        info=paths.FEATURES_INFO,
        made=paths.FEATURES_MADE,
    log:
        paths.log("featurise", "{model}/{task}"),
    benchmark:
        paths.benchmark("featurise", "{model}/{task}")
    wildcard_constraints:
        model=one_of(experiment.featurisers),
    conda:
        "../../../envs/sentflow.yaml"
    threads: targets.encoders.threads
    resources:
        **asks(4000, 120),
        call_seconds=targets.encoders.call_seconds,
    params:
        **job_params("featurise"),
    shell:
        command("featurise")


rule probe_featurised:
    """Folds of a task with the features that a user's own class computed from its rows."""
    input:
        paths.TASK_DIGEST,
        task=ancient(paths.TASK),
        features=ancient(paths.FEATURES),
        info=paths.FEATURES_INFO,
    output:
        folds=probing.fold_outputs(),
    log:
        paths.log("probe_featurised", probing.job_key()),
    benchmark:
        paths.benchmark("probe_featurised", probing.job_key())
    wildcard_constraints:
        model=one_of(experiment.featurisers),
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(2000, 60, per_input=3),
        device=probing.probe_device,
    params:
        code=probing.probe_code("probe_featurised"),
        env=probing.probe_versions,
        settings=probing.probe_settings,
    shell:
        command("probe_featurised")


use rule probe_featurised as probe_featurised_study with:
    output:
        folds=probing.fold_outputs(study=True),
    log:
        paths.log("probe_featurised_study", probing.job_key(study=True)),
    benchmark:
        paths.benchmark("probe_featurised_study", probing.job_key(study=True))
