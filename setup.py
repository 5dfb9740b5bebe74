"""An installed package carries the workflow, which the repository has beside it. All else is in pyproject.toml."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

# `sentflow.flow.environment` finds it there.
INSTALLED = Path("sentflow", "pipeline")
COPIED = (
    "Snakefile",
    "config.yaml",
    "envs/*.yaml",
    "experiments/*.yaml",
    "profiles/*/*",
    "workflow/catalog/*.yaml",
    "workflow/catalog/samples/*/*",
    "workflow/report/*.rst",
    "workflow/rules/**/*.smk",
)


class BuildWithWorkflow(build_py):
    """Copies the workflow into the package, unless the package stays where it is (``pip install --editable``)."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        for file in files():
            target = Path(self.build_lib, INSTALLED, file)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, target)

    def get_source_files(self) -> list[str]:
        """What a source distribution holds."""
        return [*super().get_source_files(), *map(str, files())]


def files() -> list[Path]:
    return sorted(file for pattern in COPIED for file in Path().glob(pattern))


setup(cmdclass={"build_py": BuildWithWorkflow})
