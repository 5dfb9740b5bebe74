"""The environment that jobs inherit from Snakemake."""

import os
import shlex
import sys
from pathlib import Path
from typing import Any

import sentflow
from sentflow.errors import ConfigError
from sentflow.jobs import lifeline


def first_words_of_jobs(source_folder: Path) -> str:
    """What the shell of every job does first.

    Jobs in an environment of their own (``--sdm conda``) find the package without being installed there, if a
    repository has it in `source_folder`. They end with this Snakemake, so that none of a killed run writes into the
    files of the next. Their ``python`` takes command lines of any length.
    """
    # No empty entry behind the colon, which would be the working folder; Snakemake halves the braces.
    found = f" PYTHONPATH={shlex.quote(str(source_folder))}${{{{PYTHONPATH:+:$PYTHONPATH}}}}"
    python_of_jobs = Path(lifeline.__file__).with_name("python.sh")
    return (
        f"export PYTHONSAFEPATH=1{found if source_folder.is_dir() else ''}"
        f" {lifeline.VARIABLE}={shlex.quote(lifeline.name_of_this_process())};"
        f" . {shlex.quote(str(python_of_jobs))}; "
    )


def refuse_conda(deployment: Any, source_folder: Path) -> None:
    """Refuse environments for jobs (``--sdm conda``) of an installed package, which they would not hold."""
    methods = sorted(str(method) for method in deployment.deployment_method)
    if methods and not source_folder.is_dir():
        raise ConfigError(
            f"--software-deployment-method {' '.join(methods)}: jobs there cannot find the installed "
            "sentflow. Leave it out, or run the workflow from a clone of its repository (git clone), where they can."
        )


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
    and Snakemake adds one below it (``.snakemake/pip-deployments``). `folders` are left out, too, unless PYTHONPATH
    names them in full.
    """
    wanted = [
        entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if Path(entry).is_absolute()
    ]
    os.environ["PYTHONSAFEPATH"] = "1"
    if wanted:
        os.environ["PYTHONPATH"] = os.pathsep.join(wanted)
    else:
        os.environ.pop("PYTHONPATH", None)
    unwanted = {str(folder) for folder in (Path.cwd(), *folders)} - set(wanted)
    sys.path[:] = [entry for entry in sys.path if Path(entry).is_absolute() and entry not in unwanted]


def refuse_braces(folder: Path) -> None:
    """Refuse a folder of the workflow whose path Snakemake would take for a template; only braces are not fine."""
    if {"{", "}"} & set(str(folder)):
        raise ConfigError(
            f"the workflow is in {folder}, and Snakemake reads braces in the path of a workflow as names to fill in. "
            "Rename that folder, or move the workflow; the working folder (--directory) may have any name."
        )


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
