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


def leave_out_working_folder(*folders: Path) -> None:
    """Keep this Python, and every one that is started from it, from importing files of the folder it works in.

    Experiments and data of others lie there: a ``random.py`` among them would run in every job, with the tokens of the
    shell. Python itself puts that folder first (``python -m``), an empty or relative entry of PYTHONPATH means it too,
    and Snakemake adds one below it (``.snakemake/pip-deployments``).

    Parameters
    ----------
    folders
        Left out too, unless PYTHONPATH names them in full.
    """
    wanted = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if _is_absolute(entry)]
    os.environ["PYTHONSAFEPATH"] = "1"
    if wanted:
        os.environ["PYTHONPATH"] = os.pathsep.join(wanted)
    else:
        os.environ.pop("PYTHONPATH", None)
    unwanted = {str(folder) for folder in (Path.cwd(), *folders)} - set(wanted)
    sys.path[:] = [entry for entry in sys.path if _is_absolute(entry) and entry not in unwanted]


def _is_absolute(entry: str) -> bool:
    return Path(entry).is_absolute()


def refuse_braces(folder: Path) -> None:
    """Refuse a folder of the workflow whose path Snakemake would take for a template.

    Raises
    ------
    ConfigError
        The path holds ``{`` or ``}``. Spaces, quotes and every other sign are fine.
    """
    if {"{", "}"} & set(str(folder)):
        raise ConfigError(
            f"the workflow is in {folder}, and Snakemake reads braces in the path of a workflow as "
            "names to fill in. "
            "Rename that folder, or move the workflow; the working folder (--directory) may have any name."
        )
