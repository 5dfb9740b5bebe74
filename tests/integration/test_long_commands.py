"""A job whose settings are longer than an argument of a program may be, in a real run."""

import pytest
import yaml
from workflow_copy import TINY, copy_workflow, snakemake

pytestmark = pytest.mark.slow

LINUX_TAKES = 128 * 1024  # bytes of one argument


def test_long_settings_reach_their_job_unchanged(tmp_path):
    project = copy_workflow(tmp_path / "my project's")
    described = "\n".join(f"Encoder's 'number' {number}: 임의 %s $HOME" for number in range(4000))
    (project / "long.yaml").write_text(yaml.safe_dump({"experiment": {"description": described}}), "utf-8")
    written = "results/record/config.yaml"
    outcome = snakemake(project, written, "--cores", "1", "--configfile", str(TINY), "long.yaml")
    assert outcome.code == 0, outcome.text[-6000:]
    assert (project / written).stat().st_size > LINUX_TAKES
    assert (
        yaml.safe_load((project / written).read_text(encoding="utf-8"))["experiment"]["description"]
        == described
    )
