"""Where the Snakefile is, with the rules and the catalog of the workflow."""

from pathlib import Path

import sentflow
from sentflow.errors import ConfigError

# The folder inside the installed package into which setup.py copies them
INSTALLED = "pipeline"


def home() -> Path:
    """The folder with ``Snakefile``, ``config.yaml``, ``experiments/`` and ``workflow/``.

    The repository, where the package is imported from there; else the copy inside the installed package.
    """
    package = Path(sentflow.__path__[0])
    installed = package / INSTALLED
    return installed if installed.is_dir() else package.parents[2]


def workflow_folder() -> Path:
    """The folder that holds ``catalog/`` and ``rules/``. Raises ConfigError: the package was copied without it."""
    folder = home() / "workflow"
    if not (folder / "catalog").is_dir():
        raise ConfigError(
            f"there is no {folder / 'catalog'}: this copy of sentflow is the package alone, without its workflow. "
            "Install it from the repository, which brings both: pip install FOLDER."
        )
    return folder


def experiment_file(file: Path) -> Path:
    """A configuration file as the user names it; the experiments of the workflow can be named in any folder.

    ``experiments/sts.yaml`` is that of the workflow where the working folder has none.
    """
    ours = home() / file
    return ours if file.parts[:1] == ("experiments",) and not file.exists() and ours.is_file() else file
