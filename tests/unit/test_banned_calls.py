"""Calls that run what others wrote: none in the package.

Most are banned by ruff's rules S and TID251 (`pyproject.toml`), which `make lint` and continuous integration run. Here
is what those rules cannot say.
"""

import pytest
import yaml

from sentflow.config.entries import read_yaml


def test_a_file_of_settings_makes_no_objects(tmp_path):
    file = tmp_path / "evil.yaml"
    file.write_text(
        f"x: !!python/object/apply:os.system ['touch {tmp_path / 'touched'}']\n", encoding="utf-8"
    )
    with pytest.raises(yaml.constructor.ConstructorError):
        read_yaml(file)
    assert not (tmp_path / "touched").exists()
