"""The similarities of trainings with several seeds → what seeds and pairs decide."""


rule compare_training:
    """The similarities of every pair by every seed → means, differences and their intervals, group by group."""
    input:
        rows=training.study.similarities(),
    output:
        paths.TRAINING_SEEDS,
    log:
        paths.log("compare_training"),
    benchmark:
        paths.benchmark("compare_training")
    conda:
        "../../../envs/sentflow.yaml"
    resources:
        **asks(2000, 60),
    params:
        **job_params("compare_training", settings=training.study.comparison_settings),
    shell:
        command("compare_training")
