"""The environment that jobs inherit from Snakemake."""

import os
import sys
from pathlib import Path

from sentflow.errors import ConfigError


def put_this_python_first() -> None:
    """Let `python` in a job be the one that runs Snakemake, also where its environment was never activated.

    A job's own environment (``--sdm conda``) is activated later and goes before it.
    """
    folder = str(Path(sys.executable).parent)
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    if folders[0] != folder:
        os.environ["PATH"] = os.pathsep.join([folder, *folders])


def refuse_braces(folder: Path) -> None:
    """Refuse a folder of the workflow whose path Snakemake would take for a template.

    Raises
    ------
    ConfigError
        The path holds ``{`` or ``}``. Spaces, quotes and every other sign are fine.
    """
    if {"{", "}"} & set(str(folder)):
        raise ConfigError(
            f"the workflow lies in {folder}, and Snakemake reads braces in the path of a workflow as names to fill in. "
            "Rename that folder, or move the workflow; the working folder (--directory) may have any name."
        )
