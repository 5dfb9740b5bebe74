"""`sentflow run`: Snakemake, after what a killed run has left behind is out of the way."""

import argparse
import os
import platform
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import psutil
import typer

from sentflow.errors import ConfigError, DataError
from sentflow.files.settings_files import read_settings
from sentflow.flow.environment import experiment_file, home, leave_out_working_folder
from sentflow.flow.start import read_record, write_record
from sentflow.jobs.lifeline import VARIABLE

_ORPHANS_END_WITHIN_SECONDS = 60.0
# What runs code, and where Snakemake looks for it in the working folder → what it is in the workflow
_WITH_CODE = {"--snakefile": Path("Snakefile"), "--workflow-profile": Path("profiles/default")}


def run(context: typer.Context) -> None:
    """Run snakemake with the same arguments, and resume a killed run.

    The lock of a killed run is removed first; the lock of a running one never is.
    """
    start(context.args)


def start(arguments: Sequence[str]) -> None:
    """Become ``snakemake ARGUMENTS``; a lock of a killed run is removed, that of a running one never is."""
    # The process stays the same one, so that the record and signals hold for Snakemake.
    os.execv(sys.executable, prepared(arguments))


def prepared(arguments: Sequence[str]) -> list[str]:
    """The command that is ``snakemake ARGUMENTS``, once its folder is ready for it."""
    arguments = complete(arguments)
    parsed = _parsed(arguments)
    _refuse_wrong_files(parsed.configfile, arguments)
    folder = Path(parsed.directory or ".").expanduser().resolve()
    locks = folder / ".snakemake" / "locks"
    if any(locks.glob("*.lock")):
        _refuse_running(folder)
        _wait_for_orphans(folder)
        shutil.rmtree(locks)
        sys.stderr.write("The last run was killed. It is resumed: finished files are kept.\n")
    if folder.is_dir():
        write_record(folder)
    sys.stderr.flush()
    leave_out_working_folder()
    return [sys.executable, "-m", "snakemake", *arguments]


def complete(arguments: Sequence[str]) -> list[str]:
    """Arguments of Snakemake, with this package's workflow and profile where none is named.

    Nothing is added in the folder of the workflow itself, a clone of the project, where Snakemake finds both.
    """
    parsed = _parsed(arguments)
    words = [str(experiment_file(Path(word))) if word in parsed.configfile else word for word in arguments]
    if Path.cwd() == home().resolve():
        return words
    named = {"--snakefile": parsed.snakefile, "--workflow-profile": parsed.workflow_profile}
    ours = {option: name for option, name in _WITH_CODE.items() if named[option] is None}
    for option, name in ours.items():
        if name.exists():
            sys.stderr.write(f"{name} of this folder is not used. If you trust it, write {option} {name}.\n")
    return [*(word for option, name in ours.items() for word in (option, str(home() / name))), *words]


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of Snakemake that matter here, by the rules of its own parser."""
    parser = argparse.ArgumentParser(prog="snakemake", add_help=False)
    parser.add_argument("--directory", "-d", nargs="?", default=".")
    parser.add_argument("--snakefile", "-s", nargs="?")
    parser.add_argument("--workflow-profile", nargs="?")
    parser.add_argument("--configfile", "--configfiles", nargs="*", action="extend", default=[])
    parser.add_argument("--config", nargs="*")  # is no beginning of --configfile
    return parser.parse_known_args(arguments)[0]


def _refuse_wrong_files(files: Sequence[str], arguments: Sequence[str]) -> None:
    """Refuse what Snakemake would end in a traceback for, or run code of."""
    for file in files:
        if not Path(file).expanduser().exists() and not file.endswith((".yaml", ".yml")):
            others = shlex.join([file, *(word for word in arguments if word != file)])
            raise DataError(
                f"--configfile takes every argument that follows, and there is no file {file}. If it is a target, "
                f"write it first: sentflow run {others}. If it is a file, it was searched for in {Path.cwd()}."
            )
        if not isinstance(settings := read_settings(Path(file)), dict | None):
            raise DataError(
                f"{file} behind --configfile holds no settings (key: value). If it is a target, write it before "
                "--configfile, which takes every argument that follows."
            )
        if settings and "__use_yte__" in settings:
            raise ConfigError(
                f"{file}: with __use_yte__ Snakemake would run Python code that the file holds. Write the values "
                "out and remove that line."
            )
    # Snakemake would look for packages there, and run some of them as plug-ins of its own
    packages = Path.cwd() / ".snakemake" / "pip-deployments"
    if packages.exists():
        raise DataError(
            f"Snakemake would run Python packages that are in {packages}. sentflow never puts any there: find out "
            "where they come from, and delete that folder."
        )


# --- a folder with a lock -----------------------------------------------------------------------------------


def _refuse_running(folder: Path) -> None:
    """Refuse to unlock a folder in which a run may be going on: here, on another machine, or in SLURM."""
    for process in _processes_in(folder):
        words = process.info["cmdline"] or []
        if any(Path(word).name == "snakemake" for word in words[:3]):  # snakemake …, or python -m snakemake …
            raise DataError(
                f"a run is in progress in {folder}: process {process.pid} on this machine ({' '.join(words)}). Wait "
                f"until it has ended, or end it (kill {process.pid}); for another experiment at the same time use "
                "another folder with --directory."
            )
    record = read_record(folder)
    if record is not None and record.machine != platform.node():
        raise DataError(
            f"{folder} is locked by a run that was started on {record.machine} (process {record.process}), which "
            "cannot be seen from here. If it is still running there, wait. If not, run the same command on "
            f"{record.machine}, or here snakemake --unlock and the same command again."
        )
    if jobs := _slurm_jobs_in(folder):
        raise DataError(
            f"SLURM has jobs of a killed run in {folder}, which would write into the files of a new one. Wait until "
            f"they have ended (squeue --me), or end them: scancel {' '.join(jobs)}."
        )


def _wait_for_orphans(folder: Path) -> None:
    """Wait for jobs whose Snakemake is gone; they end by themselves, see `sentflow.jobs.lifeline`."""
    deadline = time.monotonic() + _ORPHANS_END_WITHIN_SECONDS
    while left := [process.pid for process in _processes_in(folder) if _is_orphan(process)]:
        if time.monotonic() > deadline:
            numbers = " ".join(map(str, left))
            raise DataError(f"jobs of a killed run do not end in {folder}. End them: kill -9 {numbers}.")
        time.sleep(0.1)


def _processes_in(folder: Path) -> list[psutil.Process]:
    """Other processes of this machine that work in a folder, as far as they are ours to see."""
    processes = psutil.process_iter(["cwd", "cmdline", "environ"])
    return [one for one in processes if one.info["cwd"] == str(folder) and one.pid != os.getpid()]


def _is_orphan(process: psutil.Process) -> bool:
    number = (process.info["environ"] or {}).get(VARIABLE, "").partition(" ")[0]
    try:
        return number.isdecimal() and int(number) not in [parent.pid for parent in process.parents()]
    except psutil.NoSuchProcess:
        return False


def _slurm_jobs_in(folder: Path) -> list[str]:
    """Our SLURM jobs that work in a folder, but for the one that this process is in; none without SLURM."""
    squeue = shutil.which("squeue")
    if squeue is None:
        return []
    words = [squeue, "--me", "--noheader", "--format=%A %Z"]
    said = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    jobs = [line.partition(" ") for line in said.splitlines()]
    here = os.environ.get("SLURM_JOB_ID")
    return sorted({job for job, _, place in jobs if Path(place.strip()) == folder and job != here})
