"""The environment that jobs inherit from Snakemake."""

import os
import sys
from pathlib import Path


def put_this_python_first() -> None:
    """Let `python` in a job be the one that runs Snakemake, also where its environment was never activated.

    A job's own environment (``--sdm conda``) is activated later and goes before it.
    """
    folder = str(Path(sys.executable).parent)
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    if folders[0] != folder:
        os.environ["PATH"] = os.pathsep.join([folder, *folders])
